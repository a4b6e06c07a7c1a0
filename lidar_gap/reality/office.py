# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""A laboratory with desks, made of boxes with hard edges, and a sensor on one of the desks.

The origin is the sensor, 0.25 m above its desk. Furniture has common sizes: desks 1.6 x 0.8 m, 0.74
m high, with legs of 5 cm; monitors of 0.55 x 0.32 m; chairs with five feet; shelves of 0.9 x 0.4 m
with boards every 0.36 m; pillars of 0.4 m; window frames of 6 cm, 1.2 m apart. The room is 13 x 10
m and 2.8 m high. Objects near walls and panels behind desks were added until range steps of 0.5 to
1.2 m had the same share of all range steps as in recordings of a VLP-16 and of Pandars. At other
positions of the sensor, such steps are rarer.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from lidar_gap.reality.boxes import MattBox

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike

PERCENT = {"black": 4, "dark": 9, "fabric": 15, "wood": 32, "metal": 50, "white": 85}
FLOOR_M, CEILING_M = -0.99, 1.81
DESK_M = FLOOR_M + 0.74
ROOM_M = ((-5.0, 8.0), (-4.0, 6.0))


def box(low_m: ArrayLike, high_m: ArrayLike, name: str) -> MattBox:
    """Return an axis-aligned box between its lowest and highest corner.

    Parameters
    ----------
    low_m, high_m : array_like (3,)
        Lowest and highest x, y, z of the box, in the sensor frame. [m]
    name : str
        Material of the box, a key of `PERCENT`.
    """
    ends = np.array([low_m, high_m])
    corners = [[ends[i, 0], ends[j, 1], ends[k, 2]] for i in (0, 1) for j in (0, 1) for k in (0, 1)]
    return MattBox(np.array(corners, np.float64), float(PERCENT[name]))


def around(x_m: float, y_m: float, z_m: float, size_m: Sequence[float], name: str) -> MattBox:
    """Return an axis-aligned box, given the centre of its bottom and its size.

    Parameters
    ----------
    x_m, y_m, z_m : float
        Centre of the bottom, in the sensor frame. [m]
    size_m : sequence of 3 float
        Size along x, y and z. [m]
    name : str
        Material of the box, a key of `PERCENT`.
    """
    half = np.array([size_m[0] / 2, size_m[1] / 2])
    low = np.array([x_m - half[0], y_m - half[1], z_m])
    return box(low, low + np.array(size_m), name)


def placed(boxes: Sequence[MattBox], x_m: float, y_m: float, turn_deg: float) -> list[MattBox]:
    """Return copies of boxes, turned left about the z axis of the origin, then shifted.

    Parameters
    ----------
    boxes : sequence of MattBox
        The boxes; they are not changed.
    x_m, y_m : float
        Shift along x and y. [m]
    turn_deg : float
        Angle of the turn, counter-clockwise as seen from above. [deg]
    """
    turn = math.radians(turn_deg)
    rows = np.array([[math.cos(turn), math.sin(turn)], [-math.sin(turn), math.cos(turn)]])
    done = []
    for each in boxes:
        moved = each.corners_m.copy()
        moved[:, :2] = moved[:, :2] @ rows + (x_m, y_m)
        done.append(MattBox(moved, each.percent))
    return done


def desk(*, monitors: int = 2) -> list[MattBox]:
    """Return the boxes of a desk with monitors, a computer below and a few things on it.

    The desk is centred on the origin and 1.6 m long along y; monitors are on the side of +x.
    ``monitors`` is the number of monitors.
    """
    legs = [
        around(x, y, FLOOR_M, (0.05, 0.05, 0.71), "metal")
        for x in (-0.35, 0.35)
        for y in (-0.75, 0.75)
    ]
    screens = []
    for number in range(monitors):
        y = (number - (monitors - 1) / 2) * 0.62
        screens += [
            around(0.22, y, DESK_M + 0.12, (0.04, 0.55, 0.32), "black"),
            around(0.25, y, DESK_M, (0.05, 0.06, 0.3), "dark"),
        ]
    return [
        around(0, 0, DESK_M - 0.03, (0.8, 1.6, 0.03), "wood"),
        *legs,
        *screens,
        around(0.1, -0.6, FLOOR_M, (0.45, 0.2, 0.42), "black"),
        around(-0.1, 0.7, DESK_M, (0.08, 0.08, 0.1), "white"),
        around(-0.1, -0.65, DESK_M, (0.3, 0.22, 0.06), "white"),
    ]


