# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Limits for numbers in messages; a number beyond its limit is a unit error, or garbage.

The limits are checked once, when a message is decoded into records. All later stages rely on them,
because kernels compute with 64-bit integers and 32-bit floats, which could wrap or overflow.
"""

from __future__ import annotations

from operator import index
from typing import TYPE_CHECKING

from osi_bridge.errors import MissingTimestamp

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = [
    "MAX_ANGLE_RAD",
    "MAX_DIMENSION_M",
    "MAX_LUX",
    "MAX_POSITION_M",
    "MAX_SPEED_M_S",
    "MAX_TIME_S",
    "MOST_WHEELS",
    "are_within",
    "checked_time_ns",
]

MAX_TIME_S = 9_223_372_036
"""Limit of times, before and after 0: 292 years, whose nanoseconds fit into 64 bits. [s]"""
MAX_DIMENSION_M = 10e3
"""Limit of lengths, larger than any bridge or tunnel. [m]"""
MAX_POSITION_M = 1e9
"""Limit of coordinates, larger than any map; a double still resolves about 0.1 um there. [m]"""
MAX_ANGLE_RAD = 1e6
"""Limit of angles: even accumulated full turns do not reach it. [rad]"""
MAX_SPEED_M_S = 10e3
"""Limit of speeds: satellites fly at 8 km/s. [m/s]"""
MAX_LUX = 1e6
"""Limit of illuminances, as in the configuration; direct sunlight has 130 000 lx. [lx]"""
MOST_WHEELS = 64
"""Limit of the wheels of a vehicle: only the first ones are read, more are not plausible."""

_NANOSECONDS = 1_000_000_000


def are_within(numbers: Iterable[float], most: float) -> bool:
    """Return whether all numbers lie between ``-most`` and ``most``; False if one is NaN."""
    return all(abs(number) <= most for number in numbers)


def checked_time_ns(time_ns: int) -> int:
    """Return the time ``time_ns`` [ns] as an int, after checking that it fits into 64 bits.

    Raises
    ------
    MissingTimestamp
        The time lies beyond `MAX_TIME_S`, before or after 0, or is not an integer.
    """
    try:
        whole_ns = index(time_ns)
    except TypeError:
        raise MissingTimestamp(f"timestamp {time_ns}, expected whole nanoseconds") from None
    if abs(whole_ns) <= MAX_TIME_S * _NANOSECONDS:
        return whole_ns
    seconds, nanos = divmod(abs(whole_ns), _NANOSECONDS)
    sign, bound = ("-", f"at least -{MAX_TIME_S}") if time_ns < 0 else ("", f"at most {MAX_TIME_S}")
    share = f".{nanos:09d}".rstrip("0") if nanos else ""
    raise MissingTimestamp(f"timestamp {sign}{seconds}{share} s, expected {bound} s")
