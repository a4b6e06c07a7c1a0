# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Thickness of planes: the scatter of points about them, within the rings and between them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lidar_gap.metrics.summaries import count, mean

if TYPE_CHECKING:
    from numpy.typing import NDArray

N_SIGMA = 4.0
"""Points farther from a fit than this many standard deviations are outliers; a normal distribution
loses 0.006 % of its points.
"""
SIGMA_OF_MAD = 1.4826
"""Standard deviation of a normal distribution, divided by its median absolute deviation."""
NO_OUTLIER_M = 0.01
"""Points nearer to a fit than this are never outliers [m]. Ranges come in steps of up to 8 mm, so
half of the points of a wall may have the same range and a deviation of 0.
"""
N_ROUNDS = 10
"""Largest number of times that a fit is repeated after removing outliers."""
FEWEST_IN_RING = 10
"""Fewest points of a ring for a fit of a plane: with fewer points, the three constants of the fit
would follow the noise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plane:
    """A plane: the points p with ``normal @ p == offset_m``.

    Attributes
    ----------
    normal : float64 (3,)
        Unit normal. [1]
    offset_m : float
        Distance from the origin to the plane in the direction of the normal; negative if the plane
        lies in the opposite direction. [m]
    """

    normal: NDArray[np.float64]
    offset_m: float

    def distance_m(self, points_m: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the distance of each point from the plane, float64 (n_point,) [m].

        Distances are positive on the side to which the normal points. ``points_m`` has the points,
        float64 (n_point, 3), in the coordinate frame of the plane [m].
        """
        return points_m @ self.normal - self.offset_m


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaneThickness:
    """Scatter of points about a plane, measured along its normal.

    Trap: a real floor is not flat (5 mm in a hall); compare with the same fit to a map of the
    floor.

    Attributes
    ----------
    plane : Plane
        The plane.
    n : int
        Number of points, without outliers.
    sigma_m : float
        Standard deviation of these points' distances from the plane. [m]
    within_rings_m : float
        Standard deviation about a separate fit to each ring: the noise. NaN if no ring has
        `FEWEST_IN_RING` points. [m]
    between_rings_m : float
        Standard deviation of the rings' median distances from the plane: the bias of the lasers.
        [m]
    """

    plane: Plane
    n: int
    sigma_m: float
    within_rings_m: float
    between_rings_m: float


def plane_thickness(
    *,
    points_m: NDArray[np.float64],
    range_m: NDArray[np.float64],
    azimuth_rad: NDArray[np.float64],
    ring: NDArray[np.int32],
) -> PlaneThickness:
    """Fit a plane to the points of a flat surface, and measure how they scatter about it.

    Parameters
    ----------
    points_m : float64 (n_point, 3)
        Points on the surface, in the frame of the sensor, at least three. [m]
    range_m, azimuth_rad : float64 (n_point,)
        Range along the beam, and azimuth of the beam. An error of the azimuth that is the same for
        all points of a ring does not matter. [m], [rad]
    ring : int32 (n_point,)
        Number of the laser that measured each point.
    """
    plane, kept = fitted_plane(points_m)
    distance_m = plane.distance_m(points_m)
    cos_incidence = np.abs(points_m @ plane.normal) / np.linalg.norm(points_m, axis=1)
    along_beam_m = ring_residuals_m(
        range_m=range_m[kept], azimuth_rad=azimuth_rad[kept], ring=ring[kept]
    )
    residual_m = along_beam_m * cos_incidence[kept]
    medians_m = [np.median(distance_m[kept & (ring == each)]) for each in np.unique(ring[kept])]
    return PlaneThickness(
        plane=plane,
        n=count(kept),
        sigma_m=float(np.std(distance_m[kept])),
        within_rings_m=float(np.sqrt(mean(residual_m[~np.isnan(residual_m)] ** 2))),
        between_rings_m=float(np.std(medians_m)),
    )


