# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The search for chords, scan by scan."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from lidar_base.block_kernels import workers
from lidar_base.buffers import Buffers
from lidar_base.columns import Column, check_columns
from lidar_base.compiled import as_read_only, read_only
from lidar_base.lane_kernels import N_LANES
from osi_lidar.scan.media.chords.cell_kernels import (
    BeamCells,
    Float32s,
    Int64s,
    Sight,
    Uint32s,
    columns_of_bodies,
    poses_of_columns,
)
from osi_lidar.scan.media.chords.chord_kernels import ChordRows, Search, find_chords

if TYPE_CHECKING:
    from lidar_scenery.weather.bodies import Bodies, BodyArrays

Floats: TypeAlias = NDArray[np.float64]

BEAMS_OF_CELL = 8
"""Mean number of beams in a cell of azimuth and elevation.

It would be exact if beams filled all directions between the lowest and the highest elevation
evenly."""
FEWEST_COLUMNS = 8
"""Smallest number of columns of cells, which divide the full turn of azimuth evenly.

With so many columns, each beam of a column points within 90 deg of the column's middle azimuth."""
FEWEST_ROWS = 1 << 13
"""Number of chords for which memory is allocated at first."""
_WHOLE, _FLOAT = (np.int64, np.int64), (np.float32, np.float32)
_KINDS = *_WHOLE, np.float64, np.float64, np.float32, np.uint32, *_FLOAT  # of ChordRows


@dataclass(frozen=True, slots=True, kw_only=True)
class Chords:
    """The chords of a scan: the parts of its beams that lie inside bodies of dust or spray.

    The chords of a beam are adjacent rows, ordered from near to far. Which beam comes first is not
    defined, nor is the content of unused rows.

    Attributes
    ----------
    first_of_beam, end_of_beam : int64 (n_beam,)
        The chords of beam i are the rows ``first_of_beam[i]`` to ``end_of_beam[i] - 1``.
    depth : float64 (n_beam,)
        Sum of the optical depths of a beam's chords. [1]
    back : float64 (n_beam,)
        Sum of backscatter times length over a beam's chords. [1/sr]
    end_m : float32 (n_beam,)
        Range behind which the beam has no chord; 0 if it has none at all. [m]
    body : uint32 (n,)
        Index of the body of each chord.
    near_m, far_m : float32 (n,)
        Ranges at which the beam enters and leaves the body. [m]
    """

    first_of_beam: Annotated[Int64s, Column("i8", ("n_beam",), "", "row of a beam's first chord")]
    end_of_beam: Annotated[Int64s, Column("i8", ("n_beam",), "", "row behind its last one")]
    depth: Annotated[Floats, Column("f8", ("n_beam",), "", "optical depth of all its chords")]
    back: Annotated[Floats, Column("f8", ("n_beam",), "1/sr", "their backscatter times length")]
    end_m: Annotated[Float32s, Column("f4", ("n_beam",), "m", "range behind which there is none")]
    body: Annotated[Uint32s, Column("u4", ("n",), "", "row of the body")]
    near_m: Annotated[Float32s, Column("f4", ("n",), "m", "range at which the beam enters it")]
    far_m: Annotated[Float32s, Column("f4", ("n",), "m", "range at which the beam leaves it")]

    def __post_init__(self) -> None:
        check_columns(self)

    def __len__(self) -> int:
        return int((self.end_of_beam - self.first_of_beam).sum())


class SensorMotion(NamedTuple):
    """The poses of a sensor during a scan.

    Attributes
    ----------
    world_from_sensor : float64 (n_pose, 4, 4)
        Poses of the sensor in the world, in the order of time. [m]
    moment : uint32 (n_beam,) or (1,)
        Row of the pose from which each beam is fired; a single row for all beams.
    """

    world_from_sensor: Floats
    moment: Uint32s


class BeamDirections:
    """Finds where the beams of a sensor pass through bodies of dust or spray; not thread-safe.

    The beams are sorted by direction once. For each scan, `chords` takes the bodies and tests each
    only against the beams near its direction.

    Parameters
    ----------
    axis : float32 (3, n_beam)
        Unit vectors along the beams, in the sensor frame. Do not change this array afterwards.
    """

    def __init__(self, axis: Float32s) -> None:
        self.axis = axis
        self._cells, self._n_column = _cells_of(axis)
        self._buffers = Buffers()
        self._n_row = FEWEST_ROWS

    def chords(
        self,
        bodies: Bodies,
        motion: SensorMotion,
        *,
        origin_m: Float32s,
        max_range_m: float,
        backscatter: Float32s,
    ) -> Chords:
        """Return the chords of the beams: where they pass through bodies.

        Parameters
        ----------
        bodies : Bodies
            The bodies, at their places at one moment.
        motion : SensorMotion
            Poses of the sensor.
        origin_m : float32 (n_beam, 3) or (1, 3)
            Start of each beam or of all of them, in the sensor frame. [m]
        max_range_m : float
            Range at which chords end. [m]
        backscatter : float32 (n_body,)
            Backscatter of each body, at the sensor's wavelength. [1/(m sr)]

        Notes
        -----
        A beam that starts inside a body enters it at 0.
        """
        fired = np.empty((self._n_column, 2), np.int64)
        moment = read_only(np.ascontiguousarray(motion.moment))
        poses_of_columns(self._cells, moment, fired)
        sight = _sight(motion, fired, origin_m, max_range_m)
        arrays, order = bodies.arrays, _by_distance(bodies.arrays, sight)
        columns = np.empty((len(order), 2), np.int64)
        columns_of_bodies(self._cells, sight, arrays, order, columns)
        extinction = bodies.extinction_per_m.astype(np.float32)
        weights = read_only(extinction), read_only(np.ascontiguousarray(backscatter))
        search = Search(self._cells, sight, arrays, order, columns, *weights)
        return Chords(**self._found(search)._asdict())

    def _found(self, search: Search) -> ChordRows:
        """Return the chords, in memory that is large enough."""
        while True:
            taken, n, n_beam = np.zeros(1, np.int64), self._n_row, self.axis.shape[1]
            kinds = zip((n_beam,) * 5 + (n,) * 3, _KINDS, strict=True)
            rows = ChordRows._make(self._buffers.several(*kinds))
            find_chords(search, workers(), taken, rows)
            if taken[0] <= n:
                return rows
            self._n_row = int(taken[0]) + int(taken[0]) // 4


