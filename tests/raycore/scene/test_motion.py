# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Bodies that move while rays are shot, and a sensor that does."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from raycore.closed_forms import range_to_plane
from raycore.errors import RayCoreError
from raycore.mesh.mesh import plane
from raycore.scene.graph import SceneGraph
from raycore.scene.motion import Trajectory, bodies_at, decomposed, quaternions, split, turns_rad
from tests.raycore.helpers import (
    mesh,
    pose,
    random_rotation,
    rays,
    rotation_z,
    sphere_of_directions,
    trace,
)
from tests.raycore.reference import first_hits


def skewed(rng):
    """Return an affine transform that turns, stretches, skews and shifts."""
    matrix = np.eye(4)
    matrix[:3, :3] = random_rotation(rng) @ np.diag([1.5, 0.7, 1.1]) + rng.normal(0, 0.1, (3, 3))
    matrix[:3, 3] = rng.normal(0, 0.5, 3)
    return matrix


def blob(rng, n_face=60):
    """Return a mesh of random triangles within a few metres."""
    return mesh(rng.normal(0, 1.5, (3 * n_face, 3)), np.arange(3 * n_face).reshape(-1, 3))


def timed(the_rays, rng):
    return replace(the_rays, time=rng.random(len(the_rays)).astype(np.float32))


def moving(n_step, rng, *, turning):
    """Return the poses of an object some metres away, which turns by up to 80 degrees a step."""
    steps = [pose(rng.normal(0, 1, 3) + (6, 0, 0), random_rotation(rng) if turning else None)]
    for _ in range(n_step - 1):
        turn = np.eye(3)
        if turning:
            basis = random_rotation(rng)
            turn = basis @ rotation_z(rng.uniform(-1.4, 1.4)) @ basis.T
        steps.append(pose(steps[-1][:3, 3] + rng.normal(0, 1, 3), turn @ steps[-1][:3, :3]))
    return np.array(steps)


def set_motion(scene, instance, steps, object_from_mesh):
    """Let one instance move."""
    scene.set_motions([instance], steps[None], object_from_mesh[None])


@pytest.mark.parametrize("turning", [False, True])
@pytest.mark.parametrize("n_step", [2, 3, 11])
def test_hits_are_those_of_a_loop_over_triangles_where_they_are_at_each_ray_s_time(n_step, turning):
    rng = np.random.default_rng(10 * n_step + turning)
    shape, object_from_mesh = blob(rng), skewed(rng)
    steps = moving(n_step, rng, turning=turning)
    scene = SceneGraph()
    instance = scene.add(scene.add_mesh(shape), steps[0] @ object_from_mesh)
    set_motion(scene, instance, steps, object_from_mesh)
    assert scene.moves(instance)
    shot = timed(rays(rng.normal((6, 0, 0), 1.5, (800, 3))), rng)
    hits = trace(scene, shot)

    trajectory = Trajectory(time=np.linspace(0, 1, n_step), world_from_body=steps)
    at = trajectory.at(shot.time, object_from_mesh)
    corners = shape.vertices_m[shape.faces].astype(np.float64)
    got = np.full(len(shot), np.inf)
    got[hits.beam] = hits.range_m
    normal = np.zeros((len(got), 3))
    normal[hits.beam] = hits.normal
    n_agree = 0
    for ray, world in enumerate(at):
        triangles = corners @ world[:3, :3].T + world[:3, 3]
        direction = shot.direction.T[ray : ray + 1].astype(np.float64)
        (range_m,), (face,) = first_hits(np.zeros(3), direction, triangles)
        if np.isfinite(range_m) != np.isfinite(got[ray]):
            continue  # a ray that meets an edge to within rounding
        n_agree += 1
        if face < 0:
            continue
        a, b, c = triangles[face]
        expected = np.cross(b - a, c - a)
        expected /= np.linalg.norm(expected)
        cosine = abs(expected @ direction[0])
        assert abs(got[ray] - range_m) < 1e-4 + 2e-5 / cosine, ray
        assert_allclose(abs(normal[ray] @ expected), 1.0, atol=1e-3)
    assert n_agree >= 0.998 * len(got)
    assert len(hits) > 100


