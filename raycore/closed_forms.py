# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Distances along rays to planes and spheres, in closed form: references for tracers and models."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


def range_to_plane(
    origin_m: ArrayLike, direction: ArrayLike, *, point_m: ArrayLike, normal: ArrayLike
) -> NDArray[np.float64]:
    """Return the distance along rays to a plane, from either side: r = n.(p - o) / n.u [m].

    The result is float64 (n,). The distance is infinite if a ray leads away from the plane or along
    it, or starts on it.

    Parameters
    ----------
    origin_m : (3,) or (n, 3)
        Starts of the rays. [m]
    direction : (n, 3)
        Unit vectors.
    point_m : (3,) or (n, 3)
        A point of the plane, or a point of each ray's own plane. [m]
    normal : (3,) or (n, 3)
        Normal of the plane, or of each ray's own plane, of any length.
    """
    across = np.asarray(normal, np.float64)
    ahead = (np.asarray(point_m, np.float64) - np.asarray(origin_m, np.float64)) * across
    with np.errstate(divide="ignore", invalid="ignore"):
        range_m = ahead.sum(axis=-1) / (np.asarray(direction, np.float64) * across).sum(axis=-1)
    return np.where(range_m > 0.0, range_m, np.inf)


def range_to_sphere(
    origin_m: ArrayLike, direction: ArrayLike, *, centre_m: ArrayLike, radius_m: float
) -> NDArray[np.float64]:
    """Return the distance along rays that start outside a sphere to the sphere [m].

    r = b - sqrt(R^2 - d^2), with b = (c - o).u and d^2 = |c - o|^2 - b^2, float64 (n,). The
    distance is infinite if a ray misses the sphere or leads away from it.

    Parameters
    ----------
    origin_m : (3,) or (n, 3)
        Starts of the rays. [m]
    direction : (n, 3)
        Unit vectors.
    centre_m, radius_m : (3,), float
        The sphere. [m]
    """
    to_centre = np.asarray(centre_m, np.float64) - np.asarray(origin_m, np.float64)
    ahead = (to_centre * np.asarray(direction, np.float64)).sum(axis=-1)
    within = radius_m**2 - (to_centre**2).sum(axis=-1) + ahead**2
    met = (ahead > 0.0) & (within >= 0.0)
    return np.where(met, ahead - np.sqrt(np.maximum(within, 0.0)), np.inf)
