# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Echoes of several surfaces in one beam: resolution, choice by the makers' modes, ranging."""

import math

import numpy as np
import pytest

from tests.builders.beams import LIMIT, SEES, SIGMA_R_M, plate, points_at, tilted

THREE = ((20.0, 0.2, 10), (30.0, 0.5, 80), (40.0, 0.3, 50))
"""Range, share of the beam and reflectivity in percent: signals of 1.8, 16 and 3.375 k."""


def halves(apart_m, right_percent=50):
    """Return a plate at 30 m in one half of the beam, and a wall behind it."""
    return [(plate(30.0, right_m=0.0), 50), (plate(30.0 + apart_m), right_percent)]


@pytest.mark.parametrize(
    ("apart_m", "ranges_m"),
    [
        (0.25, [30.124]),
        (0.5, [30.239]),
        (0.7, [30.104, 30.568]),
        (0.8, [30.043, 30.750]),
        (1.0, [30.007, 30.992]),
    ],
)
def test_surfaces_nearer_than_the_range_resolution_are_one_echo(tmp_path, apart_m, ranges_m):
    points = points_at(tmp_path, halves(apart_m), n=20)
    assert (points["n_echoes"] == len(ranges_m)).all()
    found = [points["range"][points["echo"] == number].mean() for number in range(len(ranges_m))]
    np.testing.assert_allclose(found, ranges_m, atol=2e-3)


def test_two_equal_echoes_part_at_two_widths_of_the_pulse(tmp_path):
    for times, n_echoes in ((1.99, 1), (2.06, 2)):
        percent = 50.0 * (1.0 + times * SIGMA_R_M / 30.0) ** 2
        points = points_at(tmp_path, halves(times * SIGMA_R_M, percent), n=5)
        assert (points["n_echoes"] == n_echoes).all()


@pytest.mark.parametrize(
    ("times", "share"), [(0.5, 0.162), (1.0, 0.288), (1.5, 0.307), (1.9, 0.206)]
)
def test_a_mixed_point_lies_where_the_sum_of_the_pulses_is_highest(tmp_path, times, share):
    """The far surface sends back half as much: the point is nearer to the near one."""
    far_m = 30.0 + times * SIGMA_R_M
    percent = 25.0 * (far_m / 30.0) ** 2
    points = points_at(tmp_path, halves(times * SIGMA_R_M, percent), n=5)
    np.testing.assert_allclose((points["range"] - 30.0) / SIGMA_R_M, share, atol=6e-3)


def steps_of_three(*, with_wall=True):
    """Return plates of which each beam, with the footprint of a pole, meets a known share."""
    # the pattern of a rectangle beam is uniform between -2 and 2 sigma: shares are lengths
    edges = (-2.0 + 4.0 * 0.2, -2.0 + 4.0 * 0.7)
    surfaces = [(plate(20.0, right_m=20e-3 * edges[0]), 10)]
    surfaces.append((plate(30.0, right_m=30e-3 * edges[1]), 80))
    return [*surfaces, (plate(40.0), 50)] if with_wall else surfaces


FLAT = {"divergence_deg": math.degrees(4e-3), "profile": "rectangle", "sub_rays": 128}


@pytest.mark.parametrize(
    ("returns", "ranges_m", "without_wall_m"),
    [
        ({"mode": "strongest"}, [30], [30]),
        ({"mode": "first"}, [20], [20]),
        ({"mode": "last"}, [40], [30]),
        ({"mode": "last_strongest"}, [30, 40], [20, 30]),
        ({"mode": "first_strongest"}, [20, 30], [20, 30]),
        ({"mode": "last_first"}, [20, 40], [20, 30]),
        ({"mode": "all", "max": 2}, [30, 40], [20, 30]),
        ({"mode": "all", "max": 2, "order": "strength"}, [30, 40], [30, 20]),
        ({"mode": "all", "max": 2, "order": "farthest"}, [40, 30], [30, 20]),
        ({"mode": "all"}, [20, 30, 40], [20, 30]),
    ],
)
def test_modes_choose_as_the_makers_sensors_do(tmp_path, returns, ranges_m, without_wall_m):
    for surfaces, expected in (
        (steps_of_three(), ranges_m),
        (steps_of_three(with_wall=False), without_wall_m),
    ):
        points = points_at(tmp_path, surfaces, n=3, beam=FLAT, returns=returns, range_limit=LIMIT)
        for column in range(3):
            of_beam = points[points["column"] == column]
            assert np.rint(of_beam["range"]).tolist() == expected
            if "echo" in points.dtype.names:
                numbers = np.argsort(np.argsort(of_beam["range"]))
                assert of_beam["echo"].tolist() == numbers.tolist()
                assert set(of_beam["n_echoes"].tolist()) == {len(expected)}


