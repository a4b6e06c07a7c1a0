# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Measures by nearest neighbours: plane, stray point, doubled and missing points."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from lidar_gap.metrics.neighbours import (
    chamfer_m,
    chamfer_squared_m2,
    density_aware_chamfer,
    earth_movers_m,
    f_score,
    hausdorff_m,
    neighbours,
)
from tests.lidar_gap import loops

PLANE_M = np.array([[x, y, 1.0] for x in range(12) for y in range(9)])
SEEDS = st.integers(0, 2**32 - 1)


def moved(distance_m):
    return neighbours(PLANE_M, PLANE_M + [0, 0, distance_m])


def random_clouds(seed):
    generator = np.random.default_rng(seed)
    return (generator.normal(size=(n, 3)) for n in generator.integers(1, 30, 2))


def test_plane_moved_along_its_normal_is_as_far_away_both_ways():
    assert chamfer_m(moved(0.03)) == pytest.approx(0.06)
    assert chamfer_squared_m2(moved(0.03)) == pytest.approx(0.0018)


def test_f_score_counts_what_is_within_the_limit():
    assert f_score(moved(0.04), within_m=0.05) == 1
    assert f_score(moved(0.06), within_m=0.05) == 0


def test_one_stray_point_is_the_hausdorff_distance_but_not_its_percentile():
    stray = np.vstack([PLANE_M, [0, 0, 51.0]])
    found = neighbours(PLANE_M, stray)
    assert hausdorff_m(found) == pytest.approx(50)
    assert hausdorff_m(found, portion=0.99) == pytest.approx(0)


def test_density_of_the_same_cloud_agrees():
    assert density_aware_chamfer(moved(0.0)) == 0


def test_doubled_points_are_a_quarter_apart():
    # one way: each point is shared by two, 1 - 1/2; the other way: each has its own, 0
    found = neighbours(PLANE_M, np.repeat(PLANE_M, 2, axis=0))
    assert density_aware_chamfer(found) == pytest.approx(0.25)
    assert chamfer_m(found) == 0


@pytest.mark.parametrize(("per_m", "expected"), [(1e6, 0.375), (1e-9, 0.25)])
def test_every_second_point_missing(per_m, expected):
    # pairs of points: each one left is shared by two; those missing count 1 or 1/2, the rest 1/2
    left = np.array([[10.0 * i, 0.0, 0.0] for i in range(20)])
    found = neighbours(np.vstack([left, left + [1, 0, 0]]), left)
    assert density_aware_chamfer(found, per_m=per_m) == pytest.approx(expected)


@given(SEEDS, st.floats(0.1, 2), st.floats(0.1, 30))
def test_measures_are_those_of_a_loop(seed, within_m, per_m):
    real, sim = random_clouds(seed)
    found = neighbours(real, sim, workers=1)
    expected = loops.neighbour_measures(real, sim, within_m, per_m)
    assert chamfer_m(found) == pytest.approx(expected["chamfer"])
    assert chamfer_squared_m2(found) == pytest.approx(expected["squared"])
    assert f_score(found, within_m) == pytest.approx(expected["f"])
    assert hausdorff_m(found) == pytest.approx(expected["hausdorff"])
    assert density_aware_chamfer(found, per_m) == pytest.approx(expected["dcd"])


def test_distance_to_an_empty_cloud_is_unknown():
    found = neighbours(PLANE_M, np.empty((0, 3)))
    measures = (chamfer_m, chamfer_squared_m2, f_score, hausdorff_m, density_aware_chamfer)
    assert all(math.isnan(measure(found)) for measure in measures)
    assert math.isnan(earth_movers_m(PLANE_M, np.empty((0, 3))))


@given(hnp.arrays(np.float64, (2, 5, 3), elements=st.floats(-9, 9)))
def test_matching_is_the_best_of_all_orders(clouds):
    real, sim = clouds
    assert earth_movers_m(real, sim) == pytest.approx(loops.earth_movers(real, sim), abs=1e-9)


def test_matching_of_samples_repeats_with_its_seed():
    real, sim = np.random.default_rng(3).normal(size=(2, 200, 3))
    first, second = (earth_movers_m(real, sim, n_sample=50, seed=4) for _ in range(2))
    assert first == second
    # all points, moved by less than half of their spacing
    assert earth_movers_m(PLANE_M, PLANE_M + [0.1, 0, 0]) == pytest.approx(0.1)
