# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Labels of points: a class by the OSI type of their object or by their material, and an instance.

Classes and their numbers follow SemanticKITTI (Behley et al., ICCV 2019; semantic-kitti.yaml of its
development kit). LAZ has the classes of ASPRS (LAS 1.4 R15, table 17). ASPRS has no classes for
vehicles or people: these get numbers from 64 on, which the format leaves to users.
"""

from __future__ import annotations

import logging
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

import numpy as np

from lidar_base.errors import YamlFileError
from lidar_base.files.yaml_files import read_yaml
from lidar_base.near_match import near_match
from lidar_scenery.classes import CLASSES, FALSE_ALARM, NAMES, TYPES, UNLABELED, WEATHER
from osi_lidar.errors import InputError
from osi_lidar.output.point_classes import PointClasses, is_object
from osi_lidar.output.stored import input_messages

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from osi_lidar.output.accumulation import Rows
    from osi_lidar.output.stored import StoredRun

logger = logging.getLogger(__name__)

LAS_UNCLASSIFIED = 1
LAS = {
    1: 7,  # low point: noise
    **dict.fromkeys((40, 44, 60), 11),  # road surface
    **dict.fromkeys((48, 49, 72), 2),  # ground
    **dict.fromkeys((70, 71), 5),  # high vegetation
    50: 6,  # building
    10: 64,
    18: 65,
    13: 66,
    20: 67,
    **dict.fromkeys((11, 31), 68),
    **dict.fromkeys((15, 32), 69),
    16: 70,
    30: 71,
    80: 72,
    81: 73,
    51: 74,
    52: 75,
    99: 76,
}
"""ASPRS class for each SemanticKITTI class; numbers from 64 on are our own."""
LAS_NAMES = {
    LAS_UNCLASSIFIED: "unclassified",
    2: "ground",
    5: "high vegetation",
    6: "building",
    7: "low point (noise)",
    11: "road surface",
    **{number: NAMES[label] for label, number in LAS.items() if number >= 64},
    68: "bicycle and bicyclist",
    69: "motorcycle and motorcyclist",
}
"""Name of each LAS class that `LAS` assigns, by the number of the class."""
_LARGEST = 0xFFFF


class Labelling:
    """Finds the class and instance labels of the points of a run.

    Parameters
    ----------
    run : StoredRun
        The run. Types of objects are read from its trace. If the trace is gone, points on objects
        are unlabeled, and a warning says so.
    file : Path, optional
        A user-defined map in place of `TYPES` and `MATERIALS`, see `read_classes`.

    Raises
    ------
    InputError
        If the map cannot be used.
    """

    def __init__(self, run: StoredRun, file: Path | None = None) -> None:
        self._classes = CLASSES if file is None else read_classes(file, run.materials)
        self._is_own = file is None
        self._points = PointClasses(run.materials, self._classes)
        try:
            for message in input_messages(run):
                self._points.learn(message.frame.objects)
        except InputError as error:
            logger.warning("points on objects get the label 0 (unlabeled): %s", error)
        self._instances: dict[int, int] = {}

    def of(self, points: Rows) -> NDArray[np.uint32]:
        """Return the label of each point, uint32 (n_point,).

        The class is in the lower 16 bits, the instance number of the object in the upper 16 bits.
        Objects get numbers from 1 on when they first have points; points on no object have 0.
        `points` is a structured array (n_point,), as `Labelling.classes` takes it.
        """
        return with_instances(self.classes(points), points, self._instances)

    def classes(self, points: Rows) -> NDArray[np.uint16]:
        """Return the number of each point's class, uint16 (n_point,).

        `points` is a structured array (n_point,) with the fields object_id and material_id. With a
        field origin, false alarms and points of weather get classes of their own.
        """
        return self._points.of(points)

    def las_classes(self, points: Rows) -> NDArray[np.uint8]:
        """Return the LAS class of each point, uint8 (n_point,); 1 if it is unclassified.

        `points` is a structured array (n_point,), as `Labelling.classes` takes it.
        """
        found, row = np.unique(self.classes(points), return_inverse=True)
        of_found = [LAS.get(each, LAS_UNCLASSIFIED) for each in found.tolist()]
        classes: NDArray[np.uint8] = np.array(of_found, np.uint8)[row]
        return classes

    def description(self) -> dict[str, Any]:
        """Return a dictionary that explains the labels.

        "labels" has class names by number, "classes" class numbers by name of a type or material.
        "instances" has the OSI ids of the objects labelled so far, by instance number.
        """
        of_number: dict[int, str] = {}
        for name, number in self._classes.items():
            of_number.setdefault(number, name)
        names = NAMES if self._is_own else {UNLABELED: "unlabeled", **of_number}
        instances = {number: each for each, number in self._instances.items()}
        return {"labels": names, "classes": self._classes, "instances": instances}


def with_instances(
    classes: NDArray[np.uint16], points: Rows, instances: dict[int, int]
) -> NDArray[np.uint32]:
    """Return the label of each point, uint32 (n_point,).

    The class is in the lower 16 bits, the instance number in the upper ones (0: no object).

    Parameters
    ----------
    classes : uint16 (n_point,)
        Number of each point's class.
    points : structured (n_point,)
        The points.
    instances : dict of int to int
        Instance number of each object by its OSI id, from 1 on. Objects that are not in this
        dictionary are added to it.

    Raises
    ------
    InputError
        If there are more objects than 16 bits can count.
    """
    label: NDArray[np.uint32] = classes.astype(np.uint32)
    of_object = is_object(points)
    found, row = np.unique(points["object_id"][of_object], return_inverse=True)
    for each in found.tolist():
        if instances.setdefault(each, len(instances) + 1) > _LARGEST:
            raise InputError(f"labels: got more than {_LARGEST} objects, instances have 16 bits")
    numbers = np.array([instances[each] for each in found.tolist()], np.uint32)
    label[of_object] |= numbers[row] << 16
    return label


def read_classes(file: Path, materials: Sequence[str]) -> dict[str, int]:
    """Read a user-defined map; return the number of a class by name, in lower case without TYPE_.

    Parameters
    ----------
    file : Path
        A YAML file. Each key is the name of an OSI type (case and TYPE_ do not matter), the name of
        a material, a pattern of such names with ``*``, ``false_alarm``, or ``weather``. Each value
        is the number of a class.
    materials : sequence of str
        The materials of the run.

    Raises
    ------
    InputError
        If the file cannot be read, a key matches no name, or a value is no integer in 0..65535.
    """
    try:
        content = read_yaml(file)
    except YamlFileError as error:
        raise InputError(str(error)) from error
    classes = {}
    for key, number in content.items():
        pattern = str(key).lower().removeprefix("type_")
        check_name(file, str(key), pattern, materials)
        if type(number) is not int or not 0 <= number <= _LARGEST:
            raise InputError(
                f"{file}: {key}: got {number!r}, expected a class from 0 to {_LARGEST}"
            )
        classes[pattern] = number
    return classes


def check_name(file: Path, key: str, pattern: str, materials: Iterable[str]) -> None:
    """Check that a key of a class map matches an OSI type or a material.

    Parameters
    ----------
    file : Path
        The file of the map, for the error message.
    key, pattern : str
        The key as in the file, and the key in lower case without TYPE_.
    materials : iterable of str
        The materials, and further names that are allowed.

    Raises
    ------
    InputError
        If the key matches nothing.
    """
    known = [*TYPES, *(name.lower() for name in materials), FALSE_ALARM, WEATHER]
    if not any(fnmatchcase(name, pattern) for name in known):
        near = near_match(pattern, known)
        raise InputError(f"{file}: {key}: expected an OSI type or a material of the run{near}")
