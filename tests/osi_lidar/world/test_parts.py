# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Parts of objects that no ray can meet rest, and clouds are those of a world where all move."""

import numpy as np
import pytest
from osi3.osi_object_pb2 import MovingObject

from osi_lidar import LidarModel
from osi_lidar.world.parts import LEAVES_M, SPARE_M, FarObjects
from tests.builders.messages import Thing, frames, host
from tests.builders.worlds import config

RANGE_M, CAR_M, START_M, STEP_M, STEP_S = 30.0, (4.6, 1.8, 1.5), -66.0, 2.0, 0.1
MOUNTING = {"x_m": 1.2, "z_m": 0.45}
SENSOR = {
    "preset": "VLP-16",
    "columns": 360,
    "max_range_m": RANGE_M,
    "range_limit": None,
    "mounting": MOUNTING,
}
NEAREST_M = RANGE_M + np.hypot(*MOUNTING.values()) + 0.5 * np.linalg.norm(CAR_M) + SPARE_M + STEP_M
"""Distance up to which a car may be met, with all that it is allowed."""


def model(**sensor):
    """Return a model of a sensor with a short range, without ground."""
    chosen = {"name": "front", **SENSOR, **sensor}
    return LidarModel(config(sensors=[chosen], scene={"ground": "none", "shapes": "auto"}))


def passing(*others):
    """Return messages in which a car comes, drives past beside the sensor, and leaves."""
    worlds = []
    for number, x in enumerate(np.arange(START_M, -START_M, STEP_M).tolist()):
        car = Thing(9, (x, 3.0, 0.75), yaw_rad=0.01 * number, dimension_m=CAR_M)
        worlds.append([host(), car, *(other(number) for other in others)])
    return frames(worlds, STEP_S)


def runner(number):
    """Return somebody far away whose limbs ask for finer steps of all that moves in a scan."""
    place_m = (70.0, 0.7 * number, 0.9)
    kind = MovingObject.TYPE_PEDESTRIAN
    return Thing(12, place_m, yaw_rad=0.5 * np.pi, osi_type=kind, dimension_m=(0.6, 0.6, 1.8))


def test_a_cars_wheels_turn_while_rays_may_meet_it_and_until_it_is_well_beyond():
    of, turning_m = model(), []
    for number, frame in enumerate(passing()):
        of.step(frame)
        if of.world.objects.placed[9].parts:
            turning_m.append(START_M + STEP_M * number)
    assert turning_m[0] == pytest.approx(-NEAREST_M, abs=STEP_M + 1.0)
    assert turning_m[-1] == pytest.approx(NEAREST_M + LEAVES_M, abs=STEP_M + 1.0)
    assert len(turning_m) == (turning_m[-1] - turning_m[0]) / STEP_M + 1.0


@pytest.mark.long
@pytest.mark.parametrize("sensor", [{}, {"motion_blur": False}, {"rolling_shutter": False}])
def test_clouds_are_those_of_a_world_in_which_all_parts_move(monkeypatch, sensor):
    def points():
        of = model(velocity=True, **sensor)
        heard = passing(runner)
        return [scan.cloud.points for frame in heard for scan in of.step(frame).scans]

    found = points()
    monkeypatch.setattr(FarObjects, "of", lambda *_: set())
    expected = points()
    assert sum(map(len, expected)) > 1000
    for one, other in zip(found, expected, strict=True):
        assert one.tobytes() == other.tobytes()


def test_a_car_that_appears_near_is_never_far_and_one_that_jumps_is_where_it_is():
    of = model()
    places = [100.0, 100.5, 101.0, 10.0, 10.5, 11.0, 11.5]
    turns = []
    for frame in frames(
        [[host(), Thing(9, (x, 3.0, 0.75), dimension_m=CAR_M)] for x in places], STEP_S
    ):
        of.step(frame)
        turns.append(bool(of.world.objects.placed[9].parts))
    assert turns == [False, False, False, True, True, True, True]


def test_parts_of_a_far_car_rest_from_its_first_message_on():
    """Before it appears it is nowhere, and has not come from where others are."""
    worlds = [[host()], [host()]]
    worlds += [[host(), Thing(9, (x, 3.0, 0.75), dimension_m=CAR_M)] for x in (68.0, 68.5, 69.0)]
    of, turns = model(), []
    for frame in frames(worlds, 0.05):  # a scan takes 0.1 s
        of.step(frame)
        if len(frame.moving) > 1:
            turns.append(bool(of.world.objects.placed[9].parts))
    assert turns == [False, False, False]
