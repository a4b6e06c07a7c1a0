# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Lanes in: columns, what stays from the first message, what is left out."""

import math

import numpy as np
import pytest
from osi3.osi_lane_pb2 import Lane, LaneBoundary
from osi3.osi_logicallane_pb2 import LogicalLane
from osi3.osi_roadmarking_pb2 import RoadMarking

from osi_bridge import FrameDecoder
from osi_bridge.description.lanes import MOST_POINTS, LaneFault
from tests.osi_bridge.helpers import decode, ground_truth, put_base

SOLID = LaneBoundary.Classification.TYPE_SOLID_LINE


def add_boundary(truth, own_id, points, kind=SOLID, width=0.15):
    boundary = truth.lane_boundary.add()
    boundary.id.value = own_id
    boundary.classification.type = kind
    boundary.classification.color = LaneBoundary.Classification.COLOR_YELLOW
    for x, y, z in points:
        point = boundary.boundary_line.add(width=width, height=0.02)
        point.position.x, point.position.y, point.position.z = x, y, z
    return boundary


def add_lane(truth, own_id, left, right, centerline=()):
    lane = truth.lane.add()
    lane.id.value = own_id
    stated = lane.classification
    stated.type = Lane.Classification.TYPE_NONDRIVING
    stated.subtype = Lane.Classification.SUBTYPE_SIDEWALK
    for one in left:
        stated.left_lane_boundary_id.add(value=one)
    for one in right:
        stated.right_lane_boundary_id.add(value=one)
    for x, y, z in centerline:
        stated.centerline.add(x=x, y=y, z=z)
    return lane


def with_lanes(time_ns=0, y=2.0):
    truth = ground_truth(time_ns)
    add_boundary(truth, 1, [(0, y, 0), (5, y, 0), (9, y, 1)])
    add_boundary(truth, 2, [(0, -y, 0), (9, -y, 0)])
    add_lane(truth, 7, [1], [2], [(0, 0, 0), (9, 0, 0)])
    return truth


def without_lanes(time_ns):
    return ground_truth(time_ns)


def test_lanes_boundaries_and_the_country_are_read():
    truth = with_lanes()
    truth.country_code = 276
    truth.lane_boundary[0].boundary_line[1].dash = LaneBoundary.BoundaryPoint.DASH_GAP
    truth.lane_boundary[1].color_description.rgb.red = 0.5
    (frame,) = decode(truth)
    lanes = frame.lanes
    assert lanes.country_code == 276
    assert lanes.faults == ()
    line = lanes.boundaries[1]
    assert (line.type_name, line.color_name, line.color) == ("SOLID_LINE", "YELLOW", None)
    assert line.points_m.tolist() == [[0, 2, 0], [5, 2, 0], [9, 2, 1]]
    assert line.width_m.tolist() == [0.15] * 3
    assert line.height_m.tolist() == [0.02] * 3
    assert line.dash.tolist() == [0, 5, 0]
    assert not line.points_m.flags.writeable
    assert lanes.boundaries[2].color == (0.5, 0.0, 0.0)
    lane = lanes.lanes[7]
    assert (lane.type_name, lane.subtype_name) == ("NONDRIVING", "SIDEWALK")
    assert (lane.left_ids, lane.right_ids, lane.free_ids) == ((1,), (2,), ())
    assert lane.centerline_m.tolist() == [[0, 0, 0], [9, 0, 0]]


def test_road_markings_and_logical_lanes_are_read():
    truth = ground_truth()
    mark = truth.road_marking.add()
    mark.id.value = 3
    put_base(mark.base, position=(1.0, 2.0, 0.0), dimension=(0.004, 4.0, 0.3), yaw=0.5)
    mark.base.base_polygon.add(x=1.0, y=2.0)
    mark.classification.type = RoadMarking.Classification.TYPE_SYMBOLIC_TRAFFIC_SIGN
    mark.classification.monochrome_color = RoadMarking.Classification.COLOR_WHITE
    logical = truth.logical_lane.add(type=LogicalLane.TYPE_BIKING)
    logical.id.value = 4
    logical.road_type = LogicalLane.ROAD_TYPE_MOTORWAY
    logical.left_boundary_id.add(value=5)
    line = truth.logical_lane_boundary.add()
    line.id.value = 5
    for x in (0.0, 1.0):
        line.boundary_line.add().position.x = x
    lanes = decode(truth)[0].lanes
    mark = lanes.markings[3]
    assert mark.dimension_m.tolist() == [0.004, 4.0, 0.3]
    assert mark.outline_m.tolist() == [[1.0, 2.0]]
    assert (mark.type_name, mark.color_name) == ("SYMBOLIC_TRAFFIC_SIGN", "WHITE")
    assert lanes.logical_lanes[4].type_name == "BIKING"
    assert lanes.logical_lanes[4].road_type == "MOTORWAY"
    assert lanes.logical_lanes[4].left_ids == (5,)
    assert lanes.logical_boundaries[5].points_m[:, 0].tolist() == [0.0, 1.0]


