# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""All task metrics of two runs, from their tables to a report as a table or as JSON."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, TypeAlias

from lidar_base.tables import table
from lidar_gap.tasks.boxes import read_boxes
from lidar_gap.tasks.detection import (
    DetectionRules,
    DetectionScore,
    DetectionScores,
    detection_scores,
    difference,
)
from lidar_gap.tasks.plans import PlanScore, plan_discrepancy, read_plans
from lidar_gap.tasks.trajectories import (
    MATCHED_RECALL,
    TrajectoryScore,
    matched_actors,
    min_ade,
    read_trajectories,
)
from osi_lidar.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from lidar_base.tables import Table
    from lidar_gap.tasks.boxes import Boxes

MEAN = "(mean)"
"""Name of the mean over the classes, in tables."""
_Row: TypeAlias = "tuple[str, str, str, str]"


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskTables:
    """Tables of a real and a simulated run; a metric needs the tables of both runs.

    InputError is raised if only one run has a table for a metric, if there are labels but no boxes,
    or if there is no table.

    Attributes
    ----------
    boxes_real, boxes_sim : Path or None
        Tables of detections.
    labels : Path or None
        Table of labelled boxes, taken as the truth.
    trajectories_real, trajectories_sim : Path or None
        Tables of predicted trajectories of actors.
    plans_real, plans_sim : Path or None
        Tables of plans of the ego vehicle.
    """

    boxes_real: Path | None = None
    boxes_sim: Path | None = None
    labels: Path | None = None
    trajectories_real: Path | None = None
    trajectories_sim: Path | None = None
    plans_real: Path | None = None
    plans_sim: Path | None = None

    def __post_init__(self) -> None:
        for name in ("boxes", "trajectories", "plans"):
            real, sim = getattr(self, f"{name}_real"), getattr(self, f"{name}_sim")
            if (real is None) != (sim is None):
                given = "real" if sim is None else "simulated"
                raise InputError(
                    f"{name}: got a table of the {given} run only, expected one of each run"
                )
        if self.labels is not None and self.boxes_real is None:
            raise InputError(
                "labels: got no boxes to compare with the labels, expected boxes_real and boxes_sim"
            )
        if self.boxes_real is None and self.trajectories_real is None and self.plans_real is None:
            raise InputError("got no tables, expected boxes, trajectories or plans of both runs")


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskRules:
    """Rules for computing the task metrics.

    Attributes
    ----------
    detection : DetectionRules
        When a detection finds a label, and how precision is averaged.
    least_score : float or None
        Lowest score of a real detection that serves as a label; None for all.
    recall : float
        Share of the real boxes for which actors are matched by their boxes, the most confident
        simulated boxes first; minADE is the mean over these actors. [1]
    """

    detection: DetectionRules
    least_score: float | None = None
    recall: float = MATCHED_RECALL


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskReport:
    """The task metrics of a simulated against a real run; None for a metric without tables.

    Attributes
    ----------
    rules : TaskRules
        Rules that the metrics depend on.
    agreement : DetectionScores or None
        Scores of simulated detections, with real detections as labels.
    real, sim : DetectionScores or None
        Scores of each run's detections against labels.
    trajectories : TrajectoryScore or None
        Difference of the predicted trajectories.
    plans : PlanScore or None
        Difference of the plans.
    """

    rules: TaskRules
    agreement: DetectionScores | None = None
    real: DetectionScores | None = None
    sim: DetectionScores | None = None
    trajectories: TrajectoryScore | None = None
    plans: PlanScore | None = None


def task_report(tables: TaskTables, rules: TaskRules) -> TaskReport:
    """Compute all task metrics of a real and a simulated run for which there are tables.

    Parameters
    ----------
    tables : TaskTables
        Paths of the tables of both runs.
    rules : TaskRules
        Rules for computing the metrics.

    Returns
    -------
    TaskReport
        The metrics; None in place of a metric without tables.

    Raises
    ------
    InputError
        If a table cannot be used, or the tables of both runs do not fit together.
    """
    report = TaskReport(rules=rules)
    boxes = None
    if tables.boxes_real is not None and tables.boxes_sim is not None:
        boxes = read_boxes(tables.boxes_real), read_boxes(tables.boxes_sim)
        report = _with_detections(report, *boxes, tables.labels)
    if tables.trajectories_real is not None and tables.trajectories_sim is not None:
        paths = tables.trajectories_real, tables.trajectories_sim
        report = replace(report, trajectories=_trajectory_score(*paths, boxes, rules))
    if tables.plans_real is not None and tables.plans_sim is not None:
        score = plan_discrepancy(read_plans(tables.plans_real), read_plans(tables.plans_sim))
        report = replace(report, plans=score)
    return report


def _with_detections(
    report: TaskReport, real: Boxes, sim: Boxes, labels_path: Path | None
) -> TaskReport:
    rules = report.rules.detection
    report = replace(report, agreement=detection_scores(_trusted(real, report.rules), sim, rules))
    if labels_path is None:
        return report
    labels = read_boxes(labels_path, scored=False)
    return replace(
        report,
        real=detection_scores(labels, real, rules),
        sim=detection_scores(labels, sim, rules),
    )


