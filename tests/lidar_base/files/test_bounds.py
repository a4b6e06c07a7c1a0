# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""SECURITY.md names the bounds of readers."""

import re
from pathlib import Path

import pytest

from lidar_base.errors import BoundError
from lidar_base.files import bounds

ROOT = Path(__file__).parents[3]


def test_the_table_of_security_lists_every_bound():
    text = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
    table = text.partition("## Bounds of readers")[2].partition("\n## ")[0]
    listed = set(re.findall(r"`([A-Z][A-Z_]+)`", table))
    assert listed == {name for name in vars(bounds) if name.isupper() and name != "TYPE_CHECKING"}


def test_every_bound_is_used_by_a_reader():
    sources = [path for path in ROOT.glob("[lmor]*_*/**/*.py") if path.name != "bounds.py"]
    text = "".join(
        path.read_text(encoding="utf-8") for path in [*sources, *ROOT.glob("raycore/**/*.py")]
    )
    own = (ROOT / "lidar_base/files/bounds.py").read_text(encoding="utf-8")
    unused = [
        name for name in vars(bounds) if name.isupper() and name not in text and own.count(name) < 2
    ]
    assert unused == []


def test_a_number_beyond_its_bound_is_told_with_what_was_expected():
    bounds.check_at_most(5, 5, "rows")
    with pytest.raises(BoundError, match="rows: got 6, expected at most 5"):
        bounds.check_at_most(6, 5, "rows")


def test_bounds_grow_with_the_size_of_the_file():
    for of_size in (bounds.most_unpacked, bounds.most_at_once, bounds.most_in_block):
        assert of_size(0) < of_size(2**20) < of_size(2**24) < 2**24 * bounds.UNPACKED_RATIO * 2
    assert bounds.most_message(2**40) == bounds.MOST_MESSAGE_BYTES
