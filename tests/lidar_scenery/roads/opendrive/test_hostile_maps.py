# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Maps that cannot be used, whole or in part: one clear line for each."""

import numpy as np
import pytest

from lidar_scenery.roads.opendrive import map_header, read_map
from osi_lidar.errors import ConfigurationError
from tests.builders.refusals import one_line
from tests.lidar_scenery.roads.opendrive.small_maps import lane, read, road, section, written

TWO = section(lane(1), lane(0, ""), lane(-1))
GOOD = road(TWO, name="good")
BOMB = '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]><OpenDRIVE>&b;</OpenDRIVE>'


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("", "is not XML"),
        ("no map at all", "is not XML"),
        ("<OpenDRIVE><road></OpenDRIVE>", "is not XML"),
        ("<OpenDRIVE>" + "<a>" * 100, "elements are nested more than 64 deep"),
        (BOMB, "has a document type"),
        ('<!DOCTYPE OpenDRIVE SYSTEM "/etc/passwd"><OpenDRIVE/>', "has a document type"),
        ("<net><road/></net>", "its root is <net>, expected <OpenDRIVE>"),
        ("<OpenDRIVE/>", "contains no <road>"),
        (
            f"<OpenDRIVE>{road(TWO, '')}</OpenDRIVE>",
            "no road can be used; the first problem is: road 1: line 1: it has",
        ),
    ],
)
def test_a_file_that_is_no_map_is_one_line(tmp_path, content, problem):
    path = tmp_path / "map.xodr"
    path.write_text(content)
    with one_line(ConfigurationError, problem, start=f"{path}: "):
        read_map(path)


@pytest.mark.parametrize("before", ["", " \n", "<!-- a town -->\n", "\ufeff"])
def test_blanks_and_comments_may_stand_before_the_declaration(tmp_path, before):
    path = written(tmp_path, GOOD)
    path.write_text(f'{before}<?xml version="1.0"?>{path.read_text()}', encoding="utf-8")
    assert read_map(path).area_m2("road_") == pytest.approx(700.0)


@pytest.mark.parametrize("read_it", [read_map, map_header])
def test_a_file_that_cannot_be_read_is_one_line(tmp_path, read_it):
    for path in (tmp_path, tmp_path / "absent.xodr", tmp_path / "nul\0.xodr"):
        with pytest.raises(ConfigurationError, match="cannot be read"):
            read_it(path)


def test_a_file_that_is_too_large_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("lidar_scenery.roads.opendrive.header.LARGEST_BYTES", 100)
    with pytest.raises(ConfigurationError, match="is larger than"):
        read_map(written(tmp_path, GOOD))


def plan(curve="<line/>", length=100, x=0, hdg=0):
    return f'<geometry s="0" x="{x}" y="0" hdg="{hdg}" length="{length}">{curve}</geometry>'


def plan_of_rows(numbers):
    names = (letter + axis for axis in "UV" for letter in "abcd")
    values = (f'{name}="{value}"' for name, value in zip(names, numbers.split(), strict=True))
    return f"<paramPoly3 {' '.join(values)}/>"


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        (road(TWO, plan(x="nan")), "x of <geometry> is 'nan'"),
        (road(TWO, plan(hdg="inf")), "hdg of <geometry> is 'inf'"),
        (road(TWO, plan(length="")), "length of <geometry> is ''"),
        (road(TWO, length="nan"), "length of <road> is 'nan'"),
        (road(TWO, length=1e7), "its length is 1e+07 m, expected"),
        (road(TWO, length=-5), "its length is -5 m"),
        (road(TWO, length=0), "its length is 0 m"),
        (road(TWO, plan("<line/><arc/>")), "contains 2 curves"),
        (road(TWO, plan("")), "contains 0 curves"),
        (road(TWO, plan('<arc curvature="1e8"/>')), "takes over 1000000 points"),
        (road(TWO, plan('<spiral curvStart="0" curvEnd="1e8"/>')), "takes over 1000000 points"),
        (
            road(TWO, plan(plan_of_rows("0 1e8 1e8 0 0 1 0 0"))),
            "the lane section at s = 0 m has points beyond 1e+08 m",
        ),
        (road(section(lane(1, '<width a="NaN"/>'), lane(0, ""))), "a of <width> is 'NaN'"),
        (road(section(lane(2, 1e8), lane(1, 1e8), lane(0, ""))), "has points beyond"),
        (road(section(lane(1), lane(0, "")).replace('id="1"', 'id="1e"')), "id of <lane>"),
    ],
)
def test_a_road_that_cannot_be_used_is_left_out_and_named(tmp_path, bad, reason):
    parts = read(tmp_path, GOOD, bad)
    assert dict(parts.counts)["roads"] == 1
    assert parts.area_m2("road_") == pytest.approx(700.0)
    (note,) = parts.notes
    assert (note.name, note.used) == ("road 1", "nothing")
    assert reason in note.reason
    assert "\n" not in note.reason


