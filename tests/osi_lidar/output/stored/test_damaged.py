# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Runs that are damaged, or not what they say: one line, and nothing is written elsewhere."""

import json
import shutil

import numpy as np
import pytest

from osi_lidar.clouds.pcd import read_pcd, write_pcd
from osi_lidar.errors import InputError
from osi_lidar.output.stored import input_messages, open_run
from tests.builders.runs import make_run
from tests.commands import assert_one_line, run

OUTSIDE = "../../outside"


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    return make_run(tmp_path_factory.mktemp("whole"))


@pytest.fixture
def folder(whole, tmp_path):
    return shutil.copytree(whole, tmp_path / "run")


def change_report(folder, change):
    path = folder / "run.json"
    report = json.loads(path.read_text())
    change(report)
    path.write_text(json.dumps(report))


def change_table(folder, column, value):
    """Give the first scan another value in frames.csv."""
    path = folder / "frames.csv"
    head, first, *others = path.read_text().splitlines()
    cells = dict(zip(head.split(","), first.split(","), strict=True)) | {column: value}
    path.write_text("\n".join([head, ",".join(cells.values()), *others, ""]))


@pytest.mark.parametrize("name", [OUTSIDE, "", ".", "/outside", "a b", "frames.csv", 7, None])
def test_a_sensor_is_never_a_way_out_of_the_folder(name, folder):
    change_report(folder, lambda report: report["config"]["sensors"][0].update(name=name))
    with pytest.raises(InputError, match=r"run\.json: has no list `config\.sensors` with names"):
        open_run(folder)


def test_a_table_of_other_sensors_than_the_configuration_writes_nothing(folder, tmp_path):
    change_table(folder, "sensor", OUTSIDE)
    result = run("export", "npy", folder, "--out", tmp_path / "new" / "out")
    assert_one_line(result, 2, "frames.csv: got sensor", OUTSIDE, "expected one of front, left")
    assert not (tmp_path / "outside").exists()
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("frame", 2**32),
        ("time_ns", 2**63),
        ("scan_begin_ns", -(2**63)),
        ("scan_end_ns", 10**30),
        ("file", "front/\0.pcd"),
    ],
)
def test_numbers_that_no_run_has_are_damage(column, value, folder):
    change_table(folder, column, str(value))
    with pytest.raises(InputError, match=r"frames\.csv"):
        open_run(folder)


def test_clouds_without_the_fields_of_a_run_are_one_line(folder, tmp_path):
    path = folder / "front" / "000000.pcd"
    points = read_pcd(path)
    kinds = {name: points.dtype[name] for name in points.dtype.names}
    for changed, words in (
        ({name: kind for name, kind in kinds.items() if name != "ring"}, "has no field ring"),
        (kinds | {"object_id": "<f4"}, "field object_id has the type float32"),
        (kinds | {"echo": "<f4"}, "field echo has the type float32"),
    ):
        write_pcd(path, np.zeros(len(points), [*changed.items()]))
        for form in ("npy", "e57"):
            out = tmp_path / "out"
            result = run("export", form, folder, "--sensor", "front", "--out", out)
            assert_one_line(result, 2, "000000.pcd", words)
            assert not out.exists()
    lit = np.zeros(len(points), [*(kinds | {"near_ir": "<f4"}).items()])
    lit["near_ir"][-1] = np.nan
    write_pcd(path, lit)
    with pytest.raises(InputError, match="field near_ir has values that are not finite"):
        next(open_run(folder).scans).points()
    write_pcd(path, np.full(len(points), 9, [*(kinds | {"origin": "u1"}).items()]))
    with pytest.raises(InputError, match="field origin: got 9, expected 0 to"):
        next(open_run(folder).scans).points()


def test_materials_that_the_run_does_not_list_have_no_name(folder, tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    change_report(folder, lambda report: report.update(materials=["concrete"]))
    assert run("export", "parquet", folder, "--out", tmp_path / "a.parquet").exit_code == 0
    table = parquet.read_table(tmp_path / "a.parquet")
    assert set(table["material"].to_pylist()) <= {"concrete", ""}


@pytest.mark.parametrize("mounting", [None, 5, {"x_m": "far"}])
@pytest.mark.parametrize("form", ["ros2", "mcap"])
def test_a_mounting_that_no_sensor_can_have_is_one_line(form, mounting, folder, tmp_path):
    change_report(folder, lambda report: report["config"]["sensors"][0].update(mounting=mounting))
    out = tmp_path / "out.mcap"
    result = run("export", form, folder, "--out", out)
    assert_one_line(result, 2, "run.json: sensor front has no usable mounting")
    assert not out.exists()


def test_info_on_a_report_of_odd_types_shows_what_can_be_shown(folder):
    change_report(folder, lambda report: report.update(input=[], fallbacks=5, points={"a": 1}))
    result = run("info", folder)
    assert result.exit_code == 0, result.output
    assert "front" in result.stdout


def test_a_trace_that_is_another_one_now_is_told(folder, whole, tmp_path):
    trace = tmp_path / "drive.osi"
    data = (whole.parent / "drive.osi").read_bytes()
    change_report(folder, lambda report: report["input"].update(file=str(trace)))
    first = 4 + int.from_bytes(data[:4], "little")
    for content, words in (
        (data[:first], "has no message 1; the run was made from another"),
        (data[:first] * 3, r"message 1 has the time 0 ns, expected 100000000 ns; the run was"),
        (b"no trace at all", "drive.osi"),
    ):
        trace.write_bytes(content)
        with pytest.raises(InputError, match=words):
            list(input_messages(open_run(folder)))
    trace.write_bytes(data[:first])
    result = run("view", folder, "--no-open")
    assert result.exit_code == 0, result.output
    assert "has no boxes of objects" in " ".join(result.stderr.split())


@pytest.mark.parametrize("seconds", [2**31, -(2**31) - 1])
def test_times_that_ros_cannot_hold_are_one_line(seconds, folder, tmp_path):
    for column in ("time_ns", "scan_begin_ns", "scan_end_ns"):
        change_table(folder, column, str(seconds * 10**9))
    result = run("export", "ros2", folder, "--out", tmp_path / "bag")
    assert_one_line(result, 2, f"time {seconds} s: expected less than 2**31 s")
    assert not (tmp_path / "bag").exists()
