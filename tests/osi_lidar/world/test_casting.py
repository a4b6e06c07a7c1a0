# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Single rays through a scene: planes, a sphere and moving objects against their closed forms."""

import math

import numpy as np
import pytest

from osi_lidar import ConfigurationError, InputError, Scene
from raycore.closed_forms import range_to_plane
from raycore.errors import MeshError
from tests.builders.meshes import quad, write_cube, write_quads
from tests.builders.refusals import one_line
from tests.builders.worlds import wall_config
from tests.raycore.helpers import rotation_z, sphere_of_directions
from tests.raycore.reference import first_hits

X = (1.0, 0.0, 0.0)
F4 = 2e-7
"""Rounding of single precision, relative."""


def write_sphere(path, radius_m, n=48):
    """Write a sphere of n rings, and return its triangles, float64 (n_face, 3, 3)."""
    polar, turn = np.meshgrid(np.linspace(0, np.pi, n + 1), np.arange(2 * n) * np.pi / n)
    across = np.sin(polar)
    x, y, z = across * np.cos(turn), across * np.sin(turn), np.cos(polar)
    vertices = radius_m * np.stack([x, y, z], -1).reshape(-1, 3)
    number = np.arange(len(vertices)).reshape(2 * n, n + 1)
    corner, below = number[:, :-1], number[:, 1:]
    beside, across = np.roll(corner, -1, axis=0), np.roll(below, -1, axis=0)
    faces = [np.stack([corner, below, beside], -1), np.stack([below, across, beside], -1)]
    faces = np.concatenate([each.reshape(-1, 3) for each in faces])
    lines = [f"v {a!r} {b!r} {c!r}" for a, b, c in vertices.tolist()]
    lines += ["usemtl Paint", *("f {} {} {}".format(*(face + 1)) for face in faces)]
    path.write_text("\n".join(lines) + "\n")
    return vertices[faces]


def pose(x_m=0.0, y_m=0.0, z_m=0.0, turn_deg=0.0):
    matrix = np.eye(4)
    matrix[:3, :3] = rotation_z(math.radians(turn_deg))
    matrix[:3, 3] = x_m, y_m, z_m
    return matrix


def test_rays_meet_a_plane_where_they_should(tmp_path):
    scene = Scene()
    scene.add(write_quads(tmp_path / "wall.obj", [(quad(10.0), "W")]), up="z")
    origins = np.array([(0, 0, 0), (2, 1, -3), (0, 0, 0), (20, 5, 5)], float)
    directions = np.array([X, (3, 1, 0), (-1, 0, 0), (-2, 0, 0)])
    hits = scene.cast(origins, directions)
    assert hits.is_hit.tolist() == [True, True, False, True]
    unit = directions / np.linalg.norm(directions, axis=1, keepdims=True)
    expected_m = range_to_plane(origins, unit, point_m=(10, 0, 0), normal=X)
    expected_m[~np.isfinite(expected_m)] = np.nan
    np.testing.assert_allclose(hits.range_m, expected_m, rtol=F4)
    np.testing.assert_allclose(hits.point_m, origins + expected_m[:, None] * unit, atol=3e-6)
    toward = [(-1, 0, 0), (-1, 0, 0), [np.nan] * 3, (1, 0, 0)]
    np.testing.assert_allclose(hits.normal, toward, atol=1e-7)
    np.testing.assert_allclose(hits.incidence_deg[1], math.degrees(math.atan2(1, 3)), rtol=1e-6)
    assert hits.object_name.tolist() == ["wall.obj", "wall.obj", None, "wall.obj"]
    assert hits.material.tolist() == ["lambertian_50", "lambertian_50", None, "lambertian_50"]
    np.testing.assert_allclose(hits.reflectivity, 0.5 * np.abs([1, unit[1, 0], np.nan, 1]), rtol=F4)
    assert len(hits) == 4


