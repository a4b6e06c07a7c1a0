# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Roads from lanes: surfaces by hand, guesses that are noted, parts that are left out."""

import math

import numpy as np
import pytest

from lidar_scenery.roads.from_osi import road_parts
from lidar_scenery.roads.parts import Note
from osi_bridge import LaneFault
from tests.lidar_scenery.roads.networks import lane, line, mark, network, straight, two_lanes

NOT_FILLED = "no area, crosses itself, or has over 1000 corners"
NOT_SIMPLE = f"its outline has {NOT_FILLED}; expected a simple outline"


def reasons(parts):
    return [(note.name, note.reason) for note in parts.notes]


def test_a_lane_lies_between_its_boundaries():
    parts = road_parts(two_lanes("NO_LINE"))
    assert parts.area_m2("road_asphalt") == pytest.approx(600.0, abs=1e-9)
    assert parts.area_m2("marking_white") == pytest.approx(2 * 100 * 0.15, abs=1e-9)
    assert sorted(edge[0, 1] for edge in parts.edges_m) == [-3.0, 3.0]
    assert dict(parts.counts) == {
        "lanes": 2,
        "lane boundaries": 3,
        "painted lines and dashes": 2,
    }
    assert parts.notes == ()
    assert parts.ground == "ground_grass"


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("order", [(1, 2, 3), (3, 1, 2), (2, 3, 1)])
def test_boundaries_of_a_side_are_joined_in_whatever_order_they_come(turned, order):
    parts = [[(0, 2, 0), (30, 2, 0)], [(30, 2, 0), (70, 2, 0)], [(70, 2, 0), (100, 2, 0)]]
    lines = [line(k + 1, part[::-1] if turned else part) for k, part in enumerate(parts)]
    roads = road_parts(network([*lines, straight(9, -2.0)], [lane(1, order, (9,))]))
    assert roads.area_m2("road_") == pytest.approx(400.0, abs=1e-9)
    assert roads.notes == ()


def test_surfaces_face_up_even_if_left_and_right_are_exchanged():
    for left, right in (((1,), (2,)), ((2,), (1,))):
        parts = road_parts(network([straight(1, 2.0), straight(2, -2.0)], [lane(1, left, right)]))
        for strip in (s for s in parts.strips if s.material == "road_asphalt"):
            ahead, across = strip.left_m[1] - strip.left_m[0], strip.right_m[0] - strip.left_m[0]
            assert np.cross(across, ahead)[2] > 0.0


@pytest.mark.parametrize(
    ("kind", "subtype", "material"),
    [
        ("DRIVING", "NORMAL", "road_asphalt"),
        ("NONDRIVING", "SIDEWALK", "road_sidewalk"),
        ("NONDRIVING", "PARKING", "road_paving"),
        ("NONDRIVING", "BORDER", "road_asphalt"),
    ],
)
def test_the_type_of_a_lane_tells_its_material(kind, subtype, material):
    net = network(
        [straight(1, 2.0, "NO_LINE"), straight(2, -2.0, "NO_LINE")],
        [lane(1, (1,), (2,), kind=kind, subtype=subtype)],
    )
    assert {strip.material for strip in road_parts(net).strips} == {material}


def test_lanes_without_a_boundary_are_as_wide_as_usual_and_noted():
    center = np.array([[0.0, 9.0, 0.0], [100.0, 9.0, 0.0]])
    lanes = [lane(1, (1,), ()), lane(2, (), (1,))]
    lanes += [lane(k, (), (), centerline_m=center) for k in range(10, 20)]
    parts = road_parts(network([straight(1, 0.0)], lanes))
    assert parts.area_m2("road_") == pytest.approx(12 * 350.0)
    assert parts.notes == (
        Note("lane 1", "3.5 m", "no right boundary, so its width is unknown"),
        Note("lane 2", "3.5 m", "no left boundary, so its width is unknown"),
        Note(
            "lane 10, 11, 12, 13, 14 and 5 more",
            "3.5 m",
            "a centreline only, so its width is unknown",
        ),
    )


def covered(parts, x_m, y_m):
    """Return whether a road covers places, by the triangles of its strips."""
    inside = np.zeros(len(y_m), bool)
    for strip in parts.strips:
        if not strip.material.startswith("road_"):
            continue
        quads = zip(strip.left_m, strip.left_m[1:], strip.right_m[1:], strip.right_m, strict=False)
        for quad in quads:
            corners = np.array(quad)[:, :2]
            edges = np.roll(corners, -1, axis=0) - corners
            apart = np.stack([x_m, y_m], axis=1)[:, None] - corners
            inside |= (edges[:, 0] * apart[..., 1] <= edges[:, 1] * apart[..., 0] + 1e-9).all(
                axis=1
            )
    return inside


