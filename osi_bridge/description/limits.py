# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Ranges of the numbers that messages may state: beyond them lies a unit error, or garbage.

They are checked once, where a message becomes a record. All later stages may rely on them: their
kernels count in 64-bit integers and 32-bit floating point numbers, which wrap or overflow.
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
    "are_within",
    "checked_time_ns",
]

MAX_TIME_S = 9_223_372_036
"""Latest time, 292 years, and its negative the earliest: nanoseconds of it fit 64 bits. [s]"""
MAX_DIMENSION_M = 10e3
"""Limit of lengths, larger than any bridge or tunnel. [m]"""
MAX_POSITION_M = 1e9
"""Limit of coordinates: beyond it a double resolves less than 0.1 um, and no map reaches it. [m]"""
MAX_ANGLE_RAD = 1e6
"""Limit of angles: full turns may accumulate, but not to this. [rad]"""
MAX_SPEED_M_S = 10e3
"""Limit of speeds: satellites fly at 8 km/s. [m/s]"""
MAX_LUX = 1e6
"""Limit of illuminances, the same as in the configuration: direct sunlight has 130 000 lx. [lx]"""

_NANOSECONDS = 1_000_000_000


def are_within(numbers: Iterable[float], most: float) -> bool:
    """Return whether all numbers lie between ``-most`` and ``most``; NaN does not."""
    return all(abs(number) <= most for number in numbers)


def checked_time_ns(time_ns: int) -> int:
    """Return a time [ns] that 64 bits hold.

    Raises
    ------
    MissingTimestamp
        The time lies beyond `MAX_TIME_S`, or is not an integer; one line says so.
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
