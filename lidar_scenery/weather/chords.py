# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Chords: the part of each beam that lies in a body of spray or dust."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, NamedTuple

import numpy as np

from lidar_base.block_kernels import workers
from lidar_base.buffers import Buffers
from lidar_base.columns import Column, check_columns
from lidar_base.compiled import read_only
from lidar_scenery.weather.chord_kernels import (
    TASK_COLUMNS,
    BeamCells,
    ChordRows,
    Float32s,
    Int64s,
    Pairs,
    Search,
    Sight,
    Uint32s,
    columns_of_bodies,
    find_pairs,
    poses_of_columns,
    rows_of_beams,
)

if TYPE_CHECKING:
    from lidar_scenery.weather.bodies import Bodies
    from lidar_scenery.weather.body_kernels import BodyArrays, Floats

BEAMS_OF_CELL = 8
"""Mean number of beams in a cell, if they stood in all directions between the outer rings."""
FEWEST_COLUMNS = 8
"""Columns of cells at least: beams of one are in front of its middle, not behind."""
FEWEST_PAIRS = 1 << 12
"""Pairs of each thread for which memory is taken at first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Chords:
    """Where beams pass through bodies, those of a beam one after the other from near to far."""

    first_of_beam: Annotated[
        Int64s, Column("i8", ("n_beam_and_1",), "", "row of a beam's first chord; the end at last")
    ]
    body: Annotated[Uint32s, Column("u4", ("n",), "", "row of the body")]
    near_m: Annotated[Float32s, Column("f4", ("n",), "m", "range at which the beam enters it")]
    far_m: Annotated[Float32s, Column("f4", ("n",), "m", "range at which the beam leaves it")]

    def __post_init__(self) -> None:
        check_columns(self)

    def __len__(self) -> int:
        return len(self.body)


class SensorMotion(NamedTuple):
    """Where a sensor is during a scan.

    Attributes
    ----------
    world_from_sensor : float64 (n_pose, 4, 4)
        Its poses, in the order of time.
    moment : uint32 (n_beam,) or (1,)
        Row of the pose in which each beam is fired, or that of all beams.
    """

    world_from_sensor: Floats
    moment: Uint32s


class BeamDirections:
    """The beams of a pattern, sorted by their directions; for one thread at a time.

    Parameters
    ----------
    axis : float32 (3, n_beam)
        Unit vectors along the beams, in the sensor frame. It must stay as it is.
    """

    def __init__(self, axis: Float32s) -> None:
        self.axis = axis
        self._cells, self._n_column = _cells_of(axis)
        self._buffers = Buffers()
        none = np.empty(0, np.uint32), np.empty(0, np.uint32)
        nowhere = np.empty(0, np.float32), np.empty(0, np.float32)
        n_of_beam, n_task = np.zeros(axis.shape[1], np.uint32), -(-self._n_column // TASK_COLUMNS)
        of_task, n_of_worker = np.empty((n_task, 2), np.int64), np.empty(workers(), np.int64)
        pairs = Pairs(*none, *nowhere, n_of_beam, of_task, n_of_worker)
        self._pairs = _with_room(pairs, FEWEST_PAIRS * workers())

    def chords(
        self, bodies: Bodies, motion: SensorMotion, *, origin_m: Float32s, max_range_m: float
    ) -> Chords:
        """Return where the beams pass through bodies.

        Parameters
        ----------
        bodies : Bodies
            At their places of one moment.
        motion : SensorMotion
            Poses of the sensor.
        origin_m : float32 (n_beam, 3) or (1, 3)
            Start of each beam or of all of them, in the sensor frame. [m]
        max_range_m : float
            Range at which chords end. [m]

        Notes
        -----
        A beam that starts inside a body enters it at 0.
        """
        fired = np.empty((self._n_column, 2), np.int64)
        moment = read_only(np.ascontiguousarray(motion.moment))
        poses_of_columns(self._cells, moment, fired)
        sight = _sight(motion, fired, origin_m, max_range_m)
        n = self._find(bodies.arrays, sight)
        first = self._buffers.empty(self.axis.shape[1] + 1, np.int64)
        columns = (np.uint32, np.float32, np.float32)
        rows = ChordRows._make(self._buffers.empty(n, kind) for kind in columns)
        rows_of_beams(self._cells, workers(), self._pairs, first, rows)
        return Chords(first_of_beam=first, **rows._asdict())

    def _find(self, arrays: BodyArrays, sight: Sight) -> int:
        """Find all pairs; return how many there are."""
        order = _by_distance(arrays, sight)
        columns = np.empty((len(order), 2), np.int64)
        columns_of_bodies(self._cells, sight, arrays, order, columns)
        search = Search(self._cells, sight, arrays, order, columns)
        while True:
            self._pairs.n_of_beam[:] = 0
            if len(self._pairs.n_of_worker) != workers():
                self._pairs = self._pairs._replace(n_of_worker=np.empty(workers(), np.int64))
            find_pairs(search, workers(), self._pairs)
            most, n = self._pairs.n_of_worker.max(), int(self._pairs.n_of_worker.sum())
            if most <= len(self._pairs.beam) // workers():
                return n
            # for each worker, because it may do any of the tasks
            self._pairs = _with_room(self._pairs, (n + n // 4) * workers())


def _with_room(pairs: Pairs, n: int) -> Pairs:
    """Return pairs with new memory."""
    beam, body = np.empty((2, n), np.uint32)
    near_m, far_m = np.empty((2, n), np.float32)
    return pairs._replace(beam=beam, body=body, near_m=near_m, far_m=far_m)


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
    sorted_axis = np.ascontiguousarray(axis.T[beam])
    cells = BeamCells(
        axis=read_only(sorted_axis),
        beam=read_only(beam),
        start=read_only(start),
        forward=read_only(forward),
        n_row=n_row,
        lowest_rad=lowest_rad,
        cell_rad=cell_rad,
    )
    return cells, n_column


def _sight(motion: SensorMotion, fired: Int64s, origin_m: Float32s, max_range_m: float) -> Sight:
    """Return how a sensor looks at bodies, with the extent of its motion."""
    poses = motion.world_from_sensor
    middle = len(poses) // 2
    apart_m, apart_rad = _apart(poses, poses[middle])
    step_m, step_rad = _apart(poses[1:], poses[:-1])
    start_m = origin_m.astype(np.float64)
    return Sight(
        world_from_sensor=read_only(np.ascontiguousarray(poses)),
        moment=read_only(np.ascontiguousarray(motion.moment)),
        origin_m=read_only(np.ascontiguousarray(origin_m)),
        max_range_m=float(max_range_m),
        fired=read_only(fired),
        reach_m=math.sqrt(float((start_m * start_m).sum(axis=1).max())),
        middle=middle,
        apart_m=apart_m,
        apart_rad=apart_rad,
        step_m=step_m,
        step_rad=step_rad,
    )


def _apart(poses: Floats, others: Floats) -> tuple[float, float]:
    """Return the largest distance of poses from others [m], and the largest angle [rad].

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
