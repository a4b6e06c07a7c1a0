# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""What an FMU tells that has pythonfmu as its wrapper, as far as pythonfmu lets it."""

import subprocess
import sys
import zipfile

import pytest

from osi_lidar.errors import InputError
from tests.builders.worlds import SENSOR
from tests.fmu.driving import running
from tests.fmu.kinds import built


@pytest.fixture(scope="module")
def fmu(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pythonfmu")
    config = folder / "small.yaml"
    config.write_text(SENSOR)
    return built("pythonfmu-2", config=config, out=folder).path


def test_refusal_goes_to_stderr_once_with_the_name_of_the_instance(fmu, capfd):
    with pytest.raises(InputError), running(fmu, config="/nowhere/config.yaml"):
        pass
    told = [line for line in capfd.readouterr().err.splitlines() if "/nowhere" in line]
    assert len([line for line in told if line.startswith("lidar: ")]) == 1


def test_python_without_the_packages_is_told_what_to_install(fmu, tmp_path):
    with zipfile.ZipFile(fmu) as archive:
        archive.extractall(tmp_path)
    (script,) = (tmp_path / "resources").glob("*_model.py")
    code = f"import sys; sys.path.insert(0, {str(script.parent)!r}); import {script.stem}"
    command = [sys.executable, "-I", "-S", "-c", code]  # -S: no site-packages
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    last = run.stderr.splitlines()[-1]
    assert "is not installed" in last
    assert "pip install osi-lidar" in last


def test_value_reference_that_no_variable_has_is_told_by_its_number(fmu):
    log = []
    with running(fmu, log) as instance:
        instance._opened.slave.getInteger([9999])
        instance._opened.slave.setString([9999], ["x"])
    assert [line for line in log if "9999" in line] == [
        f"{call}: got the value reference 9999, which no variable has" for call in ("get", "set")
    ]
