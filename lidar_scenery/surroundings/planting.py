# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Places of things along an edge of a road: lamps at the kerb, trees, hedges, then houses."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from lidar_scenery.surroundings.kinds import (
    BUSH,
    DELINEATOR,
    FENCE,
    HEDGE,
    HOUSE,
    LAMP,
    STREET_TREE,
    TREE,
    Thing,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

LAMP_EVERY_M, LAMP_AT_M = 28.0, 0.9
TREE_EVERY_M, TREE_AT_M = 14.0, 3.1
DELINEATOR_EVERY_M, DELINEATOR_AT_M = 50.0, 0.8
"""Spacing of posts and street trees along the edge, and their distances from it. [m]"""
FRONT_M = 6.2
"""Distance of hedges and fences from the edge. [m]"""
PIECE_M = 4.05
"""Spacing of the pieces of hedges and fences. [m]"""
PLOT_M = 17.0, 24.0
"""Width of a plot, least and most. [m]"""
HOUSE_AT_M = 9.5, 13.0
"""Distance of the front of a house from the edge, least and most. [m]"""
BACK_M = 27.0, 40.0
"""Distance of the trees behind the houses from the edge, least and most. [m]"""
WILD_M = 9.0, 34.0
"""Distance of trees and bushes beside a motorway, least and most. [m]"""


class Spot(NamedTuple):
    """A place along the outer edge of a road, and the thing of a `kind` that stands there."""

    kind: Thing
    size: int
    """Index into ``kind.sizes_m``."""
    station_m: float
    """Distance along the edge. [m]"""
    setback_m: float
    """Distance from the edge to the centre of the thing, away from the road. [m]"""
    turn_rad: float = 0.0
    """Angle between the edge and the thing's length. [rad]"""


def spots(length_m: float, random: np.random.Generator, *, motorway: bool) -> Iterator[Spot]:
    """Yield places for things along an outer edge of a road.

    Parameters
    ----------
    length_m : float
        Length of the edge. [m]
    random : numpy.random.Generator
        Generator for sizes and distances.
    motorway : bool
        Whether the road is a motorway, which has delineators, trees and bushes. Any other road has
        lamps, street trees, hedges and houses.
    """
    if motorway:
        yield from chain(
            _every(DELINEATOR, length_m, DELINEATOR_EVERY_M, DELINEATOR_AT_M),
            _scattered((TREE, TREE, BUSH), length_m, 8.0, WILD_M, random),
        )
        return
    yield from _every(LAMP, length_m, LAMP_EVERY_M, LAMP_AT_M)
    for tree in _every(STREET_TREE, length_m, TREE_EVERY_M, TREE_AT_M):
        if random.random() < 0.75:
            moved_m = tree.station_m + random.uniform(-1.5, 1.5)
            yield tree._replace(size=_any_size(STREET_TREE, random), station_m=moved_m)
    start_m = float(random.uniform(0.0, 4.0))
    while (width_m := float(random.uniform(*PLOT_M))) <= length_m - start_m:
        yield from _plot(start_m, width_m, random)
        start_m += width_m
    yield from _scattered((TREE,), length_m, 13.0, BACK_M, random)


def _every(kind: Thing, length_m: float, spacing_m: float, setback_m: float) -> Iterator[Spot]:
    """Yield places at a regular spacing, centred on the edge."""
    n = int(length_m // spacing_m) + 1
    first_m = 0.5 * (length_m - (n - 1) * spacing_m)
    for k in range(n):
        yield Spot(kind, 0, first_m + k * spacing_m, setback_m)


def _scattered(
    kinds: tuple[Thing, ...],
    length_m: float,
    spacing_m: float,
    reach_m: tuple[float, float],
    random: np.random.Generator,
) -> Iterator[Spot]:
    """Yield irregular places, one for each full spacing, at a distance within `reach_m`."""
    for k in range(int(length_m // spacing_m)):
        kind = kinds[int(random.integers(len(kinds)))]
        station_m = spacing_m * (k + float(random.random()))
        turn_rad = float(random.uniform(-np.pi, np.pi))
        setback_m = float(random.uniform(*reach_m))
        yield Spot(kind, _any_size(kind, random), station_m, setback_m, turn_rad)


def _plot(start_m: float, width_m: float, random: np.random.Generator) -> Iterator[Spot]:
    """Yield a house with its garden, or a garden alone."""
    middle_m = start_m + 0.5 * width_m
    front_m = float(random.uniform(*HOUSE_AT_M))
    if random.random() < 0.85:
        size = _any_size(HOUSE, random)
        length_m, depth_m, _ = HOUSE.sizes_m[size]
        gable = bool(random.random() < 0.3) or length_m > width_m - 3.0
        deep_m = length_m if gable else depth_m
        turn_rad = 0.5 * np.pi if gable else 0.0
        yield Spot(HOUSE, size, middle_m, front_m + 0.5 * deep_m, turn_rad)
    fence = (HEDGE, FENCE, None)[int(random.choice(3, p=[0.5, 0.35, 0.15]))]
    if fence is not None:
        yield from _front(fence, start_m + 0.5, width_m - 1.0, random)
    for _ in range(int(random.integers(3))):
        at_m = start_m + width_m * float(random.uniform(0.1, 0.9))
        yield Spot(BUSH, _any_size(BUSH, random), at_m, float(random.uniform(7.6, front_m - 0.8)))


def _front(
    kind: Thing, start_m: float, length_m: float, random: np.random.Generator
) -> Iterator[Spot]:
    """Yield the pieces of a hedge or a fence in front of a plot, with one left out as entrance."""
    size, n = _any_size(kind, random), int(length_m // PIECE_M)
    entrance = int(random.integers(n))
    for k in range(n):
        if k != entrance:
            yield Spot(kind, size, start_m + (k + 0.5) * PIECE_M, FRONT_M)


def _any_size(kind: Thing, random: np.random.Generator) -> int:
    return int(random.integers(len(kind.sizes_m)))
