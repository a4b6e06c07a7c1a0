# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Objects along lane boundaries: kerbs, guard rails, barriers, walls, raised dots."""

from __future__ import annotations

from itertools import pairwise
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from lidar_scenery.roads.parts import Patch, Strip
from lidar_scenery.roads.polylines import Array, along, leftwards, stations_m

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from osi_bridge import BoundaryLine

KERB_TOP_M = 0.15
"""Width of a kerb's top. [m]"""
FOOT_M = 0.02
"""Depth to which objects reach into the ground, so that no gap is left. [m]"""
POST_SPACING_M = 2.0
"""Distance between the posts of a guard rail; 1.33 to 4 m are usual. [m]"""
DOT_SPACING_M = 1.22
"""Distance between raised dots, 4 ft. [m]"""

_POST_M = (0.1, 0.055)  # along and across
_BAND_M = 0.31  # height of a W-beam, 0.083 m deep (EN 1317 systems)
_DOT_M = ((0.051, 0.0), (0.03, 0.019))  # radius and height: Botts' dot, 4 in by 3/4 in
_CORNERS = 8
_MOST_POSTS = 20_000


class Upright(NamedTuple):
    """The object that stands along lane boundaries of one type, such as a barrier.

    Attributes
    ----------
    words : str
        Name of the object, such as "kerb".
    material : str
        Visual material.
    height_m : float
        Height if the message states none. [m]
    profile : sequence of (float, float)
        Cross-section; empty for a guard rail, which has a W-beam. See the field.
    """

    words: str  # name of the object
    material: str
    height_m: float
    """Height if the message states none. [m]"""
    profile: Sequence[tuple[float, float]]
    """Cross-section: distance from the boundary, away from the road [m], and height as a fraction
    of the total height. It begins at the foot on the road's side."""


def _wall(thickness_m: float) -> tuple[tuple[float, float], ...]:
    return (0.0, 0.0), (0.0, 1.0), (thickness_m, 1.0), (thickness_m, 0.0)


UPRIGHTS: Mapping[str, Upright] = MappingProxyType(
    {
        "CURB": Upright("kerb", "kerb_stone", 0.12, _wall(KERB_TOP_M)),
        # cross-section of a New Jersey barrier, 0.61 m wide and 0.81 m high
        "BARRIER": Upright(
            "barrier",
            "barrier_concrete",
            0.81,
            (
                (0.0, 0.0),
                (0.0, 0.094),
                (0.18, 0.407),
                (0.23, 1.0),
                (0.38, 1.0),
                (0.43, 0.407),
                (0.61, 0.094),
                (0.61, 0.0),
            ),
        ),
        "STRUCTURE": Upright("structure", "wall_concrete", 3.0, _wall(0.3)),
        "SOUND_BARRIER": Upright("sound barrier", "wall_concrete", 3.0, _wall(0.15)),
        "GUARD_RAIL": Upright("guard rail", "rail_steel", 0.75, ()),
    }
)
"""The object that stands along a lane boundary, by the type of the boundary, such as "CURB"."""


def upright_strips(line: BoundaryLine, *, road_is_left: bool) -> Iterator[Strip]:
    """Yield the surfaces of the object along a boundary whose type is in `UPRIGHTS`.

    For a guard rail, the result is its beam; its posts come from `rail_posts`.

    Parameters
    ----------
    line : BoundaryLine
        The boundary. If its height is 0 at a point, the usual height of the object is used there.
    road_is_left : bool
        Whether the road lies on the left, seen along the boundary. The object stands on the other
        side; its surfaces face outwards, and the beam of a guard rail faces the road.
    """
    kind = UPRIGHTS[line.type_name]
    height_m = np.where(line.height_m > 0.0, line.height_m, kind.height_m)
    if kind.profile:
        profile = [
            (away_m, share * height_m if share else np.full_like(height_m, -FOOT_M))
            for away_m, share in kind.profile
        ]
    else:
        depth = (0.083, 0.0, 0.063, 0.0, 0.083)  # the two waves stand out towards the road
        parts = (0.0, 0.2, 0.5, 0.8, 1.0)
        profile = [
            (away_m, height_m - _BAND_M * (1.0 - part))
            for away_m, part in zip(depth, parts, strict=True)
        ]
    aside = leftwards(line.points_m) * (-1.0 if road_is_left else 1.0)
    lines = [line.points_m + away_m * aside + _up(z_m) for away_m, z_m in profile]
    for low, high in pairwise(lines):
        left_m, right_m = (low, high) if road_is_left else (high, low)
        yield Strip(material=kind.material, left_m=left_m, right_m=right_m)