def _trusted(real: Boxes, rules: TaskRules) -> Boxes:
    """Return the detections of the real run that serve as labels."""
    return real if rules.least_score is None else real.rows(real.score >= rules.least_score)


def _trajectory_score(
    real_path: Path, sim_path: Path, boxes: tuple[Boxes, Boxes] | None, rules: TaskRules
) -> TrajectoryScore:
    """Return minADE over actors, matched by boxes if boxes name actors, else by actor names."""
    real, sim = read_trajectories(real_path), read_trajectories(sim_path)
    if boxes is None or any(each.actor is None for each in boxes):
        return min_ade(real, sim)
    labels = _trusted(boxes[0], rules)
    pairs = matched_actors(labels, boxes[1], rules.detection, rules.recall)
    recall = len(pairs) / len(labels) if len(labels) else None
    return replace(min_ade(real, sim, pairs), recall=recall)


def report_dict(report: TaskReport) -> dict[str, Any]:
    """Return all task metrics of a report as plain values for JSON, a dictionary.

    ``report`` (`TaskReport`) has the metrics. The keys are ``rules``, ``agreement``, ``labels``,
    ``trajectories`` and ``plans``; the value of a metric without tables is None.
    """
    rules = report.rules
    return {
        "rules": {
            **asdict(rules.detection),
            "least_score": rules.least_score,
            "recall": rules.recall,
        },
        "agreement": None if report.agreement is None else _scores_dict(report.agreement),
        "labels": _labels_dict(report.real, report.sim),
        "trajectories": None if report.trajectories is None else asdict(report.trajectories),
        "plans": None if report.plans is None else asdict(report.plans),
    }


def _labels_dict(
    real: DetectionScores | None, sim: DetectionScores | None
) -> dict[str, Any] | None:
    if real is None or sim is None:
        return None
    return {
        "real": _scores_dict(real),
        "sim": _scores_dict(sim),
        "delta_ap": difference(real.mean.ap, sim.mean.ap),
        "delta_recall": difference(real.mean.recall, sim.mean.recall),
    }


def _scores_dict(scores: DetectionScores) -> dict[str, Any]:
    classes = {name: asdict(score) for name, score in scores.classes.items()}
    return {**asdict(scores.mean), "classes": classes}


def report_table(report: TaskReport) -> Table:
    """Return a report as a table with a row for each metric and class.

    ``report`` (`TaskReport`) has the metrics; a metric that is None has no rows.
    """
    rows = (*_label_rows(report), *_agreement_rows(report), *_motion_rows(report))
    headings = ("Metric", "Class", "Value", "Over")
    return table("Task metrics, simulated beside real", headings, rows, right=(2,))


def _shown(value: float | None, unit: str = "") -> str:
    return "-" if value is None else f"{value:.4g}{unit}"


def _by_class(scores: DetectionScores) -> Iterator[tuple[str, DetectionScore]]:
    """Yield name and score of each class, then of the mean if there are several."""
    yield from scores.classes.items()
    if len(scores.classes) != 1:
        yield MEAN, scores.mean


def _label_rows(report: TaskReport) -> Iterator[_Row]:
    if report.real is None or report.sim is None:
        return
    for category, real in _by_class(report.real):
        sim = report.sim.mean if category == MEAN else report.sim.classes.get(category)
        if not real.n_labels or sim is None:
            continue
        for name, real_value, sim_value in (
            ("AP", real.ap, sim.ap),
            ("recall", real.recall, sim.recall),
        ):
            over = f"{real.n_labels} labels: real {_shown(real_value)}, sim {_shown(sim_value)}"
            yield f"Delta {name}", category, _shown(difference(real_value, sim_value)), over


def _agreement_rows(report: TaskReport) -> Iterator[_Row]:
    if report.agreement is None:
        return
    for category, score in _by_class(report.agreement):
        over = f"{score.n_labels} real, {score.n_proposals} simulated, {score.n_found} agree"
        yield "detection agreement, AP", category, _shown(score.ap), over
        yield "detection agreement, recall", category, _shown(score.recall), over


def _motion_rows(report: TaskReport) -> Iterator[_Row]:
    if (score := report.trajectories) is not None:
        named = score.matched_by == "actor"
        by = "equal names" if named else f"boxes at recall {_shown(score.recall)}"
        yield "minADE", "", _shown(score.min_ade_m, " m"), f"{score.n_actors} actors, {by}"
    if (plan := report.plans) is not None:
        over = f"{plan.n_frames} frames x {plan.n_waypoints} waypoints"
        yield "plan discrepancy, sum", "", _shown(plan.discrepancy_m2, " m2"), over
        yield "plan discrepancy, mean", "", _shown(plan.mean_m2, " m2"), over
