# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Messages in: objects, host vehicle, what stays from the first message."""

import logging
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from osi3.osi_object_pb2 import MovingObject, StationaryObject
from osi3.osi_trafficsign_pb2 import TrafficSign

from osi_bridge import (
    FrameDecoder,
    ObjectKind,
    OsiInputError,
    UndecodableMessage,
    rotation_from_orientation,
)
from tests.osi_bridge.helpers import add_box, add_car, ground_truth, put_base, sensor_view

ANGLE = st.floats(-math.pi, math.pi)


def decode(*messages, host_id=None, message_type="GroundTruth"):
    decoder = FrameDecoder(message_type, host_id)
    return [decoder.decode(m.SerializeToString(), i) for i, m in enumerate(messages)]


def test_rotation_turns_axes_by_hand():
    # Yaw 90 deg: x -> y. Pitch 90 deg: x -> -z (nose down). Roll 90 deg: y -> z.
    quarter = math.pi / 2
    R = rotation_from_orientation([[0, 0, quarter], [0, quarter, 0], [quarter, 0, 0]])
    x, y, z = np.eye(3)
    np.testing.assert_allclose(R[0] @ x, y, atol=1e-15)
    np.testing.assert_allclose(R[1] @ x, -z, atol=1e-15)
    np.testing.assert_allclose(R[2] @ y, z, atol=1e-15)


@given(roll=ANGLE, pitch=ANGLE, yaw=ANGLE)
def test_rotation_is_the_product_of_three_turns(roll, pitch, yaw):
    def turn(axis, angle):
        matrix = np.eye(3)
        i, j = (axis + 1) % 3, (axis + 2) % 3
        matrix[[i, j], [i, j]] = math.cos(angle)
        matrix[i, j], matrix[j, i] = -math.sin(angle), math.sin(angle)
        return matrix

    expected = turn(2, yaw) @ turn(1, pitch) @ turn(0, roll)
    np.testing.assert_allclose(
        rotation_from_orientation([roll, pitch, yaw]), expected, rtol=0, atol=1e-15
    )


def test_all_four_kinds_of_objects_are_read():
    truth = ground_truth(1_500_000_000, cars=())
    car = add_car(truth, 5, position=(1.0, 2.0, 3.0), dimension=(4.0, 2.0, 1.5), yaw=0.5)
    car.model_reference = "car.gltf"
    walker = truth.moving_object.add()
    walker.id.value = 6
    walker.type = MovingObject.TYPE_PEDESTRIAN
    put_base(walker.base)
    add_box(truth, 9)
    truth.stationary_object[0].classification.type = StationaryObject.Classification.TYPE_BUILDING
    sign = truth.traffic_sign.add()
    sign.id.value = 11
    sign.main_sign.classification.type = TrafficSign.MainSign.Classification.TYPE_STOP
    sign.main_sign.model_reference = "stop.obj"
    put_base(sign.main_sign.base)
    light = truth.traffic_light.add()
    light.id.value = 12
    put_base(light.base)
    (frame,) = decode(truth)
    objects = frame.objects
    assert frame.time_ns == 1_500_000_000
    assert objects.object_id.tolist() == [5, 6, 9, 11, 12]
    assert objects.kind.tolist() == [0, 0, 1, 2, 3]
    assert objects.type_name == (
        "TYPE_VEHICLE",
        "TYPE_PEDESTRIAN",
        "TYPE_BUILDING",
        "TYPE_STOP",
        "ICON_UNKNOWN",
    )
    assert objects.subtype_name == ("TYPE_CAR", "", "", "", "")
    assert objects.model_reference == ("car.gltf", "", "", "stop.obj", "")
    assert objects.position_m[0].tolist() == [1.0, 2.0, 3.0]
    assert objects.orientation_rad[0].tolist() == [0.0, 0.0, 0.5]
    assert objects.dimension_m[0].tolist() == [4.0, 2.0, 1.5]
    assert objects.object_id.dtype == np.uint64
    assert not objects.position_m.flags.writeable
    assert frame.skipped == ()


