# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Sensors that are known by name and described by keys of the configuration."""

from pathlib import Path

import numpy as np
import pytest

from osi_lidar import LidarModel
from osi_lidar.config import Sensor, default_config
from osi_lidar.errors import ConfigurationError
from osi_lidar.sensors.configured_sensors import plain, ready_names, ready_sensor
from osi_lidar.sensors.presets import load_preset, preset_names
from tests.builders.messages import Thing, frames, host

REPOSITORY = Path(__file__).resolve().parents[3]


def test_ready_sensors_have_other_names_than_presets():
    assert not {plain(name) for name in ready_names()} & {plain(name) for name in preset_names()}


@pytest.mark.long
@pytest.mark.parametrize("name", ready_names())
def test_a_ready_sensor_scans_and_every_figure_of_it_has_a_source(name):
    ready = ready_sensor(name)
    assert ready.name == name
    assert set(ready.sources) == set(ready.sensor) | set(ready.physical)
    config = default_config(name.lower())
    (sensor,) = config.sensors
    assert sensor.name == name
    model = LidarModel(config)
    (frame,) = frames([[host(), Thing(9, (12.0, 0.0, 2.0), dimension_m=(4.0, 2.0, 4.0))]])
    scan = model.step(frame).scans[0]
    assert (scan.cloud.object_id == 9).sum() > 5


@pytest.mark.parametrize(
    ("name", "width_deg", "height_deg", "n_beams"),
    [
        ("Livox-Mid-40", 38.4, 38.4, 10_000),
        ("Livox-Mid-70", 70.4, 70.4, 10_000),
        ("Livox-Avia", 70.4, 77.2, 24_000),
        ("Livox-Mid-360", 360, 59, 20_000),
        ("BlenSor-ToF", 43.6 * 175 / 176, 34.6, 176 * 144),
        ("Aeva-64", 144, 18.7378, 64 * 3051),
        ("RoboSense-E1", 120 * 191 / 192, 90 * 143 / 144, 288 * 96),
    ],
)
def test_fields_of_view_of_ready_sensors_are_those_of_the_devices(
    name, width_deg, height_deg, n_beams
):
    pattern = LidarModel(default_config(name)).lidars[0].pattern
    assert pattern.n_beams == n_beams
    assert np.degrees(np.ptp(pattern.azimuth_rad)) == pytest.approx(width_deg, abs=2.5)
    assert np.degrees(np.ptp(pattern.elevation_rad)) == pytest.approx(height_deg, abs=2.5)


def test_four_beams_draw_the_lines_of_the_fmcw_sensor_from_left_to_right():
    pattern = LidarModel(default_config("Aeva-64")).lidars[0].pattern
    azimuth, elevation = (
        np.degrees(angle.astype(np.float64)).reshape(16, 3051, 4)
        for angle in (pattern.azimuth_rad, pattern.elevation_rad)
    )
    lines = [a + b for a in (-7.8, -3.0, 1.8, 6.6) for b in (0.0, 0.3, 0.6, 0.9)]
    apart = [0.5729578, -1.718873, 1.718873, -0.5729578]
    expected = np.broadcast_to(np.add.outer(lines, apart)[:, None], elevation.shape)
    np.testing.assert_allclose(elevation, expected, atol=1e-5)
    across = np.linspace(72.0, -72.0, 3051)[None, :, None]
    np.testing.assert_allclose(azimuth, np.broadcast_to(across, azimuth.shape), atol=1e-5)


def test_beams_of_the_mid_360_are_those_of_its_table(real_data):
    # The table starts 0.15323 ms before both rotations have the angles of time 0.
    table = np.load(real_data / "lidar_calib" / "livox" / "mid360.npy").astype(np.float64)
    azimuth, elevation = table.reshape(40, 20_000, 2).transpose(2, 0, 1)
    level = np.cos(elevation)
    there = np.stack((level * np.cos(azimuth), level * np.sin(azimuth), np.sin(elevation)), axis=-1)
    source = default_config("Livox-Mid-360").sensors[0].pattern.source(period_s=0.1)
    for scan in (0, 17, 39):
        here = source.at(0.1 * scan - 0.15323e-3).direction.astype(np.float64)
        apart_deg = np.degrees(2 * np.arcsin(np.linalg.norm(here - there[scan], axis=1) / 2))
        assert np.sqrt((apart_deg**2).mean()) < 0.12
        assert apart_deg.max() < 0.51


def test_the_edges_of_blensors_tof_camera_are_those_of_the_device():
    """The outermost pixels look half a pixel inside of 43.6 x 34.6 deg."""
    pattern = LidarModel(default_config("BlenSor-ToF")).lidars[0].pattern
    y, z = (pattern.direction[:, 1:] / pattern.direction[:, :1]).astype(float).T
    for tangent, n_pixels, fov_deg in ((y, 176, 43.6), (z, 144, 34.6)):
        edge = tangent.max() * n_pixels / (n_pixels - 1)
        assert 2.0 * np.degrees(np.arctan(edge)) == pytest.approx(fov_deg, abs=1e-3)


def test_lasers_of_blensors_line_lidar_have_constant_errors():
    (sensor,) = default_config("BlenSor-Line").sensors
    assert (sensor.noise.range_sigma_m, sensor.noise.range_bias_sigma_m) == (0.03, 0.04)


def test_keys_of_ones_own_take_the_place_of_a_ready_sensors():
    sensor = Sensor.model_validate({"preset": "BlenSor ToF", "max_range_m": 7.5, "name": "own"})
    assert (sensor.name, sensor.max_range_m, sensor.backfolding) == ("own", 7.5, True)
    rotating = Sensor.model_validate({"preset": "BlenSor-Rotating", "rotation_rate_hz": 5})
    assert (rotating.preset, rotating.rotation_rate_hz) == ("HDL-64E", 5)
    pattern = {"kind": "camera", "width": 2, "height": 2, "horizontal_fov_deg": 9}
    with pytest.raises(ValueError, match="has a pattern of its own"):
        Sensor.model_validate({"preset": "BlenSor-ToF", "pattern": pattern})


def test_an_unknown_sensor_may_be_meant_for_a_ready_one():
    with pytest.raises(ConfigurationError, match="did you mean Livox-Avia"):
        load_preset("Livox-Ava")
