# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""`fmu info` says what an FMU of any tool holds, from its files alone."""

import json
import os
import subprocess
import sys
import zipfile

import pytest

from fmu_src import vendored
from fmu_src.inspection import read_info
from osi_lidar.version import __version__
from tests.commands import assert_one_line, run

# A model of another tool: FMI 3.0 has types as elements, and the start of a text inside of it.
OTHER = """<?xml version="1.0" encoding="UTF-8"?>
<fmiModelDescription fmiVersion="3.0" modelName="Tank" instantiationToken="{t}"
    generationTool="By hand">
  <ModelVariables>
    <Float64 name="time" valueReference="0" causality="independent"/>
    <Float64 name="height_m" valueReference="1" causality="parameter" start="1.5"/>
    <String name="label" valueReference="2" causality="parameter"><Start value="a &lt; b"/></String>
    <Float64 name="level_m" valueReference="3" causality="output"/>
  </ModelVariables>
</fmiModelDescription>
"""


@pytest.fixture
def other_fmu(tmp_path):
    path = tmp_path / "tank.fmu"
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("modelDescription.xml", OTHER)
        file.writestr("binaries/x86_64-linux/Tank.so", b"")
        file.writestr("binaries/empty/", b"")
        file.writestr("resources/table.csv", "1,2")
    return path


def with_files(fmu, target, files):
    """Copy an FMU with other files, or more of them."""
    with zipfile.ZipFile(fmu) as old, zipfile.ZipFile(target, "w") as new:
        for name in old.namelist():
            if name not in files:
                new.writestr(name, old.read(name))
        for name, content in files.items():
            new.writestr(name, content)
    return target


@pytest.mark.core
def test_an_fmu_of_ours_tells_what_it_is(street_fmu):
    found = read_info(street_fmu)
    assert (found.model, found.osi_lidar, found.osmp) == ("OsiLidar", __version__, "1.6.0")
    assert found.fmi in {"2.0", "3.0"}
    assert found.wrapper in {"native", "pythonfmu"}
    assert found.platforms
    assert {"OSMPSensorViewIn", "OSMPSensorDataOut"} <= set(found.messages)
    assert found.sensors == ({"name": "roof", "preset": "OS1-128"},)
    assert float(found.parameters["mounting_x_m"]) == 1.0
    assert not any(name in found.parameters for name in found.messages)
    assert found.packed["config.yaml"] > 0
    assert found.wheels == {}


def test_without_a_configuration_the_sensor_is_that_of_the_parameter(default_fmu):
    found = read_info(default_fmu)
    assert found.sensors == ({"name": "OS1-128", "preset": "OS1-128"},)
    assert found.packed == {}


def test_packages_inside_are_told_with_their_python(default_fmu, tmp_path):
    wheels = f"resources/{vendored.WHEELS}"
    manifest = json.dumps({"python": "cpython-311 linux-x86_64", "digest": "0"})
    files = {
        f"{wheels}/{vendored.VENDOR_FILE}": manifest,
        f"{wheels}/numpy-2-py3-none-any.whl": b"12345",
    }
    path = with_files(default_fmu, tmp_path / "vendored.fmu", files)
    found = read_info(path)
    assert found.wheels == {"numpy-2-py3-none-any.whl": 5}
    assert found.wheels_for == "cpython-311 linux-x86_64"
    shown = run("fmu", "info", path).output
    assert "Packages for cpython-311 linux-x86_64" in shown
    assert "numpy-2-py3-none-any.whl" in shown


def test_an_fmu_of_another_tool_is_shown_as_far_as_it_can_be(other_fmu):
    result = run("fmu", "info", other_fmu, "--json")
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert (found["fmi"], found["model"], found["token"]) == ("3.0", "Tank", "{t}")
    assert found["parameters"] == {"height_m": "1.5", "label": "a < b"}
    assert found["platforms"] == ["x86_64-linux"]
    assert (found["osi_lidar"], found["wrapper"], found["sensors"]) == ("", "", [])
    shown = run("fmu", "info", other_fmu).output
    assert "height_m" in shown
    assert "Sensors" not in shown


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"no zip", ["not a zip"]),
        ({}, ["modelDescription.xml", "missing in the archive"]),
        ({"modelDescription.xml": "<a>"}, ["modelDescription.xml", "line 1"]),
        ({"modelDescription.xml": "<a/>"}, ["not an FMI model description"]),
        ({"modelDescription.xml": b"\xff\xfe\x00"}, ["modelDescription.xml"]),
    ],
)
def test_what_is_no_fmu_is_refused_in_one_line(tmp_path, content, words):
    path = tmp_path / "x.fmu"
    if isinstance(content, bytes):
        path.write_bytes(content)
    else:
        with zipfile.ZipFile(path, "w") as file:
            for name, text in content.items():
                file.writestr(name, text)
    assert_one_line(run("fmu", "info", path), 2, "x.fmu", *words)


def test_absent_files_and_folders_are_refused_in_one_line(tmp_path):
    assert_one_line(run("fmu", "info", tmp_path / "absent.fmu"), 2, "absent.fmu", "No such file")
    assert_one_line(run("fmu", "info", tmp_path), 2, tmp_path.name)


def test_a_damaged_fmu_is_refused_in_one_line(default_fmu, tmp_path):
    path = tmp_path / "cut.fmu"
    path.write_bytes(default_fmu.read_bytes()[: default_fmu.stat().st_size // 2])
    assert_one_line(run("fmu", "info", path), 2, "cut.fmu")


def test_damaged_records_of_ours_are_as_good_as_none(default_fmu, tmp_path):
    files = {"resources/osi_lidar_build.json": "{", "resources/scenario/config.yaml": "a: [b"}
    found = read_info(with_files(default_fmu, tmp_path / "odd.fmu", files))
    assert (found.osi_lidar, found.sensors) == ("", ())


def test_reading_an_fmu_loads_no_package_of_numbers_nor_of_fmus(default_fmu):
    code = (
        "import sys; from fmu_src.inspection import read_info; read_info(sys.argv[1]); "
        "sys.exit(bool({'numpy', 'numba', 'fmpy', 'pythonfmu'} & sys.modules.keys()))"
    )
    command = [sys.executable, "-c", code, str(default_fmu)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    subprocess.run(command, check=True, env=environment)


@pytest.mark.parametrize(("stated", "step_s"), [("0.05", 0.05), ("nan", None), ("INF", None)])
def test_a_step_that_is_no_finite_number_is_none(other_fmu, tmp_path, stated, step_s):
    step = f'<DefaultExperiment stepSize="{stated}"/>\n  <ModelVariables>'
    content = OTHER.replace("<ModelVariables>", step)
    fmu = with_files(other_fmu, tmp_path / "timed.fmu", {"modelDescription.xml": content})
    result = run("fmu", "info", fmu, "--json")
    assert json.loads(result.stdout, parse_constant=pytest.fail)["step_s"] == step_s
