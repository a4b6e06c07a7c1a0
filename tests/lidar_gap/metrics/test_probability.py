# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Probability of a return over a quantity."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from lidar_gap.metrics.probability import Bootstrap, return_probability
from tests.lidar_gap import loops

LIMITS = np.array([0.0, 1.0, 2.0, 4.0])


@given(
    hnp.arrays(np.bool_, (3, 4, 5)),
    hnp.arrays(
        np.float64, (3, 4, 5), elements=st.one_of(st.just(math.nan), st.floats(-1, 5, width=16))
    ),
)
def test_curve_is_that_of_a_loop(returned, quantity):
    n, probability = loops.return_probability(returned, quantity, LIMITS.tolist())
    found = return_probability(returned, quantity, LIMITS, Bootstrap(n_draws=20))
    assert found.n.tolist() == n
    assert found.probability == pytest.approx(probability, nan_ok=True)


def test_frames_may_have_different_sizes():
    returned = [np.array([True, False]), np.array([True])]
    found = return_probability(returned, [np.array([0.5, 0.5]), np.array([0.5])], LIMITS)
    assert found.probability[0] == pytest.approx(2 / 3)


def test_interval_is_that_of_frames_not_of_pixels():
    # each frame returns wholly or not at all: 40 frames are 40 draws, however many pixels they have
    generator = np.random.default_rng(5)
    frames = generator.random(40) < 0.5
    returned = np.repeat(frames[:, None], 1000, axis=1)
    found = return_probability(returned, np.full((40, 1000), 0.5), LIMITS)
    p = frames.mean()
    half_width = 1.96 * math.sqrt(p * (1 - p) / 40)
    assert found.probability[0] == pytest.approx(p)
    # 1000 draws know a quantile to some hundredths, and 40 frames have steps of 0.025
    assert found.lower[0] == pytest.approx(p - half_width, abs=0.04)
    assert found.upper[0] == pytest.approx(p + half_width, abs=0.04)


def test_interval_repeats_with_its_seed_and_is_unknown_for_one_frame():
    returned = np.random.default_rng(1).random((6, 50)) < 0.4
    quantity = np.full((6, 50), 1.5)
    first, second = (return_probability(returned, quantity, LIMITS) for _ in range(2))
    assert first.lower[1] == second.lower[1]
    alone = return_probability(returned[:1], quantity[:1], LIMITS)
    assert math.isnan(alone.lower[1])
    assert not math.isnan(alone.probability[1])
