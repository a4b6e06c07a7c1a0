# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Where the beams of known sensors start."""

import numpy as np
import pytest
import yaml

from osi_lidar.config import Sensor
from osi_lidar.scan.beams import sensor_source
from osi_lidar.sensors.calibration.reading import read_calibration
from osi_lidar.sensors.channels import BesideOrigin, Channels, OnCircle
from osi_lidar.sensors.presets import load_preset, preset_names

WITH_ORIGINS = ["HDL-64E", "OS0-32", "OS0-64", "OS0-128", "OS1-32"]
WITH_ORIGINS += ["OS1-64-Gen2", "OS0-128-Rev7", "OS1-128-Rev7"]


@pytest.mark.parametrize("name", preset_names())
def test_beams_start_where_the_preset_says(name):
    preset = load_preset(name)
    pattern = preset.pattern()
    assert pattern.has_one_origin == (name not in WITH_ORIGINS)
    assert pattern.origin_m.shape == ((pattern.n_beams, 3) if name in WITH_ORIGINS else (1, 3))
    said = "calibration" in preset.unknown or preset.maker == "Ibeo"
    assert said == (name not in WITH_ORIGINS)


def test_a_level_laser_starts_straight_above_the_origin_and_beside_it():
    origin = BesideOrigin(
        kind="beside_origin",
        vertical_offset_m=(0.2, 0.2),
        horizontal_offset_m=(0.026, 0.0),
        source="none",
    )
    points_m = origin.points_m(np.radians([0.0, -90.0]), np.radians([0.0, 0.0]))
    # the one that looks down has its offset ahead, at right angles to the beam
    np.testing.assert_allclose(points_m, [[0, 0.026, 0.2], [0.2, 0, 0]], atol=1e-12)


@pytest.mark.parametrize(
    "origin",
    [
        {"kind": "beside_origin", "vertical_offset_m": (0.2, 0.1),
         "horizontal_offset_m": (0.026, -0.01)},
        {"kind": "on_circle", "radius_m": 0.03, "height_m": 0.04},
    ],
)  # fmt: skip
def test_beams_start_alike_in_whatever_sense_azimuths_are_counted(origin):
    points_m = [
        Channels(
            angles="nominal",
            elevation_deg=(10.0, -20.0),
            azimuth_offset_deg=(sign * 5.0, sign * -3.0),
            azimuth_offset_positive=sense,
            origin={**origin, "source": "none"},
            source="none",
        ).beam_origin_m()
        for sense, sign in (("clockwise", -1.0), ("counter-clockwise", 1.0))
    ]
    np.testing.assert_array_equal(*points_m)


def test_a_range_counts_from_before_the_circle():
    circle = OnCircle(kind="on_circle", radius_m=0.03, height_m=0.04, source="none")
    points_m = circle.points_m(np.radians([0.0, 90.0]), np.radians([0.0, 0.0]))
    # a level beam counts from the axis; one that looks up, from the radius below the circle
    np.testing.assert_allclose(points_m, [[0, 0, 0.04], [0.03, 0, 0.01]], atol=1e-12)


def test_blocks_of_the_hdl_64e_start_at_their_heights():
    # KITTI, found in its clouds: z = rho tan(v) + V / cos(v) at 1.94, -8.71, -9.03, -25.0 deg
    channels = load_preset("HDL-64E").channels
    up_m = np.array(channels.origin.vertical_offset_m)
    for block, degrees, kitti_m in (
        (slice(0, 32), (1.937, -8.711), (0.2090, 0.1955)),
        (slice(32, 64), (-9.026, -24.999), (0.1243, 0.1052)),
    ):
        line = np.polyfit(channels.elevation_deg[block], up_m[block], 1)
        np.testing.assert_allclose(np.polyval(line, degrees), kitti_m, atol=4e-4)


