# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Labels of points: a class by the OSI type of their object or by their material, and an instance.

Classes and their numbers are those of SemanticKITTI (Behley et al., ICCV 2019; semantic-kitti.yaml
of its development kit). LAZ has those of ASPRS (LAS 1.4 R15, table 17), which know no vehicles or
people: these have numbers from 64 on, which the format leaves to its users.
"""

from __future__ import annotations

import logging
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

import numpy as np

from lidar_app.exports.scan_points import has, is_object
from lidar_base.errors import YamlFileError
from lidar_base.near_match import near_match
from lidar_base.yaml_files import read_yaml
from osi_bridge import ObjectKind
from osi_lidar.errors import InputError
from osi_lidar.output.stored import input_messages
from osi_lidar.scan.records import NO_MATERIAL, ORIGINS

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from osi_lidar.output.accumulation import Rows
    from osi_lidar.output.stored import StoredRun

logger = logging.getLogger(__name__)

UNLABELED = 0
NAMES = {
    UNLABELED: "unlabeled",
    1: "outlier",
    10: "car",
    11: "bicycle",
    13: "bus",
    15: "motorcycle",
    16: "on-rails",
    18: "truck",
    20: "other-vehicle",
    30: "person",
    31: "bicyclist",
    32: "motorcyclist",
    40: "road",
    44: "parking",
    48: "sidewalk",
    49: "other-ground",
    50: "building",
    51: "fence",
    52: "other-structure",
    60: "lane-marking",
    70: "vegetation",
    71: "trunk",
    72: "terrain",
    80: "pole",
    81: "traffic-sign",
    99: "other-object",
}
"""SemanticKITTI's classes, without those of moving objects (252 to 259)."""
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
"""ASPRS's class of each of these; from 64 on of our own."""
LAS_NAMES = {
    LAS_UNCLASSIFIED: "unclassified",
    2: "ground",
    5: "high vegetation",
    6: "building",
    7: "low point (noise)",
    11: "road surface",
    **{number: NAMES[label] for label, number in LAS.items() if number >= 64},
}
"""Names of LAS's classes."""
TYPES = {
    **dict.fromkeys(("small_car", "compact_car", "car", "medium_car", "luxury_car", "van"), 10),
    **dict.fromkeys(("delivery_van", "heavy_truck", "semitractor", "semitrailer"), 18),
    "bicycle": 31,
    "motorbike": 32,
    "motorcycle": 32,
    "bus": 13,
    "tram": 16,
    "train": 16,
    **dict.fromkeys(("vehicle", "trailer", "wheelchair", "standup_scooter"), 20),
    **dict.fromkeys(("micromobility_device", "work_machine", "watercraft", "aircraft"), 20),
    "land_vehicle": 20,
    "pedestrian": 30,
    "animal": 99,
    "building": 50,
    "wall": 52,
    "barrier": 51,
    "pole": 80,
    "pylon": 80,
    "delineator": 80,
    "tree": 70,
    "vegetation": 70,
    "curbstone": 48,
    "speed_bump": 40,
    "traffic_sign": 81,
    "traffic_light": 99,
    **dict.fromkeys(("bridge", "vertical_structure", "rectangular_structure"), 52),
    **dict.fromkeys(("overhead_structure", "reflective_structure", "emitting_structure"), 52),
    "construction_site_element": 99,
    "other": 99,
    "unknown": 99,
}
"""Classes of objects, by the name of their OSI type: lower case, without TYPE_."""
MATERIALS = {
    **dict.fromkeys(("asphalt_*", "tar"), 40),
    "road_marking_*": 60,
    **dict.fromkeys(("paving_stone", "kerb_stone"), 48),
    **dict.fromkeys(("brick", "cinder_block", "plaster*", "roof*", "glass*"), 50),
    **dict.fromkeys(("concrete", "metal_painted", "aluminium*", "steel*", "copper*", "wood*"), 52),
    **dict.fromkeys(("marble", "stone", "granite", "basalt", "limestone", "sandstone"), 52),
    **dict.fromkeys(("leaves", "leaves_dry", "needles*", "vegetation", "twigs"), 70),
    "bark*": 71,
    **dict.fromkeys(
        ("grass*", "soil*", "sand", "sand_white", "gravel", "leaf_litter", "lichen"), 72
    ),
    **dict.fromkeys(("snow*", "frost", "water", "ice"), 49),
    "sign_sheeting*": 81,
    **dict.fromkeys(("car_paint_*", "rubber_tyre", "licence_plate", "lamp_lens_*"), 10),
    **dict.fromkeys(("skin", "hair_dark", "vest_retro"), 30),
    **dict.fromkeys(("lambertian_*", "absorber", "transparent", "mirror", "chrome"), 99),
    **dict.fromkeys(("plastic_*", "paper_white", "cardboard", "cloth_*", "leather_dark"), 99),
    **dict.fromkeys(("rubber_black", "foam_black", "paint_olive", "retro_reflector"), 99),
}
"""Classes of what is no object, by the name of its material; all built-in ones have one."""
FALSE_ALARM = "false_alarm"
"""Name of points that noise alone made."""
_LARGEST = 0xFFFF


