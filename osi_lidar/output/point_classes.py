# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Classes of points: the class of the object that was hit, or else of the material."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lidar_scenery.classes import CLASSES, UNLABELED, class_of, named_types
from osi_lidar.clouds.origins import TABLE
from osi_lidar.scan.records import NO_MATERIAL

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from osi_bridge import ObjectStates
    from osi_lidar.output.accumulation import Rows


def is_object(points: Rows) -> NDArray[np.bool_]:
    """Return which points are on an OSI object, bool (n_point,).

    ``points`` is structured, (n_point,), with the field object_id. The largest value of the field's
    type means that the point is on no object.
    """
    found: NDArray[np.bool_] = points["object_id"] != np.iinfo(points["object_id"].dtype).max
    return found


class PointClasses:
    """Gives each point of a cloud the number of its class, such as 10 for cars.

    Parameters
    ----------
    materials : sequence of str
        Names of the materials, indexed by ``material_id``.
    classes : mapping
        Numbers of the classes by name; default: `lidar_scenery.classes.CLASSES`.
    """

    def __init__(self, materials: Sequence[str], classes: Mapping[str, int] = CLASSES) -> None:
        self._classes = classes
        self._of_material = np.zeros(NO_MATERIAL + 1, np.uint16)
        self._of_material[: len(materials)] = [
            class_of(name, classes=classes) for name in materials
        ]
        self._of_type: dict[tuple[str, ...], int] = {}
        self._of_object: dict[int, int] = {}

    def learn(self, objects: ObjectStates) -> None:
        """Record the types of a message's objects, which decide the classes of points on them.

        ``objects`` are the objects of the message, `ObjectStates`. Points on an object that was in
        no message so far get the class `UNLABELED`.
        """
        for each, names in named_types(objects):
            if names not in self._of_type:
                self._of_type[names] = class_of(*names, classes=self._classes)
            self._of_object[each] = self._of_type[names]

    def of(self, points: Rows) -> NDArray[np.uint16]:
        """Return the number of the class of each point.

        A point on an OSI object has the class of the object. Any other point has the class of its
        origin if it has one (such as a false alarm or weather), else the class of its material.

        Parameters
        ----------
        points : structured (n_point,)
            Points with the fields object_id and material_id, and origin if they have one.

        Returns
        -------
        uint16 (n_point,)
            The numbers; `UNLABELED` for points without a class.
        """
        classes: NDArray[np.uint16] = self._of_material[points["material_id"]]
        if "origin" in (points.dtype.names or ()):
            origin = points["origin"]
            for number, each in enumerate(TABLE):
                if each.point_class is not None:
                    number_of_class = class_of(each.point_class, classes=self._classes)
                    classes[origin == number] = number_of_class
        of_object = is_object(points)
        found, row = np.unique(points["object_id"][of_object], return_inverse=True)
        classes[of_object] = self.of_objects(found.tolist())[row]
        return classes

    def of_objects(self, object_ids: Sequence[int]) -> NDArray[np.uint16]:
        """Return the number of the class of each of some OSI objects.

        ``object_ids`` is a sequence of n OSI ids, int. The result is uint16 (n,), `UNLABELED` for
        an object that was in no message passed to `learn`.
        """
        return np.array([self._of_object.get(each, UNLABELED) for each in object_ids], np.uint16)
