# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Samples of the range noise: differences between scans at rest, and scatter within a ring.

Both interpolate 1/r linearly in the azimuth: on a plane, 1/r is linear in (cos az, sin az, 1)
whatever its tilt.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from lidar_gap.metrics.planes import SIGMA_OF_MAD

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lidar_gap.calibrate.recording import Recording

_GAP_STEPS = 2.3
_SMOOTH_M, _SMOOTH_SHARE = 0.06, 0.02
_WINDOW, _STRIDE = 9, 3
_LEAST_OF_SCAN = 5
_MOST_WINDOWS = 60_000
_FREEDOM = _WINDOW - 3
_CHI2_MEDIAN = 5.348  # median of the chi-squared distribution with 6 degrees of freedom
# limit [sigma]; standard deviation of a normal distribution cut at this limit
_CLIP, _CLIPPED = 3.0, 0.98658
_NEAR = 0.2  # largest azimuth offset, relative to the column step: larger offsets blur edges
WINDOW_SCALE = float(np.sqrt(_FREEDOM / _CHI2_MEDIAN))
"""Factor from the median of `Samples.error_m` of the windows in `within_rings` to the standard
deviation of a single range, for normally distributed ranges."""


@dataclass(frozen=True, kw_only=True)
class Samples:
    """Samples of the range noise, of one of two kinds; each array has one value for each sample.

    Attributes
    ----------
    error_m : float64
        From `temporal`: difference between the ranges of two scans, scaled to the standard
        deviation of a single range. From `within_rings`: standard deviation of the residuals in a
        window of points. [m]
    row : intp
        Index of the sample's point in the arrays of the recording; for a window, its middle point.
    of_windows : bool
        True for samples from `within_rings`, False for samples from `temporal`.
    """

    error_m: NDArray[np.float64]
    row: NDArray[np.intp]
    of_windows: bool


def clipped(error_m: NDArray[np.float64], quantum_m: float) -> tuple[float, float]:
    """Return the standard deviation of range errors without outliers, and the bound of outliers.

    The bound is three times the standard deviation, which is found by iteration and is at least
    0.29 times ``quantum_m``. The iteration starts from the median absolute deviation, which alone
    would be too coarse: it is a multiple of the step.

    Parameters
    ----------
    error_m : float64 (n_sample,)
        Errors of ranges, about 0; not empty. [m]
    quantum_m : float
        Step to which the sensor rounds ranges, 0 if unknown. [m]

    Returns
    -------
    sigma_m, bound_m : float
        Standard deviation, and largest absolute error that is not an outlier. [m]
    """
    sigma_m = max(SIGMA_OF_MAD * float(np.median(np.abs(error_m))), 0.6 * quantum_m, 1e-9)
    for _ in range(20):
        inside = error_m[np.abs(error_m) <= _CLIP * sigma_m]
        after_m = max(float(np.sqrt(np.mean(inside**2))) / _CLIPPED, 0.29 * quantum_m, 1e-9)
        if abs(after_m - sigma_m) < 1e-6 * sigma_m:
            break
        sigma_m = after_m
    return sigma_m, _CLIP * sigma_m


def temporal(recording: Recording) -> Samples:
    """Return the range noise from differences between each scan and the next, for scans at rest.

    ``recording`` (`Recording`) has the points of all scans. Each point on a smooth surface is
    compared with its two neighbours in the same ring of the next scan, interpolated with weights a
    and b. The difference is divided by sqrt(1 + a² + b²), so that it has the standard deviation of
    one range. Only points with one weight of at least 0.8 are used; if they are less than half of
    all, the half with the largest weights is used. If scans repeat their azimuths, points of the
    same pixel are compared, and the divisor is sqrt 2.
    """
    errors, rows = [], []
    inverse = 1.0 / recording.range_m
    smooth = np.zeros(len(inverse), np.bool_)
    order = [recording.ordered(frame) for frame in range(recording.n_frame)]
    for each in order:
        smooth[each[2:-2]] = _smooth(recording, each)
    for scan, following in itertools.pairwise(order):
        if len(following) < _LEAST_OF_SCAN:
            continue
        here, before, after, a = _partners(recording, smooth, scan, following)
        expected_m = 1.0 / (a * inverse[after] + (1 - a) * inverse[before])
        same_place = np.abs(recording.range_m[here] - expected_m) < _limit(expected_m)
        divisor = np.sqrt(1.0 + a**2 + (1 - a) ** 2)
        errors.append(((recording.range_m[here] - expected_m) / divisor)[same_place])
        rows.append(here[same_place])
    return _samples(errors, rows, of_windows=False)


