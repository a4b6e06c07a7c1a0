# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Plans of the ego vehicle: their discrepancy between two runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lidar_gap.tasks.tables import Column, read_table
from osi_lidar.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

_COLUMNS = (
    Column(name="frame", kind="whole"),
    Column(name="waypoint", kind="whole"),
    Column(name="x"),
    Column(name="y"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Plans:
    """Plans of all frames of a run.

    Attributes
    ----------
    path : Path
        The table of the plans, for messages.
    frame : int64 (n_frame,)
        Frame in which each plan was made, ascending.
    points_m : float64 (n_frame, n_waypoint, 2)
        Planned positions seen from above, in the same coordinates for both runs. [m]
    """

    path: Path
    frame: NDArray[np.int64]
    points_m: NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanScore:
    """Difference of the plans of two runs.

    Attributes
    ----------
    discrepancy_m2 : float
        Sum of squared distances over all waypoints of all frames; it grows with the numbers of
        waypoints and frames. [m2]
    mean_m2 : float
        Mean squared distance of a waypoint. [m2]
    n_frames, n_waypoints : int
        Number of plans (one per frame), and of waypoints in each plan.
    """

    discrepancy_m2: float
    mean_m2: float
    n_frames: int
    n_waypoints: int


def read_plans(path: Path) -> Plans:
    """Read the table ``path`` of plans: a CSV file with a header, or a JSON list of objects.

    It has a row for each waypoint of each plan, with the columns ``frame``, ``waypoint`` (its
    number in the plan), ``x`` and ``y`` [m]. A file that ends in ``.json`` is read as JSON.

    Raises
    ------
    InputError
        If the table cannot be used, has no plans, or the plans do not all have the same waypoints.
    """
    table = read_table(path, _COLUMNS)
    table.check_unique("frame", "waypoint")
    columns = table.columns
    if not len(table):
        raise InputError(f"{path}: has no plans, expected a row for each waypoint")
    frame, first, count = np.unique(columns["frame"], return_index=True, return_counts=True)
    n_waypoint = len(np.unique(columns["waypoint"]))
    if (count != n_waypoint).any():
        least = int(np.argmin(count))
        words = f"frame {frame[least]} has {count[least]} of {n_waypoint} waypoints, expected all"
        raise table.error(int(first[least]), words)
    order = np.lexsort((columns["waypoint"], columns["frame"]))
    points_m = np.stack([columns["x"], columns["y"]], axis=1)[order]
    return Plans(path=path, frame=frame, points_m=points_m.reshape(len(frame), n_waypoint, 2))


def plan_discrepancy(real: Plans, sim: Plans) -> PlanScore:
    """Return the squared distances between the waypoints of two runs: their sum and their mean.

    Parameters
    ----------
    real, sim : Plans
        Plans of the real and of the simulated run, of the same frames and with equal numbers of
        waypoints.

    Raises
    ------
    InputError
        If the runs differ in their frames or in the number of waypoints.

    Notes
    -----
    PD = sum_i sum_(m=i..i+P) |tau_m^S - tau_m^R|^2 over N frames i and P + 1 waypoints m. PD is a
    sum: compare only values with the same N and P.
    """
    if real.frame.tolist() != sim.frame.tolist():
        alone = np.setxor1d(real.frame, sim.frame)
        path = sim.path if alone[0] in real.frame else real.path
        raise InputError(f"{path}: has no plan of frame {alone[0]}, which the other run has")
    if real.points_m.shape != sim.points_m.shape:
        n_real, n_sim = real.points_m.shape[1], sim.points_m.shape[1]
        raise InputError(
            f"{sim.path}: plans have {n_sim} waypoints, expected {n_real} as in {real.path}"
        )
    squared_m2 = ((sim.points_m - real.points_m) ** 2).sum(axis=2)
    return PlanScore(
        discrepancy_m2=float(squared_m2.sum()),
        mean_m2=float(squared_m2.mean()),
        n_frames=squared_m2.shape[0],
        n_waypoints=squared_m2.shape[1],
    )
