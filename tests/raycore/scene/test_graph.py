# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from raycore.errors import RayCoreError
from raycore.mesh.mesh import box, plane
from raycore.scene.graph import ANCHOR_LIMIT_M, SceneGraph
from tests.raycore.helpers import (
    pose,
    random_rotation,
    rays,
    rotation_z,
    sphere_of_directions,
    trace,
)

DIRECTIONS = sphere_of_directions(400, np.random.default_rng(7))


def test_only_changes_are_committed():
    scene = SceneGraph()
    car = scene.add_mesh(box(np.array([4.0, 2.0, 1.5])))
    instance = scene.add(car, pose((10, 0, 0)))
    scene.add(car, pose((-10, 0, 0)))
    assert scene.commit(np.zeros(3))
    assert not scene.commit(np.zeros(3))
    scene.set_pose(instance, pose((11, 0, 0)))
    assert scene.commit(np.zeros(3))
    counts = scene.counts
    assert (counts.meshes_built, counts.instances_added, counts.poses_set) == (1, 2, 1)
    assert (counts.commits, counts.anchor_moves, counts.instances_removed) == (2, 0, 0)


def test_the_anchor_follows_a_sensor_that_drives_away():
    scene = SceneGraph()
    scene.add(scene.add_mesh(plane(1e5)), pose())
    scene.commit(np.zeros(3))
    scene.commit(np.array([ANCHOR_LIMIT_M - 1, 0, 0]))
    assert scene.counts.anchor_moves == 0
    assert scene.commit(np.array([ANCHOR_LIMIT_M + 1, 0, 0]))
    assert scene.counts.anchor_moves == 1


def test_ranges_stay_exact_on_a_drive_of_fifty_kilometres():
    scene = SceneGraph()
    car = scene.add(scene.add_mesh(box(np.array([4.0, 2.0, 1.5]))), pose((10, 0, 0)))
    for x_m in np.arange(0.0, 50_000.0, 733.37):
        scene.set_pose(car, pose((x_m + 22, 0, 0)))
        hits = trace(scene, rays([[1, 0, 0]]), pose((x_m, 0, 0)))
        assert hits.range_m[0] == pytest.approx(20.0, abs=1e-4)  # 22 m less half the length


@pytest.mark.parametrize("bad", [np.full((4, 4), np.nan), np.eye(3), np.diag([1.0, 0, 1, 1])])
def test_an_impossible_pose_is_refused(bad):
    scene = SceneGraph()
    index = scene.add_mesh(plane(1.0))
    with pytest.raises(RayCoreError):
        scene.add(index, bad)


def test_many_are_moved_at_once_as_one_by_one():
    rng = np.random.default_rng(5)
    poses = np.stack([pose(rng.normal(0, 8, 3), random_rotation(rng)) for _ in range(20)])
    scenes = SceneGraph(), SceneGraph()
    for scene in scenes:
        car = scene.add_mesh(box(np.array([4.0, 2.0, 1.5])))
        for _ in poses:
            scene.add(car, pose())
        scene.commit(np.zeros(3))
    scenes[0].set_poses(range(20), poses)
    for n in range(20):
        scenes[1].set_pose(n, poses[n])
    got, expected = (trace(scene, rays(DIRECTIONS)) for scene in scenes)
    assert (got.range_m == expected.range_m).all()
    assert (got.normal == expected.normal).all()
    assert scenes[0].counts == scenes[1].counts


@pytest.mark.parametrize("gone", [True, False])
def test_what_is_not_in_the_scene_cannot_be_moved(gone):
    scene = SceneGraph()
    index = scene.add(scene.add_mesh(plane(1.0)), pose())
    if gone:
        scene.remove(index)
    with pytest.raises(RayCoreError, match="not in the scene"):
        scene.set_pose(index if gone else 7, pose())


def in_frame(frame, point_m):
    """Return a point of the anchor frame in the frame of a mesh, in metres."""
    return frame[:, :3] @ (point_m - frame[:, 3])