def test_the_signals_of_three_surfaces_are_those_of_their_shares(tmp_path):
    points = points_at(tmp_path, steps_of_three(), n=200, beam=FLAT, range_limit=LIMIT)
    k = 5.257
    for number, times in enumerate((1.8, 16.0, 3.375)):
        found = points["snr"][points["echo"] == number].mean() / k
        assert found == pytest.approx(times, rel=0.03)


def test_a_pair_of_one_echo_is_written_twice_only_where_asked(tmp_path):
    for duplicates in (False, True):
        returns = {"mode": "last_strongest", "duplicates": duplicates}
        points = points_at(tmp_path, [(plate(30.0), 50)], n=4, returns=returns)
        assert len(points) == 4 * (1 + duplicates)
        assert (points["n_echoes"] == 1 + duplicates).all()


def test_the_strongest_may_be_that_of_the_highest_reflectivity(tmp_path):
    surfaces = [(plate(20.0, right_m=0.0), 30), (plate(40.0), 60)]
    for strongest_by, range_m in (("signal", 20.0), ("reflectivity", 40.0)):
        returns = {"mode": "strongest", "strongest_by": strongest_by}
        points = points_at(tmp_path, surfaces, n=4, returns=returns)
        np.testing.assert_allclose(points["range"], range_m, atol=1e-3)


def test_an_echo_too_near_to_a_stronger_one_is_dropped(tmp_path):
    for separation_m, n_echoes in ((1.0, 2), (2.5, 1)):
        returns = {"mode": "all", "min_separation_m": separation_m}
        points = points_at(tmp_path, halves(2.0), n=4, returns=returns)
        assert (points["n_echoes"] == n_echoes).all()


@pytest.mark.parametrize("apart_m", [0.98, 2.0, 6.0])
def test_the_receiver_recovers_from_an_echo(tmp_path, apart_m):
    """The far half of each beam has the share 1 - exp(-(x - 1 m) / 5 m), nothing within 1 m."""
    plates = [(plate(20.0, right_m=0.0), 20), (plate(20.0 + apart_m), 60)]
    receiver = {"recovery_m": 5.0, "near_range_m": 30.0}  # no noise, and a signal without range
    returns = {"mode": "all", "max": 2, "min_separation_m": 1.0}
    points = points_at(tmp_path, plates, receiver={**SEES, **receiver}, returns=returns)
    far = points[points["range"] > 20.0 + 0.5 * apart_m]
    share = max(1.0 - np.exp(-(apart_m - 1.0) / 5.0), 0.0)
    near = points[points["range"] < 20.0 + 0.5 * apart_m]["intensity"]
    assert near.mean() == pytest.approx(10.0, rel=0.01)
    assert (far["intensity"].sum() / len(near)) == pytest.approx(30.0 * share, rel=0.01)


@pytest.mark.parametrize("min_range_m", [1.0, 22.0])
def test_the_receiver_recovers_from_an_echo_that_is_too_near_to_be_reported(tmp_path, min_range_m):
    plates = [(plate(20.0, right_m=0.0), 20), (plate(26.0), 60)]
    receiver = {**SEES, "recovery_m": 5.0, "near_range_m": 30.0}
    sensor = {"min_range_m": min_range_m, "returns": {"mode": "last", "min_separation_m": 1.0}}
    points = points_at(tmp_path, plates, receiver=receiver, **sensor)
    assert points["range"].min() > 25.0
    assert points["intensity"].mean() == pytest.approx(30.0 * (1.0 - np.exp(-1.0)), rel=0.01)


