# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""From where to where road users are seen: closed forms, with boxes in their place."""

import math

import numpy as np
import pytest

from lidar_app.coverage.mounted import MountedSensors
from lidar_app.coverage.targets import (
    PRECISION,
    PRECISION_M,
    ROAD_USERS,
    distance_limits,
    ladder,
    placed,
    road_user_coverage,
)
from lidar_app.coverage.vehicle import CarryingVehicle, of_dimension
from tests.builders.worlds import config

NO_VEHICLE = CarryingVehicle(dimension_m=None, source="as stated")
AHEAD, BEHIND = 0.0, math.pi


def sensors(*angles_deg, z_m=1.0, vehicle=NO_VEHICLE, max_range_m=30.0):
    """Return a sensor for each list of pairs of azimuth and elevation, at the origin."""
    made = [
        {
            "name": f"s{number}",
            "pattern": {"kind": "pairs", "azimuth_elevation_deg": pairs},
            "min_range_m": 0.4,
            "max_range_m": max_range_m,
            "mounting": {"x_m": 0.0, "z_m": z_m},
        }
        for number, pairs in enumerate(angles_deg)
    ]
    return MountedSensors(config(sensors=made, scene={"shapes": "box"}), vehicle)


def seen(made, user, bearing_rad=AHEAD, n_points=1):
    (found,) = road_user_coverage(made, [ROAD_USERS[user]], [bearing_rad], n_points)
    return found


def near(distance_m):
    return pytest.approx(distance_m, abs=max(PRECISION_M, PRECISION * distance_m))


def test_a_level_beam_sees_a_person_between_the_ranges_of_the_sensor():
    found = seen(sensors([[0, 0]]), "person")
    assert found.nearest_m.tolist() == [near(0.4)] * 2
    assert found.farthest_m.tolist() == [near(30.0)] * 2
    np.testing.assert_array_equal(found.unbroken_m, found.farthest_m)


def test_two_beams_see_a_person_up_to_half_its_width_over_tan_of_their_azimuth():
    """The person is 0.6 m wide: both beams at +-1 deg meet it up to 0.3 m / tan(1 deg)."""
    found = seen(sensors([[1, 0], [-1, 0]]), "person", n_points=2)
    assert found.farthest_m[0] == near(0.3 / math.tan(math.radians(1.0)))


def test_a_beam_above_a_child_sees_a_person_only():
    made = sensors([[0, 0]], z_m=1.3)
    assert np.isnan(seen(made, "child").nearest_m).all()
    assert seen(made, "person").farthest_m[0] == near(30.0)


def test_a_beam_that_falls_meets_a_child_nearer_than_the_ground():
    """From 2 m, at -10 deg: over the child (1.1 m) until (2 - 1.1) / tan(10 deg), its front on
    until the ground, 2 / tan(10 deg); its back side is 0.31 m farther, the top nearer."""
    found = seen(sensors([[0, -10]], z_m=2.0), "child")
    falls = math.tan(math.radians(10.0))
    assert found.nearest_m[0] == near(0.9 / falls - 0.31)
    assert found.farthest_m[0] == near(2.0 / falls)


def test_nobody_is_seen_behind_a_sensor_that_looks_ahead():
    found = seen(sensors([[0, 0]]), "car", bearing_rad=BEHIND)
    assert np.isnan([found.nearest_m, found.farthest_m, found.unbroken_m]).all()


def test_two_sensors_together_have_the_points_that_each_lacks():
    found = seen(sensors([[0, 0]], [[0, 5]]), "person", n_points=2)
    assert np.isnan(found.nearest_m[:2]).all()
    assert found.farthest_m[2] == near(0.75 / math.tan(math.radians(5.0)))


