# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Functions that give the same bits everywhere, beside the C library's."""

import math

import numpy as np
import pytest

from lidar_base.math_kernels import exponential


def test_the_exponential_is_that_of_the_mathematics_library():
    places = np.concatenate([np.linspace(-708.0, 700.0, 20_001), np.linspace(-1.0, 1.0, 2001)])
    found = np.array([exponential(float(x)) for x in places])
    np.testing.assert_allclose(found, np.exp(places), rtol=1e-9)
    assert exponential(0.0) == 1.0


@pytest.mark.parametrize("x", [-708.001, -1e9, -math.inf])
def test_the_exponential_ends_at_0(x):
    assert exponential(x) == 0.0
