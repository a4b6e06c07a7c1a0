# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Compiled kernels of one body: where a beam enters and leaves it, and how far one sees into it."""

from __future__ import annotations

import math

import numpy as np

from lidar_base.compiled import njit
from lidar_base.math_kernels import exponential


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def in_sensor(world_from_sensor, pose, point_m):
    """Return a point of the world in the sensor frame, as (x, y, z) [m].

    ``world_from_sensor`` holds the sensor's poses, float64 (n_pose, 4, 4). ``pose`` is the index of
    the pose to use, and ``point_m`` is x, y, z of the point in the world.
    """
    matrix = world_from_sensor[pose]
    x, y, z = point_m[0] - matrix[0, 3], point_m[1] - matrix[1, 3], point_m[2] - matrix[2, 3]
    return (
        matrix[0, 0] * x + matrix[1, 0] * y + matrix[2, 0] * z,
        matrix[0, 1] * x + matrix[1, 1] * y + matrix[2, 1] * z,
        matrix[0, 2] * x + matrix[1, 2] * y + matrix[2, 2] * z,
    )


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def sphere_chord(place, radius_m, start, axis):
    """Return the two ranges [m] at which a beam enters and leaves a sphere; equal if it misses.

    Ranges count from the start of the beam. They may be negative (behind the start).

    Parameters
    ----------
    place : (x, y, z)
        Centre of the sphere, in the sensor frame. [m]
    radius_m : float
        Radius of the sphere. [m]
    start, axis : (x, y, z)
        Start [m] and unit vector of the beam, in the sensor frame.
    """
    x, y, z = place[0] - start[0], place[1] - start[1], place[2] - start[2]
    u, v, w = axis
    along = x * u + y * v + z * w
    # the product of vectors is small where the beam passes nearby, and so are its errors
    cx, cy, cz = y * w - z * v, z * u - x * w, x * v - y * u
    half = math.sqrt(max(radius_m * radius_m - (cx * cx + cy * cy + cz * cz), 0.0))
    return along - half, along + half


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def _slab(near, far, place, step, half):
    """Return begin and end of the part of a beam between two planes; end < begin if none."""
    if step == 0.0:
        return (near, far) if abs(place) < half else (1.0, 0.0)
    one, other = (-half - place) / step, (half - place) / step
    return max(near, min(one, other)), min(far, max(one, other))


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def box_chord(bodies, body, matrix, start, axis):
    """Return the two ranges [m] at which a beam enters and leaves a box.

    If the beam misses the box, the first range is larger than the second. Ranges count from the
    start of the beam, and may be negative.

    Parameters
    ----------
    bodies, body : BodyArrays, int
        Bodies of spray or dust in the world, and the index of the box among them.
    matrix : float64 (4, 4)
        Pose of the sensor, world_from_sensor. [m]
    start, axis : (x, y, z)
        Start [m] and unit vector of the beam, in the sensor frame.
    """
    sx, sy, sz = start
    u, v, w = axis
    x = matrix[0, 0] * sx + matrix[0, 1] * sy + matrix[0, 2] * sz + matrix[0, 3]
    y = matrix[1, 0] * sx + matrix[1, 1] * sy + matrix[1, 2] * sz + matrix[1, 3]
    z = matrix[2, 0] * sx + matrix[2, 1] * sy + matrix[2, 2] * sz + matrix[2, 3]
    dx = matrix[0, 0] * u + matrix[0, 1] * v + matrix[0, 2] * w
    dy = matrix[1, 0] * u + matrix[1, 1] * v + matrix[1, 2] * w
    dz = matrix[2, 0] * u + matrix[2, 1] * v + matrix[2, 2] * w
    x, y = x - bodies.center_m[body, 0], y - bodies.center_m[body, 1]
    z -= bodies.center_m[body, 2]
    cosine, sine = bodies.turn[body]
    half = bodies.half_size_m[body]
    near, far = -np.inf, np.inf
    near, far = _slab(near, far, cosine * x + sine * y, cosine * dx + sine * dy, half[0])
    near, far = _slab(near, far, cosine * y - sine * x, cosine * dy - sine * dx, half[1])
    return _slab(near, far, z, dz, half[2])


THIN = 0.02
"""Optical depth below which `seen_length` uses a series; its relative error is below 3e-8. [1]"""


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def seen_length(length_m, depth):
    """Return the length of the echo from a part of a body of spray or dust [m].

    Light is attenuated with depth. A part of length l and optical depth t therefore returns as much
    light as its first l (1 - exp(-2 t)) / (2 t) would without attenuation. The echo has this
    length.

    Parameters
    ----------
    length_m : float
        Length l of the part along the beam. [m]
    depth : float
        Its optical depth t, one way. [1]
    """
    if depth < THIN:
        return length_m * (1.0 - depth * (1.0 - depth * (2.0 / 3.0 - depth / 3.0)))
    return length_m * (1.0 - exponential(-2.0 * depth)) / (2.0 * depth)
