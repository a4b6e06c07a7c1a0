# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Plants stand on the ground."""

import numpy as np
import pytest

from lidar_scenery.shapes.roadside.plants import bush, sized_tree
from osi_bridge.description.details import ObjectDetails


def bark(model):
    """Return the corners of all stems and branches, (n, 3)."""
    return np.concatenate(model.groups["body", "Tree_Bark"])


@pytest.mark.parametrize("size", [(4.0, 4.0, 6.0), (2.0, 1.5, 1.8), (0.6, 3.0, 0.9)])
def test_stems_of_a_bush_spread_from_its_foot_to_half_its_room(size):
    stems = bark(bush(size, ObjectDetails())) / np.array(size)
    at_foot, at_tip = stems[stems[:, 2] < -0.45], stems[stems[:, 2] > 0.2]
    assert len(at_foot)
    assert len(at_foot) == len(at_tip)
    assert stems[:, 2].min() == pytest.approx(-0.5, abs=0.01)
    assert stems[:, 2].max() == pytest.approx(0.25, abs=0.02)
    assert np.hypot(*at_foot[:, :2].T).max() < 0.06
    assert np.hypot(*at_tip[:, :2].T).max() == pytest.approx(0.25, abs=0.02)


@pytest.mark.parametrize("size", [(5.0, 5.0, 7.0), (2.0, 3.0, 12.0)])
def test_the_trunk_of_a_tree_stands_on_the_ground(size):
    wood = bark(sized_tree(size, ObjectDetails()))
    assert wood[:, 2].min() == pytest.approx(-size[2] / 2, abs=0.01)