def test_a_sphere_is_met_as_in_double_precision(tmp_path):
    triangles_m = write_sphere(tmp_path / "sphere.obj", 2.0)
    center_m = np.array([5e5, -3e5, 40.0])
    scene = Scene()
    scene.add(tmp_path / "sphere.obj", up="z", position_m=center_m.tolist(), name="ball")
    direction = sphere_of_directions(60, np.random.default_rng(1))
    origin_m = center_m - np.array([9.0, 1.0, 0.5])
    direction[:20] = center_m + 0.9 * direction[:20] - origin_m  # at the sphere
    direction /= np.linalg.norm(direction, axis=1, keepdims=True)
    hits = scene.cast(origin_m, direction)
    range_m, _ = first_hits(origin_m - center_m, direction, triangles_m)
    assert hits.is_hit[:20].all()
    np.testing.assert_array_equal(hits.is_hit, np.isfinite(range_m))
    np.testing.assert_allclose(hits.range_m[hits.is_hit], range_m[hits.is_hit], atol=5e-6)
    off_m = np.linalg.norm(hits.point_m[hits.is_hit] - center_m, axis=1) - 2.0
    assert -2.0 * (1 - math.cos(math.pi / 48)) - 5e-6 < off_m.min() <= off_m.max() < 5e-6
    radial = (hits.point_m[hits.is_hit] - center_m) / 2.0
    assert np.einsum("ij,ij->i", hits.normal[hits.is_hit], radial).min() > math.cos(math.pi / 40)
    assert set(hits.object_name[hits.is_hit]) == {"ball"}


def test_moving_objects_are_where_they_are_at_the_time_of_each_ray(tmp_path):
    """A cube of 2 m edges drives off for a second, then faster; it rests before and after."""
    scene = Scene()
    poses = [pose(4.0), pose(8.0), pose(28.0)]
    scene.add(write_cube(tmp_path / "cube.obj"), poses, [1.0, 2.0, 3.0], name="cube", up="z")
    times_s = np.array([0.0, 1.0, 1.25, 2.0, 2.9, 3.0, 9.0])
    expected_m = [3.0, 3.0, 4.0, 7.0, 25.0, 27.0, 27.0]
    hits = scene.cast((0, 0, 0), X, times_s)
    np.testing.assert_allclose(hits.range_m, expected_m, rtol=F4)
    backwards = scene.cast((0, 0, 0), X, times_s[::-1])
    np.testing.assert_array_equal(backwards.range_m, hits.range_m[::-1])
    assert scene.cast((0, 0, 0), X).range_m == pytest.approx([3.0])  # at time 0


def test_a_turning_object_turns_about_its_own_origin(tmp_path):
    """Seen from above, the front of a cube turns by 90 deg in a second about (5, 0)."""
    scene = Scene()
    scene.add(write_cube(tmp_path / "cube.obj"), [pose(5.0), pose(5.0, 0, 0, 90)], [0, 1], up="z")
    turn = np.radians([0.0, 20.0, 45.0 - 1e-4, 70.0, 90.0])
    hits = scene.cast((0, 0, 0.3), X, np.degrees(turn) / 90)
    expected_m = 5.0 - 1.0 / np.maximum(np.cos(turn), np.sin(turn))
    np.testing.assert_allclose(hits.range_m, expected_m, atol=2e-6)


def test_a_configuration_brings_environment_ground_and_materials(tmp_path):
    config = wall_config(tmp_path, percent=30)
    hits = Scene(config).cast((0, 0, 0), [X, (0, 0, -1)], wavelength_nm=905)
    assert hits.material.tolist() == ["flat", None]
    assert hits.reflectivity[0] == pytest.approx(0.3)
    scene = config.scene.model_copy(update={"ground": -1.5})
    (hit,) = Scene(config.model_copy(update={"scene": scene})).cast((0, 0, 0), (0, 0, -1)).range_m
    assert hit == pytest.approx(1.5)
    (tmp_path / "plain.yaml").write_text("sensors: [{preset: VLP-16}]\n")
    hits = Scene(tmp_path / "plain.yaml").cast((0, 0, 2), (0, 0, -1))
    assert (hits.range_m[0], hits.object_name[0]) == (pytest.approx(2.0), "ground")