def _cells_of(axis: Float32s) -> tuple[BeamCells, int]:
    """Return beams in the order of their cells, and the number of columns."""
    x, y, z = axis.astype(np.float64)
    azimuth, elevation = np.arctan2(y, x), np.arctan2(z, np.hypot(x, y))
    lowest_rad, highest_rad = float(elevation.min()), float(elevation.max())
    height_rad, share = highest_rad - lowest_rad, 2.0 * math.pi * BEAMS_OF_CELL / len(x)
    wished = int(2.0 * math.pi / max(share, math.sqrt(share * height_rad)))
    n_column = max(wished, FEWEST_COLUMNS)
    cell_rad = 2.0 * math.pi / n_column
    n_row = int(height_rad / cell_rad) + 1
    row = ((elevation - lowest_rad) / cell_rad).astype(np.int64)
    column = ((azimuth + math.pi) / cell_rad).astype(np.int64) % n_column
    cell = n_row * column + row
    beam = np.argsort(cell, kind="stable").astype(np.uint32)
    start = np.zeros(n_column * n_row + 1, np.int64)
    np.cumsum(np.bincount(cell, minlength=n_column * n_row), out=start[1:])
    middle = (np.arange(n_column) + 0.5) * cell_rad - math.pi
    forward = np.stack([np.cos(middle), np.sin(middle)], axis=1)
    sorted_axis = np.zeros((3, len(beam) + N_LANES), np.float32)  # read by so many at once
    sorted_axis[:, : len(beam)] = axis[:, beam]
    cells = BeamCells(
        axis=sorted_axis,
        beam=beam,
        start=start,
        forward=forward,
        n_row=n_row,
        lowest_rad=lowest_rad,
        cell_rad=cell_rad,
    )
    return as_read_only(cells), n_column


def _sight(motion: SensorMotion, fired: Int64s, origin_m: Float32s, max_range_m: float) -> Sight:
    """Return the `Sight` of a sensor, with the extent of its motion during the scan."""
    poses = motion.world_from_sensor
    middle = len(poses) // 2
    apart_m, apart_rad = _apart(poses, poses[middle])
    step_m, step_rad = _apart(poses[1:], poses[:-1])
    start_m = origin_m.astype(np.float64)
    sight = Sight(
        world_from_sensor=np.ascontiguousarray(poses),
        moment=np.ascontiguousarray(motion.moment),
        origin_m=np.ascontiguousarray(origin_m),
        max_range_m=float(max_range_m),
        fired=fired,
        reach_m=math.sqrt(float((start_m * start_m).sum(axis=1).max())),
        middle=middle,
        apart_m=apart_m,
        apart_rad=apart_rad,
        step_m=step_m,
        step_rad=step_rad,
    )
    return as_read_only(sight)


def _apart(poses: Floats, others: Floats) -> tuple[float, float]:
    """Return the largest distance [m] and angle [rad] between poses and the other poses.

    The norm of the difference of two rotations is 2 sqrt(2) sin(angle / 2).
    """
    if not len(poses):
        return 0.0, 0.0
    difference = poses[:, :3] - others[..., :3, :]
    apart_m, norm = (
        math.sqrt(float((part * part).sum(axis=(1, 2)).max()))
        for part in (difference[:, :, 3:], difference[:, :, :3])
    )
    return apart_m, 2.0 * math.asin(min(norm / math.sqrt(8.0), 1.0))


def _by_distance(arrays: BodyArrays, sight: Sight) -> Int64s:
    """Return the bodies that are not beyond the range, the nearest first."""
    at_m = sight.world_from_sensor[sight.middle, :3, 3]
    away_m = np.linalg.norm(arrays.center_m - at_m, axis=1) - arrays.radius_m
    order: Int64s = np.argsort(away_m, kind="stable")
    reach_m = sight.max_range_m + sight.reach_m + sight.apart_m
    return order[: np.searchsorted(away_m[order], reach_m)]
