# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Trace rays through a scene."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from raycore import kernels
from raycore.records import Hits

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from raycore.records import Rays
    from raycore.scene import SceneGraph, SceneTables


class Tracer:
    """Traces rays, with work arrays that are kept from call to call."""

    def __init__(self) -> None:
        self._width = kernels.packet_width()
        self._n_blocks = 0

    def trace(self, scene: SceneGraph, rays: Rays, world_from_sensor: NDArray[np.float64]) -> Hits:
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
        Hits
            In the order of the rays; rays that met nothing are left out. The surfaces of
            transparent materials are not met.

        Notes
        -----
        Rays travel in the scene's anchor frame, whose origin is near the sensor, so that
        Embree's float32 coordinates stay small: 6e-5 m at 1 km.
        """
        anchor_from_sensor = scene.anchor_from_world(world_from_sensor.reshape(-1, 4, 4))
        n_blocks = -(-len(rays.direction) // kernels.BLOCK)
        if n_blocks != self._n_blocks:
            self._allocate(n_blocks)
        tables = scene.tables
        kernels.trace_packets(
            scene.handle,
            tables.normal_from_mesh,
            tables.turning_row,
            tables.turn_rad,
            rays.origin_m,
            rays.direction,
            rays.time,
            rays.start_m,
            rays.moment,
            anchor_from_sensor[:, :3].astype(np.float32),
            np.float32(rays.max_range_m),
            self._width,
            rays.coherent,
            kernels.workers(),
            *self._work,
        )
        return self._gather(tables)

    def _allocate(self, n_blocks: int) -> None:
        """Make the arrays that the blocks write to: count, then one column per hit value."""
        n = n_blocks * kernels.BLOCK
        self._n_blocks = n_blocks
        self._work = (
            np.zeros(n_blocks, np.int64),
            np.zeros(n, np.uint32),
            np.zeros(n, np.float32),
            np.zeros((n, 3), np.float32),
            np.zeros(n, np.float32),
            np.zeros(n, np.uint32),
            np.zeros(n, np.uint32),
            np.zeros((n, 2), np.float32),
        )

    def _gather(self, tables: SceneTables) -> Hits:
        """Put the hits of all blocks after each other."""
        count = self._work[0]
        start = np.cumsum(count) - count
        n = int(count.sum())
        hits = Hits(
            beam=np.empty(n, np.uint32),
            range_m=np.empty(n, np.float32),
            normal=np.empty((n, 3), np.float32),
            cos_incidence=np.empty(n, np.float32),
            instance=np.empty(n, np.uint32),
            mesh=np.empty(n, np.uint32),
            face=np.empty(n, np.uint32),
            slot=np.empty(n, np.uint16),
            barycentric=np.empty((n, 2), np.float32),
        )
        kernels.gather_hits(
            tables.mesh_of_instance,
            tables.first_face,
            tables.face_of_primitive,
            tables.slot_of_primitive,
            *self._work,
            start,
            hits.beam,
            hits.range_m,
            hits.normal,
            hits.cos_incidence,
            hits.instance,
            hits.mesh,
            hits.face,
            hits.slot,
            hits.barycentric,
        )
        return hits
