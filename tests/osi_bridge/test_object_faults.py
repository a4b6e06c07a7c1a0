# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""What of an object is set aside because it does not fit the rest of it: each is listed."""

import pytest
from osi3.osi_sensorview_pb2 import SensorView

from osi_bridge import FrameDecoder, ObjectKind, object_faults
from osi_lidar.model import LidarModel
from tests.builders.full_messages import full_view
from tests.builders.worlds import config


def _frame(view):
    return FrameDecoder("SensorView").decode(view.SerializeToString(), 0)


def _fallbacks_of_row(view, row):
    return [(each.reason, each.used) for each in object_faults(_frame(view), row)]


def test_objects_without_faults_have_none():
    frame = _frame(full_view(0))
    assert [object_faults(frame, row) for row in range(len(frame.objects))] == [()] * len(
        frame.objects
    )


def test_a_front_axle_behind_the_centre_is_set_aside():
    view = full_view(0)
    view.global_ground_truth.moving_object[1].vehicle_attributes.bbcenter_to_front.x = -1.4
    ((reason, used),) = _fallbacks_of_row(view, 1)
    assert reason.startswith("bbcenter_to_front is (-1.4, 0, -0.3) m, behind the centre of its box")
    assert used == "usual proportions"
    (fault,) = object_faults(_frame(view), 1)
    assert (fault.object_id, fault.kind) == (2, ObjectKind.MOVING)


@pytest.mark.parametrize("n", [1, 2, 1001])
def test_a_base_polygon_that_is_none_is_replaced_by_the_box(n):
    view = full_view(0)
    corners = view.global_ground_truth.stationary_object[0].base.base_polygon
    del corners[:]
    for number in range(n):
        corners.add(x=float(number), y=1.0)
    assert _fallbacks_of_row(view, 4) == [
        (f"base_polygon has {n} corners, expected 3 to 1000", "the box")
    ]


def test_wheels_and_bones_beyond_all_vehicles_and_people_are_told():
    view = full_view(0)
    attributes = view.global_ground_truth.moving_object[1].vehicle_attributes
    for _ in range(63):
        attributes.wheel_data.add().position.x = 1.0
    for _ in range(257):
        view.global_ground_truth.moving_object[2].pedestrian_attributes.skeleton_bone.add()
    assert _fallbacks_of_row(view, 1) == [("65 wheels, expected at most 64", "the first of them")]
    assert _fallbacks_of_row(view, 2) == [("260 bones, expected at most 256", "the first of them")]


def test_faults_are_among_the_fallbacks_of_a_run():
    view = SensorView.FromString(full_view(0).SerializeToString())
    view.global_ground_truth.moving_object[1].vehicle_attributes.bbcenter_to_front.x = -1.4
    model = LidarModel(config())
    model.step(_frame(view))
    (fallback,) = [each for each in model.fallbacks if "bbcenter_to_front" in each.reason]
    assert (fallback.name, fallback.object_ids) == ("moving", [2])
