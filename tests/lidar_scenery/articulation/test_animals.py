# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Animals with four legs, which walk and trot."""

from types import SimpleNamespace

import numpy as np
import pytest

from lidar_scenery.articulation.animals import walking_animal
from lidar_scenery.articulation.human.limbs import phase_of
from lidar_scenery.articulation.records import Heard, Travel

DOG, DEER = (0.9, 0.3, 0.65), (1.8, 0.5, 1.5)


def going(animal, speed, way_m):
    """Return a travel at a constant speed along ways."""
    still = np.zeros(len(way_m))
    stride = float(animal._stride_m(speed))
    state = np.stack([way_m / stride, still + speed], axis=1)
    return Travel(7, way_m, still + speed, still, state)


@pytest.mark.parametrize("size", [DOG, DEER])
@pytest.mark.parametrize("speed", [0.5, 1.2, 3.0, -0.5])
def test_hooves_rest_where_they_stand(size, speed):
    animal = walking_animal(size)
    way = np.sign(speed) * np.linspace(0.0, 5.0, 2000)
    hooves = animal.hooves_m(going(animal, abs(speed), way).state)
    world = hooves[..., 0] + way[:, None]
    lifted = hooves[..., 2] - animal.ground_m
    assert lifted.min() >= 0.0
    stands = (lifted[1:] == 0.0) & (lifted[:-1] == 0.0)
    assert stands.mean() > 0.2
    assert np.abs(np.diff(world, axis=0))[stands].max() < 1e-9


@pytest.mark.parametrize("size", [DOG, DEER])
@pytest.mark.parametrize("speed", [0.0, 0.8, 2.0, 5.0])
def test_legs_reach_and_the_animal_stays_near_its_box(size, speed):
    animal = walking_animal(size)
    travel = going(animal, speed, np.linspace(0.0, 2.0, 100))
    poses = animal.poses(travel)
    reach = np.linalg.norm(animal.hooves_m(travel.state) - animal.hips_m, axis=-1)
    assert reach.max() <= sum(animal.bones_m) + 1e-9
    half = np.array(size) / 2 + (0.05, 0.01, 0.01)
    for n, part in enumerate(animal.parts):
        corners = part.vertices_m @ poses[:, n, :3, :3].swapaxes(1, 2) + poses[:, n, None, :3, 3]
        assert (np.abs(corners) < half).all()
    assert np.abs(np.linalg.det(poses[..., :3, :3]) - 1.0).max() < 1e-9


@pytest.mark.parametrize("step_s", [0.1, 0.05])
def test_cycles_hardly_depend_on_how_often_messages_come(step_s):
    """The speed goes smoothly from 1 to 1.6 m/s and back, also between dense messages."""
    animal, dog = walking_animal(DOG), SimpleNamespace(object_id=np.array([7], np.uint64))

    def cycles(step_s):
        time = np.arange(0.0, 8.0 + 0.5 * step_s, step_s)
        way = 1.3 * time - 0.3 * 8.0 / (2.0 * np.pi) * np.sin(2.0 * np.pi * time / 8.0)
        state, found = None, []
        for part in np.diff(way):
            heard = Heard(SimpleNamespace(objects=dog), 0, part, 0.0, step_s, part / step_s, 0.0)
            state = animal.advance(state, heard)
            found.append(state[0] - phase_of(7))
        return np.array(found)

    often = cycles(1e-3)
    every = round(1e3 * step_s)
    np.testing.assert_allclose(cycles(step_s), often[every - 1 :: every], atol=3e-3)
