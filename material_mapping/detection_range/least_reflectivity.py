# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Least reflectivity that is just seen at a range: the inverse of a range limit, continued."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from material_mapping import kernels
from material_mapping.errors import RangeLimitError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from material_mapping.detection_range.range_limit import RangeLimit

LEAST, MOST = 1e-30, 1e4
"""Limits between which the reflectivity of a range is sought; below, it counts as 0. [1]"""
_HALVINGS = 57  # of ln(MOST / LEAST) = 78, down to the rounding of a float64

_NONE = 1e-300  # reflectivity at which the limit of r_L for R to 0 is read
_ROUNDING_M = 1e-6  # most that this limit is off if it is 0


class _Ends(NamedTuple):
    """Between which points the inverse of a range limit is used alone."""

    anchor: float  # R_a [1]
    anchor_m: float  # r_a, 0 without an offset
    last: float  # R_min(r_last) [1]
    last_m: float  # r_last


def least_reflectivity(limit: RangeLimit, range_m: ArrayLike) -> NDArray[np.float64]:
    """Return the least reflectivity that is just seen at each range, R_min(r).

    Parameters
    ----------
    limit : RangeLimit
        Its cap does not count: it is a bound of the sensor's clock or memory, not of its signal.
    range_m : array_like
        Negative ones count as 0. [m]

    Returns
    -------
    float64, shape of `range_m`
        To 1e-12 of its value. It never falls with range, and has no upper bound. [1]

    Raises
    ------
    RangeLimitError
        If the limit is 0 for every reflectivity, or infinite for all and without a cap: neither
        says how strong an echo is.

    Notes
    -----
    The inverse of r_L(R), inf {R : r_L(R) >= r}, where r_L increases; where it jumps, the
    reflectivity of the jump. In two places the inverse says nothing. There the signal of a target
    that fills the beam, which is proportional to R / r^2, continues it:

    - Near, if r_L has an offset, which means that it does not fall to 0 with R. Fits with a
      positive constant and tables have one. They see everything within it, which no receiver does:
      the inverse is 0 there, and the signal would be infinite. Nothing is stated below the darkest
      pair, R_a at r_a = r_L(R_a). So up to r_a, R_min = max(inverse, R_a (r / r_a)^2). R_a is
      `RangeLimit.darkest`, or the reflectivity from which on r_L is constant, if that is darker. A
      limit that is infinite has r_a = cap.
    - Far. Beyond the largest range of a table, or that of `MOST`, r_last,
      R_min = R_min(r_last) (r / r_last)^2.

    Without an offset R_min is the inverse alone from 0 to r_last, whatever power of r it follows.
    So R_min(r_L(R)) = R where r_L increases: with an offset from the darkest pair on, and for every
    R without one.
    """
    r_m = np.maximum(np.asarray(range_m, np.float64), 0.0)
    anchor, anchor_m, last, last_m = _ends(limit)
    within_m = np.minimum(r_m, last_m)
    inverse = _inverse(limit, within_m.ravel()).reshape(r_m.shape)
    inverse = np.where(inverse > LEAST, inverse, 0.0)
    with np.errstate(over="ignore"):  # infinite: no reflectivity is enough
        if anchor_m > 0.0:
            near = np.maximum(inverse, anchor * np.square(within_m / anchor_m))
            inverse = np.where(within_m <= anchor_m, near, inverse)
        return np.where(r_m > last_m, last * np.square(r_m / last_m), inverse)


def signal_range_m(limit: RangeLimit, reflectivity: ArrayLike) -> NDArray[np.float64]:
    """Return the largest range at which each reflectivity is at least `least_reflectivity`.

    Parameters
    ----------
    limit : RangeLimit
        Its cap does not count.
    reflectivity : array_like
        [1], a fraction

    Returns
    -------
    float64, shape of `reflectivity`
        The range limit without its cap, no farther than the signal falls with 1/r^2 where
        `least_reflectivity` does so near the sensor, and beyond the end of a table; 0 where nothing
        is reflected. [m]

    Raises
    ------
    RangeLimitError
        As `least_reflectivity`.
    """
    values = np.maximum(np.asarray(reflectivity, np.float64), 0.0)
    anchor, anchor_m, last, last_m = _ends(limit)
    range_m = _uncapped_m(limit, values.ravel()).reshape(values.shape)
    with np.errstate(over="ignore"):  # infinitely brighter than the darkest that is stated
        if anchor_m > 0.0:
            near_m = np.minimum(range_m, anchor_m * np.sqrt(values / anchor))
            range_m = np.where(values <= anchor, near_m, range_m)
        return np.where(values >= last, last_m * np.sqrt(values / last), range_m)


def _ends(limit: RangeLimit) -> _Ends:
    """Return both ends of the inverse of a limit, see `least_reflectivity`."""
    offset_m, last_m = _uncapped_m(limit, np.array([_NONE, MOST])).tolist()
    if math.isinf(last_m):
        if not math.isfinite(limit.cap_m):
            raise RangeLimitError(
                "signal scale: the range limit is infinite for every reflectivity, expected one"
                " with a finite maximum range"
            )
        return _Ends(limit.darkest, limit.cap_m, limit.darkest, limit.cap_m)
    if last_m <= 0.0:
        raise RangeLimitError("signal scale: the range limit is 0 m for every reflectivity")
    last = float(_inverse(limit, np.array([last_m]))[0])
    if last <= LEAST:  # the same range for every reflectivity
        return _Ends(limit.darkest, last_m, limit.darkest, last_m)
    if offset_m <= _ROUNDING_M:
        return _Ends(0.0, 0.0, last, last_m)
    anchor = min(last, limit.darkest)
    return _Ends(anchor, float(_uncapped_m(limit, np.array([anchor]))[0]), last, last_m)


def _inverse(limit: RangeLimit, range_m: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the least reflectivity whose limit is above 0 and reaches each range, float64 (n,).

    It is `LEAST` where all do, and `MOST` where none does. [1]
    """
    low, high = np.full(range_m.shape, math.log(LEAST)), np.full(range_m.shape, math.log(MOST))
    for _ in range(_HALVINGS):
        middle = 0.5 * (low + high)
        limit_m = _uncapped_m(limit, np.exp(middle))
        is_seen = (limit_m >= range_m) & (limit_m > 0.0)
        low, high = np.where(is_seen, low, middle), np.where(is_seen, middle, high)
    return np.where(high - math.log(LEAST) < 1e-12, LEAST, np.exp(high))


def _uncapped_m(limit: RangeLimit, reflectivity: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the range limit without its cap, float64 (n,) [m]."""
    until_percent, pieces, _ = limit.kernel_arguments()
    limit_m = np.empty(len(reflectivity))
    kernels.range_limit_of(until_percent, pieces, math.inf, reflectivity, limit_m)
    return limit_m
