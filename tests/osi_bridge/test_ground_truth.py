# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Messages in: objects, times, what stays from the first message."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from osi3.osi_object_pb2 import MovingObject, StationaryObject
from osi3.osi_sensorview_pb2 import SensorView
from osi3.osi_trafficsign_pb2 import TrafficSign

from osi_bridge import (
    FrameDecoder,
    MissingTimestamp,
    ObjectKind,
    OsiInputError,
    UndecodableMessage,
    empty_frame,
    rotation_from_orientation,
)
from osi_bridge.bench import ViewHead, sensor_view_message
from osi_bridge.traces.names import OSI_VERSION
from tests.osi_bridge.helpers import add_box, add_car, decode, ground_truth, put_base, sensor_view

ANGLE = st.floats(-math.pi, math.pi)


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
    with pytest.raises(MissingTimestamp, match=r"^the message has no timestamp$"):
        decode(truth)


def test_a_view_without_timestamp_takes_its_ground_truths():
    view = sensor_view(5)
    view.ClearField("timestamp")
    assert decode(view, message_type="SensorView")[0].time_ns == 5


def test_bytes_of_no_message_and_types_of_no_ground_truth_are_refused():
    with pytest.raises(UndecodableMessage, match=r"^not a GroundTruth message"):
        FrameDecoder("GroundTruth").decode(b"\x0a\xff", 3)
    with pytest.raises(OsiInputError, match="expected SensorView or GroundTruth"):
        FrameDecoder("SensorData")


@pytest.mark.parametrize(
    ("part", "field", "value", "reason"),
    [
        ("position", "x", math.nan, "base.position.x is nan"),
        ("position", "z", -math.inf, "base.position.z is -inf"),
        ("position", "y", 2e9, "base.position.y is 2e+09 m, expected -1e+09 to 1e+09 m"),
        ("orientation", "yaw", math.nan, "base.orientation.yaw is nan"),
        (
            "orientation",
            "roll",
            -1e300,
            "base.orientation.roll is -1e+300 rad, expected -1e+06 to 1e+06 rad",
        ),
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
    repeated = "an earlier object of the same message has its id"
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


@pytest.mark.parametrize("time_ns", [0, 1_500_000_000, -1])
def test_an_empty_frame_has_a_time_and_nothing_else(time_ns):
    frame = empty_frame(time_ns)
    assert (frame.index, frame.time_ns, frame.skipped) == (0, time_ns, ())
    assert len(frame.objects) == 0
    assert frame.objects.position_m.shape == frame.objects.rear_axle_from_center_m.shape == (0, 3)
    assert frame.host is None
    assert frame.ground_m() is None
    assert frame.environment_reference == frame.map_reference == ""


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


def test_version_of_osi_is_that_of_the_view_or_else_of_its_ground_truth():
    view = sensor_view()

    def version():
        return FrameDecoder("SensorView").decode(view.SerializeToString(), 0).osi_version

    view.ClearField("version")
    assert version() is None
    view.global_ground_truth.version.version_major = 4
    assert version() == (4, 0, 0)
    view.version.version_major, view.version.version_minor = 3, 7
    assert version() == (3, 7, 0)


def test_messages_of_the_bench_state_their_version_of_osi():
    view = SensorView.FromString(sensor_view_message([], 0, ViewHead(None)))
    for stated in (view.version, view.global_ground_truth.version):
        assert (stated.version_major, stated.version_minor, stated.version_patch) == OSI_VERSION
