# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Mie's series and the constants of water, beside the package miepython of S. Prahl."""

from pathlib import Path

import numpy as np
import pytest

from material_mapping.optics import mie, water

pytestmark = pytest.mark.slow
INDICES = (1.328 + 5.1e-7j, 1.318 + 1.34e-4j, 1.5 + 0j, 1.5 + 0.1j, 1.1 + 1j)
ENDS_EARLIER = 1e-4
"""miepython has fewer terms of the series; most spheres agree to 1e-8, few to 6e-5 backwards."""


@pytest.fixture(scope="module")
def miepython():
    return pytest.importorskip("miepython", reason="miepython, of make test-all, is not installed")


@pytest.mark.parametrize("m", INDICES)
def test_efficiencies_are_those_of_miepython(miepython, m):
    x = np.geomspace(0.1, 10_000.0, 400)
    found = mie.efficiencies(x, m)
    extinction, scattering, back, _ = miepython.efficiencies_mx(m.conjugate(), x)
    assert found.extinction == pytest.approx(extinction, rel=1e-7)
    assert found.scattering == pytest.approx(scattering, rel=1e-7)
    assert found.back == pytest.approx(back, rel=ENDS_EARLIER)
    assert np.median(np.abs(found.back / back - 1.0)) < 1e-8


@pytest.mark.parametrize("x", [0.3, 5.0, 100.0, 3000.0])
def test_amplitudes_are_those_of_miepython(miepython, x):
    mu = np.cos(np.linspace(0.0, np.pi, 181))
    expected = miepython.S1_S2(INDICES[0].conjugate(), x, mu, norm="wiscombe")
    for found, other in zip(mie.amplitudes(x, INDICES[0], cos_angle=mu), expected, strict=True):
        # it has exp(+i omega t), so that its amplitudes are the conjugate ones
        assert np.abs(found[0] - other.conjugate()).max() < 1e-8 * np.abs(other).max()


def test_the_absorption_of_water_is_within_4_percent_of_segelsteins_whole_table(miepython):
    file = Path(miepython.__file__).parent / "data" / "segelstein81_index.txt"
    um, _, k = np.loadtxt(file, skiprows=4, usecols=(0, 1, 2)).T
    least, most = water.WATER_WAVELENGTHS_NM
    within = (um * 1e3 >= least) & (um * 1e3 <= most)
    found = [water.refractive_index(nm).imag for nm in um[within] * 1e3]
    assert found == pytest.approx(k[within], rel=0.04)
