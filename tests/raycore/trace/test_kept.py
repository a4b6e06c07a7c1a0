# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Rays that cannot see a change are not traced, and all others are."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from raycore.mesh.mesh import box, plane
from raycore.scene.graph import SceneGraph
from raycore.trace.cones import box_cones, packet_cones
from raycore.trace.embree_tracer import EmbreeTracer
from tests.raycore.helpers import fan, pose, random_rotation, rays, rotation_z, sphere_of_directions

COLUMNS = ("range_m", "normal", "cos_incidence", "instance", "primitive")


def crowd(rng, n=15):
    scene = SceneGraph()
    scene.add(scene.add_mesh(plane(300.0)), pose((0, 0, -1.7)))
    mesh = scene.add_mesh(box(np.array([3.0, 2.0, 1.5])))
    things = [
        scene.add(mesh, pose((*rng.uniform(-30, 30, 2), 0.0), random_rotation(rng)))
        for _ in range(n)
    ]
    return scene, things


def n_traced(tracer, scene, the_rays, sensor):
    """Trace; return how many rays were not kept."""
    tracer.trace(scene, the_rays, sensor)
    return tracer.n_traced


def met(traced):
    """Return all columns of the rays that met something, and which they are."""
    beams = np.flatnonzero(traced.instance != 0xFFFFFFFF)
    return beams, *(getattr(traced, name)[..., beams].copy() for name in COLUMNS)


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10**6), shape=st.sampled_from(["sphere", "fan"]), far=st.booleans())
def test_rays_that_are_kept_are_those_of_a_whole_trace(seed, shape, far):
    rng = np.random.default_rng(seed)
    scene, things = crowd(rng)
    directions = (
        sphere_of_directions(3001, rng) if shape == "sphere" else fan(n=55, half_angle_deg=70)
    )
    the_rays = rays(directions, coherent=shape == "fan")
    if far:
        origin = rng.uniform(-0.5, 0.5, (len(directions), 3)).astype(np.float32)
        the_rays = replace(the_rays, origin_m=origin)
    sensor = pose((*rng.uniform(-5, 5, 2), 0.3), random_rotation(rng))
    tracer = EmbreeTracer()
    scene.commit(sensor[:3, 3])
    tracer.trace(scene, the_rays, sensor)
    kept = 0
    for _ in range(4):
        for thing in rng.choice(things, rng.integers(0, 3), replace=False).tolist():
            scene.set_pose(thing, pose((*rng.uniform(-30, 30, 2), 0.0), random_rotation(rng)))
        scene.commit(sensor[:3, 3])
        partly = tracer.trace(scene, the_rays, sensor)
        wholly = EmbreeTracer(incremental=False).trace(scene, the_rays, sensor)
        kept += len(directions) - tracer.n_traced
        for one, other in zip(met(partly), met(wholly), strict=True):
            np.testing.assert_array_equal(one, other)
    assert kept > 0


def test_a_sensor_at_rest_traces_anew_only_beside_crowds():
    """Two hundred parts that move, in ten groups, are not two hundred boxes to look for."""
    rng = np.random.default_rng(5)
    scene, _ = crowd(rng)
    part = scene.add_mesh(box(np.array([0.4, 0.3, 0.5])))
    groups = np.repeat(rng.uniform(-25, 25, (10, 3)) * (1, 1, 0), 20, axis=0)
    places = groups + rng.uniform(-0.6, 0.6, (200, 3))
    parts = [scene.add(part, pose(place)) for place in places]
    the_rays = rays(fan(n=140, half_angle_deg=70), coherent=True)
    sensor, tracer = np.eye(4), EmbreeTracer()
    scene.commit(sensor[:3, 3])
    tracer.trace(scene, the_rays, sensor)
    places += 0.05
    scene.set_poses(parts, np.array([pose(place) for place in places]))
    scene.commit(sensor[:3, 3])
    partly = tracer.trace(scene, the_rays, sensor)
    assert 0 < tracer.n_traced < 0.5 * len(the_rays)
    wholly = EmbreeTracer(incremental=False).trace(scene, the_rays, sensor)
    for one, other in zip(met(partly), met(wholly), strict=True):
        np.testing.assert_array_equal(one, other)


def test_other_rays_another_pose_and_another_scene_are_traced_whole():
    rng = np.random.default_rng(1)
    scene, _ = crowd(rng)
    the_rays = rays(fan(n=55, half_angle_deg=70))
    scene.commit(np.zeros(3))
    tracer = EmbreeTracer()
    n = len(the_rays)
    assert n_traced(tracer, scene, the_rays, pose()) == n
    assert n_traced(tracer, scene, the_rays, pose()) == 0
    assert n_traced(tracer, scene, the_rays, pose((0.001, 0, 0))) == n
    assert n_traced(tracer, scene, replace(the_rays), pose((0.001, 0, 0))) == n
    other, _ = crowd(rng)
    other.commit(np.zeros(3))
    assert n_traced(tracer, other, the_rays, pose()) == n


