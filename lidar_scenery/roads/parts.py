# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Records of a static road world: strips of surface, and shapes that stand along it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from lidar_base.unfollowed import ALL_FOLLOWED, NotFollowed
from osi_bridge.description.details import ObjectDetails

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

MARKING_LIFT_M = 0.001
"""Height of markings above their surface, so that no two faces coincide. [m]"""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Strip:
    """A surface between a left and a right line of points.

    Attributes
    ----------
    material : str
        Visual material, one of `lidar_scenery.shapes.looks.LOOKS`.
    left_m, right_m : float64 (n, 3)
        Points of the lines. Row k of both is a pair: two pairs in a row bound a quad, and the two
        points of a pair may coincide. For a viewer in front of the surface who looks along the
        lines, `left_m` is on the left. [m]
    """

    material: str
    left_m: NDArray[np.float64]
    right_m: NDArray[np.float64]

    @property
    def area_m2(self) -> float:
        """Area of the strip's triangles [m2]."""
        a, b = self.left_m[:-1], self.left_m[1:]
        c, d = self.right_m[:-1], self.right_m[1:]
        halves = np.cross(b - a, c - a), np.cross(b - d, c - d)
        return float(sum(0.5 * np.linalg.norm(half, axis=1).sum() for half in halves))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Patch:
    """A surface of triangles.

    Attributes
    ----------
    material : str
        Visual material, one of `lidar_scenery.shapes.looks.LOOKS`.
    points_m : float64 (n, 3)
        Corners of the triangles. [m]
    triangles : int64 (n_triangle, 3)
        Rows of `points_m`, counter-clockwise as seen from the front.
    """

    material: str
    points_m: NDArray[np.float64]
    triangles: NDArray[np.int64]

    @property
    def area_m2(self) -> float:
        """Area of the patch's triangles [m2]."""
        a, b, c = (self.points_m[self.triangles[:, i]] for i in range(3))
        return float(0.5 * np.linalg.norm(np.cross(b - a, c - a), axis=1).sum())


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Standing:
    """A built-in shape that stands along a road.

    Attributes
    ----------
    shape : str
        Name of the shape in `lidar_scenery.shapes.catalogue`.
    dimension_m : (float, float, float)
        Length, width and height. [m]
    world_from_object : float64 (4, 4)
        Pose of the shape; its origin is the centre of its box. [m]
    details : ObjectDetails
        Further properties of the object, for the shape's builder.
    """

    shape: str
    dimension_m: tuple[float, float, float]
    world_from_object: NDArray[np.float64]
    details: ObjectDetails = field(default_factory=ObjectDetails)


class Note(NamedTuple):
    """A guess or an omission, for the list of fallbacks that users see.

    `name` is the part that could not be used as it is, `used` what was used instead, `reason` why.
    """

    name: str  # of the part that could not be used as it is
    used: str  # what was used instead
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RoadParts:
    """The parts of a static road world.

    Attributes
    ----------
    strips : tuple of Strip
        Surfaces: lanes, markings, kerbs, rails, walls.
    patches : tuple of Patch
        Other surfaces: intersections, painted symbols, posts of rails.
    standing : tuple of Standing
        Built-in shapes: posts, signs, signals, objects.
    edges_m : tuple of float64 (n, 3)
        Outer edges of the road surfaces; the ground beside the road takes its height from them.
        [m]
    notes : tuple of Note
        Guesses, and parts that were left out.
    not_followed : tuple of NotFollowed
        Contents of the map that this reader ignores.
    counts : tuple of (str, int)
        Numbers of things that were read, each with its plural noun, such as ("lanes", 12).
    ground : str
        Visual material of the ground beside the roads.
    motorway : bool
        Whether some road is stated to be a motorway and, if the source is a map, no road is stated
        to be in a town.
    """

    strips: tuple[Strip, ...] = ()
    patches: tuple[Patch, ...] = ()
    standing: tuple[Standing, ...] = ()
    edges_m: tuple[NDArray[np.float64], ...] = ()
    notes: tuple[Note, ...] = ()
    not_followed: tuple[NotFollowed, ...] = ALL_FOLLOWED
    counts: tuple[tuple[str, int], ...] = ()
    ground: str = "ground_grass"
    motorway: bool = False

    def area_m2(self, beginning: str) -> float:
        """Return the area of all strips and patches whose visual material begins with a text [m2].

        `beginning` is the start of the material's name, such as "road_" or "marking_".
        """
        surfaces: Iterable[Strip | Patch] = (*self.strips, *self.patches)
        return sum(each.area_m2 for each in surfaces if each.material.startswith(beginning))

    @property
    def words(self) -> str:
        """One line for users, such as "12 lanes; 3,400 m2 of road, 120.0 m2 of markings"."""
        counts = ", ".join(counted(number, what) for what, number in self.counts)
        area = f"{self.area_m2('road_'):,.0f} m2 of road"
        return f"{counts}; {area}, {self.area_m2('marking_'):,.1f} m2 of markings"


def counted(number: int, plural: str) -> str:
    """Return a number with a noun, given as plural: "1 lane" for (1, "lanes")."""
    if number != 1 or " and " in plural:
        return f"{number} {plural}"
    return f"1 {plural[:-3]}y" if plural.endswith("ies") else f"1 {plural.removesuffix('s')}"
