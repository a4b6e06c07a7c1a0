# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Objects as boxes for viewers: places, sizes, colours, and points along their edges."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose

from osi_lidar.output.point_classes import PointClasses
from osi_lidar.viewers.colours import rgb
from osi_lidar.viewers.objects import object_boxes, object_edges
from tests.builders.clouds import xyz
from tests.builders.messages import Thing, frames

SIZE_M = (4.0, 2.0, 1.5)
CAR = Thing(7, (12.0, -3.0, 0.75), dimension_m=SIZE_M, yaw_rad=math.pi / 6)
LINE = Thing(8, (9.0, 0.0, 0.5), dimension_m=(0.0, 0.0, 1.0))


@pytest.fixture(scope="module")
def objects():
    (frame,) = frames([[CAR, LINE]], host_id=None)
    return frame.objects


@pytest.fixture(scope="module")
def boxes(objects):
    classes = PointClasses([])
    classes.learn(objects)
    return object_boxes(objects, classes)


def test_a_box_has_place_turn_size_and_colour_of_its_object_and_a_line_has_none(boxes):
    assert boxes.object_id == [7]
    assert boxes.kind == ["car"]
    half_turn = math.cos(math.pi / 12), 0.0, 0.0, math.sin(math.pi / 12)
    assert_allclose(boxes.poses, [(*CAR.position_m, *half_turn)], atol=1e-12)
    assert_allclose(boxes.size_m, [SIZE_M])
    assert boxes.colours[:, :3].tolist() == [list(rgb("car_paint_blue"))]


def test_points_lie_along_all_twelve_edges_of_a_turned_box(objects, boxes):
    points = object_edges(objects, boxes)
    cosine, sine = math.cos(CAR.yaw_rad), math.sin(CAR.yaw_rad)
    x, y, z = (xyz(points) - CAR.position_m).T
    own = np.stack([cosine * x + sine * y, cosine * y - sine * x, z], axis=1)
    share = own / SIZE_M
    at_end = np.isclose(np.abs(share), 0.5, atol=1e-6)
    assert (at_end.sum(axis=1) >= 2).all()
    assert (np.abs(share) < 0.5 + 1e-6).all()
    for axis in range(3):
        inner = ~at_end[:, axis]
        sides = np.sign(np.delete(share[inner], axis, axis=1))
        edges, counts = np.unique(sides, axis=0, return_counts=True)
        assert len(edges) == 4
        assert set(counts) == {30}
    assert {tuple(each) for each in points[["red", "green", "blue"]].tolist()} == {
        tuple(rgb("car_paint_blue"))
    }
    assert set(points["alpha"]) == {255}