def test_echoes_before_the_minimum_range_and_beyond_the_maximum_are_not_reported(tmp_path):
    sensor = {"min_range_m": 25.0, "max_range_m": 35.0}
    points = points_at(tmp_path, steps_of_three(), n=20, beam=FLAT, **sensor)
    assert set(np.rint(points["range"]).tolist()) == {30}


@pytest.mark.parametrize("receiver", [SEES, {"near_range_m": 0.0, "false_alarm_probability": 1e-9}])
def test_noise_takes_no_echo_beyond_the_maximum_range(tmp_path, receiver):
    sensor = {"max_range_m": 30.05, "receiver": receiver, "range_limit": LIMIT}
    wall = [(plate(30.0), 50)]
    noisy = points_at(tmp_path, wall, noise={"range_sigma_m": 0.1}, **sensor)
    assert 29.5 < noisy["range"].min() < 29.9
    assert 30.0 < noisy["range"].max() <= 30.05
    assert 0.6 < len(noisy) / 400 < 0.78  # P(z < 0.5) = 0.69


@pytest.mark.parametrize("method", ["peak", "centroid", "leading_edge", "fraction"])
def test_every_method_gives_the_range_of_a_wall(tmp_path, method):
    returns = {"mode": "strongest", "method": method}
    points = points_at(tmp_path, [(plate(30.0), 50)], n=10, returns=returns, range_limit=LIMIT)
    np.testing.assert_allclose(points["range"], 30.0, atol=1e-3)


def test_edges_of_a_wider_echo_come_earlier_by_its_width(tmp_path):
    wall = [(tilted(30.0, 85.0), 50)]
    found = {}
    for method in ("peak", "leading_edge", "fraction"):
        returns = {"mode": "strongest", "method": method}
        found[method] = points_at(tmp_path, wall, n=50, returns=returns, range_limit=LIMIT)
    peak = found["peak"]
    rise = np.sqrt(2.0 * np.log(peak["snr"] / 5.257))
    sigma_m = peak["width_m"] / (2.0 * rise)
    for method, times in (("leading_edge", rise), ("fraction", math.sqrt(2.0 * math.log(2.0)))):
        expected = peak["range"] + times * (SIGMA_R_M - sigma_m)
        np.testing.assert_allclose(found[method]["range"], expected, atol=1e-3)


@pytest.mark.parametrize(("times", "walk_m"), [(1.5, 0.40), (2, 0.31), (100, -0.28), (1000, -0.50)])
def test_what_remains_of_the_range_walk_is_0_at_ten_times_the_threshold(tmp_path, times, walk_m):
    range_m = 60.0 * math.sqrt(5.0 / times)
    receiver = {**SEES, "walk_residual": 1.0}
    points = points_at(tmp_path, [(plate(range_m), 50)], n=4, receiver=receiver, range_limit=LIMIT)
    np.testing.assert_allclose(points["range"] - range_m, walk_m, atol=6e-3)


def test_a_saturated_echo_keeps_its_width_and_loses_its_reflectivity(tmp_path):
    wall, receiver = [(plate(10.0), 90)], {**SEES, "saturation": 30.0}
    free = points_at(tmp_path, wall, n=4, range_limit=LIMIT)
    held = points_at(tmp_path, wall, n=4, range_limit=LIMIT, receiver=receiver)
    times = free["snr"] / 5.257
    assert (times > 300).all()
    np.testing.assert_allclose(held["snr"], 30.0 * 5.257, rtol=1e-3)
    np.testing.assert_allclose(held["reflectivity"], 0.9 * 30.0 / times, rtol=1e-3)
    np.testing.assert_array_equal(held["width_m"], free["width_m"])
    np.testing.assert_array_equal(held["range"], free["range"])
