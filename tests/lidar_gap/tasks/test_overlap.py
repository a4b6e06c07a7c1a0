# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Intersection over union of boxes, against closed forms and a second way to compute it."""

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from lidar_gap.tasks.overlap import iou
from tests.builders.task_tables import boxes

BOX = st.tuples(*[st.floats(-3.0, 3.0)] * 3, *[st.floats(0.1, 5.0)] * 3, st.floats(-7.0, 7.0))
"""Centre, size, heading."""


def one(box):
    return boxes([box[:3]], size=box[3:6], yaw=box[6])


def both(first, second, overlap="3d"):
    return float(iou(one(first), one(second), overlap)[0])


def corners(box):
    x, y, _, length, width, _, yaw = box
    along, aside = (
        np.array([math.cos(yaw), math.sin(yaw)]),
        np.array([-math.sin(yaw), math.cos(yaw)]),
    )
    return [
        np.array([x, y]) + u * length / 2 * along + v * width / 2 * aside
        for u, v in ((1, 1), (-1, 1), (-1, -1), (1, -1))
    ]


def holds(box, point):
    x, y, _, length, width, _, yaw = box
    dx, dy = point[0] - x, point[1] - y
    along, aside = dx * math.cos(yaw) + dy * math.sin(yaw), dy * math.cos(yaw) - dx * math.sin(yaw)
    return abs(along) <= length / 2 + 1e-9 and abs(aside) <= width / 2 + 1e-9


def crossing(a, b, c, d):
    """Return where the segments ab and cd cross, None if they do not or are parallel."""
    r, s = b - a, d - c
    turn = r[0] * s[1] - r[1] * s[0]
    if abs(turn) < 1e-12:
        return None
    t = ((c - a)[0] * s[1] - (c - a)[1] * s[0]) / turn
    u = ((c - a)[0] * r[1] - (c - a)[1] * r[0]) / turn
    return a + t * r if 0 <= t <= 1 and 0 <= u <= 1 else None


def hull_area(points):
    """Return the area of the convex hull (Andrew's monotone chain)."""

    def chain(ordered):
        kept = []
        for p in ordered:
            while len(kept) > 1 and np.linalg.det([kept[-1] - kept[-2], p - kept[-1]]) <= 0:
                kept.pop()
            kept.append(p)
        return kept[:-1]

    ordered = sorted(points, key=tuple)
    hull = chain(ordered) + chain(ordered[::-1])
    return (
        sum(a[0] * b[1] - a[1] * b[0] for a, b in zip(hull, hull[1:] + hull[:1], strict=True)) / 2
    )


def slow_iou(first, second, overlap):
    """Return the IoU by the convex hull of shared corners and crossings of sides."""
    a, b = corners(first), corners(second)
    points = [p for p in a if holds(second, p)] + [p for p in b if holds(first, p)]
    for i, j in product(range(4), range(4)):
        point = crossing(a[i], a[i - 1], b[j], b[j - 1])
        points += [] if point is None else [point]
    shared = hull_area(points) if len(points) > 2 else 0.0
    sizes = [first[3] * first[4], second[3] * second[4]]
    if overlap == "3d":
        top = min(first[2] + first[5] / 2, second[2] + second[5] / 2)
        low = max(first[2] - first[5] / 2, second[2] - second[5] / 2)
        shared *= max(top - low, 0.0)
        sizes = [sizes[0] * first[5], sizes[1] * second[5]]
    return shared / (sum(sizes) - shared)


@given(BOX, BOX, st.sampled_from(["3d", "bev"]))
@example((0, 0, 0, 4, 2, 1, 0.3), (0, 0, 0, 4, 2, 1, 0.3), "3d")
@example((0, 0, 0, 4, 2, 1, 0.3), (0, 0, 0, 4, 2, 1, 0.3 + math.pi), "3d")
@example((0, 0, 0, 4, 4, 1, 0.0), (4, 0, 0, 4, 4, 1, 0.0), "bev")
def test_iou_equals_that_of_the_hull_of_shared_points(first, second, overlap):
    assert both(first, second, overlap) == pytest.approx(slow_iou(first, second, overlap), abs=1e-6)


@given(BOX, BOX)
def test_iou_is_symmetric(first, second):
    assert both(first, second) == pytest.approx(both(second, first), abs=1e-9)


@given(BOX, st.floats(-6e6, 6e6), st.floats(-6e6, 6e6))
def test_a_box_covers_itself_also_far_from_the_origin(box, x, y):
    here = (x, y, *box[2:])
    assert both(here, here) == pytest.approx(1.0, abs=1e-9)


def test_a_square_turned_by_an_eighth_shares_an_octagon():
    # unit square and itself turned by 45 deg: octagon of area 2 (sqrt 2 - 1)
    shared = 2.0 * (math.sqrt(2.0) - 1.0)
    square = (0, 0, 0, 1, 1, 1)
    assert both((*square, 0.0), (*square, math.pi / 4)) == pytest.approx(shared / (2.0 - shared))


def test_a_box_raised_by_half_its_height_has_iou_1_in_the_plane_and_a_third_in_space():
    low, high = (0, 0, 0, 4, 2, 1, 0.2), (0, 0, 0.5, 4, 2, 1, 0.2)
    assert both(low, high, "bev") == pytest.approx(1.0)
    assert both(low, high, "3d") == pytest.approx(1.0 / 3.0)


def test_boxes_that_touch_or_are_apart_share_nothing():
    assert both((0, 0, 0, 4, 2, 1, 0), (4, 0, 0, 4, 2, 1, 0)) == 0.0
    assert both((0, 0, 0, 4, 2, 1, 0), (50, 0, 0, 4, 2, 1, 0)) == 0.0
    assert both((0, 0, 0, 4, 2, 1, 0), (0, 0, 3, 4, 2, 1, 0)) == 0.0


def test_no_pairs_have_no_values():
    nothing = boxes([])
    assert iou(nothing, nothing).shape == (0,)
