# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lidar_base.block_kernels import BLOCK
from lidar_base.errors import RecordError
from raycore.closed_forms import range_to_plane
from raycore.errors import RayCoreError
from raycore.mesh.mesh import box, plane
from raycore.records import Shots
from raycore.scene.graph import SceneGraph
from raycore.trace.embree_tracer import EmbreeTracer
from tests.builders.threads import kernel_threads
from tests.raycore.helpers import (
    fan,
    mesh,
    pose,
    random_rotation,
    rays,
    rotation_z,
    seen,
    sphere_of_directions,
    trace,
)
from tests.raycore.reference import first_hits

# Embree works in float32: a range of r metres is good to about r * 2**-20 in robust mode.
FLOAT32_RANGE_ERROR = 2.0**-20
WALL = mesh([[0, -50, -50], [0, 50, -50], [0, 50, 50], [0, -50, 50]], [[0, 1, 2], [0, 2, 3]])


@pytest.mark.parametrize("offset_m", [(0, 0, 0), (500_000, 5_600_000, 300)])
@pytest.mark.parametrize("tilt_deg", [0, 30, 60])
def test_wall_gives_range_normal_and_incidence_of_the_closed_form(offset_m, tilt_deg):
    """Wall through (20, 0, 0) turned by the tilt: n = (-cos t, -sin t, 0)."""
    tilt = math.radians(tilt_deg)
    offset = np.array(offset_m, float)
    scene = SceneGraph()
    scene.add(scene.add_mesh(WALL), pose(offset + (20, 0, 0), rotation_z(tilt)))
    directions = fan(half_angle_deg=25.0)
    hits = trace(scene, rays(directions, coherent=True), pose(offset))
    normal = np.array([-math.cos(tilt), -math.sin(tilt), 0.0])
    cosine = -(directions @ normal)
    expected_m = range_to_plane(np.zeros(3), directions, point_m=(20, 0, 0), normal=normal)
    on_wall = hits.beam
    assert len(hits) > 0.9 * len(directions)
    np.testing.assert_allclose(hits.range_m, expected_m[on_wall], rtol=0, atol=1e-4)
    np.testing.assert_allclose(hits.normal, np.tile(normal, (len(hits), 1)), atol=1e-6)
    np.testing.assert_allclose(hits.cos_incidence, cosine[on_wall], atol=1e-6)


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), n_triangles=st.integers(1, 60))
def test_hits_equal_those_of_a_plain_loop_over_all_triangles(seed, n_triangles):
    rng = np.random.default_rng(seed)
    vertices = rng.uniform(-10, 10, (n_triangles * 3, 3)).astype(np.float32)
    faces = np.arange(n_triangles * 3).reshape(-1, 3)
    scene = SceneGraph()
    scale = rng.uniform(0.5, 2.0)
    matrix = pose(rng.uniform(-5, 5, 3), random_rotation(rng), scale)
    scene.add(scene.add_mesh(mesh(vertices, faces)), matrix)
    directions = sphere_of_directions(200, rng)
    the_rays = rays(directions)
    hits = trace(scene, the_rays)
    world = vertices.astype(float) @ matrix[:3, :3].T + matrix[:3, 3]
    expected_m, triangle = first_hits(np.zeros(3), the_rays.direction.T.astype(float), world[faces])
    face = np.full(len(directions), -1)
    face[hits.beam] = hits.primitive
    # only a ray within rounding of an edge may fall to either side of it: none of 30 000 was seen
    assert (face != triangle).sum() <= 1
    both = face[hits.beam] == triangle[hits.beam]
    error_m = np.abs(hits.range_m - expected_m[hits.beam])[both]
    # float32 moves a hit by 1e-6 of the scene's 10 m or of its range, more where it grazes: by up
    # to 1.07e-6 in 1500 such scenes
    scale_m = np.maximum(hits.range_m, 10.0)[both] / hits.cos_incidence[both]
    assert (error_m <= 1.5e-6 * scale_m).all()


