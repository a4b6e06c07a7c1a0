# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""How far the units of a sensor lie apart: figures of presets, and the makers' files of units."""

import csv
import json

import numpy as np
import pytest

from osi_lidar.sensors.presets import load_preset

OUSTER = {
    "OS1-128": [
        "2_0_0_os1-992008000494-128_col_win_legacy.json",
        "2_2_os-992119000444-128_legacy.json",
        "2_5_0_os-992146000760-128_legacy.json",
    ],
    "OS1-64": ["1_13_os1-991913000010-64.json", "1_12_os1-991937000062-64_legacy.json"],
}


def spread(angles_deg):
    """Return the standard deviations of units' means and of single lasers, of (n_unit, n_laser)."""
    mean = angles_deg.mean(axis=1)
    rest = angles_deg - mean[:, None]
    rest = rest - rest.mean(axis=0)
    n_unit, n_laser = angles_deg.shape
    return mean.std(ddof=1), np.sqrt((rest**2).sum() / ((n_unit - 1) * (n_laser - 1)))


def check(name, elevation_deg, azimuth_deg):
    units = load_preset(name).units
    assert units.n_units == len(elevation_deg)
    common_deg, laser_deg = spread(elevation_deg)
    assert units.common_elevation_deg == pytest.approx(common_deg, abs=1e-3)
    assert units.elevation_deg == pytest.approx(laser_deg, abs=1e-3)
    assert units.azimuth_deg == pytest.approx(spread(azimuth_deg)[1], abs=1e-3)


@pytest.mark.parametrize("name", OUSTER)
def test_spread_of_ouster_s_units_is_that_of_their_metadata(real_data, name):
    folder = real_data / "lidar_calib" / "ouster"
    files = [json.loads((folder / file).read_text()) for file in OUSTER[name]]
    lasers = [each.get("beam_intrinsics", each) for each in files]
    check(
        name,
        np.array([each["beam_altitude_angles"] for each in lasers]),
        np.array([each["beam_azimuth_angles"] for each in lasers]),
    )


def test_spread_of_the_xt32_is_that_of_two_files(real_data):
    folder = real_data / "lidar_calib"
    sdk = folder / "hesai_sdk" / "angle_correction" / "PandarXT_Angle Correction File.csv"
    angles = [angles_of(sdk), angles_of(folder / "nebula_hesai" / "PandarXT32.csv")]
    check("XT32", *np.moveaxis(np.array(angles), 2, 0))


def test_spread_of_the_xt32m_is_that_of_two_units(real_data):
    folder = real_data / "lidar_calib"
    sdk = folder / "hesai_sdk" / "angle_correction" / "XT32M2X_Angle Correction File.csv"
    angles = [angles_of(sdk), angles_of(folder / "nebula_hesai" / "PandarXT32M.csv")]
    check("XT32M", *np.moveaxis(np.array(angles), 2, 0))


def angles_of(file):
    """Return elevation and azimuth of each laser of Hesai's table."""
    with file.open() as text:
        rows = [row for row in csv.reader(text) if row and row[0].strip().isdigit()]
    return [[float(row[1]), float(row[2])] for row in rows]