def test_a_plate_that_comes_nearer_is_met_where_it_is_at_the_time_of_each_ray():
    plate = mesh([[0, -5, -5], [0, 5, -5], [0, 5, 5], [0, -5, 5]], [[0, 1, 2], [0, 2, 3]])
    scene = SceneGraph()
    instance = scene.add(scene.add_mesh(plate), pose((20, 0, 0)))
    set_motion(scene, instance, np.array([pose((20, 0, 0)), pose((17, 0, 0))]), np.eye(4))
    shot = rays(np.tile([1.0, 0.01, 0.02], (101, 1)))
    shot = replace(shot, time=np.linspace(0, 1, 101, dtype=np.float32))
    hits = trace(scene, shot)
    place_m = np.linspace((20, 0, 0), (17, 0, 0), 101)
    forward = {"direction": shot.direction.T, "normal": (1, 0, 0)}
    expected_m = range_to_plane(np.zeros(3), point_m=place_m, **forward)
    assert_allclose(hits.range_m, expected_m, atol=5e-6)
    scene.set_pose(instance, pose((17, 0, 0)))
    assert not scene.moves(instance)
    assert_allclose(trace(scene, shot).range_m, expected_m[-1], atol=5e-6)


@pytest.mark.parametrize("chord_m", [1e-4, 3e-4, 1e-3, 4e-3])
def test_a_part_keeps_to_its_arc_within_what_is_allowed(chord_m):
    """A plate 1 m from the axis leaves its arc by 2.8 mm on a single chord, the largest allowed."""
    plate = mesh(
        [[0, -0.2, -0.1], [0, 0.2, -0.1], [0, 0.2, 0.1], [0, -0.2, 0.1]], [[0, 1, 2], [0, 2, 3]]
    )
    turn_rad, axis_x_m = 0.15, 5.0
    turns = [
        pose((axis_x_m, 0, 0), rotation_z(angle)) for angle in (-0.5 * turn_rad, 0.5 * turn_rad)
    ]
    scene, local = SceneGraph(), pose((-1, 0, 0))
    instance = scene.add(scene.add_mesh(plate), turns[0] @ local)
    scene.set_motions([instance], np.array(turns)[None], local[None], chord_m=chord_m)
    shot = rays(np.tile([1.0, 0.0, 0.01], (201, 1)))
    shot = replace(shot, time=np.linspace(0, 1, 201, dtype=np.float32))
    hits = trace(scene, shot)
    angle = turn_rad * (shot.time - 0.5)
    off_m = np.abs(hits.range_m * shot.direction[0] - (axis_x_m - 1.0 / np.cos(angle)))
    assert off_m.max() < chord_m
    assert (off_m.max() > 2e-3) == (chord_m > 3e-3)


def test_an_instance_moves_as_if_it_had_always_had_its_part_and_its_place():
    """Its part is shifted or turned in its object, and it gives its place to another mesh."""
    rng = np.random.default_rng(8)
    steps, part, shapes = moving(3, rng, turning=True), skewed(rng), (blob(rng), blob(rng))
    the_rays = timed(rays(sphere_of_directions(400, rng)), rng)
    shifted, turned = pose((0.3, -0.2, 0.4)) @ part, part @ pose((0, 0, 0), rotation_z(0.5))
    scene, instance = SceneGraph(), 0
    meshes = [scene.add_mesh(each) for each in shapes]
    scene.add(meshes[0], steps[0])
    for which, local in ((0, part), (0, shifted), (0, turned), (1, part), (1, turned), (0, part)):
        if scene.mesh_of(instance) is not shapes[which]:
            scene.remove(instance)
            assert scene.add(meshes[which], steps[0]) == instance
        fresh = SceneGraph()
        fresh.add(fresh.add_mesh(shapes[which]), steps[0])
        for each in (scene, fresh):
            set_motion(each, instance, steps, local)
        found, expected = trace(scene, the_rays), trace(fresh, the_rays)
        assert len(expected) > 20
        for column in ("beam", "range_m", "normal", "primitive"):
            assert_array_equal(getattr(found, column), getattr(expected, column))


