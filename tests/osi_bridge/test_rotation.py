# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Angles of rotations: those that they were made from."""

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from osi_bridge import orientation_from_rotation, rotation_from_orientation

TURN = st.floats(-3.1, 3.1)


@given(angles=st.lists(st.tuples(TURN, st.floats(-1.5, 1.5), TURN), min_size=1, max_size=4))
def test_angles_come_back(angles):
    found = orientation_from_rotation(rotation_from_orientation(angles))
    np.testing.assert_allclose(found, angles, atol=1e-6)


@given(pitch=st.sampled_from([-0.5 * math.pi, 0.5 * math.pi]), yaw=TURN, roll=TURN)
def test_upright_the_same_rotation_comes_back_without_roll(pitch, yaw, roll):
    turn = rotation_from_orientation((roll, pitch, yaw))
    found = orientation_from_rotation(turn)
    assert found[0] == 0.0
    np.testing.assert_allclose(rotation_from_orientation(found), turn, atol=1e-6)
