# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Points in boxes, by class and range."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lidar_gap.metrics.objects import ObjectBoxes, object_counts, rows_in_boxes
from tests.lidar_gap import loops

CAR = [4.0, 2.0, 1.5]


def boxes_at(*centres_m, yaw_rad=0.0, labels=None):
    n = len(centres_m)
    return ObjectBoxes(
        centre_m=np.array(centres_m, np.float64),
        size_m=np.tile(CAR, (n, 1)),
        yaw_rad=np.full(n, yaw_rad),
        label=tuple(labels or ["car"] * n),
    )


def test_turned_box_holds_what_lies_along_its_heading():
    points = np.array([[10, 1.9, 0], [11.9, 0, 0], [10, 0.9, 0]])
    assert rows_in_boxes(points, boxes_at([10, 0, 0]))[0].tolist() == [1, 2]
    turned = boxes_at([10, 0, 0], yaw_rad=math.pi / 2)
    assert rows_in_boxes(points, turned)[0].tolist() == [0, 2]


def test_foot_of_a_box_is_cut():
    points = np.array([[10, 0, -0.7], [10, 0, -0.5]])
    assert rows_in_boxes(points, boxes_at([10, 0, 0]))[0].tolist() == [1]
    assert rows_in_boxes(points, boxes_at([10, 0, 0]), foot_m=0)[0].tolist() == [0, 1]


def test_a_margin_holds_what_noise_takes_out_of_a_box_but_nothing_below_it():
    beside = [[10, 1.05, 0], [10, -1.05, 0], [12.05, 0, 0], [7.95, 0, 0], [10, 0, 0.8]]
    points = np.array([*beside, [10, 1.15, 0], [10, 0, 0.9], [10, 0, -0.7]])
    assert len(rows_in_boxes(points, boxes_at([10, 0, 0]))[0]) == 0
    found = rows_in_boxes(points, boxes_at([10, 0, 0]), margin_m=0.1)[0]
    assert found.tolist() == list(range(5))


@given(st.integers(0, 2**32 - 1))
def test_counts_are_those_of_a_loop(seed):
    generator = np.random.default_rng(seed)
    points = generator.uniform(-4, 4, (100, 3))
    boxes = ObjectBoxes(
        centre_m=generator.uniform(-2, 2, (4, 3)),
        size_m=generator.uniform(0.5, 4, (4, 3)),
        yaw_rad=generator.uniform(-7, 7, 4),
        label=("car",) * 4,
    )
    rows = rows_in_boxes(points, boxes)
    expected = [
        loops.counts_in_box(points, *box, 0.15)
        for box in zip(boxes.centre_m, boxes.size_m, boxes.yaw_rad, strict=True)
    ]
    assert [len(each) for each in rows] == expected


def test_counts_are_given_by_class_and_range():
    boxes = boxes_at([5, 0, 0], [0, 8, 0], [12, 0, 0], [3, 4, 0], labels=["car"] * 3 + ["bus"])
    real = [np.arange(n) for n in (100, 100, 40, 0)]
    sim = [np.arange(n) for n in (110, 90, 20, 3)]
    bus, near, far = object_counts(real, sim, boxes)
    assert (bus.label, bus.n_objects, bus.real, bus.sim) == ("bus", 1, 0, 3)
    assert math.isnan(bus.mape_percent)
    assert (near.label, near.from_m, near.to_m, near.n_objects) == ("car", 0, 10, 2)
    assert near.mape_percent == pytest.approx(10)
    assert near.ratio == pytest.approx(1)
    assert (far.from_m, far.mape_percent) == (10, pytest.approx(50))
