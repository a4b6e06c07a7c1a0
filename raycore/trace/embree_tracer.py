# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The tracer that uses Embree: it traces packets of rays, where possible only changed ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from lidar_base.block_kernels import BLOCK, workers
from lidar_base.dirty_blocks import DirtyBlocks
from raycore.records import NOTHING, HitArrays, Hits
from raycore.scene.changes import gathered
from raycore.trace.arguments import ChangedRegion, SceneArrays, ShotArrays
from raycore.trace.cones import NO_CONES, box_cones, packet_cones
from raycore.trace.packet_kernels import packet_lanes
from raycore.trace.trace_kernels import trace_packets

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from raycore.records import Shots
    from raycore.scene.graph import SceneGraph
    from raycore.trace.arguments import Cones

MOST_BOXES = 256
"""If more boxes than this have changed, all rays are traced: it takes longer to find the packets of
rays that miss the boxes."""
_EVERYWHERE = ChangedRegion(True, np.empty((0, 3), np.float32), np.empty((0, 3), np.float32))
_FAR_M = np.full((1, 3), 1e9, np.float32)
_ANYWHERE = ChangedRegion(False, -_FAR_M, _FAR_M)


class EmbreeTracer:
    """Tracer that uses Embree: finds the first surface that each ray meets.

    If the same shots are traced from the same poses again, only rays that changes of the scene may
    affect are traced. All other rays keep their previous hits. Each call may overwrite the hits
    that the call before returned. In a scene that shows only some instances (`SceneGraph.show`),
    every call traces the rays that may point at these instances. All others meet nothing.

    Parameters
    ----------
    incremental : bool
        If False, every call traces all rays, except in such a scene.
    packet_width : int, optional
        Number of rays of a packet: 4, 8 or 16. By default, as many as the processor traces
        natively. The hits do not depend on it.

    Attributes
    ----------
    dirty : DirtyBlocks
        Blocks of hits that may have changed in the last call, compared with the call before.
    n_traced : int
        Number of rays that the last call traced.
    """

    dirty: DirtyBlocks
    n_traced: int

    def __init__(self, *, incremental: bool = True, packet_width: int | None = None) -> None:
        self._incremental = incremental
        self._lanes = packet_lanes(packet_width)
        self._rows = _new_rows(0)
        self._n_packets = np.zeros(0, np.int64)
        self._all = np.ones(0, np.bool_)
        self._shots: Shots | None = None  # as given, and in whole packets
        self._whole: Shots
        self._last: _LastTrace | None = None
        self._packet_cones: Cones | None = None

    def trace(
        self, scene: SceneGraph, shots: Shots, world_from_sensor: NDArray[np.float64]
    ) -> Hits:
        """Return the first surface that each ray meets within its range.

        Rays travel in the scene's anchor frame, whose origin is near the sensor, so that Embree's
        float32 coordinates stay small.

        Parameters
        ----------
        scene : SceneGraph
            A committed scene.
        shots : Shots
            Rays in the sensor frame.
        world_from_sensor : float64 (4, 4) or (n_pose, 4, 4)
            Pose or poses of the sensor; ``shots.moment`` selects one for each ray. [m]

        Returns
        -------
        Hits
            A row for each ray, valid until the next call.
        """
        poses = world_from_sensor.reshape(-1, 4, 4).copy()  # callers may change theirs
        there, n_rays = scene.committed_for(poses), len(shots)
        if self._shots is not shots:
            self._take(shots, n_rays)
        region = self._changed_region(scene, shots, poses)
        afresh, cleared = region.trace_all, np.zeros(1, np.bool_)
        if there.shown is not None:  # few boxes: rays outside them hit nothing
            cleared = self._n_packets > 0
            self._rows.instance[:] = NOTHING
            region = ChangedRegion(False, *there.shown)
        cones = self._cones(region, shots, there.anchor_from_pose)
        if there.shown is not None:  # tracing rays in the cones is faster than testing boxes
            region = _ANYWHERE
        tables, whole = there.tables, self._whole
        trace_packets(
            SceneArrays(
                there.handle, tables.normal_from_mesh, tables.turning_row, tables.turn_rad
            ),
            ShotArrays(
                *whole.ray_arrays, whole.time, whole.start_m, whole.moment,
                there.anchor_from_pose[:, :3].astype(np.float32), np.float32(shots.max_range_m),
            ),
            region,
            *cones,
            self._lanes,
            shots.coherent,
            workers(),
            self._n_packets,
            self._rows,
        )  # fmt: skip
        if afresh or self._last is None:
            self.dirty = DirtyBlocks.of(self._all)
        else:
            self.dirty = DirtyBlocks.of((self._n_packets > 0) | cleared, after=self._last.number)
        self.n_traced = min(int(self._n_packets.sum()) * len(self._lanes), n_rays)
        self._last = _LastTrace(scene, there.n_commits, shots, poses, self.dirty.number)
        return self._hits(n_rays)

    def _hits(self, n_rays: int) -> Hits:
        """Return the hits of the n_rays rays, without those that only fill up the last packet."""
        rows = self._rows
        if len(rows.range_m) > n_rays:
            rows = HitArrays._make(np.ascontiguousarray(row[..., :n_rays]) for row in rows)
        return Hits(**rows._asdict())

    def _take(self, shots: Shots, n_rays: int) -> None:
        """Prepare for other shots; repeat the last ray until it fills up the last packet."""
        n_rows = n_rays + -n_rays % len(self._lanes)
        self._shots = self._whole = shots
        if n_rows > n_rays:
            self._whole = shots.rows(np.minimum(np.arange(n_rows), n_rays - 1))
        self._last, self._packet_cones = None, None
        if len(self._rows.range_m) != n_rows:
            self._rows = _new_rows(n_rows)
            self._n_packets = np.zeros(-(-n_rows // BLOCK), np.int64)
            self._all = np.ones(len(self._n_packets), np.bool_)

    def _changed_region(
        self, scene: SceneGraph, shots: Shots, poses: NDArray[np.float64]
    ) -> ChangedRegion:
        """Return the region in which these shots may have other hits than in the last call."""
        boxes = None
        if self._incremental and self._last is not None:
            boxes = self._last.changed_boxes(scene, shots, poses)
        return _EVERYWHERE if boxes is None else ChangedRegion(False, *boxes)

    def _cones(
        self, region: ChangedRegion, shots: Shots, anchor_from_sensor: NDArray[np.float64]
    ) -> tuple[Cones, Cones]:
        """Return the cones around packets and around a region's boxes, as the sensor sees them."""
        if region.trace_all:
            return NO_CONES, NO_CONES
        if self._packet_cones is None:
            self._packet_cones = packet_cones(self._whole, len(self._lanes))
        return self._packet_cones, box_cones(
            region.lower_m, region.upper_m, anchor_from_sensor, shots
        )


class _LastTrace(NamedTuple):
    """The arguments of the last call, and the number of its result."""

    scene: SceneGraph
    n_commits: int
    shots: Shots
    poses: NDArray[np.float64]
    number: int

    def changed_boxes(
        self, scene: SceneGraph, shots: Shots, poses: NDArray[np.float64]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]] | None:
        """Return the boxes in which shots may have other hits now; None if anywhere.

        The boxes are lower and upper corners, (n, 3) each, in the anchor frame. [m]
        """
        if scene is not self.scene or shots is not self.shots:
            return None
        if not np.array_equal(poses, self.poses):
            return None
        changes = scene.changes_since(self.n_commits)
        if changes.everything:
            return None
        boxes = gathered(changes.lower_m, changes.upper_m)
        return None if len(boxes[0]) > MOST_BOXES else boxes


def _new_rows(n_shot: int) -> HitArrays:
    """Return the columns of Hits, zeroed."""
    return HitArrays(
        np.zeros(n_shot, np.float32),
        np.zeros((3, n_shot), np.float32),
        np.zeros(n_shot, np.float32),
        np.zeros(n_shot, np.uint32),
        np.zeros(n_shot, np.uint32),
    )
