# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The greatest common step of rounded values."""

import numpy as np
import pytest

from lidar_gap.calibrate.comb import greatest_step


@pytest.mark.parametrize("step_m", [0.001, 0.002, 0.004, 0.008])
def test_step_of_rounded_ranges_is_found(step_m):
    # Ouster 1 or 8 mm, VLP-16 2 mm, Hesai 4 mm; single precision, and a shift of each laser
    random = np.random.default_rng(0)
    group = random.integers(0, 8, 20_000)
    exact_m = random.uniform(2, 30, len(group))
    rounded_m = (np.rint(exact_m / step_m) * step_m + 0.00037 * group).astype(np.float32)
    found = greatest_step(rounded_m.astype(np.float64), group, 8, most=0.1)
    assert found == pytest.approx(step_m, rel=1e-6)


def test_smooth_values_have_no_step():
    values = np.random.default_rng(0).uniform(2, 30, 20_000)
    assert greatest_step(values, np.zeros(20_000, np.intp), 1, most=0.1) is None


def test_few_values_have_no_step():
    assert greatest_step(np.arange(10.0), np.zeros(10, np.intp), 1, most=0.1) is None
