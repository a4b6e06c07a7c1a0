# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Outlines, round objects, objects perpendicular to the road, and objects beyond its end."""

import numpy as np
import pytest

from tests.lidar_scenery.roads.opendrive.small_maps import SQUARE, made, of, outline

MATERIAL = "Object_Unknown"


def volume_m3(strips):
    """Return the volume inside of closed strips, by the divergence theorem."""
    total = 0.0
    for strip in strips:
        a, b, c, d = strip.left_m[:-1], strip.left_m[1:], strip.right_m[:-1], strip.right_m[1:]
        for first, second, third in ((a, c, b), (b, c, d)):
            total += np.einsum("ij,ij->", first, np.cross(second, third)) / 6.0
    return total


def test_each_corner_has_its_own_height(tmp_path):
    # a ramp of 2 by 1 m, from 0 to 1 m: half of a box of 2 m3
    corners = [(u, v, 0, 1 if u else 0) for u, v in SQUARE]
    parts = made(tmp_path, "obstacle", outline(*corners), height=3)
    strips = of(parts, MATERIAL)
    assert not parts.standing
    assert volume_m3(strips) == pytest.approx(1.0)
    points = np.concatenate([strip.left_m for strip in strips])
    assert points[:, 2].max() == pytest.approx(1.0)
    # bottom 2 m2, slope sqrt(5), end 1 m2, two triangles of 1 m2
    assert sum(strip.area_m2 for strip in strips) == pytest.approx(2.0 + np.sqrt(5.0) + 1.0 + 2.0)


def test_each_corner_has_its_own_lower_edge(tmp_path):
    # the bottom rises by 1 m over the length, the height is 1 m everywhere
    corners = [(u, v, 0.5 * u, 1) for u, v in SQUARE]
    strips = of(made(tmp_path, "obstacle", outline(*corners)), MATERIAL)
    assert volume_m3(strips) == pytest.approx(2.0)
    points = np.concatenate([strip.left_m for strip in strips])
    assert (points[:, 2].min(), points[:, 2].max()) == pytest.approx((0.0, 2.0))


@pytest.mark.parametrize("reverse", [1, -1])
def test_a_body_on_a_slope_is_seen_from_outside(tmp_path, reverse):
    slope = '<elevationProfile><elevation s="0" a="2" b="0.1" c="0" d="0"/></elevationProfile>'
    corners = [(50, 5, 0, 1), (70, 5, 0, 1), (70, 7, 0, 1), (50, 7, 0, 1)][::reverse]
    inside = outline(*corners, tag="cornerRoad")
    strips = of(made(tmp_path, "trafficIsland", inside, profile=slope), MATERIAL)
    assert volume_m3(strips) == pytest.approx(20.0 * 2.0 * 1.0)
    points = np.concatenate([strip.left_m for strip in strips])
    assert np.abs(points[:, 2] - 2.0 - 0.1 * points[:, 0] - 0.5).max() == pytest.approx(0.5)


@pytest.mark.parametrize("height", ["0", None])
def test_corners_of_no_height_have_that_of_the_object(tmp_path, height):
    corners = [(u, v, 0, height) for u, v in SQUARE]
    (shape,) = made(tmp_path, "obstacle", outline(*corners), height=3).standing
    assert shape.dimension_m == pytest.approx((2.0, 1.0, 3.0))


def test_a_flat_outline_on_a_slope_is_no_body(tmp_path):
    slope = '<elevationProfile><elevation s="0" a="2" b="0.1" c="0" d="0"/></elevationProfile>'
    inside = outline((50, 5, 0, 0), (70, 5, 0, 0), (70, 7, 0, 0), tag="cornerRoad")
    parts = made(tmp_path, "none", inside, profile=slope)
    assert not parts.standing
    assert not of(parts, MATERIAL)
    assert "its outline is 0 m thin" in parts.notes[0].reason


def test_an_object_of_a_radius_is_round(tmp_path):
    (shape,) = made(tmp_path, "obstacle", radius=0.5, height=2).standing
    corners = np.array(shape.details.outline_m)
    assert shape.dimension_m == (1.0, 1.0, 2.0)
    assert np.hypot(*corners.T) == pytest.approx(0.5)
    assert len(corners) == 32


