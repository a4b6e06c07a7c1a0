# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Paint of objects: markings by sides and corners, filled outlines."""

import numpy as np
import pytest

from tests.lidar_scenery.roads.opendrive.small_maps import (
    BARE,
    SQUARE,
    attributes,
    made,
    of,
    outline,
    read,
    road,
    thing,
)

BOW_TIE = [(0, 0, 0, 0), (1, 1, 0, 0), (1, 0, 0, 0), (0, 1, 0, 0)]
LONG_RING = [(np.cos(a), np.sin(a), 0, 0) for a in np.linspace(0.0, 6.28, 1001)]


def painted(folder, kind, inside, **values):
    return made(folder, kind, inside, t=0, **values)


def marking(corners=(), **values):
    values = {"color": "white", "width": 0.1, "lineLength": 1, "spaceLength": 0} | values
    values = {"startOffset": 0, "stopOffset": 0} | values
    inside = "".join(f'<cornerReference id="{name}"/>' for name in corners)
    return f"<markings><marking{attributes(values)}>{inside}</marking></markings>"


def square(**values):
    return outline(*((u, v, 0, 0) for u, v in SQUARE), **values)


@pytest.mark.parametrize(("weight", "width"), [(None, 0.12), ("bold", 0.25)])
def test_a_marking_without_a_width_has_the_usual_one(tmp_path, weight, width):
    inside = square() + marking((0, 1), width=None, weight=weight)
    parts = painted(tmp_path, "parkingSpace", inside)
    assert parts.area_m2("marking_white") == pytest.approx(2.0 * width)
    assert parts.notes[0].used == f"{width:g} m wide"


def test_corners_are_those_of_an_outline(tmp_path):
    second = square().replace('u="0"', 'u="10"').replace('u="2"', 'u="15"').replace("outlines", "x")
    both = square(id="0").replace("</outlines>", "") + second.replace("<x>", "").replace(
        "</x>", "</outlines>"
    ).replace("<outline>", '<outline id="1">')
    first = painted(tmp_path, "parkingSpace", both + marking((0, 1)))
    assert first.area_m2("marking_white") == pytest.approx(0.1 * 2.0)
    other = painted(tmp_path, "parkingSpace", both + marking((0, 1), outlineId="1"))
    assert other.area_m2("marking_white") == pytest.approx(0.1 * 5.0)


def test_a_marking_that_draws_nothing_is_named(tmp_path):
    for lost in (marking((0,)), marking((0, 1), lineLength=0, spaceLength=1)):
        parts = painted(tmp_path, "parkingSpace", square() + lost)
        assert not of(parts, "marking_white")
        assert [note.used for note in parts.notes] == ["nothing"]


def test_a_road_mark_may_have_markings_and_a_fill(tmp_path):
    inside = square(fillType="paint") + marking((0, 1), color="yellow")
    parts = painted(tmp_path, "roadMark", inside)
    assert parts.area_m2("marking_white") == pytest.approx(2.0)
    assert parts.area_m2("marking_yellow") == pytest.approx(0.2)
    lines = painted(tmp_path, "roadMark", square() + marking((0, 1), color="yellow"))
    assert not lines.area_m2("marking_white")


def test_a_fill_has_the_colour_that_is_stated(tmp_path):
    inside = square() + '<material roadMarkColor="yellow"/>'
    assert painted(tmp_path, "roadMark", inside).area_m2("marking_yellow") == pytest.approx(2.0)


def test_a_road_mark_is_filled_whatever_its_outline_says(tmp_path):
    """Arrows of recorded roads have the fill "pavement"."""
    parts = painted(tmp_path, "roadMark", square(fillType="pavement"))
    assert parts.area_m2("marking_white") == pytest.approx(2.0)


def test_an_open_outline_has_no_area_to_fill(tmp_path):
    parts = painted(tmp_path, "roadMark", square(closed="false"))
    assert not of(parts, "marking_white")
    assert [note.used for note in parts.notes] == ["nothing"]


@pytest.mark.parametrize("corners", [BOW_TIE, LONG_RING], ids=["crosses itself", "too long"])
def test_a_fill_that_cannot_be_cut_into_triangles_is_named_with_all_causes(tmp_path, corners):
    parts = painted(tmp_path, "roadMark", outline(*corners))
    assert not of(parts, "marking_white")
    told = "its outline has no area, crosses itself, or has over 1000 corners; expected a simple"
    assert [told in note.reason for note in parts.notes] == [True]


def test_paint_follows_a_road_without_lanes(tmp_path):
    hill = '<elevationProfile><elevation s="0" a="1" b="0.1" c="0" d="0"/></elevationProfile>'
    more = hill + thing("roadMark", square(), t=0)
    parts = read(tmp_path, road(BARE, more=more))
    points = np.concatenate([strip.left_m for strip in of(parts, "marking_white")])
    assert points[:, 2] == pytest.approx(1.0 + 0.1 * points[:, 0] + 0.002)