def _up(height_m: Array) -> Array:
    return np.column_stack([np.zeros((len(height_m), 2)), height_m])


def rail_posts(line: BoundaryLine, *, road_is_left: bool) -> Patch:
    """Return the posts of a guard rail, one every `POST_SPACING_M`, as one surface.

    They stand behind the beam, on the side away from the road.

    Parameters
    ----------
    line : BoundaryLine
        The lane boundary along which the guard rail stands. If its height is 0 at a post, the usual
        height of a guard rail is used there.
    road_is_left : bool
        Whether the road lies on the left, seen along the boundary.
    """
    own_m = stations_m(line.points_m)
    n = int(min(own_m[-1] // POST_SPACING_M + 1, _MOST_POSTS))
    station_m = (np.arange(n) * POST_SPACING_M).astype(np.float64)
    columns = np.column_stack([line.points_m, leftwards(line.points_m), line.height_m])
    place = along(columns, own_m, station_m)
    away = place[:, 3:5] * (-1.0 if road_is_left else 1.0)
    away /= np.maximum(np.linalg.norm(away, axis=1, keepdims=True), 1e-9)
    ahead = np.stack([away[:, 1], -away[:, 0]], axis=1)
    height_m = np.where(place[:, 6] > 0.0, place[:, 6], UPRIGHTS["GUARD_RAIL"].height_m)
    length_m, depth_m = _POST_M
    corners = [(-0.5, 0.0), (0.5, 0.0), (0.5, 1.0), (-0.5, 1.0)]
    ring = np.stack(
        [place[:, :2] + u * length_m * ahead + (0.083 + v * depth_m) * away for u, v in corners],
        axis=1,
    )
    low_m, high_m = place[:, 2] - FOOT_M, place[:, 2] + height_m - 0.05
    return _columns("rail_steel", [(ring, low_m), (ring, high_m)])


def dots(line: BoundaryLine, material: str) -> Patch:
    """Return the raised dots of a line, one every `DOT_SPACING_M`: truncated eight-sided cones.

    ``line`` (`BoundaryLine`) is the lane boundary, and ``material`` the visual material of the
    dots.
    """
    own_m = stations_m(line.points_m)
    n = int(min(own_m[-1] // DOT_SPACING_M + 1, _MOST_POSTS))
    place = along(line.points_m, own_m, (np.arange(n) * DOT_SPACING_M).astype(np.float64))
    angle = np.arange(_CORNERS) * (2.0 * np.pi / _CORNERS)
    circle = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    rings = [
        (place[:, None, :2] + radius_m * circle, place[:, 2] + height_m)
        for radius_m, height_m in _DOT_M
    ]
    return _columns(material, rings)


def _columns(material: str, rings: Sequence[tuple[Array, Array]]) -> Patch:
    """Return closed columns between a lower and an upper ring of corners, (n, k, 2) each."""
    n, k = rings[0][0].shape[:2]
    points_m = np.concatenate(
        [np.dstack([ring, np.repeat(z_m[:, None], k, axis=1)]) for ring, z_m in rings], axis=1
    )
    i = np.arange(k)
    j = (i + 1) % k
    sides = np.concatenate([np.stack([i, j, j + k], 1), np.stack([i, j + k, i + k], 1)])
    fan = np.stack([0 * i[1:-1], i[1:-1], i[1:-1] + 1], 1) + k
    faces = np.concatenate([sides, fan])
    triangles = (faces[None] + 2 * k * np.arange(n)[:, None, None]).reshape(-1, 3)
    return Patch(material=material, points_m=points_m.reshape(-1, 3), triangles=triangles)
