# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Droplets of fogs: their lidar ratio, and extinction beside that of green light."""

import math

import numpy as np
import pytest

from material_mapping.optics import droplets, mie, water


@pytest.mark.long
def test_fog_at_905_nm_sends_back_a_seventeenth_to_a_twentieth_of_what_it_takes():
    # by another quadrature, before this code: 17.6, 18.2, 19.4, 16.9, 19.1 sr, so 16.9 to 19.4
    found = [droplets.lidar_ratio_sr(each, wavelength_nm=905.0) for each in droplets.FOGS.values()]
    assert found == pytest.approx([17.6, 18.2, 19.4, 16.9, 19.1], rel=0.03)
    assert np.mean(found) == pytest.approx(18.5, abs=0.2)


def test_fog_at_1550_nm_depends_more_on_its_droplets():
    # by another quadrature and with less absorption (k = 1e-4): 18.4 to 28.2 sr
    found = {
        name: droplets.lidar_ratio_sr(each, wavelength_nm=1550.0)
        for name, each in droplets.FOGS.items()
    }
    assert min(found.values()) == found["strong_radiation"] == pytest.approx(18.4, rel=0.03)
    assert max(found.values()) == found["moderate_radiation"] == pytest.approx(28.2, rel=0.03)


def test_fog_weakens_905_and_1550_nm_nearly_as_it_does_green_light():
    # extinction over that at 550 nm, by another quadrature: 1.01 to 1.04 and 1.03 to 1.13
    radius_um = np.geomspace(0.1, 100.0, 900)
    extinction = [
        mie.efficiencies(2e3 * math.pi * radius_um / nm, water.refractive_index(nm)).extinction
        for nm in (550.0, 905.0, 1550.0)
    ]
    for sizes in droplets.FOGS.values():
        weight = sizes.density(radius_um) * radius_um**3  # steps of the grid are ~ r
        taken = [weight @ each for each in extinction]
        assert 1.005 < taken[1] / taken[0] < 1.045
        assert 1.025 < taken[2] / taken[0] < 1.14


def test_a_distribution_has_its_mode_where_it_says():
    fog = droplets.FOGS["strong_advection"]
    assert fog.density(10.0) == 1.0
    assert fog.density([5.0, 9.9, 10.1, 20.0]).max() < 1.0
    # r^3 exp(-0.3 r), as in Shettle and Fenn's table for heavy advection fog
    ratio = fog.density(20.0) / fog.density(5.0)
    assert ratio == pytest.approx(4.0**3 * math.exp(-0.3 * 15.0), rel=1e-12)