def test_without_lanes_there_is_no_network():
    assert decode(ground_truth())[0].lanes is None


def test_lanes_of_the_first_message_stay():
    first, second, third = decode(with_lanes(0), without_lanes(1), without_lanes(2))
    assert first.lanes is second.lanes is third.lanes


def test_unchanged_lanes_of_every_message_are_one_object():
    first, second, third, fourth = decode(
        with_lanes(0), with_lanes(1), with_lanes(2, y=3.0), without_lanes(3)
    )
    assert first.lanes is second.lanes
    assert third.lanes is not second.lanes
    assert third.lanes.boundaries[1].points_m[0, 1] == 3.0
    assert fourth.lanes is None  # sent in every message, so that none means none


def test_markings_in_every_message_leave_the_lanes_of_the_first():
    later = ground_truth(1)
    later.road_marking.add().id.value = 3
    first, second = decode(with_lanes(0), later)
    assert list(second.lanes.markings) == [3]
    assert second.lanes.lanes is first.lanes.lanes


def test_lanes_of_a_static_message_are_kept():
    decoder = FrameDecoder("GroundTruth")
    decoder.prime(with_lanes().SerializeToString())
    frame = decoder.decode(ground_truth(5).SerializeToString(), 0)
    assert list(frame.lanes.lanes) == [7]


@pytest.mark.parametrize("bad", [math.nan, math.inf, 1e10])
def test_impossible_points_are_left_out_and_listed(bad):
    truth = with_lanes()
    add_boundary(truth, 9, [(0, 0, 0), (1, bad, 0), (2, 0, 0)], width=bad)
    add_boundary(truth, 10, [(0, 0, 0), (1, 0, bad)])
    lanes = decode(truth)[0].lanes
    assert lanes.boundaries[9].points_m.tolist() == [[0, 0, 0], [2, 0, 0]]
    assert lanes.boundaries[9].width_m.tolist() == [0.0, 0.0]
    assert list(lanes.boundaries) == [1, 2, 9]
    assert lanes.faults == (
        LaneFault("lane boundary", 9, "1 of its 3 points are impossible"),
        LaneFault("lane boundary", 10, "fewer than two points"),
    )


def test_parts_without_an_id_with_a_repeated_one_or_with_too_many_points_are_left_out():
    truth = with_lanes()
    add_boundary(truth, 1, [(0, 0, 0), (1, 0, 0)])
    truth.lane.add()
    line = truth.lane_boundary.add()
    line.id.value = 20
    point = LaneBoundary.BoundaryPoint()
    line.boundary_line.extend([point] * (MOST_POINTS + 1))
    mark = truth.road_marking.add()
    mark.id.value = 3
    mark.base.position.x = math.nan
    lanes = decode(truth)[0].lanes
    assert list(lanes.boundaries) == [1, 2]
    assert lanes.boundaries[1].points_m[0, 1] == 2.0
    assert [str(fault.id) + ": " + fault.reason for fault in lanes.faults] == [
        "1: an earlier one of the same message has its id",
        "20: 100001 points, expected at most 100000",
        "None: id is missing",
        "3: its pose, size or base polygon is not finite or out of bounds",
    ]


def test_repeated_points_are_read_once():
    truth = ground_truth()
    add_boundary(truth, 1, [(0, 0, 0), (0, 0, 0), (1, 0, 0), (0, 0, 0)])
    assert np.array_equal(decode(truth)[0].lanes.boundaries[1].points_m[:, 0], [0, 1, 0])


def test_lines_after_the_largest_number_of_points_of_a_list_are_left_out(monkeypatch):
    monkeypatch.setattr("osi_bridge.description.lanes.MOST_POINTS", 4)
    monkeypatch.setattr("osi_bridge.description.lanes.MOST_POINTS_IN_ALL", 7)
    truth = ground_truth()
    for own_id, n_points in ((1, 4), (2, 5), (3, 3), (4, 1), (5, 2)):
        add_boundary(truth, own_id, [(x, 0, 0) for x in range(n_points)])
    logical = truth.logical_lane_boundary.add()  # another list has a number of its own
    logical.id.value = 6
    for x in range(4):
        logical.boundary_line.add().position.x = x
    lanes = decode(truth)[0].lanes
    assert list(lanes.boundaries) == [1, 3]  # 4 + 3 points; a line that is too long does not count
    assert list(lanes.logical_boundaries) == [6]
    assert lanes.faults == (
        LaneFault("lane boundary", 2, "5 points, expected at most 4"),
        LaneFault("lane boundary", 4, "the message has more than 7 points"),
        LaneFault("lane boundary", 5, "the message has more than 7 points"),
    )
