# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Blooming beside its closed form: R share exp(-phi / width)."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from osi_bridge import NO_OBJECT
from osi_lidar.scan.media.ghosts import halo as module
from osi_lidar.scan.media.ghosts.halo import Bright, Halo
from osi_lidar.scan.media.ghosts.seen import Sensitivity

HALO = Halo(share=1e-3, width_rad=0.01)
CLEAR = Sensitivity(step_m=10.0, root=np.arange(10.0), least_snr=1e-3)
"""At 10 m, what has a reflectivity of 1e-3 counts, at 20 m of 4e-3."""


def fan(*angles_rad):
    """Return the axes of beams in one plane, which is oblique, float32 (3, n)."""
    angle = np.array(angles_rad)
    first, second = np.array([[2.0], [1.0], [2.0]]) / 3.0, np.array([[-2.0], [2.0], [1.0]]) / 3.0
    return (first * np.cos(angle) + second * np.sin(angle)).astype(np.float32)


def bright(*rows):
    """Return beams that are bright: number, reflectivity, range [m], object."""
    beams, strength, range_m, object_id = zip(*rows, strict=True) if rows else ((), (), (), ())
    return Bright(
        np.array(beams, np.intp),
        np.array(strength, float),
        np.array(range_m, float),
        np.array(object_id, np.uint64),
    )


def test_a_halo_reaches_to_where_it_is_as_faint_as_what_counts():
    assert HALO.reach_rad(bright((0, 100.0, 10.0, 5)), CLEAR) == pytest.approx(
        0.01 * math.log(100.0)
    )
    both = bright((0, 100.0, 10.0, 5), (1, 100.0, 20.0, 5))
    assert HALO.reach_rad(both, CLEAR) == pytest.approx(0.01 * math.log(100.0))
    assert HALO.reach_rad(bright((0, 0.5, 10.0, 5)), CLEAR) == 0.0
    assert HALO.reach_rad(bright(), CLEAR) == 0.0


def test_a_halo_fades_with_the_angle_and_ends_at_its_reach():
    reach_rad = 0.01 * math.log(100.0)
    angle_rad = [0.0, 0.005, 0.01, 0.999 * reach_rad, 1.001 * reach_rad, 0.1, math.pi]
    sign = bright((0, 100.0, 10.0, 5))
    seen = HALO.echoes(fan(*angle_rad), np.arange(1, 7), sign, CLEAR)
    expected = [0.0, *(0.1 * math.exp(-each / 0.01) for each in angle_rad[1:4]), 0.0, 0.0, 0.0]
    assert_allclose(seen.strength, expected, rtol=1e-4)
    assert_array_equal(seen.range_m, [0, 10, 10, 10, 0, 0, 0])
    assert seen.object_id.tolist() == [NO_OBJECT, 5, 5, 5, NO_OBJECT, NO_OBJECT, NO_OBJECT]


def test_beams_that_are_not_asked_for_see_nothing():
    seen = HALO.echoes(fan(0.0, 0.005, 0.005), np.array([2]), bright((0, 9.0, 10.0, 5)), CLEAR)
    assert_array_equal(seen.strength > 0.0, [False, False, True])


def test_a_wide_halo_is_seen_behind_the_sensor():
    wide = Halo(share=1e-3, width_rad=1.0)
    angle_rad = np.linspace(0.0, math.pi, 7)
    seen = wide.echoes(fan(*angle_rad), np.arange(7), bright((0, 100.0, 10.0, 5)), CLEAR)
    assert_allclose(seen.strength, 0.1 * np.exp(-angle_rad), rtol=1e-3)


@pytest.mark.parametrize("at_once", [1, 3, 1 << 21])
def test_of_several_the_strongest_over_what_counts_there_is_seen(monkeypatch, at_once):
    """The nearer sign, of half the reflectivity, is twice as noticeable where it is."""
    monkeypatch.setattr(module, "_AT_ONCE", at_once)
    signs = bright((0, 100.0, 20.0, 5), (1, 50.0, 10.0, 6))
    axis = fan(0.0, 0.02, 0.004, 0.016, 0.01)
    seen = HALO.echoes(axis, np.array([2, 3, 4]), signs, CLEAR)
    assert seen.object_id[2:].tolist() == [5, 6, 6]
    assert_array_equal(seen.range_m[2:], [20, 10, 10])
    expected = [0.1 * math.exp(-0.4), 0.05 * math.exp(-0.4), 0.05 * math.exp(-1.0)]
    assert_allclose(seen.strength[2:], expected, rtol=1e-4)