def test_nothing_farther_than_asked_for_is_met_and_no_rays_are_no_hits(tmp_path):
    scene = Scene(wall_config(tmp_path))
    assert scene.cast((0, 0, 0), X, max_range_m=9.9).is_hit.tolist() == [False]
    assert scene.cast((0, 0, 0), X, max_range_m=10.1).is_hit.tolist() == [True]
    assert len(scene.cast(np.zeros((0, 3)), np.zeros((0, 3)))) == 0
    assert not Scene().cast((0, 0, 0), X).is_hit.any()


@pytest.mark.parametrize(
    ("arguments", "keys", "words"),
    [
        (([1, 2], X), {}, r"^origins_m has the shape \(2,\), expected \(3,\) or \(n, 3\)$"),
        (((0, 0, 0), np.zeros((2, 2, 3))), {}, r"^directions has the shape \(2, 2, 3\)"),
        ((np.zeros((2, 3)), [X] * 3), {}, r"^got 2 origins_m, 3 directions, 1 times_s, expected"),
        ((np.zeros((2, 3)), X, [0, 0, 0]), {}, r"2 origins_m, 1 directions, 3 times_s"),
        (((0, 0, 0), X, [[0.0]]), {}, r"^times_s has the shape \(1, 1\)"),
        (
            ((0, 0, 0), [X, (0, 0, 0)]),
            {},
            r"^direction 1 is 0 0 0, expected a vector with a length above 0$",
        ),
        (((0, 0, math.nan), X), {}, r"^origins_m: contains nan, expected finite numbers$"),
        (((0, 0, 0), "abc"), {}, r"^directions: expected an array of numbers$"),
        (((0, 0, 0), [X, [1]]), {}, r"^directions: expected an array of numbers$"),
        (((0, 0, 0), X), {"max_range_m": 0.0}, r"^max_range_m is 0.0, expected above 0$"),
        (((0, 0, 0), X), {"wavelength_nm": math.nan}, r"^wavelength_nm is nan, expected 200 to"),
    ],
)
def test_rays_that_cannot_be_are_one_line(tmp_path, arguments, keys, words):
    with pytest.raises(InputError, match=words):
        Scene(wall_config(tmp_path)).cast(*arguments, **keys)


@pytest.mark.parametrize(
    ("arguments", "keys", "words"),
    [
        ((np.eye(3),), {}, r"world_from_object has the shape \(3, 3\), expected \(4, 4\) without"),
        (([np.eye(4)] * 2,), {}, r"shape \(2, 4, 4\), expected \(4, 4\) without times_s"),
        (([np.eye(4)] * 2, [0.0]), {}, r"\(2, 4, 4\), expected \(n, 4, 4\) and \(n,\) times_s"),
        (
            ([np.eye(4)] * 2, [1.0, 1.0]),
            {},
            r"^times_s do not increase, expected a later time for each pose$",
        ),
        ((2 * np.eye(4),), {}, r"got a pose with a scale or shear"),
        ((), {"upp": "z"}, r"cube.obj: upp: unknown key, did you mean 'up'"),
        ((), {"scale": -1.0}, r"cube.obj: scale: must be greater than"),
    ],
)
def test_objects_that_cannot_be_are_one_line(tmp_path, arguments, keys, words):
    with one_line(InputError, match=words):
        Scene().add(write_cube(tmp_path / "cube.obj"), *arguments, **keys)


def test_files_that_cannot_be_used_are_one_line(tmp_path):
    with pytest.raises(MeshError, match=r"nope\.obj"):
        Scene().add(tmp_path / "nope.obj")
    with pytest.raises(ConfigurationError, match=r"nope\.yaml"):
        Scene(tmp_path / "nope.yaml")
