# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Triangles of USD prims, in their own frame: polygons of Mesh prims, and built-in shapes.

Built-in shapes are flat, or solids of revolution. The latter have `AROUND` sides. Their corners lie
on the true surface, and the sides at most r (1 - cos(pi / AROUND)) inside it: 0.12 % of the radius.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from raycore.errors import MeshError

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray
    from pxr import Usd

AROUND = 64
_OF_CAP = AROUND // 4
_AXES = {"X": (2, 0, 1), "Y": (1, 2, 0), "Z": (0, 1, 2)}
"""For each axis of a shape, the columns of a shape about z that become x, y and z."""
_CUBE = np.array([[i >> 2 & 1, i >> 1 & 1, i & 1] for i in range(8)]) - 0.5
# Quads whose normals point out, by corners of _CUBE.
_SIDES = np.array(
    [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]]
)
_SQUARE = np.array([[-0.5, -0.5, 0.0], [0.5, -0.5, 0.0], [0.5, 0.5, 0.0], [-0.5, 0.5, 0.0]])


class PrimShape(NamedTuple):
    """Triangles of a prim, in the prim's frame and unit.

    Attributes
    ----------
    points : float64 (n_point, 3)
        Vertices.
    triangles : int64 (n, 3)
        Vertex indices of each triangle.
    polygon : int64 (n,)
        Index of the prim's face to which each triangle belongs.
    """

    points: NDArray[np.float64]
    triangles: NDArray[np.int64]
    polygon: NDArray[np.int64]

    @property
    def n_numbers(self) -> int:
        """Number of vertices plus number of corners of triangles."""
        return len(self.points) + self.triangles.size

    def digest(self) -> bytes:
        """Return a digest of all numbers, for finding equal shapes."""
        digest = hashlib.sha256(b"%d %d" % (len(self.points), len(self.triangles)))
        for column in self:
            digest.update(column.tobytes())
        return digest.digest()


