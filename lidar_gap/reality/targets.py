# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Counts of points on labelled people, cyclists and cars, and the error of simulated counts.

Objects are compared one by one: absolute difference of the counts, divided by the recorded count.
The mean over the objects is the MAPE. Visible and partly hidden objects are in separate rows,
because the simulation lacks occluders without a box. Largely hidden objects do not count.
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
"""Fewest recorded points of an object that is compared."""
MARGIN_M = 0.3
"""Boxes are enlarged by this on all sides except the bottom [m].

Labels have errors of this size: in KITTI's frame 000134, a car has 405 points in its box, 721
within 0.2 m of the box, 849 within 0.3 m and 856 within 0.4 m.
"""
BY_CLASS = "points_by_class"
_PEOPLE = ("pedestrian", "person", "person_sitting")
_CARS = ("car", "van")


class TargetRow(NamedTuple):
    """A row of the comparison: which objects it contains, and the largest acceptable error.

    Attributes
    ----------
    what : str
        Description in words.
    labels : tuple of str
        Classes of the objects, in lower case.
    occluded : int
        State of occlusion of the objects: `FREE` or `PARTLY`.
    limit : float
        Largest mean absolute error of an acceptable simulation, as a share of the recorded counts.
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
"""Rows of the comparison of objects, by name."""


class TargetError(NamedTuple):
    """Error of simulated counts against recorded counts.

    Attributes
    ----------
    n_object : int
        Number of objects with at least `FEWEST_POINTS` recorded points.
    mape : float
        Mean absolute error of the counts on these objects, as a share of the recorded counts.
    ratio : float
        Mean ratio of simulated to recorded counts.
    """

    n_object: int
    mape: float
    ratio: float


def count_targets(clouds: Sequence[ScanCloud], objects: LabelledObjects) -> Findings:
    """Return the numbers of points on labelled objects.

    Points that a cloud lists twice count once: drivers of sensors with two returns write both
    returns even if the two are identical.

    Parameters
    ----------
    clouds : sequence of ScanCloud
        Scans of the objects, recorded or simulated, in the frame of the labels.
    objects : LabelledObjects
        The objects.

    Returns
    -------
    Findings
        For each of `TARGET_ROWS`, a `Series` with a value for each object, the nearest first: its
        mean number of points over the scans. ``low`` and ``high`` are the smallest and the largest
        number. `BY_CLASS` is a `Series` with a value for each class: the mean number per object.
        Only visible and partly hidden objects count, and none that the border of the camera image
        cuts off. A row without objects is `Absent`.
    """
    counts = np.array(
        [[len(rows) for rows in _rows_of_objects(each, objects)] for each in clouds],
        np.float64,
    ).reshape(len(clouds), len(objects))
    found: list[Finding] = [_of_objects(name, counts, objects) for name in TARGET_ROWS]
    return Findings.of([*found, _by_class(counts, objects)])


def _rows_of_objects(cloud: ScanCloud, objects: LabelledObjects) -> list[NDArray[np.intp]]:
    """Return the rows of the points on each object, as rows of the result of `listed_once`."""
    return rows_in_boxes(listed_once(cloud.points_m), objects.boxes, margin_m=MARGIN_M)


def listed_once(points_m: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return each distinct point once, in the order of the input, float64 (n_distinct, 3) [m].

    ``points_m`` has the points, float64 (n_point, 3) [m]. Points are equal if all coordinates are
    exactly equal.
    """
    _, first = np.unique(points_m, axis=0, return_index=True)
    return points_m[np.sort(first)]


def target_error(real: Finding | None, sim: Finding | None) -> TargetError | None:
    """Return the error of simulated counts of points, for one row of `count_targets`.

    Parameters
    ----------
    real, sim : Series, Absent or None
        Recorded and simulated counts: a finding of the same name from the results of
        `count_targets`. Objects are matched by the labels of the series.

    Returns
    -------
    TargetError or None
        Error over the objects with at least `FEWEST_POINTS` recorded points. None if there is no
        such object, or if either side is None or `Absent`.
    """
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
    """Return the counts of points on the objects of one row."""
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
    """Return the mean number of points per object, by class."""
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
