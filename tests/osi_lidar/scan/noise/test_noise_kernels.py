# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Kernels of the errors: one number against its closed form, a block against each of its points."""

import math

import numpy as np
import pytest

from lidar_base.math_kernels import SMALL_RAD
from lidar_base.random.draws import Draws
from lidar_base.random.random_kernels import DROP_OUT, LINE_OF_SIGHT, RANGE_NOISE
from osi_lidar.clouds.cloud import POINT
from osi_lidar.clouds.row_kernels import row_bytes
from osi_lidar.config import Noise
from osi_lidar.scan.noise.direction_kernels import cosines_and_sines
from osi_lidar.scan.noise.errors import error_settings, error_tables
from osi_lidar.scan.noise.loss_kernels import lose
from osi_lidar.scan.noise.noise_kernels import ErrorArrays, TruthArrays, report_points
from osi_lidar.scan.noise.range_kernels import (
    folded_range,
    quantised_range,
    range_sigma,
    systematic_range,
)
from tests.builders.clouds import xyz
from tests.lidar_base.random.test_draws import gaussian_pairs_alone

TABLE = ((10.0, 0.0, 0.01), (30.0, 0.2, 0.05), (40.0, -0.1, 0.03))
BRIGHTER = ((0.01, 0.05), (0.1, 0.03), (1.0, 0.01))


def sigma_of(range_m, reflectivity, cos_incidence, **keys):
    noise = Noise.model_validate(keys)
    row = (range_m, reflectivity, cos_incidence)
    return range_sigma(error_settings(noise), error_tables(noise), *map(float, row))


@pytest.mark.parametrize(
    ("key", "value", "row", "sigma_m"),
    [
        ("range_sigma_m", 0.02, (50, 0.5, 0.1), 0.02),
        ("sigma_per_range", 0.001, (50, 0.5, 0.1), 0.05),
        ("sigma_incidence_m", 0.01, (50, 0.5, 1.0), 0.0),
        ("sigma_incidence_m", 0.01, (50, 0.5, 0.5), 0.01 * math.sqrt(3)),  # 60 deg
        ("sigma_incidence_m", 0.01, (50, 0.5, 0.0), 0.1),  # at most ten times
        ("sigma_dark_m", 0.02, (50, 0.1, 1.0), 0.02),
        ("sigma_dark_m", 0.02, (50, 0.4, 1.0), 0.01),
        ("sigma_dark_m", 0.02, (50, 10.0, 1.0), 0.002),
        ("sigma_dark_m", 0.02, (50, 1e-5, 1.0), 0.2),  # at most ten times
        ("depth_table", [[0, 0, 0.01], [100, 0, 0.03]], (50, 0.5, 1.0), 0.02),
        ("depth_table", [[60, 0, 0.01], [100, 0, 0.03]], (50, 0.5, 1.0), 0.01),
        ("reflectivity_table", BRIGHTER, (50, 0.1, 1.0), 0.03),
        ("reflectivity_table", BRIGHTER, (50, 0.1**1.5, 1.0), 0.04),  # halfway in logarithms
        ("reflectivity_table", BRIGHTER, (50, 0.0, 1.0), 0.05),  # held beyond the ends
        ("reflectivity_table", BRIGHTER, (50, 3.0, 1.0), 0.01),
    ],
)
def test_standard_deviation_of_the_range_has_its_terms(key, value, row, sigma_m):
    assert sigma_of(*row, **{key: value}) == pytest.approx(sigma_m, rel=1e-6, abs=1e-9)


def test_the_terms_of_the_standard_deviation_add_as_squares():
    terms = {"range_sigma_m": 0.03, "sigma_per_range": 0.001, "sigma_incidence_m": 0.12}
    got = sigma_of(40, 0.5, math.sqrt(0.5), **terms)
    assert got == pytest.approx(0.13, rel=1e-6)  # 3, 4 and 12 make 13


@pytest.mark.parametrize(
    ("range_m", "mean_m"),
    [(0, 0.0), (10, 0.0), (20, 0.1), (30, 0.2), (35, 0.05), (40, -0.1), (99, -0.1)],
)
def test_a_table_is_linear_between_its_rows_and_held_outside(range_m, mean_m):
    noise = Noise(depth_table=TABLE)
    got = systematic_range(error_settings(noise), error_tables(noise).by_range, float(range_m))
    assert got == pytest.approx(range_m + mean_m)


def directions(azimuth, elevation):
    across = np.cos(elevation)
    return np.stack([across * np.cos(azimuth), across * np.sin(azimuth), np.sin(elevation)], 1)


