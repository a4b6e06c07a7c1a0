# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Which lines of a file mutation testing leaves alone."""

import sys
from pathlib import Path

import pytest

pytest.importorskip("cosmic_ray", reason="cosmic-ray is not installed (make mutants)")
sys.path.append(str(Path(__file__).parents[2] / "tools"))

from mutants import unmeant

CODE = """\
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from numpy import ndarray as Array

HALF: "int | float" = 1 / 2


def half(
    x: "int | None",
) -> "int | float":
    y: "int | None" = x
    return y / 2 + HALF
"""


def test_annotations_and_imports_for_types_say_nothing():
    lines = CODE.splitlines()
    spans = [
        lines[first - 1][start:end]
        for (first, start), (last, end) in unmeant(CODE)
        if first == last
    ]
    assert sorted(spans) == 2 * ['"int | None"'] + 2 * ['"int | float"']
    longer = [(begin[0], end[0]) for begin, end in unmeant(CODE) if begin[0] != end[0]]
    assert longer == [(3, 4)]
