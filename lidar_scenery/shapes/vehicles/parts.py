# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Parts that vehicles share: mirrors, number plates, light bars, couplings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lidar_scenery.shapes.builder import PAINT
from lidar_scenery.shapes.solids import box, capsule, ellipsoid, extruded, tube

if TYPE_CHECKING:
    from lidar_scenery.shapes.solids import SolidModel
    from osi_bridge.description.details import ObjectDetails

LIGHT_BAR_M = 0.1  # height, within that of the vehicle
_WITH_LIGHT_BAR = ("AMBULANCE", "FIRE", "POLICE", "ROAD_ASSISTANCE", "ROAD_CONSTRUCTION")
PLATE_M = (0.52, 0.11)  # width and height of a number plate (FZV, annex 4)


def add_mirror(model: SolidModel, x: float, outer: float, z: float) -> None:
    """Add a wing mirror, 10 cm long, 13 cm wide and 15 cm high, to a vehicle.

    Parameters
    ----------
    model : SolidModel
        Model of the vehicle (x forward, y left, z up), whose current group is added to in place.
    x, z : float
        x of the mirror's rear, where the glass is, and height of its lower edge. [m]
    outer : float
        y of the outer edge; above 0 for the left mirror. [m]
    """
    side = 1 if outer > 0 else -1
    y = sorted((outer - side * 0.13, outer))
    shell = box((x, y[0], z), (x + 0.1, y[1], z + 0.15), sides="XyYzZ")
    model.add(PAINT, shell)
    model.add("Mirror_Glass", box((x, y[0], z), (x, y[1], z + 0.15), sides="x"))


def add_plate(
    model: SolidModel, x: float, *, z: float = 0.42, size_m: tuple[float, float] = PLATE_M
) -> None:
    """Add a number plate at `x` that faces forwards if `x` is above 0, else backwards [m].

    It is one retroreflective rectangle, centred on y = 0, in the current group of `model`, which is
    changed in place. `z` is the height of its lower edge, `size_m` its width and height. [m]
    """
    end, half, height = (1 if x > 0 else -1), size_m[0] / 2, size_m[1]
    plate = [
        (x, end * s * half, h) for s, h in ((-1, z), (1, z), (1, z + height), (-1, z + height))
    ]
    model.add("License_Plate_Retro", extruded(plate, (-end * 0.03, 0, 0))[:1])


def has_light_bar(details: ObjectDetails) -> bool:
    """Return whether a vehicle's role, such as police, gives it a light bar on the roof.

    The role is ``details.role``: ambulance, fire, police, road assistance or road construction.
    """
    return details.role in _WITH_LIGHT_BAR


def add_light_bar(model: SolidModel, x: float, half_width: float, z: tuple[float, float]) -> None:
    """Add a light bar across the roof of a vehicle: lamps behind clear lenses, 28 cm long.

    Parameters
    ----------
    model : SolidModel
        Model of the vehicle, whose current group is added to in place.
    x : float
        x of the middle of the bar. [m]
    half_width : float
        The bar reaches from y = -half_width to y = half_width. [m]
    z : (float, float)
        Heights of its lower and its upper edge. [m]
    """
    low, high = (x - 0.14, -half_width, z[0]), (x + 0.14, half_width, z[1])
    model.add("Light_Bar", box(low, high))
    model.add(
        "Headlight_Reflector",
        box((x - 0.05, 0.05 - half_width, z[0]), (x + 0.05, half_width - 0.05, z[1] - 0.02)),
    )


def add_coupling(model: SolidModel, rear: float, sill: float) -> None:
    """Add a tow ball on a bar at the rear of a car, in the current group of `model`, in place.

    `rear` is the x of the car's rear, and `sill` its ground clearance; the bar is 4 cm lower. [m]
    """
    z = sill - 0.04
    model.add("Underbody_Steel", tube([(rear + 0.4, 0, z), (rear + 0.02, 0, z)], 0.02, 6))
    model.add("Underbody_Steel", ellipsoid((rear + 0.026, 0, z + 0.03), (0.025, 0.025, 0.025), 8))


def add_driver(model: SolidModel, x: float, y: float, z: float) -> None:
    """Add a seat, a driver on it and a dashboard to a vehicle, in the current group of `model`.

    `model` is changed in place. `x`, `y` and `z` are the position of the driver's hips in the
    vehicle; the driver faces x. [m]
    """
    model.add("Cloth_Black", box((x - 0.25, y - 0.25, z - 0.4), (x + 0.25, y + 0.25, z - 0.1)))
    model.add("Cloth_Black", box((x - 0.35, y - 0.24, z - 0.1), (x - 0.22, y + 0.24, z + 0.55)))
    model.add("Cloth_Blue", capsule((x, y, z + 0.1), (x - 0.06, y, z + 0.42), (0.16, 0.19), 8))
    model.add("Skin", ellipsoid((x - 0.02, y, z + 0.73), (0.095, 0.08, 0.12), 8))
    for side in (-1, 1):
        shoulder, hand = (
            (x - 0.06, y + side * 0.21, z + 0.48),
            (x + 0.42, y + side * 0.17, z + 0.25),
        )
        model.add("Cloth_Blue", capsule(shoulder, hand, (0.06, 0.04), 6))
    model.add("Plastic_Black", box((x + 0.5, y - 0.4, z), (x + 0.7, y + 0.4, z + 0.2)))
