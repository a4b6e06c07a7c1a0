# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""A receiver beside the beam: what near surfaces hide from it.

A plate ends at y = 0 at 1 m, a wall stands behind it. A ray that passes the plate's edge at the
distance t meets the wall at t r2 / r1, and its light passes the plate's edge on its way to a
receiver at the distance b from the start of the ray at t + b (1 - r1 / r2).
"""

from dataclasses import replace

import numpy as np
import pytest

from raycore.records import NOTHING
from raycore.scene.graph import SceneGraph
from raycore.trace.embree_tracer import EmbreeTracer
from raycore.trace.return_path import ReturnPath
from tests.raycore.helpers import mesh, pose, rays

NEAR_M, FAR_M, BESIDE_M = 1.0, 4.0, 0.02
REACH_M = BESIDE_M * (1.0 - NEAR_M / FAR_M)
PAST_M = np.array([-0.02, -0.004, 0.004, 0.0145, 0.0155, 0.03])
"""How far the rays pass the plate's edge, which is at 0; the first two meet the plate. [m]"""
THERE = np.ones(1, np.bool_)


def wall(x_m, low_m, high_m):
    corners = [[x_m, low_m, -9], [x_m, high_m, -9], [x_m, high_m, 9], [x_m, low_m, 9]]
    return mesh(corners, [[0, 1, 2], [0, 2, 3]])


def met(side, left_m, up_m=0.0, straight=THERE):
    """Return which rays the receiver sees, past a plate on the left (1) or on the right (-1)."""
    scene = SceneGraph()
    ends = (0.0, 9.0) if side > 0 else (-9.0, 0.0)
    for each in (wall(NEAR_M, *ends), wall(FAR_M, -30.0, 30.0)):
        scene.add(scene.add_mesh(each), pose())
    direction = np.stack([np.full(len(PAST_M), NEAR_M), -side * PAST_M, 0 * PAST_M], axis=1)
    shots = rays(direction)
    scene.commit(np.zeros(3))
    hits = EmbreeTracer().trace(scene, shots, np.eye(4))
    seen = ReturnPath(left_m, up_m).received(scene, np.eye(4), shots, hits, straight)
    np.testing.assert_array_equal(seen.range_m, hits.range_m)
    return seen.instance != NOTHING


@pytest.mark.parametrize("side", [1, -1])
def test_a_plate_hides_what_is_beside_it_on_the_side_of_the_receiver(side):
    hidden = (PAST_M > 0.0) & (PAST_M < REACH_M)
    assert hidden.sum() == 2
    np.testing.assert_array_equal(met(side, side * BESIDE_M), ~hidden)


@pytest.mark.parametrize("side", [1, -1])
def test_nothing_is_hidden_on_the_other_side_nor_by_an_upright_edge_from_a_receiver_above(side):
    assert met(side, -side * BESIDE_M).all()
    assert met(side, 0.0, BESIDE_M).all()


def test_a_receiver_where_the_beam_starts_sees_all_of_it():
    assert met(1, 0.0).all()


def test_rays_that_have_met_panes_or_mirrors_count_as_seen():
    straight = np.array([True, True, False, True, True, True])
    assert met(1, BESIDE_M, straight=straight)[2]


def test_what_is_seen_is_kept_while_nothing_changes_and_not_longer():
    scene, eyes = SceneGraph(), ReturnPath(BESIDE_M, 0.0)
    scene.add(scene.add_mesh(wall(FAR_M, -30.0, 30.0)), pose())
    plate = scene.add(scene.add_mesh(wall(NEAR_M, 0.0, 9.0)), pose())
    shots, seen = rays([(NEAR_M, -past_m, 0.0) for past_m in PAST_M]), []
    tracer = EmbreeTracer()
    for aside_m in (0.0, 0.0, 0.05):
        scene.set_pose(plate, pose((0.0, aside_m, 0.0)))
        scene.commit(np.zeros(3))
        hits = tracer.trace(scene, shots, np.eye(4))
        seen.append(eyes.received(scene, np.eye(4), shots, hits, THERE).instance != NOTHING)
    np.testing.assert_array_equal(seen[0], seen[1])
    assert not seen[0].all()
    assert seen[2].all()


def test_what_is_seen_from_a_moving_sensor_is_as_at_each_rays_own_moment():
    """The sensor comes to rest: only the poses before the last one change."""
    scene, eyes, tracer = SceneGraph(), ReturnPath(BESIDE_M, 0.0), EmbreeTracer()
    for each in (wall(NEAR_M, 0.0, 9.0), wall(FAR_M, -30.0, 30.0)):
        scene.add(scene.add_mesh(each), pose())
    scene.commit(np.zeros(3))
    shots = rays([(NEAR_M, -past_m, 0.0) for past_m in PAST_M])
    shots = replace(shots, moment=np.arange(len(PAST_M), dtype=np.uint32) // 5)
    for begin_m, n_hidden in ((-0.05, 0), (0.0, 2)):
        poses = np.stack([pose((0.0, begin_m, 0.0)), np.eye(4)])
        hits = tracer.trace(scene, shots, poses)
        seen = eyes.received(scene, poses, shots, hits, THERE).instance != NOTHING
        assert (~seen).sum() == n_hidden
