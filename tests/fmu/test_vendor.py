# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""An FMU with packages inside runs in a Python without them; the host's own go first."""

import json
import os
import subprocess
import sys
import venv
import zipfile
from importlib.metadata import Distribution
from itertools import islice
from pathlib import Path

import pytest
from fmpy.validation import validate_fmu

from fmu_src import trust, vendored
from fmu_src.errors import BuildError
from fmu_src.exporter import build_fmu, vendoring
from fmu_src.exporter.rebuilt_wheel import rebuilt_wheel
from osi_bridge import FrameDecoder, open_trace
from osi_lidar.config import load_config
from osi_lidar.model import LidarModel
from osi_lidar.run.example_scene import street
from tests.builders.refusals import one_line
from tests.commands import assert_one_line
from tests.commands import run as run_command
from tests.fmu.driving import without_times

REPOSITORY = Path(__file__).resolve().parents[2]
MASTER = Path(__file__).with_name("bare_master.py")
N_STEPS = 10
MOST_BYTES = 200e6
TABLE_DIGEST = "UhhskzmT2kCCs83HxAu0v3NbOR_1Si73jAN92mw4poA"


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
    with one_line(ImportError, match=r"contains packages for cpython-27 amiga.*absent"):
        vendored.activate(wheels.parent)


def test_without_a_folder_of_the_user_packages_are_unpacked_beside_the_wheels(wheels, cache):
    cache.write_text("a file, no folder")
    vendored.activate(wheels.parent)
    assert sys.path[-1] == str(wheels / "0123")


@pytest.mark.skipif(sys.platform == "win32", reason="folders have no modes there")
@pytest.mark.parametrize("place", [".", "0123"])
def test_packages_in_a_folder_that_others_may_write_are_not_imported(wheels, cache, place, caplog):
    planted = cache / "0123" / "osi_lidar_absent.py"
    planted.parent.mkdir(parents=True)
    planted.write_text("raise SystemExit")
    (cache / place).chmod(0o777)
    vendored.activate(wheels.parent)
    assert sys.path[-1] == str(wheels / "0123")
    assert f"chmod go-w {(cache / place).resolve()}" in caplog.text


@pytest.mark.skipif(sys.platform == "win32", reason="folders have no modes there")
def test_packages_are_unpacked_for_their_user_alone(wheels, cache):
    before = os.umask(0)
    try:
        vendored.activate(wheels.parent)
    finally:
        os.umask(before)
    assert [each.stat().st_mode & 0o777 for each in (cache, cache / "0123")] == [0o700, 0o700]


def test_an_fmu_has_the_rule_of_folders_before_it_finds_packages(tmp_path):
    (built,) = build_fmu(out=tmp_path)
    with zipfile.ZipFile(built.path) as file:
        (name,) = (each for each in file.namelist() if each.endswith("/trust.py"))
        assert file.read(name) == (REPOSITORY / "lidar_base/caches/trust.py").read_bytes()
    names = vars(trust)["__all__"]
    assert all(getattr(trust, each).__module__ == "lidar_base.caches.trust" for each in names)


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


def installed(site):
    """Return a distribution of a package with data, as an installer leaves it."""
    metadata = site / "thing_of_ours-1.2.dist-info"
    files = {
        "thing/__init__.py": "answer = 42\n",
        "thing/data/table.csv": "1,2\n",
        "thing/__pycache__/__init__.cpython-311.pyc": "",
        f"{metadata.name}/METADATA": "Metadata-Version: 2.1\nName: thing-of-ours\nVersion: 1.2\n",
        f"{metadata.name}/WHEEL": "Wheel-Version: 1.0\nGenerator: hand\n"
        "Root-Is-Purelib: true\nTag: py3-none-any\n",
        f"{metadata.name}/entry_points.txt": "[console_scripts]\nthing = thing:answer\n",
        f"{metadata.name}/INSTALLER": "pip\n",
        "../bin/thing": "#!/old/python\n",
    }
    for name, content in files.items():
        (site / name).parent.mkdir(parents=True, exist_ok=True)
        (site / name).write_text(content)
    listed = [*files, f"{metadata.name}/RECORD"]
    (metadata / "RECORD").write_text("".join(f"{name},,\n" for name in listed))
    return Distribution.at(metadata)


def test_an_installed_package_becomes_the_wheel_that_it_came_from(tmp_path):
    wheel = rebuilt_wheel(installed(tmp_path / "lib" / "site"), tmp_path)
    assert wheel.name == "thing_of_ours-1.2-py3-none-any.whl"
    with zipfile.ZipFile(wheel) as file:
        assert sorted(file.namelist()) == [
            "thing/__init__.py",
            "thing/data/table.csv",
            "thing_of_ours-1.2.dist-info/METADATA",
            "thing_of_ours-1.2.dist-info/RECORD",
            "thing_of_ours-1.2.dist-info/WHEEL",
            "thing_of_ours-1.2.dist-info/entry_points.txt",
        ]
        record = file.read("thing_of_ours-1.2.dist-info/RECORD").decode().splitlines()
    # sha256 of "1,2\n", in base64 for URLs without padding
    assert f"thing/data/table.csv,sha256={TABLE_DIGEST},4" in record
    target = tmp_path / "again"
    command = [sys.executable, "-m", "pip", "install", "--no-index", "--no-deps", "--target"]
    subprocess.run([*command, str(target), str(wheel)], check=True, capture_output=True)
    assert (target / "thing" / "__init__.py").read_text() == "answer = 42\n"
    assert (target / "bin" / "thing").is_file()


