# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Noise of the range within the rings of any scan, without knowledge of its surfaces."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from lidar_gap.metrics.planes import SIGMA_OF_MAD
from lidar_gap.metrics.summaries import quantile

if TYPE_CHECKING:
    from numpy.typing import NDArray

HALF_WINDOW = 5
"""Number of neighbours on each side, in the same ring, that a pixel is compared with."""
SMOOTH_STEP_M = 0.2
"""Neighbouring pixels of a ring whose ranges differ by at most this are on one surface [m]."""
FEWEST_IN_BIN = 50
"""Bins with fewer pixels than this have no noise value."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NoiseCurve:
    """Noise of the range in bins of a quantity.

    Attributes
    ----------
    edges : float64 (n_bin + 1,)
        Limits of the bins in the unit of the quantity; a bin includes its lower limit.
    n : int64 (n_bin,)
        Number of pixels in each bin.
    sigma_m : float64 (n_bin,)
        Standard deviation of the range, from the median of the absolute residuals; NaN for fewer
        than `FEWEST_IN_BIN` pixels. [m]
    """

    edges: NDArray[np.float64]
    n: NDArray[np.int64]
    sigma_m: NDArray[np.float64]


def window_residuals_m(
    range_m: NDArray[np.float64], azimuth_step_rad: float
) -> NDArray[np.float64]:
    """Return the range of each pixel minus the range of a plane fitted to its ring neighbours.

    A ring of constant elevation meets a plane where 1/r is linear in (cos azimuth, sin azimuth, 1),
    whatever the plane's tilt. This relation is fitted to `HALF_WINDOW` neighbours on each side and
    the pixel itself. The fit follows the noise of the pixel a little, which makes residuals too
    small. So they are scaled: their standard deviation is the standard deviation of the range
    noise. Traps: the texture of a rough surface counts as noise. If the sensor's range step is
    larger than its noise, the residuals show the steps.

    Parameters
    ----------
    range_m : float64 (n_ring, n_column)
        Range of each pixel, NaN where nothing returned. [m]
    azimuth_step_rad : float
        Angle between neighbouring columns. [rad]

    Returns
    -------
    float64 (n_ring, n_column)
        Scaled residuals, positive for a pixel behind the plane. NaN where the pixel or one of the
        `HALF_WINDOW` neighbours on each side does not return, or where ranges of two successive
        pixels among them differ by more than `SMOOTH_STEP_M`; also NaN in the first and the last
        `HALF_WINDOW` columns. [m]
    """
    residual_m = np.full(range_m.shape, np.nan)
    width = 2 * HALF_WINDOW + 1
    if range_m.shape[1] < width:
        return residual_m
    weight = _residual_weights(azimuth_step_rad)
    inner = residual_m[:, HALF_WINDOW:-HALF_WINDOW]
    inverse_m = np.divide(1.0, range_m, out=np.full(range_m.shape, np.nan), where=range_m > 0)
    inverse = sliding_window_view(inverse_m, width, axis=1) @ weight
    centre_m = range_m[:, HALF_WINDOW:-HALF_WINDOW]
    rough = ~(np.abs(np.diff(range_m, axis=1)) <= SMOOTH_STEP_M)  # NaN is rough, too
    n_rough = np.cumsum(np.pad(rough, ((0, 0), (1, 0))), axis=1)
    smooth = n_rough[:, width - 1 :] == n_rough[:, : -(width - 1)]
    inner[smooth] = -((centre_m**2) * inverse)[smooth]  # error of r = -r^2 times error of 1/r
    return residual_m


def noise_curve(
    residual_m: NDArray[np.float64], quantity: NDArray[np.float64], edges: NDArray[np.float64]
) -> NoiseCurve:
    """Return the range noise in bins of a quantity, such as range or signal.

    Parameters
    ----------
    residual_m, quantity : float64, of equal shape
        Residual of each pixel from `window_residuals_m` [m], and the quantity there; pixels where
        either is NaN are left out.
    edges : float64 (n_bin + 1,)
        Limits of the bins of the quantity, ascending.
    """
    told = ~np.isnan(residual_m + quantity)
    residual, number = residual_m[told], np.searchsorted(edges, quantity[told], side="right") - 1
    parts = [residual[number == each] for each in range(len(edges) - 1)]
    return NoiseCurve(
        edges=edges,
        n=np.array([len(part) for part in parts], np.int64),
        sigma_m=np.array(
            [sigma_m(part) if len(part) >= FEWEST_IN_BIN else np.nan for part in parts]
        ),
    )


def sigma_m(residual_m: NDArray[np.float64]) -> float:
    """Return the standard deviation of residuals, estimated from their median absolute value [m].

    ``residual_m`` is an array of the residuals, float64 (n,) [m]. Their mean is taken as 0. The
    result is NaN without residuals, and if a residual is NaN.
    """
    return SIGMA_OF_MAD * quantile(np.abs(residual_m), 0.5)


def _residual_weights(azimuth_step_rad: float) -> NDArray[np.float64]:
    """Return the weight of each pixel of a window in the middle pixel's residual, (window,)."""
    azimuth = azimuth_step_rad * np.arange(-HALF_WINDOW, HALF_WINDOW + 1)
    # 2 sin(a/2)^2 = 1 - cos(a): the same space, well conditioned for small steps
    terms = np.column_stack([2 * np.sin(azimuth / 2) ** 2, np.sin(azimuth), np.ones(len(azimuth))])
    basis = np.linalg.qr(terms)[0]
    weight = -basis @ basis[HALF_WINDOW]
    weight[HALF_WINDOW] += 1.0
    return np.asarray(weight / np.sqrt(weight[HALF_WINDOW]))
