# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""What a commit says that it changed: no ray beside it may tell."""

from dataclasses import replace

import numpy as np
import pytest

from raycore.mesh.mesh import box, plane
from raycore.records import NOTHING
from raycore.scene.changes import MOST_COMMITS, gathered
from raycore.scene.graph import ANCHOR_LIMIT_M, SceneGraph
from raycore.scene.motion import Trajectory
from raycore.trace.embree_tracer import EmbreeTracer
from tests.raycore.helpers import (
    pose,
    random_rotation,
    rays,
    rotation_z,
    sphere_of_directions,
)

CAR = np.array([4.0, 2.0, 1.5])


def at(x_m, y_m=0.0, z_m=0.0, rotation=None):
    return pose((x_m, y_m, z_m), rotation)


@pytest.fixture
def scene():
    """A committed scene of two cars, instances 0 and 1 of mesh 0."""
    scene = SceneGraph()
    car = scene.add_mesh(box(CAR))
    scene.add(car, at(10))
    scene.add(car, at(-10))
    scene.commit(np.zeros(3))
    return scene


def changes(scene, position_m=(0.0, 0.0, 0.0)):
    """Commit, and return what that changed."""
    before = scene.counts.commits
    scene.commit(np.asarray(position_m))
    return scene.changes_since(before)


def assert_bounds(changed, row, center_m):
    """Check that a row is the box of a car that is not turned, and little more."""
    expected = np.asarray(center_m) + np.array([[-0.5], [0.5]]) * CAR
    got = np.stack([changed.lower_m[row], changed.upper_m[row]])
    outside = (expected - got) * [[1], [-1]]
    assert (outside > 0).all()
    assert (outside < 2e-3).all()


def test_what_moved_was_in_one_place_and_is_in_another(scene):
    scene.set_pose(1, at(-20, 3))
    changed = changes(scene)
    assert not changed.everything
    assert changed.instance.tolist() == [1, 1]
    assert_bounds(changed, 0, (-10, 0, 0))
    assert_bounds(changed, 1, (-20, 3, 0))


def test_what_comes_or_goes_is_in_one_place(scene):
    scene.remove(0)
    gone = changes(scene)
    assert gone.instance.tolist() == [0]
    assert_bounds(gone, 0, (10, 0, 0))
    scene.add(0, at(0, 5))
    come = changes(scene)
    assert come.instance.tolist() == [0]
    assert_bounds(come, 0, (0, 5, 0))


def test_a_new_one_with_the_index_of_a_removed_one_does_not_hide_it(scene):
    scene.remove(1)
    assert scene.add(0, at(30)) == 1
    scene.set_pose(1, at(31))
    changed = changes(scene)
    assert changed.instance.tolist() == [1, 1]
    assert_bounds(changed, 0, (-10, 0, 0))
    assert_bounds(changed, 1, (31, 0, 0))


def test_one_that_came_and_went_between_two_commits_was_never_seen(scene):
    scene.remove(scene.add(0, at(30)))
    changed = changes(scene)
    assert not changed.everything
    assert len(changed.instance) == 0


def test_the_places_of_some_that_turn_to_the_side_are_those_of_their_turned_boxes(scene):
    scene.set_poses([0, 1], np.stack([at(10, rotation=rotation_z(np.pi / 2)), at(-10)]))
    changed = changes(scene)
    extent_m = (changed.upper_m - changed.lower_m)[2]
    np.testing.assert_allclose(extent_m, CAR[[1, 0, 2]], atol=3e-3)


def test_a_new_mesh_or_another_anchor_may_change_everything(scene):
    scene.add(scene.add_mesh(plane(1.0)), at(0, 9))
    assert changes(scene).everything
    scene.set_pose(0, at(11))
    assert not changes(scene).everything
    assert changes(scene, (ANCHOR_LIMIT_M + 1, 0, 0)).everything


def test_the_first_commit_changes_everything():
    scene = SceneGraph()
    scene.add(scene.add_mesh(box(CAR)), at(10))
    assert changes(scene).everything


def test_changes_of_several_commits_are_taken_together(scene):
    first = scene.counts.commits
    for n in range(3):
        scene.set_pose(n % 2, at(5.0 * n))
        scene.commit(np.zeros(3))
    together = scene.changes_since(first)
    assert together.instance.tolist() == [0, 0, 1, 1, 0, 0]
    assert_bounds(together, 5, (10, 0, 0))
    assert len(scene.changes_since(scene.counts.commits).instance) == 0
    assert not scene.changes_since(scene.counts.commits).everything


def test_what_was_changed_too_long_ago_may_be_everything(scene):
    first = scene.counts.commits
    for n in range(MOST_COMMITS + 1):
        assert n == 0 or not scene.changes_since(first).everything
        scene.set_pose(0, at(10 + n))
        scene.commit(np.zeros(3))
    assert scene.changes_since(first).everything


def moving(rng, n_step, turn_rad):
    """Return poses of an object that goes some metres and turns about any axis at each step."""
    steps = [pose(rng.normal(0, 30, 3), random_rotation(rng))]
    for _ in range(n_step - 1):
        basis = random_rotation(rng)
        turn = basis @ rotation_z(turn_rad) @ basis.T
        steps.append(pose(steps[-1][:3, 3] + rng.normal(0, 1, 3), turn @ steps[-1][:3, :3]))
    return np.array(steps)


