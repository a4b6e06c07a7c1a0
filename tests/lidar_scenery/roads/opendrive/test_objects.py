# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Objects and signals of small maps: where they stand, how large they are, where they face."""

import numpy as np
import pytest

from lidar_scenery.roads.painted import LIFT_M
from tests.lidar_scenery.roads.opendrive.small_maps import (
    lane,
    of,
    outline,
    read,
    road,
    section,
    signal,
    thing,
)

TWO = section(lane(1), lane(0, ""), lane(-1))
SLOPE = (
    '<elevationProfile><elevation s="0" a="2" b="0.1" c="0" d="0"/></elevationProfile>'
    '<lateralProfile><superelevation s="0" a="0.05" b="0" c="0" d="0"/></lateralProfile>'
)


def with_thing(folder, *parts, profile=""):
    return read(folder, road(TWO, more=profile + "".join(parts)))


def test_a_box_stands_on_the_road_by_its_middle(tmp_path):
    box = thing("building", length=20, width=10, height=6, hdg=0.3, zOffset=-1)
    (house,) = with_thing(tmp_path, box).standing
    assert (house.shape, house.dimension_m) == ("building", (20.0, 10.0, 6.0))
    assert house.world_from_object[:3, 3] == pytest.approx([50.0, 5.0, -1.0 + 3.0])
    assert house.world_from_object[:2, 0] == pytest.approx([np.cos(0.3), np.sin(0.3)])


def test_objects_stand_upright_on_the_height_of_the_road(tmp_path):
    (pole,) = with_thing(tmp_path, thing("pole", radius=0.05, height=4), profile=SLOPE).standing
    assert pole.dimension_m == (0.1, 0.1, 4.0)
    assert pole.world_from_object[:3, 2].tolist() == [0.0, 0.0, 1.0]
    lateral = 5.0 * np.sin(0.05) * np.cos(np.arctan(0.1))
    assert pole.world_from_object[2, 3] == pytest.approx(2.0 + 5.0 + lateral + 2.0)


@pytest.mark.parametrize(
    ("kind", "name", "shape"),
    [
        ("obstacle", "cone-100", "traffic_cone"),
        ("guide-post", "../models/guide-post.osgb", "delineator"),
        ("rail-pole", "", "pole"),
        ("tree", "fence street", "tree"),
        ("barrier", "guardRail_left", "guard_rail"),
        ("barrier", "", "barrier"),
        ("streetLamp", "", "lamp"),
        ("gantry", "", "gantry"),
        ("vegetation", "hedge", "bush"),
        ("soundBarrier", "", "wall"),
        ("none", "something in the street", "object"),
    ],
)
def test_types_and_names_choose_shapes(tmp_path, kind, name, shape):
    parts = with_thing(tmp_path, thing(kind, name=name, length=1, width=1, height=1))
    assert [standing.shape for standing in parts.standing] == [shape]
    assert not parts.notes


def test_a_size_that_is_not_stated_is_the_usual_one(tmp_path):
    parts = with_thing(tmp_path, thing("tree", height=5))
    assert parts.standing[0].dimension_m == (5.0, 5.0, 5.0)
    assert parts.notes == (
        (
            "road 1, object 7",
            "length 5 m, width 5 m, as of a usual tree",
            "the map does not state it",
        ),
    )


@pytest.mark.parametrize("reverse", [1, -1])
def test_an_outline_is_extruded_counter_clockwise(tmp_path, reverse):
    corners = [(0, 0, -0.5, 3), (4, 0, -0.5, 3), (4, 2, -0.5, 3)][::reverse]
    (house,) = with_thing(tmp_path, thing("building", outline(*corners), hdg=np.pi / 2)).standing
    assert house.dimension_m == (4.0, 2.0, 3.0)
    assert house.world_from_object[:3, 3] == pytest.approx([50.0 - 1.0, 5.0 + 2.0, 1.0])
    assert set(house.details.outline_m) == {(-2.0, -1.0), (2.0, -1.0), (2.0, 1.0)}
    x, y = np.array(house.details.outline_m).T
    assert (x * np.roll(y, -1) - y * np.roll(x, -1)).sum() > 0.0


