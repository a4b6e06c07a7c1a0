# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Packets and OSF are read back by ouster-sdk, which puts the points where they were."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from ouster import sdk
from ouster.sdk import core
from scipy.spatial import cKDTree

from lidar_scenery.weather.sunlight import white_radiance
from osi_lidar.clouds.pcd import read_pcd, write_pcd
from osi_lidar.output.stored import open_run
from osi_lidar.sensors.presets import load_preset
from tests.builders.runs import make_run
from tests.builders.worlds import config
from tests.commands import assert_one_line, run
from tests.lidar_app.exports.conftest import recounted, with_echoes

FAR_OFF_M = 1e-3
"""Ranges are whole millimetres."""


def preset(**changes):
    return {"name": "top", "preset": "OS1-32", "columns": 512, "mounting": {"z_m": 2.0}, **changes}


@pytest.fixture(scope="module")
def os1_folder(tmp_path_factory):
    """Return a run of an OS1-32 with 512 columns, three frames of which the second repeats."""
    return make_run(tmp_path_factory.mktemp("os1"), sensors=[preset()])


@pytest.fixture(scope="module")
def exported(os1_folder, tmp_path_factory):
    out = tmp_path_factory.mktemp("ouster") / "out"
    result = run("export", "ouster", os1_folder, "--out", out)
    assert result.exit_code == 0, result.output
    return out


def frames(path):
    """Return the frames of a recording, and the table that the maker computes points with."""
    source = sdk.open_source(str(path))
    found = [each for (each,) in source]
    table = core.XYZLut(source.sensor_info[0], use_extrinsics=False)
    source.close()
    return found, table


def check(frame, table, points, names=("RANGE", "REFLECTIVITY")):
    """Hold the pixels of a return against points, by ring and column."""
    range_mm = np.asarray(frame.field(names[0]))
    row, column = np.nonzero(range_mm)
    order = np.lexsort((column, row))
    row, column = row[order], column[order]
    points = points[np.lexsort((points["column"], points["ring"]))]
    assert len(row) == len(points)
    placed = table(range_mm)[row, column]
    off_m = np.linalg.norm(placed - np.stack([points[axis] for axis in "xyz"], axis=1), axis=1)
    assert off_m.max(initial=0.0) < FAR_OFF_M
    expected = np.rint(np.minimum(100.0 * points["reflectivity"], 255.0))
    assert (np.asarray(frame.field(names[1]))[row, column] == expected).all()


@pytest.mark.parametrize("suffix", ["pcap", "osf"])
def test_a_recording_has_the_points_and_times_of_the_scans(suffix, exported, os1_folder):
    found, table = frames(exported / f"top.{suffix}")
    scans = list(open_run(os1_folder).scans)
    assert len(found) == len(scans) == 3  # the second repeats the first one's cloud
    for frame, scan in zip(found, scans, strict=True):
        points = scan.points()
        assert (frame.h, frame.w) == (32, 512)
        assert (np.asarray(frame.status) & 1).all()
        check(frame, table, points)
        stamps = np.asarray(frame.timestamp).astype(np.int64)
        row = scan.row
        share = np.arange(512) / 512
        expected = row.begin_ns + share * (row.end_ns - row.begin_ns)
        assert np.abs(stamps - expected).max() <= 1.0
        if row.begin_ns < row.end_ns:  # what the points say themselves
            off_ns = stamps[points["column"]] - row.begin_ns - points["time_ns"].astype(np.int64)
            assert np.abs(off_ns).max() <= 1
        figures = load_preset("OS1-32")
        signal = figures.reports.photons(
            points["reflectivity"], points["range"], figures.near_field
        )
        got = np.asarray(frame.field("SIGNAL"))[points["ring"], points["column"]]
        assert np.abs(got - signal).max() <= 1.0
        assert not np.asarray(frame.field("NEAR_IR")).any()


@pytest.mark.parametrize("suffix", ["pcap", "osf"])
def test_ambient_light_is_that_of_the_nearest_echoes_in_counts(suffix, tmp_path):
    """A grey of R % that faces the sun has R % of a white one's counts, see its preset."""
    lit = make_run(tmp_path, sensors=[preset(near_ir=True)])
    for path in lit.glob("*/*.pcd"):
        write_pcd(path, with_echoes(read_pcd(path)))
    table = lit / "frames.csv"
    table.write_text(recounted(lit, table.read_text().splitlines()))
    result = run("export", "ouster", lit, "--out", tmp_path / "out")
    assert result.exit_code == 0, result.output
    found, _ = frames(tmp_path / "out" / f"top.{suffix}")
    figures = load_preset("OS1-32")
    for frame, scan in zip(found, open_run(lit).scans, strict=True):
        points = scan.points()
        nearest = points[points["echo"] == 0]
        counts = np.zeros((32, 512))
        share = nearest["near_ir"].astype(float) / white_radiance(figures.wavelength_nm)
        counts[nearest["ring"], nearest["column"]] = figures.reports.near_ir_white * share
        got = np.asarray(frame.field("NEAR_IR"))
        assert got.any()
        assert np.abs(got - counts).max() <= 0.5