def test_cosines_and_sines_of_errors_are_exact_also_where_only_some_are_small():
    angles = np.array([0.0, 1e-9, -1e-4, 0.03, SMALL_RAD, -SMALL_RAD, 0.11, -2.0])
    for n in (6, 8):
        cosine, sine = np.empty((2, n))
        cosines_and_sines(1.0, angles, n, cosine, sine)
        np.testing.assert_allclose(cosine, np.cos(angles[:n]), rtol=0, atol=2e-16)
        np.testing.assert_allclose(sine, np.sin(angles[:n]), rtol=0, atol=2e-16)


def test_each_beam_of_the_blocks_is_lost_as_it_would_be_alone():
    draws, lost = Draws.of(seed=3, sensor="roof", time_ns=5), np.empty(3000, np.bool_)
    lose(0.1, draws.stream, 2, lost)
    beams = np.arange(3000, dtype=np.uint32)
    np.testing.assert_array_equal(lost, draws.uniform(DROP_OUT, beams) < 0.1)
    assert 200 < np.count_nonzero(lost) < 400


@pytest.mark.parametrize("distribution", ["gaussian", "laplace"])
def test_each_point_of_the_blocks_is_reported_as_it_would_be_alone(distribution):
    """Over whole blocks and the rest of one, with all errors of ranges and directions at once."""
    noise = Noise.model_validate(
        {
            "distribution": distribution,
            "range_sigma_m": 0.02,
            "sigma_per_range": 0.001,
            "sigma_incidence_m": 0.01,
            "sigma_dark_m": 0.01,
            "depth_table": TABLE,
            "reflectivity_table": BRIGHTER,
            "depth_offset_m": -0.5,
            "quantisation_m": 0.004,
            "azimuth_sigma_deg": 3.0,
            "elevation_sigma_deg": 1.0,
            "line_of_sight": "readout",
        }
    )
    settings, tables = error_settings(noise, folds_at_m=80.0), error_tables(noise)
    draws = Draws.of(seed=3, sensor="roof", time_ns=5)
    n_beams, random = 3000, np.random.default_rng(2)
    azimuth, elevation = random.uniform(-3, 3, n_beams), random.uniform(-0.4, 0.4, n_beams)
    beam = np.flatnonzero(random.random(n_beams) < 0.8).astype(np.uint32)
    n = len(beam)
    cos_incidence = random.uniform(0, 1, n).astype(np.float32)
    points = np.zeros(n, POINT)
    points["range"], points["reflectivity"] = random.uniform(0.1, 60, n), random.uniform(0, 1, n)
    points["ring"] = random.integers(0, 4, n)
    bias_m = np.array([0.0, 0.1, -0.1, 0.2])
    angles = np.stack([np.cos(azimuth), np.sin(azimuth), np.cos(elevation), np.sin(elevation)])
    shot = directions(azimuth, elevation).astype(np.float32)
    origin_m = random.uniform(-1, 1, (n_beams, 3)).astype(np.float32)
    reported, met_m, met_xyz_m = points.copy(), np.empty(n, np.float32), np.empty((n, 3), "f4")
    is_reported = np.empty(n, np.bool_)
    by_formula = np.stack([0.02 * np.cos(points["range"]), np.where(points["range"] < 9, 0, 0.03)])
    shot_axis = np.ascontiguousarray(shot.T)
    beams = ErrorArrays(*tables, by_formula, bias_m, angles, shot_axis, origin_m)
    truth = TruthArrays(met_m, met_xyz_m, is_reported)
    report_points(
        settings, beams, draws.stream, beam, beam, cos_incidence, 2, row_bytes(reported), truth
    )

    chance = draws.normal(RANGE_NOISE, beam, distribution)
    expected_m = np.empty(n)
    for i, point in enumerate(points):
        range_m, of_surface = float(point["range"]), float(point["reflectivity"])
        wrong_m = systematic_range(settings, tables.by_range, range_m) + bias_m[point["ring"]]
        of_surface = of_surface, float(cos_incidence[i])
        sigma_m = range_sigma(settings, tables, range_m, *of_surface)
        wrong_m += by_formula[0, i]
        wrong_m += math.sqrt(sigma_m**2 + by_formula[1, i] ** 2) * chance[i]
        expected_m[i] = quantised_range(folded_range(wrong_m, 80.0), 0.004)
    np.testing.assert_array_equal(reported["range"], expected_m.astype(np.float32))
    np.testing.assert_array_equal(is_reported, expected_m >= 0.0)
    np.testing.assert_array_equal(met_m, points["range"])
    start_m, met_m = origin_m[beam], met_m[:, None]
    np.testing.assert_allclose(met_xyz_m, start_m + met_m * shot[beam], atol=1e-5)
    turn, rise = gaussian_pairs_alone(draws.stream, LINE_OF_SIGHT, beam)
    wrong = directions(
        azimuth[beam] + settings.azimuth_sigma_rad * turn,
        elevation[beam] + settings.elevation_sigma_rad * rise,
    )
    np.testing.assert_allclose(xyz(reported), start_m + expected_m[:, None] * wrong, atol=3e-5)
