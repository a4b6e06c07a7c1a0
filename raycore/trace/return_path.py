# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The way back of light to a receiver that stands beside the beam: something may be in it."""

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
"""A surface is in the way if it is nearer than the place that is lit by this: [m], and more by the
range."""
N_FIRST = 4
"""Rays of a beam that are followed back first; if one is hidden, the others are, too."""
APART = 0.1
"""Share by which a beam's nearest surface is nearer than its farthest one, from which on all of its
rays are followed back."""


class ReturnPath:
    """Finds what beams light and their receiver does not see.

    Parameters
    ----------
    left_m, up_m : float
        Where the receiver is, from where its beam starts, level and at right angles to both. [m]
    """

    def __init__(self, left_m: float, up_m: float) -> None:
        self._beside_m, self._tracer = (left_m, up_m), new_tracer()
        self._last: _LastSeen | None = None

    def seen(
        self,
        scene: SceneGraph,
        world_from_sensor: NDArray[np.float64],
        shots: Shots,
        hits: Hits,
        straight: NDArray[np.bool_] | None,
    ) -> Hits:
        """Return the hits without those that the receiver does not see: they are ``NOTHING``.

        Parameters
        ----------
        scene, world_from_sensor : SceneGraph, float64 (n_pose, 4, 4)
            As `Tracer.trace` takes them.
        shots, hits : Shots, Hits
            Rays, and what they met.
        straight : bool (n_ray,) or None
            Rays that have met no pane and no mirror, None for all; the others count as seen.
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
        self._last = _LastSeen(scene, scene.n_commits, poses, shots, instance)
        return replace(hits, instance=instance)

    def _hidden(
        self,
        scene: SceneGraph,
        world_from_sensor: NDArray[np.float64],
        shots: Shots,
        hits: Hits,
        met: NDArray[np.intp],
    ) -> NDArray[np.intp]:
        """Return which of some rays have lit what the receiver does not see."""
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
        """Return where the receivers of the beams are, (n_beam, 3). [m]."""
        x, y, z = shots.direction
        flat = np.hypot(x, y)
        upright = flat == 0.0
        level_x = np.where(upright, 0.0, -y / np.where(upright, 1.0, flat))
        level_y = np.where(upright, 1.0, x / np.where(upright, 1.0, flat))
        left_m, up_m = (np.float32(each) for each in self._beside_m)
        aside = left_m * np.stack([level_x, level_y, np.zeros_like(x)], axis=1)
        above = up_m * np.stack([-z * level_y, z * level_x, x * level_y - y * level_x], axis=1)
        return np.asarray(shots.origin_m + aside + above, np.float32)


class _LastSeen(NamedTuple):
    """The last call: its circumstances, and the instances that the receiver saw."""

    scene: SceneGraph
    n_commits: int
    poses: NDArray[np.float64]
    shots: Shots
    instance: NDArray[np.uint32]

    def holds(self, scene: SceneGraph, poses: NDArray[np.float64], shots: Shots) -> bool:
        """Return whether nothing has changed since."""
        if scene is not self.scene or shots is not self.shots or scene.shown is not None:
            return False
        changes = scene.changes_since(self.n_commits)
        return np.array_equal(poses, self.poses) and not (
            changes.everything or len(changes.lower_m)
        )


def _is_mixed(hits: Hits, of_beam: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return which beams have lit surfaces of different ranges."""
    range_m = hits.range_m.reshape(of_beam.shape)
    nearest = np.where(of_beam, range_m, np.float32(np.inf)).min(axis=1)
    farthest = np.where(of_beam, range_m, np.float32(0.0)).max(axis=1)
    return np.asarray(nearest < farthest * np.float32(1.0 - APART), np.bool_)