def test_corners_on_the_road_follow_it(tmp_path):
    corners = [(40, 6, 0, 3), (60, 6, 0, 3), (60, 16, 0, 3), (40, 16, 0, 3)]
    inside = outline(*corners, tag="cornerRoad")
    parts = with_thing(tmp_path, thing("none", inside), profile=SLOPE)
    points = np.concatenate([s.left_m for s in of(parts, "Object_Unknown")])
    points = np.concatenate([points, *(s.right_m for s in of(parts, "Object_Unknown"))])
    # the road rises by 0.1 along and by sin(0.05) cos(atan(0.1)) across; the body is 3 m high
    rise = {
        (s, t): 2.0 + 0.1 * s + t * np.sin(0.05) * np.cos(np.arctan(0.1)) for s, t, *_ in corners
    }
    for corner in corners:
        z = rise[corner[:2]]
        # x moves by t times the back lean of the cross-section, sin(atan(0.1)) sin(0.05)
        x = corner[0] - corner[1] * np.sin(np.arctan(0.1)) * np.sin(0.05)
        own = points[np.hypot(points[:, 0] - x, points[:, 1] - corner[1] * np.cos(0.05)) < 1e-6]
        assert (own[:, 2].min(), own[:, 2].max()) == pytest.approx((z, z + 3.0))
    assert not parts.standing


def test_an_open_outline_is_a_wall(tmp_path):
    inside = outline((0, 0, 0, 1), (10, 0, 0, 1), (10, 10, 0, 1), closed="false")
    parts = with_thing(tmp_path, thing("barrier", inside, width=0.5))
    faces = of(parts, "barrier_concrete")
    assert not parts.standing
    tops = [face for face in faces if np.ptp(face.left_m[:, 2]) + np.ptp(face.right_m[:, 2]) == 0]
    tops = [face for face in tops if face.left_m[0, 2] == face.right_m[0, 2] == 1.0]
    assert [face.area_m2 for face in tops] == pytest.approx([20.0 * 0.5])
    assert sum(face.area_m2 for face in faces) == pytest.approx(10.0 + 2 * 20.0 + 2 * 0.5)


def test_a_row_repeats_an_object(tmp_path):
    row = (
        '<repeat s="10" length="40" distance="20" tStart="4" tEnd="8" '
        'heightStart="1" heightEnd="3" zOffsetStart="0" zOffsetEnd="0"/>'
    )
    standing = with_thing(tmp_path, thing("tree", row, length=2, width=2)).standing
    assert [tuple(tree.world_from_object[:2, 3]) for tree in standing] == [
        (10.0, 4.0),
        (30.0, 6.0),
        (50.0, 8.0),
    ]
    assert [tree.dimension_m[2] for tree in standing] == [1.0, 2.0, 3.0]


def test_a_row_without_gaps_is_one_body(tmp_path):
    row = (
        '<repeat s="10" length="40" distance="0" tStart="4" tEnd="4" widthStart="0.2" '
        'widthEnd="0.2" heightStart="0.3" heightEnd="0.3" zOffsetStart="0.5" zOffsetEnd="0.5"/>'
    )
    parts = with_thing(tmp_path, thing("railing", row))
    faces = of(parts, "rail_steel")
    assert not parts.standing
    assert sum(face.area_m2 for face in faces) == pytest.approx(2 * 40 * (0.2 + 0.3) + 2 * 0.06)
    middle = np.array([30.0, 4.0, 0.65])
    for face in faces:  # each is seen from outside
        along, across = face.left_m[1] - face.left_m[0], face.left_m[0] - face.right_m[0]
        out = 0.25 * (face.left_m[[0, 1]] + face.right_m[[0, 1]]).sum(axis=0) - middle
        assert np.cross(along, across) @ out > 0.0


def test_a_crosswalk_without_markings_has_bars_along_the_road(tmp_path):
    inside = outline((48, -3, 0, 0), (52, -3, 0, 0), (52, 3, 0, 0), (48, 3, 0, 0), tag="cornerRoad")
    parts = with_thing(tmp_path, thing("crosswalk", inside, t=0), profile=SLOPE)
    paint = of(parts, "marking_white")
    length = 4.0 * np.hypot(1.0, 0.1)
    assert parts.area_m2("marking_white") == pytest.approx(6 * 0.5 * length, rel=2e-2)
    assert len(parts.notes) == 1
    points = np.concatenate([strip.left_m for strip in paint])
    on_road = 2.0 + 0.1 * points[:, 0] + points[:, 1] * np.tan(0.05) * np.hypot(1.0, 0.1)
    assert points[:, 2] == pytest.approx(on_road + LIFT_M, abs=2e-4)


def test_an_outline_of_paint_is_filled(tmp_path):
    arrow = [(0, -0.2), (3, -0.2), (3, -0.6), (5, 0), (3, 0.6), (3, 0.2), (0, 0.2)]
    inside = outline(*((u, v, 0, 0) for u, v in arrow))
    parts = with_thing(tmp_path, thing("roadMark", inside, t=-1.7))
    assert parts.area_m2("marking_white") == pytest.approx(3 * 0.4 + 0.5 * 2 * 1.2)
    for strip in of(parts, "marking_white"):
        along, across = strip.left_m[-1] - strip.right_m[0], strip.left_m[0] - strip.right_m[-1]
        assert np.cross(along, across)[2] >= 0.0
    assert not parts.standing


