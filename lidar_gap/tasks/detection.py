# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Average precision and recall of detections, against labels or detections of another run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from lidar_gap.tasks.overlap import iou, near_pairs

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from lidar_gap.tasks.boxes import Boxes
    from lidar_gap.tasks.overlap import Overlap

Interpolation = Literal["none", "envelope"]
INTERPOLATIONS: tuple[Interpolation, ...] = ("none", "envelope")
UNMATCHED = -1
"""Value in the result of `matched_labels` for a proposal that finds no label."""
_PAIRS_AT_ONCE = 2**14
_DECIMALS = 9
"""Decimals to which IoU is rounded, so that rounding errors do not decide between equal labels."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DetectionRules:
    """Rules: when a proposal (detection) finds a label, and how precision is averaged.

    Attributes
    ----------
    least_iou : float
        Proposals with a smaller intersection over union do not find a label. [1]
    overlap : {"3d", "bev"}
        IoU of volumes, or of areas seen from above.
    interpolation : {"none", "envelope"}
        Precision at the recall of a found label: the precision at its own rank ("none"), or the
        best precision at this or any larger recall ("envelope").
    """

    least_iou: float = 0.7
    overlap: Overlap = "3d"
    interpolation: Interpolation = "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class DetectionScore:
    """Quality of the proposals (detections) of one class, or the mean over the classes.

    Attributes
    ----------
    ap, recall : float or None
        Average precision, and share of the labels that are found; None without labels. [1]
    n_labels, n_proposals, n_found : int
        Numbers of labels, of proposals, and of proposals that found a label.
    """

    ap: float | None
    recall: float | None
    n_labels: int
    n_proposals: int
    n_found: int


@dataclass(frozen=True, slots=True, kw_only=True)
class DetectionScores:
    """Quality of the proposals of a run.

    Attributes
    ----------
    mean : DetectionScore
        Mean AP and recall of the classes that have labels, and the sums of all counts.
    classes : dict of str to DetectionScore
        Scores of each class of labels or proposals, by name.
    """

    mean: DetectionScore
    classes: dict[str, DetectionScore]


def matched_labels(
    labels: Boxes, proposals: Boxes, rules: DetectionRules | None = None
) -> NDArray[np.int64]:
    """Return for each proposal (detection) the index of the label that it finds.

    Proposals are processed by descending score. Proposals of equal score keep the order of their
    table. Each proposal takes the label with the largest IoU, of at least ``rules.least_iou``,
    among the labels of its frame and class that are not taken yet. Of labels with equal IoU, it
    takes the first.

    Parameters
    ----------
    labels : Boxes
        Boxes that are taken as the truth.
    proposals : Boxes
        Detections, n_proposal boxes.
    rules : DetectionRules, optional
        When a proposal finds a label. Default: `DetectionRules()`.

    Returns
    -------
    int64 (n_proposal,)
        Index in ``labels``, or `UNMATCHED`.
    """
    rules = rules or DetectionRules()
    some = [_matching(labels, proposals, rules, *each) for each in _pairs(labels, proposals)]
    proposal, label, values = (np.concatenate(each) for each in zip(*some, strict=True))
    rank = np.empty(len(proposals), np.int64)
    rank[by_score(proposals)] = np.arange(len(proposals))
    found = np.full(len(proposals), UNMATCHED, np.int64)
    free = np.ones(len(labels), np.bool_)
    for pair in np.lexsort((label, -values, rank[proposal])):
        if free[label[pair]] and found[proposal[pair]] == UNMATCHED:
            found[proposal[pair]] = label[pair]
            free[label[pair]] = False
    return found


def by_score(boxes: Boxes) -> NDArray[np.intp]:
    """Return the indices of ``boxes`` by descending score, intp (n_box,).

    Boxes of equal score keep their order.
    """
    return np.argsort(-boxes.score, kind="stable")


def _matching(
    labels: Boxes,
    proposals: Boxes,
    rules: DetectionRules,
    proposal: NDArray[np.intp],
    label: NDArray[np.intp],
) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.float64]]:
    """Return proposal row, label row and IoU of all pairs that overlap enough."""
    near = near_pairs(labels, proposals, label, proposal)
    proposal, label = proposal[near], label[near]
    values = iou(labels.rows(label), proposals.rows(proposal), rules.overlap).round(_DECIMALS)
    enough = values >= rules.least_iou
    return proposal[enough], label[enough], values[enough]


def _pairs(labels: Boxes, proposals: Boxes) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp]]]:
    """Yield rows of proposals and labels of all pairs with the same frame and class, in batches."""
    _, category = np.unique(
        np.concatenate([labels.category, proposals.category]), return_inverse=True
    )
    keys = np.stack([np.concatenate([labels.frame, proposals.frame]), category], axis=1)
    _, group = np.unique(keys, axis=0, return_inverse=True)
    group = group.reshape(-1)  # some releases of numpy 2 return shape (n, 1)
    of_label, of_proposal = group[: len(labels)], group[len(labels) :]
    order = np.argsort(of_label, kind="stable")
    start = np.searchsorted(of_label[order], of_proposal, side="left")
    count = np.searchsorted(of_label[order], of_proposal, side="right") - start
    part = np.cumsum(count) // _PAIRS_AT_ONCE
    for rows in np.split(np.arange(len(proposals)), np.flatnonzero(np.diff(part)) + 1):
        n = count[rows]
        within = np.arange(n.sum()) - np.repeat(np.cumsum(n) - n, n)
        yield np.repeat(rows, n), order[np.repeat(start[rows], n) + within]


def average_precision(
    found: NDArray[np.bool_], n_labels: int, interpolation: Interpolation = "none"
) -> float | None:
    """Return the average precision of proposals (detections) that are sorted by score.

    Parameters
    ----------
    found : bool (n_proposal,)
        Whether each proposal finds a label; proposals are in the order of descending score.
    n_labels : int
        Number of labels; a label that is not found counts with precision 0.
    interpolation : {"none", "envelope"}
        "none": the precision at a found label is the precision at its rank. "envelope": it is the
        best precision at this or any later rank, as in Pascal VOC from 2010 on.

    Returns
    -------
    float or None
        Average precision [1]; None without labels.

    Notes
    -----
    AP = 1/L sum_k p_k over the ranks k that find one of L labels,
    with p_k = (labels found up to rank k) / k. Example: four labels are all found, and the proposal
    at rank 2 is false: AP = (1 + 2/3 + 3/4 + 4/5) / 4 = 0.804. With the envelope:
    AP = (1 + 3 x 4/5) / 4 = 0.85.
    """
    if n_labels == 0:
        return None
    precision = np.cumsum(found) / np.arange(1, len(found) + 1)
    if interpolation == "envelope":
        precision = np.maximum.accumulate(precision[::-1])[::-1]
    return float(precision[found].sum()) / n_labels


def detection_scores(
    labels: Boxes, proposals: Boxes, rules: DetectionRules | None = None
) -> DetectionScores:
    """Return the quality of proposals (detections) against labels, for each class and as a mean.

    Parameters
    ----------
    labels : Boxes
        Boxes that are taken as the truth: ground truth, or detections of another run.
    proposals : Boxes
        Detections that are scored.
    rules : DetectionRules, optional
        When a proposal finds a label, and how precision is averaged. Default: `DetectionRules()`.
    """
    rules = rules or DetectionRules()
    found = matched_labels(labels, proposals, rules) != UNMATCHED
    ranked = by_score(proposals)
    classes = {}
    for category in np.union1d(labels.category, proposals.category).tolist():
        chosen = ranked[proposals.category[ranked] == category]
        n_labels, n_found = int((labels.category == category).sum()), int(found[chosen].sum())
        classes[category] = DetectionScore(
            ap=average_precision(found[chosen], n_labels, rules.interpolation),
            recall=n_found / n_labels if n_labels else None,
            n_labels=n_labels,
            n_proposals=len(chosen),
            n_found=n_found,
        )
    return DetectionScores(mean=_mean_score(list(classes.values())), classes=classes)


def difference(first: float | None, second: float | None) -> float | None:
    """Return |first - second|, the absolute difference of two numbers; None if either is None."""
    return None if first is None or second is None else abs(first - second)


def _mean_score(scores: list[DetectionScore]) -> DetectionScore:
    return DetectionScore(
        ap=_mean([each.ap for each in scores]),
        recall=_mean([each.recall for each in scores]),
        n_labels=sum(each.n_labels for each in scores),
        n_proposals=sum(each.n_proposals for each in scores),
        n_found=sum(each.n_found for each in scores),
    )


def _mean(values: list[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return float(np.mean(known)) if known else None