@pytest.mark.parametrize("way", [1, -1])
@pytest.mark.parametrize("radius_m", [np.inf, 60.0])
def test_lanes_of_centrelines_side_by_side_leave_no_gap(way, radius_m):
    """3.65 m apart: lanes of 3.5 m left a strip of grass that looked like a marking."""
    s = np.linspace(0.0, 60.0, 31)

    def center(aside_m):
        if np.isinf(radius_m):
            return np.stack([s, np.full_like(s, aside_m), 0.0 * s], axis=1)
        turn, own_m = s / radius_m, radius_m - aside_m
        return np.stack([own_m * np.sin(turn), radius_m - own_m * np.cos(turn), 0.0 * s], axis=1)

    lanes = [
        lane(1, (), (), centerline_m=center(0.0)),
        lane(2, (), (), centerline_m=center(3.65)[::way]),
        lane(3, (), (), centerline_m=center(12.0)),
    ]
    parts = road_parts(network([], lanes))
    at = center(0.0)[8:22:3]
    for x_m, y_m in at[:, :2]:
        turn = 0.0 if np.isinf(radius_m) else np.arctan2(x_m, radius_m - y_m)
        aside_m = np.arange(-2.0, 15.0, 0.01)
        inside = covered(parts, x_m - aside_m * np.sin(turn), y_m + aside_m * np.cos(turn))
        between = (aside_m > -1.7) & (aside_m < 5.3)
        assert inside[between].all()
        assert not inside[(aside_m > 5.6) & (aside_m < 10.1)].any()
        assert inside[(aside_m > 10.3) & (aside_m < 13.7)].all()
    assert {note.used for note in parts.notes} == {"3.5 m", "3.5 m, halfway to neighbours"}


def test_a_bridge_beside_and_above_a_lane_leaves_its_width_as_usual():
    lines_m = [[(0, y, z), (60, y, z)] for y, z in ((0.0, 0.0), (3.0, 6.0))]
    lanes = [lane(k, (), (), centerline_m=np.array(m, float)) for k, m in enumerate(lines_m, 1)]
    parts = road_parts(network([], lanes))
    assert [strip.area_m2 for strip in parts.strips] == pytest.approx([60.0 * 3.5] * 2)


def test_an_intersection_is_the_polygon_within_its_free_boundaries():
    corners = [(0, 0, 0), (10, 0, 0), (10, 10, 0), (4, 10, 0), (4, 4, 0), (0, 4, 0)]
    lines = [
        line(k, [corners[k], corners[(k + 1) % 6]], "NO_LINE") for k in (0, 2, 4)
    ]  # three open mouths between them
    parts = road_parts(network(lines, [lane(1, (), (), kind="INTERSECTION", free_ids=(4, 0, 2))]))
    assert parts.area_m2("road_asphalt") == pytest.approx(100 - 24)
    assert parts.notes == ()


def test_logical_lanes_replace_physical_ones():
    lines = {k: straight(k, y, "") for k, y in ((1, 2.0), (2, -2.0))}
    net = network(
        [straight(1, 0.0)],  # a physical boundary with the id of a logical one
        logical_lanes={7: lane(7, (1,), (2,))},
        logical_boundaries=lines,
    )
    parts = road_parts(net)
    assert parts.area_m2("road_") == pytest.approx(400.0)
    assert parts.area_m2("marking_") == pytest.approx(15.0)
    assert reasons(parts) == [("logical lanes 1", "no physical lanes")]


def test_edges_of_grass_or_gravel_tell_the_ground():
    lines = [
        straight(1, 2.0, "GRAVEL_EDGE"),
        straight(2, -2.0, "GRASS_EDGE", length=50.0),
    ]
    assert road_parts(network(lines, [lane(1, (1,), (2,))])).ground == "ground_gravel"


def hostile(lines, left=(1,), right=(2,), **more):
    """A lane of some lines beside a sound one."""
    sound = [straight(90, 20.0, "NO_LINE"), straight(91, 16.0, "NO_LINE")]
    lanes = [lane(1, left, right, **more), lane(9, (90,), (91,))]
    return road_parts(network([*lines, *sound], lanes))


CIRCLE = [(20 * math.cos(t), 20 * math.sin(t), 0) for t in np.linspace(0, 2 * math.pi, 30)]


@pytest.mark.parametrize(
    ("lines", "left", "right", "note"),
    [
        (
            [straight(1, 2.0), line(2, [(0, -2, 0), (100, 8, 0)])],
            (1,),
            (2,),
            ("lane 1", "its boundaries cross, so that its surface is folded"),
        ),
        (
            [straight(1, 2.0), straight(2, 2.0)],
            (1,),
            (2,),
            ("lane 1", "its boundaries cross or coincide: no area"),
        ),
        ([], (), (), ("lane 1", "neither boundaries nor a centreline")),
        (
            [straight(1, 2.0), line(2, [(0, 0, 0), (300e3, 0, 0)])],
            (1,),
            (2,),
            ("lane boundary 2", "300 km long, expected at most 200 km"),
        ),
        (
            [straight(1, 2.0), straight(2, -2.0)],
            (1, 55),
            (2,),
            ("lane boundary 55", "lane 1 names it, but it is not in the message"),
        ),
    ],
)
def test_a_hostile_lane_is_noted_and_the_rest_is_drawn(lines, left, right, note):
    parts = hostile(lines, left, right)
    assert note in reasons(parts)
    assert parts.area_m2("road_") >= 400.0
    assert all(np.isfinite(strip.left_m).all() for strip in parts.strips)


