# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Pages that list the origins of points list all of them, with their numbers."""

import re
from pathlib import Path

import pytest

from osi_lidar.clouds.origins import ORIGINS, TABLE

DOCS = Path(__file__).resolve().parents[3] / "docs"
OF_AIR = [each.name for each in TABLE if each.is_of_air]


def listed(beginning, end="\n"):
    """Return the text from a beginning, which one page has, up to an end; in one line, no links.

    The end is a regular expression.
    """
    pages = [page.read_text(encoding="utf-8") for page in DOCS.rglob("*.md")]
    (text,) = [page for page in pages if beginning in page]
    found = re.split(end, text.partition(beginning)[2], maxsplit=1)[0]
    return " ".join(re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", found).replace("`", "").split())


def absent(names, text):
    """Return the names that a text lacks."""
    return [each for each in names if not re.search(rf"\b{each.replace('_', '[ _]')}\b", text)]


@pytest.mark.parametrize(
    ("beginning", "end"), [("| `origin` | uint8 |", "\n"), ("among them `origin`:", "\n\n")]
)
def test_pages_have_the_number_of_each_origin(beginning, end):
    names = [f"{number} {name}" for number, name in enumerate(ORIGINS)]
    assert not absent(names, listed(beginning, end))


@pytest.mark.parametrize(
    ("beginning", "end", "names"),
    [
        ("`origin` is `surface`", r"\.\s| \|", ORIGINS[1:]),
        ("or `weather` (", r"\)", OF_AIR),
        ("| medium |", "\n", OF_AIR),
        ("| origin |", "\n", ORIGINS),
    ],
)
def test_pages_name_each_origin(beginning, end, names):
    assert not absent(names, listed(beginning, end))


@pytest.mark.parametrize("origin", TABLE, ids=ORIGINS)
def test_the_page_of_osi_says_in_which_class_an_origin_is(origin):
    assert not absent([origin.name], listed(f"| `{origin.detection_class}` | "))


def test_the_page_on_weather_says_how_to_make_points_of_each_origin_of_the_air():
    rows = listed("| You want | File for `--weather` | `origin` |", "\n\n")
    numbers = {int(each) for each in re.findall(r"\b(\d+) (?=\|)", rows)}
    assert {number for number, each in enumerate(TABLE) if each.is_of_air} <= numbers
