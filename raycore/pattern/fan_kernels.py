# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Compiled kernels that compute the sub-rays of beams, each time they are needed.

A sub-ray points along (axis + h left + v up) / sqrt(1 + h^2 + v^2), with h and v the tangents of
its angles, and starts beside its beam's origin. A fan holds these components for all sub-rays of a
beam. Many beams share one fan, so that nothing is stored for a sub-ray.
"""

from __future__ import annotations

import math

import numpy as np

from lidar_base.compiled import njit

ALONG, LEFT, UP, START_LEFT, START_UP = range(5)
"""Rows of a fan: components of the direction along the beam's axis, to the left and up; offset of
the start to the left and up [m]."""
N_PARTS = 5
"""Number of values of a sub-ray in a fan: three components of its direction, two of its start."""


@njit(cache=True, nogil=True)
def across(x, y, z):
    """Return the two unit vectors at right angles to a direction: to its left, and upwards.

    The direction ``x, y, z`` is a unit vector with z up, and each result is a tuple (x, y, z). Left
    and up are as seen along the direction; left is horizontal. For a direction along +z, the
    vectors are y and -x; along -z, y and x.
    """
    level = math.sqrt(x * x + y * y)
    if level < 1e-9:
        return (0.0, 1.0, 0.0), (-z, 0.0, 0.0)
    left_x, left_y = -y / level, x / level
    return (left_x, left_y, 0.0), (-z * left_y, z * left_x, level)


@njit(cache=True, nogil=True, inline="always")
def fan_out(
    # In:
    first,  # row of the packet's first ray
    width,  # number of rays of a packet
    origin,  # this and the next three: see records.RayArrays
    direction,
    fan,
    fan_of_beam,
    # Out:
    ray_out,  # float32 (6 * width,) x, y, z of all directions, then of all starts
):
    """Write directions and starts of the rays of a packet, in the sensor frame.

    With fans, the sub-rays of a beam must fill whole packets.

    Parameters
    ----------
    first : int
        Row of the packet's first ray in `Shots`.
    width : int
        Number of rays of a packet.
    origin, direction, fan, fan_of_beam
        Columns of `Shots`: start (1 or n_beam, 3) [m] and unit vector (3, n_beam) of each beam, the
        fans (n_fan, 5, n_sub), and the row (n_beam,) of each beam's fan. Without fans (n_fan = 0),
        each beam is a single ray.
    ray_out : float32 (6 * width,)
        Output: the directions, x of all rays, then y, then z, and after them the starts in the same
        order [m]. Every entry is written.
    """
    if fan.shape[0] == 0:
        _rays_of_beams(first, width, origin, direction, ray_out)
        return
    n_sub = fan.shape[2]
    beam = np.uint64(first // n_sub)
    sub, row = first - np.int64(beam) * n_sub, fan_of_beam[beam]
    (x, y, z), (lx, ly, lz), (ux, uy, uz), (ox, oy, oz) = frame(beam, origin, direction)
    for lane in range(width):
        at = np.uint64(sub + lane)
        along, left, up = fan[row, ALONG, at], fan[row, LEFT, at], fan[row, UP, at]
        ray_out[lane] = along * x + left * lx + up * ux
        ray_out[width + lane] = along * y + left * ly + up * uy
        ray_out[2 * width + lane] = along * z + left * lz + up * uz
    for lane in range(width):
        at = np.uint64(sub + lane)
        left, up = fan[row, START_LEFT, at], fan[row, START_UP, at]
        ray_out[3 * width + lane] = ox + left * lx + up * ux
        ray_out[4 * width + lane] = oy + left * ly + up * uy
        ray_out[5 * width + lane] = oz + left * lz + up * uz


@njit(cache=True, nogil=True, inline="always")
def _rays_of_beams(first, width, origin, direction, ray_out):
    """Write the rays of a packet for beams without fans: each beam is a single ray."""
    for lane in range(width):
        ray = np.uint64(first + lane)
        ray_out[lane] = direction[0, ray]
        ray_out[width + lane] = direction[1, ray]
        ray_out[2 * width + lane] = direction[2, ray]
    if origin.shape[0] == 1:
        x, y, z = origin[0, 0], origin[0, 1], origin[0, 2]
        for lane in range(width):
            ray_out[3 * width + lane] = x
            ray_out[4 * width + lane] = y
            ray_out[5 * width + lane] = z
        return
    for lane in range(width):
        ray = np.uint64(first + lane)
        ray_out[3 * width + lane] = origin[ray, 0]
        ray_out[4 * width + lane] = origin[ray, 1]
        ray_out[5 * width + lane] = origin[ray, 2]


@njit(cache=True, nogil=True)
def frame(beam, origin, direction):
    """Return a beam's axis, left, up and origin in the sensor frame: tuples (x, y, z) of float32.

    Axis, left and up are unit vectors, see `across`. ``beam`` is the index of the beam; ``origin``
    (1 or n_beam, 3) [m] and ``direction`` (3, n_beam) are the columns of `Shots`.
    """
    from_ = beam if origin.shape[0] > 1 else np.uint64(0)
    x, y, z = direction[0, beam], direction[1, beam], direction[2, beam]
    (lx, ly, lz), (ux, uy, uz) = across(float(x), float(y), float(z))
    return (
        (x, y, z),
        (np.float32(lx), np.float32(ly), np.float32(lz)),
        (np.float32(ux), np.float32(uy), np.float32(uz)),
        (origin[from_, 0], origin[from_, 1], origin[from_, 2]),
    )


@njit(cache=True, nogil=True, inline="always")
def one_ray(
    # In:
    ray,  # row of the ray
    origin,  # this and the next three: see records.RayArrays
    direction,
    fan,
    fan_of_beam,
):
    """Return direction (unit vector) and start [m] of one ray, as tuples (x, y, z) of float32.

    ``ray`` is the row of the ray in `Shots`. The other arguments are columns of `Shots`: start
    ``origin`` (1 or n_beam, 3) [m] and unit vector ``direction`` (3, n_beam) of each beam, the fans
    ``fan`` (n_fan, 5, n_sub), and ``fan_of_beam`` (n_beam,), the row of each beam's fan. All
    vectors are in the sensor frame.
    """
    n_sub = fan.shape[2]
    beam = np.uint64(ray) // np.uint64(n_sub)
    sub = np.uint64(ray) - beam * np.uint64(n_sub)
    (x, y, z), (lx, ly, lz), (ux, uy, uz), start = frame(beam, origin, direction)
    if fan.shape[0] == 0:
        return (x, y, z), start
    row = fan_of_beam[beam]
    along, left, up = fan[row, ALONG, sub], fan[row, LEFT, sub], fan[row, UP, sub]
    aside, above = fan[row, START_LEFT, sub], fan[row, START_UP, sub]
    return (
        (
            along * x + left * lx + up * ux,
            along * y + left * ly + up * uy,
            along * z + left * lz + up * uz,
        ),
        (
            start[0] + aside * lx + above * ux,
            start[1] + aside * ly + above * uy,
            start[2] + aside * lz + above * uz,
        ),
    )


@njit(cache=True, nogil=True)
def some_rays(
    # In:
    index,  # int64 (n,) rows of the rays
    origin,  # this and the next three: see records.RayArrays
    direction,
    fan,
    fan_of_beam,
    # Out:
    direction_out,  # float32 (3, n)
    origin_out,  # float32 (n, 3)
):
    """Write direction and start of some rays, in the sensor frame.

    Parameters
    ----------
    index : int64 (n,)
        Rows of the rays in `Shots`.
    origin, direction, fan, fan_of_beam
        Columns of `Shots`: start (1 or n_beam, 3) [m] and unit vector (3, n_beam) of each beam, the
        fans (n_fan, 5, n_sub), and the row (n_beam,) of each beam's fan.
    direction_out : float32 (3, n)
        Output: unit vectors. Every entry is written.
    origin_out : float32 (n, 3)
        Output: starts of the rays. Every entry is written. [m]
    """
    for i in range(len(index)):
        along, start = one_ray(index[i], origin, direction, fan, fan_of_beam)
        for axis in range(3):
            direction_out[axis, i] = along[axis]
            origin_out[i, axis] = start[axis]