def test_an_object_perpendicular_to_the_road_leans_with_it(tmp_path):
    profile = (
        '<elevationProfile><elevation s="0" a="0" b="0.1" c="0" d="0"/></elevationProfile>'
        '<lateralProfile><superelevation s="0" a="0.05" b="0" c="0" d="0"/></lateralProfile>'
    )
    values = {"length": 2, "width": 1, "height": 4, "hdg": 0.3, "pitch": 0.5, "roll": 0.5}
    parts = made(tmp_path, "obstacle", profile=profile, perpToRoad="true", **values)
    turn = parts.standing[0].world_from_object[:3, :3]
    # the road's plane: up the slope, and to the left with the roll (ASAM OpenDRIVE 1.8)
    slope = np.arctan(0.1)
    along = np.array([np.cos(slope), 0.0, np.sin(slope)])
    above = np.array([-np.sin(slope), 0.0, np.cos(slope)])
    left = np.cos(0.05) * np.array([0.0, 1.0, 0.0]) + np.sin(0.05) * above
    assert turn[:, 2] == pytest.approx(np.cross(along, left))
    assert turn[:, 0] == pytest.approx(np.cos(0.3) * along + np.sin(0.3) * left)


def test_an_object_a_little_beyond_the_road_stands_straight_on(tmp_path):
    parts = made(tmp_path, "tree", s=103, length=1, width=1, height=4)
    assert parts.standing[0].world_from_object[:2, 3].tolist() == [103.0, 5.0]
    assert parts.notes[0].name == "road 1, object 7 (3 m)"
    assert parts.notes[0].used == "straight on from there"


def test_an_object_far_beyond_the_road_is_left_out(tmp_path):
    parts = made(tmp_path, "tree", s=150, length=1, width=1, height=4)
    assert not parts.standing
    notes = [note for note in parts.notes if note.used == "nothing"]
    assert (
        "its position s = 150 m is more than 10 m beyond the end of the reference line"
        in notes[0].reason
    )


def test_corners_beyond_the_road_go_straight_on(tmp_path):
    inside = outline(*((98 + 2 * u, 5 + v, 0, 1) for u, v in SQUARE), tag="cornerRoad")
    parts = made(tmp_path, "obstacle", inside, s=98)
    assert parts.standing[0].dimension_m == pytest.approx((4.0, 1.0, 1.0))
    assert parts.notes[0].name == "road 1, object 7 (2 m)"


@pytest.mark.parametrize(
    ("inside", "reason"),
    [
        ("<skeleton><polyline/></skeleton>", "<skeleton> of objects is not read"),
        ('<borders><border width="0.1"/></borders>', "<borders> of objects is not read"),
        ('<material surface="grass"/>', "surfaces of objects are not read"),
        (outline(*((*c, 0, 1) for c in SQUARE), fillType="grass"), "is filled with 'grass'"),
        (outline(*((*c, 0, 1) for c in SQUARE), outer="false"), "an outline of it is an inner one"),
    ],
)
def test_what_something_else_is_drawn_for_is_named(tmp_path, inside, reason):
    parts = made(tmp_path, "obstacle", inside, length=2, width=1, height=1)
    assert len(parts.standing) == 1
    (note,) = parts.notes
    assert note.name == "road 1, object 7"
    assert reason in note.reason


def test_what_says_nothing_of_shapes_is_not_named(tmp_path):
    inside = '<validity fromLane="1" toLane="1"/><userData/><material friction="0.5"/>'
    parts = made(tmp_path, "obstacle", inside, length=2, width=1, height=1)
    assert not parts.notes
    assert not parts.not_followed


def test_what_nothing_takes_the_place_of_is_listed(tmp_path):
    curved = outline(*((*c, 0, 1) for c in SQUARE)).replace("</outline>", "<curveLocal/></outline>")
    inside = f'<surface><CRG file="a"/></surface><newer/>{curved}'
    parts = made(tmp_path, "obstacle", inside, length=2, width=1, height=1)
    assert [each.what for each in parts.not_followed] == [
        "<surface> of <object>",
        "<newer> of <object>",
        "<curveLocal> of <outline>",
    ]