def test_folds_are_left_out_and_the_sound_part_stays():
    # the right boundary crosses the left one at x = 40; half of the lane is one segment
    parts = hostile([straight(1, 2.0, "NO_LINE"), line(2, [(0, -2, 0), (100, 8, 0)], "NO_LINE")])
    own = [s for s in parts.strips if s.left_m[0, 1] < 10.0]
    assert sum(strip.area_m2 for strip in own) == pytest.approx(50 * (1 + 6) / 2)


def test_loops_and_a_line_that_crosses_itself_raise_nothing():
    inner = [(0.9 * x, 0.9 * y, 0) for x, y, _ in CIRCLE]
    assert hostile([line(1, inner), line(2, CIRCLE)]).area_m2("road_") == pytest.approx(
        400.0 + math.pi * (400 - 324), rel=0.02
    )
    eight = [(x, 10 * math.sin(x / 5), 0) for x in range(30)] + [(5, -9, 0), (1, 9, 0)]
    assert hostile([line(1, eight), straight(2, -30.0)]).area_m2("road_") > 400.0


def test_an_intersection_that_crosses_itself_is_left_out():
    bow = line(1, [(0, 0, 0), (10, 10, 0), (10, 0, 0), (0, 10, 0)], "NO_LINE")
    parts = hostile([bow], (), (), free_ids=(1,))
    assert reasons(parts) == [("lane 1", f"the polygon of its free boundaries has {NOT_FILLED}")]
    assert parts.area_m2("road_") == pytest.approx(400.0)


def test_faults_of_the_message_are_noted_once_each():
    faults = tuple(LaneFault("lane boundary", k, "fewer than two points") for k in (3, 4))
    parts = road_parts(network([straight(1, 0.0)], faults=faults))
    assert reasons(parts) == [("lane boundary 3, 4", "fewer than two points")]


@pytest.mark.parametrize("z", [0.0, 2.0])
def test_a_stop_line_is_painted_on_the_road(z):
    # OSI sets its box upright: the thickness upwards, the height along the road
    stop = mark(
        position=(50, 1.5, z),
        orientation=(0, -math.pi / 2, math.pi),
        dimension=(0.004, 3.0, 0.3),
    )
    net = two_lanes("NO_LINE")
    parts = road_parts(network(net.boundaries.values(), net.lanes.values(), [stop]))
    (patch,) = parts.patches
    assert patch.area_m2 == pytest.approx(0.9)
    low, high = patch.points_m.min(axis=0), patch.points_m.max(axis=0)
    np.testing.assert_allclose(low[:2], [49.85, 0.0], atol=1e-9)
    np.testing.assert_allclose(high[:2], [50.15, 3.0], atol=1e-9)
    # on the road where it is within a metre, else flat in its own height
    np.testing.assert_allclose([low[2], high[2]], (0.0 if z < 1 else z) + 0.002, atol=1e-9)


@pytest.mark.parametrize(
    ("y", "drawn_m", "is_noted"),
    [(1.5, 3.0, False), (1.6, 2.9, False), (2.5, 2.0, True), (20.0, 3.0, False)],
)
def test_a_marking_that_loses_a_part_beside_the_road_is_noted(y, drawn_m, is_noted):
    net = two_lanes("NO_LINE")  # up to y = 3
    stop = mark(position=(50, y, 0), dimension=(0.3, 3.0, 0.004))
    parts = road_parts(network(net.boundaries.values(), net.lanes.values(), [stop]))
    noted = [Note("road marking 1", "the part on the road", "the rest lies beside the road")]
    assert list(parts.notes) == noted * is_noted
    assert parts.patches[0].area_m2 == pytest.approx(0.3 * drawn_m)


def test_an_arrow_is_its_base_polygon():
    arrow = [(-2, -0.1), (0, -0.1), (0, -0.4), (1, 0), (0, 0.4), (0, 0.1), (-2, 0.1)]
    net = two_lanes("NO_LINE")
    marks = [mark(position=(50, 0, 0), orientation=(0, 0, 0.3), outline=arrow)]
    parts = road_parts(network(net.boundaries.values(), net.lanes.values(), marks))
    assert parts.patches[0].area_m2 == pytest.approx(0.8)
    assert dict(parts.counts)["road markings"] == 1


@pytest.mark.parametrize(
    ("outline", "reason"),
    [
        ([(0, 0), (1, 1), (1, 0), (0, 1)], NOT_SIMPLE),
        ([(0, 0), (1, 0), (2, 0)], NOT_SIMPLE),
        ([(math.cos(0.006 * k), math.sin(0.006 * k)) for k in range(1001)], NOT_SIMPLE),
        ([(0, 0), (1e6, 0), (0, 1e6)], "larger than 100 m"),
    ],
)
def test_impossible_markings_are_noted(outline, reason):
    parts = road_parts(network([straight(1, 0.0)], marks=[mark(outline=outline)]))
    assert reasons(parts) == [("road marking 1", reason)]
