# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""What a reader of XML does not ask for is listed."""

from pathlib import Path
from types import MappingProxyType

import pytest

from lidar_base.files.xml_unasked import Meaningless, list_unasked, still_unasked
from lidar_base.unfollowed import NotFollowed, Unfollowed
from lidar_base.xml_tree import read_xml

TEXT = """<map xmlns:a="b" a="1" extra="2">
  <road id="1" speed="50"><lane id="1"/><rail><deep/></rail></road>
  <road id="2" speed="-1"><rail/><userData/></road>
  <road id="3" kind="new"/>
</map>"""
TABLE = Meaningless(
    frozenset({"*/userData", "map@a"}), MappingProxyType({"road@speed": frozenset({"-1", "none"})})
)


@pytest.fixture(name="root")
def _root():
    root = read_xml(Path("a.xml"), TEXT.encode())
    for road in root.all("road"):
        road.get("id")
        for lane in road.any_of(("lane", "track")):
            lane.get("id")
    return root


def listed(root, left_out=()):
    found = Unfollowed()
    list_unasked(root, TABLE, found, left_out=left_out)
    return found.kinds


def test_each_kind_is_listed_once_with_its_count_and_first_line(root):
    assert listed(root) == (
        NotFollowed("attribute extra of <map>", "line 1"),
        NotFollowed("attribute speed of <road>", "line 2"),
        NotFollowed("<rail> of <road>", "line 2", 2),
        NotFollowed("attribute kind of <road>", "line 4"),
    )


def test_what_is_left_out_as_a_whole_is_not_listed_again(root):
    third = root.children[2]
    assert "attribute kind of <road>" not in [each.what for each in listed(root, {id(third)})]


@pytest.mark.parametrize("value", ["-1.000", " None ", "none"])
def test_a_value_that_says_nothing_is_not_listed(value):
    root = read_xml(Path("a.xml"), f'<road speed="{value}"/>'.encode())
    assert listed(root) == ()


def test_a_long_name_is_cut():
    root = read_xml(Path("a.xml"), f"<map><{'n' * 5000}/></map>".encode())
    (kind,) = listed(root)
    assert len(kind.what) < 100


def test_what_a_later_part_is_asked_for_is_not_on_the_list_of_an_earlier_one(root):
    found = Unfollowed()
    list_unasked(root, TABLE, found)
    root.children[0].first("rail")
    root.children[2].get("kind")
    assert [each.what for each in still_unasked(found, root.asked)] == [
        "attribute extra of <map>",
        "attribute speed of <road>",
    ]