def test_no_ray_leaks_through_the_edges_of_a_closed_surface():
    """From inside a closed sphere of 20 000 triangles every ray meets it (robust traversal)."""
    n = 100
    v = np.linspace(0, math.pi, n + 1)
    u = np.linspace(0, 2 * math.pi, 2 * n + 1)[:-1]
    grid = np.array(
        [[math.sin(a) * math.cos(b), math.sin(a) * math.sin(b), math.cos(a)] for a in v for b in u]
    )
    m = 2 * n
    quads = [
        (i * m + j, (i + 1) * m + j, (i + 1) * m + (j + 1) % m, i * m + (j + 1) % m)
        for i in range(n)
        for j in range(m)
    ]
    faces = [t for a, b, c, d in quads for t in ((a, b, c), (a, c, d))]
    scene = SceneGraph()
    scene.add(scene.add_mesh(mesh(grid * 30.0, faces)), pose())
    directions = sphere_of_directions(100_000, np.random.default_rng(1))
    assert len(trace(scene, rays(directions))) == len(directions)


@settings(max_examples=20, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    x=st.floats(-1e6, 1e6),
    y=st.floats(-1e7, 1e7),
)
def test_moving_the_whole_world_moves_nothing_in_the_sensor_frame(seed, x, y):
    rng = np.random.default_rng(seed)
    directions = sphere_of_directions(300, rng)
    rotation = random_rotation(rng)
    ranges = []
    for offset in (np.zeros(3), np.round(np.array([x, y, 300.0]))):
        scene = SceneGraph()
        scene.add(scene.add_mesh(box(np.array([4.0, 2.0, 1.5]))), pose(offset + (6, 1, 0)))
        scene.add(scene.add_mesh(plane(1000.0)), pose(offset - (0, 0, 1.7)))
        hits = trace(scene, rays(directions), pose(offset, rotation))
        got = np.full(len(directions), np.inf)
        got[hits.beam] = hits.range_m
        ranges.append(got)
    # the anchor is a whole number of metres, and so is the offset: not even rounding differs
    np.testing.assert_array_equal(ranges[0], ranges[1])


def test_transparent_faces_are_passed_and_opaque_ones_behind_them_are_met():
    panes = mesh(
        [
            [5, -9, -9],
            [5, 9, -9],
            [5, 9, 9],
            [5, -9, 9],
            [8, -9, -9],
            [8, 9, -9],
            [8, 9, 9],
            [8, -9, 9],
        ],
        [[0, 1, 2], [0, 2, 3], [4, 5, 6], [4, 6, 7]],
        slot=[0, 0, 1, 1],
        slot_names=("Glass", "Wall"),
    )
    scene = SceneGraph()
    scene.add(scene.add_mesh(panes, transparent_slots=[0]), pose())
    hits = trace(scene, rays([[1, 0, 0], [1, 0.1, 0.2]]))
    np.testing.assert_allclose(hits.range_m, [8.0, 8.0 * math.sqrt(1.05)], rtol=1e-6)
    assert hits.slot.tolist() == [1, 1]
    assert set(hits.primitive.tolist()) <= {0, 1}  # the opaque faces are counted alone


def test_a_mesh_of_transparent_faces_only_is_never_met():
    scene = SceneGraph()
    scene.add(scene.add_mesh(WALL, transparent_slots=[0]), pose((5, 0, 0)))
    assert len(trace(scene, rays([[1, 0, 0]]))) == 0


def test_hits_name_instance_mesh_and_slot():
    triangle = mesh([[0, 0, 0], [0, 4, 0], [0, 0, 4]], [[0, 1, 2]], [1], ("a", "b"))
    scene = SceneGraph()
    far = scene.add_mesh(WALL)
    near = scene.add_mesh(triangle)
    scene.add(far, pose((50, 0, 0)))
    instance = scene.add(near, pose((10, -1, -1)))
    hits = trace(scene, rays([[10, 0, 0], [10, 9, 0]]))
    assert hits.instance[0] == instance
    assert hits.mesh.tolist() == [near, far]
    assert hits.slot.tolist() == [1, 0]


def test_normals_of_a_stretched_box_follow_the_inverse_transpose():
    """A cube turned 45 degrees, then stretched 4 times along x: faces x + y = 1 tilt."""
    stretch = np.diag([4.0, 1.0, 1.0]) @ rotation_z(math.pi / 4)
    scene = SceneGraph()
    scene.add(scene.add_mesh(box(np.ones(3))), pose((10, 0, 0), stretch))
    hits = trace(scene, rays([[10, 0.1, 0]]))
    # the face's plane is x / 4 + y = const: normal (1/4, 1), turned to the sensor
    expected = np.array([-0.25, 1.0, 0.0]) / math.hypot(0.25, 1)
    np.testing.assert_allclose(hits.normal[0], expected, atol=1e-6)