@pytest.mark.parametrize("turn_rad", [1e-5, 5e-4, 0.9e-3, 1.1e-3, 3e-3, 6e-3])
def test_what_hardly_turns_is_where_it_is_to_a_micrometre(turn_rad):
    """Embree moves this mesh, which reaches 3.6 m, along one chord up to a turn of 1 mrad, along
    several up to 4 mrad, and along its arc beyond."""
    rng = np.random.default_rng(6)
    shape = mesh([[0, -3, -2], [0, 3, -2], [0, 3, 2], [0, -3, 2]], [[0, 1, 2], [0, 2, 3]])
    steps = np.array([pose((4, 0, 0)), pose((4.2, 0, 0), rotation_z(turn_rad))])
    scene = SceneGraph()
    instance = scene.add(scene.add_mesh(shape), steps[0])
    set_motion(scene, instance, steps, np.eye(4))
    shot = timed(rays(np.column_stack([np.ones(500), rng.uniform(-0.6, 0.6, (500, 2))])), rng)
    hits = trace(scene, shot)
    at = Trajectory(time=np.array([0.0, 1.0]), world_from_body=steps).at(shot.time[hits.beam])
    direction = shot.direction.T[hits.beam].astype(np.float64)
    normal, origin_m = at[:, :3, 0], at[:, :3, 3]
    towards = (normal * direction).sum(axis=1)
    expected_m = range_to_plane(np.zeros(3), direction, point_m=origin_m, normal=normal)
    assert len(hits) > 200
    assert_allclose(hits.range_m * towards, expected_m * towards, atol=2e-6)
    assert_allclose(hits.normal, -normal, atol=3e-7)


@pytest.mark.parametrize("n_swift", [0, 1, 2])
def test_what_turns_little_keeps_to_its_arc_beside_what_turns_more_and_after_it(n_swift):
    """Beside two swift instances it takes quaternions, as they do; without them it is as if they
    had never been there, to the last bit, though its own motion is the same."""
    shape = mesh([[0, -3, -2], [0, 3, -2], [0, 3, 2], [0, -3, 2]], [[0, 1, 2], [0, 2, 3]])
    swift = np.array([pose((50, 0, 0)), pose((50, 0, 0), rotation_z(1.0))])
    steps = np.array([pose((4, 0, 0)), pose((4.2, 0, 0), rotation_z(3e-3))])
    rng = np.random.default_rng(9)
    shot = timed(rays(np.column_stack([np.ones(500), rng.uniform(-0.4, 0.4, (500, 2))])), rng)
    at = Trajectory(time=np.array([0.0, 1.0]), world_from_body=steps).at(shot.time)
    direction = shot.direction.T.astype(np.float64)
    normal, origin_m = at[:, :3, 0], at[:, :3, 3]
    towards = (normal * direction).sum(axis=1)
    expected_m = range_to_plane(np.zeros(3), direction, point_m=origin_m, normal=normal)

    def scene_with(n):
        scene = SceneGraph()
        index = scene.add_mesh(shape)
        slow, *others = (scene.add(index, pose()) for _ in range(1 + n))
        set_motion(scene, slow, steps, np.eye(4))
        for other in others:
            set_motion(scene, other, swift, np.eye(4))
        return scene, others

    scene, others = scene_with(n_swift)
    hits = trace(scene, shot)
    assert len(hits) == len(shot)
    assert_allclose(hits.range_m * towards, expected_m * towards, atol=4e-6)
    for other in others:
        scene.remove(other)
    alone = trace(scene_with(0)[0], shot)
    assert_array_equal(trace(scene, shot).range_m, alone.range_m)
    assert (hits.range_m != alone.range_m).any() == (n_swift == 2)


