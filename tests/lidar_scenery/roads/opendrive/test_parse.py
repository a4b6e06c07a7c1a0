# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Records of roads, beside the elements that they were read from."""

from pathlib import Path

import pytest

from lidar_base.xml_tree import read_xml
from lidar_scenery.roads.opendrive.allowance import Allowance
from lidar_scenery.roads.opendrive.attributes import PartError
from lidar_scenery.roads.opendrive.parse import road_of
from lidar_scenery.roads.opendrive.records import MarkLine
from lidar_scenery.roads.opendrive.reference_line import Clothoid, Polynomial
from tests.builders.refusals import one_line
from tests.lidar_scenery.roads.opendrive.small_maps import TWO, lane, road, section


def read(*parts, **options):
    """Return the record of a road of `small_maps`."""
    return road_of(read_xml(Path("map.xodr"), road(*parts, **options).encode()), Allowance())


def mark(inside="", attributes=""):
    """Return the mark of the centre lane of a road, whose element holds `inside`."""
    text = f'<roadMark sOffset="2" type="custom" {attributes}>{inside}</roadMark>'
    (found,) = read(section(lane(1), lane(0, "", inside=text))).sections[0].centre.marks
    return found


def test_lines_of_types_are_repeated_and_explicit_ones_are_drawn_once():
    types = (
        '<type name="a" width="0.2"><line length="3" space="6" tOffset="0.5" sOffset="1"/></type>'
    )
    once = '<explicit><line length="2" tOffset="-0.5" sOffset="4" width="0.4"/></explicit>'
    assert mark(types + once).lines == (
        MarkLine(3.0, 6.0, 0.5, 1.0, 0.2),
        MarkLine(2.0, 0.0, -0.5, 4.0, 0.4, once=True),
    )


@pytest.mark.parametrize(
    ("of_line", "of_type", "width_m"),
    [("0.1", "0.2", 0.1), ("0", "0.2", 0.2), ("", "0.2", 0.2), ("0", "0", 0.0), ("", "", None)],
)
def test_a_line_is_as_wide_as_it_says_or_its_type_does(of_line, of_type, width_m):
    line = f'<line length="3" space="6" tOffset="0" sOffset="0" width="{of_line}"/>'
    found = mark(f'<type name="a" width="{of_type}">{line}</type>')
    assert found.lines[0].width_m == width_m
    assert found.width_m == (float(of_type) if of_type else None)


def test_a_mark_has_what_its_element_states():
    found = mark("<sway/>", 'color="yellow" weight="bold" width="0.3" height="0.02"')
    assert found == (2.0, "custom", "yellow", True, 0.3, 0.02, (), True)
    assert mark() == (2.0, "custom", "standard", False, None, 0.0, (), False)


def test_lanes_are_sorted_from_the_centre_outwards_and_sections_along_the_road():
    late = section(lane(0, ""), lane(-1), s=60)
    early = section(lane(2), lane(1), lane(0, ""), lane(-2), lane(-1), s=0)
    first, second = read(late + early).sections
    assert (first.start_m, first.end_m, second.start_m, second.end_m) == (0.0, 60.0, 60.0, 100.0)
    assert [each.number for each in first.left] == [1, 2]
    assert [each.number for each in first.right] == [-1, -2]
    assert [each.start_m for each in (first.centre, second.centre, *second.right)] == [0, 60, 60]


@pytest.mark.parametrize(("single", "left"), [("true", [1]), ("1", [1]), ("false", []), ("", [])])
def test_a_section_of_a_single_side_keeps_the_lanes_of_the_other(single, left):
    of_right = section(lane(0, ""), lane(-1, 2.0), s=60, attributes=f'singleSide="{single}"')
    _, after = read(TWO + of_right).sections
    assert [each.number for each in after.left] == left
    assert [each.widths.coefficients[0, 0] for each in after.right] == [2.0]


def test_crossfalls_are_those_of_their_sides():
    falls = "".join(
        f'<crossfall side="{side}" s="{s}" a="{a}" b="0" c="0" d="0"/>'
        for side, s, a in (("both", 0, 0.01), ("left", 20, 0.02), ("right", 40, 0.03))
    )
    found = read(TWO, more=f"<lateralProfile>{falls}</lateralProfile>")
    assert found.left_fall.coefficients[:, 0].tolist() == [0.01, 0.02]
    assert found.right_fall.starts_m.tolist() == [0.0, 40.0]


PARAMETERS = 'aU="0" bU="100" cU="0" dU="0" aV="0" bV="0" cV="3" dV="-2"'


@pytest.mark.parametrize(
    ("inside", "curve"),
    [
        ("<line/>", Clothoid(0.0, 0.0)),
        ('<arc curvature="0.02"/>', Clothoid(0.02, 0.02)),
        ('<spiral curvStart="0.01" curvEnd="-0.02"/>', Clothoid(0.01, -0.02)),
        (
            f"<paramPoly3 {PARAMETERS}/>",
            Polynomial((0.0, 100.0, 0.0, 0.0), (0.0, 0.0, 3.0, -2.0), 1.0),
        ),
        (
            f'<paramPoly3 pRange="arcLength" {PARAMETERS}/>',
            Polynomial((0.0, 100.0, 0.0, 0.0), (0.0, 0.0, 3.0, -2.0), 80.0),
        ),
    ],
)
def test_each_kind_of_curve_is_read(inside, curve):
    plan = f'<geometry s="0" x="3" y="4" hdg="0.5" length="80">{inside}</geometry>'
    assert read(TWO, plan).geometries == ((0.0, 80.0, 3.0, 4.0, 0.5, curve),)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"length": 0}, "its length is 0 m, expected 0.001 to 1e"),
        ({"length": 2e6}, r"its length is 2e\+06 m, expected"),
        ({"plan": ""}, "it has no <geometry>"),
        (
            {"plan": '<geometry s="0" x="0" y="0" hdg="0" length="9"><line/><line/></geometry>'},
            "<geometry> contains 2 curves, expected one of line, arc, spiral, poly3, paramPoly3",
        ),
        (
            {"plan": '<geometry s="0" x="0" y="0" hdg="0" length="9"/>'},
            "<geometry> contains 0 curves, expected one",
        ),
    ],
)
def test_roads_that_cannot_be_are_one_line(options, message):
    with one_line(PartError, match=message):
        read(TWO, **options)


def test_a_road_of_too_many_sections_is_one_line(monkeypatch):
    monkeypatch.setattr("lidar_scenery.roads.opendrive.parse.MOST_SECTIONS", 2)
    sections = [section(lane(0, ""), s=s) for s in (0, 10, 20)]
    assert len(read("".join(sections[:2])).sections) == 2
    with one_line(PartError, match="it has 3 lane sections, expected up to 2"):
        read("".join(sections))
