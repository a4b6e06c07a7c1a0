# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Lines: where dashes are, their paint, and that they lie on the road."""

import numpy as np
import pytest

from lidar_scenery.roads.from_osi import road_parts
from lidar_scenery.roads.markings import color_material, stated_dashes_m
from lidar_scenery.roads.parts import MARKING_LIFT_M
from lidar_scenery.roads.rules import MarkingRules
from tests.lidar_scenery.roads.networks import (
    lane,
    line,
    network,
    road_heights,
    straight,
    two_lanes,
)

START, CONTINUE, END, GAP = 2, 3, 4, 5


def at(*x, dash=0):
    return line(1, [(each, 0.0, 0.0) for each in x], "DASHED_LINE", dash=dash)


def dashes_of(parts, y):
    """Return first and last station of the strips whose middle lies at y."""
    return [
        s.left_m[[0, -1], 0].round(6).tolist()
        for s in parts.strips
        if s.material.startswith("marking_") and abs((s.left_m + s.right_m)[0, 1] / 2 - y) < 1e-6
    ]


def test_dashes_that_the_message_states_are_painted():
    dash = [START, CONTINUE, END, GAP, START, END]
    assert stated_dashes_m(at(0, 1, 3, 5, 8, 11, dash=dash)).tolist() == [[0, 3], [8, 11]]


@pytest.mark.parametrize(
    ("x", "expected"),
    [
        ((0, 3, 12, 15, 24, 27), [[0, 3], [12, 15], [24, 27]]),
        ((0, 3, 12, 15, 24, 25), [[0, 3], [12, 15], [24, 25]]),  # cut at the end of the road
        ((0, 3, 12, 15, 17), [[0, 3], [12, 15]]),  # which lies within a gap
        ((0, 3, 12, 15, 24, 25.5, 27, 36, 39), [[0, 3], [12, 15], [24, 27], [36, 39]]),
    ],
)
def test_points_at_the_ends_of_dashes_are_known_as_such(x, expected):
    assert stated_dashes_m(at(*x)).tolist() == expected


@pytest.mark.parametrize(
    "x",
    [
        (0, 100),
        (0, 3, 12),
        (0, 5, 10, 15, 20),  # points of a curve
        (0, 3, 12, 15, 30, 33),
        (0, 50, 60, 110),
        (0, 1, 3, 3.3, 9, 9.5, 20),
    ],
)
def test_other_points_do_not_tell_of_dashes(x):
    assert stated_dashes_m(at(*x)) is None


@pytest.mark.parametrize(
    ("country", "rules", "dash_m", "gap_m", "source"),
    [
        (276, MarkingRules(), 3.0, 6.0, "as on roads other"),
        (840, MarkingRules(), 3.05, 9.14, "as on roads other"),
        (0, MarkingRules(), 3.0, 6.0, "as on roads other"),
        (276, MarkingRules(dash_m=2.0, gap_m=5.0), 2.0, 5.0, "as configured"),
        (276, MarkingRules(gap_m=5.0), 3.0, 5.0, "one of them configured, the other as on roads"),
    ],
)
def test_dashes_that_are_not_stated_follow_the_country(country, rules, dash_m, gap_m, source):
    net = two_lanes()
    net = network(net.boundaries.values(), net.lanes.values(), country_code=country)
    parts = road_parts(net, rules)
    found = np.array(dashes_of(parts, 0.0))
    start = np.arange(len(found)) * (dash_m + gap_m)
    np.testing.assert_allclose(found[:, 0], start, atol=1e-6)
    np.testing.assert_allclose(found[:, 1], np.minimum(start + dash_m, 100.0), atol=1e-6)
    assert start[-1] + dash_m + gap_m >= 100.0
    (note,) = parts.notes
    assert note.used.startswith(f"{dash_m:g} m dashes, {gap_m:g} m gaps, {source}")


def test_wide_lanes_outside_of_towns_are_those_of_a_motorway():
    lines = [straight(1, 3.75), straight(2, 0.0, "DASHED_LINE"), straight(3, -3.75)]
    lanes = [lane(1, (1,), (2,)), lane(2, (2,), (3,))]
    assert dashes_of(road_parts(network(lines, lanes)), 0.0)[1] == [18.0, 24.0]
    walk = lane(3, (3,), (4,), kind="NONDRIVING", subtype="SIDEWALK")
    town = network([*lines, straight(4, -6.0, "NO_LINE")], [*lanes, walk])
    assert dashes_of(road_parts(town), 0.0)[1] == [9.0, 12.0]


def test_dashes_run_on_in_the_next_boundary():
    first = line(1, [(0, 0, 0), (7, 0, 0), (31, 0, 0)], "DASHED_LINE")
    second = line(2, [(31, 0, 0), (60, 0, 0)], "DASHED_LINE")
    for order in ([first, second], [second, first]):
        found = sorted(dashes_of(road_parts(network(order)), 0.0))
        assert found[3:5] == [[27.0, 30.0], [36.0, 39.0]]


