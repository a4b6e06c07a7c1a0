# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The list of what a reader met and does not follow."""

import logging

from lidar_base.unfollowed import (
    MOST_KINDS,
    NotFollowed,
    Unfollowed,
    log_not_followed,
    not_followed_rows,
)


def test_each_kind_is_listed_once_with_its_first_place_and_its_count():
    met = Unfollowed()
    met.add("<sway>", "line 3")
    met.add("<CRG>", "line 5")
    met.add("<sway>", "line 9", times=2)
    assert met.kinds == (NotFollowed("<sway>", "line 3", 3), NotFollowed("<CRG>", "line 5", 1))


def test_kinds_beyond_a_limit_are_counted_as_one():
    met = Unfollowed()
    for number in range(MOST_KINDS + 5):
        met.add(f"key {number}", "line 1")
    assert len(met.kinds) == MOST_KINDS + 1
    assert met.kinds[-1] == NotFollowed("further kinds", "", 5)


def test_words_name_count_and_place():
    assert str(NotFollowed("<sway>", "line 3", 2)) == "<sway> (2 times, first at line 3)"
    assert str(NotFollowed("<sway>", "line 3")) == "<sway> (line 3)"
    assert str(NotFollowed("extension MSFT_lod")) == "extension MSFT_lod"


def test_one_line_is_logged_for_an_input_and_none_if_all_is_followed(caplog):
    with caplog.at_level(logging.INFO):
        log_not_followed("map a.xodr", [NotFollowed("<sway>", "line 3"), NotFollowed("<CRG>")])
        log_not_followed("map b.xodr", ())
    assert caplog.messages == ["map a.xodr: not followed: <sway> (line 3); <CRG>"]


def test_rows_name_the_input():
    rows = not_followed_rows({"map a.xodr": [NotFollowed("<sway>", "line 3", 2)], "b": ()})
    assert rows == [{"input": "map a.xodr", "what": "<sway>", "first": "line 3", "times": 2}]
