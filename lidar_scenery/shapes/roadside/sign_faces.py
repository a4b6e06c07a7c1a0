# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Faces of traffic signs: outlines, the plate with its border, and the symbols on it.

Outlines are (n, 2): right and up as seen by a reader, counter-clockwise. A sign faces x, so y is
to the right of the reader.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from lidar_scenery.shapes.solids import Array, SolidModel, extruded

if TYPE_CHECKING:
    from collections.abc import Sequence

# a digit's lit segments: top, upper left, upper right, middle, lower left, lower right, bottom
_SEGMENTS = {
    "0": "abcefg", "1": "cf", "2": "acdeg", "3": "acdfg", "4": "bcdf", "5": "abdfg",
    "6": "abdefg", "7": "acf", "8": "abcdefg", "9": "abcdfg",
}  # fmt: skip
_STROKE = 0.2  # of a digit's cell


def regular(n_corner: int, first_rad: float) -> Array:
    """Return the corners of a regular polygon on the unit circle, counter-clockwise, (n_corner, 2).

    `n_corner` is the number of corners. `first_rad` is the direction of the first corner from the
    origin, counter-clockwise from the first coordinate's axis. [rad]
    """
    turn = first_rad + 2 * np.pi * np.arange(n_corner) / n_corner
    return np.stack([np.cos(turn), np.sin(turn)], axis=1)


def plate(
    model: SolidModel, outer: Array, inner: Array, sheets: tuple[str, str], thick_m: float
) -> None:
    """Add a sign plate that faces x to a model: border, field inside the border, and back.

    Parameters
    ----------
    model : SolidModel
        Model that the plate is added to.
    outer, inner : float64 (n, 3)
        Outline of the plate, and outline of the field, counter-clockwise as seen by a driver; both
        have equally many corners. [m]
    sheets : (str, str)
        Visual materials of the border and of the field.
    thick_m : float
        Thickness of the plate, behind the outlines. [m]
    """
    _, back, *rim = extruded(outer, (-thick_m, 0, 0))
    rings = np.stack([outer, inner])
    rings = np.concatenate([rings, rings[:, :1]], axis=1)
    model.add(sheets[0], list(border_faces(rings)))
    model.add(sheets[1], [inner])
    model.add("Sign_Back_Aluminium", [back, *rim])


def border_faces(rings: Array) -> Array:
    """Return the n - 1 quads between two closed rings of corners, (n - 1, 4, k).

    `rings` has the outer ring, then the inner ring, (2, n, k): n corners with k coordinates (2 or
    3). The last corner of each ring repeats the first.
    """
    outer, inner = rings
    return np.stack([outer[:-1], outer[1:], inner[1:], inner[:-1]], axis=1)


def band(start: tuple[float, float], end: tuple[float, float], width: float) -> Array:
    """Return the four corners of a straight stripe from one point to another, float64 (4, 2).

    Parameters
    ----------
    start, end : (float, float)
        Middle of the stripe's first end and of its second end, which must differ.
    width : float
        Width of the stripe, in the unit of the points.

    Returns
    -------
    float64 (4, 2)
        Corners, counter-clockwise: right of `start`, right of `end`, left of `end`, left of
        `start`, as seen in the direction of the stripe.
    """
    a, b = np.array(start), np.array(end)
    along = (b - a) / np.linalg.norm(b - a)
    aside = width / 2 * np.array([-along[1], along[0]])
    return np.array([a - aside, b - aside, b + aside, a + aside])


def ring(outer: float, inner: float, n_corner: int = 20) -> list[Array]:
    """Return the flat ring between two regular polygons about the origin, as quads (4, 2).

    `outer` and `inner` are the radii of the polygons' corners. `n_corner` is the number of corners
    of each polygon, and so the number of quads in the list.
    """
    turn = np.append(regular(n_corner, 0.0), [(1.0, 0.0)], axis=0)
    return list(border_faces(np.stack([outer * turn, inner * turn])))


def stripes(n: int) -> list[Array]:
    """Return every second of the `n` vertical stripes of a square, from the left, as quads (4, 2).

    The square has side 1 and is centred on the origin. The first result is the leftmost stripe.
    """
    edges = list(pairwise(np.linspace(-0.5, 0.5, n + 1)))[::2]
    return [np.array([(a, -0.5), (b, -0.5), (b, 0.5), (a, 0.5)]) for a, b in edges]


def digits(text: str, height: float) -> list[Array]:
    """Return a number in seven-segment digits, as one quad (4, 2) for each stroke.

    Parameters
    ----------
    text : str
        Characters from left to right. A character that is no digit leaves a gap.
    height : float
        Height of a digit, in the unit of the coordinates.

    Returns
    -------
    list of float64 (4, 2)
        Corners of the strokes: x to the right, y upwards. The text is centred on the origin.
    """
    width, gap = 0.5 * height, 0.18 * height
    start = -0.5 * (len(text) * (width + gap) - gap)
    strokes = []
    for at, character in enumerate(text):
        low = np.array([start + at * (width + gap), -0.5 * height])
        cell = _digit(_SEGMENTS.get(character, ""))
        strokes += [low + stroke * (width, height) for stroke in cell]
    return strokes


def _digit(segments: Sequence[str]) -> list[Array]:
    s, h = _STROKE, 0.5 * _STROKE
    boxes = {
        "a": (0, 1 - h, 1, 1), "b": (0, 0.5 + h / 2, s, 1 - h), "c": (1 - s, 0.5 + h / 2, 1, 1 - h),
        "d": (0, 0.5 - h / 2, 1, 0.5 + h / 2), "e": (0, h, s, 0.5 - h / 2),
        "f": (1 - s, h, 1, 0.5 - h / 2), "g": (0, 0, 1, h),
    }  # fmt: skip
    corners = [boxes[segment] for segment in segments]
    return [np.array([(x, y), (X, y), (X, Y), (x, Y)]) for x, y, X, Y in corners]
