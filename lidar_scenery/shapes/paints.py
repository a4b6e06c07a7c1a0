# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Paint of vehicles: by their colour if it is stated, else drawn with the shares of real cars."""

from __future__ import annotations

import struct
from hashlib import blake2b
from itertools import accumulate
from typing import TYPE_CHECKING

from lidar_scenery.shapes.looks import LOOKS

if TYPE_CHECKING:
    from osi_bridge.description.details import Point3

__all__ = ["PAINT_SHARES", "paint_of"]

PAINT_SHARES = {
    "Paint_Black": 266,
    "Paint_Grey": 206,
    "Paint_White": 199,
    "Paint_Silver": 124,
    "Paint_Blue": 89,
    "Paint_Red": 47,
    "Paint_Green": 31,
    "Paint_Yellow": 17,
    "Paint_Orange": 16,
    "Paint_Brown": 5,
}
"""Shares of the paints, of 1000 cars: those registered in Germany in 2024 [1]_.

The statistic counts silver as grey (330). The two are split by their shares among cars built
worldwide, 9 to 15 [2]_. Yellow and orange share the remainder, for which the statistic gives no
figures. The figure for brown is for the first half of the year.

References
----------
.. [1] Kraftfahrt-Bundesamt, Neuzulassungen von Pkw nach Farben, 2024.
.. [2] BASF Coatings, Color Report for Automotive OEM Coatings, 2023.
"""
_WORD = 2**64


def paint_of(color: Point3 | None, seed: int, object_id: int) -> str:
    """Return the name of the visual material of a vehicle's paint.

    Parameters
    ----------
    color : (float, float, float) or None
        Stated colour: red, green and blue, 0 to 1. The result is then the paint with the nearest
        colour. None: a paint is drawn at random from `PAINT_SHARES`; it depends on `seed` and
        `object_id` alone.
    seed : int
        Seed of the run.
    object_id : int
        OSI id of the vehicle.
    """
    if color is not None:
        return min(PAINT_SHARES, key=lambda name: _distance(LOOKS[name].color, color))
    key = struct.pack("<QQ", seed % _WORD, object_id % _WORD)
    drawn = int.from_bytes(blake2b(key, digest_size=8).digest(), "little")
    place = drawn * sum(PAINT_SHARES.values()) // _WORD
    ends = zip(PAINT_SHARES, accumulate(PAINT_SHARES.values()), strict=True)
    return next(name for name, end in ends if place < end)


def _distance(one: Point3, other: Point3) -> float:
    return sum((a - b) ** 2 for a, b in zip(one, other, strict=True))
