# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Messages in: which object is the host, where its rear axle and the ground are."""

import logging
import math
from itertools import product

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from osi_bridge import FrameDecoder, UnknownHost, open_trace, read_frames, write_trace
from tests.builders.messages import host
from tests.builders.messages import message as view_of
from tests.osi_bridge.helpers import add_box, add_car, decode, ground_truth, sensor_view


@pytest.mark.parametrize(
    ("in_view", "in_truth", "override", "expected"),
    [
        (None, None, None, 0),
        (1, 2, None, 1),
        (None, 2, None, 2),
        (0, 2, None, 0),  # 0 is an id, not an absent one
        (99, 2, None, 2),
        (99, 98, None, 0),
        (1, 2, 0, 0),
        (None, None, 2, 2),
    ],
)
def test_host_is_chosen_by_override_then_view_then_truth_then_first(
    in_view, in_truth, override, expected
):
    view = sensor_view(cars=(0, 1, 2))
    if in_view is not None:
        view.host_vehicle_id.value = in_view
    if in_truth is not None:
        view.global_ground_truth.host_vehicle_id.value = in_truth
    (frame,) = decode(view, host_id=override, message_type="SensorView")
    assert frame.host.object_id == expected
    assert frame.objects.object_id[frame.host.index] == expected


def test_a_host_taken_for_want_of_another_is_named_once(caplog):
    with caplog.at_level(logging.WARNING):
        frames = decode(ground_truth(0, (5, 6)), ground_truth(1, (6, 5)))
    assert [frame.host.object_id for frame in frames] == [5, 5]
    assert [frame.host.index for frame in frames] == [0, 1]
    assert caplog.messages == [
        "the trace declares no host vehicle: using the first moving object, id 5"
    ]


def test_a_host_that_does_not_exist_is_refused_with_those_that_do():
    with pytest.raises(UnknownHost, match=r"^host vehicle 9 .* expected one of: 5, 6"):
        decode(ground_truth(0, (5, 6)), host_id=9)


def test_a_host_asked_for_may_come_with_the_first_moving_objects():
    frames = decode(ground_truth(0, ()), ground_truth(1, (5, 6)), host_id=6)
    assert [frame.host and frame.host.object_id for frame in frames] == [None, 6]
    with pytest.raises(UnknownHost):
        decode(ground_truth(0, ()), ground_truth(1, (5, 6)), host_id=9)


@pytest.mark.parametrize("absent", [True, False])
def test_a_declared_host_that_comes_later_takes_its_place_from_then_on(absent, caplog):
    messages = [ground_truth(n, (5, 6)) for n in range(3)]
    for message in messages:
        message.host_vehicle_id.value = 6
    if absent:
        del messages[0].moving_object[1]
    else:
        messages[0].moving_object[1].base.position.x = math.nan
    with caplog.at_level(logging.WARNING):
        frames = decode(*messages)
    assert [frame.host.object_id for frame in frames] == [5, 6, 6]
    assert caplog.messages == [
        "host vehicle 6 is not a moving object of the trace: using the first moving object, id 5",
        "host vehicle 6 appeared: using it instead of 5",
    ]


def test_the_host_stays_unless_the_message_names_another(caplog):
    named, other = ground_truth(0, (5, 6)), ground_truth(3, (5, 6))
    named.host_vehicle_id.value = 6
    other.host_vehicle_id.value = 5
    gone = ground_truth(2, (5,))
    with caplog.at_level(logging.WARNING):
        frames = decode(named, ground_truth(1, (5, 6)), gone, other)
    hosts = [frame.host.object_id if frame.host else None for frame in frames]
    assert hosts == [6, 6, None, 5]
    assert caplog.messages == ["host vehicle 6 is missing in some frames"]


def test_a_message_without_moving_objects_has_no_host():
    truth = ground_truth(cars=())
    assert decode(truth)[0].host is None
    assert decode(truth)[0].ground_m() is None