def test_all_that_move_have_as_many_poses():
    steps = moving(3, np.random.default_rng(8), turning=True)
    scene = SceneGraph()
    plate = scene.add_mesh(plane(1.0))
    first, second = scene.add(plate, pose()), scene.add(plate, pose())
    set_motion(scene, first, steps, np.eye(4))
    set_motion(scene, second, steps[:2], np.eye(4))
    with pytest.raises(RayCoreError, match="differ in their number of time steps"):
        scene.commit(np.zeros(3))
    scene.set_pose(first, pose())
    assert scene.commit(np.zeros(3))


@pytest.mark.parametrize("far_m", [0.0, 5e6])
def test_each_ray_starts_at_the_pose_of_its_moment(far_m):
    rng = np.random.default_rng(4)
    shape = blob(rng, 200)
    world = pose((far_m, far_m, 100.0))
    scene = SceneGraph()
    scene.add(scene.add_mesh(shape), world)
    poses = np.array([pose(rng.normal(0, 1, 3), random_rotation(rng)) for _ in range(8)])
    shot = rays(sphere_of_directions(800, rng))
    moment = rng.integers(0, 8, 800).astype(np.uint32)
    scene.commit(world[:3, 3])
    together = trace(scene, replace(shot, moment=moment), world @ poses)
    for n in range(8):
        alone = trace(scene, shot, world @ poses[n])
        mine = np.flatnonzero(moment[together.beam] == n)
        same = np.flatnonzero(moment[alone.beam] == n)
        assert (together.beam[mine] == alone.beam[same]).all()
        assert_allclose(together.range_m[mine], alone.range_m[same], atol=2e-6)
        assert_allclose(together.normal[mine], alone.normal[same], atol=1e-5)


def test_a_trajectory_goes_through_its_poses_and_turns_evenly_between_them():
    rng = np.random.default_rng(1)
    steps = moving(5, rng, turning=True)
    time = np.array([0.0, 0.5, 0.7, 2.0, 2.1])
    trajectory = Trajectory(time=time, world_from_body=steps)
    assert_allclose(trajectory.at(time), steps, atol=1e-12)
    turns = turns_rad(steps[:, :3, :3])
    halfway = trajectory.at((time[:-1] + time[1:]) / 2)
    assert_allclose(halfway[:, :3, 3], (steps[:-1, :3, 3] + steps[1:, :3, 3]) / 2)
    assert_allclose(
        turns_rad(np.stack([steps[0, :3, :3], halfway[0, :3, :3]]))[0], turns[0] / 2, atol=1e-12
    )


def test_many_bodies_are_where_each_ones_trajectory_says():
    rng = np.random.default_rng(9)
    time, grid = np.array([0.0, 0.4, 1.0]), np.linspace(-0.1, 1.1, 9)
    keys = np.array([moving(3, rng, turning=n > 0) for n in range(20)])
    expected = [Trajectory(time=time, world_from_body=each).at(grid) for each in keys]
    assert (bodies_at(time, keys, grid) == expected).all()


def test_a_few_times_give_what_they_give_among_many():
    steps = moving(4, np.random.default_rng(10), turning=True)
    trajectory = Trajectory(time=np.arange(4.0), world_from_body=steps)
    times = np.linspace(0.0, 3.0, 1000)
    assert (trajectory.at(times)[::100] == trajectory.at(times[::100])).all()


def test_a_body_rests_before_its_first_pose_and_after_its_last_one():
    steps = moving(2, np.random.default_rng(2), turning=True)
    trajectory = Trajectory(time=np.array([1.0, 2.0]), world_from_body=steps)
    assert_allclose(trajectory.at([0.0, 3.0]), steps, atol=1e-12)
    alone = Trajectory(time=np.array([1.0]), world_from_body=steps[:1])
    assert (alone.at([0.0, 1.0, 2.0]) == steps[0]).all()


