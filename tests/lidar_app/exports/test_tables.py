# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Arrays, Parquet tables and E57 files are read back by numpy, pyarrow and pye57."""

import csv
import json
import shutil

import numpy as np
import pye57
import pytest
from pyarrow import parquet

from osi_lidar.clouds.origins import ORIGINS
from osi_lidar.output.accumulation import accumulate
from tests.builders.files import files_at_most
from tests.commands import assert_one_line, run
from tests.lidar_app.exports.conftest import times_ns


def test_arrays_are_the_clouds_and_the_table_leads_to_them(full_folder, full, tmp_path):
    result = run("export", "npy", full_folder, "--out", tmp_path / "a")
    assert result.exit_code == 0, result.output
    with (tmp_path / "a" / "index.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    scans = list(full.scans)
    assert len(rows) == len(scans) == 6
    for row, scan in zip(rows, scans, strict=True):
        points, expected = np.load(tmp_path / "a" / row["file"]), scan.points()
        assert points.dtype == expected.dtype
        assert (points == expected).all()
        assert int(row["points"]) == len(points)
        of_row = scan.row
        numbers = (of_row.frame, of_row.time_ns, of_row.begin_ns, of_row.end_ns)
        assert [int(row[key]) for key in ("frame", "time_ns", "begin_ns", "end_ns")] == [*numbers]
        assert [float(row[key]) for key in ("x_m", "y_m", "z_m")] == of_row.end_pose[:3].tolist()
        assert float(row["begin_qz"]) == of_row.begin_pose[6]
    assert rows[0]["file"] == rows[2]["file"] == "front/000000.npy"


def test_a_table_has_all_points_with_names_times_and_units(full_folder, full, tmp_path):
    result = run("export", "parquet", full_folder, "--out", tmp_path / "p.parquet")
    assert result.exit_code == 0, result.output
    file = parquet.ParquetFile(tmp_path / "p.parquet")
    scans = list(full.scans)
    assert file.num_row_groups == len(scans)
    for group, scan in enumerate(scans):
        table, points = file.read_row_group(group), scan.points()
        assert table.num_rows == len(points)
        kept = ("x", "y", "z", "intensity", "reflectivity", "range", "ring", "column", "time_ns")
        for name in (*kept, "normal_x", "echo", "n_echoes", "snr", "width_m"):
            assert (table[name].to_numpy() == points[name]).all()
        assert set(table["frame"].to_pylist()) <= {scan.row.frame}
        assert set(table["sensor"].to_pylist()) <= {scan.row.sensor}
        none = np.iinfo(points["object_id"].dtype).max
        ids = [None if each == none else each for each in points["object_id"].tolist()]
        assert table["object_id"].to_pylist() == ids
        named = [full.materials[each] for each in points["material_id"]]
        assert table["material"].to_pylist() == named
        assert table["origin"].to_pylist() == [ORIGINS[each] for each in points["origin"]]
        assert (table["timestamp_ns"].to_numpy() == times_ns(scan, points)).all()
    units = json.loads(file.schema_arrow.metadata[b"units"])
    assert units["x"] == "m"
    assert units["timestamp_ns"] == "ns"
    assert units["intensity"] == "%"


def test_a_sensor_without_a_field_has_nulls_in_its_column(full_folder, folder, tmp_path):
    import shutil

    from osi_lidar.clouds.pcd import read_pcd

    mixed = tmp_path / "mixed"
    shutil.copytree(folder, mixed)
    for name in ("000000", "000002"):  # "left" has echoes, "front" has not
        path = f"left/{name}.pcd"
        shutil.copy(full_folder / path, mixed / path)
    rows = (mixed / "frames.csv").read_text().splitlines()
    names = rows[0].split(",")
    lines = [rows[0]]
    for row in rows[1:]:
        cells = dict(zip(names, row.split(","), strict=True))
        cells["points"] = str(len(read_pcd(mixed / cells["file"])))
        lines.append(",".join(cells.values()))
    (mixed / "frames.csv").write_text("\n".join(lines) + "\n")
    result = run("export", "parquet", mixed, "--out", tmp_path / "m.parquet")
    assert result.exit_code == 0, result.output
    table = parquet.read_table(tmp_path / "m.parquet", columns=["sensor", "snr", "origin"])
    for sensor, snr, origin in zip(*(column.to_pylist() for column in table.columns), strict=True):
        assert (snr is None) == (origin is None) == (sensor == "front")


def test_e57_puts_its_scans_where_accumulation_puts_the_points(full_folder, tmp_path):
    result = run("export", "e57", full_folder, "--out", tmp_path / "d.e57")
    assert result.exit_code == 0, result.output
    file = pye57.E57(str(tmp_path / "d.e57"))
    expected = accumulate(full_folder)
    names = []
    for number in range(file.scan_count):
        header = file.get_header(number)
        names.append(header["name"].value())
        sensor, frame = names[-1].split("/")
        chosen = (expected["sensor"] == sensor) & (expected["frame"] == int(frame))
        found = file.read_scan(number, intensity=True, row_column=True)
        for axis in "xyz":
            off_m = np.abs(found[f"cartesian{axis.upper()}"] - expected[axis][chosen])
            assert off_m.max() < 1e-5  # single precision in the file
        np.testing.assert_allclose(found["intensity"], expected["reflectivity"][chosen])
        assert (found["rowIndex"] == expected["ring"][chosen]).all()
        assert (found["columnIndex"] == expected["column"][chosen]).all()
    file.close()
    assert names == ["front/000000", "left/000000", "front/000002"]  # one of "left" is empty


def test_e57_of_empty_clouds_only_is_one_line(full_folder, tmp_path):
    options = ("--sensor", "left", "--frames", "2:3")
    result = run("export", "e57", full_folder, "--out", tmp_path / "d.e57", *options)
    assert_one_line(result, 2, "all clouds are empty")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("form", ["laz", "npy", "ros2", "semantickitti", "kitti", "parquet"])
def test_an_empty_cloud_alone_can_be_written(form, full_folder, tmp_path):
    options = ("--sensor", "left", "--frames", "2:3")
    result = run("export", form, full_folder, "--out", tmp_path / "out", *options)
    assert result.exit_code == 0, result.output
    assert "1 cloud, 0 points, " in result.stdout


@pytest.mark.parametrize("room", [0, 1 << 30])
def test_a_library_that_does_not_tell_of_a_full_disk_is_helped(room, folder, tmp_path, monkeypatch):
    def refuse(*_):
        raise OSError("Failed to call write")

    usage = shutil.disk_usage(tmp_path)._replace(free=room)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage)
    monkeypatch.setattr(np, "save", refuse)
    told = (
        "cannot be written: the disk is full: Failed" if room == 0 else "cannot be written: Failed"
    )
    assert_one_line(run("export", "npy", folder, "--out", tmp_path / "out"), 2, told)


@pytest.mark.parametrize("form", ["e57", "laz", "ros2", "parquet", "npy"])
def test_a_full_disk_is_one_line(form, folder, tmp_path):
    with files_at_most(4096):
        result = run("export", form, folder, "--out", tmp_path / "out")
    assert_one_line(result, 2, "out: cannot be written")
    assert not list(tmp_path.iterdir())
