# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""What stands beside roads: never on a lane or an object, the same for the same seed."""

from dataclasses import replace

import numpy as np
import pytest

from lidar_scenery import roads
from lidar_scenery.surroundings import placing, swept_footprints
from osi_bridge import Lane, ObjectKind
from tests.lidar_scenery.roads.networks import network
from tests.lidar_scenery.surroundings.streets import (
    NOTHING,
    bent_street,
    beside,
    objects,
    road_triangles_m,
    samples_m,
    straight_street,
    within,
)

STREETS = {
    "straight": straight_street(lengths=(60.0, 90.0, 50.0)),
    "bent": bent_street(),
    "wide": straight_street(lengths=(300.0,), width=3.4),
}


def _bytes(placed):
    return b"".join(each.world_from_object.tobytes() for each in placed.standing)


@pytest.mark.parametrize("name", STREETS)
@pytest.mark.parametrize("seed", [0, 7])
def test_nothing_stands_on_a_lane(name, seed):
    placed = beside(STREETS[name], seed=seed)
    assert len(placed.standing) > 20
    points_m, _ = samples_m(placed)
    assert not within(points_m, road_triangles_m(STREETS[name])).any()


def test_a_street_has_lamps_at_a_regular_spacing_then_trees_then_hedges_then_houses():
    placed = beside(straight_street(lengths=(300.0,)))
    counts = dict(placed.counts)
    assert {"lamp posts", "trees", "hedge pieces", "fence pieces", "houses", "shrubs"} == set(
        counts
    )
    places = {}
    for each in placed.standing:
        places.setdefault(each.shape, []).append(each.world_from_object[:2, 3])
    from_edge_m = {shape: np.abs(np.array(p)[:, 1]) - 3.0 for shape, p in places.items()}
    assert from_edge_m["lamp"] == pytest.approx(0.9)
    one_side = np.array(places["lamp"])
    along_m = np.sort(one_side[one_side[:, 1] > 0, 0])
    assert np.diff(along_m) == pytest.approx(28.0, abs=0.1)
    assert from_edge_m["tree"].min() == pytest.approx(3.1, abs=0.1)
    assert from_edge_m["wall"] == pytest.approx(6.2)
    assert from_edge_m["building"].min() > 13.0


def test_houses_stand_along_the_road_or_across_it():
    for each in beside(straight_street(lengths=(300.0,))).standing:
        if each.shape == "building":
            turned = np.abs(each.world_from_object[:2, 0])
            assert np.isclose(turned, [1, 0]).all() or np.isclose(turned, [0, 1]).all()


def test_nothing_stands_on_or_just_before_what_is_listed():
    street = straight_street(lengths=(200.0,))
    rows = [
        (k + 1, kind, 12.0 * k + 5.0, 6.0 + 2.0 * (k % 5), 0.3 * k, 5.0, 2.0)
        for k, kind in enumerate([ObjectKind.STATIONARY, ObjectKind.TRAFFIC_SIGN] * 8)
    ]
    listed = objects(*rows)
    wider = objects(*[(*row[:5], row[5] + 1.9, row[6] + 1.9) for row in rows])  # 1 m, less 5 cm
    around_m = swept_footprints([(0, wider)])
    points_m, _ = samples_m(beside(street, listed=listed))
    assert not within(points_m, around_m).any()
    assert within(samples_m(beside(street))[0], around_m).any()


def test_nothing_stands_where_something_passes_during_the_recording():
    street = straight_street(lengths=(200.0,))
    walker = [
        (k * 10**9, objects((1, ObjectKind.MOVING, 10.0 * k, 8.0, 0, 1, 1))) for k in range(9)
    ]
    swept_m = swept_footprints(walker)
    points_m, _ = samples_m(beside(street, swept_m=swept_m))
    assert not within(points_m, swept_m).any()
    assert within(samples_m(beside(street))[0], swept_m).any()


def test_shapes_of_a_map_stay_free():
    street = straight_street(lengths=(200.0,))
    house = next(e for e in beside(street).standing if e.shape == "building")
    mapped = beside(replace(street, standing=(house,)))
    places = [each.world_from_object[:2, 3].tolist() for each in mapped.standing]
    assert house.world_from_object[:2, 3].tolist() not in places


def test_things_hardly_reach_into_each_other():
    placed = beside(bent_street(), seed=3)
    points_m, owner = samples_m(placed)
    for k, each in enumerate(placed.standing):
        local = points_m - each.world_from_object[:2, 3]
        inside = np.abs(local @ each.world_from_object[:2, :2])
        deep = (inside < np.array(each.dimension_m[:2]) / 2 - placing.OVERLAP_M - 0.01).all(axis=1)
        assert set(owner[deep].tolist()) <= {k}


def test_a_seed_gives_one_street_and_another_seed_another():
    street = straight_street(lengths=(200.0,))
    assert _bytes(beside(street, seed=5)) == _bytes(beside(street, seed=5))
    assert _bytes(beside(street, seed=5)) != _bytes(beside(street, seed=6))


def test_a_motorway_has_delineators_and_wild_growth_and_no_houses():
    lanes = {1: Lane(id=1, type_name="NORMAL", subtype_name="", road_type="MOTORWAY")}
    placed = beside(straight_street(lengths=(400.0,), width=3.75, logical_lanes=lanes))
    assert {words for words, _ in placed.counts} == {"delineators", "trees", "shrubs"}
    away_m = [abs(e.world_from_object[1, 3]) - 3.75 for e in placed.standing if e.shape == "tree"]
    assert min(away_m) > 5.0


def test_things_stand_on_the_ground_of_a_road_that_climbs():
    flat = straight_street(lengths=(200.0,))
    lifted = [
        replace(strip, **{side: _rising(getattr(strip, side)) for side in ("left_m", "right_m")})
        for strip in flat.strips
    ]
    climbing = replace(flat, strips=tuple(lifted), edges_m=())
    ground = roads.ground_below(climbing)
    placed = beside(climbing)
    assert len(placed.standing) > 50
    feet_m = np.array([e.world_from_object[2, 3] - 0.5 * e.dimension_m[2] for e in placed.standing])
    places_m = np.array([each.world_from_object[:2, 3] for each in placed.standing])
    below_m = ground.height_m(places_m) - feet_m
    assert below_m.min() > -1e-9
    assert below_m.max() < 1.5  # houses stand on their lowest corner
    assert np.ptp(feet_m) > 5.0


def _rising(line_m):
    risen = line_m.copy()
    risen[:, 2] = 0.05 * risen[:, 0]
    return risen


def test_of_very_many_edges_some_stay_bare_and_that_is_noted(monkeypatch):
    monkeypatch.setattr(placing, "MOST_SPOTS", 10)
    (note,) = beside(straight_street(lengths=(200.0,))).notes
    assert note.reason == "more than 10 places: 200 m of road edges stay bare"


def test_without_roads_nothing_stands_anywhere():
    parts = roads.road_parts(network())
    wish = placing.Surroundings(seed=0)
    assert wish.beside(parts, roads.Ground(0.0), NOTHING).standing == ()