def test_a_part_goes_round_with_its_body():
    steps = np.array([pose((1, 2, 3)), pose((1, 2, 3), rotation_z(np.pi / 2))])
    trajectory = Trajectory(time=np.array([0.0, 1.0]), world_from_body=steps)
    (middle,) = trajectory.at([0.5], pose((2, 0, 0)))
    assert_allclose(middle[:3, 3], [1 + 2**0.5, 2 + 2**0.5, 3], atol=1e-12)


def test_quaternions_turn_as_their_matrices_do():
    rng = np.random.default_rng(3)
    half_turns = [np.diag(d) for d in ([1.0, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1])]
    for rotation in [*half_turns, *(random_rotation(rng) for _ in range(200))]:
        r, *v = quaternions(rotation[None])[0]
        v = np.array(v)
        cross = np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])
        again = (r * r - v @ v) * np.eye(3) + 2 * np.outer(v, v) + 2 * r * cross
        assert_allclose(again, rotation, atol=1e-12)
        assert r >= 0


def test_embree_s_quaternions_go_the_shorter_way_round_from_each_step_to_the_next():
    """Rotations by an angle apart are quaternions with a dot product of cos(angle / 2).

    Two whole turns, about many axes: a quaternion of r >= 0 jumps to the other side on the way.
    """
    rng, step_rad = np.random.default_rng(4), np.radians(4.0)
    turns = np.array([rotation_z(step_rad * step) for step in range(181)])
    bases = np.array([random_rotation(rng) for _ in range(20)])
    steps = np.tile(np.eye(4), (20, 181, 1, 1))
    steps[:, :, :3, :3] = bases[:, None] @ turns @ np.swapaxes(bases, 1, 2)[:, None]
    rows = decomposed(steps, *split(np.array([skewed(rng) for _ in range(20)])))
    turned = rows[:, :, 9:13].astype(np.float64)
    dot = (turned[:, 1:] * turned[:, :-1]).sum(axis=2)
    assert_allclose(dot, np.cos(0.5 * step_rad), atol=1e-6)


@pytest.mark.parametrize("time", [[0.0, 0.0], [1.0, 0.5]])
def test_times_that_do_not_increase_are_refused(time):
    with pytest.raises(RayCoreError, match="increasing times"):
        Trajectory(time=np.array(time), world_from_body=np.tile(np.eye(4), (2, 1, 1)))


def test_poses_that_do_not_go_with_the_times_are_refused():
    with pytest.raises(RayCoreError, match=r"got 2 times and poses of shape \(3, 4, 4\)"):
        Trajectory(time=np.array([0.0, 1.0]), world_from_body=np.tile(np.eye(4), (3, 1, 1)))


def test_the_velocity_of_a_part_is_the_derivative_of_its_pose():
    rng = np.random.default_rng(8)
    path = Trajectory(time=np.array([0.0, 0.4, 1.0]), world_from_body=moving(3, rng, turning=True))
    part, step = pose((0.7, -1.2, 0.3), random_rotation(rng)), 1e-5
    times = np.array([0.1, 0.39, 0.6, 0.9])
    before, here, after = (path.at(times + move, part) for move in (-step, 0.0, step))
    moved, spin = path.velocity(times, here)
    expected = (after[:, :3, 3] - before[:, :3, 3]) / (2 * step)
    assert_allclose((here[:, :3, :3] @ moved[:, :, None])[:, :, 0], expected, atol=1e-5)
    turned = np.swapaxes(here[:, :3, :3], 1, 2) @ (after - before)[:, :3, :3] / (2 * step)
    assert_allclose(
        spin, np.stack([turned[:, 2, 1], turned[:, 0, 2], turned[:, 1, 0]], 1), atol=1e-5
    )


def test_a_body_has_no_velocity_before_and_after_its_keys():
    rng = np.random.default_rng(9)
    path = Trajectory(time=np.array([0.2, 0.8]), world_from_body=moving(2, rng, turning=True))
    times = np.array([0.1, 0.2, 0.8, 0.9])
    moved, spin = path.velocity(times, path.at(times))
    rests = (moved == 0.0).all(axis=1) & (spin == 0.0).all(axis=1)
    assert rests.tolist() == [True, False, False, True]