def chair() -> list[MattBox]:
    """Return an office chair at the origin, facing +x: five feet, column, seat, back, arms."""
    feet = [
        part
        for number in range(5)
        for part in placed(
            [around(0.15, 0, FLOOR_M + 0.05, (0.3, 0.04, 0.05), "dark")], 0, 0, 72 * number
        )
    ]
    return [
        *feet,
        around(0, 0, FLOOR_M + 0.1, (0.06, 0.06, 0.35), "metal"),
        around(0, 0, FLOOR_M + 0.45, (0.48, 0.48, 0.08), "fabric"),
        around(-0.24, 0, FLOOR_M + 0.6, (0.06, 0.44, 0.5), "fabric"),
        *(around(0, side, FLOOR_M + 0.65, (0.25, 0.05, 0.04), "black") for side in (-0.27, 0.27)),
    ]


def shelf() -> list[MattBox]:
    """Return an open shelf with boards and boxes at the origin, 0.9 m long along y."""
    boards = [
        around(0, 0, FLOOR_M + 0.36 * number, (0.4, 0.9, 0.025), "white") for number in range(6)
    ]
    posts = [
        around(x, y, FLOOR_M, (0.03, 0.03, 1.85), "metal")
        for x in (-0.19, 0.19)
        for y in (-0.44, 0.44)
    ]
    things = [
        around(0, y, FLOOR_M + 0.36 * level + 0.025, (0.28, 0.22, high), name)
        for level, y, high, name in (
            (0, -0.2, 0.28, "wood"), (1, 0.2, 0.2, "dark"), (2, -0.25, 0.25, "wood"),
            (3, 0.1, 0.15, "white"), (4, 0.25, 0.27, "fabric"),
        )
    ]  # fmt: skip
    return [*boards, *posts, *things]


def room() -> list[MattBox]:
    """Return walls, floor, ceiling, windows with a wall outside, pillars and lamps."""
    (back, front), (right, left) = ROOM_M
    thick = 0.2
    walls = [
        box((back - 2, right - 2, FLOOR_M - thick), (front + 2, left + 2, FLOOR_M), "dark"),
        box((back - 2, right - 2, CEILING_M), (front + 2, left + 2, CEILING_M + thick), "white"),
        box((back - thick, right, FLOOR_M), (back, left, CEILING_M), "white"),
        box((front, right, FLOOR_M), (front + thick, left, CEILING_M), "white"),
        box((back, left, FLOOR_M), (front, left + thick, CEILING_M), "white"),
        box((back, right - thick, FLOOR_M), (front, right, FLOOR_M + 0.9), "white"),
        box((back, right - 2, FLOOR_M), (front, right - 1.8, CEILING_M), "fabric"),
    ]
    frames = [
        around(x, right - 0.1, FLOOR_M + 0.9, (0.06, 0.08, 1.9), "metal")
        for x in np.arange(back + 0.6, front, 1.2)
    ]
    pillars = [
        around(x, y, FLOOR_M, (0.4, 0.4, CEILING_M - FLOOR_M), "white")
        for x, y in ((-2.6, -2.2), (3.4, -2.2), (-2.6, 3.6), (3.4, 3.6))
    ]
    lamps = [
        around(x, y, CEILING_M - 0.3, (1.2, 0.15, 0.06), "metal")
        for x in (-3.0, 0.5, 4.0)
        for y in (-2.0, 1.5, 4.5)
    ]
    return [*walls, *frames, *pillars, *lamps]


def partitions() -> list[MattBox]:
    """Return panels behind desks, 1.45 m high, 0.6 to 0.9 m behind the monitors."""
    return [
        part
        for x, y, turn in (
            (3.05, 1.2, 0), (1.35, -1.2, 0), (6.1, 1.4, 0), (4.5, -1.4, 0), (-3.0, 2.35, 90),
            (-3.0, -0.2, 90), (0.4, 4.3, 90), (2.4, 5.2, 90),
        )
        for part in placed([around(0, 0, FLOOR_M, (0.04, 1.3, 1.45), "fabric")], x, y, turn)
    ]  # fmt: skip