@pytest.mark.parametrize("scale", [(1, 1, 1), (2, 3, 0.5), (-2, 3, 0.5)])
def test_frames_give_metres_in_the_frame_of_a_mesh_s_file_however_it_is_scaled(scale):
    scene, x_m = SceneGraph(), 4e6
    brick = replace(box(np.array([4.0, 2.0, 1.5])), origin_m=np.array([100.0, -50.0, 8.0]))
    turned = pose((x_m + 10, 20, 5), rotation_z(np.pi / 2) @ np.diag(scale))
    scene.add(scene.add_mesh(brick), turned)
    scene.commit(np.array([x_m, 0.2, 0.0]))  # the anchor is at (4e6, 0, 0)
    frames, scales = scene.frames()
    assert frames.shape[1:] == (1, 3, 4)
    np.testing.assert_allclose(scales[0], np.abs(scale))
    # (1, 2, 3) of the file is scaled, turned to the left by a right angle, and moved
    a, b, c = np.array([1, 2, 3]) * scale
    np.testing.assert_allclose(frames[0, 0, :, 3], [10, 20, 5], atol=1e-9)
    found = in_frame(frames[0, 0], np.array([10 - b, 20 + a, 5 + c]))
    np.testing.assert_allclose(found, np.array([1, 2, 3]) * np.abs(scale), atol=1e-9)


def test_frames_follow_what_moves_and_repeat_for_what_rests():
    scene = SceneGraph()
    brick = scene.add_mesh(box(np.array([4.0, 2.0, 1.5])))
    resting, moving = scene.add(brick, pose((7, 0, 0))), scene.add(brick, pose())
    steps = np.array([pose((x, 3, 0), rotation_z(x)) for x in (0.0, 0.1, 0.3)])
    scene.set_motions([moving], steps[None], pose((0, 0, 1), scale=2.0)[None])
    scene.commit(np.zeros(3))
    frames, scales = scene.frames()
    np.testing.assert_allclose(scales[[resting, moving]], [[1, 1, 1], [2, 2, 2]])
    for step, world in enumerate(steps):
        np.testing.assert_allclose(frames[resting, step], pose((7, 0, 0))[:3])
        point_m = (world @ [2.0, 4.0, 7.0, 1.0])[:3]  # (1, 2, 3) of the file, twice, and 1 m up
        np.testing.assert_allclose(in_frame(frames[moving, step], point_m), [2, 4, 6])


class SceneMachine(RuleBasedStateMachine):
    """Whatever was added, moved and removed: the scene is the one built afresh."""

    def __init__(self):
        super().__init__()
        self.scene = SceneGraph()
        self.meshes = [box(np.array([4.0, 2.0, 1.5])), plane(2.0)]
        self.indices = [self.scene.add_mesh(mesh) for mesh in self.meshes]
        self.placed = {}

    @rule(which=st.integers(0, 1), x=st.floats(-9, 9), y=st.floats(-9, 9), turn=st.floats(-3, 3))
    def add(self, which, x, y, turn):
        matrix = pose((x, y, -2), rotation_z(turn))
        self.placed[self.scene.add(self.indices[which], matrix)] = (which, matrix)

    @precondition(lambda self: self.placed)
    @rule(pick=st.integers(0, 99), x=st.floats(-9, 9), z=st.floats(-9, 9))
    def move(self, pick, x, z):
        instance = sorted(self.placed)[pick % len(self.placed)]
        matrix = pose((x, 0, z))
        self.scene.set_pose(instance, matrix)
        self.placed[instance] = (self.placed[instance][0], matrix)

    @precondition(lambda self: self.placed)
    @rule(pick=st.integers(0, 99))
    def remove(self, pick):
        instance = sorted(self.placed)[pick % len(self.placed)]
        self.scene.remove(instance)
        del self.placed[instance]

    @invariant()
    def equals_a_scene_built_afresh(self):
        afresh = SceneGraph()
        indices = [afresh.add_mesh(mesh) for mesh in self.meshes]
        for instance in sorted(self.placed):
            which, matrix = self.placed[instance]
            afresh.add(indices[which], matrix)
        got, expected = trace(self.scene, rays(DIRECTIONS)), trace(afresh, rays(DIRECTIONS))
        np.testing.assert_array_equal(got.beam, expected.beam)
        np.testing.assert_allclose(got.range_m, expected.range_m, rtol=1e-6)
        np.testing.assert_allclose(got.normal, expected.normal, atol=1e-5)


SceneMachine.TestCase.settings = settings(max_examples=20, stateful_step_count=12, deadline=None)
TestSceneMachine = SceneMachine.TestCase