def test_ambient_light_of_a_window_of_columns_is_at_the_points_of_the_window(exported, tmp_path):
    first, last = 96, 351  # of 512
    metadata = json.loads((exported / "top.json").read_text())
    metadata["lidar_data_format"]["column_window"] = [first, last]
    file = tmp_path / "unit.json"
    file.write_text(json.dumps(metadata))
    figures = load_preset("OS1-32")
    keys = {"near_ir": True, "wavelength_nm": figures.wavelength_nm}
    lit = make_run(tmp_path, sensors=[{**calibrated(file), **keys}])
    result = run("export", "ouster", lit, "--out", tmp_path / "out")
    assert result.exit_code == 0, result.output
    found, _ = frames(tmp_path / "out" / "top.osf")
    for frame, scan in zip(found, open_run(lit).scans, strict=True):
        points = scan.points()
        assert (points["column"].min(), points["column"].max()) == (0, last - first)
        share = points["near_ir"].astype(float) / white_radiance(figures.wavelength_nm)
        counts = np.zeros((32, 512))
        counts[points["ring"], first + points["column"]] = figures.reports.near_ir_white * share
        got = np.asarray(frame.field("NEAR_IR"))
        assert got.any()
        assert np.abs(got - counts).max() <= 0.5


def test_ambient_light_beyond_what_packets_hold_is_the_most_they_hold(exported, tmp_path):
    """Packets of 8 bits have steps of 16 counts."""
    text = (exported / "top.json").read_text()
    file = tmp_path / "unit.json"
    file.write_text(text.replace("RNG19_RFL8_SIG16_NIR16", "RNG15_RFL8_NIR8"))
    bright = make_run(tmp_path, sensors=[{**calibrated(file), "near_ir": True}])
    for path in bright.glob("*/*.pcd"):
        points = read_pcd(path)
        points["near_ir"] *= 100.0
        write_pcd(path, points)
    result = run("export", "ouster", bright, "--out", tmp_path / "out")
    assert result.exit_code == 0, result.output
    for frame in frames(tmp_path / "out" / "top.pcap")[0]:
        assert set(np.unique(frame.field("NEAR_IR"))) == {0, 255 * 16}


def test_a_drawn_unit_has_its_angles_and_photons(tmp_path):
    keys = preset(preset="OS1-128", unit="drawn")
    unit = make_run(tmp_path, sensors=[keys])
    result = run("export", "ouster", unit, "--out", tmp_path / "out")
    assert result.exit_code == 0, result.output
    drawn = config(sensors=[keys]).sensors[0].drawn_unit
    found, table = frames(tmp_path / "out" / "top.pcap")
    points = next(iter(open_run(unit).scans)).points()
    check(found[0], table, points)
    figures = load_preset("OS1-128")
    metadata = json.loads((tmp_path / "out" / "top.json").read_text())["beam_intrinsics"]
    expected_deg = np.add(figures.channels.elevation_deg, drawn.elevation_deg)
    np.testing.assert_allclose(metadata["beam_altitude_angles"], expected_deg, atol=1e-3)
    photons = figures.reports.photons(points["reflectivity"], points["range"], figures.near_field)
    got = np.asarray(found[0].field("SIGNAL"))[points["ring"], points["column"]]
    assert np.abs(got - drawn.signal * photons).max() <= 1.0


@pytest.mark.parametrize("seed", [None, "x", -3, True])
def test_a_seed_that_is_none_is_one_line(seed, tmp_path):
    unit = make_run(tmp_path, sensors=[preset(preset="OS1-128", unit="drawn")])
    report = json.loads((unit / "run.json").read_text())
    (unit / "run.json").write_text(json.dumps({**report, "seed": seed}))
    result = run("export", "ouster", unit, "--out", tmp_path / "out")
    assert_one_line(result, 2, "seed in run.json", "expected a whole number")


def test_no_packet_is_missing(exported):
    found, _ = frames(exported / "top.pcap")
    assert all(frame.complete() for frame in found)
    assert [frame.packet_count for frame in found] == [32] * 3  # 512 columns, 16 a packet


def test_both_echoes_are_in_a_profile_of_two_returns(tmp_path):
    dual = make_run(tmp_path, sensors=[preset(preset="OS1-16")])  # whose beams start at its origin
    for path in dual.glob("*/*.pcd"):
        write_pcd(path, with_echoes(read_pcd(path)))
    table = dual / "frames.csv"
    table.write_text(recounted(dual, table.read_text().splitlines()))
    result = run("export", "ouster", dual, "--out", tmp_path / "out")
    assert result.exit_code == 0, result.output
    found, lut = frames(tmp_path / "out" / "top.pcap")
    for frame, scan in zip(found, open_run(dual).scans, strict=True):
        points = scan.points()
        stamps = np.asarray(frame.timestamp).astype(np.int64)
        assert stamps.min() == max(scan.row.begin_ns, 0)  # no wrap below 0
        assert stamps.max() <= scan.row.end_ns
        check(frame, lut, points[points["echo"] == 0])
        check(frame, lut, points[points["echo"] == 1], ("RANGE2", "REFLECTIVITY2"))
        signal = np.asarray(frame.field("SIGNAL2"))
        second = points[points["echo"] == 1]
        expected = np.rint(1e4 * second["reflectivity"] / second["range"].astype(float) ** 2)
        assert (signal[second["ring"], second["column"]] == expected).all()


