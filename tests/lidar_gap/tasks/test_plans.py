# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Discrepancy of plans."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from lidar_gap.tasks.plans import Plans, plan_discrepancy, read_plans
from osi_lidar.errors import InputError
from tests.builders.task_tables import plan_rows, written

POINTS = arrays(np.float64, (3, 4, 2), elements=st.floats(-100.0, 100.0))


def test_ten_plans_of_six_waypoints_1_m_aside_are_60_square_metres_apart(tmp_path):
    real = read_plans(written(tmp_path / "real.csv", plan_rows()))
    sim = read_plans(written(tmp_path / "sim.json", plan_rows(aside_m=1.0)[::-1]))
    score = plan_discrepancy(real, sim)
    assert (score.discrepancy_m2, score.mean_m2) == (60.0, 1.0)
    assert (score.n_frames, score.n_waypoints) == (10, 6)
    assert plan_discrepancy(real, real).discrepancy_m2 == 0.0


@given(POINTS, POINTS)
def test_the_discrepancy_equals_that_of_a_loop(real, sim):
    total = 0.0
    for frame in range(3):
        for waypoint in range(4):
            dx, dy = sim[frame, waypoint] - real[frame, waypoint]
            total += dx * dx + dy * dy
    runs = [Plans(path=Path("p"), frame=np.arange(3), points_m=points) for points in (real, sim)]
    score = plan_discrepancy(*runs)
    assert score.discrepancy_m2 == pytest.approx(total, abs=1e-6)
    assert score.mean_m2 == pytest.approx(total / 12, abs=1e-6)


def test_runs_of_different_length_are_refused(tmp_path):
    long = read_plans(written(tmp_path / "long.csv", plan_rows()))
    short = read_plans(written(tmp_path / "short.csv", plan_rows(n_frame=9)))
    few = read_plans(written(tmp_path / "few.csv", plan_rows(n_waypoint=5)))
    for pair in ((long, short), (short, long)):
        with pytest.raises(InputError, match=r"short\.csv: has no plan of frame 9"):
            plan_discrepancy(*pair)
    with pytest.raises(InputError, match="plans have 5 waypoints, expected 6"):
        plan_discrepancy(long, few)


def test_damaged_plans_are_refused(tmp_path):
    with pytest.raises(InputError, match="line 56: frame 9 has 5 of 6 waypoints"):
        read_plans(written(tmp_path / "p.csv", plan_rows()[:-1]))
    with pytest.raises(InputError, match="entry 61: got frame 0, waypoint 0 twice"):
        read_plans(written(tmp_path / "p.json", plan_rows() + plan_rows()[:1]))
    with pytest.raises(InputError, match="has no plans"):
        read_plans(written(tmp_path / "p.json", []))
