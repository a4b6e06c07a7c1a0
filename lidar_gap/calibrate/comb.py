# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The greatest common step of rounded values."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

_SAMPLE = 20_000
_COHERENT = 0.9
_LEAST_VALUES = 50
_LEAST = 2e-4
_MOST_TIMES = 13  # the gap found first may be up to 12 steps wide, or a step up to 12 such gaps


def greatest_step(
    values: NDArray[np.float64], group: NDArray[np.intp], n_group: int, *, most: float
) -> float | None:
    """Return the greatest common step of values: each value is a multiple of it, plus a shift.

    Gaps between neighbouring values suggest a step. The step is accepted if the values v of a group
    are in phase with it: |mean exp(2πi v / step)| is above 0.9 (median over the groups).

    Parameters
    ----------
    values : float64 (n,)
        Rounded values, with errors of single precision.
    group : intp (n,)
        Group of each value, from 0; the values of a group share one shift.
    n_group : int
        Number of groups.
    most : float
        Largest step to search for.

    Returns
    -------
    float or None
        None if the values have no common step from 0.0002 to `most`, or no group has 50 values.
    """
    samples = _samples(values, group, n_group)
    if not samples:
        return None
    rounding = 4.0 * float(np.finfo(np.float32).eps) * max(np.abs(each).max() for each in samples)
    gaps = np.concatenate([np.diff(np.sort(each)) for each in samples])
    gaps = np.sort(gaps[(gaps > max(rounding, 0.2 * _LEAST)) & (gaps < 3.0 * most)])
    if len(gaps) < _LEAST_VALUES:
        return None
    smallest = gaps[len(gaps) // 100]
    step = float(np.median(gaps[(gaps > 0.7 * smallest) & (gaps < 1.3 * smallest)]))
    step = _refined(samples, step)
    tried = [each for k in range(1, _MOST_TIMES) for each in (step / k, step * k)]
    tried = [each for each in tried if _LEAST <= each <= most]
    fitting = [each for each in tried if _coherence(samples, each) > _COHERENT]
    return _refined(samples, max(fitting)) if fitting else None


def _samples(
    values: NDArray[np.float64], group: NDArray[np.intp], n_group: int
) -> list[NDArray[np.float64]]:
    """Return finite values of each of the largest groups that has enough values."""
    fullest = np.argsort(np.bincount(group, minlength=n_group))[::-1][:8]
    of_group = (values[group == each] for each in fullest)
    samples = (each[np.isfinite(each)][:_SAMPLE] for each in of_group)
    return [each for each in samples if len(each) >= _LEAST_VALUES]


def _refined(samples: list[NDArray[np.float64]], step: float) -> float:
    """Refine a step by gaps that span more and more steps, so that no step is miscounted."""
    for far in (1, 3, 10, 30, 100, 300, 1000):
        gaps = np.concatenate([_gaps(each, far) for each in samples])
        gaps = gaps[(gaps > 0.5 * step) & (gaps < 50.0 * far * step)]
        count = np.rint(gaps / step)
        if len(gaps):
            step = float((gaps * count).sum() / (count**2).sum())
    return _as_printed(samples, step)


def _gaps(values: NDArray[np.float64], far: int) -> NDArray[np.float64]:
    """Return the difference of each sorted, distinct value and the value `far` places later."""
    ordered = np.sort(values)
    distinct = ordered[np.concatenate(([True], np.diff(ordered) > _LEAST / 4))]
    gaps: NDArray[np.float64] = distinct[far:] - distinct[:-far]
    return gaps


def _as_printed(samples: list[NDArray[np.float64]], step: float) -> float:
    """Return a round number near the step if it fits the values as well, else the step."""
    for digits in (1, 2, 3):
        round_step = float(f"{step:.{digits - 1}e}")
        if _coherence(samples, round_step) > _coherence(samples, step) - 0.02:
            return round_step
    return step


def _coherence(samples: list[NDArray[np.float64]], step: float) -> float:
    return float(np.median([np.abs(np.mean(np.exp(2j * np.pi * each / step))) for each in samples]))
