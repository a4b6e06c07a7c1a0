# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Trace rays through a scene."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from raycore import kernels
from raycore.packet_kernels import packet_lanes
from raycore.records import Traced

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from raycore.records import Rays
    from raycore.scene import SceneGraph


class Tracer:
    """Traces rays, into arrays that are kept from call to call."""

    def __init__(self) -> None:
        self._lanes = packet_lanes()
        self._traced = _no_rays()

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
        anchor_from_sensor = scene.anchor_from_world(world_from_sensor.reshape(-1, 4, 4))
        tables = scene.tables
        if len(self._traced) != len(rays.direction):
            self._traced = _no_rays(len(rays.direction))
        traced = self._traced
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
            self._lanes,
            rays.coherent,
            kernels.workers(),
            traced.range_m,
            traced.normal,
            traced.cos_incidence,
            traced.instance,
            traced.primitive,
            traced.barycentric,
        )
        return traced


def _no_rays(n_ray: int = 0) -> Traced:
    return Traced(
        range_m=np.zeros(n_ray, np.float32),
        normal=np.zeros((3, n_ray), np.float32),
        cos_incidence=np.zeros(n_ray, np.float32),
        instance=np.zeros(n_ray, np.uint32),
        primitive=np.zeros(n_ray, np.uint32),
        barycentric=np.zeros((2, n_ray), np.float32),
    )
