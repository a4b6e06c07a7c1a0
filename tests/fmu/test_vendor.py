# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""An FMU with packages inside runs in a Python without them; the host's own go first."""

import json
import os
import subprocess
import sys
import venv
import zipfile
from itertools import islice
from pathlib import Path

import pytest
from fmpy.validation import validate_fmu

from fmu_src import vendored
from fmu_src.exporter import build_fmu
from osi_bridge import open_trace
from osi_lidar.run.bundled import street
from tests.fmu.driving import running, step

MASTER = Path(__file__).with_name("bare_master.py")
N_STEPS = 10
MOST_BYTES = 200e6


@pytest.fixture
def wheels(tmp_path):
    """Give resources with one pure package and one whose files go by way of .data."""
    folder = tmp_path / "resources" / vendored.WHEELS
    folder.mkdir(parents=True)
    with zipfile.ZipFile(folder / "osi_lidar_absent-1-py3-none-any.whl", "w") as file:
        file.writestr("osi_lidar_absent.py", "")
        file.writestr("osi_lidar_absent-1.dist-info/METADATA", "Name: osi-lidar-absent\nVersion: 1")
        file.writestr("osi_lidar_absent-1.data/", "")
        file.writestr("osi_lidar_absent-1.data/platlib/osi_lidar_inner/__init__.py", "")
        file.writestr("osi_lidar_absent-1.data/scripts/osi-lidar-script", "")
    vendored.write_manifest(folder, "0123")
    return folder


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv(vendored.CACHE_VARIABLE, str(tmp_path / "cache"))
    monkeypatch.setattr(sys, "path", list(sys.path))
    return tmp_path / "cache"


def test_absent_package_is_unpacked_once_and_comes_last(wheels, cache):
    before = list(sys.path)
    vendored.activate(wheels.parent)
    assert sys.path == [*before, str(cache / "0123")]
    assert sorted(path.name for path in (cache / "0123").iterdir()) == [
        "osi_lidar_absent-1.dist-info",
        "osi_lidar_absent.py",
        "osi_lidar_inner",
    ]
    assert [path.name for path in cache.iterdir()] == ["0123"]
    written = (cache / "0123" / "osi_lidar_absent.py").stat().st_mtime_ns
    sys.path[:] = before
    vendored.activate(wheels.parent)
    assert (cache / "0123" / "osi_lidar_absent.py").stat().st_mtime_ns == written


def test_nothing_is_unpacked_where_the_host_has_all_packages(wheels, cache):
    (wheels / "osi_lidar_absent-1-py3-none-any.whl").rename(wheels / "numpy-1-py3-none-any.whl")
    before = list(sys.path)
    vendored.activate(wheels.parent)
    assert sys.path == before
    assert not cache.exists()


def test_packages_for_another_python_are_refused_in_one_line(wheels):
    manifest = wheels / vendored.VENDOR_FILE
    manifest.write_text(json.dumps({"python": "cpython-27 amiga", "digest": "0123"}))
    with pytest.raises(
        ImportError, match=r"contains packages for cpython-27 amiga.*absent"
    ) as info:
        vendored.activate(wheels.parent)
    assert "\n" not in str(info.value)


def test_without_a_folder_of_the_user_packages_are_unpacked_beside_the_wheels(wheels, cache):
    cache.write_text("a file, no folder")
    vendored.activate(wheels.parent)
    assert sys.path[-1] == str(wheels / "0123")


@pytest.mark.slow
def test_an_fmu_that_is_unpacked_again_compiles_nothing(small_fmu, trace, tmp_path):
    messages, answers = tmp_path / "messages", tmp_path / "answers"
    messages.mkdir()
    answers.mkdir()
    for raw in open_trace(trace):
        (messages / f"{raw.index:06d}").write_bytes(raw.data)
    command = [sys.executable, str(MASTER), str(small_fmu), str(messages), str(answers)]
    # a cache that no other test writes to at the same time
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "kernels")}
    for _ in range(2):
        run = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    assert json.loads(run.stdout.splitlines()[-1])["compiled"] == 0


@pytest.mark.slow
def test_vendored_fmu_gives_the_same_bytes_in_a_python_without_packages(street_fmu, tmp_path):
    scenario = street()
    fmu = build_fmu(config=scenario.config, out=tmp_path / "fmu", with_packages=True).path
    assert fmu.stat().st_size < MOST_BYTES
    assert validate_fmu(str(fmu)) == []
    messages, answers, site = (tmp_path / name for name in ("messages", "answers", "site"))
    for folder in (messages, answers):
        folder.mkdir()
    with running(street_fmu) as reference:
        expected = []
        for index, raw in enumerate(islice(open_trace(scenario.trace), N_STEPS)):
            (messages / f"{index:06d}").write_bytes(raw.data)
            expected.append(step(reference, raw.data, index))
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--target", str(site), "fmpy"]
    subprocess.run(pip, check=True, capture_output=True)
    venv.create(tmp_path / "bare", with_pip=False)
    (python,) = (*(tmp_path / "bare").glob("bin/python"), *(tmp_path / "bare").glob("*/python.exe"))
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONHOME"}
    environment |= {"PYTHONPATH": str(site), vendored.CACHE_VARIABLE: str(tmp_path / "cache")}
    command = [str(python), str(MASTER), str(fmu), str(messages), str(answers)]
    reports = []
    for _ in range(2):
        run = subprocess.run(
            command, env=environment, cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert run.returncode == 0, run.stderr
        reports.append(json.loads(run.stdout.splitlines()[-1]))
        assert [path.read_bytes() for path in sorted(answers.iterdir())] == expected
    assert len(expected) == N_STEPS
    for report in reports:
        assert Path(report["numpy"]).is_relative_to(site)  # the host's own, which FMPy needs
        assert Path(report["numba"]).is_relative_to(tmp_path / "cache")
        assert Path(report["osi_lidar"]).is_relative_to(tmp_path / "cache")
    assert reports[0]["compiled"] > 0 == reports[1]["compiled"]
