# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Compiled kernels of points: their angles, and copies of chosen points.

Points are processed in blocks; each thread takes one block after the other. The coordinates of a
block are copied to separate arrays, so that the compiler makes vector instructions of the loops.
"""

from __future__ import annotations

import math

import numpy as np

from lidar_base.block_kernels import BLOCK, in_threads, new_deal, take_block
from lidar_base.compiled import njit
from lidar_base.math_kernels import write_angles
from lidar_base.memory_kernels import copy_memory, record_at, running_total
from osi_lidar.clouds.row_kernels import XYZ


@njit(cache=True, nogil=True, threads=True)
def to_spherical(
    # In:
    points,  # uint8 (n_point, n_byte) rows that begin with XYZ [m]
    n_workers,
    # Out:
    distance_out,  # float64 (n_point,) [m]
    azimuth_out,  # float64 (n_point,) [rad]
    elevation_out,  # float64 (n_point,) [rad]
):
    """Write the distance, azimuth and elevation of points, seen from the sensor's origin.

    Parameters
    ----------
    points : uint8 (n_point, n_byte)
        Memory of the points, a row for each; it begins with float32 x y z. [m, sensor frame]
    n_workers : int
        Number of threads that share the work.
    distance_out : float64 (n_point,)
        Output: distance of each point from the origin; every entry is written. [m]
    azimuth_out, elevation_out : float64 (n_point,)
        Output: azimuth, counter-clockwise from x, and elevation, upwards from the xy plane, of each
        point; every entry is written. [rad]
    """
    in_threads(
        _to_spherical_blocks,
        n_workers,
        (
            new_deal(), points, distance_out, azimuth_out, elevation_out,
        ),
    )  # fmt: skip


@njit(cache=True, nogil=True, error_model="numpy")
def _to_spherical_blocks(deal, points, distance_out, azimuth_out, elevation_out):
    """Process one block of points after the other; the arguments as for `to_spherical`."""
    x, y, z, across = np.empty((4, BLOCK))
    points_at, size = points.ctypes.data, points.shape[1]
    while True:
        first = take_block(deal) * BLOCK
        if first >= len(points):
            break
        n = min(BLOCK, len(points) - first)
        for i in range(n):
            point = record_at(points_at + (first + i) * size, XYZ)
            x[i], y[i], z[i] = point.x, point.y, point.z
        for i in range(n):
            row = np.uint64(i)
            across[row] = math.sqrt(x[row] * x[row] + y[row] * y[row])
        distance = distance_out[first : first + n]
        for i in range(n):
            row = np.uint64(i)
            distance[row] = math.sqrt(across[row] * across[row] + z[row] * z[row])
        write_angles(y, x, n, azimuth_out[first : first + n])
        write_angles(z, across, n, elevation_out[first : first + n])


@njit(cache=True, nogil=True, threads=True)
def count_chosen(
    # In:
    chosen,  # bool (n_row,)
    n_workers,
    # Out:
    start_out,  # int64 (n_block + 1,) number of chosen rows in all earlier blocks
):
    """Count the True values of a Boolean array before each block of `BLOCK` rows (1024).

    Parameters
    ----------
    chosen : bool (n_row,)
        The array: True for each row to count.
    n_workers : int
        Number of threads that share the work.
    start_out : int64 (n_block + 1,)
        Output: the number of True values before each block; the last entry is the number of all
        True values. Every entry is written. n_block is n_row / 1024, rounded up.
    """
    count = np.zeros(len(start_out) - 1, np.int64)
    in_threads(_count_blocks, n_workers, (new_deal(), chosen, count))
    running_total(count, start_out)


@njit(cache=True, nogil=True)
def _count_blocks(deal, chosen, count_out):
    """Count the chosen rows of one block after the other."""
    while True:
        block = take_block(deal)
        if block >= len(count_out):
            break
        first = block * BLOCK
        n = 0
        for row in range(first, min(first + BLOCK, len(chosen))):
            n += chosen[np.uint64(row)]
        count_out[block] = n


@njit(cache=True, nogil=True, threads=True)
def copy_chosen(
    # In:
    chosen,  # bool (n_row,)
    start,  # see count_chosen
    rows,  # uint8 (n_row, n_byte)
    n_workers,
    # Out:
    rows_out,  # uint8 (n_chosen, n_byte)
):
    """Copy the chosen rows of a table to another array, in their order.

    Parameters
    ----------
    chosen : bool (n_row,)
        True for each row to copy; n_chosen is the number of True values.
    start : int64 (n_block + 1,)
        Number of chosen rows before each block of 1024 rows, as `count_chosen` writes it.
    rows : uint8 (n_row, n_byte)
        Memory of the table, a row for each of its rows.
    n_workers : int
        Number of threads that share the work.
    rows_out : uint8 (n_chosen, n_byte)
        Output: the chosen rows; every entry is written.
    """
    in_threads(_copy_blocks, n_workers, (new_deal(), chosen, start, rows, rows_out))


@njit(cache=True, nogil=True)
def _copy_blocks(deal, chosen, start, rows, rows_out):
    """Copy one block after the other; the arguments as for `copy_chosen`."""
    size = rows.shape[1]
    while True:
        block = take_block(deal)
        if block >= len(start) - 1:
            break
        at = start[block]
        row, end = block * BLOCK, min((block + 1) * BLOCK, len(chosen))
        while row < end:
            if not chosen[row]:
                row += 1
                continue
            first = row
            while row < end and chosen[row]:
                row += 1
            target, source = rows_out.ctypes.data + at * size, rows.ctypes.data + first * size
            copy_memory(target, source, (row - first) * size)
            at += row - first
