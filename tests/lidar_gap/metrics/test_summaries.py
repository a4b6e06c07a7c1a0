# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Summaries of values, and of none."""

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from lidar_gap.metrics.summaries import grouped_median, mean, quantile, share

ROWS = st.lists(st.tuples(st.integers(0, 3), st.floats(-9, 9)), max_size=30)


def test_nothing_has_no_summary():
    assert math.isnan(mean(np.zeros(0)))
    assert math.isnan(quantile(np.zeros(0), 0.5))
    assert math.isnan(share(0, 0))


@given(ROWS)
def test_medians_of_groups_are_those_of_each_alone(rows):
    group = np.array([number for number, _ in rows], np.int64)
    values = np.array([value for _, value in rows], np.float64)
    expected = [quantile(values[group == each], 0.5) for each in range(4)]
    np.testing.assert_allclose(grouped_median(values, group, 4), expected, atol=1e-12)