def test_the_same_installation_gives_the_same_wheel(tmp_path):
    found = installed(tmp_path / "lib" / "site")
    (tmp_path / "again").mkdir()
    first, second = rebuilt_wheel(found, tmp_path), rebuilt_wheel(found, tmp_path / "again")
    assert first.read_bytes() == second.read_bytes()


def test_an_incomplete_installation_is_refused_in_one_line(tmp_path):
    found = installed(tmp_path / "lib" / "site")
    (tmp_path / "lib" / "site" / "thing" / "data" / "table.csv").unlink()
    with pytest.raises(BuildError, match=r"table\.csv: No such file .* again$"):
        rebuilt_wheel(found, tmp_path)
    (tmp_path / "lib" / "site" / "thing_of_ours-1.2.dist-info" / "RECORD").unlink()
    with pytest.raises(BuildError, match="without a list of its files: install it with pip"):
        rebuilt_wheel(found, tmp_path)


def test_modules_in_the_working_folder_are_not_run(tmp_path, monkeypatch):
    for name in ("pip.py", "runpy.py"):
        (tmp_path / name).write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\n")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(BuildError, match="pip wheel"):
        vendoring._run_pip(tmp_path / "absent", tmp_path / "wheels")
    assert not (tmp_path / "ran").exists()


def test_without_pip_nothing_is_vendored(tmp_path, monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    result = run_command("fmu", "build", "--vendor", "--out", tmp_path)
    assert_one_line(result, 2, "pip is not installed", sys.executable)


@pytest.fixture
def environment(tmp_path):
    """Return the variables of a process that has FMPy and no other package of this Python."""
    site = tmp_path / "site"
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--target", str(site), "fmpy"]
    subprocess.run(pip, check=True, capture_output=True)
    left_out = {"PYTHONHOME", "NUMBA_CACHE_DIR"}  # the last would have all kernels already
    others = {name: value for name, value in os.environ.items() if name not in left_out}
    return {
        **others,
        "PYTHONPATH": str(site),
        vendored.CACHE_VARIABLE: str(tmp_path / "cache"),
    }


def bare_python(folder):
    """Return the Python of a new environment without packages."""
    venv.create(folder, with_pip=False)
    (python,) = (*folder.glob("bin/python"), *folder.glob("*/python.exe"))
    return python


def fmus_of_a_wheel(folder):
    """Install the wheel in an environment of its own, and build FMUs there, as a user does."""
    hatchling = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(hatchling, cwd=REPOSITORY, check=True, capture_output=True)
    (wheel,) = folder.glob("*.whl")
    python = bare_python(folder / "user")
    pip = [sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet"]
    subprocess.run([*pip, "pip", str(wheel)], check=True, capture_output=True)
    command = [str(python), "-m", "osi_lidar", "fmu", "build", "--vendor", "--fmi", "both"]
    command += ["--config", str(street().config), "--out", str(folder)]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    return sorted(folder.glob("*.fmu"))


def fmus_of_the_clone(folder):
    built = build_fmu(config=street().config, out=folder, fmi="both", with_packages=True)
    return sorted(each.path for each in built)


@pytest.mark.slow
@pytest.mark.parametrize("build", [fmus_of_the_clone, fmus_of_a_wheel])
def test_vendored_fmus_give_the_same_bytes_in_a_python_without_packages(
    build, environment, tmp_path
):
    (tmp_path / "fmu").mkdir()
    fmus = build(tmp_path / "fmu")
    assert [fmu.name for fmu in fmus] == ["OsiLidar.fmi3.fmu", "OsiLidar.fmu"]
    messages, answers = tmp_path / "messages", tmp_path / "answers"
    for folder in (messages, answers):
        folder.mkdir()
    model, decoder = LidarModel(load_config(street().config)), FrameDecoder("SensorView")
    expected = []
    for index, raw in enumerate(islice(open_trace(street().trace), N_STEPS)):
        (messages / f"{index:06d}").write_bytes(raw.data)
        expected.append(without_times(model.step(decoder.decode(raw.data, index)).sensor_data))
    python = bare_python(tmp_path / "bare")
    reports = []
    for fmu in (*fmus, *fmus):
        assert fmu.stat().st_size < MOST_BYTES
        assert validate_fmu(str(fmu)) == []
        command = [str(python), str(MASTER), str(fmu), str(messages), str(answers)]
        run = subprocess.run(
            command, env=environment, cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert run.returncode == 0, run.stderr
        reports.append(json.loads(run.stdout.splitlines()[-1]))
        given = [without_times(path.read_bytes()) for path in sorted(answers.iterdir())]
        assert given == expected
    for report in reports:
        # the host's own, which FMPy needs, and those of the FMU
        assert Path(report["numpy"]).is_relative_to(environment["PYTHONPATH"])
        assert Path(report["numba"]).is_relative_to(tmp_path / "cache")
        assert Path(report["osi_lidar"]).is_relative_to(tmp_path / "cache")
    assert reports[0]["compiled"] > 0
    assert [report["compiled"] for report in reports[1:]] == [0, 0, 0]