def test_negative_and_missing_timestamps():
    assert decode(ground_truth(-1))[0].time_ns == -1
    truth = ground_truth()
    truth.ClearField("timestamp")
    with pytest.raises(OsiInputError, match="frame 0: the message has no timestamp"):
        decode(truth)


def test_a_view_without_timestamp_takes_its_ground_truths():
    view = sensor_view(5)
    view.ClearField("timestamp")
    assert decode(view, message_type="SensorView")[0].time_ns == 5


def test_bytes_of_no_message_are_refused_with_the_frame_number():
    with pytest.raises(UndecodableMessage, match="frame 3: not a GroundTruth message"):
        FrameDecoder("GroundTruth").decode(b"\x0a\xff", 3)
    with pytest.raises(OsiInputError, match="expected SensorView or GroundTruth"):
        FrameDecoder("SensorData")


@pytest.mark.parametrize(
    ("part", "field", "value", "reason"),
    [
        ("position", "x", math.nan, "base.position.x is nan"),
        ("position", "z", -math.inf, "base.position.z is -inf"),
        ("position", "y", 2e9, "base.position.y is 2e+09 m, expected at most 1e+09 m"),
        ("orientation", "yaw", math.nan, "base.orientation.yaw is nan"),
        ("dimension", "length", -1.0, "base.dimension.length is -1 m, expected 0 to 10000 m"),
        ("dimension", "height", 2e4, "base.dimension.height is 20000 m, expected 0 to 10000 m"),
        ("dimension", "width", math.inf, "base.dimension.width is inf"),
    ],
)
def test_an_impossible_object_is_left_out_and_named(part, field, value, reason):
    truth = ground_truth(cars=(1, 2, 3))
    setattr(getattr(truth.moving_object[1].base, part), field, value)
    (frame,) = decode(truth, host_id=3)
    assert frame.objects.object_id.tolist() == [1, 3]
    assert [(s.object_id, s.kind, s.reason) for s in frame.skipped] == [
        (2, ObjectKind.MOVING, reason)
    ]
    assert frame.host.index == 1  # rows are counted without the one left out


def test_objects_without_id_base_or_with_a_known_id_are_left_out():
    truth = ground_truth(cars=(1, 2, 2))
    add_box(truth, 1)
    truth.moving_object.add().id.value = 4
    put_base(truth.moving_object.add().base)
    (frame,) = decode(truth, host_id=2)
    assert frame.objects.object_id.tolist() == [1, 2]
    assert frame.objects.position_m[1, 0] == 10.0  # the first of the two
    repeated = "its id is that of an earlier object of the same message"
    assert [(s.object_id, s.reason) for s in frame.skipped] == [
        (4, "base.position is missing"),
        (None, "id is missing"),
        (2, repeated),
        (1, repeated),
    ]
    assert frame.host.index == 1


def test_an_object_without_dimension_or_orientation_stays():
    truth = ground_truth()
    truth.moving_object[0].base.ClearField("dimension")
    truth.moving_object[0].base.ClearField("orientation")
    (frame,) = decode(truth)
    assert frame.objects.dimension_m.tolist() == [[0.0, 0.0, 0.0]]
    assert frame.objects.orientation_rad.tolist() == [[0.0, 0.0, 0.0]]
    assert frame.skipped == ()


def test_a_model_reference_that_is_not_utf8_is_read():
    truth = ground_truth()
    truth.moving_object[0].model_reference = "Stra\xdfe.obj"
    data = truth.SerializeToString().replace("\xdf".encode(), b"\xdf_")
    frame = FrameDecoder("GroundTruth").decode(data, 0)
    assert frame.objects.model_reference == ("Stra\ufffd_e.obj",)


