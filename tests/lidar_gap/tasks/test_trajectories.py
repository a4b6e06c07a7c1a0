# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Distance of predicted trajectories."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lidar_gap.tasks.detection import DetectionRules
from lidar_gap.tasks.trajectories import matched_actors, min_ade, read_trajectories
from osi_lidar.errors import InputError
from tests.builders.task_tables import (
    row_of_cars,
    trajectories,
    trajectory_rows,
    written,
)

AHEAD = np.array([(float(x), 0.0) for x in range(5)])


def aside(distance_m):
    return AHEAD + (0.0, distance_m)


def test_of_modes_3_m_and_1_m_beside_the_nearer_one_counts():
    real = trajectories([0], ["a"], [1.0], [AHEAD])
    sim = trajectories([0, 0], ["a", "a"], [0.9, 0.1], [aside(3.0), aside(-1.0)])
    score = min_ade(real, sim)
    assert score.min_ade_m == 1.0
    assert (score.n_actors, score.matched_by, score.recall) == (1, "actor", None)


def test_only_the_most_likely_trajectory_of_the_real_run_counts():
    real = trajectories([0, 0], ["a", "a"], [0.4, 0.6], [AHEAD, aside(5.0)])
    sim = trajectories([0], ["a"], [1.0], [AHEAD])
    assert min_ade(real, sim).min_ade_m == 5.0


def test_identical_predictions_are_0_apart():
    run = trajectories([0, 0, 1], ["a", "a", "b"], [0.4, 0.6, 1.0], [AHEAD, aside(5.0), aside(2.0)])
    assert min_ade(run, run).min_ade_m == 0.0


def test_actors_without_a_partner_are_left_out():
    real = trajectories([0, 1], ["a", "a"], [1.0, 1.0], [AHEAD, AHEAD])
    sim = trajectories([0, 0], ["a", "b"], [1.0, 1.0], [aside(2.0), AHEAD])
    assert (min_ade(real, sim).n_actors, min_ade(real, sim).min_ade_m) == (1, 2.0)
    assert min_ade(real, sim, []).min_ade_m is None


def test_actors_are_matched_by_boxes_until_the_recall_is_reached():
    # 10 labels at recall .3: the three detections of the highest scores
    real = row_of_cars(10, actor=[f"r{i}" for i in range(10)])
    sim = row_of_cars(10, actor=[f"s{i}" for i in range(10)], score=np.linspace(0.1, 0.9, 10))
    pairs = matched_actors(real, sim, DetectionRules())
    assert pairs == [((0, f"r{i}"), (0, f"s{i}")) for i in (9, 8, 7)]
    assert len(matched_actors(real, sim, DetectionRules(), recall=0.31)) == 4
    assert len(matched_actors(real, row_of_cars(2, actor=["p", "q"]), DetectionRules())) == 2


def test_boxes_without_actors_are_refused():
    cars = row_of_cars(2)
    with pytest.raises(InputError, match="actor"):
        matched_actors(cars, cars, DetectionRules())


def test_tables_are_read_whatever_the_order_of_their_rows(tmp_path):
    rows = trajectory_rows(aside_m=(3.0, 1.0))
    order = np.random.default_rng(1).permutation(len(rows))
    shuffled = read_trajectories(written(tmp_path / "s.json", [rows[i] for i in order]))
    sim = read_trajectories(written(tmp_path / "o.csv", rows))
    real = read_trajectories(written(tmp_path / "r.csv", trajectory_rows()))
    assert sim.points_m.shape == (8, 3, 2)
    assert min_ade(real, sim).min_ade_m == min_ade(real, shuffled).min_ade_m == 1.0
    assert min_ade(sim, shuffled).min_ade_m == 0.0


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda rows: rows[:-1], "has 2 of 3 steps"),
        (lambda rows: rows + rows[:1], "line 26: got frame 0, actor a0, mode 0, step 0 twice"),
    ],
)
def test_modes_with_missing_or_doubled_steps_are_refused(tmp_path, change, words):
    with pytest.raises(InputError, match=words):
        read_trajectories(written(tmp_path / "t.csv", change(trajectory_rows((3.0, 1.0)))))


def test_runs_with_different_horizons_are_refused(tmp_path):
    real = read_trajectories(written(tmp_path / "r.csv", trajectory_rows()))
    sim = read_trajectories(written(tmp_path / "s.csv", trajectory_rows(n_step=4)))
    with pytest.raises(InputError, match=r"s\.csv: trajectories have 4 steps, expected 3"):
        min_ade(real, sim)


POINTS = st.lists(st.tuples(*[st.floats(-9.0, 9.0)] * 2), min_size=3, max_size=3)


@st.composite
def runs(draw):
    """Draw modes of up to four actors, as dict of actor to (probability, points)."""
    modes = st.lists(st.tuples(st.sampled_from([0.1, 0.5]), POINTS), min_size=1, max_size=3)
    return draw(st.dictionaries(st.tuples(st.integers(0, 1), st.sampled_from("ab")), modes))


def run_of(run):
    flat = [(*actor, *mode) for actor, modes in run.items() for mode in modes]
    frame, actor, probability, points = zip(*flat, strict=True) if flat else ((), (), (), ())
    return trajectories(frame, actor, probability, np.array(points).reshape(len(frame), 3, 2))


@pytest.mark.long
@given(runs(), runs())
def test_min_ade_equals_that_of_a_loop(real, sim):
    nearest = []
    for actor, modes in real.items():
        if actor in sim:
            _, likely = max(modes, key=lambda mode: mode[0])
            away = [
                sum(math.dist(p, q) for p, q in zip(likely, points, strict=True)) / 3
                for _, points in sim[actor]
            ]
            nearest.append(min(away))
    score = min_ade(run_of(real), run_of(sim))
    assert score.n_actors == len(nearest)
    expected = sum(nearest) / len(nearest) if nearest else None
    assert score.min_ade_m == (None if expected is None else pytest.approx(expected, abs=1e-6))
