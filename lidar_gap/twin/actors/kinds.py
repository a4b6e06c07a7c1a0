# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Classes of labels: their OSI types, and which classes are symmetric."""

from __future__ import annotations

_CAR, _VAN, _TRUCK, _BUS = "TYPE_CAR", "TYPE_DELIVERY_VAN", "TYPE_HEAVY_TRUCK", "TYPE_BUS"
_VEHICLES = {
    "car": _CAR, "vehicle": _CAR, "regular_vehicle": _CAR, "van": _VAN, "truck": _TRUCK,
    "large_vehicle": _TRUCK, "box_truck": _TRUCK, "truck_cab": "TYPE_SEMITRACTOR",
    "trailer": "TYPE_TRAILER", "vehicular_trailer": "TYPE_TRAILER", "bus": _BUS,
    "school_bus": _BUS, "articulated_bus": _BUS, "tram": "TYPE_TRAM", "train": "TYPE_TRAIN",
    "motorcycle": "TYPE_MOTORBIKE", "bicycle": "TYPE_BICYCLE", "wheelchair": "TYPE_WHEELCHAIR",
}  # fmt: skip
_PEOPLE = frozenset((
    "pedestrian", "person", "bicyclist", "cyclist", "motorcyclist", "wheeled_rider",
    "official_signaler",
))  # fmt: skip
_ANIMALS = frozenset(("animal", "dog"))
SYMMETRIC = frozenset((
    "car", "vehicle", "regular_vehicle", "van", "truck", "large_vehicle", "box_truck", "truck_cab",
    "trailer", "vehicular_trailer", "bus", "school_bus", "articulated_bus",
))  # fmt: skip
"""Classes whose left and right halves are alike."""


def osi_type(category: str) -> tuple[str, str]:
    """Return the OSI object type of a class, and its OSI vehicle type ("" for other objects).

    ``category`` is the class of a label in lower case, such as "car" or "pedestrian". Types are
    names such as "TYPE_VEHICLE" and "TYPE_CAR". An unknown class has the object type
    ``TYPE_OTHER``.
    """
    if category in _VEHICLES:
        return "TYPE_VEHICLE", _VEHICLES[category]
    if category in _PEOPLE:
        return "TYPE_PEDESTRIAN", ""
    return ("TYPE_ANIMAL" if category in _ANIMALS else "TYPE_OTHER"), ""
