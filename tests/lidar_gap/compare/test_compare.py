# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The comparison as a whole, on scans of a room whose answers are known by hand."""

from dataclasses import replace

import numpy as np
import pytest

from lidar_gap.compare import compare
from lidar_gap.compare.quantities import EVERY
from lidar_gap.records import PairGroups
from osi_lidar.errors import InputError
from tests.builders.scans import (
    N_COLUMNS,
    N_RINGS,
    ROOM_M,
    farther,
    pair_of,
    room_scan,
    without,
)

N = N_RINGS * N_COLUMNS


def compared(real, sim, kept=None):
    return compare(PairGroups(sim=[pair_of(real, sim)]), kept)


def with_second_echoes(cloud, rows, by_m):
    """Return a cloud with a second echo of some of its beams, farther away."""
    n_echoes = cloud.n_echoes.copy()
    n_echoes[rows] = 2
    first = replace(cloud, n_echoes=n_echoes)
    second = farther(first.rows(rows), by_m)
    second = replace(second, echo=np.ones(len(second), np.uint8))
    columns = ("points_m", "range_m", "intensity", "ring", "column", "echo", "n_echoes", "normal")
    return replace(
        first,
        **{each: np.concatenate([getattr(first, each), getattr(second, each)]) for each in columns},
    )


def test_a_scan_and_itself_have_no_gap():
    total = compared(room_scan(), room_scan()).sim.total
    assert (total.n_real, total.n_sim, total.points_ratio) == (N, N, 1)
    assert (total.returns.iou, total.returns.f1, total.returns.accuracy) == (1, 1, 1)
    assert (total.errors.n, total.errors.median_m, total.errors.rmse_m) == (N, 0, 0)
    assert total.budget.apart[0] == 1
    assert total.recall_50cm == 1
    assert (total.range_areas.area, total.range_dvm.bias, total.range_dvm.scatter) == (0, 0, 0)
    assert (total.jsd, total.mmd2, total.ring_counts_mape_percent) == (0, 0, 0)
    assert total.distances.chamfer_m == total.distances.hausdorff_m == total.distances.dcd == 0
    assert total.distances.f_score == 1
    assert total.real_edges == total.sim_edges


def test_a_wall_moved_along_its_normal_is_so_much_farther():
    """Of the wall at +x, 10 deg to each side: 30 mm / cos of the angle between beam and normal."""
    real, sim = room_scan(), room_scan(room_m={"+x": ROOM_M["+x"] + 0.03})
    heading = np.degrees(np.arctan2(real.points_m[:, 1], real.points_m[:, 0]))
    ahead = (np.abs(heading) < 10) & (np.abs(real.points_m[:, 0] - ROOM_M["+x"]) < 1e-9)
    real, sim = real.rows(ahead), sim.rows(ahead)
    total = compared(real, sim).sim.total
    cos = real.points_m[:, 0] / real.range_m
    assert total.errors.median_m == pytest.approx(np.median(0.03 / cos))
    assert total.errors.signed_median_m == total.errors.median_m
    assert total.errors.mae_m == pytest.approx(np.mean(0.03 / cos))
    # the nearest point of the other wall is 30 mm ahead, and at most 30 mm x tan aside
    assert 0.06 <= total.distances.chamfer_m <= 0.06 / cos.min()
    assert total.range_dvm.bias == pytest.approx(total.errors.mae_m)
    assert total.budget.apart[0] == 1


def test_dropped_points_show_in_recall_and_budget():
    kept = np.ones(N, np.bool_)
    kept[::10] = False
    total = compared(room_scan(), room_scan().rows(kept)).sim.total
    assert total.returns.recall == total.returns.iou == total.points_ratio == pytest.approx(0.9)
    assert total.returns.precision == 1
    assert total.budget.real_only == pytest.approx(0.1)
    assert total.budget.apart[0] == pytest.approx(0.9)
    assert total.ring_counts_mape_percent == pytest.approx(10)