def test_rays_beyond_the_maximum_range_meet_nothing():
    scene = SceneGraph()
    scene.add(scene.add_mesh(WALL), pose((20, 0, 0)))
    assert len(trace(scene, rays([[1, 0, 0]], max_range_m=19.9))) == 0
    assert len(trace(scene, rays([[1, 0, 0]], max_range_m=20.1))) == 1


def test_every_ray_may_have_an_origin_of_its_own():
    scene = SceneGraph()
    scene.add(scene.add_mesh(WALL), pose((20, 0, 0)))
    scene.commit(np.zeros(3))
    origin = np.array([[0, 0, 0], [5, 1, 0], [-5, 0, 2]], np.float32)
    the_rays = Shots(
        origin_m=origin,
        direction=np.tile(np.float32([[1], [0], [0]]), (1, 3)),
        time=np.zeros(3, np.float32),
        start_m=np.zeros(1, np.float32),
        moment=np.zeros(1, np.uint32),
        weight=np.ones(1, np.float32),
        max_range_m=100.0,
        coherent=False,
    )
    hits = seen(scene, EmbreeTracer().trace(scene, the_rays, np.eye(4)))
    np.testing.assert_allclose(hits.range_m, [20, 15, 25], rtol=1e-6)


@pytest.mark.parametrize("width", [4, 8, 16])
@pytest.mark.parametrize("coherent", [True, False])
def test_packet_width_and_coherence_do_not_change_the_result(width, coherent):
    scene = SceneGraph()
    scene.add(scene.add_mesh(box(np.array([3.0, 2.0, 1.0]))), pose((9, 1, 0), rotation_z(0.3)))
    scene.add(scene.add_mesh(plane(500.0)), pose((0, 0, -1.5)))
    directions = fan(n=333, half_angle_deg=180.0)
    expected = trace(scene, rays(directions, coherent=True))
    tracer = EmbreeTracer(packet_width=width)
    got = seen(scene, tracer.trace(scene, rays(directions, coherent=coherent), np.eye(4)))
    np.testing.assert_array_equal(got.beam, expected.beam)
    np.testing.assert_allclose(got.range_m, expected.range_m, rtol=FLOAT32_RANGE_ERROR)


def test_the_number_of_threads_does_not_change_a_bit():
    rng = np.random.default_rng(3)
    scene = SceneGraph()
    triangles = rng.uniform(-30, 30, (3000, 1, 3)) + rng.normal(size=(3000, 3, 3))
    scene.add(
        scene.add_mesh(mesh(triangles.reshape(-1, 3), np.arange(9000).reshape(-1, 3))), pose()
    )
    the_rays = rays(sphere_of_directions(5000, rng))
    with kernel_threads(1):
        one = trace(scene, the_rays)
    with kernel_threads(2):
        many = trace(scene, the_rays)
    for name in ("beam", "range_m", "normal", "cos_incidence", "instance", "primitive"):
        np.testing.assert_array_equal(getattr(one, name), getattr(many, name))


@pytest.mark.parametrize("n_rays", [1, 15, 16, 17, BLOCK, BLOCK + 1])
def test_any_number_of_rays_is_traced_whole(n_rays):
    scene = SceneGraph()
    scene.add(scene.add_mesh(WALL), pose((20, 0, 0)))
    hits = trace(scene, rays(np.tile([[1.0, 0, 0]], (n_rays, 1))))
    assert hits.beam.tolist() == list(range(n_rays))


def test_an_empty_scene_gives_no_hits():
    assert len(trace(SceneGraph(), rays([[1, 0, 0]]))) == 0


def test_tracing_before_commit_is_an_error():
    scene = SceneGraph()
    scene.add(scene.add_mesh(WALL), pose((20, 0, 0)))
    with pytest.raises(RayCoreError, match="before commit"):
        EmbreeTracer().trace(scene, rays([[1, 0, 0]]), np.eye(4))


