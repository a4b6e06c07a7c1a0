# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Semantic classes of objects, by OSI type, and of other surfaces, by material.

Classes and their numbers follow SemanticKITTI (Behley et al., ICCV 2019; semantic-kitti.yaml
of its development kit).
"""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from osi_bridge import ObjectKind

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from osi_bridge import ObjectStates

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
"""Names of SemanticKITTI's classes, by class number, without its classes of moving objects (252 to
259)."""
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
"""Class number of objects, by the name of their OSI type: lower case, without TYPE_."""
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
"""Class number of surfaces that belong to no object, by name of material, with ``*`` for any
characters. Each built-in material has a class."""
LOOKS_LIKE = {
    UNLABELED: "transparent",
    10: "car_paint_blue",
    **dict.fromkeys((11, 31), "cloth_fluorescent"),
    13: "car_paint_yellow",
    **dict.fromkeys((15, 32), "cloth_denim"),
    16: "car_paint_green",
    18: "car_paint_red",
    20: "car_paint_brown",
    30: "skin",
    50: "plaster",
    51: "wood",
    52: "concrete",
    70: "leaves",
    80: "steel",
    81: "sign_sheeting",
}
"""Infrared material by class number: its colour shows objects of the class in pictures."""
FALSE_ALARM = "false_alarm"
"""Name for points from noise alone."""
WEATHER = "weather"
"""Name for points from fog, drops, flakes, spray or dust."""
CLASSES = {**TYPES, **MATERIALS, FALSE_ALARM: 1, WEATHER: 1}
"""Class numbers of SemanticKITTI by name: of OSI types, of materials, and of points from noise or
weather. A material's name may be a pattern with ``*``."""


def class_of(*names: str, classes: Mapping[str, int] = CLASSES) -> int:
    """Return the class number of the first name that has a class; `UNLABELED` if no name has one.

    Parameters
    ----------
    names : str
        Names of OSI types or of a material, in any case.
    classes : mapping
        Class numbers by name in lower case; a name may be a pattern with ``*``. The first match
        counts.
    """
    found = (
        number
        for name in names
        for pattern, number in classes.items()
        if fnmatchcase(name.lower(), pattern)
    )
    return next(found, UNLABELED)


def named_types(objects: ObjectStates) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Yield (OSI id, names of the type) of each object, from the special name to the general one.

    ``objects`` (`ObjectStates`) has the objects of a message. The names are as in `plain_names`,
    such as ("compact_car", "vehicle"). A traffic sign or a traffic light has one name:
    "traffic_sign" or "traffic_light".
    """
    names = zip(objects.subtype_name, objects.type_name, objects.kind, strict=True)
    for each, (subtype, type_name, kind) in zip(objects.object_id.tolist(), names, strict=True):
        is_sign = kind in (ObjectKind.TRAFFIC_SIGN, ObjectKind.TRAFFIC_LIGHT)
        yield each, (ObjectKind(kind).name.lower(),) if is_sign else plain_names(subtype, type_name)


def plain_names(subtype: str, type_name: str) -> tuple[str, ...]:
    """Return the names of an object's OSI type in lower case, without TYPE_: subtype, then type.

    ``subtype`` and ``type_name`` are names of OSI's enumerations, such as "TYPE_CAR" and
    "TYPE_VEHICLE". A subtype that is empty, other or unknown is left out, so the result is a tuple
    of one or two names.
    """
    special, general = (each.removeprefix("TYPE_").lower() for each in (subtype, type_name))
    return (general,) if special in ("", "other", "unknown") else (special, general)