def test_points_too_many_show_in_precision_and_budget():
    kept = np.ones(N, np.bool_)
    kept[::10] = False
    total = compared(room_scan().rows(kept), room_scan()).sim.total
    assert total.returns.precision == total.returns.iou == pytest.approx(0.9)
    assert total.budget.sim_only == pytest.approx(0.1)


def test_noise_within_rings_is_that_of_the_scan():
    """A scan at steps of 0.25 deg has 23 000 pixels: the median is sure to 1 %."""
    real = room_scan(sigma_m=0.008, n_columns=1440)
    pair = pair_of(real, room_scan(n_columns=1440), n_columns=1440)
    found = compare(PairGroups(sim=[pair]))
    assert found.real_side.noise_m == pytest.approx(0.008, rel=0.04)
    assert found.sim_side.noise_m < 1e-9
    at_5_to_10_m = found.real_side.noise_by_range.sigma_m[2]
    assert at_5_to_10_m == pytest.approx(0.008, rel=0.06)
    assert found.real_side.signal_name == "intensity"
    np.testing.assert_allclose(found.real_side.noise_by_signal.sigma_m, 0.008, rtol=0.15)
    # all residuals are taken away: the area left is the mean absolute value, sigma sqrt(2 / pi)
    assert found.noise_dvm.scatter == pytest.approx(0.008 * np.sqrt(2 / np.pi), rel=0.05)


def test_all_frames_count_by_their_pixels_and_distances_by_their_frames():
    half = np.arange(N) % 2 == 0
    whole, part = pair_of(room_scan(), room_scan()), pair_of(room_scan(), room_scan().rows(half))
    found = compare(PairGroups(sim=[whole, part])).sim
    assert [frame.returns.iou for frame in found.frames] == [1, 0.5]
    assert found.total.returns.iou == 0.75
    assert found.total.n_sim == N * 1.5
    distances = [frame.distances.chamfer_m for frame in found.frames]
    assert found.total.distances.chamfer_m == pytest.approx(np.mean(distances))


def test_what_the_mask_leaves_out_counts_nowhere():
    """The real sensor sees its own roof in the lowest ring, which the simulation has not."""
    lowest = np.arange(N) // N_COLUMNS == N_RINGS - 1
    scan = room_scan()
    real = replace(scan, range_m=np.where(lowest, 1.0, scan.range_m))
    kept = np.ones((N_RINGS, N_COLUMNS), np.bool_)
    kept[-1] = False
    with_roof, without_roof = compared(real, scan).sim.total, compared(real, scan, kept).sim.total
    assert with_roof.errors.mae_m > 0
    assert without_roof.errors.mae_m == 0
    assert without_roof.n_real == without_roof.n_sim == N - N_COLUMNS
    assert without_roof.returns.neither == 0


def test_no_measure_depends_on_what_the_mask_leaves_out():
    row, column = np.divmod(np.arange(N), N_COLUMNS)
    changed = (row == N_RINGS - 1) & (column % 10 < 5)
    kept = np.ones((N_RINGS, N_COLUMNS), np.bool_)
    kept[-1] = False
    scan, sim = room_scan(sigma_m=0.01), room_scan()
    expected = compared(scan, sim, kept).sim.total
    nearer = replace(scan, range_m=np.where(changed, 1.0, scan.range_m))
    for real in (nearer, scan.rows(~changed)):
        total = compared(real, sim, kept).sim.total
        for each in EVERY:
            np.testing.assert_equal(each.of(total), each.of(expected), each.title)


def test_real_clouds_and_the_null_test_are_measured_beside():
    real, later = room_scan("real", sigma_m=0.01), room_scan("later", sigma_m=0.01, seed=1)
    found = compare(
        PairGroups(
            sim=[pair_of(real, room_scan("sim"))],
            again=[pair_of(real, later)],
            null=[pair_of(room_scan(), room_scan("rebuilt"))],
        ),
        with_neighbours=False,
    )
    names = [each.name for each in found.all_series]
    assert names == ["simulated against real", "real against real", "null test"]
    # two scans with noise differ by the root of two more than one does from the truth
    ratio = found.again.total.errors.rmse_m / found.sim.total.errors.rmse_m
    assert ratio == pytest.approx(np.sqrt(2), rel=0.05)
    assert found.null.total.errors.rmse_m == 0
    assert found.sim.total.distances is None
    alone = compare(PairGroups(sim=[pair_of(real, later)]), with_neighbours=False)
    assert alone.again is None
    assert alone.null is None


