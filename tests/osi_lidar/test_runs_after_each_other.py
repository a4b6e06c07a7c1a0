# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""A message of an earlier time begins a new run: it is as if it were the first of its model.

Nothing of the run before is left: wheels, legs, paint, spray, dust, ground, roads.
"""

import math

import numpy as np
import pytest
from osi3.osi_object_pb2 import MovingObject
from osi3.osi_sensorview_pb2 import SensorView

from osi_lidar import LidarModel
from tests.builders.lanes import with_films
from tests.builders.messages import Thing, host, message
from tests.builders.weather import decoded
from tests.builders.worlds import config, raster

PATTERN = raster(60, 24, azimuth_deg=(-40, 40), elevation_deg=(-12, 2))
IDEAL = {"pattern": PATTERN, "mounting": {"z_m": 0.8}}
PHYSICAL = {
    **IDEAL,
    "fidelity": "physical",
    "beam": {"divergence_deg": 0.2},
    "range_limit": {"equation": {"pairs": [[10, 60]]}},
}
SENSORS = [
    {"name": "parts", **IDEAL, "velocity": True},
    {"name": "at_once", **IDEAL, "rolling_shutter": False, "motion_blur": False},
    {"name": "own_pace", **IDEAL, "timing": "sensor_rate", "rotation_rate_hz": 7},
    {"name": "weather", **PHYSICAL},
]
WEATHER = {
    "road_water_mm": 1.0,
    "rain_mm_h": 20,
    "dust": [{"behind": "vehicles", "size_m": [3, 2, 2], "visibility_m": 20}],
}
N_STEPS = 3
STEP_NS = 100_000_000


def run(start_s, *, ahead_m, step_m, turn_rad, z_m, red):
    """Return the frames of a run: a car and a person move before a host, beside a parked car."""

    def world(k):
        far_m, yaw_rad = ahead_m + step_m * k, turn_rad * k
        car = Thing(2, (far_m, 2.5, z_m + 0.75), dimension_m=(4.5, 1.8, 1.5), yaw_rad=yaw_rad)
        person = Thing(
            3,
            (6.0 + 0.3 * k, -2.0 + 0.1 * step_m * k, z_m + 0.9),
            dimension_m=(0.6, 0.6, 1.8),
            yaw_rad=math.atan2(0.1 * step_m, 0.3),
            osi_type=MovingObject.TYPE_PEDESTRIAN,
        )
        parked = Thing(4, (14.0, -5.0, z_m + 0.75), dimension_m=(4.5, 1.8, 1.5))
        return [host(x_m=0.4 * step_m * k, z_m=z_m), car, person, parked]

    views = []
    for k in range(N_STEPS):
        view = SensorView.FromString(message(world(k), start_s + 1e-9 * STEP_NS * k))
        for number in (1, 3):
            view.global_ground_truth.moving_object[number].color_description.rgb.red = red
        views.append(view.SerializeToString())
    return decoded(views)


FIRST = {"ahead_m": 9.0, "step_m": 2.2, "turn_rad": 0.1, "z_m": -1.0, "red": 0.0}
SECOND = {"ahead_m": 10.0, "step_m": -1.9, "turn_rad": -0.05, "z_m": 0.5, "red": 1.0}


def model():
    return LidarModel(config(sensors=SENSORS, weather=WEATHER, scene={"shapes": "auto"}, seed=5))


def points_of(a_model, frame):
    """Return the points of each scan of a step, by sensor."""
    return {each.sensor: each.cloud.points for each in a_model.step(frame).scans}


def n_others(found, expected):
    """Return the number of points that differ by more than rounding; all, if not as many."""
    if len(found) != len(expected):
        return len(found)
    names = found.dtype.names
    alike = [np.isclose(found[name], expected[name], rtol=1e-4, atol=1e-4) for name in names]
    return np.count_nonzero(~np.all(alike, axis=0))


def test_a_run_that_begins_without_objects_has_none_of_the_run_before():
    a_model, things = model(), [host(), Thing(2, (12.0, 0.0, 0.75))]
    views = [message(things, 5.0), message(things, 5.1), message([], 0.0), message([], 0.1)]
    for frame in decoded(views):
        found = points_of(a_model, frame)
    assert all((points["object_id"] != 2).all() for points in found.values())
    assert not a_model.world.objects.placed


def rising(view):
    """Return a message with two lanes that rise to 6 m."""
    stated = SensorView.FromString(with_films(view, [0.0, 0.0]))
    for boundary in stated.global_ground_truth.lane_boundary:
        boundary.boundary_line[1].position.z = 6.0
    return stated.SerializeToString()


@pytest.mark.parametrize("has_lanes", [True, False])
def test_ground_and_roads_are_those_of_the_first_message_of_a_run(has_lanes):
    """In the first run a car is below the roads, which have a plane for ground then."""
    low, high = [host(), Thing(2, (95.0, 3.0, 0.75))], [host(z_m=2.6), Thing(2, (8.0, 3.0, 3.2))]

    def world_after(*runs):
        views = [message(things, start_s + 0.1 * k) for start_s, things in runs for k in range(2)]
        world = model().world
        for frame in decoded([rising(view) for view in views] if has_lanes else views):
            world.update(frame)
        meshes = world.static_meshes(objects=True)
        return world.ground.z_m, sorted(each.mesh.name for each in meshes)

    assert world_after((5.0, low), (2.0, high)) == world_after((2.0, high))
    assert world_after((5.0, low)) != world_after((2.0, high))


def test_a_run_is_as_if_it_were_the_first_one_of_its_model():
    again, fresh = model(), model()
    before = [points_of(again, frame) for frame in run(8.0, **FIRST)]
    for number, frame in enumerate(run(2.0, **SECOND)):
        found, expected = points_of(again, frame), points_of(fresh, frame)
        assert found.keys() == expected.keys()
        for sensor, points in found.items():
            # where two surfaces meet, a beam hits the one or the other by rounding
            assert n_others(points, expected[sensor]) <= 2
            assert n_others(points, before[number][sensor]) > 20
