# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The echo of long bodies, beside sums over slices of a millimetre."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from osi_lidar.scan.media.front_kernels import brightest_place, seen_at

SIGMA_M, SLICE_M = 0.25, 1e-3
DUST = np.array([[10.0], [3.0], [0.4], [2.0]])
"""A layer as a column: near end, length, decay and strength."""
TWO = np.array([[10.0, 14.0], [3.0, 0.5], [0.4, 2.0], [1.0, 3.0]])


def received(layers, at_m):
    """Return what is received at some ranges."""
    total = np.zeros(len(at_m))
    for near_m, length_m, decay, strength in layers.T:
        behind_m = np.arange(0.5 * SLICE_M, length_m, SLICE_M)
        sent = strength * np.exp(-decay * behind_m) * SLICE_M
        off = (at_m[:, None] - near_m - behind_m) / SIGMA_M
        total += np.exp(-0.5 * np.square(off)) @ sent
    return total


@pytest.mark.parametrize("layers", [DUST, TWO])
def test_what_is_received_is_the_light_of_all_slices(layers):
    at_m = np.linspace(9.0, 15.0, 61)
    signal, slope, bend = np.array([seen_at(layers, SIGMA_M, each) for each in at_m]).T
    assert_allclose(signal, received(layers, at_m), atol=1e-5)
    step_m = 1e-3
    before, after = received(layers, at_m - step_m), received(layers, at_m + step_m)
    assert_allclose(slope, (after - before) / (2.0 * step_m), atol=1e-3)
    assert_allclose(bend, (after - 2.0 * received(layers, at_m) + before) / step_m**2, atol=1e-2)


@pytest.mark.parametrize("layers", [DUST, TWO, TWO[:, 1:]])
def test_it_is_brightest_where_the_light_of_all_slices_is(layers):
    at_m = np.arange(9.0, 15.0, 0.002)
    expected = received(layers, at_m)
    height, place_m, variance = brightest_place(layers, SIGMA_M)
    assert height == pytest.approx(expected.max(), rel=1e-4)
    assert place_m == pytest.approx(at_m[expected.argmax()], abs=0.005)
    top = int(expected.argmax())
    bend = (expected[top + 10] - 2.0 * expected[top] + expected[top - 10]) / 0.02**2
    assert variance == pytest.approx(-expected[top] / bend, rel=0.01)
