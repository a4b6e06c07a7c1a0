# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Which lines of a file mutation testing leaves alone, and what it tells of the mutants."""

import sys
from pathlib import Path

import pytest

pytest.importorskip("cosmic_ray", reason="cosmic-ray is not installed (make mutants)")
sys.path.append(str(Path(__file__).parents[2] / "tools"))

from cosmic_ray.work_db import WorkDB, use_db
from cosmic_ray.work_item import MutationSpec, WorkerOutcome, WorkItem, WorkResult
from mutants import STOPPED, print_survivors, unmeant

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


def test_what_was_stopped_counts_as_killed_as_little_as_what_survived(tmp_path, capsys):
    done, survived, stopped = ("killed", "1 failed"), ("survived", "9 passed"), ("killed", STOPPED)
    with use_db(tmp_path / "session.sqlite", WorkDB.Mode.create) as database:
        for line, (outcome, output) in enumerate([done, survived, stopped, done], 1):
            mutation = MutationSpec("a.py", "core/AddNot", 0, (line, 0), (line, 4))
            database.add_work_item(WorkItem.single(str(line), mutation))
            result = WorkResult(WorkerOutcome.NORMAL, output, outcome, f"diff {line}")
            database.set_result(str(line), result)
        assert print_survivors(database) == 2
    lines = [line for line in capsys.readouterr().out.splitlines() if line]
    assert lines == ["survived: a.py:2", "diff 2", "not decided within 600 s: a.py:3", "diff 3",
                     "4 mutants, 2 killed"]  # fmt: skip
