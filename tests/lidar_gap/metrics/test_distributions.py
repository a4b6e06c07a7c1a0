# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Areas between distributions, bias and scatter, p-boxes, and errors in percent."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import ndtri

from lidar_gap.metrics.distributions import (
    box_areas,
    double_validation,
    kolmogorov_smirnov,
    mape_percent,
    p_box,
    validation_areas,
)
from tests.lidar_gap import loops

SAMPLES = st.lists(st.floats(-100, 100), min_size=1, max_size=20)
DRAWS = st.lists(SAMPLES, min_size=1, max_size=3)

MIDDLES = (np.arange(20_000) + 0.5) / 20_000
"""Quantiles at these shares are a sample without chance; it cuts tails of 1e-4 of the areas."""
STANDARD = ndtri(MIDDLES)  # of the normal distribution


def test_shifted_normal_distribution_is_apart_by_the_shift():
    found = validation_areas(STANDARD, STANDARD[::2] + 0.3)  # samples of unequal sizes
    assert found.area == pytest.approx(0.3, abs=1e-3)
    assert (found.right, found.left) == (pytest.approx(0.3, abs=1e-3), pytest.approx(0, abs=1e-3))


def test_wider_uniform_distribution_is_apart_by_half():
    assert validation_areas(MIDDLES, 2 * MIDDLES).area == pytest.approx(0.5, abs=1e-4)


def test_factor_of_safety_scales_both_areas():
    found = validation_areas(np.array([0.0, 1.0]), np.array([-1.0, 3.0]), safety=1.25)
    # half of the sample is 1 m too small, half 2 m too large
    assert (found.right, found.left) == (pytest.approx(1.25), pytest.approx(0.625))


def test_double_validation_parts_bias_and_scatter():
    shifted = double_validation(STANDARD, STANDARD + 0.3)
    assert (shifted.bias, shifted.scatter) == (pytest.approx(0.3), pytest.approx(0, abs=1e-9))
    wider = double_validation(STANDARD, 2 * STANDARD)
    # the area between N(0, 2²) and N(0, 1) is (2 - 1) E|x| = sqrt(2 / pi) = .798
    assert wider.bias == pytest.approx(0, abs=1e-9)
    assert wider.scatter == pytest.approx(math.sqrt(2 / math.pi), abs=1e-3)


@given(SAMPLES, SAMPLES)
def test_areas_are_those_of_a_loop_and_differ_by_the_difference_of_means(real, sim):
    found = validation_areas(np.array(real), np.array(sim))
    assert (found.right, found.left) == pytest.approx(loops.box_areas([real], [sim]), abs=1e-9)
    assert found.right - found.left == pytest.approx(np.mean(sim) - np.mean(real), abs=1e-9)


@given(SAMPLES, SAMPLES)
def test_bias_and_scatter_are_those_of_a_loop(real, sim):
    bias = math.fsum(sim) / len(sim) - math.fsum(real) / len(real)
    found = double_validation(np.array(real), np.array(sim))
    assert found.bias == pytest.approx(bias, abs=1e-9)
    centred = [each - bias for each in sim]
    assert found.scatter == pytest.approx(sum(loops.box_areas([real], [centred])), abs=1e-6)


@given(DRAWS, DRAWS)
def test_areas_of_boxes_are_those_of_a_loop(real, sim):
    boxes = [p_box([np.array(draw) for draw in draws]) for draws in (real, sim)]
    found = box_areas(*boxes)
    assert (found.right, found.left) == pytest.approx(loops.box_areas(real, sim), abs=1e-9)


def test_box_has_the_width_of_what_is_uncertain_and_hides_errors_within():
    # a pose known to 0.2 m moves all ranges together
    real = p_box([STANDARD - 0.1, STANDARD, STANDARD + 0.1])
    assert real.width == pytest.approx(0.2, abs=1e-3)
    assert box_areas(real, p_box([STANDARD + 0.05])).area == pytest.approx(0, abs=1e-9)
    assert box_areas(real, p_box([STANDARD + 0.3])).area == pytest.approx(0.2, abs=1e-3)


@given(SAMPLES, SAMPLES)
def test_largest_distance_is_that_of_a_loop(real, sim):
    found = kolmogorov_smirnov(np.array(real), np.array(sim))
    assert found == pytest.approx(loops.largest_distance(real, sim))


def test_disjoint_samples_are_one_apart():
    assert kolmogorov_smirnov(np.array([1.0, 2.0]), np.array([3.0, 4.0, 5.0])) == 1


def test_errors_in_percent_leave_zeros_and_unknown_values_out():
    real, sim = np.array([100.0, 100, 0, 5]), np.array([110.0, 90, 7, math.nan])
    assert mape_percent(real, sim) == pytest.approx(10)
    assert math.isnan(mape_percent(np.zeros(1), np.ones(1)))


def test_areas_of_an_empty_sample_are_unknown():
    nothing, one = np.empty(0), np.ones(1)
    assert math.isnan(validation_areas(nothing, one).area)
    assert math.isnan(double_validation(one, nothing).scatter)
    assert math.isnan(kolmogorov_smirnov(nothing, one))
