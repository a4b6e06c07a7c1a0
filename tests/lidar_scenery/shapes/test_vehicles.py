# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Vehicles and people fill their box exactly, at any size, and show what OSI says of them."""

import numpy as np
import pytest
import trimesh

from lidar_scenery.shapes.builder import PAINT
from lidar_scenery.shapes.looks import LOOKS
from lidar_scenery.shapes.meshes import mesh_of
from lidar_scenery.shapes.people import PEOPLE
from lidar_scenery.shapes.vehicles import VEHICLES, car_kind, vehicle_kind
from osi_bridge.description.details import ObjectDetails, Wheel

SHAPES = {**VEHICLES, **PEOPLE}
PLAIN = ObjectDetails()
SIZES = ((0.3, 0.3, 0.5), (30.0, 4.0, 5.0), (4.0, 0.4, 3.0), (0.6, 2.5, 1.0))


def _bounds(model):
    corners = np.concatenate([p for polygons in model.groups.values() for p in polygons])
    return corners.min(axis=0), corners.max(axis=0)


def _parts(model, material):
    found = [p for (_, m), polygons in model.groups.items() for p in polygons if m == material]
    return np.concatenate(found) if found else np.empty((0, 3))


@pytest.mark.parametrize("name", SHAPES)
def test_shape_fills_its_box_exactly_at_any_size(name):
    builder = SHAPES[name]
    for size in (builder.usual_m, *SIZES):
        low, high = _bounds(builder.build(size, PLAIN))
        assert np.allclose(low, -np.array(size) / 2, rtol=0, atol=1e-9), size
        assert np.allclose(high, np.array(size) / 2, rtol=0, atol=1e-9), size


@pytest.mark.parametrize("name", SHAPES)
def test_shape_has_500_to_5000_triangles_of_known_materials(name):
    builder = SHAPES[name]
    mesh = mesh_of(builder.build(builder.usual_m, PLAIN), name)
    assert 500 <= len(mesh.faces) <= 5000
    assert {m.name for m in mesh.materials} <= {PAINT, *LOOKS}


@pytest.mark.parametrize("name", SHAPES)
def test_same_arguments_give_the_same_shape(name):
    builder = SHAPES[name]
    one, two = (mesh_of(builder.build(builder.usual_m, PLAIN), name) for _ in range(2))
    assert np.array_equal(one.vertices_m, two.vertices_m)


def _tyres(model):
    """Return the middle and the size of each tyre, by its place, (4, 2, 3)."""
    points = _parts(model, "Rubber_Black")
    tyres = []
    for end in (-1, 1):
        for side in (-1, 1):
            one = points[(np.sign(points[:, 0]) == end) & (np.sign(points[:, 1]) == side)]
            tyres.append([(one.max(axis=0) + one.min(axis=0)) / 2, np.ptp(one, axis=0)])
    return np.array(tyres)


def test_wheels_are_where_the_message_has_them():
    wheels = tuple(
        Wheel(center_m=(x, y, -0.41), radius_m=0.33, width_m=0.22)
        for x in (-1.45, 1.31)
        for y in (-0.76, 0.76)
    )
    model = VEHICLES["medium_car"].build((4.5, 1.8, 1.48), ObjectDetails(wheels=wheels))
    tyres = _tyres(model)
    assert tyres[:, 0, 0] == pytest.approx([-1.45, -1.45, 1.31, 1.31], abs=0.005)
    assert np.abs(tyres[:, 0, 1]) == pytest.approx(0.76, abs=0.005)
    assert tyres[:, 1, 2] == pytest.approx(0.66, abs=0.005)
    assert tyres[:, 1, 1] == pytest.approx(0.22, abs=0.005)


