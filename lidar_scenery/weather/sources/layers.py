# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Weather from several sources, of which some take precedence over others."""

from __future__ import annotations

from dataclasses import fields, replace
from functools import reduce
from typing import TYPE_CHECKING

from lidar_scenery.weather.state import CLEAR

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lidar_scenery.weather.state import Weather

PRECIPITATION = frozenset(("rain_mm_h", "snow_mm_h"))
_WATER = frozenset(("road_water_mm", "lane_water"))


def layered(upper: Weather, lower: Weather) -> Weather:
    """Return the weather of two sources; values that `upper` states replace values of `lower`.

    A weather states the fields that are named in its ``sources``. If it states rain or snow, it
    states both. If it states water on roads or on lanes, it states both.
    """
    names = [each.name for each in fields(upper)]
    stated = {name for name, _ in upper.sources} & {*names}
    for together in (PRECIPITATION, _WATER):
        if stated & together:
            stated |= together
    values = {name: getattr(upper, name) for name in stated}
    sources = [*upper.sources, *(pair for pair in lower.sources if pair[0] not in stated)]
    order = {name: number for number, name in enumerate(names)}
    sources.sort(key=lambda pair: order.get(pair[0], -1))
    not_followed = (*upper.not_followed, *lower.not_followed)
    return replace(lower, **values, sources=tuple(sources), not_followed=not_followed)


def all_of(parts: Iterable[Weather]) -> Weather:
    """Return one weather with the values that several parts state; the rest is clear and dry.

    If several parts state a value, the last of them takes precedence.
    """
    return reduce(lambda lower, upper: layered(upper, lower), parts, CLEAR)
