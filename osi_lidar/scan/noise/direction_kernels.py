# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Compiled errors of a sensor's angles: the directions of beams, turned at random.

Threads take blocks of beams one after the other as in `raycore.trace.trace_kernels`. Each step is
done for a whole block, in loops for vector instructions as in `random_kernels`.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from lidar_base.block_kernels import BLOCK, in_threads, new_deal, take_block
from lidar_base.compiled import njit
from lidar_base.math_kernels import SMALL_RAD, small_cosine_and_sine
from lidar_base.random.random_kernels import LINE_OF_SIGHT, gaussian_pairs, new_redraw


class Turned(NamedTuple):
    """Unit vectors of a block of beams with random errors of angle, and work memory.

    `wrong_directions` writes the first n elements of each array for n beams. All arrays are float64
    (BLOCK,).

    Attributes
    ----------
    x, y, z : float64 (BLOCK,)
        Components of the unit vectors, in the sensor frame.
    across : float64 (BLOCK,)
        Work: cosine of the elevation, with its error.
    cosine, sine : float64 (BLOCK,)
        Work: cosine and sine of the error of one angle.
    turn, rise : float64 (BLOCK,)
        Work: errors of azimuth and of elevation, in standard deviations.
    """

    x: object  # these three are the unit vectors
    y: object
    z: object
    across: object  # cosine of the elevation, with its error
    cosine: object  # of an angle's error
    sine: object  # of the same error
    turn: object  # error of the azimuth, in standard deviations
    rise: object  # error of the elevation, in standard deviations


@njit(cache=True, nogil=True, alone=True)
def new_turned():
    """Return `Turned` for a block of beams, with values yet to be set."""
    return Turned(
        np.empty(BLOCK), np.empty(BLOCK), np.empty(BLOCK), np.empty(BLOCK),
        np.empty(BLOCK), np.empty(BLOCK), np.empty(BLOCK), np.empty(BLOCK),
    )  # fmt: skip


@njit(cache=True, nogil=True, alone=True)
def take_angles(
    # In:
    angles,  # float64 (4, n_beam), see wrong_directions
    index,  # uint32 (n,) indices of some beams
    # Out:
    taken_out,  # float64 (4, n | more)
):
    """Copy the angles of some beams from ``angles`` to ``taken_out``.

    Parameters
    ----------
    angles : float64 (4, n_beam)
        Of each beam, in rows: cosine and sine of the azimuth, cosine and sine of the elevation.
    index : uint32 (n,)
        Columns of ``angles`` to copy.
    taken_out : float64 (4, n or more)
        Output: the same rows, a column for each entry of ``index``; further columns are not
        written.
    """
    for row in range(4):
        for i in range(len(index)):
            taken_out[row, np.uint64(i)] = angles[row, np.uint64(index[np.uint64(i)])]


@njit(cache=True, nogil=True, error_model="numpy", alone=True)
def cosines_and_sines(
    # In:
    sigma_rad,  # standard deviation of the errors
    drawn,  # float64 (n | more,) errors, in standard deviations
    n,
    # Out:
    cosine_out,  # float64 (n | more,)
    sine_out,  # float64 (n | more,)
):
    """Write cosine and sine of n random angular errors to ``cosine_out`` and ``sine_out``.

    An error is ``sigma_rad * drawn[i]``. Most errors are small and need only a series.

    Parameters
    ----------
    sigma_rad : float
        Standard deviation of the errors. [rad]
    drawn : float64 (n or more,)
        Errors, in standard deviations.
    n : int
        Number of errors.
    cosine_out, sine_out : float64 (n or more,)
        Output: the first n elements are written.
    """
    n_large = 0
    for i in range(n):
        n_large += abs(sigma_rad * drawn[np.uint64(i)]) > SMALL_RAD
    for i in range(n):
        at = np.uint64(i)
        cosine_out[at], sine_out[at] = small_cosine_and_sine(sigma_rad * drawn[at])
    if n_large > 0:
        for i in range(n):
            angle = sigma_rad * drawn[i]
            if abs(angle) > SMALL_RAD:
                cosine_out[i], sine_out[i] = math.cos(angle), math.sin(angle)


