# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The path of light back to a receiver beside the beam, which a surface may block."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from raycore.records import NOTHING
from raycore.trace.tracer import new_tracer

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from raycore.records import Hits, Shots
    from raycore.scene.graph import SceneGraph

NEARER_M, NEARER_PER_M = 0.01, 0.001
"""A surface blocks the light if it is nearer than the lit point by more than this: a constant [m],
plus a share of the range."""
N_FIRST = 4
"""Number of rays of a beam that are followed back first; if one is blocked, all are followed."""
APART = 0.1
"""If a beam's nearest surface is nearer than its farthest one by more than this share, all of its
rays are followed back."""


class ReturnPath:
    """Finds hits that a receiver beside the beam cannot see, as a surface blocks the way back.

    For each beam, the way back is first traced for `N_FIRST` evenly spread rays. Its other rays are
    traced only if one of these ways is blocked, or if the beam's nearest hit is nearer than its
    farthest one by more than the share `APART`.

    Parameters
    ----------
    left_m, up_m : float
        Offset of the receiver from the start of its beam, at right angles to the beam: to the left
        (horizontal), and up. If both are 0, all hits are seen. [m]
    """

    def __init__(self, left_m: float, up_m: float) -> None:
        self._beside_m, self._tracer = (left_m, up_m), new_tracer()
        self._last: _LastCall | None = None

    def received(
        self,
        scene: SceneGraph,
        world_from_sensor: NDArray[np.float64],
        shots: Shots,
        hits: Hits,
        straight: NDArray[np.bool_] | None,
    ) -> Hits:
        """Return the hits, with ``NOTHING`` for each hit that the receiver does not see.

        Parameters
        ----------
        scene : SceneGraph
            The committed scene in which the hits were found.
        world_from_sensor : float64 (n_pose, 4, 4)
            Poses of the sensor; ``shots.moment`` selects one for each ray. [m]
        shots, hits : Shots, Hits
            Rays and their hits.
        straight : bool (n_ray,) or None
            Whether each ray has met neither a pane nor a mirror; None: all rays are straight. Hits
            of other rays always count as seen.
        """
        if not any(self._beside_m):
            return hits
        if self._last is not None and self._last.holds(scene, world_from_sensor, shots):
            return replace(hits, instance=self._last.instance)
        n_sub, met = shots.n_sub, hits.instance != NOTHING
        if straight is not None:
            met &= straight
        of_beam = met.reshape(-1, n_sub)
        some = np.zeros_like(of_beam)
        some[:, :: max(n_sub // N_FIRST, 1)] = True
        trace = (scene, world_from_sensor, shots, hits)
        hidden = self._hidden(*trace, np.flatnonzero(of_beam & some))
        closer = _is_mixed(hits, of_beam)
        closer[hidden // n_sub] = True
        others = self._hidden(*trace, np.flatnonzero(of_beam & closer[:, None] & ~some))
        instance = hits.instance.copy()
        instance[hidden], instance[others] = NOTHING, NOTHING
        poses = world_from_sensor.copy()
        self._last = _LastCall(scene, scene.n_commits, poses, shots, instance)
        return replace(hits, instance=instance)

    def _hidden(
        self,
        scene: SceneGraph,
        world_from_sensor: NDArray[np.float64],
        shots: Shots,
        hits: Hits,
        met: NDArray[np.intp],
    ) -> NDArray[np.intp]:
        """Return the rays among ``met`` whose hits the receiver does not see."""
        if not met.size:
            return met
        receiver_m = self._receivers(shots)[met // shots.n_sub]
        rays = shots.rows(met)
        way_m = rays.origin_m + rays.direction.T * hits.range_m[met, None] - receiver_m
        far_m = np.sqrt(np.einsum("ij,ij->i", way_m, way_m))
        direction = np.ascontiguousarray((way_m / far_m[:, None]).T)
        back = replace(rays, origin_m=receiver_m, direction=direction)
        first = self._tracer.trace(scene, back, world_from_sensor)
        is_hidden = first.range_m < far_m * np.float32(1.0 - NEARER_PER_M) - np.float32(NEARER_M)
        return np.asarray(met[is_hidden & (first.instance != NOTHING)], np.intp)

    def _receivers(self, shots: Shots) -> NDArray[np.float32]:
        """Return the position of the receiver for each beam, (n_beam, 3) [m]."""
        x, y, z = shots.direction
        flat = np.hypot(x, y)
        upright = flat == 0.0
        level_x = np.where(upright, 0.0, -y / np.where(upright, 1.0, flat))
        level_y = np.where(upright, 1.0, x / np.where(upright, 1.0, flat))
        left_m, up_m = (np.float32(each) for each in self._beside_m)
        aside = left_m * np.stack([level_x, level_y, np.zeros_like(x)], axis=1)
        above = up_m * np.stack([-z * level_y, z * level_x, x * level_y - y * level_x], axis=1)
        return np.asarray(shots.origin_m + aside + above, np.float32)


class _LastCall(NamedTuple):
    """The arguments of the last call, and the instances of its result."""

    scene: SceneGraph
    n_commits: int
    poses: NDArray[np.float64]
    shots: Shots
    instance: NDArray[np.uint32]

    def holds(self, scene: SceneGraph, poses: NDArray[np.float64], shots: Shots) -> bool:
        """Return whether nothing has changed since, so that the last result is still right."""
        if scene is not self.scene or shots is not self.shots or scene.shown is not None:
            return False
        changes = scene.changes_since(self.n_commits)
        return np.array_equal(poses, self.poses) and not (
            changes.everything or len(changes.lower_m)
        )


def _is_mixed(hits: Hits, of_beam: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return whether the rays of each beam hit surfaces at clearly different ranges."""
    range_m = hits.range_m.reshape(of_beam.shape)
    nearest = np.where(of_beam, range_m, np.float32(np.inf)).min(axis=1)
    farthest = np.where(of_beam, range_m, np.float32(0.0)).max(axis=1)
    return np.asarray(nearest < farthest * np.float32(1.0 - APART), np.bool_)
