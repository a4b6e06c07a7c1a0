# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Average precision, recall and detection agreement."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lidar_gap.tasks import detection
from lidar_gap.tasks.detection import (
    UNMATCHED,
    DetectionRules,
    average_precision,
    detection_scores,
    difference,
    matched_labels,
)
from lidar_gap.tasks.overlap import iou
from tests.builders.task_tables import boxes, row_of_cars

FAR = (0.0, 500.0, 0.0)


def test_three_of_four_labels_found_give_ap_and_recall_of_three_quarters():
    mean = detection_scores(row_of_cars(4), row_of_cars(3)).mean
    assert (mean.ap, mean.recall) == (0.75, 0.75)
    assert (mean.n_labels, mean.n_proposals, mean.n_found) == (4, 3, 3)


@pytest.mark.parametrize(
    ("interpolation", "ap"),
    [
        ("none", (1.0 + 2.0 / 3.0 + 3.0 / 4.0 + 4.0 / 5.0) / 4.0),  # .804: ranks 1, 3, 4 and 5
        ("envelope", (1.0 + 3.0 * 4.0 / 5.0) / 4.0),  # .85: 4/5 is the best from rank 3 on
    ],
)
def test_a_false_proposal_at_rank_2_lowers_ap(interpolation, ap):
    found = [(0.0, 0.0, 0.0), FAR, (10.0, 0.0, 0.0), (20.0, 0.0, 0.0), (30.0, 0.0, 0.0)]
    rules = DetectionRules(interpolation=interpolation)
    mean = detection_scores(row_of_cars(4), boxes(found), rules).mean
    assert mean.ap == pytest.approx(ap)
    assert mean.recall == 1.0
    assert round(mean.ap, 2) == {"none": 0.80, "envelope": 0.85}[interpolation]


def test_identical_detections_agree_fully():
    cars = row_of_cars(7, yaw=0.3, frame=[0, 0, 1, 1, 1, 5, 9])
    mean = detection_scores(cars, cars).mean
    assert (mean.ap, mean.recall) == (1.0, 1.0)


def test_agreement_is_not_symmetric():
    # 2 of 4 are found without a false one; the other way round 2 of 2, the false ones rank last
    assert detection_scores(row_of_cars(4), row_of_cars(2)).mean.ap == 0.5
    assert detection_scores(row_of_cars(2), row_of_cars(4)).mean.ap == 1.0


def test_the_second_proposal_of_a_label_is_false():
    mean = detection_scores(row_of_cars(1), boxes([(0.1, 0.0, 0.0), (0.0, 0.0, 0.0)])).mean
    assert (mean.ap, mean.recall, mean.n_found) == (1.0, 1.0, 1)


def test_equal_scores_choose_in_the_order_of_the_table():
    twice = boxes([(0.1, 0.0, 0.0), (0.0, 0.0, 0.0)], score=0.5)
    assert matched_labels(row_of_cars(1), twice).tolist() == [0, UNMATCHED]


def test_a_proposal_takes_the_free_label_with_the_largest_overlap():
    labels = boxes([(0.3, 0.0, 0.0), (0.0, 0.0, 0.0)])
    proposals = boxes([(0.05, 0.0, 0.0), (0.0, 0.0, 0.0)])
    assert matched_labels(labels, proposals).tolist() == [1, 0]


def test_frames_and_classes_are_kept_apart():
    cars = row_of_cars(2)
    assert detection_scores(cars, row_of_cars(2, frame=1)).mean.recall == 0.0
    assert detection_scores(cars, row_of_cars(2, category="bus")).mean.recall == 0.0


def test_the_mean_is_over_the_classes_that_have_labels():
    labels = row_of_cars(4, category=["car", "car", "car", "bus"])
    scores = detection_scores(labels, row_of_cars(4, category=["car", "car", "car", "tram"]))
    assert scores.classes["car"].ap == 1.0
    assert scores.classes["bus"].ap == 0.0
    assert scores.classes["tram"].ap is None
    assert (scores.mean.ap, scores.mean.recall) == (0.5, 0.5)