@njit(cache=True, nogil=True, alone=True)
def wrong_directions(
    # In:
    settings,  # see noise_kernels.NoiseSettings
    stream,  # see random_kernels.uniform_pairs
    angles,  # float64 (4, n | more) cosine and sine of a beam's azimuth, and of its elevation
    index,  # uint32 (n | more,) indices of the beams
    n,  # number of beams
    # Work:
    redraw,  # see random_kernels.Redraw
    # In and out:
    turned,  # work memory and unit vectors, see Turned
):
    """Write the unit vectors of n beams with random errors of azimuth and elevation to ``turned``.

    Parameters
    ----------
    settings : NoiseSettings
        Errors of the sensor; ``azimuth_sigma_rad`` and ``elevation_sigma_rad`` are used.
    stream : tuple of four uint64
        Key and time of the random numbers, `Draws.stream`.
    angles : float64 (4, n or more)
        Of each beam without errors, in rows: cosine and sine of the azimuth, then of the elevation.
    index : uint32 (n or more,)
        Indices of the beams in the pattern, which select their random numbers.
    n : int
        Number of beams.
    redraw : Redraw
        Work memory of `gaussian_pairs`.
    turned : Turned
        Output: the first n elements of ``x``, ``y``, ``z``; the other arrays are work memory.
    """
    x, y, z, across, cosine, sine, turn, rise = turned
    gaussian_pairs(stream, LINE_OF_SIGHT, index, n, redraw, turn, rise)
    cosines_and_sines(settings.elevation_sigma_rad, rise, n, cosine, sine)
    add_angles(angles[2], angles[3], cosine, sine, n, across, z)
    cosines_and_sines(settings.azimuth_sigma_rad, turn, n, cosine, sine)
    add_angles(angles[0], angles[1], cosine, sine, n, x, y)
    for i in range(n):
        at = np.uint64(i)
        x[at] *= across[at]
        y[at] *= across[at]


@njit(cache=True, nogil=True, alone=True)
def add_angles(one_cos, one_sin, other_cos, other_sin, n, cos_out, sin_out):
    """Write cosines and sines of n sums of two angles, from the cosines and sines of both.

    Parameters
    ----------
    one_cos, one_sin, other_cos, other_sin : float64 (n or more,)
        Cosines and sines of the first angles, and of the second ones.
    n : int
        Number of sums.
    cos_out, sin_out : float64 (n or more,)
        Output: the first n elements are written. They must be other arrays than the inputs.
    """
    for i in range(n):
        at = np.uint64(i)
        cos_out[at] = one_cos[at] * other_cos[at] - one_sin[at] * other_sin[at]
    for i in range(n):
        at = np.uint64(i)
        sin_out[at] = one_sin[at] * other_cos[at] + one_cos[at] * other_sin[at]


@njit(cache=True, nogil=True, threads=True)
def aim(
    # Sensor:
    settings,  # see noise_kernels.NoiseSettings
    angles,  # float64 (4, n_beam), see wrong_directions
    # In:
    stream,  # see random_kernels.uniform_pairs
    n_workers,
    # Out:
    direction_out,  # float32 (3, n_beam)
):
    """Write the directions of all beams with random errors of azimuth and elevation.

    Parameters
    ----------
    settings : NoiseSettings
        Errors of the sensor; ``azimuth_sigma_rad`` and ``elevation_sigma_rad`` are used.
    angles : float64 (4, n_beam)
        Of each beam without errors, in rows: cosine and sine of the azimuth, then of the elevation.
    stream : tuple of four uint64
        Key and time of the random numbers, `Draws.stream`.
    n_workers : int
        Number of threads.
    direction_out : float32 (3, n_beam)
        Output: unit vectors in the sensor frame; all are written.
    """
    in_threads(_aim_blocks, n_workers, (new_deal(), settings, angles, stream, direction_out))


@njit(cache=True, nogil=True, alone=True)
def _aim_blocks(deal, settings, angles, stream, direction_out):
    """Turn the beams of one block after the other; the arguments as for `aim`."""
    n_beams = direction_out.shape[1]
    redraw, turned = new_redraw(), new_turned()
    index = np.empty(BLOCK, np.uint32)
    while True:
        first = take_block(deal) * BLOCK
        if first >= n_beams:
            break
        n = min(BLOCK, n_beams - first)
        for i in range(n):
            index[np.uint64(i)] = first + i
        wrong_directions(settings, stream, angles[:, first : first + n], index, n, redraw, turned)
        for i in range(n):
            at, beam = np.uint64(i), np.uint64(first + i)
            direction_out[0, beam] = turned.x[at]
            direction_out[1, beam] = turned.y[at]
            direction_out[2, beam] = turned.z[at]
