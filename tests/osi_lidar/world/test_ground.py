# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""What the ground of a world is, in words."""

import pytest

from osi_lidar.world.ground import BESIDE_MESH, ground_words
from tests.builders.messages import host
from tests.builders.worlds import config, steps


@pytest.mark.parametrize(
    ("ground", "beside_mesh", "without_mesh"),
    [
        ("none", "none, as scene.ground says", "none, as scene.ground says"),
        ("auto", BESIDE_MESH, "the roads"),
        (-1.25, "a plane at z = -1.25 m", "a plane at z = -1.25 m"),
    ],
)
def test_words_tell_what_the_ground_is(ground, beside_mesh, without_mesh):
    model, _ = steps([[host()]], config(scene={"ground": ground}))
    model.world.ground.give_way()
    assert ground_words(model.world.ground, environment=True) == beside_mesh
    assert ground_words(model.world.ground, environment=False) == without_mesh
