# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Points on objects: counts in boxes, by class and range."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lidar_gap.metrics.distributions import mape_percent
from lidar_gap.metrics.summaries import count, share

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

FOOT_M = 0.15
"""Points up to this height above the bottom of a box may belong to the ground [m]."""
NOISE_M = 0.1
"""Margin around a box, to count points that sensor noise has moved out of it [m]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectBoxes:
    """Upright boxes around objects, in the coordinate frame of the points.

    Attributes
    ----------
    centre_m, size_m : float64 (n_box, 3)
        Centre of each box; its length, width and height. [m]
    yaw_rad : float64 (n_box,)
        Direction of the box's length, counter-clockwise from x. [rad]
    label : tuple of str (n_box)
        Class of each object.
    """

    centre_m: NDArray[np.float64]
    size_m: NDArray[np.float64]
    yaw_rad: NDArray[np.float64]
    label: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.label)


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectCounts:
    """Points on the objects of one class, within one interval of range.

    Attributes
    ----------
    label : str
        The class.
    from_m, to_m : float
        Bounds of the distance from the sensor to the boxes' centres; the lower bound is included.
        [m]
    n_objects : int
        Number of objects.
    real, sim : int
        Number of real, and of simulated points on all these objects.
    mape_percent : float
        Mean over the objects of the absolute error of the simulated number of points, relative to
        the real number; objects without real points are left out. [%]
    """

    label: str
    from_m: float
    to_m: float
    n_objects: int
    real: int
    sim: int
    mape_percent: float

    @property
    def ratio(self) -> float:
        """Simulated points per real one; NaN without real points."""
        return share(self.sim, self.real)


def rows_in_boxes(
    points_m: NDArray[np.float64],
    boxes: ObjectBoxes,
    *,
    foot_m: float = FOOT_M,
    margin_m: float = 0.0,
) -> list[NDArray[np.intp]]:
    """Return for each box the indices of the points in it, ascending; its faces belong to it.

    Traps: a simulated body fills its box, so noise moves half of the points on a face out of the
    box, whereas a labelled box encloses the recorded points. A margin keeps the points in both
    cases. An object that hides others in the real scene may be missing in the simulated scene.

    Parameters
    ----------
    points_m : float64 (n_point, 3)
        The points. [m]
    boxes : ObjectBoxes
        The boxes, in the same coordinate frame.
    foot_m : float
        Height that is cut off at the bottom of each box. [m]
    margin_m : float
        Length by which each box is enlarged on all sides except the bottom. [m]
    """
    order = np.argsort(points_m[:, 0], kind="stable")
    x_m = points_m[order, 0]
    reach_m = np.hypot(*(boxes.size_m[:, :2].T + 2.0 * margin_m)) / 2
    first = np.searchsorted(x_m, boxes.centre_m[:, 0] - reach_m)
    last = np.searchsorted(x_m, boxes.centre_m[:, 0] + reach_m, side="right")
    found = []
    for number in range(len(boxes)):
        near = order[first[number] : last[number]]
        found.append(np.sort(near[_inside(points_m[near], boxes, number, foot_m, margin_m)]))
    return found


def object_counts(
    real_rows: Sequence[NDArray[np.intp]],
    sim_rows: Sequence[NDArray[np.intp]],
    boxes: ObjectBoxes,
    bin_m: float = 10.0,
) -> list[ObjectCounts]:
    """Count the points on objects, by class and range.

    Parameters
    ----------
    real_rows, sim_rows : sequence of intp (n,), one for each box
        Indices of the real, and of the simulated points in each box, from `rows_in_boxes`.
    boxes : ObjectBoxes
        The boxes, in the frame of the sensor.
    bin_m : float
        Length of the intervals of range, from 0. [m]

    Returns
    -------
    list of ObjectCounts
        Sorted by class, then by range; intervals without objects are left out.
    """
    interval = np.floor(np.linalg.norm(boxes.centre_m, axis=1) / bin_m).astype(int).tolist()
    keys = list(zip(boxes.label, interval, strict=True))
    real = np.array([len(rows) for rows in real_rows], np.float64)
    sim = np.array([len(rows) for rows in sim_rows], np.float64)
    return [
        _counts_of(key, np.array([each == key for each in keys]), real, sim, bin_m)
        for key in sorted(set(keys))
    ]


def _inside(
    points_m: NDArray[np.float64],
    boxes: ObjectBoxes,
    number: int,
    foot_m: float,
    margin_m: float,
) -> NDArray[np.bool_]:
    """Return which points lie in the box with index `number`."""
    off_m = points_m - boxes.centre_m[number]
    cos, sin = np.cos(boxes.yaw_rad[number]), np.sin(boxes.yaw_rad[number])
    along_m = off_m[:, 0] * cos + off_m[:, 1] * sin
    across_m = off_m[:, 1] * cos - off_m[:, 0] * sin
    length_m, width_m, height_m = boxes.size_m[number] / 2
    inside: NDArray[np.bool_] = (
        (np.abs(along_m) <= length_m + margin_m)
        & (np.abs(across_m) <= width_m + margin_m)
        & (off_m[:, 2] <= height_m + margin_m)
        & (off_m[:, 2] >= foot_m - height_m)
    )
    return inside


def _counts_of(
    key: tuple[str, int],
    chosen: NDArray[np.bool_],
    real: NDArray[np.float64],
    sim: NDArray[np.float64],
    bin_m: float,
) -> ObjectCounts:
    """Return the counts of the chosen objects, which have the same class and range interval."""
    label, interval = key
    return ObjectCounts(
        label=label,
        from_m=interval * bin_m,
        to_m=(interval + 1) * bin_m,
        n_objects=count(chosen),
        real=int(real[chosen].sum()),
        sim=int(sim[chosen].sum()),
        mape_percent=mape_percent(real[chosen], sim[chosen]),
    )
