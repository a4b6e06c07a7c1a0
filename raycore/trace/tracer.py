# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Trace rays through a scene."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from lidar_base.block_kernels import BLOCK, workers
from lidar_base.renewal import Renewal
from raycore.records import Traced
from raycore.trace import trace_kernels as kernels
from raycore.trace.cones import NO_CONES, box_cones, packet_cones
from raycore.trace.packet_kernels import packet_lanes

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from raycore.records import Rays
    from raycore.scene.graph import SceneGraph
    from raycore.trace.cones import Cones


MOST_BOXES = 256
"""Where more has changed, all rays are traced: holding packets against boxes takes time, too."""


class Tracer:
    """Traces rays, into arrays that are kept from call to call.

    The same rays from the same poses in a scene of which little has changed are traced only where
    they may see a difference; all others would meet what they met before.
    """

    def __init__(self) -> None:
        self._lanes = packet_lanes()
        self._rows = _no_rows()
        self._packets = np.zeros(0, np.int64)
        self._all = np.ones(0, np.bool_)
        self._rays: Rays | None = None  # as given, and in whole packets
        self._whole: Rays
        self._last: _Last | None = None
        self._packet_cones: Cones | None = None

    def trace(
        self, scene: SceneGraph, rays: Rays, world_from_sensor: NDArray[np.float64]
    ) -> Traced:
        """Return the first surface that each ray meets within its range.

        Parameters
        ----------
        scene : SceneGraph
            A committed scene.
        rays : Rays
            Rays in the sensor frame.
        world_from_sensor : float64 (4, 4) or (n_pose, 4, 4)
            Pose of the sensor, or its poses, of which ``rays.moment`` tells each ray's; a rotation
            and a translation. [m]

        Returns
        -------
        Traced
            A row for each ray, until the next call, which writes to the same arrays. The surfaces
            of transparent materials are not met.

        Notes
        -----
        Rays travel in the scene's anchor frame, whose origin is near the sensor, so that
        Embree's float32 coordinates stay small: 6e-5 m at 1 km.
        """
        poses = world_from_sensor.reshape(-1, 4, 4).copy()  # the caller may change his
        anchor_from_sensor = scene.anchor_from_world(poses)
        if self._rays is not rays:
            self._take(rays)
        boxes = None if self._last is None else self._last.boxes(scene, rays, poses)
        lower_m, upper_m = _NO_BOXES if boxes is None else boxes
        packets, around = NO_CONES, NO_CONES
        if boxes is not None and len(poses) == 1:  # the boxes' cones are as seen from one pose
            packets = self._cones()
            around = box_cones(lower_m, upper_m, anchor_from_sensor[0], rays)
        tables, whole = scene.tables, self._whole
        kernels.trace_packets(
            scene.handle,
            tables.normal_from_mesh,
            tables.turning_row,
            tables.turn_rad,
            whole.origin_m,
            self._direction,
            whole.time,
            whole.start_m,
            whole.moment,
            anchor_from_sensor[:, :3].astype(np.float32),
            np.float32(rays.max_range_m),
            self._lanes,
            rays.coherent,
            workers(),
            boxes is None,
            lower_m,
            upper_m,
            packets,
            around,
            self._packets,
            *self._rows.values(),
        )
        n_rays = len(rays.direction)
        if boxes is None or self._last is None:
            renewal, n_traced = Renewal.of(self._all), n_rays
        else:
            renewal = Renewal.of(self._packets > 0, after=self._last.number)
            n_traced = min(int(self._packets.sum()) * len(self._lanes), n_rays)
        self._last = _Last(scene, scene.n_commits, rays, poses, renewal.number)
        rows = self._rows
        if len(whole.direction) > n_rays:
            rows = {name: np.ascontiguousarray(row[..., :n_rays]) for name, row in rows.items()}
        return Traced(**rows, renewal=renewal, n_rays=n_traced)

    def _take(self, rays: Rays) -> None:
        """Take other rays, in whole packets: the last ray may be there more than once."""
        n_rays = len(rays.direction)
        n_rows = n_rays + -n_rays % len(self._lanes)
        self._rays = self._whole = rays
        if n_rows > n_rays:
            self._whole = rays.rows(np.minimum(np.arange(n_rows), n_rays - 1))
        self._direction = np.ascontiguousarray(self._whole.direction.T)
        self._last, self._packet_cones = None, None
        if len(self._rows["range_m"]) != n_rows:
            self._rows = _no_rows(n_rows)
            self._packets = np.zeros(-(-n_rows // BLOCK), np.int64)
            self._all = np.ones(len(self._packets), np.bool_)

    def _cones(self) -> Cones:
        if self._packet_cones is None:
            self._packet_cones = packet_cones(self._whole.direction, len(self._lanes))
        return self._packet_cones


class _Last(NamedTuple):
    """What the last rays were traced in."""

    scene: SceneGraph
    n_commits: int
    rays: Rays
    poses: NDArray[np.float64]
    number: int

    def boxes(
        self, scene: SceneGraph, rays: Rays, poses: NDArray[np.float64]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]] | None:
        """Return where rays may meet something else than these did, None if that may be anywhere.

        Lower and upper corners of boxes, (n, 3) in the anchor frame. [m]
        """
        if scene is not self.scene or rays is not self.rays:
            return None
        if not np.array_equal(poses, self.poses):
            return None
        changes = scene.changes_since(self.n_commits)
        if changes.everything or len(changes.lower_m) > MOST_BOXES:
            return None
        return changes.lower_m, changes.upper_m


_NO_BOXES = np.empty((0, 3), np.float32), np.empty((0, 3), np.float32)


def _no_rows(n_ray: int = 0) -> dict[str, NDArray[Any]]:
    """Return the columns of Traced, in the order in which the kernel takes them."""
    return {
        "range_m": np.zeros(n_ray, np.float32),
        "normal": np.zeros((3, n_ray), np.float32),
        "cos_incidence": np.zeros(n_ray, np.float32),
        "instance": np.zeros(n_ray, np.uint32),
        "primitive": np.zeros(n_ray, np.uint32),
        "barycentric": np.zeros((2, n_ray), np.float32),
    }
