# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Trees, bushes and hedges made of leaves, with gaps that laser beams pass through."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lidar_scenery.shapes.fitting import fitted
from lidar_scenery.shapes.solids import Array, Random, SolidModel, grid_faces, rng, tube

if TYPE_CHECKING:
    from lidar_scenery.shapes.builder import Size
    from osi_bridge.description.details import ObjectDetails

_TREE_M = 6.5  # height of the tree that others are stretched from
_LEAF_M = 0.3
_LEAVES = 380
_MOST_LEAVES = 1800


def sized_tree(size: Size, _: ObjectDetails) -> SolidModel:
    """Build a tree that exactly fills a box of `size`, centred on the origin [m].

    Trees of equal size are identical, leaf by leaf. The number of leaves grows with the crown, up
    to a limit; beyond it the leaves grow instead. So the crown stops about the same fraction of
    rays at every size.
    """
    usual = _LEAVES * (size[2] / _TREE_M) ** 2
    n_leaves = int(np.clip(usual, 0.4 * _LEAVES, _MOST_LEAVES))
    leaf_m = _LEAF_M * np.sqrt(_LEAVES / n_leaves)
    model = tree(_seeded(size), height_m=_TREE_M, n_leaves=n_leaves, leaf_m=leaf_m)
    return fitted(model, size)


def bush(size: Size, _: ObjectDetails) -> SolidModel:
    """Build a bush: stems, and leaves that fill a box of `size` except its edges and corners [m].

    The box is centred on the origin.
    """
    random, model, half = _seeded(size), SolidModel(), np.array(size) / 2
    for turn in 2 * np.pi * random.random(5):
        tip = half * (0.5 * np.cos(turn), 0.5 * np.sin(turn), 0.5)
        foot = tip * (0.1, 0.1, -2)
        model.add("Tree_Bark", tube(np.stack([foot, tip]), half.min() * np.array([0.05, 0.02]), 5))
    leaf_m = min(0.2, 0.25 * min(size))
    area_m2 = 2.5 * 4 * (half[0] * half[1] + half[1] * half[2] + half[2] * half[0])
    n_leaves = int(min(area_m2 / leaf_m**2, _MOST_LEAVES))
    leaf_m = min(np.sqrt(area_m2 / n_leaves), *size)
    direction = _directions(random, n_leaves)
    rounded = direction / np.linalg.norm(direction, ord=5, axis=1, keepdims=True)
    place = rounded * np.cbrt(0.2 + 0.8 * random.random(n_leaves))[:, None] * half
    leaves = np.stack(_squares(random, place, leaf_m))
    model.add("Tree_Leaves", np.clip(leaves, -half, half))
    return fitted(model, size)


def _seeded(size: Size) -> Random:
    return rng(*(round(1000 * side) for side in size))


def tree(
    random: Random, *, height_m: float, n_leaves: int = _LEAVES, leaf_m: float = _LEAF_M
) -> SolidModel:
    """Build a broad-leaved tree that stands on the origin: trunk, branches, and clusters of leaves.

    Parameters
    ----------
    random : numpy.random.Generator
        Generator for the shape of the tree.
    height_m, leaf_m : float
        Height of the tree; mean side of a leaf, which is a square. [m]
    n_leaves : int
        Number of leaves in all.
    """
    model = SolidModel()
    trunk_m = 0.32 * height_m
    lean = (random.random(2) - 0.5) * 0.3
    fork = np.array([lean[0], lean[1], trunk_m])
    model.add(
        "Tree_Bark",
        tube(np.stack([0 * fork, fork * (0.3, 0.3, 0.2), fork]), [0.24, 0.17, 0.13], 8),
    )
    n_branch = 7
    crown = np.array([0.0, 0.0, trunk_m + 0.36 * (height_m - trunk_m)])
    for i in range(n_branch):
        turn = 2 * np.pi * (i + random.random()) / n_branch
        reach = height_m * (0.1 + 0.14 * random.random()) * (i > 0)
        rise = height_m * (0.05 + 0.3 * random.random())
        tip = crown + np.array([reach * np.cos(turn), reach * np.sin(turn), rise])
        model.add("Tree_Bark", tube([fork - (0, 0, 0.3 * random.random()), tip], [0.07, 0.025], 5))
        size = height_m * (0.14 + 0.05 * random.random())
        model.add("Tree_Leaves", _leaves(random, tip, size, n_leaves // n_branch, leaf_m))
    return model


def _leaves(
    random: Random, centre: Array, radius_m: float, n_leaves: int, leaf_m: float
) -> list[Array]:
    """Return squares of random orientation in a ball, denser in its outer part."""
    direction = _directions(random, n_leaves)
    distance = radius_m * np.cbrt(0.25 + 0.75 * random.random(n_leaves))
    place = centre + direction * distance[:, None] * (1, 1, 0.8)
    return _squares(random, place, leaf_m)


def _squares(random: Random, place: Array, side_m: float) -> list[Array]:
    """Return squares of random orientation, centred on these places."""
    n = len(place)
    first = _directions(random, n)
    second = np.cross(first, _directions(random, n))
    second /= np.linalg.norm(second, axis=1, keepdims=True) + 1e-9
    size = side_m / 2 * (0.7 + 0.6 * random.random(n))[:, None]
    a, b = first * size, second * size
    corners = np.stack([place - a - b, place + a - b, place + a + b, place - a + b], axis=1)
    return list(corners)


def _directions(random: Random, n: int) -> Array:
    z, turn = 2 * random.random(n) - 1, 2 * np.pi * random.random(n)
    flat = np.sqrt(1 - z**2)
    return np.stack([flat * np.cos(turn), flat * np.sin(turn), z], axis=1)


def hedge(random: Random, *, length_m: float, height_m: float, width_m: float = 0.6) -> SolidModel:
    """Build a clipped hedge along x: rounded above, open below, with an uneven surface.

    It reaches from x = 0 to x = `length_m`, is centred on y = 0, and stands on z = 0. The surface
    deviates by up to 7 cm at random, so the hedge may be slightly larger than stated.

    Parameters
    ----------
    random : numpy.random.Generator
        Generator for the unevenness.
    length_m, height_m, width_m : float
        Extent along x, along z and along y. [m]
    """
    model = SolidModel()
    n_length = max(3, round(length_m / 0.5))
    x = np.linspace(0, length_m, n_length + 1)
    half, h = width_m / 2, height_m
    section = np.array(
        [
            (-half, 0),
            (-half, 0.35 * h),
            (-half, 0.7 * h),
            (-0.8 * half, 0.93 * h),
            (0, h),
            (0.8 * half, 0.93 * h),
            (half, 0.7 * h),
            (half, 0.35 * h),
            (half, 0),
        ]
    )
    points = np.empty((len(x), len(section), 3))
    points[..., 0], points[..., 1:] = x[:, None], section
    noise = 0.14 * (random.random(points.shape) - 0.5)
    noise[:, [0, -1], 2] = 0
    points += noise
    ends = [points[0], points[-1, ::-1]]
    model.add("Hedge_Leaves", grid_faces(points.transpose(1, 0, 2)) + ends)
    return model