def test_records_refuse_wrong_columns():
    with pytest.raises(RecordError, match=r"Shots.direction: got float64"):
        Shots(
            origin_m=np.zeros((1, 3), np.float32),
            direction=np.zeros((3, 4)),
            time=np.zeros(1, np.float32),
            start_m=np.zeros(1, np.float32),
            moment=np.zeros(1, np.uint32),
            weight=np.ones(1, np.float32),
            max_range_m=1.0,
            coherent=True,
        )
    with pytest.raises(RayCoreError, match="n_origin = 2, expected 1 or n_beam = 4"):
        Shots(
            origin_m=np.zeros((2, 3), np.float32),
            direction=np.zeros((3, 4), np.float32),
            time=np.zeros(1, np.float32),
            start_m=np.zeros(1, np.float32),
            moment=np.zeros(1, np.uint32),
            weight=np.ones(1, np.float32),
            max_range_m=1.0,
            coherent=True,
        )


def with_start(the_rays, start_m):
    return replace(the_rays, start_m=np.asarray(start_m, np.float32))


TWO_WALLS_M = (20.0, 50.0)


def two_walls():
    scene = SceneGraph()
    index = scene.add_mesh(WALL)
    for x_m in TWO_WALLS_M:
        scene.add(index, pose((x_m, 0, 0)))
    return scene


@pytest.mark.parametrize(
    ("start_m", "expected"),
    [(0.0, [20.0]), (19.9, [20.0]), (20.1, [50.0]), (49.9, [50.0]), (50.1, []), (2000.0, [])],
)
def test_surfaces_nearer_than_the_start_of_a_ray_do_not_count(start_m, expected):
    hits = trace(two_walls(), with_start(rays([[1, 0, 0]]), [start_m]))
    assert hits.range_m.tolist() == pytest.approx(expected, rel=1e-6)


def test_a_range_is_counted_from_the_origin_wherever_the_ray_starts():
    scene, directions = two_walls(), fan(half_angle_deg=10.0)
    far = trace(scene, with_start(rays(directions), [30.0]))
    wall_m = (TWO_WALLS_M[1], 0, 0)
    expected_m = range_to_plane(np.zeros(3), directions, point_m=wall_m, normal=(1, 0, 0))
    np.testing.assert_allclose(far.range_m, expected_m[far.beam], rtol=1e-6)
    assert len(far) == len(directions)


def test_every_ray_may_have_a_start_of_its_own():
    the_rays = with_start(rays(np.tile([[1.0, 0, 0]], (4, 1))), [0.0, 30.0, 60.0, 20.5])
    hits = trace(two_walls(), the_rays)
    assert hits.beam.tolist() == [0, 1, 3]
    np.testing.assert_allclose(hits.range_m, [20, 50, 50], rtol=1e-6)


@pytest.mark.parametrize("width", [4, 8, 16])
@pytest.mark.parametrize("coherent", [True, False])
def test_starts_of_their_own_reach_the_right_rays_in_every_packet(width, coherent):
    scene = two_walls()
    scene.commit(np.zeros(3))
    directions = np.tile([[1.0, 0, 0]], (BLOCK + 37, 1))
    start_m = np.where(np.arange(len(directions)) % 3 == 0, 25.0, 0.0)
    tracer = EmbreeTracer(packet_width=width)
    the_rays = with_start(rays(directions, coherent=coherent), start_m)
    hits = seen(scene, tracer.trace(scene, the_rays, np.eye(4)))
    assert len(hits) == len(directions)
    np.testing.assert_allclose(hits.range_m, np.where(start_m > 0, 50.0, 20.0), rtol=1e-6)


def test_rays_that_start_behind_their_first_surface_meet_another_one_farther_away():
    rng = np.random.default_rng(11)
    triangles = rng.uniform(-30, 30, (2000, 1, 3)) + 4 * rng.normal(size=(2000, 3, 3))
    scene = SceneGraph()
    scene.add(
        scene.add_mesh(mesh(triangles.reshape(-1, 3), np.arange(6000).reshape(-1, 3))), pose()
    )
    directions = sphere_of_directions(2000, rng)
    the_rays = rays(directions)
    first = trace(scene, the_rays)
    start_m = np.zeros(len(directions))
    start_m[first.beam] = first.range_m * (1 + 1e-5) + 1e-4
    second = trace(scene, with_start(the_rays, start_m))
    nearest = np.full(len(directions), -1)
    nearest[first.beam] = first.primitive
    assert len(second) > 500
    assert (second.primitive != nearest[second.beam]).all()
    assert (second.range_m > start_m[second.beam]).all()


def test_records_refuse_starts_of_another_length():
    with pytest.raises(RayCoreError, match="n_start = 3, expected 1 or n_beam = 2"):
        with_start(rays([[1, 0, 0], [0, 1, 0]]), [0.0, 1.0, 2.0])
