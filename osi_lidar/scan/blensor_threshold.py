# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The minimum reflectivity that is detected, as in BlenSor: a linear function of the distance."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    from osi_lidar.clouds.cloud import Cloud
    from osi_lidar.config.noise import DetectionThreshold
    from osi_lidar.scan.noise.point_rows import PointRows


def min_reflectivity(
    range_m: ArrayLike, *, pairs: Sequence[tuple[float, float]], as_printed: bool = False
) -> NDArray[np.float64]:
    """Return the least reflectivity that is detected at each range.

    Parameters
    ----------
    range_m : array_like
        True ranges. [m]
    pairs : ((percent, metres), (percent, metres))
        Least reflectivity r_lo [%] at the range d_lo [m], and r_up [%] at the range d_up [m].
    as_printed : bool
        Use the formula as [1]_ prints it, instead of the line through both pairs.

    Returns
    -------
    float64
        Minimum reflectivity [1] at each range; 0 below d_lo: any positive one is detected there.

    Notes
    -----
    Printed [1]_: r_min = r_lo + (r_up - r_lo) d / (d_up - d_lo), which is 0.6 at 50 m and 1.3 at
    120 m for the pairs 10 % at 50 m, 80 % at 120 m: it does not meet them. The authors' program
    has d - d_lo in place of d, which gives the pairs exactly: the corrected form.

    References
    ----------
    .. [1] Gschwandtner, Kwitt, Uhl, Pree, BlenSor: Blender sensor simulation toolbox, ISVC 2011,
       LNCS 6939, pp. 199-208, equation 1
    """
    (low_percent, near_m), (high_percent, far_m) = pairs
    distance_m = np.asarray(range_m, np.float64)
    along = (distance_m if as_printed else distance_m - near_m) / (far_m - near_m)
    line = (low_percent + (high_percent - low_percent) * along) / 100.0
    return np.where(distance_m < near_m, 0.0, line)


def is_detected(
    detection: DetectionThreshold, range_m: NDArray[np.float32], reflectivity: NDArray[np.float32]
) -> NDArray[np.bool_]:
    """Return which echoes a sensor detects, bool (n,): R > 0 and R >= r_min (`min_reflectivity`).

    R and r_min are compared as float32, so that a reflectivity of 10 % passes a threshold of 10 %.
    With ``min_reflectivity: "off"``, all echoes are detected.

    Parameters
    ----------
    detection : DetectionThreshold
        Section ``detection`` of a sensor.
    range_m : float32 (n,)
        True ranges. [m]
    reflectivity : float32 (n,)
        Reflectivities R. [1]
    """
    if detection.min_reflectivity == "off":
        return np.ones(len(range_m), np.bool_)
    as_printed = detection.min_reflectivity == "printed"
    least = min_reflectivity(range_m, pairs=detection.pairs, as_printed=as_printed)
    seen: NDArray[np.bool_] = reflectivity >= least.astype(np.float32)
    return seen & (reflectivity > 0.0)


def above_threshold(
    detection: DetectionThreshold | None, cloud: Cloud, rows: PointRows
) -> tuple[Cloud, PointRows]:
    """Return the points that are bright enough for a sensor's reflectivity threshold.

    `is_detected` says which they are, by range and reflectivity. The inputs are not changed.

    Parameters
    ----------
    detection : DetectionThreshold or None
        Section ``detection`` of a sensor; None: all points are returned.
    cloud : Cloud
        The points.
    rows : PointRows
        For each point, indices of the inputs of its measurement errors.

    Returns
    -------
    cloud : Cloud
        The remaining points.
    rows : PointRows
        The entries of ``rows`` for them.
    """
    if detection is None:
        return cloud, rows
    seen = is_detected(detection, cloud.points["range"], cloud.points["reflectivity"])
    return cloud.rows(seen), rows.chosen(seen)
