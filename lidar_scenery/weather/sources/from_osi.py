# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The weather that OSI messages state, in physical units.

OSI states precipitation and visibility as named intervals. The geometric mean of an interval is
used, because rates and visibilities spread over orders of magnitude.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from lidar_scenery.weather import lanes as of_lanes
from lidar_scenery.weather.sources.layers import PRECIPITATION, all_of
from lidar_scenery.weather.state import CLEAR, Weather

if TYPE_CHECKING:
    from collections.abc import Iterator

    from osi_bridge import Conditions, LaneNetwork

SNOW_BELOW_K = 274.15
"""Precipitation in colder air is snow; OSI does not tell rain from snow. An estimate. [K]"""
HAZE_FROM_M = 1000.0
"""Visibility from which on fog is called mist or haze, as the WMO does. [m]"""
PRECIPITATION_MM_H = {
    "VERY_LIGHT": (0.1, 0.5),
    "LIGHT": (0.5, 1.9),
    "MODERATE": (1.9, 8.1),
    "HEAVY": (8.1, 34.0),
    "VERY_HEAVY": (34.0, 149.0),
    "EXTREME": (149.0, math.inf),
}
"""Interval (lowest, highest) of the rate, by the name of OSI's precipitation intensity, as in
osi_environment.proto, after Paulat et al. (2008), https://doi.org/10.1127/0941-2948/2008/0332.
[mm/h]"""
EXTREME_MM_H = 150.0
"""Rate used for EXTREME, whose interval has no upper end: just above its lower end. [mm/h]"""
VISIBILITY_M = {
    "GOOD_VISIBILITY": (10_000.0, 40_000.0),
    "MODERATE_VISIBILITY": (4000.0, 10_000.0),
    "POOR_VISIBILITY": (2000.0, 4000.0),
    "MIST": (1000.0, 2000.0),
    "LIGHT": (200.0, 1000.0),
    "THICK": (50.0, 200.0),
    "DENSE": (0.0, 50.0),
}
"""Interval (lowest, highest) of the visibility, by the name of OSI's fog intensity, as in
osi_environment.proto: the distance after which 5 % of the flux is left. Above the highest interval
is EXCELLENT_VISIBILITY. [m]"""
CLEAR_FROM_M = 40_000.0
"""Visibility from which on there is no fog: the lower end of OSI's EXCELLENT_VISIBILITY. [m]"""
_UNSAID = ("UNKNOWN", "OTHER")


def weather_of(conditions: Conditions | None, lanes: LaneNetwork | None = None) -> Weather:
    """Return the weather that OSI messages state; what they do not state is clear and dry.

    Precipitation is snow if the stated temperature is below 274.15 K, else rain. OSI states where
    the wind comes from; the result has the velocity of the air. Films of water are used as stated:
    if lanes differ, each lane has its own film, and all other roads have the wettest lane's.

    Parameters
    ----------
    conditions : Conditions or None
        Environmental conditions as known after a message, from `osi_bridge.Frame`.
    lanes : LaneNetwork, optional
        Lanes as known after a message, from `osi_bridge.Frame`.

    Returns
    -------
    Weather
        The weather. It has no light: the light that messages state is in ``Frame.ambient_lux`` and
        ``Frame.sun``.
    """
    return CLEAR if conditions is None else all_of(_parts(conditions, lanes))


def at_temperature(weather: Weather, temperature_k: float) -> Weather:
    """Return a weather with all its precipitation as snow if it is cold, else as rain.

    The rates of rain and snow are added. They become snow if `temperature_k` is below
    `SNOW_BELOW_K`. The temperature of the weather itself does not matter and is not changed.
    """
    rate_mm_h = weather.rain_mm_h + weather.snow_mm_h
    is_snow = temperature_k < SNOW_BELOW_K
    if rate_mm_h == (weather.snow_mm_h if is_snow else weather.rain_mm_h):
        return weather
    what = "snow" if is_snow else "rain"
    sources = tuple(
        (f"{what}_mm_h", f"{words.partition('; ')[0]}; {what} at {temperature_k:g} K")
        if name in PRECIPITATION
        else (name, words)
        for name, words in weather.sources
    )
    rain_mm_h, snow_mm_h = (0.0, rate_mm_h) if is_snow else (rate_mm_h, 0.0)
    return replace(weather, rain_mm_h=rain_mm_h, snow_mm_h=snow_mm_h, sources=sources)


