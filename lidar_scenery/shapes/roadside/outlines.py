# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Prisms over an outline: base polygons, convex or not, and profiles along x."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from lidar_scenery.shapes.solids import Array, SolidModel, grid_faces
from lidar_scenery.shapes.triangulation import MOST_CORNERS as MOST_CUT
from lidar_scenery.shapes.triangulation import triangulated

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from lidar_scenery.shapes.builder import Size
    from osi_bridge.description.details import ObjectDetails

MOST_CORNERS = 500
_LEAST_M, _LEAST_M2, _MOST_M = 1e-3, 1e-4, 1e5


class UprightPrism(NamedTuple):
    """Faces of an upright prism: polygons whose corners are counter-clockwise as seen from outside.

    Attributes
    ----------
    sides : list of float64 (4, 3)
        Upright rectangles, one for each side of the outline. x, y, z of the corners. [m]
    bottom, top : list of float64 (3, 3)
        Triangles that fill the lower and the upper end. x, y, z of the corners. [m]
    """

    sides: list[Array]  # quads, (4, 3) each
    bottom: list[Array]  # triangles, (3, 3) each
    top: list[Array]  # triangles, (3, 3) each


def footprint(size: Size, details: ObjectDetails) -> Array:
    """Return the corners of an object's base, counter-clockwise from above, x, y, (n, 2) [m].

    It is the base polygon that the object states, without corners that are repeated or straight,
    and with at most `MOST_CORNERS`. If there is no polygon, or it crosses itself or has next to no
    area, it is the base of the object's box.

    Parameters
    ----------
    size : (float, float, float)
        Length, width and height of the box. [m]
    details : ObjectDetails
        Properties of the object; only the base polygon ``outline_m`` is used.

    Returns
    -------
    float64 (n, 2)
        x and y of the corners, relative to the centre of the box. [m]
    """
    corners = np.array(details.outline_m, float)
    if len(corners) > 2 and np.abs(corners).max() < _MOST_M:  # what is not finite is not
        corners = _tidy(corners)
        simple = len(corners) > 2 and is_simple(corners) and triangulated(corners) is not None
        if simple and _twice_area(corners) > _LEAST_M2:
            return corners
    base: Array = np.array(size[:2]) / 2 * [(-1, -1), (1, -1), (1, 1), (-1, 1)]
    return base


def prism(outline: ArrayLike, low: float, high: float) -> UprightPrism:
    """Return the upright prism over an outline from z = `low` to z = `high` [m].

    `outline` (n, 2) has x, y of the corners, counter-clockwise as seen from above, not closed: the
    last corner does not repeat the first. [m]

    Raises
    ------
    ValueError
        The outline crosses itself, or has fewer than 3 or more than 1000 corners.
    """
    corners = np.asarray(outline, float)
    ring = np.concatenate([corners, corners[:1]])
    levels = np.stack([np.insert(ring, 2, z, axis=1) for z in (low, high)])
    triangles = triangulated(corners)
    if triangles is None:
        raise ValueError(
            f"a prism's outline of {len(corners)} corners cannot be cut into triangles, expected 3 "
            f"to {MOST_CUT} corners and no sides that cross"
        )
    bottom, top = levels[0][triangles[:, ::-1]], levels[1][triangles]
    return UprightPrism(grid_faces(levels), list(bottom), list(top))


def profiled(outline: ArrayLike, low: float, high: float) -> list[Array]:
    """Return the faces of a bar from x = `low` to x = `high` [m], as polygons (n_corner, 3).

    `outline` is the cross-section, y, z of its corners (n, 2). The faces come as sides, ends at
    `low`, ends at `high`.
    """
    faces = prism(outline, low, high)
    return [p[:, [2, 0, 1]] for part in faces for p in part]


def prism_model(size: Size, details: ObjectDetails, *, sides: str, top: str) -> SolidModel:
    """Return the model of an upright prism over an object's base, from z = 0 to its height.

    Parameters
    ----------
    size : (float, float, float)
        Length, width and height of the object's box. [m]
    details : ObjectDetails
        Properties of the object. Its base polygon ``outline_m`` is the base of the prism; without a
        usable polygon, the base is the rectangle of the box, see `footprint`.
    sides, top : str
        Visual materials (names that mapping tables assign reflectivities to) of the sides with the
        bottom, and of the top.
    """
    model = SolidModel()
    faces = prism(footprint(size, details), 0.0, size[2])
    model.add(sides, faces.sides + faces.bottom)
    model.add(top, faces.top)
    return model


def is_simple(corners: Array) -> bool:
    """Return whether no two sides of a polygon cross or touch; neighbours are not compared.

    Parameters
    ----------
    corners : float64 (n, 2)
        x and y of the corners in order, in either direction; the last side leads from the last
        corner back to the first.
    """
    a, b = corners, np.roll(corners, -1, axis=0)
    n = len(corners)
    sides = [_cross((b - a)[:, None], p[None] - a[:, None]) for p in (a, b)]
    apart = np.sign(sides[0]) * np.sign(sides[1])  # > 0: edge j lies on one side of edge i
    low, high = np.minimum(a, b), np.maximum(a, b)
    near = ((low[:, None] <= high[None]) & (low[None] <= high[:, None])).all(axis=2)
    touching = (apart <= 0) & (apart.T <= 0) & near
    step = (np.arange(n)[:, None] - np.arange(n)) % n
    return not touching[(step > 1) & (step < n - 1)].any()


def _tidy(corners: Array) -> Array:
    """Return corners counter-clockwise, without repeated or straight ones; see `MOST_CORNERS`."""
    corners = corners[:: -(-len(corners) // MOST_CORNERS)]
    if _twice_area(corners) < 0:
        corners = corners[::-1]
    corners = corners[np.linalg.norm(corners - np.roll(corners, 1, axis=0), axis=1) > _LEAST_M]
    before, after = np.roll(corners, 1, axis=0), np.roll(corners, -1, axis=0)
    chord = after - before
    off = np.abs(_cross(chord, corners - before))
    bent: Array = corners[off > _LEAST_M * np.linalg.norm(chord, axis=1)]
    return bent


def _twice_area(corners: Array) -> float:
    return float(_cross(corners, np.roll(corners, -1, axis=0)).sum())


def _cross(a: Array, b: Array) -> Array:
    product: Array = a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]
    return product
