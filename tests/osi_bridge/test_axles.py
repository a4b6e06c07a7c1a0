# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Axles that a message states, held against the box of the vehicle."""

import logging

import numpy as np
import pytest
from osi3.osi_groundtruth_pb2 import GroundTruth

from osi_bridge import FrameDecoder
from osi_bridge.description.axles import FRONT, REAR, axle_fault, axles_are_wrong
from tests.builders.messages import host, message, truth_of

CAR_M = (4.5, 1.8, 1.5)


@pytest.mark.parametrize("axle_m", [(-1.4, 0, -0.35), (-2.2, 0.3, 0), (0.2, 0, -0.4), (0, 0, 0)])
def test_a_rear_axle_in_the_box_and_not_ahead_of_its_centre_is_one(axle_m):
    assert axle_fault(axle_m, CAR_M, REAR) == ""


@pytest.mark.parametrize(
    ("axle_m", "side", "words"),
    [
        ((1.4, 0, 0.35), REAR, "bbcenter_to_rear is (1.4, 0, 0.35) m, ahead of the centre"),
        ((-1.4, 0, 0), FRONT, "bbcenter_to_front is (-1.4, 0, 0) m, behind the centre"),
        ((-140, 0, -0.35), REAR, "outside of its box of 4.5 x 1.8 x 1.5 m"),
        ((-1.4, 1.5, 0), REAR, "outside of its box"),
        ((1.4, 0, -1.4), FRONT, "outside of its box"),
    ],
)
def test_an_axle_on_the_wrong_side_or_outside_of_the_box_is_none(axle_m, side, words):
    assert words in axle_fault(axle_m, CAR_M, side)


def test_without_a_dimension_the_side_alone_counts():
    assert axle_fault((-9, 9, 9), (0, 0, 0), REAR) == ""
    assert "ahead of" in axle_fault((1.4, 0, 0), (0, 0, 0), REAR)


def test_a_vector_that_is_not_stated_is_not_wrong():
    assert not axles_are_wrong(np.full((1, 3), np.nan), np.array([CAR_M]), REAR)[0]


def test_a_host_with_its_rear_axle_ahead_takes_the_next_source_with_one_warning(caplog):
    truth = GroundTruth.FromString(truth_of(message([host()], 0.0)))
    carrier = truth.moving_object[0]
    size = carrier.base.dimension
    size.length, size.width, size.height = CAR_M
    rear = carrier.vehicle_attributes.bbcenter_to_rear
    rear.x, rear.y, rear.z = 1.4, 0.0, 0.35  # from the axle to the centre, as old tools wrote it
    decoder = FrameDecoder("GroundTruth")
    with caplog.at_level(logging.WARNING):
        frames = [decoder.decode(truth.SerializeToString(), index) for index in range(3)]
    # 0.3 of the length behind the centre, and the radius of a wheel above the ground
    for frame in frames:
        np.testing.assert_allclose(
            frame.host.rear_axle_from_center_m, [-0.3 * 4.5, 0.0, 0.3 - 0.75], atol=1e-12
        )
        assert frame.host.source == "dimension"
    (warning,) = [each for each in caplog.messages if "bbcenter_to_rear" in each]
    assert "(1.4, 0, 0.35) m, ahead of the centre of its box" in warning
    assert [(each.object_id, each.used) for each in frames[0].skipped] == [
        (carrier.id.value, "the next source of its rear axle")
    ]
