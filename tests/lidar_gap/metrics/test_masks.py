# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Return masks: the table of four and its scores; flicker."""

import math
from dataclasses import asdict

import numpy as np
import pytest
from hypothesis import given
from hypothesis.extra import numpy as hnp

from lidar_gap.metrics.masks import Agreement, agreement, flicker
from tests.lidar_gap import loops

MASKS = hnp.arrays(np.bool_, (2, 3, 7))


def test_scores_of_ten_pixels_are_those_computed_by_hand():
    real = np.array([1] * 7 + [0] * 2 + [1], np.bool_)
    sim = np.array([1] * 9 + [0], np.bool_)
    found = agreement(real, sim)
    assert found == Agreement(both=7, sim_only=2, real_only=1, neither=0)
    assert found.iou == pytest.approx(0.7)
    assert found.precision == pytest.approx(7 / 9)
    assert found.recall == pytest.approx(0.875)
    assert found.f1 == pytest.approx(14 / 17)  # .8235
    assert found.accuracy == pytest.approx(0.7)


@given(MASKS)
def test_agreement_is_that_of_a_loop(masks):
    assert asdict(agreement(*masks)) == loops.agreement(*masks)


def test_scores_of_no_pixel_are_unknown():
    nothing = agreement(np.zeros(0, np.bool_), np.zeros(0, np.bool_))
    assert all(math.isnan(each) for each in (nothing.iou, nothing.f1, nothing.accuracy))


def test_scans_that_repeat_do_not_flicker():
    mask = np.array([True, False, True, True])
    assert flicker(np.stack([mask] * 3)).sometimes == 0


@given(hnp.arrays(np.bool_, (4, 3, 5)))
def test_flicker_is_that_of_a_loop(scans):
    found = flicker(scans)
    assert [found.never, found.sometimes, found.always] == pytest.approx(loops.flicker(scans))
    assert found.never + found.sometimes + found.always == pytest.approx(1)