class Labelling:
    """Labels of the points of a run.

    Parameters
    ----------
    run : StoredRun
        The run. Types of its objects are read from its trace; where that is gone, a warning says
        so, and objects are unlabeled.
    file : Path, optional
        A map of one's own in place of `TYPES` and `MATERIALS`, see `read_classes`.

    Raises
    ------
    InputError
        If the map cannot be used.
    """

    def __init__(self, run: StoredRun, file: Path | None = None) -> None:
        own = {**TYPES, **MATERIALS, FALSE_ALARM: 1}
        self._classes = own if file is None else read_classes(file, run.materials)
        self._is_own = file is None
        self._of_material = np.zeros(NO_MATERIAL + 1, np.uint16)
        self._of_material[: len(run.materials)] = [self.class_of(name) for name in run.materials]
        types = object_types(run)
        self._of_object = {each: self.class_of(*names) for each, names in types.items()}
        self._instances: dict[int, int] = {}

    def of(self, points: Rows) -> NDArray[np.uint32]:
        """Return a label for each point: class in the lower, instance in the upper 16 bits.

        Instances are numbered from 1, in the order in which objects are first met; what is no
        object has 0.
        """
        label: NDArray[np.uint32] = self.classes(points).astype(np.uint32)
        of_object = is_object(points)
        found, row = np.unique(points["object_id"][of_object], return_inverse=True)
        numbers = np.array([self._instance(each) for each in found.tolist()], np.uint32)
        label[of_object] |= numbers[row] << 16
        return label

    def classes(self, points: Rows) -> NDArray[np.uint16]:
        """Return the class of each point, uint16 (n_point,)."""
        classes: NDArray[np.uint16] = self._of_material[points["material_id"]]
        if has(points, "origin"):
            classes[points["origin"] == ORIGINS.index(FALSE_ALARM)] = self.class_of(FALSE_ALARM)
        of_object = is_object(points)
        found, row = np.unique(points["object_id"][of_object], return_inverse=True)
        of_found = [self._of_object.get(each, UNLABELED) for each in found.tolist()]
        classes[of_object] = np.array(of_found, np.uint16)[row]
        return classes

    def las_classes(self, points: Rows) -> NDArray[np.uint8]:
        """Return the class that LAS has for each point, uint8 (n_point,)."""
        found, row = np.unique(self.classes(points), return_inverse=True)
        of_found = [LAS.get(each, LAS_UNCLASSIFIED) for each in found.tolist()]
        classes: NDArray[np.uint8] = np.array(of_found, np.uint8)[row]
        return classes

    def description(self) -> dict[str, Any]:
        """Return what numbers mean: names of classes, what has them, and OSI ids of instances."""
        of_number: dict[int, str] = {}
        for name, number in self._classes.items():
            of_number.setdefault(number, name)
        names = NAMES if self._is_own else {UNLABELED: "unlabeled", **of_number}
        instances = {number: each for each, number in self._instances.items()}
        return {"labels": names, "classes": self._classes, "instances": instances}

    def _instance(self, object_id: int) -> int:
        instance = self._instances.setdefault(object_id, len(self._instances) + 1)
        if instance > _LARGEST:
            raise InputError(f"labels: got more than {_LARGEST} objects, instances have 16 bits")
        return instance

    def class_of(self, *names: str) -> int:
        """Return the class of the first name that has one."""
        found = (
            number
            for name in names
            for pattern, number in self._classes.items()
            if fnmatchcase(name.lower(), pattern)
        )
        return next(found, UNLABELED)


def object_types(run: StoredRun) -> dict[int, tuple[str, ...]]:
    """Return the names of the types of all objects by OSI id: the special one, then the general.

    Where the trace is gone, a warning says so, and there are none.
    """
    types: dict[int, tuple[str, ...]] = {}
    try:
        for message in input_messages(run):
            objects = message.frame.objects
            names = zip(objects.subtype_name, objects.type_name, objects.kind, strict=True)
            for each, (subtype, type_name, kind) in zip(
                objects.object_id.tolist(), names, strict=True
            ):
                types[each] = _plain(subtype, type_name, ObjectKind(kind))
    except InputError as error:
        logger.warning("objects are unlabeled: %s", error)
    return types


def _plain(subtype: str, type_name: str, kind: ObjectKind) -> tuple[str, ...]:
    """Return the names of a type as maps have them; signs and lights have that of their list."""
    if kind in (ObjectKind.TRAFFIC_SIGN, ObjectKind.TRAFFIC_LIGHT):
        return (kind.name.lower(),)
    special, general = (each.removeprefix("TYPE_").lower() for each in (subtype, type_name))
    return (general,) if special in ("", "other", "unknown") else (special, general)


def read_classes(file: Path, materials: Sequence[str]) -> dict[str, int]:
    """Read a map from names to classes.

    Parameters
    ----------
    file : Path
        A YAML file: each key is the name of an OSI type (case and TYPE_ do not matter) or of a
        material, or a pattern of them with ``*``, or ``false_alarm``; its value is the class.
    materials : sequence of str
        The materials of the run.

    Raises
    ------
    InputError
        If the file cannot be read, a key fits no name, or a value is no whole number in 0..65535.
    """
    try:
        content = read_yaml(file)
    except YamlFileError as error:
        raise InputError(str(error)) from error
    known = [*TYPES, *(name.lower() for name in materials), FALSE_ALARM]
    classes = {}
    for key, number in content.items():
        pattern = str(key).lower().removeprefix("type_")
        if not any(fnmatchcase(name, pattern) for name in known):
            near = near_match(pattern, known)
            raise InputError(f"{file}: {key}: expected an OSI type or a material of the run{near}")
        if type(number) is not int or not 0 <= number <= _LARGEST:
            raise InputError(
                f"{file}: {key}: got {number!r}, expected a class from 0 to {_LARGEST}"
            )
        classes[pattern] = number
    return classes
