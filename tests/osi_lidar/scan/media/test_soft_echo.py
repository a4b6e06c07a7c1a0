# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The echo of fog itself: height and place of its maximum, before the sky and before a wall."""

import math

import numpy as np
import pytest

from osi_lidar.scan.media.soft_echo import soft_echo
from tests.builders.beams import SIGMA_R_M

EXTINCTIONS = (0.005, 0.03, 0.06, 0.1, 0.2)
RAMP = ((1.280, 0.3949), (1.274, 0.3705), (1.268, 0.3433), (1.260, 0.3103), (1.242, 0.2416))
"""Place [m] and height [1/m] of the maximum of the integral of x(r) exp(-2 a r) / r^2 times a
Gaussian pulse of 5 ns, where x rises from 0 at 0.9 m to 1 at 1.0 m: by quadrature, for each
extinction."""
HELD = ((1.49, 0.01139), (1.29, 0.01064), (1.20, 0.00987), (1.13, 0.00900), (1.03, 0.00725))
"""The same without the ramp, but 1/r^2 held below 8.3 m, and nothing nearer than 0.5 m."""
STEP_M = 0.005
RANGE_M = STEP_M * np.arange(8000)


def ramp(range_m):
    return np.clip((range_m - 0.9) / 0.1, 1e-12, 1.0)


def echo_of(root, begin_m=0.5, sigma_m=SIGMA_R_M):
    """Return the echo of air whose backscatter times pi is 1/m."""
    return soft_echo(
        step_m=STEP_M, root=root, sigma_m=sigma_m, backscatter=1.0 / math.pi, begin_m=begin_m
    )


@pytest.mark.parametrize(("extinction", "expected"), list(zip(EXTINCTIONS, RAMP, strict=True)))
def test_behind_a_ramp_of_overlap_it_stands_where_its_integral_does(extinction, expected):
    root = RANGE_M * np.exp(extinction * RANGE_M) / np.sqrt(ramp(RANGE_M))
    height, place_m = echo_of(root, begin_m=0.9).rows[:2, -1]
    assert place_m == pytest.approx(expected[0], abs=0.01)
    assert height == pytest.approx(expected[1], rel=0.01)


@pytest.mark.parametrize(("extinction", "expected"), list(zip(EXTINCTIONS, HELD, strict=True)))
def test_a_receiver_that_is_held_in_its_near_field_sees_less_of_it(extinction, expected):
    height, place_m = echo_of(np.maximum(RANGE_M, 8.3) * np.exp(extinction * RANGE_M)).rows[:2, -1]
    assert place_m == pytest.approx(expected[0], abs=0.01)
    assert height == pytest.approx(expected[1], rel=0.01)


@pytest.mark.parametrize("end_m", [0.6, 0.9, 1.3, 1.8, 2.5, 6.0])
def test_before_a_wall_it_is_that_of_the_air_before_the_wall(end_m):
    """By quadrature on a grid of millimetres."""
    root = np.maximum(RANGE_M, 8.3) * np.exp(0.06 * RANGE_M)
    echo = echo_of(root)
    row = min((end_m - echo.begin_m) / echo.step_m, echo.rows.shape[1] - 1.0)
    height, place_m = (
        np.interp(row, np.arange(echo.rows.shape[1]), each) for each in echo.rows[:2]
    )

    r = np.arange(0.5, end_m, 0.001) + 0.0005
    x = np.arange(0.3, 4.0, 0.002)
    sent = np.exp(-0.12 * r) / 8.3**2 * 0.001
    signal = np.exp(-0.5 * np.square((x[:, None] - r) / SIGMA_R_M)) @ sent
    assert height == pytest.approx(signal.max(), rel=0.01)
    assert place_m == pytest.approx(x[signal.argmax()], abs=0.01)


@pytest.mark.parametrize("sigma_m", [0.001, 0.03, 3.0])
def test_a_thin_echo_is_as_high_as_its_pulse_is_long(sigma_m):
    """Where the air changes little within a pulse: pi beta sqrt(2 pi) sigma / q^2."""
    height, _ = echo_of(np.full(8000, 2.0), sigma_m=sigma_m).rows[:2, -1]
    assert height == pytest.approx(math.sqrt(2.0 * math.pi) * sigma_m / 4.0, rel=0.01)