def test_lanes_of_no_width_and_negative_ones_make_no_surface(tmp_path):
    falling = '<width sOffset="0" a="2" b="-0.04" c="0" d="0"/>'
    parts = read(tmp_path, road(section(lane(0, ""), lane(-1, falling), lane(-2, 0), lane(-3, -1))))
    assert parts.area_m2("road_") == pytest.approx(50.0)
    assert all(np.isfinite(strip.left_m).all() for strip in parts.strips)


def test_a_section_without_lanes_or_length_makes_nothing(tmp_path):
    sections = section(lane(0, "")) + TWO.replace('s="0.0"', 's="50"') + section(lane(-1), s=100)
    parts = read(tmp_path, road(sections + section(lane(-1), s=1000)))
    assert parts.area_m2("road_") == pytest.approx(350.0)


def test_links_that_run_in_a_circle_change_nothing(tmp_path):
    link = (
        '<link><predecessor elementType="road" elementId="1" contactPoint="start"/>'
        '<successor elementType="road" elementId="1" contactPoint="start"/></link>'
    )
    assert read(tmp_path, road(TWO, more=link)).area_m2("road_") == pytest.approx(700.0)


def test_dashes_without_end_are_left_out(tmp_path):
    tiny = (
        '<roadMark sOffset="0" type="broken" width="0.1"><type name="broken" width="0.1">'
        '<line length="1e-6" space="1e-6" tOffset="0" sOffset="0"/></type></roadMark>'
    )
    parts = read(tmp_path, road(section(lane(0, "", inside=tiny), lane(-1))))
    assert not parts.area_m2("marking_")
    assert "over 100000" in parts.notes[0].reason


def box(inside="", **values):
    values = {"id": "3", "type": "none", "s": 5, "t": 9, "length": 1, "width": 1} | values
    more = "".join(f' {name}="{value}"' for name, value in values.items())
    return f"<objects><object{more}>{inside}</object></objects>"


def corners(count):
    inside = '<cornerLocal u="1" v="1" z="0" height="1"/>' * count
    return f"<outlines><outline>{inside}</outline></outlines>"


ROW = '<repeat s="0" length="{}" distance="{}"/>'
MARKING = '<markings><marking width="{}" side="{}">{}</marking></markings>'


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        (box(s="NaN"), "s of <object> is 'NaN'"),
        (box(t="1e300"), "t of <object> is '1e300'"),
        (box(corners(2)), "0 different corners"),
        (box(corners(20_000)), "over 10000 corners"),
        (box(ROW.format(1e6, 1e-6)), "repeated more often than 10000 times"),
        (box(ROW.format("x", 1)), "length of <repeat>"),
        (box(MARKING.format(0.1, "top", ""), type="crosswalk"), "on side 'top'"),
        (box(MARKING.format(1e6, "left", ""), type="crosswalk"), "expected up to 100"),
        (
            box(MARKING.format(0.1, "", '<cornerReference id="8"/>'), type="crosswalk"),
            "refers to corner '8'",
        ),
        (box(type="crosswalk", width=5e3), "expected 0.5 to 1000 m"),
        (box(type="tree", width=1e6), "width of <object> is 1e+06 m, expected up to 10000"),
        (box(type="crosswalk", length=""), "no length or width, expected both for its box"),
    ],
)
def test_an_object_that_cannot_be_used_is_left_out_and_named(tmp_path, bad, reason):
    parts = read(tmp_path, road(TWO, more=bad))
    assert parts.area_m2("road_") == pytest.approx(700.0)
    assert not parts.standing
    notes = [note for note in parts.notes if note.used == "nothing"]
    assert [note.name for note in notes] == ["road 1, object 3"]
    assert reason in notes[0].reason


def test_a_map_of_too_many_triangles_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("lidar_scenery.roads.opendrive.reader.MOST_TRIANGLES", 3)
    with pytest.raises(ConfigurationError, match=r"map\.xodr: needs over 3 triangles"):
        read(tmp_path, GOOD)


def test_a_header_says_where_the_map_lies(tmp_path):
    header = (
        '<header revMajor="1" revMinor="7"><geoReference><![CDATA[+proj=utm +zone=32]]>'
        '</geoReference><offset x="500000" y="5.5e6" z="0" hdg="0.1"/></header>'
    )
    expected = ("1.7", "+proj=utm +zone=32", (500000.0, 5.5e6, 0.0), 0.1)
    assert map_header(written(tmp_path, GOOD, header=header)) == expected
    assert map_header(written(tmp_path, GOOD, header="")).geo_reference == ""
    broken = header.replace("5.5e6", "north")
    with pytest.raises(ConfigurationError, match=r"map\.xodr: line 1: y of <offset> is 'north'"):
        map_header(written(tmp_path, GOOD, header=broken))
