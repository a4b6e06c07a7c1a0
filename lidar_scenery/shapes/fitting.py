# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Models made to a size: with natural proportions within bounds, stretched beyond them."""

from __future__ import annotations

from dataclasses import replace
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING

import numpy as np

from lidar_scenery.shapes.builder import Builder
from lidar_scenery.shapes.solids import SolidModel

if TYPE_CHECKING:
    from collections.abc import Callable

    from lidar_scenery.shapes.builder import Size
    from lidar_scenery.shapes.solids import Array
    from osi_bridge.description.details import ObjectDetails, Point3


def made_to_size(
    make: Callable[[Size, ObjectDetails], SolidModel],
    words: str,
    *,
    usual_m: Size,
    least_m: Size,
    most_m: Size,
) -> Builder:
    """Return a `Builder` whose models have exactly the wanted size.

    Parameters
    ----------
    make : callable
        Function that takes a size within the bounds and details of an object, and returns a model
        of nearly this size, at any position.
    words : str
        Description of the shape in a few words.
    usual_m, least_m, most_m : (float, float, float)
        Usual size, and least and largest size for which `make` keeps natural proportions. [m]

    Notes
    -----
    For a size beyond the bounds, the builder makes the nearest size within them and stretches the
    model along x, y and z. So a car of 30 m has long wheels, but no part is missing or displaced.
    """

    def build(size: Size, details: ObjectDetails) -> SolidModel:
        near = np.clip(size, least_m, most_m)
        length, width, height = near.tolist()
        model = make((length, width, height), shrunk(details, np.asarray(size) / near))
        return fitted(model, size)

    return Builder(build=build, usual_m=usual_m, words=words)


def fitted(model: SolidModel, size: Size) -> SolidModel:
    """Return a copy of a model, stretched to exactly a given size and centred on the origin.

    `size` is the length, width and height of its bounding box. [m]
    """
    groups = {key: np.concatenate(polygons) for key, polygons in model.groups.items()}
    scale, middle = fit_of(model, size)
    half = np.asarray(size) / 2
    copy = SolidModel()
    for (copy.group, material), points in groups.items():
        inside = np.clip((points - middle) * scale, -half, half)
        ends = [0, *accumulate(map(len, model.groups[copy.group, material]))]
        copy.add(material, [inside[a:b] for a, b in pairwise(ends)])
    return copy


def fit_of(model: SolidModel, size: Size) -> tuple[Array, Array]:
    """Return (factors, middle): how `fitted` stretches a model to a size, (3,) each.

    `fitted` moves each point p to (p - middle) * factors. The middle is the centre of the model's
    bounds [m].
    """
    groups = [np.concatenate(polygons) for polygons in model.groups.values()]
    low = np.min([points.min(axis=0) for points in groups], axis=0)
    high = np.max([points.max(axis=0) for points in groups], axis=0)
    scale: Array = 2.0 * (np.asarray(size) / 2) / (high - low)
    middle: Array = (low + high) / 2
    return scale, middle


def shrunk(details: ObjectDetails, factor: np.ndarray) -> ObjectDetails:
    """Return details with lengths of wheels, axles and clearance divided by factors (3,), x y z.

    After a model built from these details is stretched by the factors, wheels are where the details
    stated them. Each length is divided by the factor of its axis; the base polygon stays as it is.
    """
    if (factor == 1.0).all():
        return details
    x, y, z = factor.tolist()

    def place(point: Point3) -> Point3:
        return point[0] / x, point[1] / y, point[2] / z

    def axle(point: Point3 | None) -> Point3 | None:
        return None if point is None else place(point)

    def length(value: float | None, axis: float) -> float | None:
        return None if value is None else value / axis

    return replace(
        details,
        wheels=tuple(
            replace(
                wheel,
                center_m=place(wheel.center_m),
                radius_m=length(wheel.radius_m, z),
                width_m=length(wheel.width_m, y),
            )
            for wheel in details.wheels
        ),
        wheel_radius_m=length(details.wheel_radius_m, z),
        ground_clearance_m=length(details.ground_clearance_m, z),
        front_axle_m=axle(details.front_axle_m),
        rear_axle_m=axle(details.rear_axle_m),
    )