def _partners(
    recording: Recording,
    smooth: NDArray[np.bool_],
    scan: NDArray[np.intp],
    following: NDArray[np.intp],
) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.intp], NDArray[np.float64]]:
    """Return points of a scan, the neighbours before and after in the next scan, and weight a."""
    key = recording.key
    place = np.searchsorted(key[following], key[scan]).clip(1, len(following) - 1)
    after, before = following[place], following[place - 1]
    gap = key[after] - key[before]
    usable = smooth[scan] & smooth[after] & smooth[before]
    usable &= (gap > 0) & (gap < _GAP_STEPS * recording.step_deg)
    weight = (key[scan] - key[before]) / np.where(gap > 0, gap, 1.0)
    usable &= (weight >= 0) & (weight <= 1)
    usable &= _nearest(np.minimum(weight, 1.0 - weight), usable)
    return scan[usable], before[usable], after[usable], weight[usable]


def _nearest(off: NDArray[np.float64], usable: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return which points are near a point of the other scan; if few are, the nearer half."""
    if not usable.any():
        return usable
    near: NDArray[np.bool_] = off <= max(_NEAR, float(np.median(off[usable])))
    return near


def _limit(range_m: NDArray[np.float64]) -> NDArray[np.float64]:
    return _SMOOTH_M + _SMOOTH_SHARE * range_m


def _smooth(recording: Recording, rows: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Return which rows have two near neighbours on each side, without two rows at both ends."""
    key, range_m = recording.key[rows], recording.range_m[rows]
    near = (np.diff(key) < _GAP_STEPS * recording.step_deg) & (np.diff(key) >= 0)
    near &= np.abs(np.diff(range_m)) < _limit(range_m[1:])
    return near[:-3] & near[1:-2] & near[2:-1] & near[3:]


def within_rings(recording: Recording) -> Samples:
    """Return the range noise within rings: one sample for each window of nine successive points.

    ``recording`` (`Recording`) has the points; it may be in motion. The sample is the standard
    deviation of the ranges about a plane fitted to the window: the root of the sum of squares over
    6 degrees of freedom. Windows lie on smooth surfaces and overlap. Of very many windows, evenly
    spaced ones are kept, at most 60 000.
    """
    errors, rows = [], []
    for frame in range(recording.n_frame):
        order = recording.ordered(frame)
        if len(order) < _WINDOW:
            continue
        first = np.arange(0, len(order) - _WINDOW + 1, _STRIDE)
        window = order[first[:, None] + np.arange(_WINDOW)]
        key, range_m = recording.key[window], recording.range_m[window]
        step = np.diff(key, axis=1)
        near = ((step >= 0) & (step < _GAP_STEPS * recording.step_deg)).all(axis=1)
        near &= (np.abs(np.diff(range_m, axis=1)) < _limit(range_m[:, 1:])).all(axis=1)
        near &= np.ptp(key, axis=1) > 0
        window, range_m, key = window[near], range_m[near], key[near]
        turn = np.radians(key - key.mean(axis=1, keepdims=True))
        design = np.stack((np.ones_like(turn), np.sin(turn), 1.0 - np.cos(turn)), axis=-1)
        length = np.linalg.norm(design, axis=1, keepdims=True)
        design /= np.maximum(length, np.finfo(np.float64).tiny)  # 1 - cos of a tiny angle is 0
        q, _ = np.linalg.qr(design)
        fitted = np.einsum("nij,nj->ni", q, np.einsum("nij,ni->nj", q, 1.0 / range_m))
        square = ((range_m - 1.0 / fitted) ** 2).sum(axis=1) / _FREEDOM
        errors.append(np.sqrt(square))
        rows.append(window[:, _WINDOW // 2])
    found = _samples(errors, rows, of_windows=True)
    thin = slice(None, None, 1 + len(found.row) // _MOST_WINDOWS)
    return replace(found, error_m=found.error_m[thin], row=found.row[thin])


def _samples(
    errors: list[NDArray[np.float64]], rows: list[NDArray[np.intp]], *, of_windows: bool
) -> Samples:
    """Return the samples of all frames together; none if no frame has any."""
    return Samples(
        error_m=np.concatenate([np.empty(0), *errors]),
        row=np.concatenate([np.empty(0, np.intp), *rows]),
        of_windows=of_windows,
    )
