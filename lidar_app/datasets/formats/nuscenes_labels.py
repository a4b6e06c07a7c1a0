# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Point files of nuScenes: clouds, and the labels of lidarseg and panoptic."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from osi_lidar.errors import InputError
from osi_lidar.output.point_classes import is_object

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from lidar_app.datasets.class_map import ClassMap
    from osi_lidar.output.accumulation import Rows
    from osi_lidar.sensors.reports import Reports

LARGEST = 64
"""Largest number of a category: 1000 times the number must fit into 16 bits (panoptic)."""
MOST_INSTANCES = 999


def write_cloud(path: Path, points: Rows, reports: Reports) -> None:
    """Write a point file: for each point x y z [m], intensity and ring, all float32.

    Parameters
    ----------
    path : Path
        The file, which is replaced if it exists.
    points : structured (n_point,)
        Points with the fields x, y, z, reflectivity and ring; the positions are written as given.
    reports : Reports
        The sensor's conversion of reflectivity to intensity, from 0 to 255.
    """
    rows = np.empty((len(points), 5), "<f4")
    for place, axis in enumerate("xyz"):
        rows[:, place] = points[axis]
    rows[:, 3] = reports.byte(points["reflectivity"])
    rows[:, 4] = points["ring"]
    path.write_bytes(rows.tobytes())


class PointLabels:
    """Makes the labels of the points of a scene, in the form of lidarseg and panoptic.

    Objects keep their instance numbers from scan to scan.

    Parameters
    ----------
    classes : ClassMap
        The classes; their numbers are the categories.

    Raises
    ------
    InputError
        If the number of a class exceeds `LARGEST`.
    """

    def __init__(self, classes: ClassMap) -> None:
        for name, number in zip(classes.names, classes.numbers, strict=True):
            if number > LARGEST:
                raise InputError(
                    f"{classes.source}: classes: {name}: got the number {number}, expected at most "
                    f"{LARGEST} for nuScenes"
                )
        self._numbers = np.array([0, *classes.numbers], np.uint16)
        self._boxed = np.array([False, *classes.boxed])
        self._instances: dict[tuple[int, int], int] = {}
        self._counts: dict[int, int] = {}

    def lidarseg(self, classes: NDArray[np.uint16]) -> NDArray[np.uint8]:
        """Return the category number of each point, uint8 (n_point,).

        `classes` has the class index of each point in the class map, uint16 (n_point,); 0: no
        class, which gets the category 0.
        """
        return self._numbers[classes].astype(np.uint8)

    def panoptic(self, points: Rows, classes: NDArray[np.uint16]) -> NDArray[np.uint16]:
        """Return 1000 * category + instance number for each point, uint16 (n_point,).

        Instance numbers count the objects of each class from 1. They are 0 for points on no object,
        and in classes without boxes.

        Parameters
        ----------
        points : structured (n_point,)
            Points with the field object_id.
        classes : uint16 (n_point,)
            Class index of each point in the class map; 0: no class.

        Raises
        ------
        InputError
            If a class has more than `MOST_INSTANCES` objects.
        """
        labels = 1000 * self._numbers[classes]
        counted = is_object(points) & self._boxed[classes]
        found, row = np.unique(points["object_id"][counted], return_inverse=True)
        first = np.unique(row, return_index=True)[1]
        category = classes[counted][first]
        numbers = [
            self._instance(each, index)
            for each, index in zip(found.tolist(), category.tolist(), strict=True)
        ]
        labels[counted] += np.array(numbers, np.uint16)[row]
        return labels.astype(np.uint16)

    def _instance(self, object_id: int, index: int) -> int:
        """Return the instance number of an object within its class, from 1."""
        key = object_id, index
        if key not in self._instances:
            self._counts[index] = self._counts.get(index, 0) + 1
            self._instances[key] = self._counts[index]
        if self._instances[key] > MOST_INSTANCES:
            raise InputError(
                f"a scene has more than {MOST_INSTANCES} objects of a class, which nuScenes cannot "
                "number; use shorter traces"
            )
        return self._instances[key]
