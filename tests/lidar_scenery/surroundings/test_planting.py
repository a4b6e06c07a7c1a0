# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Places along an edge of a road, before any is left out: posts, plots and wild growth."""

import numpy as np
import pytest

from lidar_scenery.surroundings.kinds import BUSH, DELINEATOR, FENCE, HEDGE, HOUSE, LAMP, TREE
from lidar_scenery.surroundings.planting import spots


def places(length_m, *, seed=0, motorway=False):
    return list(spots(length_m, np.random.default_rng(seed), motorway=motorway))


def of(found, *kinds):
    return [spot for spot in found if spot.kind in kinds]


def plots():
    """Return the places along 100 edges of 28 m, on each of which there is exactly one plot."""
    return [places(28.0, seed=seed) for seed in range(100)]


@pytest.mark.parametrize(
    ("length_m", "stations_m"), [(100.0, [8, 36, 64, 92]), (28.0, [0, 28]), (5.0, [2.5])]
)
def test_lamps_stand_every_28_m_centred_on_the_edge(length_m, stations_m):
    lamps = of(places(length_m), LAMP)
    assert [lamp.station_m for lamp in lamps] == pytest.approx(stations_m)
    assert {(lamp.setback_m, lamp.turn_rad) for lamp in lamps} == {(0.9, 0.0)}


def test_beside_a_motorway_stand_delineators_and_something_wild_in_each_8_m():
    found = places(120.0, motorway=True)
    assert [spot.station_m for spot in of(found, DELINEATOR)] == pytest.approx([10, 60, 110])
    wild = of(found, TREE, BUSH)
    assert [int(spot.station_m // 8.0) for spot in wild] == list(range(15))
    assert all(9.0 <= spot.setback_m <= 34.0 for spot in wild)
    assert len(found) == 3 + 15


def test_shrubs_stand_in_the_garden_between_the_hedge_and_the_house():
    """A plot of at most 24 m has a tenth of its width free of shrubs at either side."""
    n_shrub = 0
    for found in plots():
        houses, shrubs = of(found, HOUSE), of(found, BUSH)
        n_shrub += len(shrubs)
        assert len(houses) <= 1
        assert len(shrubs) <= 2
        for shrub in shrubs:
            assert 1.7 <= shrub.station_m <= 28.0 - 1.7
            assert 7.6 <= shrub.setback_m <= 13.0 - 0.8
            for house in houses:
                length_m, depth_m, _ = HOUSE.sizes_m[house.size]
                front_m = house.setback_m - 0.5 * (length_m if house.turn_rad else depth_m)
                assert abs(shrub.station_m - house.station_m) <= 0.4 * 24.0
                assert shrub.setback_m <= front_m - 0.8
    assert n_shrub > 50


def test_houses_of_neighbours_are_at_least_3_m_apart():
    for seed in range(20):
        ends_m = [0.0]
        for house in of(places(300.0, seed=seed), HOUSE):
            length_m, depth_m, _ = HOUSE.sizes_m[house.size]
            half_m = 0.5 * (depth_m if house.turn_rad else length_m)
            ends_m += [house.station_m - half_m, house.station_m + half_m]
        assert len(ends_m) > 2 * 7
        assert np.diff(ends_m)[2::2].min() >= 3.0 - 1e-9
        assert np.diff(ends_m)[0] >= 1.5 - 1e-9
        assert ends_m[-1] <= 300.0 - 1.5 + 1e-9


def test_a_hedge_or_a_fence_has_one_entrance_and_ends_within_its_plot():
    kinds = set()
    for found in plots():
        pieces = of(found, HEDGE, FENCE)
        kinds |= {piece.kind for piece in pieces}
        assert len({(piece.kind, piece.size, piece.setback_m) for piece in pieces}) <= 1
        assert len(pieces) in {0, 2, 3, 4}  # of 16 to 23 m, with one of the pieces left out
        stations_m = [piece.station_m for piece in pieces]
        steps = np.diff(stations_m) / 4.05
        assert steps == pytest.approx(np.rint(steps))
        n_step = np.rint(steps).tolist()
        assert n_step.count(1) + n_step.count(2) == len(n_step)
        assert n_step.count(2) <= 1
        assert not stations_m or 2.5 <= stations_m[0] <= stations_m[-1] <= 28.0 - 2.5
        assert all(piece.setback_m == 6.2 for piece in pieces)
    assert kinds == {HEDGE, FENCE}


@pytest.mark.parametrize("motorway", [False, True])
def test_sizes_are_those_of_the_kind_and_all_occur(motorway):
    sizes = {}
    for spot in places(3000.0, motorway=motorway):
        sizes.setdefault(spot.kind, set()).add(spot.size)
    assert len(sizes) >= 3
    for kind, found in sizes.items():
        assert found == set(range(len(kind.sizes_m)))
