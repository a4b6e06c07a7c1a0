# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Blind zones against closed forms, and against rays cast one by one at a box."""

import math

import numpy as np
import pytest

from lidar_app.coverage.blind_zones import CellGrid, plane_coverage
from lidar_app.coverage.mounted import MountedSensors
from lidar_app.coverage.outline import VehicleOutline
from lidar_app.coverage.vehicle import CarryingVehicle, of_dimension, stated_vehicle
from osi_lidar import InputError
from tests.builders.worlds import config

NO_VEHICLE = CarryingVehicle(dimension_m=None, source="as stated")
SIZE_M = (4.0, 2.0, 1.5)
CAR = of_dimension(SIZE_M, "as stated")
BOXES = {"shapes": "box"}
HEIGHTS_M = (0.0, 0.3, 1.0)
ALL_AROUND = {
    "kind": "grid",
    "horizontal": {"min_deg": -180, "max_deg": 175, "step_deg": 5.0},
    "vertical": {"min_deg": -15, "max_deg": 15, "step_deg": 5.0},
}


def sensor(pattern, name="eye", *, max_range_m=60.0, **mounting):
    return {
        "name": name,
        "pattern": pattern,
        "min_range_m": 0.1,
        "max_range_m": max_range_m,
        "mounting": {"x_m": 0.0, "y_m": 0.0, **mounting},
    }


def pairs(azimuth_elevation_deg):
    return {"kind": "pairs", "azimuth_elevation_deg": azimuth_elevation_deg.tolist()}


def mounted(*sensors, vehicle=NO_VEHICLE):
    return MountedSensors(config(sensors=list(sensors), scene=BOXES), vehicle)


def planes(sensors, grid, n_directions=12):
    ground_m = sensors.vehicle.ground_m
    beams = sensors.beams()
    return [
        plane_coverage(beams, grid, height_m=h, ground_m=ground_m, n_directions=n_directions)
        for h in HEIGHTS_M
    ]


@pytest.mark.parametrize("height_m", [1.2, 2.0, 3.7])
def test_a_lidar_without_a_vehicle_sees_ground_from_height_over_tan_of_its_lowest_row(height_m):
    sensors = mounted(sensor(ALL_AROUND, z_m=height_m))
    grid = CellGrid.around(VehicleOutline(), cell_m=0.5, extent_m=20.0)
    for plane, above_m in zip(planes(sensors, grid), HEIGHTS_M, strict=True):
        expected_m = (height_m - above_m) / math.tan(math.radians(15.0))
        np.testing.assert_allclose(plane.nearest_m, expected_m, rtol=1e-12)


def test_a_lidar_that_looks_down_sees_ground_nearer_in_front():
    """Beams at azimuth 0 and 180 deg stay in the xz plane: their angle below the horizon is
    15 deg + pitch in front, 15 deg - pitch behind."""
    sensors = mounted(sensor(ALL_AROUND, z_m=2.0, pitch_deg=10.0))
    plane = planes(sensors, CellGrid.around(VehicleOutline(), cell_m=0.5, extent_m=20.0), 72)[0]
    front_m, rear_m = plane.nearest_m[0, [0, 36]]
    assert front_m == pytest.approx(2.0 / math.tan(math.radians(25.0)), rel=1e-9)
    assert rear_m == pytest.approx(2.0 / math.tan(math.radians(5.0)), rel=1e-9)


def test_ground_beyond_the_maximum_range_is_not_seen():
    """The row at -5 deg meets the ground 2 / sin(5 deg) = 22.95 m away, that at -10 at 11.5 m."""
    pattern = {"kind": "angles", "horizontal_deg": [0], "vertical_deg": [-5, -10]}
    near = mounted(sensor(pattern, z_m=2.0, max_range_m=22.9))
    far = mounted(sensor(pattern, z_m=2.0, max_range_m=23.0))
    grid = CellGrid.around(VehicleOutline(), cell_m=0.5, extent_m=30.0)
    assert planes(near, grid)[0].points.sum() == 1
    assert planes(far, grid)[0].points.sum() == 2


