# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The catalogue of built-in shapes, and the choice of one for an OSI object."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from lidar_scenery.shapes.lights import LIGHT_SHAPE, LIGHTS
from lidar_scenery.shapes.meshes import mesh_of
from lidar_scenery.shapes.people import PEOPLE
from lidar_scenery.shapes.roadside.sign_types import sign_shape
from lidar_scenery.shapes.signs import SIGNS
from lidar_scenery.shapes.street import STREET, stationary_shape
from lidar_scenery.shapes.vehicles import VEHICLES, car_kind
from osi_bridge import ObjectDetails, ObjectKind

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    from numpy.typing import NDArray

    from lidar_scenery.shapes.builder import Builder, Size
    from raycore.mesh.mesh import Mesh

SHAPES: Mapping[str, Builder] = MappingProxyType(
    {**VEHICLES, **PEOPLE, **STREET, **SIGNS, **LIGHTS}
)
"""All built-in shapes, by name."""

WALKS_M_S, WALKING_M_S = 0.3, 1.4
"""Speed above which people are shown walking, and the speed that their shape is made for. [m/s]"""

_VEHICLE = {
    "SMALL_CAR": "small_car",
    "COMPACT_CAR": "compact_car",
    "LUXURY_CAR": "luxury_car",
    "DELIVERY_VAN": "delivery_van",
    "VAN": "delivery_van",
    "HEAVY_TRUCK": "heavy_truck",
    "SEMITRACTOR": "semitractor",
    "SEMITRAILER": "semitrailer",
    "TRAILER": "trailer",
    "MOTORBIKE": "motorbike",
    "MOTORCYCLE": "motorbike",
    "BICYCLE": "bicycle",
    "BUS": "bus",
    "TRAM": "tram",
    "TRAIN": "train",
    "WHEELCHAIR": "wheelchair",
    "STANDUP_SCOOTER": "standup_scooter",
    "MICROMOBILITY_DEVICE": "standup_scooter",
    "WORK_MACHINE": "work_machine",
}
_CAR = ("CAR", "MEDIUM_CAR")


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Request for a built-in shape; equal requests share one mesh.

    Attributes
    ----------
    name : str
        Name of the shape in `SHAPES`.
    dimension_m : (float, float, float)
        Length, width and height, rounded to 1 mm. [m]
    details : ObjectDetails
        Further properties of the object that change the shape.
    """

    name: str
    dimension_m: Size
    details: ObjectDetails = field(default_factory=ObjectDetails)


class ObjectType(NamedTuple):
    """The type of an OSI object, which determines its shape.

    `kind` is the list of the message that has the object, such as moving objects. `type_name` and
    `subtype_name` are names of OSI's enumerations.
    """

    kind: ObjectKind  # list of the message that has the object, such as moving objects
    type_name: str
    subtype_name: str


def wanted_shape(
    object_type: ObjectType, dimension_m: NDArray[np.float64], details: ObjectDetails
) -> Wanted | None:
    """Return a request for the built-in shape that suits an object; `make_shape` makes its mesh.

    Return None for a moving object that is neither vehicle, pedestrian nor animal.

    Parameters
    ----------
    object_type : ObjectType
        Type of the object.
    dimension_m : float64 (3,)
        Length, width and height, all above 0. [m]
    details : ObjectDetails
        Further properties of the object; the request keeps only those that change the shape.
    """
    length, width, height = (round(float(side), 3) for side in dimension_m)
    size = length, width, height
    name = _name_of(object_type, size, details)
    if name is None:
        return None
    if name in VEHICLES:
        details = replace(details, color=None, material="", outline_m=(), speed_m_s=0.0)
    elif name in PEOPLE:
        walks = details.speed_m_s > WALKS_M_S
        details = ObjectDetails(speed_m_s=WALKING_M_S if walks else 0.0)
    return Wanted(name=name, dimension_m=size, details=details)


def standing_shape(name: str, dimension_m: Size, details: ObjectDetails) -> Wanted:
    """Return the request for a built-in shape along a road.

    Parameters
    ----------
    name : str
        Name of the shape in `SHAPES`.
    dimension_m : (float, float, float)
        Length, width and height; the request has them rounded to 1 mm, and at least 1 cm. [m]
    details : ObjectDetails
        Further properties of the object that change the shape.
    """
    length, width, height = (max(0.01, round(side, 3)) for side in dimension_m)
    return Wanted(name=name, dimension_m=(length, width, height), details=details)


def make_shape(wanted: Wanted) -> Mesh:
    """Return the mesh of the built-in shape that `wanted` requests.

    The mesh exactly fills a box of ``wanted.dimension_m``, which is centred on the origin (x
    forward, y left, z up) [m].
    """
    return mesh_of(SHAPES[wanted.name].build(wanted.dimension_m, wanted.details), wanted.name)


def _name_of(object_type: ObjectType, size: Size, details: ObjectDetails) -> str | None:
    name = object_type.type_name.removeprefix("TYPE_")
    if object_type.kind is ObjectKind.STATIONARY:
        return stationary_shape(name, size, details)
    if object_type.kind is ObjectKind.TRAFFIC_SIGN:
        return sign_shape(name)
    if object_type.kind is ObjectKind.TRAFFIC_LIGHT:
        return LIGHT_SHAPE
    if name == "VEHICLE":
        return _vehicle(object_type.subtype_name.removeprefix("TYPE_"), size)
    return {"PEDESTRIAN": "pedestrian", "ANIMAL": "animal"}.get(name)


def _vehicle(subtype: str, size: Size) -> str:
    return car_kind(size) if subtype in _CAR else _VEHICLE.get(subtype, "vehicle")