def _parts(conditions: Conditions, lanes: LaneNetwork | None) -> Iterator[Weather]:
    """Yield a `Weather` for each stated value, with that value alone."""
    if conditions.precipitation not in (None, "NONE"):
        yield _precipitation(conditions.precipitation, conditions.temperature_k)
    if conditions.fog not in (None, "EXCELLENT_VISIBILITY"):
        yield _fog(conditions.fog)
    if conditions.surface_water_film_mm:
        yield _water(conditions.surface_water_film_mm, lanes)
    if conditions.temperature_k is not None:
        words = f"OSI temperature {conditions.temperature_k:g} K"
        yield Weather(temperature_k=conditions.temperature_k, sources=(("temperature_k", words),))
    if conditions.wind_speed_m_s:
        yield _wind(conditions.wind_speed_m_s, conditions.wind_origin_rad)


def _precipitation(name: str, temperature_k: float | None) -> Weather:
    if name in _UNSAID:
        words = f"OSI precipitation {name} -> none, for want of a rate"
        return Weather(sources=(("rain_mm_h", words),))
    low, high = PRECIPITATION_MM_H[name]
    if math.isinf(high):
        rate_mm_h, how = EXTREME_MM_H, f"of {low:g} mm/h and more"
    else:
        rate_mm_h, how = math.sqrt(low * high), f"the geometric mean of {low:g}..{high:g} mm/h"
    words = f"OSI precipitation {name} -> {rate_mm_h:.3g} mm/h, {how}"
    fallen = Weather(rain_mm_h=rate_mm_h, sources=(("rain_mm_h", words),))
    return fallen if temperature_k is None else at_temperature(fallen, temperature_k)


def _fog(name: str) -> Weather:
    if name in _UNSAID:
        words = f"OSI fog {name} -> none, for want of a visibility"
        return Weather(sources=(("visibility_m", words),))
    low, high = VISIBILITY_M[name]
    if low == 0.0:
        visibility_m, how = high / 2.0, f"the middle of {low:g}..{high:g} m"
    else:
        visibility_m, how = math.sqrt(low * high), f"the geometric mean of {low:g}..{high:g} m"
    kind = " (haze)" if low >= HAZE_FROM_M else ""
    words = f"OSI fog {name}{kind} -> visibility {visibility_m:.0f} m, {how}"
    return Weather(visibility_m=visibility_m, sources=(("visibility_m", words),))


def _water(water_mm: float, lanes: LaneNetwork | None) -> Weather:
    words = f"OSI surface_water_film -> {water_mm:g} mm, as on the wettest lane"
    by_lane = None if lanes is None else of_lanes.lane_water(lanes)
    if by_lane is not None:
        words = f"OSI surface_water_film of {by_lane.words}; other roads as the wettest lane"
    return Weather(road_water_mm=water_mm, lane_water=by_lane, sources=(("road_water_mm", words),))


def _wind(speed_m_s: float, origin_rad: float | None) -> Weather:
    if origin_rad is None:
        words = f"OSI wind of {speed_m_s:g} m/s -> none, for want of a direction"
        return Weather(sources=(("wind_m_s", words),))
    velocity_m_s = (speed_m_s * math.sin(origin_rad), -speed_m_s * math.cos(origin_rad))
    from_deg = math.degrees(origin_rad)
    words = f"OSI wind of {speed_m_s:g} m/s from {from_deg:.4g} deg, counter-clockwise from north"
    return Weather(wind_m_s=velocity_m_s, sources=(("wind_m_s", words),))
