# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Fields of messages that are set and not read: each is listed once."""

import logging
import math

import pytest
from google.protobuf.descriptor import FieldDescriptor
from osi3.osi_groundtruth_pb2 import GroundTruth
from osi3.osi_sensorview_pb2 import SensorView

from lidar_base.unfollowed import MOST_KINDS, NotFollowed
from osi_bridge import FrameDecoder
from osi_bridge.description.fields_read import READ, alternatives
from osi_bridge.description.ranges import RANGES
from osi_bridge.description.unused_field_search import MOST_OF_LIST
from tests.builders.full_messages import full_view
from tests.builders.messages import host, message, truth_of
from tests.osi_bridge.helpers import add_car, field_of


def _not_followed(messages, *, thorough=True, kind="SensorView"):
    decoder = FrameDecoder(kind, thorough=thorough)
    frames = [decoder.decode(each.SerializeToString(), n) for n, each in enumerate(messages)]
    return frames[-1].fields


def _views(n):
    return [SensorView.FromString(message([host()], 0.1 * number)) for number in range(n)]


def test_messages_of_which_all_is_read_give_an_empty_list():
    assert _not_followed([full_view(0), full_view(1)]) == (2, ())


def test_a_field_that_is_not_read_is_listed_once_with_its_messages():
    views = _views(4)
    for view in views[1:3]:
        for _ in range(2):
            section = view.global_ground_truth.moving_object[0].base.bounding_box_section.add()
            section.dimension.length = 1.0
    assert _not_followed(views).not_followed == (
        NotFollowed("moving_object.base.bounding_box_section", "message 1", 2),
    )


def test_fields_of_the_view_are_told_from_those_of_the_ground_truth():
    views = _views(1)
    views[0].lidar_sensor_view.add().view_configuration.sensor_id.value = 3
    views[0].global_ground_truth.proj_string = "+proj=utm"
    assert [each.what for each in _not_followed(views).not_followed] == [
        "proj_string",
        "SensorView.lidar_sensor_view",
    ]


def test_fields_without_use_share_a_line_for_each_reason():
    views = _views(2)
    for view in views:
        car = view.global_ground_truth.moving_object[0]
        car.base.acceleration.x = 1.0
        car.vehicle_attributes.steering_wheel_angle = 0.1
        car.vehicle_classification.light_state.brake_light_state = 2
    assert _not_followed(views).not_followed == (
        NotFollowed(
            "rates and accelerations (poses of successive messages tell of motion): "
            "moving_object.base.acceleration, "
            "moving_object.vehicle_attributes.steering_wheel_angle",
            "message 0",
            2,
        ),
        NotFollowed(
            "lamps (a lidar does not see their light): "
            "moving_object.vehicle_classification.light_state",
            "message 0",
            2,
        ),
    )


def test_a_long_group_names_its_first_fields():
    view = _views(1)[0]
    lane = view.global_ground_truth.logical_lane.add()
    lane.start_s, lane.end_s, lane.move_direction, lane.street_name = 0.0, 9.0, 2, "A"
    for name in ("physical_lane_reference", "left_adjacent_lane", "right_adjacent_lane"):
        getattr(lane, name).add()
    lane.reference_line_id.value = 1
    (kind,) = _not_followed([view]).not_followed
    assert kind.what.startswith(
        "rules of traffic, and what belongs together (they have no shape): "
    )
    assert kind.what.endswith("} and 2 more")


@pytest.mark.parametrize(
    ("tag", "words"),
    [
        # Field 500, a varint: its key is 500 * 8, in seven bits a byte.
        (b"\xa0\x1f\x01", "unknown field number 500 of MovingObject"),
        # Field 3 is the type, an enumeration without a member 99.
        (b"\x18\x63", "unknown member 99 of MovingObject.type"),
        # Field 7, the model reference, as a varint.
        (b"\x38\x01", "MovingObject.model_reference as a value of another type"),
    ],
)
def test_what_the_schema_does_not_have_is_listed(tag, words):
    truth = GroundTruth()
    truth.timestamp.seconds = 1
    add_car(truth, 7).MergeFromString(tag)
    assert _not_followed([truth], kind="GroundTruth").not_followed == (
        NotFollowed(words, "message 0", 1),
    )


