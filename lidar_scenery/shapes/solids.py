# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Polygons with the names of their materials, and the solids that shapes are made of."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

Array = NDArray[np.float64]
Random = np.random.Generator
DECIMALS = 3  # vertices lie on a grid of 1 mm
PART = "/"
"""Separator between the name of a group and the name of a part, which may move separately."""


class SolidModel:
    """A model of polygons in metres (x forward, y left, z up), by group and by visual material.

    Attributes
    ----------
    groups : dict of (str, str) to list of float64 (n_corner, 3)
        Polygons by (group, material).
    group : str
        Name of the group that `add` adds to. The name of a part of a group is "group/part".
    """

    def __init__(self) -> None:
        self.groups: dict[tuple[str, str], list[Array]] = defaultdict(list)
        self.group = "body"

    def add(self, material: str, polygons: Iterable[ArrayLike]) -> None:
        """Add polygons of a visual material to the current `group`, in place.

        Each polygon is (n_corner, 3) [m], counter-clockwise as seen from its front.
        """
        self.groups[self.group, material].extend(np.asarray(p, np.float64) for p in polygons)

    def merge(self, other: SolidModel, place: Callable[[Array], Array]) -> None:
        """Add all polygons of another model to the current group of this model, in place.

        All groups of the other model become this one group. `place` is a function that maps the
        corners (n_corner, 3) of a polygon into this model.
        """
        for (_, material), polygons in other.groups.items():
            self.add(material, [place(p) for p in polygons])

    def moved(self, place: Callable[[Array], Array]) -> SolidModel:
        """Return a copy of the model; `place`, a function of points (n, 3), maps its corners."""
        copy = SolidModel()
        for (copy.group, material), polygons in self.groups.items():
            copy.add(material, [place(p) for p in polygons])
        return copy

    @property
    def whole_groups(self) -> dict[tuple[str, str], list[Array]]:
        """The polygons by (group, material), with the parts of a group merged into it.

        A group named "body/door" is the part "door" of the group "body"; here its polygons are in
        the lists of "body".
        """
        whole: dict[tuple[str, str], list[Array]] = {}
        for (group, material), polygons in self.groups.items():
            whole.setdefault((group.partition(PART)[0], material), []).extend(polygons)
        return whole

    @property
    def bounds(self) -> Array:
        """Minimum and maximum of the corners along x, y and z, (2, 3), rounded to 1 mm [m]."""
        corners = np.concatenate([p for polygons in self.groups.values() for p in polygons])
        corners = corners.round(DECIMALS)
        return np.stack([corners.min(axis=0), corners.max(axis=0)])

    def on_ground(self, dimension_m: Sequence[float]) -> SolidModel:
        """Return a copy stretched to a length, width and height, standing on z = 0.

        The origin becomes the centre of the bounding box's bottom. So an OSI box of the same
        dimension encloses the model, exactly if the model's `bounds` are whole millimetres.
        `dimension_m` holds the length (along x), width (along y) and height (along z). [m] The
        model must have an extent of at least 1 mm along each axis.
        """
        low, high = self.bounds
        scale = np.asarray(dimension_m) / (high - low)
        centre = np.array([(low[0] + high[0]) / 2, (low[1] + high[1]) / 2, low[2]])
        return self.moved(lambda p: (p - centre) * scale)


def turned(*, yaw_rad: float, to: Sequence[float] = (0, 0, 0)) -> Callable[[Array], Array]:
    """Return a function that turns points (n, 3) about the z axis by `yaw_rad` and then adds `to`.

    A positive angle turns to the left. `to` is the vector (x, y, z) that is added.
    """
    c, s = np.cos(yaw_rad), np.sin(yaw_rad)
    rotation, offset = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]), np.asarray(to, float)

    def place(points: Array) -> Array:
        moved: Array = points @ rotation.T + offset
        return moved

    return place


def grid_faces(points: Array) -> list[Array]:
    """Return the quads (4, 3) of a surface through a grid of points (n_row, n_column, 3).

    The corners of a quad are (i, j), (i, j + 1), (i + 1, j + 1), (i + 1, j), in this order. A quad
    faces the cross product of the step from column to column and the step from row to row.
    """
    p = points
    quads = np.stack([p[:-1, :-1], p[:-1, 1:], p[1:, 1:], p[1:, :-1]], axis=2)
    return list(quads.reshape(-1, 4, 3))


def box(low: ArrayLike, high: ArrayLike, *, sides: str = "xXyYzZ") -> list[Array]:
    """Return faces of an upright box between two corners, as quads (4, 3) that face outwards.

    Parameters
    ----------
    low, high : array_like (3,)
        Corner with the lowest x, y, z, and corner with the highest. [m]
    sides : str
        Names of the wanted faces: x is the face with the lowest x, X with the highest x, and so on.
        The result has one quad for each character, in this order.
    """
    (x, y, z), (X, Y, Z) = np.asarray(low, float), np.asarray(high, float)
    faces = {
        "x": [(x, Y, z), (x, y, z), (x, y, Z), (x, Y, Z)],
        "X": [(X, y, z), (X, Y, z), (X, Y, Z), (X, y, Z)],
        "y": [(x, y, z), (X, y, z), (X, y, Z), (x, y, Z)],
        "Y": [(X, Y, z), (x, Y, z), (x, Y, Z), (X, Y, Z)],
        "z": [(x, Y, z), (X, Y, z), (X, y, z), (x, y, z)],
        "Z": [(x, y, Z), (X, y, Z), (X, Y, Z), (x, Y, Z)],
    }
    return [np.array(faces[s]) for s in sides]