def test_broken_lines_in_a_ring_end():
    corners = [(0, 0, 0), (30, 0, 0), (30, 30, 0), (0, 30, 0)]
    ring = [line(k, [corners[k], corners[(k + 1) % 4]], "DASHED_LINE") for k in range(4)]
    assert road_parts(network(ring)).area_m2("marking_") > 0.0


@pytest.mark.parametrize(
    ("name", "color", "material"),
    [
        ("WHITE", None, "marking_white"),
        ("YELLOW", None, "marking_yellow"),
        ("OTHER", None, "marking_white"),
        ("OTHER", (0.9, 0.8, 0.1), "marking_yellow"),
        ("UNKNOWN", (0.9, 0.9, 0.9), "marking_white"),
    ],
)
def test_the_color_tells_the_paint(name, color, material):
    assert color_material(straight(1, 0.0, color_name=name, color=color)) == material


def test_a_line_without_a_width_has_the_usual_one_and_is_noted():
    parts = road_parts(network([straight(1, 0.0, width=0.0)]))
    assert parts.area_m2("marking_white") == pytest.approx(12.0)
    assert [tuple(note) for note in parts.notes] == [
        ("lane boundary 1", "0.12 m", "the line has no width")
    ]


def wavy(y, level, rise, wave):
    """A line along x whose height is level + rise x + wave sin(x / 9)."""
    return [(x, y, level + rise * x + wave * np.sin(x / 9)) for x in np.linspace(0.0, 60.0, 7)]


@pytest.mark.parametrize(
    ("left", "middle", "right"),
    [
        ((0.1, 0, 0), (0, 0, 0), (-0.1, 0, 0)),  # one crossfall
        ((-0.2, 0, 0), (0, 0, 0), (-0.2, 0, 0)),  # crowned
        ((0.2, 0, 0), (0, 0, 0), (0.2, 0, 0)),  # a gutter
        ((0, 0.005, 0), (0, 0, 0), (0, -0.005, 0)),  # twisted
        ((0, 0, 1), (0, 0, 1), (0, 0.03, -1)),
    ],
)
def test_markings_lie_on_the_road_whatever_its_slope(left, middle, right):
    lines = [
        line(1, wavy(3.0, *left), "NO_LINE"),
        line(2, wavy(0.0, *middle), "DASHED_LINE", width=0.3),
        line(3, wavy(-3.0, *right), "NO_LINE"),
    ]
    assert_on_the_road(road_parts(network(lines, [lane(1, (1,), (2,)), lane(2, (2,), (3,))])))


MIDDLES = {
    "gap": [line(2, wavy(0.0, 0, 0, 0)[:3]), line(3, wavy(0.0, 0, 0, 0)[3:])],
    "gap between lines that run back": [
        line(2, wavy(0.0, 0, 0, 0)[2::-1]),
        line(3, wavy(0.0, 0, 0, 0)[:2:-1]),
    ],
    "dashes that begin later": [
        line(
            2,
            [(x, 0.0, 0.0) for x in (12, 15, 24, 27, 36, 39, 48)],
            "DASHED_LINE",
            dash=(2, 4, 2, 4, 2, 4, 5),
        )
    ],
}
"""Boundaries between two lanes, over less than the 60 m of the lanes."""


@pytest.mark.parametrize("middle", MIDDLES)
def test_markings_lie_on_a_twisted_road_where_boundaries_are_interrupted(middle):
    lines = MIDDLES[middle]
    outer = [line(8, wavy(3.0, 0, 0.02, 0), "NO_LINE"), line(9, wavy(-3.0, 0, -0.02, 0), "NO_LINE")]
    ids = tuple(each.id for each in lines)
    lanes = [lane(1, (8,), ids), lane(2, ids, (9,))]
    assert_on_the_road(road_parts(network([*lines, *outer], lanes)))


def assert_on_the_road(parts):
    """Assert that white lines are just above the road, wherever that is below them."""
    for strip in (s for s in parts.strips if s.material == "marking_white"):
        corners = np.concatenate([strip.left_m, strip.right_m])
        shares = np.array([[0.5, 0.5, 0], [0.2, 0.2, 0.6], [0.1, 0.45, 0.45]])
        quad = np.stack([strip.left_m[:-1], strip.right_m[:-1], strip.left_m[1:]], axis=1)
        points = np.concatenate([corners, (shares @ quad).reshape(-1, 3)])
        above = points[:, 2] - road_heights(parts, points)
        assert np.nanmin(above) > 0.3 * MARKING_LIFT_M
        assert np.nanmax(above) < 2.0 * MARKING_LIFT_M
        assert np.isfinite(above).sum() > 0.9 * len(above)
