# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""An animal with four legs: a dog, a deer or a horse, by its size."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lidar_scenery.shapes.solids import SolidModel, capsule, ellipsoid

if TYPE_CHECKING:
    from lidar_scenery.shapes.builder import Size
    from osi_bridge.description.details import ObjectDetails


def make_animal(size: Size, details: ObjectDetails) -> SolidModel:
    """Return an animal that faces x, nearly as large as `size`; z = 0 is its lowest point.

    `size` is length, width and height [m]. If `details` state a speed above 0, its legs are in a
    step, else they are straight.
    """
    length, _, height = size
    step = 0.06 * length if details.speed_m_s > 0.0 else 0.0
    (hips, leg), model = legs_of(size), SolidModel()
    model.group = "legs"
    for x, y, z in hips:
        swing = step if (x > 0) == (y > 0) else -step
        knee = (x + 0.4 * swing - 0.02 * length, y, 0.3 * height)
        hoof = (x + swing, y, 0.5 * leg)
        upper, lower = leg_radii(leg)
        model.add("Fur", capsule((x, y, z), knee, upper, 8))
        model.add("Fur", capsule(knee, hoof, lower, 8))
    add_trunk(model, size)
    return model


def legs_of(size: Size) -> tuple[list[tuple[float, float, float]], float]:
    """Return (upper ends, leg size) of the legs of an animal of a given size [m].

    The upper ends (x, y, z) are in the order front left, front right, rear left, rear right; z
    counts from the ground. The leg size is a length that `leg_radii` takes.
    """
    length, width, height = size
    leg = 0.2 * min(width, 0.45 * height)
    sides = [side * (0.5 * width - 1.2 * leg) for side in (1, -1)]
    return [(front * length, y, 0.56 * height) for front in (0.16, -0.3) for y in sides], leg


def leg_radii(leg: float) -> tuple[tuple[float, float], tuple[float, float]]:
    """Return (radius at the top, radius at the bottom) of an upper leg, then of a lower leg [m].

    `leg` is the leg size that `legs_of` returns. [m]
    """
    return (1.15 * leg, 0.75 * leg), (0.75 * leg, 0.5 * leg)


def add_trunk(model: SolidModel, size: Size) -> None:
    """Add trunk, neck, head, ears and tail of an animal to `model`, in the group "body".

    `size` is the length, width and height of the whole animal [m]; z = 0 is its lowest point.
    """
    length, width, height = size
    thick = min(width, 0.45 * height)
    model.group = "body"
    rump, chest = (-0.29 * length, 0, 0.62 * height), (0.13 * length, 0, 0.6 * height)
    trunk = capsule(rump, chest, (0.42 * thick, 0.48 * thick), 14)
    model.add("Fur", [face * (1.0, width / thick, 1.0) for face in trunk])
    poll = (0.3 * length, 0.0, 0.86 * height)
    model.add("Fur", capsule((0.16 * length, 0, 0.66 * height), poll, (0.3 * thick, 0.2 * thick)))
    nose = (0.46 * length, 0.0, 0.79 * height)
    model.add("Fur", capsule(poll, nose, (0.24 * thick, 0.11 * thick)))
    for side in (1, -1):
        ear = (poll[0] - 0.02 * length, side * 0.15 * thick, 0.95 * height)
        model.add("Fur", ellipsoid(ear, (0.06 * thick, 0.05 * thick, 0.06 * height), 8))
    model.add(
        "Fur",
        capsule(
            (-0.4 * length, 0, 0.66 * height),
            (-0.48 * length, 0, 0.45 * height),
            (0.1 * thick, 0.05 * thick),
            6,
        ),
    )