def test_a_new_mesh_and_a_move_of_the_anchor_are_seen_by_all_rays():
    scene, things = crowd(np.random.default_rng(2))
    the_rays = rays(fan(n=55, half_angle_deg=70))
    tracer, n = EmbreeTracer(), len(the_rays)
    scene.commit(np.zeros(3))
    tracer.trace(scene, the_rays, pose())
    for place in ((5000.0, 0, 0), (0.0, 0, 0)):
        scene.commit(np.array(place))
    assert n_traced(tracer, scene, the_rays, pose()) == n
    for k in range(40):  # more commits than the scene remembers
        scene.set_pose(things[0], pose((10.0 + k, 0, 0)))
        scene.commit(np.zeros(3))
    assert n_traced(tracer, scene, the_rays, pose()) == n


@pytest.mark.parametrize("width", [4, 8, 16])
def test_a_packets_cone_holds_its_rays(width):
    rng = np.random.default_rng(width)
    for directions in (fan(n=33, half_angle_deg=40), sphere_of_directions(333, rng)):
        unit = directions / np.linalg.norm(directions, axis=1, keepdims=True)
        cones = packet_cones(rays(directions), width)
        for number, (axis, cosine, sine) in enumerate(zip(*cones, strict=True)):
            inside = unit[number * width : (number + 1) * width] @ axis
            assert (inside >= cosine - 1e-6).all()
            assert cosine**2 + sine**2 == pytest.approx(1.0, abs=1e-6)


def test_the_cone_of_a_box_around_the_sensor_is_every_direction():
    the_rays = rays([[1.0, 0, 0]])
    low, high = np.array([[-1, -1, -1], [5, 5, 5]], np.float32), np.array([[1, 1, 1], [6, 6, 6]])
    cones = box_cones(low, high.astype(np.float32), pose()[None], the_rays)
    assert cones.axis[0].tolist() == [0.0, 0.0, 0.0]  # see Cones
    np.testing.assert_allclose(cones.axis[1], np.full(3, 3**-0.5), atol=1e-6)
    assert cones.sin_half[1] == pytest.approx(0.5 / 5.5, rel=1e-2)


@pytest.mark.parametrize("n_pose", [1, 3, 100])
def test_a_box_has_one_cone_from_all_poses_of_a_sensor(n_pose):
    way_m = np.linspace(0.0, 2.0, n_pose)
    poses = np.stack([pose((0.0, y_m, 0.0), rotation_z(0.2 * y_m)) for y_m in way_m])
    low, high = np.float32([[9, 4, -1]]), np.float32([[11, 6, 1]])
    cones = box_cones(low, high, poses, rays([[1.0, 0, 0]]))
    corners = np.array([[x, y, z] for x in (9, 11) for y in (4, 6) for z in (-1, 1)])
    seen = (corners - poses[:, None, :3, 3]) @ poses[:, :3, :3]
    seen /= np.linalg.norm(seen, axis=2, keepdims=True)
    assert (seen @ cones.axis[0] >= cones.cos_half[0]).all()
    assert cones.cos_half[0] > 0.8


@pytest.mark.parametrize(("aside_m", "aside_rad"), [(0.0, 0.3), (5.0, 0.0), (5.0, 0.3)])
def test_a_cone_holds_its_box_from_the_poses_between_those_looked_at(aside_m, aside_rad):
    """The sensor swings to one side and back between each two of the nine poses."""
    swing = np.sin(np.linspace(0.0, 8.0 * np.pi, 81))
    poses = np.stack([pose((0, aside_m * way, 0), rotation_z(aside_rad * way)) for way in swing])
    low, high = np.float32([[39.8, 1.8, -0.2]]), np.float32([[40.2, 2.2, 0.2]])
    cones = box_cones(low, high, poses, rays([[1.0, 0, 0]]))
    seen = ((low + high).astype(np.float64) / 2 - poses[:, :3, 3])[:, None] @ poses[:, :3, :3]
    seen /= np.linalg.norm(seen, axis=2, keepdims=True)
    inside = seen[:, 0] @ cones.axis[0]
    assert inside.min() >= cones.cos_half[0]
    # no more than the swing, and the box with its slack
    most_rad = aside_rad + np.arcsin(aside_m / 40.0) + 0.02
    assert np.arccos(cones.cos_half[0]) < most_rad


@pytest.mark.parametrize("change", ["aside", "turned"])
def test_a_scan_from_several_poses_that_come_again_sees_what_has_changed(change):
    around = np.linspace(-np.pi, np.pi, 2048, endpoint=False)
    flat = np.stack([np.cos(around), np.sin(around), np.zeros_like(around)], axis=1)
    halves = (np.arange(2048) // 1024).astype(np.uint32)
    the_rays = replace(rays(flat, 200.0, coherent=True), moment=halves)
    second = pose((0, 8.0, 0)) if change == "aside" else pose((0, 0, 0), rotation_z(0.3))
    poses = np.stack([pose((0, 0, 0)), second])
    scene = SceneGraph()
    thing = scene.add(scene.add_mesh(box(np.ones(3))), pose((20.0, 30.0, 0)))
    tracer = EmbreeTracer()
    for y_m in (30.0, 10.0, 4.0, -3.0):
        scene.set_pose(thing, pose((20.0, y_m, 0)))
        scene.commit(np.zeros(3))
        partly = tracer.trace(scene, the_rays, poses)
        for got, wanted in zip(
            met(partly), met(EmbreeTracer().trace(scene, the_rays, poses)), strict=True
        ):
            np.testing.assert_array_equal(got, wanted)
        assert tracer.n_traced < len(flat) or y_m == 30.0
