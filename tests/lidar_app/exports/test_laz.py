# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""LAZ files are read back by laspy, field by field."""

import json
import shutil

import laspy
import numpy as np
import pytest

from lidar_app.exports.laz import EXTRA
from osi_lidar.clouds.pcd import read_pcd, write_pcd
from osi_lidar.output.accumulation import accumulate
from tests.builders.runs import make_run
from tests.commands import run
from tests.lidar_app.exports.conftest import times_ns

EXACT = ("object_id", "material_id", "reflectivity", "ring", "column", "range")
OF_RECEIVER = ("snr", "width_m", "origin")


def about(file):
    (record,) = file.evlrs
    assert (record.user_id, record.record_id) == ("osi-lidar", 1)
    return json.loads(record.record_data)


def test_each_cloud_is_a_file_once_in_the_sensors_frame(full_folder, full, tmp_path):
    out = tmp_path / "clouds"
    result = run("export", "laz", full_folder, "--out", out)
    assert result.exit_code == 0, result.output
    names = [f"{sensor}/00000{n}" for sensor in ("front", "left") for n in (0, 2)]
    found = sorted(path.relative_to(out).as_posix() for path in out.rglob("*.laz"))
    assert found == [f"{name}.laz" for name in names]
    scans = {f"{s.row.sensor}/{s.path.stem}": s for s in full.scans if s.row.frame != 1}
    for name in names:
        check(laspy.read(out / f"{name}.laz"), scans[name], full)


def check(file, scan, full):
    """Hold a file against its scan."""
    points = scan.points()
    header = file.header
    assert (str(header.version), header.point_format.id) == ("1.4", 6)
    assert header.scales.tolist() == [1e-3] * 3
    assert len(file.points) == len(points)
    for axis in "xyz":
        off_m = np.abs(np.asarray(file[axis]) - points[axis])
        assert off_m.max(initial=0.0) <= 0.5e-3 + 1e-6  # whole millimetres
    for name in (*EXACT, *OF_RECEIVER):
        assert (np.asarray(file[name]) == points[name]).all()
    assert (file.return_number == points["echo"] + 1).all()
    assert (file.number_of_returns == points["n_echoes"]).all()
    assert np.abs(np.asarray(file.intensity) / 655.35 - points["intensity"]).max(initial=0) < 1e-3
    np.testing.assert_allclose(np.asarray(file.gps_time), 1e-9 * times_ns(scan, points), atol=1e-12)
    described = about(file)
    assert described["sensor"] == scan.row.sensor
    assert described["frame"] == scan.row.frame
    assert tuple(described["materials"]) == full.materials
    np.testing.assert_allclose(described["world_from_sensor_at_end"], scan.row.end_pose)


def test_an_intensity_beyond_16_bits_is_the_largest(full_folder, tmp_path):
    shutil.copytree(full_folder, tmp_path / "run")
    for path in (tmp_path / "run").glob("*/*.pcd"):
        points = read_pcd(path)
        points["intensity"] = 2e9
        write_pcd(path, points)
    result = run("export", "laz", tmp_path / "run", "--out", tmp_path / "clouds")
    assert result.exit_code == 0, result.output
    assert np.asarray(laspy.read(tmp_path / "clouds/front/000000.laz").intensity).min() == 65535


def test_one_file_holds_all_clouds_where_accumulation_puts_them(full_folder, full, tmp_path):
    out = tmp_path / "drive.laz"
    result = run("export", "laz", full_folder, "--out", out, "--accumulate")
    assert result.exit_code == 0, result.output
    expected = accumulate(full_folder)
    file = laspy.read(out)
    assert len(file.points) == len(expected) > 0
    for axis in "xyz":
        assert np.abs(np.asarray(file[axis]) - expected[axis]).max() <= 0.5e-3 + 1e-6
    for name in (*EXACT, *OF_RECEIVER, "frame"):
        assert (np.asarray(file[name]) == expected[name]).all()
    sensors = about(file)["sensors"]
    assert sensors == ["front", "left"]
    assert [sensors[each] for each in file.point_source_id] == expected["sensor"].tolist()
    by_frame_s = {scan.row.frame: 1e-9 * scan.row.end_ns for scan in full.scans}
    assert max(file.gps_time[expected["frame"] == 2]) <= by_frame_s[2]
    assert max(file.gps_time[expected["frame"] == 0]) == 0.0  # before the first message: an instant


def test_clouds_of_sensors_with_other_fields_share_those_that_both_have(tmp_path):
    mixed = make_run(tmp_path)
    for path in mixed.glob("left/*.pcd"):
        points = read_pcd(path)
        received = np.ones(len(points), [*points.dtype.descr, ("snr", "<f4")])
        for name in points.dtype.names:
            received[name] = points[name]
        write_pcd(path, received)
    result = run("export", "laz", mixed, "--out", tmp_path / "m.laz", "--accumulate")
    assert result.exit_code == 0, result.output
    dimensions = set(laspy.read(tmp_path / "m.laz").point_format.extra_dimension_names)
    assert dimensions == {*EXACT, "frame"}


@pytest.mark.parametrize("name", EXTRA)
def test_what_the_file_says_of_a_field_fits_into_its_32_bytes(name):
    assert len(EXTRA[name].encode()) <= 32
