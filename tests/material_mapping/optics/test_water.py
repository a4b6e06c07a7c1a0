# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Optical constants of liquid water, beside other measurements."""

import math

import pytest

from material_mapping import MaterialError
from material_mapping.optics import water


@pytest.mark.parametrize(
    ("wavelength_nm", "n", "k"),
    [
        (905.0, 1.328, 5.1e-7),  # Hale and Querry 1973; Segelstein 1981, 4.86e-7 at 899.5 nm
        (1550.0, 1.318, 1.34e-4),  # 1.348e-4 at 1549 nm, 1.240e-4 at 1560 nm
    ],
)
def test_water_has_the_index_of_its_sources(wavelength_nm, n, k):
    found = water.refractive_index(wavelength_nm)
    assert found.real == pytest.approx(n, abs=5e-4)
    assert found.imag == pytest.approx(k, rel=0.02)


def test_water_is_nearly_clear_at_905_nm_and_dark_at_1550_nm():
    # 4 pi k / wavelength by hand: 5.11e-7 at 905 nm, 1.338e-4 at 1550 nm
    assert water.absorption_per_m(905.0) == pytest.approx(7.10, rel=0.01)
    assert water.absorption_per_m(1550.0) == pytest.approx(1085.0, rel=0.01)


def test_distilled_water_measured_elsewhere_agrees():
    # S. Kedenburg et al., Optical Materials Express 2(11), 1588-1611, 2012, at 20 degrees C:
    # n^2 = 1 + 0.75831 L / (L - 0.01007) + 0.08495 L / (L - 8.91377), L = (wavelength / um)^2
    for nm, k in ((850.0, 2.800e-7), (905.0, 4.811e-7), (1064.0, 1.219e-6), (1550.0, 1.492e-4)):
        square = (nm * 1e-3) ** 2
        n = math.sqrt(
            1.0 + 0.75831 * square / (square - 0.01007) + 0.08495 * square / (square - 8.91377)
        )
        found = water.refractive_index(nm)
        assert found.real == pytest.approx(n, abs=0.003)
        assert found.imag == pytest.approx(k, rel=0.12)


@pytest.mark.parametrize("wavelength_nm", [399.0, 1801.0, math.nan])
def test_a_wavelength_outside_the_table_is_refused(wavelength_nm):
    with pytest.raises(MaterialError, match=r"liquid water: no value at .* 400 to 1800 nm"):
        water.refractive_index(wavelength_nm)