def test_return_probability_over_range_and_incidence_is_that_of_the_scans():
    """Reality returns where cos of the incidence is above .5: below 60 deg, all of them."""
    sim = room_scan()
    cos = np.abs((sim.points_m * sim.normal).sum(axis=1)) / sim.range_m
    found = compared(sim.rows(cos > 0.5), sim).curves
    incidence = found.real_over_incidence
    some = incidence.n > 0
    expected = np.where(incidence.edges[1:] <= 60, 1.0, 0.0)
    np.testing.assert_array_equal(incidence.probability[some], expected[some])
    assert incidence.n.sum() == N
    np.testing.assert_array_equal(found.sim_over_range.probability[found.sim_over_range.n > 0], 1.0)
    n_returns = np.nansum(found.real_over_range.probability * found.real_over_range.n)
    assert n_returns == pytest.approx(np.count_nonzero(cos > 0.5), abs=1 + N // 1000)


def test_without_normals_there_is_no_curve_over_incidence():
    assert compared(room_scan(), without(room_scan(), "normal")).curves.real_over_incidence is None


def test_echoes_of_each_side_are_counted():
    """Every tenth beam of reality has a second echo 1.5 m farther; the simulation has none."""
    real = with_second_echoes(room_scan(), np.arange(0, N, 10), 1.5)
    found = compared(real, room_scan())
    assert found.real_side.echoes.n_beams == N
    assert found.real_side.echoes.second == pytest.approx(0.1)
    assert len(found.real_side.echoes.separations_m) == N / 10
    assert found.real_side.echoes.least_m == pytest.approx(1.5)
    assert found.real_side.echoes.p5_m == pytest.approx(1.5)
    assert found.sim_side.echoes.second == 0
    assert np.isnan(found.sim_side.echoes.least_m)
    assert found.sim.total.returns.iou == 1  # the image has the nearest echo
    assert found.sim.total.points_ratio == pytest.approx(1 / 1.1)


def test_clouds_that_do_not_tell_echoes_signal_and_normals_are_compared_all_the_same():
    names = ("echo", "n_echoes", "intensity", "normal")
    found = compared(without(room_scan(), *names), without(room_scan(), *names))
    assert found.real_side.echoes is None
    assert found.real_side.noise_by_signal is None
    assert found.sim.total.returns.iou == 1


def test_clouds_that_cannot_be_compared_are_told_in_one_line():
    scan = room_scan("frame 7")
    with pytest.raises(InputError, match="no clouds"):
        compare(PairGroups(sim=[]))
    with pytest.raises(InputError, match="frame 7: has no points"):
        compared(room_scan(), scan.rows(np.zeros(N, np.bool_)))
    upper = np.arange(N) < N / 2
    with pytest.raises(InputError, match="frame 7: shares no pixel with room"):
        compared(room_scan().rows(~upper), scan.rows(upper))
    with pytest.raises(InputError, match="shares no pixel"):
        compared(room_scan(), scan, np.zeros((N_RINGS, N_COLUMNS), np.bool_))
    with pytest.raises(InputError, match=r"mask: got 4 x 4 pixels, expected 16 x 360"):
        compared(room_scan(), scan, np.ones((4, 4), np.bool_))
    coarse = pair_of(room_scan(n_columns=90), room_scan(n_columns=90), n_columns=90)
    with pytest.raises(InputError, match=r"16 x 90 pixels, expected 16 x 360"):
        compare(PairGroups(sim=[pair_of(scan, scan)], again=[coarse]))
