# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Where the ground plane of a world is, and what the ground is in words."""

import numpy as np
import pytest

from osi_lidar.world.ground import BESIDE_MESH, ground_words
from tests.builders.clouds import points_of
from tests.builders.messages import host
from tests.builders.worlds import config, instant, steps


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


def plane(setting):
    """Return the ground plane of a world with a host vehicle, whose wheels touch z = 0."""
    model, _ = steps([[host()]], config(scene={"ground": setting}))
    return model.world.ground


def test_an_automatic_plane_lies_under_the_roads_until_they_bring_their_own_ground():
    ground = plane("auto")
    for z_m in (-2.5, 14.0):
        ground.lie_under_roads(z_m, "ground_grass")
        assert ground.z_m == z_m
        assert len(ground.instances) == 1
    ground.lie_under_roads(None, "ground_grass")
    assert ground.z_m is None
    assert ground.instances == ()
    ground.lay(3.0)
    assert ground.z_m is None
    ground.begin_again()
    ground.lay(3.0)
    assert ground.z_m == 3.0


@pytest.mark.parametrize(("setting", "z_m"), [("none", None), (-1.25, -1.25)])
def test_a_stated_plane_stays_whatever_the_roads_are(setting, z_m):
    ground = plane(setting)
    for roads_m in (-2.5, None):
        ground.lie_under_roads(roads_m, "ground_grass")
        assert ground.z_m == z_m
    ground.begin_again()
    ground.lay(3.0)
    assert ground.z_m == z_m


@pytest.mark.parametrize("setting", ["auto", -1.25])
@pytest.mark.parametrize(("x", "y"), [(1, 0), (-1, 0), (0, 1), (0, -1), (-1, -1)])
def test_the_plane_is_under_the_sensor_wherever_it_drives(x, y, setting):
    """It is 6 km wide."""
    worlds = [[host(x_m=far_m * x, y_m=far_m * y)] for far_m in (0.0, 5000.0, 9000.0, 0.0)]
    _, done = steps(worlds, instant(config(scene={"ground": setting})))
    first, *later = (points_of(step) for step in done)
    assert len(first) > 100
    for points in later:
        np.testing.assert_allclose(points["range"], first["range"], rtol=1e-5)
