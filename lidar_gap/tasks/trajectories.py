# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Predicted trajectories of actors: the smallest average displacement (minADE)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from lidar_gap.tasks.detection import UNMATCHED, by_score, matched_labels
from lidar_gap.tasks.tables import Column, read_table
from osi_lidar.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from lidar_gap.tasks.boxes import Boxes
    from lidar_gap.tasks.detection import DetectionRules

MATCHED_RECALL = 0.3
"""Default share of the real boxes up to which actors are matched and compared by minADE.

The value is from the study of Waabi. [1]
"""
_COLUMNS = (
    Column(name="frame", kind="whole"),
    Column(name="actor", kind="text"),
    Column(name="mode", kind="whole"),
    Column(name="probability"),
    Column(name="step", kind="whole"),
    Column(name="x"),
    Column(name="y"),
)
Actor: TypeAlias = "tuple[int, str]"
"""Frame in which a prediction was made, and the name of its actor."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trajectories:
    """Predicted trajectories of a run; an index stands for one mode of an actor in a frame.

    Modes are alternative predictions. An actor has one or several in a frame.

    Attributes
    ----------
    path : Path
        The table of the trajectories, for messages.
    frame : int64 (n_mode,)
        Frame in which a prediction was made.
    actor : text (n_mode,)
        Name of the actor within the frame.
    probability : float64 (n_mode,)
        Probability of the mode; only the order of an actor's modes is used.
    points_m : float64 (n_mode, n_step, 2)
        Positions seen from above, in the same coordinates for both runs. [m]
    """

    path: Path
    frame: NDArray[np.int64]
    actor: NDArray[np.str_]
    probability: NDArray[np.float64]
    points_m: NDArray[np.float64]

    def modes(self) -> dict[Actor, list[int]]:
        """Return the alternative predictions (modes) of each actor in a frame, most likely first.

        The result maps (frame, name of the actor) to a list of indices into the arrays of this
        record. Of modes with equal probability, the first in the table comes first.
        """
        found: dict[Actor, list[int]] = {}
        for row in np.argsort(-self.probability, kind="stable").tolist():
            found.setdefault((int(self.frame[row]), str(self.actor[row])), []).append(row)
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class TrajectoryScore:
    """Difference of the predicted trajectories of two runs.

    Attributes
    ----------
    min_ade_m : float or None
        minADE: distance of the real trajectory to the nearest simulated mode, mean over the actors;
        None without actors. [m]
    n_actors : int
        Number of actors that are compared.
    matched_by : {"boxes", "actor"}
        Whether actors were matched by boxes, or by names.
    recall : float or None
        Share of the real run's boxes that are matched; None if actors were matched by name.
    """

    min_ade_m: float | None
    n_actors: int
    matched_by: Literal["boxes", "actor"]
    recall: float | None


def read_trajectories(path: Path) -> Trajectories:
    """Read a table of predicted trajectories, with a row for each step of each mode.

    A mode is one of several alternative predictions for an actor. The columns are ``frame``,
    ``actor`` (its name), ``mode`` (number), ``probability``, ``step`` (number), ``x`` and ``y``
    [m].

    Parameters
    ----------
    path : Path
        The table: JSON if its name ends in ``.json``, else CSV.

    Raises
    ------
    InputError
        If the table cannot be used, or its modes have different steps.
    """
    table = read_table(path, _COLUMNS)
    table.check_unique("frame", "actor", "mode", "step")
    columns = table.columns
    _, actor = np.unique(columns["actor"], return_inverse=True)
    keys = np.stack([columns["frame"], actor, columns["mode"]], axis=1)
    _, first, mode, count = np.unique(
        keys, axis=0, return_index=True, return_inverse=True, return_counts=True
    )
    order = np.lexsort((columns["step"], mode.reshape(-1)))
    n_step = int(count[0]) if len(table) else 0
    steps = np.unique(columns["step"])
    if len(steps) != n_step or (count != n_step).any():
        row = int(first[np.argmin(count)])
        raise table.error(
            row, f"a mode of this actor has {count.min()} of {len(steps)} steps, expected all"
        )
    points_m = np.stack([columns["x"], columns["y"]], axis=1)[order]
    appearance = np.argsort(first, kind="stable")  # modes in the order of the table
    first = first[appearance]
    return Trajectories(
        path=path,
        frame=columns["frame"][first],
        actor=columns["actor"][first],
        probability=columns["probability"][first],
        points_m=points_m.reshape(len(first), n_step, 2)[appearance],
    )


def matched_actors(
    real: Boxes, sim: Boxes, rules: DetectionRules, recall: float = MATCHED_RECALL
) -> list[tuple[Actor, Actor]]:
    """Return pairs (real actor, simulated actor) whose boxes match, up to a given recall.

    An actor is given as (frame, name). `matched_labels` matches the boxes, with the real boxes as
    labels.

    Parameters
    ----------
    real, sim : Boxes
        Boxes of the real and of the simulated run, with names of actors.
    rules : DetectionRules
        When two boxes match.
    recall : float
        Share of the real boxes after which no more matches are returned. Matches are returned by
        descending score of the simulated box; if this share is never reached, all matches are
        returned. [1]

    Raises
    ------
    InputError
        If the boxes do not name their actors.
    """
    if real.actor is None or sim.actor is None:
        raise InputError("boxes do not name actors, expected a column 'actor' in both tables")
    matched = matched_labels(real, sim, rules)
    rows = [row for row in by_score(sim).tolist() if matched[row] != UNMATCHED]
    n_most = math.ceil(round(recall * len(real), 9))
    return [
        (
            (int(real.frame[matched[row]]), str(real.actor[matched[row]])),
            (int(sim.frame[row]), str(sim.actor[row])),
        )
        for row in rows[:n_most]
    ]


def min_ade(
    real: Trajectories, sim: Trajectories, pairs: Sequence[tuple[Actor, Actor]] | None = None
) -> TrajectoryScore:
    """Return how far real trajectories are from the nearest simulated mode, averaged over actors.

    Parameters
    ----------
    real, sim : Trajectories
        Predictions of both runs.
    pairs : sequence of (Actor, Actor) or None
        Matched actors of both runs; actors without a prediction in both runs are left out. None
        matches actors by frame and name.

    Raises
    ------
    InputError
        If the trajectories of both runs differ in their number of steps.

    Notes
    -----
    minADE = mean over actors of min over modes k of 1/T sum_t |x_t^R - x_(k,t)^S|. x^R is the most
    likely trajectory of the real run, the first one if several are equally likely.
    """
    n_real, n_sim = real.points_m.shape[1], sim.points_m.shape[1]
    if len(real.frame) and len(sim.frame) and n_real != n_sim:
        raise InputError(
            f"{sim.path}: trajectories have {n_sim} steps, expected {n_real} as in {real.path}"
        )
    of_real, of_sim = real.modes(), sim.modes()
    chosen = [(actor, actor) for actor in of_real] if pairs is None else pairs
    shared = [(of_real[r][0], of_sim[s]) for r, s in chosen if r in of_real and s in of_sim]
    return TrajectoryScore(
        min_ade_m=_mean_of_nearest_m(real, sim, shared),
        n_actors=len(shared),
        matched_by="actor" if pairs is None else "boxes",
        recall=None,
    )


def _mean_of_nearest_m(
    real: Trajectories, sim: Trajectories, shared: Sequence[tuple[int, list[int]]]
) -> float | None:
    """Return the mean distance to the nearest mode, over (row of real, rows of sim) [m]."""
    if not shared:
        return None
    count = np.array([len(modes) for _, modes in shared], np.int64)
    of_real = np.repeat([row for row, _ in shared], count)
    of_sim = np.concatenate([modes for _, modes in shared])
    apart_m = real.points_m[of_real] - sim.points_m[of_sim]
    displacement_m = np.linalg.norm(apart_m, axis=2).mean(axis=1)
    nearest_m = np.minimum.reduceat(displacement_m, np.cumsum(count) - count)
    return float(nearest_m.mean())
