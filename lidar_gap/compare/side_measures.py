# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Measures that need only the clouds of one side, real or simulated: noise and echoes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lidar_gap.metrics.planes import N_SIGMA
from lidar_gap.metrics.ring_noise import NoiseCurve, noise_curve, sigma_m, window_residuals_m
from lidar_gap.metrics.summaries import quantile, share
from lidar_gap.records import kept_points

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from lidar_gap.records import RangeImage, ScanCloud

RANGE_EDGES_M = np.array([0.0, 2.0, 5.0, 10.0, 15.0, 20.0, 30.0, 50.0, 100.0, 200.0])
"""Edges of the range bins for the noise [m]."""
N_SIGNAL_BINS = 8
"""Number of signal bins for the noise. Each bin holds an equal share of the pixels, because the
unit of the signal differs from sensor to sensor.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Echoes:
    """Statistics of beams with several returns.

    Attributes
    ----------
    n_beams : int
        Number of beams that return.
    second : float
        Share of these beams with a second return. [1]
    separations_m : float64 (n_separation,)
        Distance of each further echo from the previous echo of its beam, over all beams, sorted
        ascending. [m]
    """

    n_beams: int
    second: float
    separations_m: NDArray[np.float64]

    @property
    def least_m(self) -> float:
        """Least distance between successive echoes of a beam [m]; NaN without `separations_m`."""
        return quantile(self.separations_m, 0.0)

    @property
    def p1_m(self) -> float:
        """First percentile of `separations_m` [m]; NaN if they are empty."""
        return quantile(self.separations_m, 0.01)

    @property
    def p5_m(self) -> float:
        """Fifth percentile of `separations_m` [m]; NaN if they are empty."""
        return quantile(self.separations_m, 0.05)


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """Noise and echoes of the clouds of one side, real or simulated.

    Attributes
    ----------
    residuals_m : float64 (n_pixel,)
        Range minus the range of a plane fitted to neighbours in the ring, for pixels on smooth
        surfaces; without outliers. [m]
    noise_m : float
        Standard deviation of the residuals, computed from the median absolute residual. [m]
    noise_by_range : NoiseCurve
        The standard deviation in bins of range.
    noise_by_signal : NoiseCurve or None
        The standard deviation in bins of the column `signal_name`; None without one.
    signal_name : str
        Column with the strength of echoes that all clouds have: "signal", or else "intensity";
        empty if they have neither.
    echoes : Echoes or None
        Statistics of echoes; None if any cloud does not state the echoes of a beam.
    """

    residuals_m: NDArray[np.float64]
    noise_m: float
    noise_by_range: NoiseCurve
    noise_by_signal: NoiseCurve | None
    signal_name: str
    echoes: Echoes | None


def side(
    clouds: Sequence[ScanCloud], images: Sequence[RangeImage], kept: NDArray[np.bool_]
) -> Side:
    """Measure noise and echoes of the clouds of one side.

    Parameters
    ----------
    clouds, images : sequence of ScanCloud, sequence of RangeImage
        At least one cloud, and the range image of each cloud.
    kept : bool (n_ring, n_column)
        True for the pixels of the range images that are used. Points outside the images count
        for the echoes.
    """
    step_rad = float(np.radians(np.median(_turned(images[0].azimuth_deg))))
    range_m = np.stack([image.range_m[kept] for image in images])
    residual_m = np.stack([window_residuals_m(each.range_m, step_rad)[kept] for each in images])
    told = residual_m[~np.isnan(residual_m)]
    name = _signal_name(clouds)
    by_signal = None
    if name:
        value = np.stack(
            [
                image.of_points(getattr(cloud, name))[kept]
                for cloud, image in zip(clouds, images, strict=True)
            ]
        )
        by_signal = noise_curve(residual_m, value, _equal_shares(value[~np.isnan(residual_m)]))
    noise_m = sigma_m(told)
    return Side(
        residuals_m=told[np.abs(told) <= N_SIGMA * noise_m],
        noise_m=noise_m,
        noise_by_range=noise_curve(residual_m, range_m, RANGE_EDGES_M),
        noise_by_signal=by_signal,
        signal_name=name,
        echoes=_echoes(
            [kept_points(cloud, image, kept) for cloud, image in zip(clouds, images, strict=True)]
        ),
    )


def _signal_name(clouds: Sequence[ScanCloud]) -> str:
    """Return the column with the strength of echoes that all clouds have; empty if none."""
    for name in ("signal", "intensity"):
        if all(getattr(cloud, name) is not None for cloud in clouds):
            return name
    return ""


def _equal_shares(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return edges of bins that hold equal shares of the values; fewer bins if many are equal."""
    if not values.size:
        return np.array([0.0, 1.0])
    limits = np.unique(np.quantile(values, np.linspace(0, 1, N_SIGNAL_BINS + 1)))
    return np.append(limits[:-1] if len(limits) > 1 else limits, np.nextafter(limits[-1], np.inf))


def _turned(azimuth_deg: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the angles between neighbouring columns, 0 to 180 deg."""
    step = np.abs(np.diff(azimuth_deg)) % 360.0
    return np.minimum(step, 360.0 - step) if len(step) else np.array([1.0])


def _echoes(clouds: Sequence[ScanCloud]) -> Echoes | None:
    """Count the echoes of the beams of all clouds."""
    n_beams = n_second = 0
    separations_m = [np.zeros(0)]
    for cloud in clouds:
        if cloud.echo is None or cloud.n_echoes is None:
            return None
        n_beams += int(np.count_nonzero(cloud.echo == 0))
        n_second += int(np.count_nonzero(cloud.echo == 1))
        separations_m.append(_separations_m(cloud))
    return Echoes(
        n_beams=n_beams,
        second=share(n_second, n_beams),
        separations_m=np.sort(np.concatenate(separations_m)),
    )


def _separations_m(cloud: ScanCloud) -> NDArray[np.float64]:
    """Return the distances of successive echoes of the beams of one cloud [m]."""
    if cloud.echo is None or cloud.n_echoes is None or cloud.ring is None or cloud.column is None:
        return np.zeros(0)
    several = cloud.n_echoes > 1
    ring, column, echo, range_m = (
        each[several] for each in (cloud.ring, cloud.column, cloud.echo, cloud.range_m)
    )
    order = np.lexsort((echo, column, ring))
    same = (np.diff(ring[order]) == 0) & (np.diff(column[order]) == 0)
    same &= np.diff(echo[order].astype(np.int64)) == 1
    return np.asarray(np.abs(np.diff(range_m[order]))[same])
