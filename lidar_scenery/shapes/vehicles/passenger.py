# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Buses, trams and trains: coaches in a row, with benches behind their windows."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from lidar_scenery.shapes.solids import SolidModel, box, tube
from lidar_scenery.shapes.vehicles import wheels
from lidar_scenery.shapes.vehicles.coach import Coach, add_coach
from lidar_scenery.shapes.vehicles.parts import add_driver, add_mirror, add_plate

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lidar_scenery.shapes.builder import Size
    from lidar_scenery.shapes.vehicles.wheels import Axle
    from osi_bridge.description.details import ObjectDetails

_BELLOWS_M = 0.5  # half the length of the bellows between two coaches
_BUS_WHEEL_M, _RAIL_WHEEL_M = 0.48, 0.4


@dataclass(frozen=True, kw_only=True)
class _Line:
    """Measures that differ between buses, trams and trains; heights are shares of the vehicle's."""

    coach_m: float  # greatest length of one coach
    floor: float
    belt: float
    head: float
    rake_m: float
    window_m: float
    bench_m: float  # between benches


_BUS = _Line(coach_m=14.6, floor=0.1, belt=0.37, head=0.83, rake_m=0.12, window_m=1.5, bench_m=0.85)
_TRAM = _Line(coach_m=9.0, floor=0.09, belt=0.36, head=0.74, rake_m=0.5, window_m=1.4, bench_m=1.2)
_TRAIN = _Line(coach_m=27.0, floor=0.2, belt=0.48, head=0.74, rake_m=0.9, window_m=1.8, bench_m=1.8)


def make_bus(size: Size, details: ObjectDetails) -> SolidModel:
    """Return a bus, nearly as large as `size` (length, width, height) [m]; z = 0 is its bottom.

    A bus longer than 15.3 m is articulated. `details`, an `ObjectDetails`, may state its wheels and
    axles.
    """
    length, width, height = size
    ends = _ends(length, _BUS)
    places = [
        -length / 2 + 0.27 * (ends[0][1] - ends[0][0]),
        length / 2 - 0.22 * length / len(ends),
    ]
    places += [front - 0.3 * (front - rear) for rear, front in ends[1:-1]]
    if len(ends) > 1:
        places.append(ends[-1][0] + 0.2 * (ends[-1][1] - ends[-1][0]))
    usual = wheels.axles(places, _BUS_WHEEL_M, size, width_m=0.28)
    axles = wheels.placed(
        usual, details, size, most_m=wheels.radius_below(_BUS.belt * height, length)
    )
    model = SolidModel()
    _add_coaches(model, size, _BUS, axles)
    model.group = "wheels"
    wheels.add_wheels(model, axles)
    model.group = "parts"
    for end in (-1, 1):
        add_plate(model, end * (length / 2 + 0.003), z=0.16 * height)
    for side in (-1, 1):
        add_mirror(model, length / 2 - 0.35, side * width / 2, 0.6 * height)
    return model


def make_tram(size: Size, details: ObjectDetails) -> SolidModel:
    """Return a tram of coaches up to 9.45 m long; z = 0 is its bottom.

    The model is nearly as large as `size` (length, width, height) [m]. `details` is not used.
    """
    del details  # nothing of it shows
    return _on_rails(size, _TRAM)


def make_train(size: Size, details: ObjectDetails) -> SolidModel:
    """Return a train of coaches up to 28.35 m long; z = 0 is its bottom.

    The model is nearly as large as `size` (length, width, height) [m]. `details` is not used.
    """
    del details  # nothing of it shows
    return _on_rails(size, _TRAIN)


def _on_rails(size: Size, line: _Line) -> SolidModel:
    """Return a tram or train: coaches on bogies."""
    _, width, height = size
    model = SolidModel()
    _add_coaches(model, size, line, ())
    model.group = "wheels"
    radius = min(_RAIL_WHEEL_M, 0.6 * line.floor * height)
    for rear, front in _ends(size[0], line):
        for x in (rear + 0.2 * (front - rear), front - 0.2 * (front - rear)):
            _add_bogie(model, x, 0.3 * width, radius, line.floor * height)
    return model