def test_what_comes_only_in_the_first_message_stays():
    first = ground_truth()
    first.model_reference, first.map_reference = "town.obj", "town.xodr"
    first.moving_object[0].vehicle_attributes.bbcenter_to_rear.x = -1.3
    first.host_vehicle_id.value = 7
    add_box(first, 100)
    frames = decode(first, ground_truth(1), ground_truth(2))
    for frame in frames:
        assert frame.objects.object_id.tolist() == [7, 100]
        assert (frame.environment_reference, frame.map_reference) == ("town.obj", "town.xodr")
        assert frame.host.rear_axle_from_center_m.tolist() == [-1.3, 0.0, 0.0]
        assert frame.host.source == "bbcenter_to_rear"


def test_a_list_that_comes_again_counts_from_then_on():
    first, again, later = ground_truth(0), ground_truth(2), ground_truth(3)
    add_box(first, 100)
    light = first.traffic_light.add()
    light.id.value = 200
    put_base(light.base)
    add_box(again, 101)
    frames = decode(first, ground_truth(1), again, later)
    ids = [frame.objects.object_id.tolist() for frame in frames]
    # The boxes' list is live from the third message on; the light's still is the first one.
    assert ids == [[7, 100, 200], [7, 100, 200], [7, 101, 200], [7, 200]]


def test_a_list_that_starts_later_vanishes_when_it_vanishes():
    second = ground_truth(1)
    add_box(second, 100)
    frames = decode(ground_truth(0), second, ground_truth(2))
    assert [len(frame.objects) for frame in frames] == [1, 2, 1]


def test_a_list_that_comes_with_every_message_follows_each_change():
    messages = [ground_truth(n) for n in range(4)]
    for message, x in zip(messages, (1.0, 1.0, 2.0, 1.0), strict=True):
        add_box(message, 100, position=(x, 0.0, 0.5))
    frames = decode(*messages)
    assert [frame.objects.position_m[1, 0] for frame in frames] == [1.0, 1.0, 2.0, 1.0]


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
        "the trace names no host vehicle: taking the first moving object, id 5"
    ]


def test_a_host_that_does_not_exist_is_refused_with_those_that_do():
    with pytest.raises(OsiInputError, match=r"host vehicle 9 .* expected one of: 5, 6"):
        decode(ground_truth(0, (5, 6)), host_id=9)


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
    assert decode(truth)[0].ground_z_m is None


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


def test_ground_is_under_the_lowest_box_or_wheel():
    truth = ground_truth(cars=())
    car = add_car(truth, 1, position=(0.0, 0.0, 1.0), dimension=(4.0, 2.0, 1.0))
    assert decode(truth)[0].ground_z_m == 0.5
    wheel = car.vehicle_attributes.wheel_data.add()
    wheel.position.x, wheel.position.z, wheel.wheel_radius = -1.0, -0.6, 0.3
    assert decode(truth)[0].ground_z_m == pytest.approx(0.1)  # 1.0 - 0.6 - 0.3
    # Nose down by 30 deg: the box reaches down sin(30) 2 m + cos(30) 0.5 m = 1.433 m.
    car.base.orientation.pitch = math.pi / 6
    assert decode(truth)[0].ground_z_m == pytest.approx(1.0 - 1.0 - 0.5 * math.cos(math.pi / 6))


def test_sensor_id_and_mounting_come_from_the_view_if_present():
    view = sensor_view()
    (frame,) = decode(view, message_type="SensorView")
    assert frame.sensor_id is None
    assert frame.virtual_mounting is None
    view.sensor_id.value = 0
    view.mounting_position.position.x = 1.5
    view.mounting_position.orientation.yaw = 0.25
    (frame,) = decode(view, message_type="SensorView")
    assert frame.sensor_id == 0
    assert frame.virtual_mounting.position_m == (1.5, 0.0, 0.0)
    assert frame.virtual_mounting.orientation_rad == (0.0, 0.0, 0.25)
