# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Compiled kernels of spray: random properties of clusters, and their motion through the air.

The kernels use no function of a C library, so that every machine has the same clusters.

References
----------
.. [1] openMSL, sl-1-2 reflection based lidar object model (TU Darmstadt, FZD), commit 72323af,
   https://github.com/openMSL/sl-1-2-reflection-based-lidar-object-model
"""

from __future__ import annotations

import math
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from lidar_base.block_kernels import BLOCK
from lidar_base.compiled import njit
from lidar_base.math_kernels import exponential, logarithm
from lidar_base.random.random_kernels import SPRAY_CLUSTER, gaussian_pairs, new_redraw

Columns: TypeAlias = NDArray[np.float64]
Times: TypeAlias = NDArray[np.int64]

LIVES = 4.0
"""Life of a cluster, in units of the time constant with which its weight fades; at the end of its
life the weight is 1.8 % [1]_. [1]"""
RADIUS_LOG_MEAN, RADIUS_LOG_SIGMA = -1.2, 0.8
"""Mean and standard deviation of the logarithm of the radius in metres [1]_. [1]"""
LARGEST_RADIUS_M = 1.0
"""Upper limit of the radius [1]_. [m]"""
DRAG_PER_M, DRAG_SIGMA_PER_M = 0.12, 0.04
"""Mean and standard deviation of the drag c in du/dt = -c u^2 [1]_. [1/m]"""
LEAST_DRAG_PER_M = 0.02
"""Lower limit of the drag, which one cluster in 160 gets: negative drag would accelerate. [1/m]"""
LIFETIME_SIGMA_S = 0.2
"""Standard deviation of the time constant [1]_. [s]"""
SHORTEST_LIFETIME_S = 0.05
"""Lower limit of time constants, which could be negative for slow vehicles. [s]"""
RISE_M_S = 5.0
"""Largest upward speed at birth, added to the vehicle's velocity [1]_. [m/s]"""
TIME_AND_CHANCE, ASIDE_AND_UP, RISE, DRAG_AND_RADIUS, LIFETIME = range(5)
"""Kinds of random numbers of a cluster, each a pair."""


class Clusters(NamedTuple):
    """State of n clusters of spray drops at their birth; axes are the world's.

    Attributes
    ----------
    born_ns : int64 (n,)
        Time of birth. [ns]
    origin_m : float64 (n, 3)
        Place of the cluster's centre at birth. [m]
    through_air_m_s : float64 (n, 3)
        Velocity at birth relative to the wind. [m/s]
    wind_m_s : float64 (n, 2)
        Velocity of the air along x and y at birth, which stays for the cluster's life. [m/s]
    drag_per_m : float64 (n,)
        c in du/dt = -c u^2, where u is the speed through the air. [1/m]
    radius_m : float64 (n,)
        Radius, which stays. [m]
    lifetime_s : float64 (n,)
        Time constant T with which the weight exp(-age / T) fades. A cluster is gone after `LIVES`
        of these. [s]
    """

    born_ns: Times  # (n,)
    origin_m: Columns  # (n, 3) centre
    through_air_m_s: Columns  # (n, 3) velocity relative to the wind
    wind_m_s: Columns  # (n, 2)
    drag_per_m: Columns  # (n,) c in du/dt = -c u^2
    radius_m: Columns  # (n,)
    lifetime_s: Columns  # (n,) time constant with which the cluster fades


