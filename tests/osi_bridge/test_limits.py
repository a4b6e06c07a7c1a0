# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Numbers of a message that nothing has: the message is refused, or the value is not stated."""

import math

import pytest
from osi3.osi_groundtruth_pb2 import GroundTruth
from osi3.osi_sensorview_pb2 import SensorView
from osi3.osi_sensorviewconfiguration_pb2 import SensorViewConfiguration

from osi_bridge import (
    FrameDecoder,
    OsiInputError,
    bones_of,
    checked_time_ns,
    decode_view_configuration,
    message_time_ns,
    object_details,
    wheel_motions,
)
from osi_bridge.description.limits import MOST_WHEELS
from osi_bridge.errors import MissingTimestamp
from tests.builders.bones import frame_with
from tests.builders.full_messages import full_view
from tests.builders.refusals import one_line

HUGE = (1e30, 1e300, -1e300, math.nan, math.inf)


def at(seconds, nanos=0):
    message = GroundTruth()
    message.timestamp.seconds, message.timestamp.nanos = seconds, nanos
    return message.SerializeToString()


def decoded(view):
    return FrameDecoder("SensorView").decode(view.SerializeToString(), 0)


@pytest.mark.parametrize(
    ("seconds", "nanos", "line"),
    [
        (9_300_000_000, 0, "timestamp 9300000000 s, expected at most 9223372036 s"),
        (9_223_372_036, 1, "timestamp 9223372036.000000001 s, expected at most 9223372036 s"),
        (9223372033, 2**32 - 1, "timestamp 9223372037.294967295 s, expected at most 9223372036 s"),
        (2**63 - 1, 0, "timestamp 9223372036854775807 s, expected at most 9223372036 s"),
        (-(2**63), 0, "timestamp -9223372036854775808 s, expected at least -9223372036 s"),
    ],
)  # fmt: skip
def test_a_time_beyond_64_bits_is_refused_in_one_line(seconds, nanos, line):
    decoder = FrameDecoder("GroundTruth")
    data = at(seconds, nanos)
    for read in (
        lambda: decoder.decode(data, 0),
        lambda: decoder.decode_objects(data),
        lambda: message_time_ns("GroundTruth", data),
    ):
        with pytest.raises(MissingTimestamp) as caught:
            read()
        assert str(caught.value) == line
    assert decoder.decode(at(5), 1).time_ns == 5 * 10**9  # as if it had not come


@pytest.mark.parametrize("seconds", [9_223_372_036, -9_223_372_036, 0, -1])
def test_a_time_within_64_bits_is_taken(seconds):
    assert FrameDecoder("GroundTruth").decode(at(seconds), 0).time_ns == seconds * 10**9


def test_nanos_beyond_a_second_are_added():
    assert message_time_ns("GroundTruth", at(1, 2**32 - 1)) == 10**9 + 2**32 - 1


@pytest.mark.parametrize("time_ns", [2**63 - 1, math.nan, math.inf, 1.0, "1"])
def test_what_is_no_time_is_refused(time_ns):
    with one_line(OsiInputError, "timestamp ", "expected"):
        checked_time_ns(time_ns)


@pytest.mark.parametrize("value", HUGE)
@pytest.mark.parametrize("axis", ["x", "y", "z"])
def test_a_velocity_that_nothing_has_is_not_stated(value, axis):
    view = full_view()
    setattr(view.global_ground_truth.moving_object[1].base.velocity, axis, value)
    frame = decoded(view)
    assert frame.stated_velocity_m_s(1) is None
    assert object_details(frame, 1).speed_m_s == 0.0


@pytest.mark.parametrize("value", HUGE)
def test_a_mounting_position_that_is_none_is_not_stated(value):
    for part in ("x", "y", "z", "roll", "pitch", "yaw"):
        view = full_view()
        stated = view.mounting_position
        setattr(stated.position if len(part) == 1 else stated.orientation, part, value)
        assert decoded(view).virtual_mounting is None
        request = SensorViewConfiguration(mounting_position=stated)
        with one_line(OsiInputError, "mounting_position is", "expected at most 1e+09 m"):
            decode_view_configuration(request.SerializeToString())


@pytest.mark.parametrize("value", HUGE)
def test_light_that_no_sun_gives_is_not_stated(value):
    for name in ("azimuth", "elevation", "intensity"):
        view = full_view()
        setattr(view.global_ground_truth.environmental_conditions.sun, name, value)
        frame = decoded(view)
        assert frame.sun is None
        assert frame.ambient_lux == (630.0 if name == "intensity" else 50_000.0)


@pytest.mark.parametrize("value", HUGE)
def test_a_wheel_that_stands_nowhere_does_not_roll(value):
    view = full_view()
    first, second = view.global_ground_truth.moving_object[1].vehicle_attributes.wheel_data
    first.position.x, second.orientation.yaw = value, value
    (left,) = wheel_motions(decoded(view), 1)
    assert left.orientation_rad is None
    assert left.rotation_rate_rad_s == pytest.approx(70.0)


@pytest.mark.parametrize("value", HUGE)
def test_a_bone_that_turns_without_end_has_no_direction(value):
    place = {"UPPER_LEG_L": (0.0, 0.1, 0.9)}
    frame = frame_with(place, turns={"UPPER_LEG_L": (value, 0.0, 0.0)})
    assert not math.isfinite(bones_of(frame, 0).along.max())


@pytest.mark.parametrize("value", HUGE)
def test_paint_that_is_no_size_is_left_out_and_listed(value):
    for part, name in (
        ("orientation", "roll"), ("dimension", "width"), ("position", "z"), ("corner", "x")
    ):  # fmt: skip
        view = full_view()
        base = view.global_ground_truth.road_marking[0].base
        own = base.base_polygon.add() if part == "corner" else getattr(base, part)
        setattr(own, name, value)
        lanes = decoded(view).lanes
        assert not lanes.markings
        assert [fault.part for fault in lanes.faults] == ["road marking"]


def test_paint_of_a_negative_size_is_left_out():
    view = full_view()
    view.global_ground_truth.road_marking[0].base.dimension.width = -1.0
    assert not decoded(view).lanes.markings


@pytest.mark.parametrize("value", HUGE)
def test_a_color_and_a_number_on_a_sign_that_are_none_are_not_stated(value):
    view = full_view()
    truth = view.global_ground_truth
    truth.lane_boundary[0].color_description.rgb.red = value
    truth.traffic_sign[0].main_sign.classification.value.value = value
    frame = decoded(SensorView.FromString(view.SerializeToString()))
    assert next(iter(frame.lanes.boundaries.values())).color is None
    row = frame.objects.object_id.tolist().index(6)
    assert object_details(frame, row).sign_value is None


def test_only_the_first_wheels_of_a_vehicle_are_read():
    view = full_view()
    wheels = view.global_ground_truth.moving_object[1].vehicle_attributes.wheel_data
    before = decoded(view)
    del wheels[2:]
    for number in range(200):
        wheel = wheels.add(rotation_rate=1.0, wheel_radius=0.3)
        wheel.position.x, wheel.position.z = 0.0, -9.0 if number >= 62 else 0.0
    frame = decoded(view)
    assert len(wheel_motions(frame, 1)) == MOST_WHEELS
    assert frame.ground_m() == before.ground_m()
