# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Errors of ranges with heavier tails than a Gaussian's."""

import math

import numpy as np
import pytest

from tests.builders.clouds import wall_clouds


def errors_m(cloud):
    return cloud.points["range"].astype(float) - cloud.true_range_m


@pytest.mark.parametrize("tails", [0.05, 0.1, 0.2])
def test_tails_are_those_of_tukeys_law_and_leave_the_standard_deviation(tmp_path, tails):
    noise = {"range_sigma_m": 0.05, "tails": tails}
    (cloud,) = wall_clouds(tmp_path, noise=noise)
    (normal,) = wall_clouds(tmp_path, noise={"range_sigma_m": 0.05})
    n = errors_m(normal) / 0.05
    expected = (1.0 - 2.0 * tails) ** 0.75 * n * np.exp(0.5 * tails * n * n)
    np.testing.assert_allclose(errors_m(cloud) / 0.05, expected, atol=1e-4)
    z = np.linspace(-8.0, 8.0, 4001)
    density = np.exp(-0.5 * z * z) / math.sqrt(2.0 * math.pi)
    law = (1.0 - 2.0 * tails) ** 0.75 * z * np.exp(0.5 * tails * z * z)
    assert np.trapezoid(law**2 * density, z) == pytest.approx(1.0, abs=0.003)
    beyond = np.trapezoid((np.abs(law) > 3.0) * density, z)
    assert beyond == pytest.approx({0.05: 0.0068, 0.1: 0.0106, 0.2: 0.0152}[tails], rel=0.1)
