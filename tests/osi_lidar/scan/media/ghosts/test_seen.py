# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Ghosts of beams: the stronger of two, and the faintest that counts."""

import numpy as np
from numpy.testing import assert_allclose, assert_array_equal

from osi_bridge import NO_OBJECT
from osi_lidar.scan.media.ghosts.seen import Ghosts, Sensitivity


def test_beams_that_see_nothing_have_ghosts_without_strength_or_object():
    dark = Ghosts.none(3)
    assert_array_equal(dark.range_m, np.zeros(3, np.float32))
    assert_array_equal(dark.strength, np.zeros(3, np.float32))
    assert dark.object_id.tolist() == [NO_OBJECT] * 3


def test_of_two_ghosts_the_stronger_is_seen_and_of_equal_ones_the_first():
    one = Ghosts(np.array([1, 2, 3]), np.array([0.5, 0.1, 0.2]), np.array([11, 12, 13]))
    other = Ghosts(np.array([4, 5, 6]), np.array([0.4, 0.3, 0.2]), np.array([14, 15, 16]))
    found = one.or_stronger(other)
    assert_array_equal(found.range_m, [1, 5, 3])
    assert_array_equal(found.strength, [0.5, 0.3, 0.2])
    assert_array_equal(found.object_id, [11, 15, 13])


def test_the_faintest_ghost_has_the_least_signal_over_noise():
    """The signal is R / q^2; q is linear between rows of half a metre, and constant beyond."""
    sensitivity = Sensitivity(step_m=0.5, root=np.array([0.0, 1.0, 3.0]), least_snr=4.0)
    found = sensitivity.least_strength(np.array([0.25, 0.5, 0.75, 1.0, 9.0]))
    assert_allclose(found, [1.0, 4.0, 16.0, 36.0, 36.0])
