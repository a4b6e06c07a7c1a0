# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Vehicles of all of OSI's types, made to a size."""

from __future__ import annotations

from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING

from lidar_scenery.shapes.builder import Builder
from lidar_scenery.shapes.fitting import made_to_size
from lidar_scenery.shapes.vehicles import passenger, profiles, ridden, trucks, work_machines
from lidar_scenery.shapes.vehicles.cars import make_car

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from lidar_scenery.shapes.builder import Size
    from lidar_scenery.shapes.solids import SolidModel
    from lidar_scenery.shapes.vehicles.bodywork import Bodywork
    from osi_bridge.description.details import ObjectDetails

    Range = tuple[float, float]

__all__ = ["VEHICLES", "car_kind", "vehicle_kind"]

_VAN_LENGTH_M, _VAN_HEIGHT_M, _VAN_RATIO = 4.3, 1.85, 0.97  # least values; ratio: height over width
_BIKE_M, _BICYCLE_WIDTH_M, _CAR_M = (2.6, 1.1), 0.65, (7.0, 2.3, 2.8)
_SUV_HEIGHT_M, _SUV_RATIO = 1.75, 0.875
_CARS_UP_TO_M = (("small_car", 3.9), ("compact_car", 4.33), ("medium_car", 4.85))


def car_kind(size: Size) -> str:
    """Return the name of the shape of a car, from its size [m] alone.

    Notes
    -----
    The first rule that fits counts:

    1. van: longer than 4.3 m, at least 1.85 m high, and at least 0.97 times as high as wide
    2. small car: up to 3.9 m long
    3. SUV: at least 1.75 m high, or at least 0.875 times as high as wide
    4. compact car up to 4.33 m of length, medium car up to 4.85 m, luxury car above
    """
    length, width, height = size
    if length > _VAN_LENGTH_M and height >= max(_VAN_HEIGHT_M, _VAN_RATIO * width):
        return "delivery_van"
    if length > _CARS_UP_TO_M[0][1] and height >= min(_SUV_HEIGHT_M, _SUV_RATIO * width):
        return "suv"
    return next((name for name, most in _CARS_UP_TO_M if length <= most), "luxury_car")


def vehicle_kind(size: Size) -> str:
    """Return the name of the shape of a vehicle, from its size [m] alone.

    Notes
    -----
    A vehicle up to 1.1 m wide and up to 2.6 m long is a bicycle if it is narrower than 0.65 m, else
    a motorbike. A vehicle over 2.3 m wide, over 2.8 m high or over 7 m long is a truck. Any other
    vehicle is a car, see `car_kind`.
    """
    length, width, _ = size
    if width <= _BIKE_M[1] and length <= _BIKE_M[0]:
        return "motorbike" if width >= _BICYCLE_WIDTH_M else "bicycle"
    if any(each > most for each, most in zip(size, _CAR_M, strict=True)):
        return "heavy_truck"
    return car_kind(size)


def _of_size(kind: Callable[[Size], str], words: str) -> Builder:
    """Return a builder that chooses the shape by size, with `kind`."""

    def build(size: Size, details: ObjectDetails) -> SolidModel:
        return _BY_TYPE[kind(size)].build(size, details)

    return Builder(build=build, usual_m=profiles.MEDIUM_CAR.size_m, words=words)


def _ridden(
    make: Callable[[Size, ObjectDetails], SolidModel], words: str, usual_m: Size
) -> Builder:
    """Return the builder of a vehicle that is ridden, such as a bicycle."""
    length, width, height = usual_m
    return made_to_size(
        make,
        f"{words}, with a rider where its box is high enough",
        usual_m=usual_m,
        least_m=(0.65 * length, 0.65 * width, 0.45 * height),
        most_m=(1.35 * length, 1.5 * width, 1.3 * height),
    )


def _long(
    make: Callable[[Size, ObjectDetails], SolidModel], words: str, usual_m: Size, lengths_m: Range
) -> Builder:
    """Return the builder of a long vehicle, whose parts keep their sizes within `lengths_m`."""
    _, width, height = usual_m
    return made_to_size(
        make,
        words,
        usual_m=usual_m,
        least_m=(lengths_m[0], 0.75 * width, 0.7 * height),
        most_m=(lengths_m[1], 1.25 * width, 1.35 * height),
    )


def _car(bodywork: Bodywork, words: str) -> Builder:
    length, width, height = bodywork.size_m
    return made_to_size(
        partial(make_car, bodywork),
        words,
        usual_m=bodywork.size_m,
        least_m=(0.75 * length, 0.8 * width, 0.8 * height),
        most_m=(1.35 * length, 1.25 * width, 1.35 * height),
    )


_BY_TYPE = {
    "small_car": _car(profiles.SMALL_CAR, "small car: a hatchback with a short bonnet"),
    "compact_car": _car(profiles.COMPACT_CAR, "compact car: a hatchback"),
    "medium_car": _car(profiles.MEDIUM_CAR, "medium car: a fastback"),
    "luxury_car": _car(profiles.LUXURY_CAR, "luxury car: a saloon with a long bonnet"),
    "suv": _car(profiles.SUV, "sport utility vehicle"),
    "delivery_van": _car(profiles.DELIVERY_VAN, "delivery van"),
    "motorbike": _ridden(ridden.make_motorbike, "motorbike", (2.15, 0.8, 1.6)),
    "bicycle": _ridden(ridden.make_bicycle, "bicycle", (1.8, 0.6, 1.75)),
    "standup_scooter": _ridden(ridden.make_scooter, "stand-up scooter", (1.15, 0.55, 1.85)),
    "wheelchair": _ridden(ridden.make_wheelchair, "wheelchair", (1.05, 0.65, 1.4)),
    "work_machine": _long(
        work_machines.make_work_machine,
        "work machine: a wheel loader",
        (7.0, 2.5, 3.2),
        (4.5, 11.0),
    ),
    "heavy_truck": _long(trucks.make_truck, "truck with a box body", (8.5, 2.5, 3.5), (5.0, 14.0)),
    "semitractor": _long(trucks.make_tractor, "semitractor", (6.0, 2.5, 3.8), (4.5, 8.0)),
    "semitrailer": _long(
        trucks.make_semitrailer, "semitrailer with a box body", (13.6, 2.5, 4.0), (7.0, 16.0)
    ),
    "trailer": made_to_size(
        trucks.make_trailer,
        "trailer with a drawbar",
        usual_m=(4.2, 2.0, 2.0),
        least_m=(2.0, 1.1, 1.1),
        most_m=(12.0, 2.7, 4.2),
    ),
    "bus": _long(passenger.make_bus, "bus", (12.0, 2.55, 3.1), (5.5, 26.0)),
    "tram": _long(passenger.make_tram, "tram", (30.0, 2.4, 3.6), (8.0, 60.0)),
    "train": _long(passenger.make_train, "train", (54.0, 2.8, 4.2), (12.0, 130.0)),
}
VEHICLES: Mapping[str, Builder] = MappingProxyType(
    {
        **_BY_TYPE,
        "car": _of_size(car_kind, "car of a kind that follows from its size"),
        "vehicle": _of_size(vehicle_kind, "vehicle of a kind that follows from its size"),
    }
)
"""Builders of vehicles, by the name of the shape."""