def test_axles_radius_and_clearance_are_those_of_the_vehicle_attributes():
    details = ObjectDetails(
        rear_axle_m=(-1.2, 0.0, -0.4),
        front_axle_m=(1.5, 0.0, -0.4),
        wheel_radius_m=0.3,
        ground_clearance_m=0.14,
    )
    model = VEHICLES["luxury_car"].build((5.0, 1.9, 1.5), details)
    tyres = _tyres(model)
    assert tyres[:, 0, 0] == pytest.approx([-1.2, -1.2, 1.5, 1.5], abs=0.005)
    assert tyres[:, 1, 2] == pytest.approx(0.6, abs=0.005)
    assert _parts(model, "Underbody_Steel")[:, 2].min() == pytest.approx(-0.75 + 0.16, abs=0.005)


@pytest.mark.parametrize("name", ["medium_car", "delivery_van", "heavy_truck", "bus", "bicycle"])
@pytest.mark.parametrize(
    "details",
    [
        ObjectDetails(wheels=(Wheel(center_m=(0.0, 0.0, 0.0)),) * 4),
        ObjectDetails(wheels=tuple(Wheel(center_m=(x, 9.0, 3.0)) for x in (-20.0, 20.0))),
        ObjectDetails(front_axle_m=(-1.0, 0.0, 0.0), rear_axle_m=(1.0, 0.0, 0.0)),
        ObjectDetails(wheel_radius_m=4.0, ground_clearance_m=7.0),
        ObjectDetails(wheel_radius_m=0.001, ground_clearance_m=0.0),
    ],
)
def test_impossible_wheels_stay_within_the_box(name, details):
    builder = VEHICLES[name]
    model = builder.build(builder.usual_m, details)
    low, high = _bounds(model)
    assert np.allclose([low, high], np.multiply.outer([-0.5, 0.5], builder.usual_m))
    plain = _parts(builder.build(builder.usual_m, PLAIN), PAINT)
    assert np.allclose(np.ptp(_parts(model, PAINT), axis=0), np.ptp(plain, axis=0), atol=0.3)


@pytest.mark.parametrize("name", ["bicycle", "motorbike", "standup_scooter", "wheelchair"])
def test_two_wheelers_with_three_stated_axles_keep_the_outer_ones(name):
    size = VEHICLES[name].usual_m
    three = tuple(Wheel(center_m=(share * size[0], 0.0, -0.3)) for share in (-0.2, 0.02, 0.3))
    built = [VEHICLES[name].build(size, ObjectDetails(wheels=w)) for w in (three, three[::2])]
    assert np.allclose(*(_bounds(each) for each in built))
    assert len({len(each.groups) for each in built}) == 1


@pytest.mark.parametrize("name", ["medium_car", "delivery_van", "heavy_truck"])
def test_role_puts_a_light_bar_onto_the_roof(name):
    size = VEHICLES[name].usual_m
    bar = _parts(VEHICLES[name].build(size, ObjectDetails(role="POLICE")), "Light_Bar")
    assert len(bar)
    assert bar[:, 2].max() > (size[2] / 2 - 0.001 if name != "heavy_truck" else 0.0)
    assert len(_parts(VEHICLES[name].build(size, ObjectDetails(role="CIVIL")), "Light_Bar")) == 0


def test_car_with_a_trailer_has_a_coupling():
    below = []
    for has_trailer in (False, True):
        details = ObjectDetails(has_trailer=has_trailer)
        steel = _parts(VEHICLES["suv"].build((4.6, 1.9, 1.7), details), "Underbody_Steel")
        below.append(steel[:, 2].min())
    assert below[1] < below[0] - 0.03


@pytest.mark.parametrize(
    ("size", "kind"),
    [
        ((3.6, 1.6, 1.5), "small_car"),
        ((4.2, 1.8, 1.45), "compact_car"),
        ((4.7, 1.85, 1.44), "medium_car"),
        ((5.1, 1.9, 1.5), "luxury_car"),
        ((4.5, 1.85, 1.67), "suv"),
        ((5.0, 1.95, 1.95), "delivery_van"),
    ],
)
def test_kind_of_a_car_follows_from_its_size(size, kind):
    assert car_kind(size) == kind
    builders = (VEHICLES["car"], VEHICLES["vehicle"], VEHICLES[kind])
    meshes = [mesh_of(builder.build(size, PLAIN), kind).vertices_m for builder in builders]
    assert np.array_equal(meshes[0], meshes[2])
    assert np.array_equal(meshes[1], meshes[2])