def standing_about() -> list[MattBox]:
    """Return objects 0.5 to 1 m in front of walls: cupboards, printers, bins, coat stands."""
    (back, front), (right, left) = ROOM_M
    things = []
    for number, x in enumerate(np.arange(back + 1.0, front - 0.5, 1.6)):
        far = left - 0.75 - 0.1 * (number % 3)
        high = (1.2, 1.9, 0.8, 1.6)[number % 4]
        things.append(around(x, far, FLOOR_M, (0.5, 0.45, high), ("wood", "metal")[number % 2]))
        things.append(around(x + 0.7, far, FLOOR_M, (0.04, 0.04, 1.8), "metal"))
    for number, y in enumerate(np.arange(right + 1.2, left - 0.5, 1.5)):
        for wall, inwards in ((back, 1), (front, -1)):
            x = wall + inwards * (0.75 + 0.1 * (number % 3))
            high = (1.7, 1.1, 1.9)[number % 3]
            things.append(around(x, y, FLOOR_M, (0.3, 0.35, high), ("white", "black")[number % 2]))
            things.append(around(x, y + 0.6, FLOOR_M, (0.05, 0.05, 1.75), "wood"))
    return things


def own_desk() -> list[MattBox]:
    """Return the desk below the sensor and the things on it, but no stand for the sensor.

    The sensor is at the origin, 0.25 m above the desk.
    """
    return [
        around(0.1, 0, DESK_M - 0.03, (1.0, 1.8, 0.03), "wood"),
        *placed([around(0, 0, DESK_M + 0.1, (0.04, 0.55, 0.34), "black")], 0.62, 0.45, 20),
        *placed([around(0, 0, DESK_M, (0.05, 0.06, 0.3), "dark")], 0.66, 0.46, 20),
        *placed([around(0, 0, DESK_M, (0.25, 0.36, 0.02), "dark")], 0.2, 0.55, 10),
        *placed([around(0, 0, DESK_M, (0.22, 0.32, 0.42), "black")], -0.1, -0.72, 5),
        *placed([around(0, 0, FLOOR_M, (0.03, 1.6, 1.35), "fabric")], -0.62, 0.1, 0),
        around(0.45, -0.5, DESK_M, (0.08, 0.08, 0.26), "white"),
        around(0.55, -0.25, DESK_M, (0.1, 0.06, 0.3), "metal"),
        around(0.3, -0.85, DESK_M, (0.05, 0.05, 0.5), "metal"),
    ]


def office(x_m: float = 0.0, y_m: float = 0.0, turn_deg: float = 0.0) -> list[MattBox]:
    """Return all boxes of the laboratory, with the sensor at the origin.

    All boxes except the sensor's desk are turned left by ``turn_deg``, then shifted by ``x_m`` and
    ``y_m``.
    """
    parts = room()
    desks = ((2.2, 1.2, 0), (2.2, -1.2, 180), (5.2, 1.4, 0), (5.2, -1.4, 180), (-3.0, 1.5, 90),
             (-3.0, -1.0, 90), (0.4, 3.4, 90), (2.4, 4.4, 90), (6.6, 4.2, 0))  # fmt: skip
    for number, (x, y, turn) in enumerate(desks):
        parts += placed(desk(monitors=1 + number % 2), x, y, turn)
        behind = math.radians(turn)
        away = 0.75 + 0.1 * (number % 3)
        parts += placed(
            chair(), x - away * math.cos(behind), y - away * math.sin(behind), turn + 25 * number
        )
    parts += [*partitions(), *standing_about()]
    parts += placed(chair(), 0.9, -1.4, 70)
    for x, y, turn in (
        (-4.7, 3.6, 0),
        (-4.7, 4.7, 0),
        (7.7, 0.0, 0),
        (7.7, 1.0, 0),
        (1.0, 5.7, 90),
    ):
        parts += placed(shelf(), x, y, turn)
    return [*own_desk(), *placed(parts, x_m, y_m, turn_deg)]
