# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Wheels of mesh files: which nodes become parts, where they turn about, and how far they roll."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from lidar_scenery.articulation.catalogue import MeshAssemblies
from lidar_scenery.articulation.records import Heard
from lidar_scenery.shapes.catalogue import Wanted
from raycore.mesh.loading import load_mesh
from raycore.mesh.parts import vertices_m
from tests.builders.gltf import CAR_M, HUBS_M, TO_Y_UP, WHEEL_M, Gltf, block, roller, write_car
from tests.builders.messages import Thing, frames, host

MM = 1e-3
CAR = Wanted(name="medium_car", dimension_m=CAR_M)
HUBS = np.array([(x, y, WHEEL_M - CAR_M[2] / 2) for x, y in HUBS_M.values()])


def pose(factors=(1.0, 1.0, 1.0)):
    """Return the pose in its box of the car, whose frame is on the ground with y up."""
    found = np.eye(4)
    found[:3, :3] = np.diag(factors) @ TO_Y_UP.T
    found[2, 3] = -factors[2] * CAR_M[2] / 2
    return found


def vehicle(path, factors=(1.0, 1.0, 1.0), name="medium_car"):
    return MeshAssemblies(print).of(
        load_mesh(path), pose(factors), Wanted(name=name, dimension_m=CAR_M)
    )


def test_wheels_are_where_they_are_in_the_file(tmp_path):
    car = vehicle(write_car(tmp_path / "car.gltf"))
    assert_allclose(car.hub_m, HUBS, atol=1e-7)
    assert_allclose(car.radius_m, WHEEL_M, atol=1e-7)
    assert_array_equal(car.steers, [True, True, False, False])
    assert car.turns_about_m == pytest.approx(-1.3)
    assert [len(part.faces) for part in car.parts] == [12, 96, 96, 96, 96]


def test_parts_at_rest_are_the_whole(tmp_path):
    mesh = load_mesh(write_car(tmp_path / "car.gltf"))
    car = MeshAssemblies(print).of(mesh, pose(), CAR)
    stretch = pose()
    stretch[:3, 3] = 0.0
    shifts = np.concatenate([[car.body_m], car.hub_m])
    parts = [vertices_m(p, stretch) + s for p, s in zip(car.parts, shifts, strict=True)]
    corners = [p[part.faces] for p, part in zip(parts, car.parts, strict=True)]
    assert_allclose(np.concatenate(corners), vertices_m(mesh, pose())[mesh.faces], atol=1e-6)


@pytest.mark.parametrize("steps_m", [[0.25] * 40, [-0.1] * 100])
def test_wheels_roll_by_way_over_radius(tmp_path, steps_m):
    car = vehicle(write_car(tmp_path / "car.gltf"))
    (frame,) = frames([[host(), Thing(9, (8.0, 0.0, 0.75), dimension_m=CAR_M)]])
    state = None
    for way_m in steps_m:
        state = car.advance(state, Heard(frame, 1, way_m, 0.0, 0.01, 0.0, 0.0))
    assert_allclose(state.reshape(4, 4)[0] * WHEEL_M, sum(steps_m), atol=MM)


def test_a_node_off_its_axle_turns_about_the_middle_of_its_box(tmp_path):
    car = vehicle(write_car(tmp_path / "car.gltf", off_m=(0.0, 0.0, -WHEEL_M)))
    assert_allclose(car.hub_m, HUBS, atol=1e-7)


def test_a_node_on_its_axle_is_the_pivot(tmp_path):
    """A box may be off: here by a piece that stands out 4 mm in front."""
    points, faces = roller()
    points[0, 0] += 4 * MM
    points = points.copy()
    points[6, 0] += 4 * MM
    car = vehicle(write_car(tmp_path / "car.gltf", wheel=(points, faces)))
    assert_allclose(car.hub_m, HUBS, atol=1e-7)


def test_a_rim_within_a_tyre_is_one_wheel_with_it(tmp_path):
    car = Gltf()
    car.node("Body", mesh=car.mesh(*block(CAR_M, (0.0, 0.0, 1.0))))
    tyre, rim = car.mesh(*roller()), car.mesh(*roller(0.2, 0.22))
    for place, (x, y) in HUBS_M.items():
        for name, mesh in (("Rim", rim), ("Tyre", tyre)):
            car.node(f"{name}_{place}", (x, y, WHEEL_M), mesh=mesh)
    found = vehicle(car.write(tmp_path / "car.gltf"))
    assert_allclose(found.radius_m, [WHEEL_M] * 4, atol=1e-7)
    assert [len(part.faces) for part in found.parts] == [12, 192, 192, 192, 192]


def test_a_stretched_car_keeps_its_wheels_round(tmp_path):
    path = write_car(tmp_path / "car.gltf")
    car = vehicle(path, (1.2, 1.1, 1.05))
    assert_allclose(car.radius_m, 1.05 * WHEEL_M, atol=1e-7)
    stretch = pose((1.2, 1.1, 1.05))
    stretch[:3, 3] = 0.0
    x, _, z = vertices_m(car.parts[1], stretch).T
    assert_allclose(np.hypot(x, z), 1.05 * WHEEL_M, atol=1e-6)
    assert vehicle(path, (1.4, 1.0, 1.0)) is None


def test_an_axle_with_both_wheels_is_no_wheel(tmp_path):
    assert vehicle(write_car(tmp_path / "car.gltf", wheel=roller(0.35, 1.6))) is None


@pytest.mark.parametrize(
    ("name", "shape"), [("Round_{}", "medium_car"), ("Wheel_{}", "pedestrian")]
)
def test_what_has_no_wheels_has_no_parts(tmp_path, name, shape):
    assert vehicle(write_car(tmp_path / "car.gltf", name), name=shape) is None


def test_wheels_of_trailers_do_not_steer(tmp_path):
    assert not vehicle(write_car(tmp_path / "car.gltf"), name="trailer").steers.any()


def test_equal_objects_share_their_parts_and_all_of_a_file_the_body(tmp_path):
    mesh, made = load_mesh(write_car(tmp_path / "car.gltf")), MeshAssemblies(print)
    first, again, longer = (
        made.of(mesh, pose((scale, 1.0, 1.0)), CAR) for scale in (1.0, 1.0, 1.1)
    )
    assert first is again
    assert first is not longer
    assert first.parts[0] is longer.parts[0]