def test_a_run_looks_at_ever_fewer_messages():
    views = _views(40)
    for view in views[3:]:
        view.global_ground_truth.proj_string = "+proj=utm"
    # Messages 0, 1, 2, 4, 8, 16, 32 are looked at; the last four have the string.
    assert _not_followed(views, thorough=False) == (
        7,
        (NotFollowed("proj_string", "message 4", 4),),
    )


@pytest.mark.parametrize(("thorough", "n_listed"), [(True, 1), (False, 0)])
def test_a_run_looks_at_some_entries_of_long_lists(thorough, n_listed):
    view = SensorView.FromString(message([host(), *(host() for _ in range(MOST_OF_LIST))]))
    for number, each in enumerate(view.global_ground_truth.moving_object):
        each.id.value = number
    view.global_ground_truth.moving_object[1].vehicle_attributes.number_wheels = 6
    assert len(_not_followed([view], thorough=thorough).not_followed) == n_listed


def test_the_log_has_a_line_for_each_look_that_finds_something_new(caplog):
    views = _views(3)
    for view in views:
        view.global_ground_truth.proj_string = "+proj=utm"
    views[2].global_ground_truth.environmental_conditions.unix_timestamp = 1
    with caplog.at_level(logging.INFO):
        _not_followed(views)
    assert [each for each in caplog.messages if "not followed" in each] == [
        "OSI messages: not followed: proj_string (message 0)",
        "OSI messages: not followed: environmental_conditions.unix_timestamp (message 2)",
    ]


def test_a_ground_truth_without_a_view_gives_the_same_list():
    views = _views(1)
    views[0].global_ground_truth.proj_string = "+proj=utm"
    truth = GroundTruth.FromString(truth_of(views[0].SerializeToString()))
    assert _not_followed([truth], kind="GroundTruth") == _not_followed(views)


@pytest.mark.parametrize(
    ("path", "value", "words"),
    [
        ("moving_object.0.base.velocity.x", 2e4, "-10000 to 10000 m/s"),
        ("moving_object.0.vehicle_attributes.wheel_data.0.rotation_rate", math.nan,
         "-2000 to 2000 rad/s"),
        ("moving_object.0.vehicle_attributes.radius_wheel", -0.3, "0 to 10000 m"),
        ("stationary_object.0.color_description.rgb.red", 255.0, "0 to 1"),
        ("environmental_conditions.temperature", 20.0, "170 to 340 K"),
        ("environmental_conditions.sun.intensity", -1.0, "0 to 1e+06 lx"),
        ("lane_boundary.0.boundary_line.0.width", -0.12, "0 to 100 m"),
        ("traffic_sign.0.main_sign.classification.value.value", 1e9, "-1e+06 to 1e+06"),
    ],
)  # fmt: skip
def test_a_number_beyond_what_is_taken_is_listed_with_the_range(path, value, words):
    view = full_view(0)
    part = view.global_ground_truth
    *way, name = path.split(".")
    for step in way:
        part = part[int(step)] if step.isdigit() else getattr(part, step)
    setattr(part, name, value)
    plain = ".".join(step for step in path.split(".") if not step.isdigit())
    assert _not_followed([view]).not_followed == (
        NotFollowed(f"{plain} outside of {words}", "message 0", 1),
    )


def test_ranges_are_those_of_numbers_that_are_read():
    read = {path for row in READ for path in alternatives(row)}
    for path in RANGES:
        assert any(path == each or path.startswith(f"{each}.") for each in read), path
        assert field_of(path).cpp_type in {
            FieldDescriptor.CPPTYPE_DOUBLE, FieldDescriptor.CPPTYPE_FLOAT}, path  # fmt: skip


def test_a_message_of_many_unknown_fields_lists_some_and_counts_no_end_of_kinds():
    truth = GroundTruth()
    truth.timestamp.seconds = 1
    unknown = b"".join(_varint(number << 3) + b"\1" for number in range(1000, 4000))
    add_car(truth, 7).MergeFromString(unknown)
    assert len(_not_followed([truth], kind="GroundTruth").not_followed) == MOST_KINDS


def _varint(value):
    """Return a number as protobuf writes it: seven bits a byte, the lowest first."""
    parts = []
    while value > 0x7F:
        parts.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*parts, value])


def test_no_size_or_strength_may_be_negative():
    last = {path.rpartition(".")[2] for path, each in RANGES.items() if each.low < 0.0}
    angles = {"roll", "pitch", "yaw", "azimuth", "elevation", "origin_direction"}
    assert last == {"x", "y", "z", "rotation_rate", "value", *angles}
