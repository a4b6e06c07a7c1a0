# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Fog and haze: extinction by visibility and wavelength, lidar ratios beside those of droplets."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lidar_scenery.weather import fog
from material_mapping.optics import droplets


@pytest.mark.parametrize("wavelength_nm", [550.0, 905.0, 1550.0])
def test_a_visibility_of_1_km_leaves_5_percent_of_the_flux_there(wavelength_nm):
    # ln 20 / 1000 m = 2.9957e-3 1/m; with 2 % contrast it would be 3.9e-3
    found = fog.extinction_per_m(1000.0, wavelength_nm=wavelength_nm)
    assert found == pytest.approx(2.9957e-3, abs=5e-8)
    assert math.exp(-found * 1000.0) == pytest.approx(0.05, rel=1e-12)


def test_osis_classes_of_fog_have_their_extinctions():
    # ln 20 / V for V = 25, 100, 447, 1414 m at 550 nm
    visibility_m = (25.0, 100.0, 447.0, 1414.0)
    found = [fog.extinction_per_m(v, wavelength_nm=550.0) for v in visibility_m]
    assert found == pytest.approx([0.120, 0.030, 6.7e-3, 2.1e-3], rel=0.02)


def test_air_without_fog_takes_nothing():
    assert fog.extinction_per_m(math.inf, wavelength_nm=905.0) == 0.0


@pytest.mark.parametrize(
    ("visibility_km", "q"),
    [(0.05, 0.0), (0.5, 0.0), (1.0, 0.0), (1.5, 0.33), (2.0, 0.66), (4.0, 0.98), (6.0, 1.3)]
    + [(20.0, 1.3), (50.0, 1.3), (60.0, 1.6)],
)
def test_haze_weakens_longer_waves_less_by_kims_law(visibility_km, q):
    # Kim et al. 2001: q = 0.16 V + 0.34 to 6 km, 1.3 to 50 km, 1.6 above; ours below 2 km
    green = fog.extinction_per_m(visibility_km * 1e3, wavelength_nm=550.0)
    for nm in (905.0, 1550.0):
        found = fog.extinction_per_m(visibility_km * 1e3, wavelength_nm=nm)
        assert found == pytest.approx(green * (nm / 550.0) ** -q, rel=1e-12)


@pytest.mark.parametrize("visibility_m", [500.0, 1000.0, 2000.0, 6000.0])
def test_extinction_has_no_step_where_its_law_changes(visibility_m):
    below, above = (
        fog.extinction_per_m(visibility_m * (1.0 + each), wavelength_nm=1550.0)
        for each in (-1e-9, 1e-9)
    )
    assert above == pytest.approx(below, rel=1e-7)


def test_kims_own_step_at_50_km_is_14_percent_at_905_nm():
    below, above = (fog.extinction_per_m(v, wavelength_nm=905.0) for v in (5e4, 5e4 + 1e-3))
    assert above / below == pytest.approx((905.0 / 550.0) ** -0.3, rel=1e-6)  # 0.861
    assert 1.0 - math.exp(-2.0 * below * 100.0) == pytest.approx(0.0063, abs=5e-5)


@given(st.floats(1.0, 1e5), st.floats(1.001, 3.0), st.sampled_from([905.0, 1550.0]))
def test_better_visibility_never_means_more_extinction(visibility_m, factor, wavelength_nm):
    near = fog.extinction_per_m(visibility_m, wavelength_nm=wavelength_nm)
    far = fog.extinction_per_m(visibility_m * factor, wavelength_nm=wavelength_nm)
    assert far < near


def test_the_lidar_ratio_is_that_of_droplets():
    assert fog.lidar_ratio_sr(905.0) == 18.5
    assert fog.lidar_ratio_sr(1550.0) == 21.0
    assert fog.lidar_ratio_sr(850.0) == 18.5
    assert fog.lidar_ratio_sr(1227.5) == pytest.approx(19.75)  # half-way
    # Mie's series for the extremes of five fogs; the mean of all five is 18.4 and 22.6 sr
    names = ("strong_radiation", "moderate_radiation")
    for nm, spread in ((905.0, 0.09), (1550.0, 0.36)):
        found = [droplets.lidar_ratio_sr(droplets.FOGS[name], wavelength_nm=nm) for name in names]
        assert np.abs(np.array(found) / fog.lidar_ratio_sr(nm) - 1.0).max() < spread


def test_dust_sends_back_half_as_much_as_fog_for_the_same_extinction():
    assert fog.DUST_LIDAR_RATIO_SR == 40.0  # Omar et al. 2009, 532 nm


@pytest.mark.parametrize("visibility_m", [0.0, -1.0, math.nan])
def test_an_impossible_visibility_is_refused(visibility_m):
    with pytest.raises(ValueError, match=r"visibility_m is .*, expected above 0"):
        fog.extinction_per_m(visibility_m, wavelength_nm=905.0)


def test_an_impossible_wavelength_is_refused():
    with pytest.raises(ValueError, match="wavelength_nm is 0, expected above 0"):
        fog.lidar_ratio_sr(0.0)
