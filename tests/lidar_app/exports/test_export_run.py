# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Exports are complete or absent, lose nothing that was there, and say in a line what is wrong."""

import builtins
import json
import signal
import subprocess
import sys

import pytest

from lidar_app.exports.export_run import ExportFormat, export_run
from osi_lidar.errors import OutputError
from tests.builders.runs import make_run
from tests.commands import assert_one_line, run

FORMATS = {
    "ros2": "rosbags",
    "laz": "laspy",
    "ouster": "ouster",
    "e57": "pye57",
    "parquet": "pyarrow",
}
FOLDERS = ("npy", "ros2")
WRITES_FOR_EVER = """
import time
import lidar_app.exports.npy
from osi_lidar.__main__ import main

def write(export):
    export.path.mkdir()
    print("writing", flush=True)
    while True:
        time.sleep(0.01)  # one long sleep misses a signal just before it

lidar_app.exports.npy.write_npy = write
main()
"""


def export(form, folder, out, *options):
    return run("export", form, folder, "--out", out, *options)


def test_the_last_line_says_how_much_was_written_and_where(folder, stored, tmp_path):
    out = tmp_path / "arrays"
    result = export("npy", folder, out)
    assert result.exit_code == 0, result.output
    points = sum(len(scan.points()) for scan in stored.scans if scan.row.frame != 1)
    files = [path for path in out.rglob("*.*") if path.name != "export.json"]
    sizes = sum(path.stat().st_size for path in files)
    (line,) = result.stdout.splitlines()
    assert line.startswith(f"4 clouds, {points:,} points, {1e-6 * sizes:.1f} MB, ")
    assert line.endswith(f" s: {out}")
    assert not list(tmp_path.glob(".*"))


def test_a_folder_tells_what_it_holds(folder, stored, tmp_path):
    assert export("npy", folder, tmp_path / "arrays").exit_code == 0
    content = json.loads((tmp_path / "arrays" / "export.json").read_text())
    assert content["format"] == "npy"
    assert content["sensors"] == ["front", "left"]
    assert tuple(content["materials"]) == stored.materials
    assert content["files"] == sorted(
        ["index.csv", *(f"{name}/00000{n}.npy" for name in ("front", "left") for n in (0, 2))]
    )


@pytest.mark.parametrize("form", FOLDERS)
def test_a_folder_that_exists_is_replaced_only_if_an_export_wrote_all_of_it(form, folder, tmp_path):
    out = tmp_path / "out"
    out.mkdir()
    chosen = ("--sensor", "front")
    assert export(form, folder, out, *chosen).exit_code == 0  # it was empty
    assert_one_line(export(form, folder, out, *chosen), 2, out, "exists", "--overwrite")
    (out / "predictions").mkdir()
    assert export(form, folder, out, *chosen, "--frames", "2:3", "--overwrite").exit_code == 0
    (out / "mine.txt").write_text("kept")
    result = export(form, folder, out, *chosen, "--overwrite")
    assert_one_line(result, 2, out, "mine.txt", "not replaced")
    assert (out / "mine.txt").read_text() == "kept"
    assert not list(tmp_path.glob(".*"))


def test_a_file_that_exists_is_replaced_only_when_asked(folder, tmp_path):
    out = tmp_path / "drive.parquet"
    out.write_text("kept")
    assert_one_line(export("parquet", folder, out), 2, out, "exists")
    assert out.read_text() == "kept"
    assert export("parquet", folder, out, "--overwrite").exit_code == 0
    assert out.read_bytes()[:4] == b"PAR1"


def test_a_file_in_place_of_a_folder_and_the_other_way_round_is_one_line(folder, tmp_path):
    (tmp_path / "file").write_text("")
    (tmp_path / "folder").mkdir()
    result = export("npy", folder, tmp_path / "file", "--overwrite")
    assert_one_line(result, 2, "is a file, expected the name of a folder")
    result = export("e57", folder, tmp_path / "folder", "--overwrite")
    assert_one_line(result, 2, "is a folder, expected the name of a file")


def test_the_run_itself_is_never_replaced(folder):
    result = export("npy", folder, folder, "--overwrite")
    assert_one_line(result, 2, folder, "which no export wrote, so the folder is not replaced")
    result = export("parquet", folder, folder / "frames.csv", "--overwrite")
    assert_one_line(result, 2, "frames.csv: is an input")
    result = export("parquet", folder, folder.parent / "drive.osi", "--overwrite")
    assert_one_line(result, 2, "drive.osi: is an input")


