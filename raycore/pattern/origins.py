# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Origins of the beams of a pattern: their checks, and their rotation with the head."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from raycore.errors import PatternError

FARTHEST_M = 1000.0
"""Largest distance of a beam's origin from the sensor's, along each axis. [m]"""


def checked_origins(values: ArrayLike, *, n_row: int) -> NDArray[np.float64]:
    """Return the points from which rows of a pattern start, as checked float64 (n_row, 3) [m].

    ``values`` are the points as the user gave them, such as a list of lists, and ``n_row`` is the
    number of rows of the pattern. Raise PatternError unless each row has a finite point, at most
    `FARTHEST_M` along each axis.
    """
    try:
        origins = np.array(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise PatternError("beam_origin_m: expected a list of points") from None
    if origins.shape != (n_row, 3):
        raise PatternError(
            f"beam_origin_m: expected {n_row} points of 3 numbers, got shape {origins.shape}"
        )
    away = ~(np.abs(origins) <= FARTHEST_M)
    if away.any():
        raise PatternError(
            f"beam_origin_m: got {origins[away][0]:g} m, expected at most {FARTHEST_M:g} m"
        )
    return origins


def turned(points_m: NDArray[np.float64], heading_rad: NDArray[np.float64]) -> NDArray[np.float32]:
    """Return points, float32 (n, 3), each rotated about z, from x to y, by its own angle.

    ``points_m``, float64 (n, 3), has the points [m], and ``heading_rad``, (n,), the angles [rad].
    """
    x, y, z = points_m.T
    cos, sin = np.cos(heading_rad), np.sin(heading_rad)
    return np.stack((x * cos - y * sin, x * sin + y * cos, z), axis=1).astype(np.float32)


def check_origin(origin_m: object, *, n_beam: int) -> None:
    """Raise PatternError unless ``origin_m`` is finite float32, (1, 3) or with a row for each beam.

    ``n_beam`` is the number of beams.
    """
    if (
        not isinstance(origin_m, np.ndarray)
        or origin_m.dtype != np.float32
        or origin_m.shape not in ((1, 3), (n_beam, 3))
        or not np.isfinite(origin_m).all()
    ):
        raise PatternError(
            f"scan pattern: origin_m must be finite float32 (1, 3) or ({n_beam}, 3), "
            f"got {getattr(origin_m, 'dtype', type(origin_m).__name__)} "
            f"{getattr(origin_m, 'shape', '')}"
        )


def beside_beams(
    *,
    up_m: NDArray[np.float64],
    left_m: NDArray[np.float64],
    elevation_rad: NDArray[np.float64],
    azimuth_rad: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return the start points of lasers whose beams pass beside the sensor's origin.

    With elevation v and azimuth a, a laser starts ``up (-sin v cos a, -sin v sin a, cos v) + left
    (-sin a, cos a, 0)``.

    Parameters
    ----------
    up_m, left_m : float64 (n_laser,)
        Offset of the beam from the sensor's origin, at right angles to the beam: up and left. [m]
    elevation_rad, azimuth_rad : float64 (n_laser,)
        Direction of each laser at a heading of 0. [rad]

    Returns
    -------
    float64 (n_laser, 3)
        Start points at a heading of 0: forward, left, up. [m]
    """
    sin_up, cos_up = np.sin(elevation_rad), np.cos(elevation_rad)
    sin_left, cos_left = np.sin(azimuth_rad), np.cos(azimuth_rad)
    return np.stack(
        (
            -up_m * sin_up * cos_left - left_m * sin_left,
            -up_m * sin_up * sin_left + left_m * cos_left,
            up_m * cos_up,
        ),
        axis=1,
    )


def before_exit(
    exit_m: ArrayLike,
    length_m: float,
    *,
    elevation_rad: NDArray[np.float64],
    azimuth_rad: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return the start points of lasers whose beams all leave the head at one point.

    Parameters
    ----------
    exit_m : float (3,)
        Point at which all beams leave the head, at a heading of 0: forward, left, up. [m]
    length_m : float
        Distance along each beam from its start point to that point; ranges count from the start
        points. [m]
    elevation_rad, azimuth_rad : float64 (n_laser,)
        Direction of each laser at a heading of 0. [rad]

    Returns
    -------
    float64 (n_laser, 3)
        Start points at a heading of 0: forward, left, up. [m]
    """
    cos_up = np.cos(elevation_rad)
    direction = np.stack(
        (cos_up * np.cos(azimuth_rad), cos_up * np.sin(azimuth_rad), np.sin(elevation_rad)), axis=1
    )
    origins: NDArray[np.float64] = np.asarray(exit_m, np.float64) - length_m * direction
    return origins