def test_rules_for_objects_are_not_for_road_users(tmp_path):
    """A rule gives pedestrians a mesh of a few centimetres; the person is a box all the same."""
    mesh = tmp_path / "tiny.obj"
    mesh.write_text("v 0 0 0\nv .01 0 0\nv 0 0 .01\nf 1 2 3\n")
    rule = {"match": {"type": "PEDESTRIAN"}, "mesh": str(mesh), "up": "z"}
    level = {"kind": "pairs", "azimuth_elevation_deg": [[0, 0]]}
    sensor = {"name": "eye", "pattern": level, "max_range_m": 30.0, "mounting": {"z_m": 1.0}}
    made = config(sensors=[sensor], scene={"shapes": "box", "objects": [rule]})
    found = seen(MountedSensors(made, NO_VEHICLE), "person")
    assert found.farthest_m[0] == near(30.0)


def test_the_vehicle_hides_who_stands_behind_it():
    """A sensor behind a box of 4 m looks over it level at 1 m, and sees its rear alone."""
    vehicle = of_dimension((4.0, 2.0, 1.5), "as stated")
    made = config(
        sensors=[
            {
                "name": "eye",
                "pattern": {"kind": "pairs", "azimuth_elevation_deg": [[0, 0], [180, 0]]},
                "mounting": {"x_m": -1.0, "z_m": 0.7},
            }
        ],
        scene={"shapes": "box"},
    )
    on_vehicle = MountedSensors(made, vehicle)
    assert np.isnan(seen(on_vehicle, "person", AHEAD).nearest_m).all()
    assert seen(on_vehicle, "person", BEHIND).farthest_m[0] > 10.0


@pytest.mark.long
def test_fog_brings_a_physical_sensor_nearer_to_a_person():
    sensor = {"name": "eye", "preset": "VLP-16", "fidelity": "physical", "mounting": {"z_m": 1.2}}
    fog = {"fog": {"visibility_m": 30.0}}
    clear, foggy = (
        seen(MountedSensors(config(sensors=[sensor], **more), NO_VEHICLE), "person", n_points=5)
        for more in ({}, {"weather": fog})
    )
    assert foggy.farthest_m[0] < 0.9 * clear.farthest_m[0]


@pytest.mark.parametrize("bearing_deg", [0, 40, 90, 200, 270])
def test_a_road_user_stands_on_the_ground_at_the_distance_from_the_outline(bearing_deg):
    vehicle = of_dimension((4.0, 2.0, 1.5), "as stated")
    made = sensors([[0, 0]], z_m=2.5, vehicle=vehicle)
    bearing = math.radians(bearing_deg)
    box = placed(made, ROAD_USERS["car"], bearing, 3.0)
    assert box.position_m[2] == pytest.approx(vehicle.ground_m + 0.725)
    back = np.array(box.position_m[:2]) - 2.2 * np.array([math.cos(bearing), math.sin(bearing)])
    edge = back - 3.0 * np.array([math.cos(bearing), math.sin(bearing)])
    assert vehicle.outline.distance_m(*edge) == pytest.approx(0.0, abs=1e-9)
    assert vehicle.outline.bearing_rad(*back) % (2 * math.pi) == pytest.approx(bearing)


def test_limits_of_points_that_fall_with_the_square_of_the_distance():
    limits = [*distance_limits(lambda d: np.array([int(1e4 / (d + 1.0) ** 2)]), ladder(200.0), 4)]
    assert limits == [(0.0, near(49.0), near(49.0))]


def test_a_gap_between_tried_distances_with_enough_points_is_told():
    def counts_at(distance_m):
        return np.array([0 if 2.2 <= distance_m <= 3.8 or distance_m > 9.0 else 7])

    ((nearest_m, farthest_m, unbroken_m),) = distance_limits(counts_at, ladder(20.0), 7)
    assert (nearest_m, farthest_m, unbroken_m) == (0.0, near(9.0), near(2.2))


def test_each_distance_is_counted_once():
    asked = []

    def counts_at(distance_m):
        asked.append(distance_m)
        return np.array([int(distance_m < 8.0), int(distance_m < 8.0)])

    assert len([*distance_limits(counts_at, ladder(50.0), 1)]) == 2
    assert len(asked) == len(set(asked))