def fans(
    counts: NDArray[np.int64], corners: NDArray[np.int64], *, left_handed: bool
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Split polygons into fans of triangles around their first corner.

    Parameters
    ----------
    counts : int64 (n_polygon,)
        Number of corners of each polygon; a polygon with fewer than three has no triangle.
    corners : int64 (n_corner,)
        Vertex indices of the corners, polygon by polygon.
    left_handed : bool
        Whether corners are in clockwise order, seen from outside.

    Returns
    -------
    triangles : int64 (n, 3)
        Vertex indices, in the order of the polygons; counter-clockwise.
    polygon : int64 (n,)
        Index of each triangle's polygon.
    """
    n_each = np.maximum(counts - 2, 0)
    polygon = np.repeat(np.arange(len(counts)), n_each)
    first = (np.cumsum(counts) - counts)[polygon]
    within = np.arange(len(polygon)) - (np.cumsum(n_each) - n_each)[polygon]
    ends = (first + within + 1, first + within + 2)
    second, third = ends[::-1] if left_handed else ends
    triangles = np.stack([corners[first], corners[second], corners[third]], axis=1)
    return triangles, polygon


def polygons(
    points: NDArray[np.float64],
    counts: NDArray[np.int64],
    corners: NDArray[np.int64],
    holes: NDArray[np.int64],
    *,
    left_handed: bool,
) -> PrimShape:
    """Return the triangles of a Mesh prim from the prim's attributes, without faces that are holes.

    Parameters
    ----------
    points : float64 (n_point, 3)
        Vertices, in the frame of the prim.
    counts : int64 (n_face,)
        Number of corners of each face.
    corners : int64 (n_corner,)
        Vertex indices of the corners, face by face.
    holes : int64 (n_hole,)
        Indices of the faces that are holes.
    left_handed : bool
        Whether corners are in clockwise order, seen from outside.

    Raises
    ------
    MeshError
        The numbers of corners do not add up, or a corner's vertex does not exist. The caller puts
        the prim's name before the text.
    """
    if (counts < 0).any():
        raise MeshError(f"faceVertexCounts: got {counts.min()}, expected 0 or more")
    if counts.sum() != len(corners):
        raise MeshError(
            f"faceVertexCounts add up to {counts.sum()}, expected {len(corners)}, the number of "
            "faceVertexIndices"
        )
    bad = np.flatnonzero((corners < 0) | (corners >= len(points)))
    if len(bad):
        raise MeshError(
            f"faceVertexIndices[{bad[0]}] is {corners[bad[0]]}, expected 0 to {len(points) - 1}"
        )
    triangles, polygon = fans(counts, corners, left_handed=left_handed)
    if len(holes):
        solid = ~np.isin(polygon, holes)
        triangles = triangles[solid]
        polygon = polygon[solid]
    return PrimShape(points, triangles, polygon)


def type_of(prim: Usd.Prim) -> str:
    """Return the type of a prim, such as "Mesh"; for an unknown type, usd-core's fallback type.

    ``prim`` is the prim. The result is the unknown type itself if it has no fallback types.
    """
    return str(prim.GetPrimTypeInfo().GetSchemaTypeName() or prim.GetTypeName())


def built_in(prim: Usd.Prim, time: Usd.TimeCode) -> PrimShape:
    """Return the triangles of a prim that is a built-in shape, such as a Cube or Sphere.

    ``prim`` is the prim, whose type must be a key of `BUILT_IN`. ``time`` is the time at which its
    attributes are read.
    """
    return BUILT_IN[type_of(prim)](prim, time)


def _number(prim: Usd.Prim, name: str, time: Usd.TimeCode) -> float:
    return float(prim.GetAttribute(name).Get(time))


def _about_axis(prim: Usd.Prim, shape: PrimShape) -> PrimShape:
    columns = _AXES.get(str(prim.GetAttribute("axis").Get()), _AXES["Z"])
    return shape._replace(points=shape.points[:, columns])


def _quads(points: NDArray[np.float64], corners: NDArray[np.int64]) -> PrimShape:
    counts = np.full(len(corners), 4)
    return PrimShape(points, *fans(counts, corners.ravel(), left_handed=False))


def revolved(profile: NDArray[np.float64]) -> PrimShape:
    """Return the surface of revolution of a profile about z.

    Parameters
    ----------
    profile : float64 (n, 2)
        Radius and height of the profile's corners, from below; radii of 0 are on the axis.

    Returns
    -------
    PrimShape
        The surface, with normals that point out, and without triangles of no area.
    """
    angle = 2.0 * np.pi * np.arange(AROUND) / AROUND
    radius, height = profile.T[..., None]
    points = np.stack(
        np.broadcast_arrays(radius * np.cos(angle), radius * np.sin(angle), height), axis=-1
    )
    here = np.arange(AROUND)
    ring = AROUND * np.arange(len(profile) - 1)[:, None]
    below = ring + here
    below_next = ring + np.roll(here, -1)
    quads = np.stack([below, below_next, below_next + AROUND, below + AROUND], axis=-1)
    shape = _quads(points.reshape(-1, 3), quads.reshape(-1, 4))
    a, b, c = shape.points[shape.triangles].swapaxes(0, 1)
    solid = np.cross(b - a, c - a).any(axis=1)
    return shape._replace(triangles=shape.triangles[solid], polygon=shape.polygon[solid])


def _arc(radius: float, start_rad: float, stop_rad: float, n: int) -> NDArray[np.float64]:
    """Return n + 1 points (radius, height) of an arc between two elevations, (n + 1, 2)."""
    angle = np.linspace(start_rad, stop_rad, n + 1)
    across = np.maximum(np.cos(angle), 0.0)
    across[np.abs(angle) >= np.pi / 2] = 0.0
    return radius * np.stack([across, np.sin(angle)], axis=1)


def _cube(prim: Usd.Prim, time: Usd.TimeCode) -> PrimShape:
    return _quads(_CUBE * _number(prim, "size", time), _SIDES)


def _plane(prim: Usd.Prim, time: Usd.TimeCode) -> PrimShape:
    """Return the rectangle of a Plane prim; UsdGeomPlane defines the axes of width and length."""
    width = _number(prim, "width", time)
    length = _number(prim, "length", time)
    axis = str(prim.GetAttribute("axis").Get())
    # About x the first column becomes y, about y it becomes z: the length is along these.
    sides = (length, width, 1.0) if axis in ("X", "Y") else (width, length, 1.0)
    return _about_axis(prim, _quads(_SQUARE * sides, np.arange(4)[None]))


def _sphere(prim: Usd.Prim, time: Usd.TimeCode) -> PrimShape:
    radius = _number(prim, "radius", time)
    return revolved(_arc(radius, -np.pi / 2, np.pi / 2, AROUND // 2))


def _ends(prim: Usd.Prim, time: Usd.TimeCode) -> tuple[float, float]:
    """Return the radii of a cylinder, cone or capsule prim at the lower and the upper end."""
    if type_of(prim).endswith("_1"):
        return _number(prim, "radiusBottom", time), _number(prim, "radiusTop", time)
    radius = _number(prim, "radius", time)
    return radius, 0.0 if type_of(prim) == "Cone" else radius


def _cylinder(prim: Usd.Prim, time: Usd.TimeCode) -> PrimShape:
    lower, upper = _ends(prim, time)
    half = 0.5 * _number(prim, "height", time)
    profile = np.array([[0.0, -half], [lower, -half], [upper, half], [0.0, half]])
    return _about_axis(prim, revolved(profile))


def _capsule(prim: Usd.Prim, time: Usd.TimeCode) -> PrimShape:
    lower, upper = _ends(prim, time)
    half = 0.5 * _number(prim, "height", time)
    up = np.array([0.0, half])
    below = _arc(lower, -np.pi / 2, 0.0, _OF_CAP) - up
    above = _arc(upper, 0.0, np.pi / 2, _OF_CAP) + up
    return _about_axis(prim, revolved(np.concatenate([below, above])))


BUILT_IN: dict[str, Callable[[Usd.Prim, Usd.TimeCode], PrimShape]] = {
    "Cube": _cube,
    "Sphere": _sphere,
    "Cylinder": _cylinder,
    "Cylinder_1": _cylinder,
    "Cone": _cylinder,
    "Capsule": _capsule,
    "Capsule_1": _capsule,
    "Plane": _plane,
}
"""Built-in shapes, by the types of their prims."""
