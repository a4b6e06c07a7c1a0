# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The tables that docs/reference/task-tables.md shows are read as it says."""

import re
from pathlib import Path

import pytest

from lidar_gap.tasks.boxes import read_boxes
from lidar_gap.tasks.plans import plan_discrepancy, read_plans
from lidar_gap.tasks.trajectories import min_ade, read_trajectories

PAGE = Path(__file__).resolve().parents[3] / "docs" / "reference" / "task-tables.md"
BLOCK = re.compile(r"^```(csv|json)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.fixture
def shown(tmp_path):
    """Write the tables of the page; return their paths in its order."""
    paths = []
    for suffix, block in BLOCK.findall(PAGE.read_text(encoding="utf-8")):
        paths.append(tmp_path / f"{len(paths)}.{suffix}")
        paths[-1].write_text(block, encoding="utf-8")
    return paths


def test_the_tables_of_the_page_can_be_read(shown):
    boxes, trajectories, plans, plans_json = shown
    assert read_boxes(boxes).actor.tolist() == ["17", "18", "17"]
    read = read_trajectories(trajectories)
    assert read.points_m.shape == (2, 2, 2)
    assert min_ade(read, read).min_ade_m == 0.0
    assert plan_discrepancy(read_plans(plans), read_plans(plans_json)).discrepancy_m2 == 0.0