@pytest.mark.parametrize(
    ("size", "kind"),
    [((1.8, 0.6, 1.7), "bicycle"), ((2.1, 0.8, 1.5), "motorbike"), ((12, 2.5, 3.5), "heavy_truck")],
)
def test_kind_of_a_vehicle_follows_from_its_size(size, kind):
    assert vehicle_kind(size) == kind


@pytest.mark.parametrize("name", ["bicycle", "motorbike", "standup_scooter", "wheelchair"])
def test_box_that_is_too_low_for_a_rider_holds_none(name):
    length, width, height = VEHICLES[name].usual_m
    assert len(_parts(VEHICLES[name].build((length, width, height), PLAIN), "Skin"))
    assert not len(_parts(VEHICLES[name].build((length, width, 0.6 * height), PLAIN), "Skin"))


@pytest.mark.parametrize("name", ["small_car", "suv", "delivery_van", "heavy_truck", "bus"])
def test_nothing_of_the_inside_is_seen_but_through_glass(name):
    mesh = mesh_of(VEHICLES[name].build(VEHICLES[name].usual_m, PLAIN), name)
    inside = [m.name.startswith(("Cloth", "Skin")) for m in mesh.materials]
    solid = trimesh.Trimesh(mesh.vertices_m.astype(float), mesh.faces, process=False)
    size = np.ptp(mesh.vertices_m, axis=0).max()
    across = np.linspace(-size / 2, size / 2, 80)
    y, z = (each.ravel() for each in np.meshgrid(across, across))
    seen = []
    for yaw in np.radians(np.arange(0, 360, 30)):
        for pitch in np.radians((-20, -4, 0, 4)):
            ahead = np.array(
                [np.cos(pitch) * np.cos(yaw), np.cos(pitch) * np.sin(yaw), np.sin(pitch)]
            )
            left = np.array([-np.sin(yaw), np.cos(yaw), 0.0])
            origins = y[:, None] * left + z[:, None] * np.cross(ahead, left) - 1.5 * size * ahead
            seen.append(solid.ray.intersects_first(origins, np.tile(ahead, (len(y), 1))))
    seen = np.concatenate(seen)
    hit = mesh.slot[seen[seen >= 0]]
    assert np.array(inside)[hit].mean() < 0.001


def test_people_walk_above_a_speed_and_stand_below_it():
    strides = []
    for speed in (0.0, 1.4):
        details = ObjectDetails(speed_m_s=speed)
        shoes = _parts(PEOPLE["pedestrian"].build((0.4, 0.55, 1.75), details), "Shoe_Leather")
        middle = [shoes[np.sign(shoes[:, 1]) == side].mean(axis=0)[0] for side in (1, -1)]
        strides.append(middle[0] - middle[1])
    assert strides[1] > strides[0] + 0.05


def test_child_has_a_larger_head_for_its_height():
    parts = []
    for size in ((0.3, 0.35, 1.0), (0.5, 0.6, 1.8)):
        hair = _parts(PEOPLE["pedestrian"].build(size, PLAIN), "Hair")
        parts.append(np.ptp(hair[:, 2]) / size[2])
    assert parts[0] > 1.2 * parts[1]


def test_box_of_a_truck_takes_a_stated_colour():
    plain, red = (
        VEHICLES["trailer"].build((4.2, 2.0, 2.0), ObjectDetails(color=color))
        for color in (None, (1.0, 0.0, 0.0))
    )
    assert len(_parts(plain, "Truck_Box"))
    assert len(_parts(red, PAINT))