def _ends(length: float, line: _Line) -> list[tuple[float, float]]:
    """Return x of the rear and of the front of each coach."""
    n_coach = max(int(np.ceil(length / line.coach_m - 0.05)), 1)
    each = (length - 2 * _BELLOWS_M * (n_coach - 1)) / n_coach
    starts = -length / 2 + (each + 2 * _BELLOWS_M) * np.arange(n_coach)
    return [(start, start + each) for start in starts.tolist()]


def _add_coaches(model: SolidModel, size: Size, line: _Line, axles: Sequence[Axle]) -> None:
    """Add coaches, the bellows between them, benches and a driver."""
    length, width, height = size
    ends = _ends(length, line)
    floor, belt = line.floor * height, line.belt * height
    for n, (rear, front) in enumerate(ends):
        is_first, is_last = n == len(ends) - 1, n == 0
        inner = (
            rear + (0.4 + line.rake_m if is_last else 0.3),
            front - (0.4 + line.rake_m if is_first else 0.3),
        )
        model.group = "body"
        add_coach(
            model,
            Coach(
                x_m=(rear, front),
                half_width_m=width / 2 - 0.005,
                floor_m=floor,
                sill_m=1.4 * floor,
                belt_m=belt,
                head_m=line.head * height,
                roof_m=height,
                axles=tuple(axle for axle in axles if rear < axle.x_m < front),
                side_windows=_windows(inner, line.window_m),
                front=is_first,
                rear=is_last,
                corner_m=0.25 if is_first else 0.02,
                rear_corner_m=0.15 if is_last else 0.02,
                rake_m=line.rake_m if is_first else 0.0,
                rear_rake_m=(0.3 if line is _BUS else 1.0) * line.rake_m if is_last else 0.0,
            ),
        )
        model.group = "inside"
        places = np.arange(inner[0] + 0.6, inner[1] - 1.6, line.bench_m)
        free = [x for x in places.tolist() if all(_is_clear(x, axle) for axle in axles)]
        _add_benches(model, free, (width, floor + 0.1, belt))
        if not is_last:
            low = (rear - 2 * _BELLOWS_M - 0.01, -0.45 * width, floor)
            model.add("Rubber_Black", box(low, (rear + 0.01, 0.45 * width, 0.96 * height)))
    add_driver(model, length / 2 - line.rake_m - 1.0, 0.2 * width, belt + 0.05)


def _windows(inner: tuple[float, float], pitch: float) -> tuple[tuple[float, float], ...]:
    """Return the ends in x of windows of about length `pitch`, which fill the range `inner`."""
    n_window = max(round((inner[1] - inner[0]) / pitch), 1)
    edges = np.linspace(*inner, n_window + 1).tolist()
    return tuple((a + 0.05, b - 0.05) for a, b in pairwise(edges))


def _is_clear(x: float, axle: Axle) -> bool:
    """Return whether a bench at x does not overlap the wheel arches of an axle."""
    return x + 0.5 < axle.x_m - axle.arch_m or x - 0.1 > axle.x_m + axle.arch_m


def _add_benches(
    model: SolidModel, places: Sequence[float], room: tuple[float, float, float]
) -> None:
    """Add rows of benches, whose backs reach a little above the windows' lower edge."""
    width, floor, belt = room
    seat, back = floor + 0.45 * (belt - floor), belt + 0.12
    for x in places:
        for side in (-1, 1):
            y = sorted((side * 0.16 * width, side * 0.46 * width))
            model.add("Cloth_Blue", box((x, y[0], seat - 0.1), (x + 0.45, y[1], seat), sides="XZ"))
            model.add("Cloth_Blue", box((x - 0.08, y[0], floor), (x, y[1], back), sides="xXyYZ"))


def _add_bogie(model: SolidModel, x: float, half_track: float, radius: float, floor: float) -> None:
    """Add a frame with two pairs of wheels on rails."""
    apart = min(0.9, 2.0 * radius)
    low, high = (x - apart, -half_track, 0.5 * radius), (x + apart, half_track, floor + 0.02)
    model.add("Underbody_Steel", box(low, high))
    for place in (x - apart, x + apart):
        for side in (-1, 1):
            rim = [(place, side * (half_track + each), radius) for each in (0.0, 0.13)]
            model.add("Rail_Wheel", tube(rim, radius, 10))