def test_rear_axle_comes_from_the_best_source_there_is():
    truth = ground_truth()
    attributes = truth.moving_object[0].vehicle_attributes
    # 0.3 of the length behind the centre, 0.3 m above the ground: 4 m long, 1.5 m high.
    host = decode(truth)[0].host
    np.testing.assert_allclose(host.rear_axle_from_center_m, [-1.2, 0.0, -0.45])
    assert host.source == "dimension"
    for x in (0.0, 0.0):  # wheels that say nothing
        attributes.wheel_data.add().position.x = x
    assert decode(truth)[0].host.source == "dimension"
    for x, y in ((1.5, 0.8), (1.5, -0.8), (-1.4, 0.8), (-1.4, -0.8)):
        position = attributes.wheel_data.add().position
        position.x, position.y, position.z = x, y, -0.4
    host = decode(truth)[0].host
    np.testing.assert_allclose(host.rear_axle_from_center_m, [-1.4, 0.0, -0.4])
    assert host.source == "wheel_data"
    attributes.bbcenter_to_rear.x = -1.3
    assert decode(truth)[0].host.source == "bbcenter_to_rear"


def test_the_rear_axle_is_that_of_the_first_wheels():
    truth = ground_truth()
    wheels = truth.moving_object[0].vehicle_attributes.wheel_data
    for number in range(100):
        wheels.add().position.x = -1.4 if number < 64 else -1.9
    np.testing.assert_allclose(decode(truth)[0].host.rear_axle_from_center_m, [-1.4, 0.0, 0.0])


def test_each_host_has_a_rear_axle_of_its_own_and_keeps_it_while_another_is_the_host():
    messages = [ground_truth(n, (5, 6)) for n in range(3)]
    for message, host_id in zip(messages, (5, 6, 5), strict=True):
        message.host_vehicle_id.value = host_id
    messages[0].moving_object[0].vehicle_attributes.bbcenter_to_rear.x = -1.3
    hosts = [frame.host for frame in decode(*messages)]
    assert [each.object_id for each in hosts] == [5, 6, 5]
    assert [each.source for each in hosts] == ["bbcenter_to_rear", "dimension", "bbcenter_to_rear"]
    assert [each.rear_axle_from_center_m[0] for each in hosts] == [-1.3, -1.2, -1.3]


def test_ground_is_under_the_lowest_box_or_wheel():
    truth = ground_truth(cars=())
    car = add_car(truth, 1, position=(0.0, 0.0, 1.0), dimension=(4.0, 2.0, 1.0))
    assert decode(truth)[0].ground_m() == 0.5
    wheel = car.vehicle_attributes.wheel_data.add()
    wheel.position.x, wheel.position.z, wheel.wheel_radius = -1.0, -0.6, 0.3
    assert decode(truth)[0].ground_m() == pytest.approx(0.1)  # 1.0 - 0.6 - 0.3
    # Nose down by 30 deg: the box reaches down sin(30) 2 m + cos(30) 0.5 m = 1.433 m.
    car.base.orientation.pitch = math.pi / 6
    assert decode(truth)[0].ground_m() == pytest.approx(1.0 - 1.0 - 0.5 * math.cos(math.pi / 6))


@pytest.mark.parametrize("angles_deg", [(20, 0, 0), (0, -30, 0), (25, 35, 80), (-40, 15, -130)])
def test_ground_is_under_the_lowest_corner_or_wheel_however_a_box_is_turned(angles_deg):
    """Each of two cars has one wheel below a corner of its box; the second one stands lower."""
    corners_m = np.array(list(product((-2.0, 2.0), (-1.0, 1.0), (-0.5, 0.5))))
    roll, pitch, yaw = np.radians(angles_deg).tolist()
    turned = Rotation.from_euler("ZYX", (yaw, pitch, roll))
    truth = ground_truth(cars=())
    for object_id, z_m in ((1, 3.0), (2, 1.0)):
        place = {"position": (9.0 * object_id, 0.0, z_m), "dimension": (4.0, 2.0, 1.0)}
        orientation = add_car(truth, object_id, **place, yaw=yaw).base.orientation
        orientation.roll, orientation.pitch = roll, pitch
    boxes_m = 1.0 + turned.apply(corners_m)[:, 2].min()
    assert decode(truth)[0].ground_m() == pytest.approx(boxes_m)
    for car, x_m, y_m in zip(truth.moving_object, (-1.4, 1.4), (-0.8, 0.8), strict=True):
        wheel = car.vehicle_attributes.wheel_data.add(wheel_radius=0.3)
        wheel.position.x, wheel.position.y, wheel.position.z = x_m, y_m, -0.6
    wheels_m = 1.0 + turned.apply((1.4, 0.8, -0.6))[2] - 0.3
    assert decode(truth)[0].ground_m() == pytest.approx(min(boxes_m, wheels_m))