def test_without_labels_there_is_no_ap_and_without_proposals_it_is_0():
    nothing = row_of_cars(0)
    assert detection_scores(nothing, row_of_cars(2)).mean.ap is None
    assert detection_scores(row_of_cars(2), nothing).mean.ap == 0.0
    assert detection_scores(nothing, nothing).mean.recall is None
    assert difference(None, 1.0) is None
    assert difference(0.5, 0.75) == 0.25


def slow_matches(labels, proposals, rules):
    """Match one proposal after the other, with a loop over all labels."""
    taken, found = set(), [UNMATCHED] * len(proposals)
    for row in sorted(range(len(proposals)), key=lambda row: -proposals.score[row]):
        best, best_iou = UNMATCHED, rules.least_iou
        for label in range(len(labels)):
            if label in taken or labels.frame[label] != proposals.frame[row]:
                continue
            if labels.category[label] != proposals.category[row]:
                continue
            one, other = labels.rows(np.array([label])), proposals.rows(np.array([row]))
            value = round(float(iou(one, other, rules.overlap)[0]), 9)  # ties are ties
            if value >= rules.least_iou and (best == UNMATCHED or value > best_iou):
                best, best_iou = label, value
        if best != UNMATCHED:
            found[row] = best
            taken.add(best)
    return found


def slow_ap(found, n_labels, envelope):
    """Return AP with a loop over labels in the order in which they are found."""
    total, n = 0.0, len(found)
    for rank in range(n):
        if found[rank]:
            later = range(rank, n) if envelope else [rank]
            total += max(sum(found[: k + 1]) / (k + 1) for k in later)
    return total / n_labels


@st.composite
def crowds(draw):
    """Draw boxes that often overlap, in two frames and classes, with ties of scores."""
    n = draw(st.integers(0, 8))
    halves = st.integers(0, 6).map(lambda k: k / 4)
    return boxes(
        [(draw(halves), draw(halves), 0.0) for _ in range(n)],
        score=[draw(st.sampled_from([0.2, 0.5, 0.9])) for _ in range(n)],
        yaw=[draw(st.sampled_from([0.0, 0.2, 3.0])) for _ in range(n)],
        frame=[draw(st.integers(0, 1)) for _ in range(n)],
        category=[draw(st.sampled_from(["car", "bus"])) for _ in range(n)] or "car",
    )


@pytest.mark.long
@given(crowds(), crowds(), st.sampled_from(["3d", "bev"]))
def test_matches_equal_those_of_a_loop(labels, proposals, overlap):
    rules = DetectionRules(least_iou=0.3, overlap=overlap)
    assert matched_labels(labels, proposals, rules).tolist() == slow_matches(
        labels, proposals, rules
    )


@given(st.lists(st.booleans(), max_size=30), st.integers(1, 5), st.booleans())
def test_ap_equals_that_of_a_loop(found, n_missed, envelope):
    n_labels = sum(found) + n_missed
    ap = average_precision(np.array(found, np.bool_), n_labels, "envelope" if envelope else "none")
    assert ap == pytest.approx(slow_ap(found, n_labels, envelope), abs=1e-12)


@pytest.mark.parametrize("at_once", [1, 7, 2**14])
def test_pairs_are_looked_at_some_at_a_time_without_a_difference(at_once, monkeypatch):
    cars = [row_of_cars(n, frame=n, category=f"car{n % 2}") for n in (3, 0, 4, 5)]
    mixed = boxes(
        np.concatenate([each.centre_m for each in cars]),
        frame=np.concatenate([each.frame for each in cars]),
        category=np.concatenate([each.category for each in cars]),
    )
    monkeypatch.setattr(detection, "_PAIRS_AT_ONCE", at_once)
    assert matched_labels(mixed, mixed).tolist() == list(range(12))
