# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The scenario's cars and van: built-in shapes at their usual sizes, painted."""

import numpy as np

from lidar_scenery.shapes.builder import PAINT
from lidar_scenery.shapes.solids import SolidModel, tube
from lidar_scenery.shapes.vehicles.bodywork import Bodywork
from lidar_scenery.shapes.vehicles.cars import add_body, add_car_parts
from lidar_scenery.shapes.vehicles.profiles import DELIVERY_VAN as VAN
from lidar_scenery.shapes.vehicles.profiles import MEDIUM_CAR as CAR
from lidar_scenery.shapes.vehicles.wheels import Axle, add_wheels

__all__ = ["CAR", "VAN", "Bodywork", "vehicle"]


def vehicle(body: Bodywork, paint: str) -> SolidModel:
    """Build a vehicle with a paint material; the origin is on the ground below its centre."""
    model, painted = SolidModel(), SolidModel()
    model.group = "body"
    add_body(model, body)
    model.group = "wheels"
    add_wheels(model, body.axles)
    for axle in body.axles:
        _add_liners(model, axle)
    model.group = "parts"
    add_car_parts(model, body)
    for (painted.group, material), polygons in model.groups.items():
        painted.add(paint if material == PAINT else material, polygons)
    return painted.on_ground(body.size_m)


def _add_liners(model: SolidModel, axle: Axle) -> None:
    """Add the linings of an axle's wheel arches: behind each wheel a short tube, closed inside.

    The linings reach lower than the wheels: the scenario's vehicles stand on them.
    """
    for side in (-1, 1):
        depth = axle.width_m + 0.08, axle.width_m + 0.005
        y = [side * (axle.outer_m - each) for each in depth]
        path = np.array([[axle.x_m, each, axle.radius_m] for each in y])
        model.add("Plastic_Black", tube(path, axle.arch_m, 16)[:-1])