def fitted_plane(points_m: NDArray[np.float64]) -> tuple[Plane, NDArray[np.bool_]]:
    """Return the least-squares plane of most of the points, and a mask that leaves out outliers.

    Parameters
    ----------
    points_m : float64 (n_point, 3)
        The points, most of them on the plane. [m]

    Returns
    -------
    plane : Plane
        The plane, in the coordinate frame of the points.
    kept : bool (n_point,)
        False for outliers, which the fit did not use.
    """
    kept = np.ones(len(points_m), np.bool_)
    plane = _least_squares(points_m)
    for _ in range(N_ROUNDS):
        before, kept = kept, _near(plane.distance_m(points_m))
        if np.array_equal(before, kept):
            break
        plane = _least_squares(points_m[kept])
    return plane, kept


def principal_plane(
    points_m: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64], float]:
    """Return the least-squares plane of all points, including outliers.

    Parameters
    ----------
    points_m : float64 (n_point, 3)
        At least three points. [m]

    Returns
    -------
    centre_m, normal : float64 (3,)
        Mean of the points [m], and unit normal of the plane with arbitrary sign [1].
    sigma_m : float
        Standard deviation of the points' distances from the plane. [m]
    """
    centre_m = points_m.mean(axis=0)
    off_m = points_m - centre_m
    squares, axes = np.linalg.eigh(off_m.T @ off_m)
    sigma_m = float(np.sqrt(max(squares[0], 0.0) / (len(points_m) - 1)))
    return centre_m, axes[:, 0], sigma_m


def ring_residuals_m(
    *,
    range_m: NDArray[np.float64],
    azimuth_rad: NDArray[np.float64],
    ring: NDArray[np.int32],
) -> NDArray[np.float64]:
    """Return how far each point is behind a plane that is fitted to its ring alone.

    A ring of constant elevation meets a plane where 1/r is linear in (cos azimuth, sin azimuth, 1),
    whatever the plane's tilt. Each ring has its own constants, so the residuals contain noise, but
    neither the bias of the laser nor errors of its angles.

    Parameters
    ----------
    range_m, azimuth_rad : float64 (n_point,)
        Range along the beam, and azimuth of the beam. An error of the azimuth that is the same for
        all points of a ring does not matter. [m], [rad]
    ring : int32 (n_point,)
        Number of the laser that measured each point.

    Returns
    -------
    float64 (n_point,)
        Range minus the range of the fitted plane. NaN for outliers, and in rings of fewer than
        `FEWEST_IN_RING` points. [m]
    """
    residual_m = np.full(len(range_m), np.nan)
    order = np.argsort(ring, kind="stable")
    starts = np.unique(ring[order], return_index=True)[1]
    for rows in np.split(order, starts[1:]):
        if len(rows) >= FEWEST_IN_RING:
            residual_m[rows] = _residuals_of_ring(range_m[rows], azimuth_rad[rows])
    return residual_m


def _residuals_of_ring(
    range_m: NDArray[np.float64], azimuth_rad: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the residuals of one ring, NaN for outliers [m]."""
    terms = np.column_stack([np.cos(azimuth_rad), np.sin(azimuth_rad), np.ones(len(range_m))])
    weight = range_m**2  # error of r over error of 1/r, without the sign
    kept = np.ones(len(range_m), np.bool_)
    for _ in range(N_ROUNDS):
        rows = terms[kept] * weight[kept, None]
        constants = np.linalg.lstsq(rows, range_m[kept], rcond=None)[0]
        residual_m = range_m - 1 / (terms @ constants)
        before, kept = kept, _near(residual_m)
        if np.array_equal(before, kept):
            break
    return np.where(kept, residual_m, np.nan)


def _least_squares(points_m: NDArray[np.float64]) -> Plane:
    """Return the least-squares plane of all points as a `Plane`."""
    centre_m, normal, _ = principal_plane(points_m)
    return Plane(normal=normal, offset_m=float(normal @ centre_m))


def _near(residual_m: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return which residuals are not outliers, by the median absolute deviation."""
    off_m = np.abs(residual_m - np.median(residual_m))
    tolerance_m = N_SIGMA * SIGMA_OF_MAD * float(np.median(off_m))
    return off_m <= max(tolerance_m, NO_OUTLIER_M)
