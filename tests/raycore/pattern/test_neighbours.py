# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Which beams are near others, beside the angles between all of them."""

import numpy as np
import pytest

from raycore.pattern.neighbours import BeamNeighbours


@pytest.mark.parametrize("reach_rad", [1e-4, 1e-3, 1e-2, 0.05])
def test_beams_within_reach_are_near_and_none_that_is_three_times_as_far(reach_rad):
    rng = np.random.default_rng(5)
    axis = np.vstack([np.ones(900), 8.0 * reach_rad * rng.uniform(-1.0, 1.0, (2, 900))])
    axis = (axis / np.linalg.norm(axis, axis=0)).astype(np.float32)
    one = int(np.argmax(axis[0]))
    angle_rad = np.linalg.norm(axis - axis[:, [one]], axis=0)
    seen, near = np.zeros((2, 900), np.uint8)
    seen[one] = 1
    near = near.astype(np.bool_)
    BeamNeighbours(axis, reach_rad).add_near(seen, 1, near)
    assert near[angle_rad <= reach_rad].all()
    assert not near[angle_rad > 3.0 * reach_rad].any()
    assert near[angle_rad > reach_rad].any()