def flat(x: tuple[float, float], y: tuple[float, float], z: float) -> list[Array]:
    """Return one horizontal rectangle that faces up, as a list with one quad (4, 3).

    `x` and `y` are pairs of its lowest and highest x and y, and `z` is its height. [m]
    """
    return box((x[0], y[0], z), (x[1], y[1], z), sides="Z")


def tube(
    path: ArrayLike, radius: ArrayLike, n_side: int = 8, *, capped: bool = True
) -> list[Array]:
    """Return the faces of a round body around a polyline, as polygons (n_corner, 3).

    Parameters
    ----------
    path : array_like (n, 3)
        Points of the polyline.
    radius : array_like (n,) or float
        Radius at each point, or one for all.
    n_side : int
        Number of sides of the body.
    capped : bool
        Whether to add a face at each end.
    """
    path = np.asarray(path, float)
    radius = np.broadcast_to(np.asarray(radius, float), len(path))
    axis = path[-1] - path[0]
    axis = axis / np.linalg.norm(axis)
    side = np.cross(axis, (1.0, 0, 0) if abs(axis[0]) < 0.9 else (0, 1.0, 0))
    side /= np.linalg.norm(side)
    turn = 2 * np.pi * np.arange(n_side + 1) / n_side
    ring = np.cos(turn)[:, None] * side + np.sin(turn)[:, None] * np.cross(axis, side)
    ring[-1] = ring[0]
    points = path[:, None] + radius[:, None, None] * ring
    caps = [points[0, -2::-1], points[-1, :-1]] if capped else []
    return grid_faces(points) + caps


def capsule(
    start: ArrayLike, end: ArrayLike, radius: tuple[float, float], n_side: int = 10
) -> list[Array]:
    """Return the faces of a limb, as polygons (n_corner, 3): a tube with round ends.

    Parameters
    ----------
    start, end : array_like (3,)
        Centres of the round ends, which must differ. [m]
    radius : (float, float)
        Radii of the end at `start` and of the end at `end`. [m]
    n_side : int
        Number of sides around the axis.
    """
    a, b = np.asarray(start, float), np.asarray(end, float)
    axis = (b - a) / np.linalg.norm(b - a)
    angle = np.linspace(0.1, np.pi / 2, 4)
    ends = (
        a - axis * radius[0] * np.cos(angle)[:, None],
        b + axis * radius[1] * np.cos(angle[::-1])[:, None],
    )
    radii = (radius[0] * np.sin(angle), radius[1] * np.sin(angle[::-1]))
    return tube(np.concatenate(ends), np.concatenate(radii), n_side)


def ellipsoid(centre: ArrayLike, half_m: Sequence[float], n_side: int = 12) -> list[Array]:
    """Return the faces of an ellipsoid with axes along x, y and z, as polygons (n_corner, 3).

    Parameters
    ----------
    centre : array_like (3,)
        Centre. [m]
    half_m : sequence of 3 float
        Half axes along x, y and z; small flat faces cut off the ends along z. [m]
    n_side : int
        Number of sides around the z axis.
    """
    angle = np.linspace(-np.pi / 2 + 0.15, np.pi / 2 - 0.15, 8)
    path = np.stack([0 * angle, 0 * angle, np.sin(angle)], axis=1)
    faces = tube(path, np.cos(angle), n_side)
    return [np.asarray(centre) + f * np.asarray(half_m) for f in faces]


def extruded(outline: ArrayLike, depth: ArrayLike) -> list[Array]:
    """Return the faces of a prism, as polygons (n_corner, 3): front, back, one quad per side.

    `outline` (n, 3) is the front, counter-clockwise as seen from the front side. `depth` is the
    vector from the front to the back.
    """
    front = np.asarray(outline, float)
    back = front + np.asarray(depth, float)
    ring = np.stack([back, front])
    return [front, back[::-1], *grid_faces(np.concatenate([ring, ring[:, :1]], axis=1))]


def rng(*seed: int) -> Random:
    """Return a random generator for one object; equal seeds give the same random numbers.

    `seed` holds one or more integers.
    """
    return np.random.default_rng(seed)


def curve(x: ArrayLike, knots: Sequence[tuple[float, float]]) -> Array:
    """Return the values at x of a smooth curve through the knots (x, value).

    It is a cubic Hermite curve that does not overshoot; beyond the knots it is constant.
    """
    xs, ys = np.array(knots, float).T
    width = np.diff(xs)
    slope = np.diff(ys) / width
    inner = np.where(
        slope[:-1] * slope[1:] > 0, 2 * slope[:-1] * slope[1:] / (slope[:-1] + slope[1:] + 1e-12), 0
    )
    tangent = np.concatenate([slope[:1], inner, slope[-1:]])
    x = np.clip(np.asarray(x, float), xs[0], xs[-1])
    i = np.clip(np.searchsorted(xs, x, side="right") - 1, 0, len(xs) - 2)
    t = (x - xs[i]) / width[i]
    height: Array = (
        ys[i] * (1 + 2 * t) * (1 - t) ** 2
        + tangent[i] * width[i] * t * (1 - t) ** 2
        + ys[i + 1] * t**2 * (3 - 2 * t)
        + tangent[i + 1] * width[i] * t**2 * (t - 1)
    )
    return height
