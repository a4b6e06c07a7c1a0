# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The ground that objects pass over."""

import numpy as np
import pytest

from lidar_scenery.surroundings import swept_footprints
from osi_bridge import ObjectKind
from tests.lidar_scenery.surroundings.streets import objects, within

CAR = 1, ObjectKind.MOVING
SECOND_NS = 10**9


def _swept(*rows, step_ns=SECOND_NS):
    return swept_footprints((k * step_ns, objects((*CAR, *row))) for k, row in enumerate(rows))


def _covers(triangles_m, x, y):
    return bool(within(np.array([[x, y]]), triangles_m)[0])


def test_a_car_sweeps_its_box_along_its_way():
    swept_m = _swept((0.0, 0.0, 0.0, 4.0, 2.0), (20.0, 0.0, 0.0, 4.0, 2.0))
    assert swept_m[..., 0].min() == pytest.approx(-2.0)
    assert swept_m[..., 0].max() == pytest.approx(22.0)
    assert np.abs(swept_m[..., 1]).max() == pytest.approx(1.0)
    assert _covers(swept_m, 10.0, 0.9)
    assert not _covers(swept_m, 10.0, 1.1)


def test_an_object_at_rest_has_one_footprint_and_one_without_a_size_a_small_one():
    swept_m = _swept(*[(5.0, 5.0, 0.3, 0.0, 0.0)] * 50)
    assert len(swept_m) == 2
    assert _covers(swept_m, 5.3, 5.3)


def test_an_object_at_rest_may_turn_from_plus_to_minus_pi():
    swept_m = _swept(*[(5.0, 5.0, sign * 3.14, 4.0, 2.0) for sign in (1, -1, 1)])
    assert len(swept_m) == 2


def test_an_object_that_jumps_has_not_passed_over_what_lies_between():
    swept_m = _swept((0.0, 0.0, 0.0, 4.0, 2.0), (500.0, 0.0, 0.0, 4.0, 2.0))
    assert _covers(swept_m, 500.0, 0.0)
    assert not _covers(swept_m, 250.0, 0.0)


def test_a_car_that_turns_is_enclosed():
    swept_m = _swept((0.0, 0.0, 0.0, 4.0, 2.0), (3.0, 3.0, np.pi / 2, 4.0, 2.0))
    for x, y in ((-1.9, -0.9), (2.1, 4.9), (3.9, 1.1), (1.5, 1.4)):
        assert _covers(swept_m, x, y)


def test_a_recording_without_objects_sweeps_nothing():
    assert swept_footprints([(0, objects())]).shape == (0, 3, 2)
