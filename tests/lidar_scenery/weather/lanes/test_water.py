# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Films of water on lanes: which there are, and where they lie."""

from dataclasses import replace

import numpy as np
import pytest

from lidar_scenery.weather.lanes.water import MOST_FILMS, lane_water
from osi_bridge.description.lanes import BoundaryLine, Lane, LaneNetwork


def line(own_id, points_m):
    n = len(points_m)
    return BoundaryLine(
        id=own_id,
        points_m=np.array(points_m, np.float64),
        width_m=np.zeros(n),
        height_m=np.zeros(n),
        dash=np.zeros(n, np.uint8),
        type_name="NO_LINE",
    )


def curve(radius_m, z_m=0.0):
    """Return an arc of a quarter turn about the origin."""
    angle = np.linspace(0.0, 0.5 * np.pi, 40)
    return np.stack([radius_m * np.cos(angle), radius_m * np.sin(angle), 0.0 * angle + z_m], axis=1)


def ring_road(films_mm, *, first_m=40.0, width_m=4.0, z_m=0.0):
    """Return lanes on arcs about the origin, from the inner one on."""
    ids = range(len(films_mm))
    boundaries = [line(k, curve(first_m + width_m * k, z_m)) for k in range(len(films_mm) + 1)]
    lanes = [
        Lane(id=k, type_name="DRIVING", left_ids=(k,), right_ids=(k + 1,), water_film_mm=film)
        for k, film in zip(ids, films_mm, strict=True)
    ]
    return LaneNetwork(
        boundaries={each.id: each for each in boundaries}, lanes={each.id: each for each in lanes}
    )


def test_each_place_has_the_film_of_the_lane_below():
    films_mm = np.array([0.5, 0.0, 2.0])
    water = lane_water(ring_road(films_mm))
    draws = np.random.default_rng(1)
    place_m = np.column_stack([draws.uniform(-5, 60, (4000, 2)), draws.uniform(-1, 1, 4000)])
    radius_m = np.linalg.norm(place_m[:, :2], axis=1)
    lane = np.floor((radius_m - 40.0) / 4.0).astype(int)
    is_on = (lane >= 0) & (lane < 3) & (place_m[:, :2] >= 0.0).all(axis=1)
    expected = np.where(is_on, films_mm[np.clip(lane, 0, 2)], 9.0)
    nearest_m = np.abs(radius_m[:, None] - (40.0, 44.0, 48.0, 52.0)).min(axis=1)
    inside = nearest_m > 0.02  # chords of the arcs are up to 9 mm beside them
    np.testing.assert_array_equal(water.film_under(place_m, 9.0)[inside], expected[inside])
    assert np.count_nonzero(is_on & inside) > 400


@pytest.mark.parametrize("films_mm", [(), (None, None), (1.0, 1.0), (1.0, None, 1.0)], ids=str)
def test_where_all_lanes_state_the_same_the_whole_road_has_it(films_mm):
    assert lane_water(ring_road(films_mm)) is None


def test_lanes_are_counted_and_those_without_a_surface_are_not():
    network = ring_road([0.5, 2.0])
    assert lane_water(network).words == "2 lanes: 0.5 to 2 mm"
    nowhere = Lane(id=9, type_name="DRIVING", water_film_mm=1.0)
    more = replace(network, lanes={**network.lanes, 9: nowhere})
    assert lane_water(more).words == "2 lanes: 0.5 to 2 mm"
    assert lane_water(replace(network, lanes={9: nowhere, 10: replace(nowhere, id=10)})) is None


def test_where_lanes_overlap_the_wettest_counts_and_those_far_below_do_not():
    lanes = {
        k: Lane(id=k, type_name="DRIVING", left_ids=(0,), right_ids=(1,), water_film_mm=film_mm)
        for k, film_mm in enumerate((0.1, 0.4))
    }
    road = {0: line(0, [(0, 2, 0), (9, 2, 0)]), 1: line(1, [(0, -2, 0), (9, -2, 0)])}
    water = lane_water(LaneNetwork(boundaries=road, lanes=lanes))
    places_m = np.array([[5.0, 0.0, 0.0], [5.0, 0.0, 5.0], [5.0, 3.0, 0.0]])
    assert water.film_under(places_m, 9.0).tolist() == [0.4, 9.0, 9.0]


def test_many_films_are_told_apart_in_steps():
    films_mm = np.linspace(0.0, 3.0, 2 * MOST_FILMS)
    water = lane_water(ring_road(films_mm))
    assert len(water.film_mm) == MOST_FILMS
    place_m = np.zeros((len(films_mm), 3))
    place_m[:, 0], place_m[:, 1] = 42.0 + 4.0 * np.arange(len(films_mm)), 1.0
    off_mm = np.abs(water.film_under(place_m, 9.0) - films_mm)
    assert off_mm.max() <= 0.5 * 3.0 / (MOST_FILMS - 1) + 1e-9
    assert water.words == "32 lanes: 0 to 3 mm in 16 steps"
    assert lane_water(ring_road(films_mm[:MOST_FILMS])).words.endswith(" mm")


def test_polygons_of_intersections_have_films():
    corners = [(0, 0, 0), (8, 0, 0), (8, 8, 0), (4, 2, 0), (0, 8, 0)]
    free = {k: line(k, [corners[k], corners[(k + 1) % 5]]) for k in range(5)}
    lanes = {
        0: Lane(id=0, type_name="INTERSECTION", free_ids=tuple(free), water_film_mm=2.0),
        1: Lane(id=1, type_name="DRIVING", left_ids=(5,), right_ids=(6,), water_film_mm=0.0),
    }
    far = {5: line(5, [(90, 2, 0), (99, 2, 0)]), 6: line(6, [(90, -2, 0), (99, -2, 0)])}
    water = lane_water(LaneNetwork(boundaries={**free, **far}, lanes=lanes))
    places_m = np.array([[4.0, 1.0, 0.0], [4.0, 6.0, 0.0], [1.0, 4.0, 0.0], [95.0, 0.0, 0.0]])
    assert water.film_under(places_m, 9.0).tolist() == [2.0, 9.0, 2.0, 0.0]