@njit(cache=True, nogil=True, error_model="numpy")
def shape_clusters(
    # In:
    stream,  # see draws.Draws
    index,  # uint32 (n,) of the random numbers of each cluster, with room for their kind
    # In and out:
    clusters,  # see Clusters; in: lifetime_s holds means; out: drag, radius, lifetime_s are drawn
):
    """Draw random drags, radii and time constants of new clusters, and write them into `clusters`.

    The kernel runs on one thread.

    Parameters
    ----------
    stream : four uint64
        Key of the random numbers, see `draws.Draws`.
    index : uint32 (n,)
        Index of each cluster's random numbers; its low bits are 0, to make room for their kind.
    clusters : Clusters
        n clusters, changed in place. On input, ``lifetime_s`` holds the means; on output, all rows
        of ``drag_per_m``, ``radius_m`` and ``lifetime_s`` are drawn.
    """
    redraw, at = new_redraw(), np.zeros(BLOCK, np.uint32)
    drag, radius, lifetime, spare = np.empty((4, BLOCK))
    for start in range(0, len(index), BLOCK):
        n = min(BLOCK, len(index) - start)
        for k in range(n):
            at[k] = index[start + k] | np.uint32(DRAG_AND_RADIUS)
        gaussian_pairs(stream, SPRAY_CLUSTER, at, n, redraw, drag, radius)
        for k in range(n):
            at[k] = index[start + k] | np.uint32(LIFETIME)
        gaussian_pairs(stream, SPRAY_CLUSTER, at, n, redraw, lifetime, spare)
        for k in range(n):
            row = start + k
            drag_per_m = DRAG_PER_M + DRAG_SIGMA_PER_M * drag[k]
            clusters.drag_per_m[row] = max(drag_per_m, LEAST_DRAG_PER_M)
            radius_m = exponential(RADIUS_LOG_MEAN + RADIUS_LOG_SIGMA * radius[k])
            clusters.radius_m[row] = min(radius_m, LARGEST_RADIUS_M)
            lifetime_s = clusters.lifetime_s[row] + LIFETIME_SIGMA_S * lifetime[k]
            clusters.lifetime_s[row] = max(lifetime_s, SHORTEST_LIFETIME_S)


@njit(cache=True, nogil=True, error_model="numpy")
def move_clusters(
    # In:
    time_ns,
    clusters,  # see Clusters
    # Out:
    alive_out,  # int64 (n,) rows of the live clusters; only as many entries as returned are set
    center_out,  # float64 (n, 3) places of the live clusters [m]
    weight_out,  # float64 (n,) weights of the live clusters
):
    """Write row, place and weight of the clusters alive at a time; return their number.

    With the speed u through the air and the drag c, du/dt = -c u^2 has the solution
    u = u0 / (1 + c u0 t). So a cluster moves the distance ln(1 + c u0 t) / c on a straight line.

    Parameters
    ----------
    time_ns : int
        Time, on the clock of ``clusters.born_ns``. [ns]
    clusters : Clusters
        n clusters at their birth.
    alive_out : int64 (n,)
        Output: rows of the live clusters in `clusters`, rising. In all three outputs, only as many
        entries as the result are written.
    center_out : float64 (n, 3)
        Output: centres of the live clusters in the world. [m]
    weight_out : float64 (n,)
        Output: weights of the live clusters, above 0 up to 1. [1]
    """
    n = 0
    for k in range(len(clusters.born_ns)):
        age_s = np.float64(time_ns - clusters.born_ns[k]) * 1e-9
        if age_s < 0.0 or age_s >= LIVES * clusters.lifetime_s[k]:
            continue
        x, y, z = clusters.through_air_m_s[k]
        drag = clusters.drag_per_m[k]
        slowed = drag * math.sqrt(x * x + y * y + z * z) * age_s
        share = 1.0
        if slowed > 1e-9:  # below it the logarithm is the number itself
            share = logarithm(1.0 + slowed) / slowed
        way_s = age_s * share  # at the speed of its birth
        alive_out[n] = k
        center_out[n, 0] = clusters.origin_m[k, 0] + x * way_s + clusters.wind_m_s[k, 0] * age_s
        center_out[n, 1] = clusters.origin_m[k, 1] + y * way_s + clusters.wind_m_s[k, 1] * age_s
        center_out[n, 2] = clusters.origin_m[k, 2] + z * way_s
        weight_out[n] = exponential(-age_s / clusters.lifetime_s[k])
        n += 1
    return n