@pytest.mark.parametrize("turn_rad", [0.0, 1e-4, 0.02, 1.0, 3.1])
@pytest.mark.parametrize("far_m", [0.0, 3e6])
def test_an_object_stays_within_its_bounds_at_all_times(turn_rad, far_m):
    rng = np.random.default_rng(3)
    scene = SceneGraph()
    shape = box([4.0, 2.0, 1.5])
    scene.add_mesh(shape)
    anchor_m = np.array([far_m, -far_m, 10.0])
    for n_step in (2, 3, 5):
        steps = moving(rng, n_step, turn_rad)
        steps[:, :3, 3] += anchor_m
        local = pose(rng.normal(0, 2, 3), random_rotation(rng) @ np.diag([1.5, 0.7, -1.1]))
        local[:3, :3] += rng.normal(0, 0.1, (3, 3))
        instance = scene.add(0, steps[0])
        scene.set_motions([instance], steps[None], local[None])
        changed = changes(scene, anchor_m)
        row = -1  # where it is comes last
        trajectory = Trajectory(time=np.linspace(0, 1, n_step), world_from_body=steps)
        at_times = trajectory.at(np.linspace(0, 1, 301), local)
        corners_m = shape.vertices_m @ np.swapaxes(at_times[:, :3, :3], 1, 2)
        corners_m += at_times[:, None, :3, 3] - anchor_m
        low_m, high_m = corners_m.min(axis=(0, 1)), corners_m.max(axis=(0, 1))
        assert (changed.lower_m[row] < low_m).all()
        assert (changed.upper_m[row] > high_m).all()
        if turn_rad < 0.1:  # what turns far may have less of its box used
            assert (low_m - changed.lower_m[row] < 0.02).all()
        scene.remove(instance)


def test_boxes_side_by_side_become_one_that_covers_them():
    """Ten people of eleven parts at two places each have 220 boxes, of which few are left."""
    rng = np.random.default_rng(4)
    people_m = rng.uniform(-30, 30, (10, 1, 3))
    low_m = (people_m + rng.uniform(-0.8, 0.8, (10, 22, 3))).reshape(-1, 3).astype(np.float32)
    high_m = low_m + rng.uniform(0.1, 0.6, low_m.shape).astype(np.float32)
    low, high = gathered(low_m, high_m)
    assert len(low) <= 80
    covers = (low[:, None] <= low_m).all(axis=2) & (high[:, None] >= high_m).all(axis=2)
    assert covers.any(axis=0).all()
    few, _ = gathered(low_m[:9], high_m[:9])
    np.testing.assert_array_equal(few, low_m[:9])


def meets(direction, changed):
    """Return which rays from the origin meet a box, (n,), with a little to spare."""
    with np.errstate(divide="ignore"):
        inverse = 1.0 / direction.astype(np.float64)[:, None]
    low, high = (changed.lower_m - 1e-3) * inverse, (changed.upper_m + 1e-3) * inverse
    enter = np.minimum(low, high).max(axis=2)
    leave = np.maximum(low, high).min(axis=2)
    return ((leave >= enter) & (leave >= 0.0)).any(axis=1)


@pytest.mark.parametrize("seed", range(12))
def test_rays_that_pass_all_changes_by_meet_what_they_met_before(seed):
    """Objects rest, move and turn; some come, go, or take the place of others in one commit."""
    rng = np.random.default_rng(seed)
    scene = SceneGraph()
    meshes = [scene.add_mesh(box(CAR)), scene.add_mesh(plane(2.0))]
    shot = rays(sphere_of_directions(4000, rng))
    shot = replace(shot, time=rng.random(4000).astype(np.float32))

    def place():
        return pose(rng.normal(0, 12, 3), random_rotation(rng))

    def traced():
        seen = EmbreeTracer().trace(scene, shot, np.eye(4))  # a new one, which traces all rays
        met = seen.instance != NOTHING
        columns = (seen.range_m, *seen.normal, seen.primitive)
        return [seen.instance.copy(), *(np.where(met, column, 0) for column in columns)]

    placed = [scene.add(mesh, place()) for mesh in rng.choice(meshes, 30).tolist()]
    scene.commit(np.zeros(3))
    n_kept = n_differ = 0
    for _ in range(8):
        before = traced()
        for instance in rng.choice(placed, 2, replace=False).tolist():
            scene.remove(instance)
            placed.remove(instance)
        placed += [scene.add(mesh, place()) for mesh in rng.choice(meshes, 2).tolist()]
        some, other = rng.choice(placed, (2, 2), replace=False)
        scene.set_poses(some, np.stack([place(), place()]))
        steps = np.stack([moving(rng, 2, turn_rad) for turn_rad in (0.0, 0.8)])
        scene.set_motions(other, steps, np.stack([np.eye(4), place()]))
        changed = changes(scene)
        assert not changed.everything
        kept = ~meets(shot.direction.T, changed)
        differ = np.zeros(len(kept), bool)
        for old, new in zip(before, traced(), strict=True):
            differ |= old != new
        assert not (differ & kept).any()
        n_kept, n_differ = n_kept + kept.sum(), n_differ + differ.sum()
    assert n_kept > 2000
    assert n_differ > 200
