# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Compiled kernels of cells of azimuth and elevation, into which beams are sorted.

For each body only beams near its direction are tested. If the sensor moves, a column of cells is
tested with the poses from which its beams are fired.
"""

from __future__ import annotations

import math
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from lidar_base.compiled import njit
from osi_lidar.scan.media.chords.body_kernels import in_sensor

Floats: TypeAlias = NDArray[np.float64]
Float32s: TypeAlias = NDArray[np.float32]
Uint32s: TypeAlias = NDArray[np.uint32]
Int64s: TypeAlias = NDArray[np.int64]

SLACK_RAD = 1e-5
"""The cone around a body is wider by this angle, because directions are float32. [rad]"""


class BeamCells(NamedTuple):
    """Beams sorted into a grid of cells over azimuth (columns) and elevation (rows).

    The sorted beams are ordered by column, and within a column by row, from the lowest row up.
    Angles and vectors are in the sensor frame.

    Attributes
    ----------
    axis : float32 (3, n_beam + N_LANES)
        Unit vectors of the sorted beams, then zeros.
    beam : uint32 (n_beam,)
        Index of each sorted beam in the scan pattern.
    start : int64 (n_column * n_row + 1,)
        Index of the first sorted beam of each cell, then n_beam.
    forward : float64 (n_column, 2)
        Cosine and sine of the azimuth of each column's middle.
    n_row : int
        Number of cells in a column.
    lowest_rad : float
        Elevation at which the first row begins. [rad]
    cell_rad : float
        Height and width of a cell; the first column begins at azimuth -pi. [rad]
    """

    axis: Float32s  # (3, n_beam and some more) unit vectors of the sorted beams
    beam: Uint32s  # (n_beam,) index of each sorted beam in the pattern
    start: Int64s  # (n_column * n_row + 1,) first sorted beam of each cell, then n_beam
    forward: Floats  # (n_column, 2) cosine and sine of the azimuth of each column's middle
    n_row: int  # number of cells in a column
    lowest_rad: float  # elevation at which the first row begins
    cell_rad: float  # height and width of a cell; the first column begins at azimuth -pi


class Sight(NamedTuple):
    """Poses, beam origins and range of a sensor during a scan, for the search for bodies.

    Attributes
    ----------
    world_from_sensor : float64 (n_pose, 4, 4)
        Poses of the sensor in the world, in the order of time. [m]
    moment : uint32 (n_beam | 1,)
        Row of the pose from which each beam is fired; a single row for all beams.
    origin_m : float32 (n_beam | 1, 3)
        Start of each beam in the sensor frame; a single row for all beams. [m]
    max_range_m : float
        Farthest range at which bodies count. [m]
    fired : int64 (n_column, 2)
        First and last pose from which the beams of each column of cells are fired, see
        `poses_of_columns`.
    reach_m : float
        Largest distance of a beam's start from the sensor's origin. [m]
    middle : int
        Row of the pose in the middle of the scan.
    apart_m, apart_rad : float
        Largest distance [m] and largest rotation [rad] of another pose from the middle one.
    step_m, step_rad : float
        Largest distance [m] and largest rotation [rad] from a pose to the next.
    """

    world_from_sensor: Floats  # (n_pose, 4, 4)
    moment: Uint32s  # (n_beam | 1,) pose of each beam
    origin_m: Float32s  # (n_beam | 1, 3) starts of beams in the sensor frame
    max_range_m: float  # chords end at this range
    fired: Int64s  # (n_column, 2), see poses_of_columns
    reach_m: float  # largest distance of a start from the sensor's origin
    middle: int  # index of the pose in the middle of the scan
    apart_m: float  # largest distance of another pose from the middle one
    apart_rad: float  # largest rotation between another pose and the middle one
    step_m: float  # largest distance from a pose to the next
    step_rad: float  # largest rotation from a pose to the next


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def _columns(place, radius_m, turned_rad):
    """Return azimuth and half width of a sphere whose direction is uncertain by ``turned_rad``."""
    x, y, z = place
    level = math.sqrt(x * x + y * y)
    distance, azimuth = math.sqrt(level * level + z * z), math.atan2(y, x)
    if radius_m >= distance:
        return azimuth, math.pi
    half = math.asin(radius_m / distance) + turned_rad + SLACK_RAD
    if math.atan2(abs(z), level) + half >= 0.5 * math.pi:  # a pole is inside
        return azimuth, math.pi
    return azimuth, math.asin(math.sin(half) * distance / level) + SLACK_RAD


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def is_beside(place, radius_m, turned_rad, forward, half_cell_rad):
    """Return whether no beam of a column of cells can meet a sphere: it is beside or behind them.

    If a beam meets the sphere, its point nearest to the centre is at most the radius away from the
    centre, and at most half of the column's width away from the vertical plane in the column's
    middle.

    Parameters
    ----------
    place : (x, y, z)
        Centre of the sphere, in the frame of one sensor pose. [m]
    radius_m : float
        Radius of the sphere. [m]
    turned_rad : float
        Largest angle by which a beam may be turned from this frame, because it is fired from
        another pose. [rad]
    forward : (float, float)
        Cosine and sine of the azimuth of the column's middle.
    half_cell_rad : float
        Half of the column's width. [rad]
    """
    cosine, sine = forward
    x, y, z = place
    level = math.sqrt(x * x + y * y)
    radius_m += (turned_rad + SLACK_RAD) * math.sqrt(level * level + z * z)
    width_m = half_cell_rad * (level + radius_m)
    return abs(y * cosine - x * sine) > radius_m + width_m or x * cosine + y * sine < -radius_m


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def rows_covered(cells, place, radius_m, turned_rad):
    """Return the first and the last row of cells that a sphere may cover; first > last if none.

    Parameters
    ----------
    cells : BeamCells
        The grid of cells.
    place : (x, y, z)
        Centre of the sphere, in the frame of one sensor pose. [m]
    radius_m : float
        Radius of the sphere. If the frame's origin is inside, all rows are covered. [m]
    turned_rad : float
        Largest angle by which a beam may be turned from this frame. [rad]
    """
    x, y, z = place
    level = math.sqrt(x * x + y * y)
    distance = math.sqrt(level * level + z * z)
    if radius_m >= distance:
        return 0, cells.n_row - 1
    half = math.asin(radius_m / distance) + turned_rad + SLACK_RAD
    middle = math.atan2(z, level) - cells.lowest_rad
    first = np.int64(math.floor((middle - half) / cells.cell_rad))
    last = np.int64(math.floor((middle + half) / cells.cell_rad))
    return max(first, 0), min(last, cells.n_row - 1)


@njit(cache=True, nogil=True)
def poses_of_columns(
    # In:
    cells,  # see BeamCells
    moment,  # uint32 (n_beam | 1,) pose of each beam
    # Out:
    fired_out,  # int64 (n_column, 2) first and last pose; first > last if there are no beams
):
    """Find the first and the last sensor pose from which the beams of each column are fired.

    ``cells`` is `BeamCells`; ``moment`` has the index of each beam's pose, uint32 (n_beam,), or
    (1,) for all beams. The two pose indices of each column are written to ``fired_out``, int64
    (n_column, 2). If ``moment`` has more than one row, the first is larger than the second for a
    column without beams.
    """
    for column in range(len(fired_out)):
        first, last = np.int64(moment[0]), np.int64(moment[0])
        if len(moment) > 1:
            first, last = np.int64(1 << 32), np.int64(-1)
            begin, end = column * cells.n_row, (column + 1) * cells.n_row
            for row in range(cells.start[begin], cells.start[end]):
                pose = np.int64(moment[cells.beam[row]])
                first, last = min(first, pose), max(last, pose)
        fired_out[column, 0], fired_out[column, 1] = first, last


@njit(cache=True, nogil=True, error_model="numpy")
def columns_of_bodies(
    # In:
    cells,  # see BeamCells
    sight,  # see Sight
    bodies,  # see bodies.BodyArrays
    order,  # int64 (n,) indices of the bodies
    # Out:
    columns_out,  # int64 (n, 2) first column that each may cover, and number of columns
):
    """Find the columns of cells that bodies may cover, as seen from any pose of the scan.

    Parameters
    ----------
    cells : BeamCells
        The grid of cells, into which the beams are sorted.
    sight : Sight
        Poses of the sensor during the scan.
    bodies : BodyArrays
        Bodies of spray or dust in the world.
    order : int64 (n,)
        Indices of the bodies to look at.
    columns_out : int64 (n, 2)
        Output, all rows: for each entry of ``order``, index of the first column, and number of
        columns. Columns wrap around after the last one.
    """
    n_column = len(sight.fired)
    for k in range(len(order)):
        center_m = bodies.center_m[order[k]]
        place = in_sensor(sight.world_from_sensor, sight.middle, center_m)
        radius_m = bodies.radius_m[order[k]] + sight.reach_m + sight.apart_m
        middle, aside = _columns(place, radius_m, sight.apart_rad)
        begin = np.int64(math.floor((middle - aside + math.pi) / cells.cell_rad))
        last = np.int64(math.floor((middle + aside + math.pi) / cells.cell_rad))
        columns_out[k, 0], columns_out[k, 1] = begin % n_column, min(last - begin + 1, n_column)
