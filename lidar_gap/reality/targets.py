# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Points on labelled people, cyclists and cars: counts, and by how much simulated ones differ.

Objects are compared one by one: the absolute difference of the counts over the recorded count, and
its mean over the objects (MAPE). Objects that nothing hides and those that something hides partly
are distinguished, as a simulation lacks what hides them and has no box. Largely hidden objects do
not count.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from lidar_gap.calibrate.findings import Absent, Findings, Series
from lidar_gap.metrics.distributions import mape_percent
from lidar_gap.metrics.objects import FOOT_M, rows_in_boxes
from lidar_gap.reality.labels import FREE, PARTLY

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from lidar_gap.calibrate.findings import Finding
    from lidar_gap.reality.labels import LabelledObjects
    from lidar_gap.records import ScanCloud

FEWEST_POINTS = 20
"""Recorded points that an object needs to be compared."""
MARGIN_M = 0.3
"""How far boxes are enlarged, but not downwards [m].

Labels are that far off: in KITTI's frame 000134 a car has 405 points in its box, 721 within 0.2 m
of it, 849 within 0.3 m and 856 within 0.4 m.
"""
BY_CLASS = "points_by_class"
_PEOPLE = ("pedestrian", "person", "person_sitting")
_CARS = ("car", "van")


class TargetRow(NamedTuple):
    """Objects that make a row.

    Attributes
    ----------
    what : str
        In words.
    labels : tuple of str
        Their classes, in small letters.
    occluded : int
        Their state of occlusion.
    limit : float
        The MAPE within which a simulation is right, as a share.
    """

    what: str
    labels: tuple[str, ...]
    occluded: int
    limit: float


TARGET_ROWS: Mapping[str, TargetRow] = {
    "points_on_people_free": TargetRow("points on people, by person", _PEOPLE, FREE, 0.25),
    "points_on_people_hidden": TargetRow(
        "points on people hidden partly, by person", _PEOPLE, PARTLY, 0.40
    ),
    "points_on_cyclists_free": TargetRow(
        "points on cyclists, by cyclist", ("cyclist",), FREE, 0.25
    ),
    "points_on_cyclists_hidden": TargetRow(
        "points on cyclists hidden partly, by cyclist", ("cyclist",), PARTLY, 0.40
    ),
    "points_on_cars_free": TargetRow("points on cars, by car", _CARS, FREE, 0.15),
    "points_on_cars_hidden": TargetRow("points on cars hidden partly, by car", _CARS, PARTLY, 0.40),
}
"""Rows of objects, by name."""


class TargetError(NamedTuple):
    """By how much simulated counts differ from recorded ones.

    Attributes
    ----------
    n_object : int
        Objects with at least `FEWEST_POINTS` recorded points.
    mape : float
        Mean absolute error of their counts, as a share of the recorded ones.
    ratio : float
        Mean of simulated over recorded counts.
    """

    n_object: int
    mape: float
    ratio: float


def count_targets(clouds: Sequence[ScanCloud], objects: LabelledObjects) -> Findings:
    """Return the numbers of points on labelled objects.

    Points that a cloud lists twice count once: drivers of sensors with two returns write both,
    also where these are one and the same.

    Parameters
    ----------
    clouds : sequence of ScanCloud
        Scans of the objects, recorded or simulated, in the frame of the labels.
    objects : LabelledObjects
        The objects.

    Returns
    -------
    Findings
        For each of `TARGET_ROWS` a series over its objects, the nearest first: mean number of
        points of the scans, and the least and the most. `BY_CLASS` is the mean over the objects of
        each class that are not hidden largely.
    """
    counts = np.array(
        [[len(rows) for rows in _rows_of_objects(each, objects)] for each in clouds],
        np.float64,
    ).reshape(len(clouds), len(objects))
    found: list[Finding] = [_of_objects(name, counts, objects) for name in TARGET_ROWS]
    return Findings.of([*found, _by_class(counts, objects)])


def _rows_of_objects(cloud: ScanCloud, objects: LabelledObjects) -> list[NDArray[np.intp]]:
    """Return the rows of the points on each object, among those that differ."""
    return rows_in_boxes(listed_once(cloud.points_m), objects.boxes, margin_m=MARGIN_M)


def listed_once(points_m: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return points without repeated ones, float64 (n_point, 3), in their order. [m]."""
    _, first = np.unique(points_m, axis=0, return_index=True)
    return points_m[np.sort(first)]


def target_error(real: Finding | None, sim: Finding | None) -> TargetError | None:
    """Return by how much the counts of one row differ, None where no object can be compared."""
    if not isinstance(real, Series) or not isinstance(sim, Series):
        return None
    rows = [row for row, label in enumerate(real.labels) if label in sim.labels]
    recorded = real.values[rows]
    simulated = sim.values[[sim.labels.index(real.labels[row]) for row in rows]]
    enough = recorded >= FEWEST_POINTS
    if not enough.any():
        return None
    recorded, simulated = recorded[enough], simulated[enough]
    return TargetError(
        n_object=len(recorded),
        mape=mape_percent(recorded, simulated) / 100.0,
        ratio=float(np.mean(simulated / recorded)),
    )


def _of_objects(name: str, counts: NDArray[np.float64], objects: LabelledObjects) -> Finding:
    """Return the counts of the objects of one row."""
    wanted = TARGET_ROWS[name]
    boxes, away_m = objects.boxes, objects.distance_m
    rows = [
        row
        for row in np.argsort(away_m, kind="stable").tolist()
        if boxes.label[row].lower() in wanted.labels
        and objects.occluded[row] == wanted.occluded
        and not objects.cut[row]
    ]
    if not rows:
        return Absent(name=name, reason="no such object is labelled")
    labels = tuple(f"{boxes.label[row]} {row + 1} at {away_m[row]:.1f} m" for row in rows)
    mean = counts[:, rows].mean(axis=0)
    return Series(
        name=name,
        labels=labels,
        values=mean,
        low=counts[:, rows].min(axis=0),
        high=counts[:, rows].max(axis=0),
        n=np.rint(mean).astype(np.int64),
        fitted_on=f"{len(counts)} scans; {MARGIN_M} m around a box, above its lowest {FOOT_M} m",
    )


def _by_class(counts: NDArray[np.float64], objects: LabelledObjects) -> Finding:
    """Return the mean number of points on an object, by class."""
    seen = np.isin(objects.occluded, (FREE, PARTLY)) & ~objects.cut
    label = np.array(objects.boxes.label, np.str_)
    names = sorted(set(label[seen].tolist()))
    if not names:
        return Absent(name=BY_CLASS, reason="no object is labelled that can be seen")
    masks = [seen & (label == name) for name in names]
    means = np.array([counts[:, mask].mean(axis=1) for mask in masks])
    return Series(
        name=BY_CLASS,
        labels=tuple(names),
        values=means.mean(axis=1),
        low=means.min(axis=1),
        high=means.max(axis=1),
        n=np.array([mask.sum() for mask in masks], np.int64),
        fitted_on=f"{len(counts)} scans; n: objects",
    )