def test_an_object_far_below_does_not_take_the_ground_away():
    truth = ground_truth(cars=())
    add_car(truth, 1, position=(0.0, 0.0, 500.75), dimension=(4.0, 2.0, 1.5))
    add_box(truth, 2, position=(0.0, 0.0, -9.9e8))
    assert decode(truth)[0].ground_m() == 500.0
    add_box(truth, 3, position=(0.0, 0.0, 420.0), dimension=(1.0, 1.0, 2.0))
    assert decode(truth)[0].ground_m() == 419.0  # a valley beside the road counts
    wheel = truth.moving_object[0].vehicle_attributes.wheel_data.add()
    wheel.position.z, wheel.wheel_radius = -math.inf, 1e308
    assert decode(truth)[0].ground_m() == 419.0


def test_without_a_host_the_ground_is_that_of_the_median_object():
    truth = ground_truth(cars=())
    for object_id, z_m in ((1, 10.0), (2, 12.0), (3, -5000.0)):
        add_box(truth, object_id, position=(0.0, 0.0, z_m), dimension=(1.0, 1.0, 2.0))
    frame = decode(truth)[0]
    assert frame.host is None
    assert frame.ground_m() == 9.0


def test_rear_axles_are_a_column_with_nan_where_none_can_be():
    truth = ground_truth(cars=(1, 2, 3, 4))
    for row, x in ((0, -1.3), (2, 1e300), (3, math.inf)):
        rear = truth.moving_object[row].vehicle_attributes.bbcenter_to_rear
        rear.x, rear.y, rear.z = x, 0.0, -0.4
    add_box(truth, 9)
    (frame,) = decode(truth, host_id=3)
    unknown = [math.nan] * 3
    np.testing.assert_array_equal(
        frame.objects.rear_axle_from_center_m, [[-1.3, 0.0, -0.4], *[unknown] * 4]
    )
    assert frame.objects.rear_axle_from_center_m.dtype == np.float64
    assert not frame.objects.rear_axle_from_center_m.flags.writeable
    assert frame.host.source == "dimension"


def test_ground_may_be_that_of_some_objects_and_is_always_that_of_the_host():
    truth = ground_truth(cars=())
    add_car(truth, 1, position=(0.0, 0.0, 0.75), dimension=(4.0, 2.0, 1.5))
    for object_id, z_m in ((2, -2.0), (3, -4.0)):
        add_box(truth, object_id, position=(9.0, 0.0, z_m), dimension=(1.0, 1.0, 2.0))
    frame = decode(truth)[0]
    assert frame.ground_m() == -5.0
    assert frame.ground_m(np.array([False, True, False])) == -3.0
    assert frame.ground_m(np.zeros(3, bool)) == 0.0


def test_warnings_of_a_trace_begin_with_its_name_and_come_once(tmp_path, caplog):
    paths = [tmp_path / name for name in ("a.osi", "b.osi")]
    for path in paths:
        write_trace(path, [view_of([host()], host_id=None)], message_type="SensorView")
    for path in [*paths, *paths]:  # as check, and then a replay, would read them
        trace = open_trace(path)
        list(read_frames(trace, FrameDecoder(trace.message_type)))
    assert caplog.messages == [
        f"{path}: the trace declares no host vehicle: using the first moving object, id 1"
        for path in paths
    ]