def test_vertical_offsets_of_the_hdl_64e_are_those_of_a_series_2_at_these_elevations(real_data):
    file = real_data / "lidar_calib" / "velodyne_ros" / "64e_s2.1-sztaki.yaml"
    lasers = yaml.safe_load(file.read_text(encoding="utf-8"))["lasers"]
    lasers.sort(key=lambda laser: laser["laser_id"])
    unit_deg = np.degrees([laser["vert_correction"] for laser in lasers])
    unit_m = np.array([laser["vert_offset_correction"] for laser in lasers])
    channels = load_preset("HDL-64E").channels
    for block in (slice(0, 32), slice(32, 64)):
        line = np.polyfit(unit_deg[block], unit_m[block], 1)
        expected_m = np.polyval(line, channels.elevation_deg[block])
        np.testing.assert_allclose(channels.origin.vertical_offset_m[block], expected_m, atol=6e-5)
    left_m = [laser["horiz_offset_correction"] for laser in lasers]
    np.testing.assert_allclose(np.abs(channels.origin.horizontal_offset_m), np.abs(left_m))


def test_azimuth_offsets_of_the_hdl_64e_are_those_of_the_unit(real_data):
    file = real_data / "lidar_calib" / "velodyne_ros" / "64e_s3-xiesc.yaml"
    offset_deg = np.degrees(read_calibration(file).azimuth_offset_rad)
    np.testing.assert_allclose(
        load_preset("HDL-64E").channels.azimuth_offset_deg, offset_deg, atol=6e-4
    )


@pytest.mark.parametrize(
    ("name", "table", "file"),
    [
        ("OS0-128", "calibrated_example", "../scans/ouster/OS-0-128-U1_v2.3.0_1024x10.json"),
        ("OS1-32", "channels", "ouster/2_0_rc2_os-992011000121-32U0_legacy.json"),
        ("OS0-32", "channels", "ouster/1_14_6cccd_os-882002000138-32U0_legacy.json"),
    ],
)
def test_origins_of_ousters_are_those_of_the_metadata(real_data, name, table, file):
    calibration = read_calibration(real_data / "lidar_calib" / file)
    channels = getattr(load_preset(name), table)
    np.testing.assert_allclose(channels.beam_origin_m(), calibration.beam_origin_m, atol=1e-6)


def test_smaller_ousters_have_rows_of_the_larger():
    rows = {name: load_preset(name).channels for name in WITH_ORIGINS[1:]}
    rows["OS1-128"] = load_preset("OS1-128").channels
    for name, of, step in (
        ("OS0-64", "OS0-128", 2),
        ("OS0-32", "OS0-128", 4),
        ("OS1-32", "OS1-128", 4),
    ):
        for key in ("elevation_deg", "azimuth_offset_deg"):
            assert getattr(rows[name], key) == getattr(rows[of], key)[step - 1 :: step]


def test_naive_intrinsics_have_one_origin():
    naive = sensor_source(Sensor.model_validate({"preset": "HDL-64E", "intrinsics": "naive"}))
    assert naive.has_one_origin


def test_a_turn_that_is_not_the_devices_own_can_be_stated():
    # KITTI: 2144 columns of 0.1679 deg at 9.72 Hz, where the firing clock gives 2143.3
    one = {"preset": "HDL-64E", "rotation_rate_hz": 9.72, "columns": 2144}
    pattern = sensor_source(Sensor.model_validate(one))
    assert pattern.column.max() + 1 == 2144
    assert pattern.period_s == pytest.approx(1 / 9.72)


def test_one_offset_per_laser_is_needed():
    origin = {"kind": "beside_origin", "vertical_offset_m": [0.1], "source": "none"}
    lasers = {"angles": "unit", "elevation_deg": [1], "source": "x"}
    with pytest.raises(ValueError, match="horizontal_offset_m has 0 entries, expected 1"):
        Channels.model_validate({**lasers, "origin": {**origin, "horizontal_offset_m": []}})