def test_markings_of_a_parking_space(tmp_path):
    marking = (
        '<markings><marking side="left" width="0.1" color="yellow" lineLength="1" '
        'spaceLength="1" startOffset="0.5" stopOffset="0.5"/></markings>'
    )
    parts = with_thing(tmp_path, thing("parkingSpace", marking, length=5, width=2.5, t=0))
    assert parts.area_m2("marking_yellow") == pytest.approx(2 * 0.1)
    points = np.concatenate([strip.left_m for strip in of(parts, "marking_yellow")])
    assert points[:, 0].min() == pytest.approx(50.0 - 2.5 + 0.5)
    assert np.abs(points[:, 1] - 1.25).max() < 0.06


@pytest.mark.parametrize(("orientation", "faces"), [("+", -1.0), ("-", 1.0)])
def test_a_sign_faces_the_traffic_that_it_is_for(tmp_path, orientation, faces):
    text = signal(orientation=orientation, value=50)
    post, plate = with_thing(tmp_path, text).standing
    assert (post.shape, plate.shape) == ("pole", "sign_speed_limit")
    assert plate.world_from_object[:3, 0] == pytest.approx([faces, 0.0, 0.0])
    assert plate.world_from_object[1:3, 3] == pytest.approx([-5.0, 2.3])
    assert plate.details.sign_value == 50.0
    assert post.dimension_m[2] == 2.6
    assert post.world_from_object[:3, 3] == pytest.approx([50.0, -5.0, 1.3])


@pytest.mark.parametrize(
    ("kind", "country", "shape"),
    [
        ("206", "DE", "sign_stop"),
        ("306", "OpenDRIVE", "sign_priority_road"),
        ("274", "SE", "sign_plate"),
        ("620", "DE", "sign_plate"),
        ("", "", "sign_plate"),
    ],
)
def test_numbers_of_german_signs_choose_shapes(tmp_path, kind, country, shape):
    _, plate = with_thing(tmp_path, signal(kind, country=country)).standing
    assert plate.shape == shape


def test_a_pole_of_the_map_carries_the_sign(tmp_path):
    pole = thing("pole", radius=0.05, height=3, t=-5)
    shapes = [standing.shape for standing in with_thing(tmp_path, pole, signal()).standing]
    assert shapes == ["pole", "sign_speed_limit"]


def test_a_sign_without_numbers_has_usual_ones(tmp_path):
    parts = with_thing(tmp_path, signal(zOffset="", width="", height=""))
    assert parts.standing[1].dimension_m[1:] == (0.6, 0.6)
    assert {note.used for note in parts.notes} == {"usual width and height", "2 m above the road"}


def test_a_light_whose_height_includes_its_post(tmp_path):
    text = signal("1000001", zOffset=0, width=0.45, height=3.22, dynamic="yes")
    post, light = with_thing(tmp_path, text).standing
    assert light.shape == "traffic_light"
    assert light.dimension_m == (0.3, 0.45, 1.0)
    assert light.world_from_object[2, 3] == pytest.approx(2.72)
    assert post.dimension_m[2] == pytest.approx(3.22)


def test_what_is_not_read_is_noted(tmp_path):
    tunnel = '<objects><tunnel id="1" s="0" length="50"/></objects>'
    surface = '<surface><CRG file="rough.crg"/></surface>'
    notes = with_thing(tmp_path, tunnel, surface).notes
    assert [note.name for note in notes] == ["road 1", "road 1"]
    assert ["tunnels" in notes[0].reason, "OpenCRG" in notes[1].reason] == [True, True]


def test_a_sign_overhead_has_no_post_in_the_lane(tmp_path):
    parts = with_thing(tmp_path, signal(zOffset=5.5, t=-2))
    assert [standing.shape for standing in parts.standing] == ["sign_speed_limit"]


def test_stop_lines_and_crosswalks_of_signals_are_paint(tmp_path):
    flat = {"zOffset": 0, "height": 0.02, "t": 0}
    stop = with_thing(tmp_path, signal("294", width=3.5, **flat))
    assert stop.area_m2("marking_white") == pytest.approx(3.5 * 0.5)
    assert not stop.standing
    zebra = with_thing(tmp_path, signal("1000003", width=7, value=4, **flat))
    assert zebra.area_m2("marking_white") == pytest.approx(7 * 0.5 * 4.0)
    arrow = with_thing(tmp_path, signal("-1", width=1, **flat))
    assert [note.used for note in arrow.notes] == ["nothing"]
