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
"""Interval in which `least_reflectivity` searches; values below `LEAST` count as 0. [1]"""
_HALVINGS = 57  # of ln(MOST / LEAST) = 78, down to the rounding of a float64

_NONE = 1e-300  # reflectivity at which the offset, r_L for R to 0, is evaluated
_ROUNDING_M = 1e-6  # largest rounding error of an offset of 0


class _Ends(NamedTuple):
    """Points of R_min(r) between which it is the inverse of the range limit alone."""

    anchor: float  # R_a [1]
    anchor_m: float  # r_a, 0 without an offset
    last: float  # R_min(r_last) [1]
    last_m: float  # r_last


def least_reflectivity(limit: RangeLimit, range_m: ArrayLike) -> NDArray[np.float64]:
    """Return the least reflectivity that the sensor sees at each range, R_min(r).

    Parameters
    ----------
    limit : RangeLimit
        The limit; its cap is ignored, since the sensor's clock or memory sets it, not the signal.
    range_m : array_like
        Ranges; negative values count as 0. [m]

    Returns
    -------
    float64, shape of `range_m`
        R_min, with a relative error of 1e-12. It never falls with range, and may exceed 1. [1]

    Raises
    ------
    RangeLimitError
        If the limit is 0 m for every reflectivity, or infinite for every reflectivity and without
        a cap: neither says how strong an echo is.

    Notes
    -----
    R_min is the inverse of the range limit r_L(R): inf {R : r_L(R) >= r}. Where r_L jumps, R_min
    is constant. At two ends the inverse does not describe a receiver. There R_min continues as
    R / r^2 = constant, the law of a target that fills the beam:

    - Near end, only if r_L has an offset: r_L stays above 0 m as R goes to 0, as in tables and in
      fits with a positive constant. The inverse is 0 within the offset, so the signal would be
      infinite. Let R_a be the darkest stated reflectivity and r_a = r_L(R_a). Up to r_a,
      R_min = max(inverse, R_a (r / r_a)^2). R_a is `RangeLimit.darkest`, or the reflectivity from
      which on r_L is constant if that is darker. If r_L is infinite, r_a is the cap.
    - Far end, beyond r_last, the range limit of the reflectivity `MOST`, which is the largest
      range of a table: R_min = R_min(r_last) (r / r_last)^2.

    Without an offset, R_min is the inverse alone from 0 to r_last.
    So R_min(r_L(R)) = R wherever r_L increases; with an offset, only for R of R_a and above.
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
    """Return the largest range at which the signal of each reflectivity suffices for detection.

    Parameters
    ----------
    limit : RangeLimit
        The range limit of the sensor; its cap is ignored.
    reflectivity : array_like
        Reflectivities as fractions; negative values count as 0. [1]

    Returns
    -------
    float64, shape of `reflectivity`
        Largest r at which `least_reflectivity` is at most ``reflectivity``. It is the range limit
        without its cap; at the near and far ends, it continues as if the signal fell with 1/r^2. 0
        where nothing is reflected. [m]

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
    """Return the near and the far end of the inverse of a limit, see `least_reflectivity`."""
    offset_m, last_m = _uncapped_m(limit, np.array([_NONE, MOST])).tolist()
    if math.isinf(last_m):
        if not math.isfinite(limit.cap_m):
            raise RangeLimitError(
                "signal scale: the range limit is infinite for every reflectivity, expected a "
                "range limit with a finite maximum range"
            )
        return _Ends(limit.darkest, limit.cap_m, limit.darkest, limit.cap_m)
    if last_m <= 0.0:
        raise RangeLimitError(
            "signal scale: the range limit is 0 m for every reflectivity, expected more"
        )
    last = float(_inverse(limit, np.array([last_m]))[0])
    if last <= LEAST:  # the same range for every reflectivity
        return _Ends(limit.darkest, last_m, limit.darkest, last_m)
    if offset_m <= _ROUNDING_M:
        return _Ends(0.0, 0.0, last, last_m)
    anchor = min(last, limit.darkest)
    return _Ends(anchor, float(_uncapped_m(limit, np.array([anchor]))[0]), last, last_m)


def _inverse(limit: RangeLimit, range_m: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the least reflectivity [1] whose range limit reaches each range, float64 (n,).

    It is `LEAST` where the limit of every reflectivity reaches the range, and `MOST` where none
    does. A limit of 0 m reaches no range.
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
