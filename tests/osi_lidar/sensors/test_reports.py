# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Bytes and photons in which sensors state the strength of an echo."""

import numpy as np
import pytest

from osi_lidar.sensors.presets import load_preset, preset_names
from osi_lidar.sensors.reports import Reports


@pytest.mark.parametrize(
    ("name", "reflectivity", "byte"),
    [
        # VLP-16 user manual, 6.1: 0 to 100 diffuse, 101 to 255 retroreflectors
        ("VLP-16", [0.0, 0.5, 1.0, 1.01, 300.0], [0, 50, 100, 101, 255]),
        # VLS-128 user manual, 6.1: 0 to 110 diffuse
        ("VLS-128", [0.0, 0.5, 1.0, 1.01, 300.0], [0, 55, 110, 111, 255]),
        # Pandar64 user manual, appendix D: 0 to 255 %
        ("Pandar64", [0.0, 0.5, 1.0, 2.0, 3.0], [0, 50, 100, 200, 255]),
        # 23 steps for each doubling
        ("OS1-128", [0.0, 0.5, 1.0, 2.0, 4.0, 1e4], [0, 50, 100, 123, 146, 255]),
        # an OS2-128: the signal of these codes, beside that of code 100 (ouster-sdk, tests)
    ],
)
def test_bytes_are_those_of_the_makers(name, reflectivity, byte):
    assert load_preset(name).reports.byte(np.array(reflectivity)) == pytest.approx(byte)


def test_codes_beyond_white_are_those_of_a_recording():
    # signal of an OS2-128 at 30 to 60 m over that of code 100 (ouster-sdk, OS-2-128-U1_v2.3.0)
    share = np.array([1.18, 1.31, 1.40, 1.60, 1.82, 2.07])
    codes = [104, 108, 112, 116, 120, 124]
    assert load_preset("OS2-128").reports.byte(share) == pytest.approx(codes, abs=2)


@pytest.mark.parametrize("name", preset_names())
def test_a_brighter_echo_has_no_lower_byte(name):
    byte = load_preset(name).reports.byte(np.append(-0.1, np.geomspace(1e-4, 1e4, 20_000)))
    assert (np.diff(byte) >= 0).all()
    assert (byte[0], byte[-1]) == (0, 255)


def test_photons_fall_with_the_square_of_the_range_and_in_the_near_field():
    preset = load_preset("OS0-64")
    range_m, white = np.array([2.25, 4.0, 8.0]), np.ones(3)
    found = preset.reports.photons(white, range_m, preset.near_field)
    assert found == pytest.approx(12_500 * np.array([0.22 / 2.25**2, 1 / 16, 1 / 64]))
    assert Reports(source="test").photons(white, range_m) == pytest.approx(1e4 / range_m**2)