@pytest.mark.parametrize(("form", "package"), FORMATS.items())
def test_a_missing_library_is_one_line_that_says_how_to_install_it(
    form, package, folder, tmp_path, monkeypatch
):
    def refused(name, *arguments, **more):
        if name.partition(".")[0] == package:
            raise ImportError(name)
        return real(name, *arguments, **more)

    real = builtins.__import__
    monkeypatch.setattr("importlib.import_module", refused)
    monkeypatch.setattr("lidar_app.exports.export_run.import_module", refused)
    monkeypatch.setattr(builtins, "__import__", refused)
    result = export(form, folder, tmp_path / "out", "--sensor", "front")
    assert_one_line(result, 2, f"pip install 'osi-lidar[{form}]'")
    assert not list(tmp_path.iterdir())


def test_a_run_without_clouds_is_one_line(tmp_path):
    bare = make_run(tmp_path, output={"pcd": "none"})
    result = export("npy", bare, tmp_path / "out")
    assert_one_line(result, 2, bare, "has no clouds (was it run with output.pcd: none?)")


def test_wrong_options_are_one_line(folder, tmp_path):
    out = tmp_path / "out"
    result = export("ros2", folder, out, "--layout", "pcl")
    assert_one_line(result, 2, "--layout: got 'pcl', expected xyzirt or autoware")
    result = export("ros2", folder, out, "--storage", "bag")
    assert_one_line(result, 2, "--storage: got 'bag', expected sqlite3 or mcap")
    result = export("npy", folder, out, "--sensor", "frnt")
    assert_one_line(result, 2, "got sensor 'frnt', expected one of front, left", "'front'")
    assert_one_line(
        export("npy", folder, out, "--frames", "9:10"), 2, "has no frames in the chosen range"
    )
    assert_one_line(export("npy", tmp_path, out), 2, "expected the folder of a run")
    for form in ("semantickitti", "kitti", "ouster"):
        result = export(form, folder, out)
        assert_one_line(result, 2, "front, left", "holds one", "--sensor NAME")
    assert not out.exists()


def test_an_export_that_appears_meanwhile_is_not_replaced(stored, tmp_path):
    out = tmp_path / "out.bin"

    def write(export):
        export.path.write_text("mine")
        out.write_text("of another process")

    with pytest.raises(OutputError, match="exists"):
        export_run(stored, ExportFormat(name="any", write=write), out)
    assert out.read_text() == "of another process"
    assert [each.name for each in tmp_path.iterdir()] == ["out.bin"]


def test_links_and_pipes_of_others_in_a_folder_keep_it(folder, tmp_path):
    out = tmp_path / "out"
    assert export("npy", folder, out).exit_code == 0
    (out / "link").symlink_to(tmp_path / "absent")
    assert_one_line(export("npy", folder, out, "--overwrite"), 2, "not replaced", "link")
    assert (out / "link").is_symlink()


def test_an_earlier_export_stays_if_the_new_one_cannot_come_to_its_place(
    folder, tmp_path, monkeypatch
):
    out = tmp_path / "out"
    assert export("npy", folder, out, "--sensor", "left").exit_code == 0

    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("pathlib.Path.replace", interrupted)
    assert_one_line(export("npy", folder, out, "--overwrite"), 130, "interrupted")
    assert json.loads((out / "export.json").read_text())["sensors"] == ["left"]
    assert not list(tmp_path.glob(".*"))


@pytest.mark.long
@pytest.mark.skipif(sys.platform == "win32", reason="Windows cannot ask a process to end")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_export_that_is_asked_to_end_leaves_nothing(folder, tmp_path, number):
    arguments = ["export", "npy", folder, "--out", tmp_path / "out"]
    with subprocess.Popen(
        [sys.executable, "-c", WRITES_FOR_EVER, *arguments],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        assert process.stdout.readline() == "writing\n"
        process.send_signal(number)
        assert process.wait(60) == 130
        assert process.stderr.read() == "osi-lidar: interrupted\n"
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("form", ["npy", "parquet", "mcap"])
def test_a_place_without_a_name_is_one_line(form, folder, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert_one_line(export(form, folder, "."), 2, ".: expected")
    assert not list(tmp_path.iterdir())