def rotation(roll_deg, pitch_deg, yaw_deg):
    """Return Rz(yaw) Ry(pitch) Rx(roll)."""
    (a, b, c), (d, e, f) = (
        trig(np.radians([roll_deg, pitch_deg, yaw_deg])) for trig in (np.cos, np.sin)
    )
    about_x = np.array([[1, 0, 0], [0, a, -d], [0, d, a]])
    about_y = np.array([[b, 0, e], [0, 1, 0], [-e, 0, b]])
    about_z = np.array([[c, -f, 0], [f, c, 0], [0, 0, 1]])
    return about_z @ about_y @ about_x


def enters_box_m(origin_m, direction, low_m, high_m):
    """Return where a ray enters a box, by its slabs; infinite if it misses."""
    with np.errstate(divide="ignore"):
        one, other = (low_m - origin_m) / direction, (high_m - origin_m) / direction
    first, last = np.minimum(one, other).max(), np.maximum(one, other).min()
    return first if 0.0 < first <= last else np.inf


def seen_cells(origin_m, directions, box_m, cell_m=0.5):
    """Return the number of rays that pass each cell of each plane, ray by ray."""
    cells, (low_m, high_m) = {}, box_m
    for direction in directions:
        hidden_m = enters_box_m(origin_m, direction, low_m, high_m)
        for height_m in HEIGHTS_M:
            range_m = (low_m[2] + height_m - origin_m[2]) / direction[2]
            if not 0.1 <= range_m <= 60.0 or range_m >= hidden_m:
                continue
            x_m, y_m, _ = origin_m + range_m * direction
            key = height_m, math.floor(x_m / cell_m), math.floor(y_m / cell_m)
            cells[key] = cells.get(key, 0) + 1
    return cells


def outside_place(chance, low_m, high_m):
    """Return a place near a box and above the ground that is not inside."""
    while True:
        place_m = chance.uniform(low_m - 0.6, high_m + 0.6)
        place_m[2] = chance.uniform(low_m[2] + 0.05, high_m[2] + 0.6)
        if ((place_m < low_m - 0.02) | (place_m > high_m + 0.02)).any():
            return place_m


@pytest.mark.long
@pytest.mark.parametrize("seed", range(10))
def test_cells_are_those_of_rays_cast_one_by_one_at_a_box(seed):
    """Five mountings for each seed, 400 rays each, planes at three heights."""
    chance = np.random.default_rng(seed)
    center_m = np.array(CAR.center_m)
    low_m, high_m = center_m - np.divide(SIZE_M, 2), center_m + np.divide(SIZE_M, 2)
    grid = CellGrid.around(CAR.outline, cell_m=0.5, extent_m=12.0)
    for _ in range(5):
        angles_deg = np.column_stack(
            [chance.uniform(-180, 180, 400), chance.uniform(-60, 40, 400)]
        ).round(3)
        place_m = outside_place(chance, low_m, high_m).round(4)
        turn_deg = chance.uniform(-30, 30, 3).round(3)
        names = ("x_m", "y_m", "z_m", "roll_deg", "pitch_deg", "yaw_deg")
        mounting = dict(zip(names, [*place_m.tolist(), *turn_deg.tolist()], strict=True))
        made = planes(mounted(sensor(pairs(angles_deg), **mounting), vehicle=CAR), grid)
        azimuth, elevation = np.radians(angles_deg).T
        own = np.column_stack(
            [
                np.cos(elevation) * np.cos(azimuth),
                np.cos(elevation) * np.sin(azimuth),
                np.sin(elevation),
            ]
        )
        cells = seen_cells(place_m, own @ rotation(*turn_deg).T, (low_m, high_m))
        for plane in made:
            expected = np.zeros(grid.shape, np.int64)
            for (height_m, i, j), n in cells.items():
                row = i - grid.first[0], j - grid.first[1]
                is_inside = all(0 <= a < b for a, b in zip(row, grid.shape, strict=True))
                if height_m == plane.height_m and is_inside:
                    expected[row] = n
            np.testing.assert_array_equal(plane.points[0], expected)


def test_beams_of_a_sensor_that_is_turned_begin_and_point_where_it_turns_them():
    """The beams of this sensor begin beside its origin, each elsewhere."""

    def beams(**turn_deg):
        eye = {"name": "eye", "preset": "OS0-32", "mounting": {"z_m": 2.0, **turn_deg}}
        (found,) = mounted(eye).beams()
        return found

    turned, upright = beams(roll_deg=20, pitch_deg=-10, yaw_deg=130), beams()
    turn = rotation(20, -10, 130)
    own_m = upright.origin_m - upright.position_m
    assert np.linalg.norm(own_m, axis=1).min() > 0.01
    np.testing.assert_allclose(turned.origin_m - turned.position_m, own_m @ turn.T, atol=1e-6)
    np.testing.assert_allclose(turned.direction, upright.direction @ turn.T, atol=1e-6)


