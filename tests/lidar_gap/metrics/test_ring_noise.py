# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Noise within the rings of any scan."""

import numpy as np
import pytest

from lidar_gap.metrics.ring_noise import HALF_WINDOW, noise_curve, window_residuals_m

STEP_RAD = np.radians(0.5)


def tilted_plane(n_rings=8, n_columns=120):
    """Return exact ranges of rings of constant elevation on a tilted plane [m]."""
    azimuth = STEP_RAD * np.arange(n_columns)[np.newaxis, :]
    elevation = np.radians(np.linspace(-5, 15, n_rings))[:, np.newaxis]
    along = np.cos(elevation) * (0.8 * np.cos(azimuth) + 0.5 * np.sin(azimuth))
    return 12.0 / (along + 0.33 * np.sin(elevation))


def test_a_tilted_plane_has_no_noise():
    residual_m = window_residuals_m(tilted_plane(), STEP_RAD)
    inner = residual_m[:, HALF_WINDOW:-HALF_WINDOW]
    assert np.isnan(residual_m).sum() == residual_m.size - inner.size
    assert np.abs(inner).max() < 1e-10


def test_residuals_are_those_of_a_least_squares_fit_to_each_window():
    generator = np.random.default_rng(5)
    range_m = tilted_plane(2, 30) + 0.01 * generator.standard_normal((2, 30))
    residual_m = window_residuals_m(range_m, STEP_RAD)
    azimuth = STEP_RAD * np.arange(2 * HALF_WINDOW + 1)
    terms = np.column_stack([np.cos(azimuth), np.sin(azimuth), np.ones(len(azimuth))])
    own = (terms @ np.linalg.pinv(terms))[HALF_WINDOW, HALF_WINDOW]
    for middle in range(HALF_WINDOW, 30 - HALF_WINDOW):
        window = 1 / range_m[1, middle - HALF_WINDOW : middle + HALF_WINDOW + 1]
        fit = terms @ np.linalg.lstsq(terms, window, rcond=None)[0]
        off = (window - fit)[HALF_WINDOW]
        expected = -off * range_m[1, middle] ** 2 / np.sqrt(1 - own)
        assert residual_m[1, middle] == pytest.approx(expected, rel=1e-6, abs=1e-12)


def test_noise_is_found_in_bins_of_a_quantity():
    """Upper rings scatter by 2 mm, lower ones by 10 mm; 15 000 pixels each: sure to 2 %."""
    range_m = np.full((40, 800), 20.0)
    sigma = np.where(np.arange(40) < 20, 0.002, 0.01)[:, np.newaxis] * np.ones((1, 800))
    range_m += sigma * np.random.default_rng(3).standard_normal(range_m.shape)
    residual_m = window_residuals_m(range_m, STEP_RAD)
    curve = noise_curve(residual_m, sigma, np.array([0.0, 0.005, 0.02, 0.03]))
    assert curve.sigma_m[:2] == pytest.approx([0.002, 0.01], rel=0.03)
    assert curve.n.tolist() == [20 * 790, 20 * 790, 0]
    assert np.isnan(curve.sigma_m[2])


def test_edges_and_missing_pixels_are_left_out():
    range_m = np.full((1, 60), 10.0)
    range_m[0, 30:] = 14.0
    range_m[0, 45] = np.nan
    residual_m = window_residuals_m(range_m, STEP_RAD)
    told = np.flatnonzero(~np.isnan(residual_m[0]))
    assert told.tolist() == [*range(5, 25), *range(35, 40), *range(51, 55)]


def test_an_image_narrower_than_the_window_tells_nothing():
    assert np.isnan(window_residuals_m(np.ones((3, 10)), STEP_RAD)).all()
