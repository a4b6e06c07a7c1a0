# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Contents of maps that are not followed are listed, and nothing else is."""

import logging

import pytest

from lidar_scenery.roads.opendrive import read_map
from tests.lidar_scenery.roads.opendrive.small_maps import lane, read, road, section, written

LANES = section(lane(0), lane(-1))
THING = '<objects><object id="7" type="pole" s="50" t="5" {more}>{inside}</object></objects>'
SIGN = '<signals><signal id="8" type="274" s="50" t="5" {more}>{inside}</signal></signals>'
BOUNDARY = '<junction id="9"><connection id="0"/><boundary/><elevationGrid/></junction>'


def kinds(parts):
    return [(each.what, each.times) for each in parts.not_followed]


@pytest.mark.parametrize(
    ("made", "what"),
    [
        (road(LANES, more="<hump/>"), "<hump> of <road>"),
        (road(section(lane(-1, inside='<bump sOffset="1"/>'))), "<bump> of <lane>"),
        (road(section(lane(-1, wear="0.5"))), "attribute wear of <lane>"),
        (road(section(lane(-1), attributes='wear="1"')), "attribute wear of <laneSection>"),
        (
            road(section(lane(0, inside='<roadMark sOffset="0" type="solid" material="tiles"/>'))),
            "attribute material of <roadMark>",
        ),
        (
            road(section(lane(-1, inside='<material sOffset="0" roughness="0.2"/>'))),
            "attribute roughness of <material>",
        ),
        (road(LANES, more=THING.format(more='lean="1"', inside="")), "attribute lean of <object>"),
        (road(LANES, more=THING.format(more="", inside="<include/>")), "<include> of <object>"),
        (
            road(LANES, more=SIGN.format(more='subtype="60"', inside="")),
            "attribute subtype of <signal>",
        ),
        (road(LANES) + BOUNDARY, "<boundary> of <junction>"),
        (road(LANES) + BOUNDARY, "<elevationGrid> of <junction>"),
        (road(LANES) + '<include file="b.xodr"/>', "<include> of <OpenDRIVE>"),
    ],
)
def test_what_is_not_known_is_listed(tmp_path, made, what):
    assert (what, 1) in kinds(read(tmp_path, made))


def test_a_kind_that_occurs_twice_is_counted_with_its_first_line(tmp_path):
    roads = road(LANES, more="\n<hump/>") + road(LANES, more="\n<hump/>", name="2")
    (kind,) = read(tmp_path, roads).not_followed
    assert (kind.what, kind.first, kind.times) == ("<hump> of <road>", "line 2", 2)


def test_traffic_and_authors_are_not_listed(tmp_path):
    header = '<header vendor="a" date="b"><license name="MIT"/></header><userData code="c"/>'
    speed = '<link/><speed sOffset="0" max="50"/><access sOffset="0" rule="deny"/>'
    town = '<link/><type s="0" type="town"><speed max="50" unit="km/h"/></type>'
    sign = SIGN.format(more='subtype="-1" unit="km/h"', inside='<validity fromLane="1"/>')
    text = road(section(lane(0), lane(-1, inside=speed)), more=town + sign)
    path = written(tmp_path, text, '<controller id="1"/>', header=header)
    assert kinds(read_map(path)) == []


def test_what_a_note_tells_of_is_not_listed_again(tmp_path):
    tunnel = '<objects><tunnel id="1" s="0" length="9" type="standard"/></objects>'
    parts = read(tmp_path, road(LANES, more=tunnel))
    assert "walls and roofs of tunnels are not made" in [note.reason for note in parts.notes]
    assert kinds(parts) == []


def test_the_contents_of_an_object_that_is_left_out_are_not_listed(tmp_path):
    away = THING.format(more='zOffset="far" height="2"', inside="<newer/>")
    parts = read(tmp_path, road(LANES, more=away))
    assert len(parts.notes) == 1
    assert kinds(parts) == []


def test_a_line_of_the_log_lists_them(tmp_path, caplog):
    with caplog.at_level(logging.INFO):
        read_map(path := written(tmp_path, road(LANES, more="<hump/>")))
    assert caplog.messages == [f"{path}: not followed: <hump> of <road> (line 1)"]


@pytest.mark.slow
def test_real_maps_have_nothing_on_the_list_that_is_followed(real_data):
    known = {"attribute subtype of <signal>", "attribute zOffset of <marking>"}
    listed = {
        kind.what
        for path in sorted((real_data / "maps").glob("*.xodr"))
        for kind in read_map(path).not_followed
    }
    assert listed <= known