def test_sensors_see_together_what_each_of_them_sees():
    left = sensor(ALL_AROUND, "left", y_m=1.3, z_m=0.4)
    right = sensor(ALL_AROUND, "right", y_m=-1.3, z_m=0.4)
    grid = CellGrid.around(CAR.outline, cell_m=0.5, extent_m=5.0)
    both = planes(mounted(left, right, vehicle=CAR), grid)[0]
    alone = [planes(mounted(each, vehicle=CAR), grid)[0] for each in (left, right)]
    np.testing.assert_array_equal(both.points, [each.points[0] for each in alone])
    np.testing.assert_array_equal(both.is_blind(), both.is_blind(0) & both.is_blind(1))
    np.testing.assert_array_equal(both.nearest_m[2], both.nearest_m[:2].min(axis=0))


def test_area_within_a_distance_is_that_of_the_rounded_rectangle():
    """Cells of 5 cm: 2 d (L + W) + pi d^2."""
    outline = VehicleOutline((-1.0, -0.9), (3.4, 0.9))
    grid = CellGrid.around(outline, cell_m=0.05, extent_m=5.0)
    expected_m2 = 2.0 * 3.0 * (4.4 + 1.8) + math.pi * 9.0
    assert grid.area_m2(grid.beside(3.0)) == pytest.approx(expected_m2, rel=2e-3)


@pytest.mark.parametrize("bearing_deg", [0, 17, 45, 90, 133, 180, 222, 270, 359])
def test_a_ray_from_the_middle_leaves_the_outline_at_its_edge(bearing_deg):
    outline = VehicleOutline((-1.0, -0.9), (3.4, 0.9))
    bearing = math.radians(bearing_deg)
    away_m, towards = outline.exit_m(bearing), np.array([math.cos(bearing), math.sin(bearing)])
    edge_m = outline.middle_m + away_m * towards
    assert outline.distance_m(*edge_m) == pytest.approx(0.0, abs=1e-12)
    assert outline.distance_m(*(edge_m + 0.01 * towards)) > 0.0


def test_a_beam_down_onto_the_roof_sees_no_ground():
    down = {"kind": "pairs", "azimuth_elevation_deg": [[0, -89]]}
    sensors = mounted(sensor(down, x_m=1.2, z_m=2.0), vehicle=CAR)
    (beams,) = sensors.beams()
    assert beams.hidden_share == 1.0
    grid = CellGrid.around(CAR.outline, cell_m=0.5, extent_m=5.0)
    assert np.isinf(planes(sensors, grid)[0].nearest_m).all()


@pytest.mark.parametrize(
    ("mounting", "words"),
    [
        ({"x_m": 1.2, "z_m": 0.5}, "inside the vehicle (box 4.00 x 2.00 x 1.50 m)"),
        ({"x_m": 4.0, "z_m": -0.4}, "expected z above the ground at -0.30 m"),
    ],
)
def test_a_sensor_where_none_can_be_is_refused(mounting, words):
    with pytest.raises(InputError) as told:
        mounted(sensor(ALL_AROUND, **mounting), vehicle=CAR)
    assert words in str(told.value)
    assert str(told.value).startswith("sensor eye: is at x ")


def test_a_sensor_over_the_bonnet_is_inside_the_box_of_a_car_but_outside_its_shape():
    car = stated_vehicle(None)
    length_m, _, height_m = car.dimension_m
    bonnet = {"x_m": car.center_m[0] + 0.48 * length_m, "z_m": car.ground_m + 0.9 * height_m}
    made = MountedSensors(
        config(sensors=[sensor(ALL_AROUND, **bonnet)], scene={"shapes": "auto"}), car
    )
    assert made.body.startswith("medium_car")


def test_too_many_cells_are_refused():
    with pytest.raises(InputError, match=r"--cell: 0\.001 m over 20 m makes 1\.6e"):
        CellGrid.around(VehicleOutline(), cell_m=0.001, extent_m=20.0)
