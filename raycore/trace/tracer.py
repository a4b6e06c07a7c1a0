# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""What a tracer promises, and the one place that makes tracers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from raycore.trace.embree_tracer import EmbreeTracer

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from lidar_base.dirty_blocks import DirtyBlocks
    from raycore.records import Hits, Shots
    from raycore.scene.graph import SceneGraph


class Tracer(Protocol):
    """Traces shots into hits.

    Each ray meets the first surface of the scene from ``shots.start_m`` on and up to
    ``shots.max_range_m``. A tracer promises

    - time: a ray meets instances that move where they are at its ``shots.time``, 0 to 1 between the
      first and the last of their poses, and starts from the pose that its ``shots.moment`` selects;
    - masks: it meets nothing that the scene hides, nor surfaces of transparent materials;
    - widths: the hits do not depend on how many rays are traced at a time, nor on the number of
      threads;
    - places: ranges are right to 6e-5 m at 1 km, wherever in the world the sensor is.

    Attributes
    ----------
    dirty : DirtyBlocks
        Which blocks of the last call's hits may differ from the call before's; all of them
        are always a right answer.
    n_traced : int
        How many rays were traced in the last call.
    """

    dirty: DirtyBlocks
    n_traced: int

    def trace(
        self, scene: SceneGraph, shots: Shots, world_from_sensor: NDArray[np.float64]
    ) -> Hits:
        """Return the first surface that each ray meets within its range.

        Parameters
        ----------
        scene : SceneGraph
            A committed scene.
        shots : Shots
            Rays in the sensor frame.
        world_from_sensor : float64 (4, 4) or (n_pose, 4, 4)
            Pose of the sensor, or its poses, of which ``shots.moment`` selects one for each ray; a
            rotation and a translation. [m]

        Returns
        -------
        Hits
            A row for each ray, valid until the next call, which may write to the same arrays.
        """


def new_tracer(*, incremental: bool = True) -> Tracer:
    """Return a tracer; each keeps the hits of its last rays, so whoever traces others has its own.

    Parameters
    ----------
    incremental : bool
        False traces all rays in every call.
    """
    return EmbreeTracer(incremental=incremental)
