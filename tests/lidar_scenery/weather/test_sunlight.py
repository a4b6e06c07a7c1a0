# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Spectral irradiances against lines of ASTM G173-03, and how they follow the illuminances."""

import math

import pytest

from lidar_scenery.weather.sunlight import FULL_SUN_LUX, irradiance, white_radiance

G173_LUX = 109_488.0
"""The spectrum of the tilted plane times V(L) of CIE 1924 in steps of 10 nm, 683 lm/W. [lx]"""


@pytest.mark.parametrize(
    ("wavelength_nm", "on_plane", "direct"),
    [  # columns 3 and 4 of the standard at lines without bands [W/(m^2 nm)]
        (780.0, 1.1636, 1.0687),
        (865.0, 0.96324, 0.89487),
        (1000.0, 0.73532, 0.69159),
        (1550.0, 0.2699, 0.26226),
        (1600.0, 0.2381, 0.23133),
    ],
)
def test_at_the_illuminance_of_the_standard_it_has_the_light_of_the_standard(
    wavelength_nm, on_plane, direct
):
    """Its plane is tilted by 37 deg, and the sun 48.19 deg from the zenith."""
    light = irradiance(G173_LUX, G173_LUX, wavelength_nm=wavelength_nm)
    assert light.sun + light.sky == pytest.approx(on_plane, rel=0.01)
    assert light.sun == pytest.approx(direct * math.cos(math.radians(48.19 - 37.0)), rel=0.01)


def test_light_is_as_strong_as_the_illuminance_and_the_suns_part_as_its_own():
    full = irradiance(1e5, 1e5, wavelength_nm=865.0)
    half = irradiance(5e4, 5e4, wavelength_nm=865.0)
    assert half == pytest.approx((full.sun / 2, full.sky / 2))
    hazy = irradiance(1e5, 5e4, wavelength_nm=865.0)
    assert hazy == pytest.approx((full.sun / 2, full.sky + full.sun / 2))
    overcast = irradiance(1e5, 0.0, wavelength_nm=865.0)
    assert overcast == pytest.approx((0.0, sum(full)))
    assert irradiance(1e4, 1e5, wavelength_nm=865.0) == pytest.approx(
        (full.sun / 10, full.sky / 10)
    )  # of the sun comes no more than of all
    assert irradiance(0.0, 1e5, wavelength_nm=865.0) == (0.0, 0.0)


def test_a_white_plane_in_full_sun_sends_its_light_to_a_half_space():
    light = irradiance(FULL_SUN_LUX, FULL_SUN_LUX, wavelength_nm=905.0)
    assert white_radiance(905.0) == pytest.approx((light.sun + light.sky) / math.pi)
    assert white_radiance(905.0) == pytest.approx(0.2, rel=0.1)  # 0.69 W/(m^2 nm) of 109 488 lx


@pytest.mark.parametrize("wavelength_nm", [532.0, 1700.1, math.nan])
def test_other_wavelengths_are_refused(wavelength_nm):
    with pytest.raises(ValueError, match="expected 700 to 1700"):
        irradiance(1e5, wavelength_nm=wavelength_nm)
