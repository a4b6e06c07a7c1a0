# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Ouster metadata against the maker's own formula for a point."""

import math

import numpy as np
import pytest

from osi_lidar.errors import ConfigurationError
from osi_lidar.sensors.calibration.reading import read_calibration
from tests.builders.refusals import one_line
from tests.osi_lidar.sensors.calibration.files import TO_SENSOR_MM, ouster, pattern_of

ALTITUDE_DEG, AZIMUTH_DEG = np.array([10.0, 3.5, -2.0, -15.0]), np.array([4.2, 1.4, -1.4, -4.2])


def makers_points(range_m, n_column, n_m, shift_z_m=0.03618, up_m=0.0):
    """Return points (row, column, 3) by the formula of Ouster's documentation and SDK.

    x = (r - n) cos(te + ta) cos(phi) + n cos(te), and so on, in the lidar frame; then the transform
    to the sensor frame: half a turn about z, and up.
    """
    te = 2 * math.pi * (1 - np.arange(n_column) / n_column)[None, :]
    ta, phi = -np.radians(AZIMUTH_DEG)[:, None], np.radians(ALTITUDE_DEG)[:, None]
    rest = range_m - math.hypot(n_m, up_m)
    x = rest * np.cos(te + ta) * np.cos(phi) + n_m * np.cos(te)
    y = rest * np.sin(te + ta) * np.cos(phi) + n_m * np.sin(te)
    z = rest * np.sin(phi) + up_m + 0 * te
    return np.stack([-x, -y, z + shift_z_m], axis=2)


@pytest.mark.parametrize("layout", ["old", "new"])
@pytest.mark.parametrize("range_m", [0.5, 20.0, 120.0])
def test_points_are_those_of_the_makers_formula(tmp_path, layout, range_m):
    pattern = pattern_of(ouster(tmp_path, layout=layout))
    points = pattern.origin_m + range_m * pattern.direction.astype(np.float64)
    expected = makers_points(range_m, 512, 0.015806)
    np.testing.assert_allclose(points.reshape(4, 512, 3), expected, atol=1e-7 * range_m + 1e-8)


def test_a_beam_that_leaves_above_the_midplane_follows_the_same_formula(tmp_path):
    lift = [1, 0, 0, 15.806, 0, 1, 0, 0, 0, 0, 1, 4.0, 0, 0, 0, 1]
    pattern = pattern_of(ouster(tmp_path, layout="new", beam_to_lidar_transform=lift))
    points = pattern.origin_m + 20.0 * pattern.direction.astype(np.float64)
    expected = makers_points(20.0, 512, 0.015806, up_m=0.004)
    np.testing.assert_allclose(points.reshape(4, 512, 3), expected, atol=2e-6)


def test_columns_and_rate_are_the_files_unless_told(tmp_path):
    file = ouster(tmp_path)
    assert (pattern_of(file).column.max() + 1, pattern_of(file).period_s) == (512, 0.1)
    other = pattern_of(file, columns=1024, rotation_rate_hz=20)
    assert (other.column.max() + 1, other.period_s) == (1024, 0.05)


def test_rows_of_zeros_are_no_lasers(tmp_path):
    file = ouster(
        tmp_path,
        beam_altitude_angles=[0, 3.5, 0, -15.0],
        beam_azimuth_angles=[0, 1.4, 0, -4.2],
        prod_line="OS-1-2",
    )
    calibration = read_calibration(file)
    assert np.degrees(calibration.elevation_rad).tolist() == pytest.approx([3.5, -15.0])
    assert np.degrees(calibration.azimuth_offset_rad).tolist() == pytest.approx([-1.4, 4.2])


def test_an_os1_16_that_lists_64_rows_has_every_fourth(tmp_path):
    file = ouster(
        tmp_path,
        beam_altitude_angles=np.linspace(16.5, -16.8, 64).tolist(),
        beam_azimuth_angles=[3.0] * 64,
        prod_line="OS-1-16-A0",
    )
    elevation_deg = np.degrees(read_calibration(file).elevation_rad)
    np.testing.assert_allclose(elevation_deg, np.linspace(16.5, -16.8, 64)[3::4])


@pytest.mark.parametrize(
    ("window", "headings_deg"),
    [
        ([128, 255], (90.0, 180.0 - 255 * 360 / 512)),  # from the left to just before ahead
        ([480, 31], (180.0 - 31 * 360 / 512, 180.0 - 480 * 360 / 512)),  # across the back
    ],
)
def test_only_the_columns_of_the_window_fire(tmp_path, window, headings_deg):
    level = {"beam_azimuth_angles": [0.0] * 4}
    pattern = pattern_of(ouster(tmp_path, data_format={"column_window": window}, **level))
    n_column = (window[1] - window[0]) % 512 + 1
    assert pattern.n_beams == 4 * n_column
    azimuth_deg = np.degrees(pattern.azimuth_rad)
    for heading_deg in headings_deg:
        assert np.abs(azimuth_deg - heading_deg).min() < 1e-9


@pytest.mark.parametrize(
    ("product", "radius_mm"), [("OS-0-4", 27.67), ("OS-2-4", 13.762), ("OS-1-4", 12.163)]
)
def test_old_firmware_leaves_the_radius_to_the_product_line(tmp_path, product, radius_mm):
    file = ouster(tmp_path, lidar_origin_to_beam_origin_mm=None, prod_line=product)
    pattern = pattern_of(file)
    points = pattern.origin_m + 10.0 * pattern.direction.astype(np.float64)
    expected = makers_points(10.0, 512, 1e-3 * radius_mm)
    np.testing.assert_allclose(points.reshape(4, 512, 3), expected, atol=1e-6)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"beam_azimuth_angles": [1.0, 2.0]}, "beam_azimuth_angles: got 2 numbers, expected 4"),
        ({"beam_azimuth_angles": None}, "beam_azimuth_angles: expected a list of numbers"),
        ({"beam_altitude_angles": [1, 2, "3", 4]}, "beam_altitude_angles: expected a list of num"),
        ({"beam_altitude_angles": [1, 2, 95.0, 4]}, "elevation of laser 2 is 95 deg, expected -90"),
        ({"beam_altitude_angles": [10**400] * 4}, "contains a number that is too large"),
        ({"beam_altitude_angles": []}, "beam_altitude_angles: got 0 numbers"),
        (
            {"beam_altitude_angles": [0] * 4, "beam_azimuth_angles": [0] * 4},
            "all values are 0, expected the angle of at least one laser",
        ),
        ({"prod_line": "OS-1-128"}, "got 4 lasers, expected 128 of an OS-1-128"),
        ({"lidar_mode": "fast"}, "lidar_mode: got 'fast', expected a mode such as 1024x10"),
        ({"lidar_mode": "0000x10"}, "lidar_mode: got '0000x10'"),
        ({"lidar_mode": None}, "lidar_mode: got None"),
        (
            {"data_format": {"column_window": [0, 512]}},
            "column_window: got 0 to 512, expected 0 to",
        ),
        ({"lidar_origin_to_beam_origin_mm": "12"}, "lidar_origin_to_beam_origin_mm: expected a li"),
        ({"lidar_to_sensor_transform": TO_SENSOR_MM[:15]}, "got 15 numbers, expected 16"),
        ({"lidar_to_sensor_transform": [1, *TO_SENSOR_MM[1:]]}, "expected half a turn about z"),
    ],
)
def test_bad_metadata_is_one_line_with_the_key(tmp_path, changes, words):
    file = ouster(tmp_path, **changes)
    with one_line(ConfigurationError, words, start=f"{file}: "):
        read_calibration(file)
