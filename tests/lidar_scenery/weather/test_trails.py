# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Boxes of dust that follow vehicles: where they stand, and when."""

import math

import pytest
from osi3.osi_object_pb2 import MovingObject

from lidar_scenery.weather.state import DustBox, DustTrail
from lidar_scenery.weather.trails import DustTrails
from tests.builders.messages import Thing, frames, message
from tests.builders.weather import decoded

CLOUD = {"size_m": (3.0, 2.0, 1.5), "visibility_m": 12.0}
EACH = DustTrail(behind="vehicles", **CLOUD)
CAR_M = (4.0, 1.8, 1.4)
STEP_NS = 100_000_000


def car(x_m, y_m=0.0, *, own_id=2, z_m=0.7, **more):
    return Thing(own_id, (x_m, y_m, z_m), dimension_m=CAR_M, **more)


def following(worlds, *trails):
    """Return trails that have heard messages 0.1 s apart, one per list of things."""
    known = DustTrails()
    for frame in frames(worlds, host_id=None):
        known.hear(frame, trails)
    return known


def boxes(worlds, *trails, time_ns=None):
    time_ns = STEP_NS * (len(worlds) - 1) if time_ns is None else time_ns
    return [*following(worlds, *trails).boxes(trails, time_ns)]


def test_a_box_stands_behind_the_rear_of_a_car_at_rest_from_the_ground_up():
    (box,) = boxes([[car(10.0, 3.0, z_m=1.7)]], EACH)
    assert box.center_m == pytest.approx((10.0 - 2.0 - 1.5, 3.0, 1.0 + 0.75))
    assert (box.size_m, box.yaw_rad, box.visibility_m) == ((3.0, 2.0, 1.5), 0.0, 12.0)


def test_it_turns_with_the_car():
    (box,) = boxes([[car(10.0, 3.0, yaw_rad=math.radians(90.0))]], EACH)
    assert box.center_m == pytest.approx((10.0, 3.0 - 2.0 - 1.5, 0.75))
    assert box.yaw_rad == pytest.approx(math.radians(90.0))


@pytest.mark.parametrize("share", [0.0, 0.25, 1.0])
def test_between_messages_it_is_where_the_car_is(share):
    """From 170 to 190 degrees the car turns on, not back by 340."""
    turn_rad = [math.radians(170.0), math.radians(-170.0)]
    worlds = [[car(1.0, 0.0, yaw_rad=turn_rad[0])], [car(0.0, 2.0, yaw_rad=turn_rad[1])]]
    (box,) = boxes(worlds, EACH, time_ns=round(share * STEP_NS))
    yaw_rad = math.radians(170.0 + 20.0 * share)
    away = -3.5 * math.cos(yaw_rad), -3.5 * math.sin(yaw_rad)
    assert box.center_m == pytest.approx((1.0 - share + away[0], 2.0 * share + away[1], 0.75))
    assert math.cos(box.yaw_rad - yaw_rad) == pytest.approx(1.0)


def test_earlier_times_are_those_of_earlier_messages():
    worlds = [[car(float(x * x))] for x in range(6)]
    for number in range(6):
        (box,) = boxes(worlds, EACH, time_ns=number * STEP_NS)
        assert box.center_m[0] == pytest.approx(number * number - 3.5)


def test_entries_name_vehicles_or_one_object_and_boxes_of_the_world_stay():
    fixed = DustBox(center_m=(0.0, 0.0, 0.0), size_m=(1.0, 1.0, 1.0))
    walker = car(30.0, own_id=7, osi_type=MovingObject.TYPE_PEDESTRIAN)

    def places(*trails):
        return [
            box.center_m[0] for box in boxes([[car(10.0), car(20.0, own_id=5), walker]], *trails)
        ]

    assert places(fixed, EACH) == pytest.approx([0.0, 6.5, 16.5])
    assert places(DustTrail(behind=5, **CLOUD), fixed) == pytest.approx([16.5, 0.0])
    assert places(DustTrail(behind=7, **CLOUD)) == pytest.approx([26.5])


def test_a_message_of_the_same_time_replaces_the_one_before():
    known = DustTrails()
    for time_s, x_m in ((0.0, 0.0), (0.1, 1.0), (0.1, 2.0)):
        known.hear(decoded([message([car(x_m)], time_s, host_id=None)])[0], [EACH])
    for time_ns, x_m in ((STEP_NS, 2.0), (STEP_NS // 2, 1.0)):
        (box,) = known.boxes([EACH], time_ns)
        assert box.center_m[0] == pytest.approx(x_m - 3.5)


def test_without_a_vehicle_there_is_none():
    assert boxes([[]], EACH) == []
    assert boxes([[car(10.0)]], DustTrail(behind=99, **CLOUD)) == []
    assert following([[]], EACH).is_empty


def test_ids_that_no_message_has_are_told_until_one_has():
    trail = DustTrail(behind=7, **CLOUD)
    known = following([[car(1.0)]], trail, EACH)
    (told,) = known.remarks
    assert told == ("dust behind 7", "nothing", "the messages have no moving object of this id")
    assert following([[car(1.0)], [car(1.0, own_id=7)], [car(1.0)]], trail).remarks == ()


@pytest.mark.parametrize(("step_m", "n"), [(0.0, 0), (0.5, 0), (0.6, 1)])
@pytest.mark.parametrize("is_stated", [False, True])
def test_a_threshold_of_speed_holds_for_stated_velocities_and_for_ways(step_m, n, is_stated):
    """0.1 s for a way: 18 and 21.6 km/h. Of one pose a speed is known if it is stated."""
    trail = DustTrail(behind="vehicles", above_km_h=18.5, **CLOUD)
    velocity_m_s = (10.0 * step_m, 0.0, 0.0) if is_stated else None
    worlds = [[car(step_m * k, velocity_m_s=velocity_m_s)] for k in range(3)]
    assert len(boxes(worlds, trail)) == n
    assert len(boxes(worlds[:1], trail)) == (n if is_stated else 0)


@pytest.mark.parametrize("order", [(2, 5, 7), (7, 5, 2), (5, 7), (7,), (9, 2, 5, 7)])
def test_each_box_is_of_its_own_car_in_whatever_order_messages_list_them(order):
    """At the middle of two messages. The first one lists three cars, the second one others, too."""
    worlds = [
        [car(20.0 * own_id + 2.0 * step, own_id=own_id) for own_id in listed]
        for step, listed in enumerate(((2, 5, 7), order))
    ]
    found = boxes(worlds, EACH, time_ns=STEP_NS // 2)
    rears_m = [20.0 * own_id + (2.0 if own_id == 9 else 1.0) for own_id in order]  # 9 is new
    assert [box.center_m[0] for box in found] == pytest.approx([x_m - 3.5 for x_m in rears_m])


def test_a_car_that_was_put_elsewhere_has_its_box_there_at_once():
    (box,) = boxes([[car(0.0)], [car(90.0)]], EACH, time_ns=STEP_NS // 2)
    assert box.center_m[0] == pytest.approx(86.5)


def test_an_earlier_message_begins_a_new_run():
    known = DustTrails()
    for time_s, x_m in ((5.0, 1.0), (1.0, 50.0)):
        known.hear(decoded([message([car(x_m)], time_s, host_id=None)])[0], [EACH])
    (box,) = known.boxes([EACH], 900_000_000)
    assert box.center_m[0] == pytest.approx(46.5)


def test_long_runs_keep_about_a_second_of_messages():
    known = following([[car(0.1 * k)] for k in range(100)], EACH)
    assert len(known._heard) <= 14
