# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Errors of range, and the gap budget."""

import math
from dataclasses import asdict

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from lidar_gap.metrics.ranges import gap_budget, range_errors, recall_within
from tests.lidar_gap import loops

IMAGES = hnp.arrays(
    np.float64, (2, 4, 6), elements=st.one_of(st.just(math.nan), st.floats(0.5, 200.0))
)
PRECISE = {"rel": 1e-9, "abs": 1e-9}


def test_shifted_image_has_the_shift_as_every_error():
    real = np.linspace(3, 90, 60).reshape(4, 15)
    found = range_errors(real, real + 0.25)
    errors = asdict(found)
    assert errors.pop("n") == 60
    assert set(errors) == {"mae_m", "rmse_m", "median_m", "p95_m", "signed_median_m"}
    assert list(errors.values()) == pytest.approx([0.25] * 5)
    assert range_errors(real, real - 0.25).signed_median_m == pytest.approx(-0.25)


@pytest.mark.long
@given(IMAGES)
def test_errors_are_those_of_a_loop(images):
    assume(not np.isnan(images.sum(axis=0)).all())
    assert asdict(range_errors(*images)) == pytest.approx(loops.range_errors(*images), **PRECISE)


def test_errors_of_no_pixel_are_unknown():
    nothing = np.full((2, 2), np.nan)
    assert math.isnan(range_errors(nothing, nothing).rmse_m)
    assert math.isnan(gap_budget(nothing, nothing).sim_only)


def test_budget_puts_each_pixel_into_its_class():
    far = 64.0  # in powers of two, so that no difference is rounded
    nan = math.nan
    real = np.array([nan, nan, far, far, far, far, far, far, far, nan])
    off = np.array([0, 0, nan, 0, 0.0625, 0.25, 0.5, 2, -40, nan])
    found = gap_budget(real, np.where(np.isnan(real) & ~np.isnan(off), far, far + off))
    assert found.n == 9
    assert found.sim_only == pytest.approx(2 / 9)
    assert found.real_only == pytest.approx(1 / 9)
    assert found.apart == pytest.approx((1 / 9, 1 / 9, 1 / 9, 1 / 9, 2 / 9))


@given(IMAGES)
def test_budget_is_that_of_a_loop_and_its_shares_sum_to_one(images):
    assume(not np.isnan(images).all())
    found = gap_budget(*images)
    shares = [found.sim_only, found.real_only, *found.apart]
    assert shares == pytest.approx(loops.gap_budget(*images), abs=1e-9)
    assert sum(shares) == pytest.approx(1)


@given(IMAGES, st.floats(0.1, 50))
def test_recall_is_that_of_a_loop(images, within_m):
    assume(not np.isnan(images[0]).all())
    expected = loops.recall_within(*images, within_m)
    assert recall_within(*images, within_m) == pytest.approx(expected)