def test_echoes_without_room_are_counted(exported, tmp_path, caplog):
    unit = make_run(tmp_path, sensors=[{**calibrated(exported / "top.json")}])
    for path in unit.glob("*/*.pcd"):
        write_pcd(path, with_echoes(read_pcd(path)))
    table = unit / "frames.csv"
    table.write_text(recounted(unit, table.read_text().splitlines()))
    second = sum((scan.points()["echo"] == 1).sum() for scan in open_run(unit).scans)
    result = run("export", "ouster", unit, "--out", tmp_path / "out")
    assert result.exit_code == 0, result.output
    assert f"no room for them: {second}" in caplog.text


def calibrated(file):
    return {"name": "top", "calibration": str(file), "mounting": {"z_m": 2.0}}


def test_metadata_of_another_unit_is_noticed(exported, tmp_path):
    text = (exported / "top.json").read_text()
    file = tmp_path / "unit.json"
    file.write_text(text)
    unit = make_run(tmp_path, sensors=[calibrated(file)])
    assert run("export", "ouster", unit, "--out", tmp_path / "same").exit_code == 0
    assert (tmp_path / "same" / "top.json").read_text() == text
    other = json.loads(text)
    angles = other["beam_intrinsics"]["beam_altitude_angles"]
    other["beam_intrinsics"]["beam_altitude_angles"] = [angle + 1.0 for angle in angles]
    file.write_text(json.dumps(other))
    result = run("export", "ouster", unit, "--out", tmp_path / "other")
    assert_one_line(
        result, 2, "the positions that the sensor's metadata gives; has the metadata file changed"
    )
    file.unlink()
    assert_one_line(run("export", "ouster", unit, "--out", tmp_path / "other"), 2, "unit.json")
    assert not (tmp_path / "other").exists()


def test_other_sensors_are_one_line_that_says_what_to_do(folder, tmp_path):
    result = run("export", "ouster", folder, "--out", tmp_path / "out", "--sensor", "front")
    assert_one_line(result, 2, "sensor front: is not an Ouster sensor", "calibration: FILE.json")


@pytest.mark.long
@pytest.mark.parametrize(
    "name",
    [
        "lidar_calib/ouster/3_0_1_os-122246000293-128.json",  # of today's layout, two returns
        "lidar_calib/ouster/2_0_0_os1-992008000494-128_col_win_legacy.json",  # a window of columns
        "lidar_calib/ouster/2_0_rc2_os-992011000121-32U0_legacy.json",  # of the old layout
    ],
)
def test_units_of_the_maker_have_their_points_within_a_millimetre(name, real_data, tmp_path):
    unit = make_run(tmp_path, sensors=[calibrated(real_data / name)])
    result = run("export", "ouster", unit, "--out", tmp_path / "out")
    assert result.exit_code == 0, result.output
    assert (tmp_path / "out" / "top.json").read_text() == (real_data / name).read_text()
    found, table = frames(tmp_path / "out" / "top.pcap")
    for frame, scan in zip(found, open_run(unit).scans, strict=True):
        range_mm = np.asarray(frame.field("RANGE"))
        placed = table(range_mm)[range_mm > 0]
        points = np.stack([scan.points()[axis] for axis in "xyz"], axis=1)
        assert len(placed) == len(points) > 100
        off_m, which = cKDTree(points).query(placed)
        assert off_m.max() < FAR_OFF_M
        assert len(np.unique(which)) == len(points)
        assert frame.complete()


def test_metadata_that_the_maker_refuses_is_one_line(real_data, tmp_path):
    file = (
        real_data / "lidar_calib/ouster/1_13_os1-991937000062-16A0_legacy.json"
    )  # 64 angles of 16
    unit = make_run(tmp_path, sensors=[calibrated(file)])
    result = run("export", "ouster", unit, "--out", tmp_path / "out")
    assert_one_line(result, 2, "sensor top: ouster-sdk cannot read its metadata", "16 elements")


@pytest.mark.slow
def test_the_makers_program_finds_nothing_missing(exported):
    program = Path(sys.executable).with_name("ouster-cli")
    for suffix in ("pcap", "osf"):
        command = [program, "source", exported / f"top.{suffix}", "stats"]
        shown = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        assert "0 missing lidar packets, 0 missing lidar columns" in shown
        assert "Count: 3" in shown


def test_a_full_disk_is_one_line(os1_folder, tmp_path, monkeypatch):
    """OSF's writer would end the process."""
    full = shutil.disk_usage(tmp_path)._replace(free=1 << 10)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: full)
    result = run("export", "ouster", os1_folder, "--out", tmp_path / "out")
    assert_one_line(result, 2, "out: cannot be written: No space left on device")
    assert not list(tmp_path.iterdir())
