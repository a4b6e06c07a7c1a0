# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The interface of tracers, and the function that creates one."""

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

    Each ray meets the first surface of the scene between ``shots.start_m`` and
    ``shots.max_range_m``. All tracers guarantee:

    - time: a ray meets a moving instance at its pose at ``shots.time``, 0 to 1 from the first to
      the last pose, and starts from the sensor's pose that ``shots.moment`` selects;
    - masks: a ray meets nothing that the scene hides, and no surface of a transparent material;
    - widths: the hits do not depend on how many rays are traced at a time, nor on the number of
      threads;
    - places: ranges are right to 6e-5 m at 1 km, wherever in the world the sensor is.

    Attributes
    ----------
    dirty : DirtyBlocks
        Blocks of hits that may have changed in the last call, compared with the call before. A
        tracer may always name all blocks.
    n_traced : int
        Number of rays that the last call traced.
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
            A row for each ray. The rows are valid until the next call, which may overwrite them.
        """


def new_tracer(*, incremental: bool = True) -> Tracer:
    """Return a new tracer, which keeps its last hits; use one tracer for each set of rays.

    Parameters
    ----------
    incremental : bool
        If True, a call that repeats the rays and poses of the call before traces only rays that
        changes of the scene may affect; the others keep their hits. If False, every call traces
        all rays; if the scene shows only some instances (`SceneGraph.show`), all that may point
        at these.
    """
    return EmbreeTracer(incremental=incremental)
