# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Scenes of a data set: the scans of a run with their boxes and classes, and counts of them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, fields
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from lidar_app.datasets.box_times import AT_POINTS, brought_together
from lidar_app.datasets.boxes import stored_truth
from lidar_app.datasets.class_map import HOST
from lidar_app.exports.export_run import distinct
from lidar_app.exports.scan_points import deskewed_scans, has
from osi_lidar.clouds.origins import ORIGINS
from osi_lidar.output.point_classes import PointClasses, is_object

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from lidar_app.datasets.box_times import BoxTime
    from lidar_app.datasets.class_map import ClassMap
    from lidar_app.datasets.sources import RunSource
    from lidar_app.exports.boxes import ScanBoxes
    from osi_lidar.output.accumulation import Rows
    from osi_lidar.output.stored import StoredScan


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """A scan of a scene, with class labels and boxes.

    Attributes
    ----------
    scan : StoredScan
        The scan, with its row of frames.csv.
    points : structured (n_point,)
        Points of the scan, in the sensor frame at the end of the scan.
    classes : uint16 (n_point,)
        Class index of each point, see `ClassMap`; 0: unlabelled.
    boxes : ScanBoxes
        Boxes of objects whose class has boxes (`ClassEntry.box`), also boxes without points. Boxes
        and points are brought to one time, see `brought_together`.
    box_classes : int64 (n_box,)
        Class index of each box.
    """

    scan: StoredScan
    points: Rows
    classes: NDArray[np.uint16]
    boxes: ScanBoxes
    box_classes: NDArray[np.int64]

    def chosen(self, which: NDArray[np.bool_]) -> Sample:
        """Return a copy with only some boxes, and all points; `which` is a mask, bool (n_box,)."""
        return Sample(
            scan=self.scan,
            points=self.points,
            classes=self.classes,
            boxes=self.boxes.chosen(which),
            box_classes=self.box_classes[which],
        )


@dataclass(slots=True, kw_only=True)
class Counts:
    """Counts of a scene or a split.

    Attributes
    ----------
    scenes, scans, points : int
        Number of scenes, scans and points.
    boxes, points_of : Counter
        Number of boxes that have points, and number of points, by name of the class.
    unlabelled : Counter
        Number of points without a class, by name of their type, material or origin.
    unboxed : Counter
        Number of moving objects with points but without a class, by name of their type. An object
        counts once in each scan.
    """

    scenes: int = 0
    scans: int = 0
    points: int = 0
    boxes: Counter[str] = field(default_factory=Counter)
    points_of: Counter[str] = field(default_factory=Counter)
    unlabelled: Counter[str] = field(default_factory=Counter)
    unboxed: Counter[str] = field(default_factory=Counter)

    def add(self, other: Counts) -> None:
        """Add the counts of another scene or split, `other`, to this object, which is changed."""
        for each in fields(self):
            setattr(self, each.name, getattr(self, each.name) + getattr(other, each.name))


class DataScene:
    """A run as a scene of a data set.

    Parameters
    ----------
    source : RunSource
        The run.
    classes : ClassMap
        The classes.
    when : {'at-points', 'at-end', 'carried'}
        'at-points': a box is at the median time of its points. 'at-end': boxes are at the end of
        the scan. 'carried': as 'at-end', and points on moving objects are moved to the end, too.

    Raises
    ------
    InputError
        If the run has neither tables of ground truth nor its trace.
    """

    def __init__(self, source: RunSource, classes: ClassMap, *, when: BoxTime = AT_POINTS) -> None:
        self._when = when
        self.source, self.run, self.counts = source, source.run, Counts(scenes=1)
        self._map = classes
        self._truth = stored_truth(source.run, source.tables)
        self._points = PointClasses(source.run.materials, classes.indices)
        self._types = self._truth.types
        self._index_of = cache(classes.index_of)

    @property
    def scans(self) -> list[StoredScan]:
        """The scans of the run, without scans that repeat the cloud of an earlier scan."""
        return distinct(self.run.scans)

    def samples(
        self, counted: Callable[[Sequence[StoredScan]], Iterable[StoredScan]] = iter
    ) -> Iterator[Sample]:
        """Yield a `Sample` of each of `scans`, and add its points and boxes to `counts`.

        Iterate only once, else scans are counted twice.

        Parameters
        ----------
        counted : callable
            Takes the scans; returns an iterable of them that shows progress.
        """
        for scan, as_seen in deskewed_scans(self.run, counted(self.scans)):
            known = self._truth.of(scan, as_seen)
            points, boxes = brought_together(scan, as_seen, known, self._when)
            indices = np.array([self._index_of(names) for names in boxes.names], np.int64)
            boxed = np.array([False, *self._map.boxed])[indices]
            lost = boxes.moves & (indices == 0) & (boxes.points > 0)
            self.counts.unboxed.update(names[0] for names in boxes.names[lost])
            sample = Sample(
                scan=scan,
                points=points,
                classes=self._classes(points),
                boxes=boxes.chosen(boxed),
                box_classes=indices[boxed],
            )
            self._count(sample)
            yield sample

    def _classes(self, points: Rows) -> NDArray[np.uint16]:
        """Return the class index of each point; a class of the host overrides its type."""
        indices = self._points.of(points)
        of_object = is_object(points)
        found, row = np.unique(points["object_id"][of_object], return_inverse=True)
        indices[of_object] = np.array([self._class_of(each) for each in found.tolist()], int)[row]
        return indices

    def _class_of(self, object_id: int) -> int:
        """Return the class index of an object, 0 without a class; ``host`` precedes its type."""
        host = (HOST,) if object_id == self.run.host_object_id else ()
        return self._index_of((*host, *self._types.get(object_id, ())))

    def _count(self, sample: Sample) -> None:
        counts, names = self.counts, ("", *self._map.names)
        counts.scans += 1
        counts.points += len(sample.points)
        with_points = sample.box_classes[sample.boxes.points > 0].tolist()
        counts.boxes.update(names[each] for each in with_points)
        for index, n in enumerate(np.bincount(sample.classes, minlength=len(names)).tolist()):
            if index and n:
                counts.points_of[names[index]] += n
        self._count_unlabelled(sample.points[sample.classes == 0])

    def _count_unlabelled(self, points: Rows) -> None:
        """Count points without a class, by type, material or origin."""
        if has(points, "origin"):
            made = points["origin"] > 0
            for origin, n in _each(points["origin"][made]):
                self.counts.unlabelled[ORIGINS[origin]] += n
            points = points[~made]
        of_object = is_object(points)
        for number, n in _each(points["object_id"][of_object]):
            self.counts.unlabelled[self._types.get(number, ("object of unknown type",))[0]] += n
        for number, n in _each(points["material_id"][~of_object]):
            known = number < len(self.run.materials)
            self.counts.unlabelled[self.run.materials[number] if known else "no material"] += n


def _each(values: NDArray[np.generic]) -> Iterator[tuple[int, int]]:
    """Yield each value and how often it occurs."""
    found, n = np.unique(values, return_counts=True)
    yield from zip(found.tolist(), n.tolist(), strict=True)
