# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Moving parts in a scene graph: each part of an object is a separate instance."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from lidar_scenery.articulation.records import Assembly, Floats
    from raycore.scene.graph import SceneGraph

CHORD_M = 1e-3
"""Largest distance between the curved path of a point of a part and the straight path that Embree
uses between two time steps. Exact curves would make Embree's commit 17 times slower (with five
steps). [m]"""


class Posed(NamedTuple):
    """The moving parts of an object, with their poses during a scan.

    Attributes
    ----------
    assembly : Assembly
        The parts.
    object_from_part : float64 (n_step, n_part, 4, 4)
        Poses of the parts at each time step; the first part is the body. [m]
    """

    assembly: Assembly
    object_from_part: Floats


class ShownParts(NamedTuple):
    """Moving parts of one or more objects in a scene, in one list of n_part; bodies are left out.

    Attributes
    ----------
    instances : tuple of int
        Number of each part's instance in the scene.
    part_from_mesh : float64 (n_part, 4, 4)
        Transform from each part's mesh to the part; it may stretch the mesh.
    world_from_part : float64 (n_step, n_part, 4, 4)
        Poses of the parts at each time step of a scan. [m]
    """

    instances: tuple[int, ...]
    part_from_mesh: Floats
    world_from_part: Floats


def with_bodies(steps: Floats, row_of: Mapping[int, int], posed: Mapping[int, Posed]) -> Floats:
    """Return the poses of n objects, with the pose of the body for each object with moving parts.

    Parameters
    ----------
    steps : float64 (n, n_step, 4, 4)
        Poses world_from_object of the objects at each time step of a scan. [m]
    row_of : mapping of int to int
        Row of each object in `steps`, by OSI id.
    posed : mapping of int to Posed
        The objects with moving parts, by OSI id.

    Returns
    -------
    float64 (n, n_step, 4, 4)
        Poses world_from_body in the rows of the objects in `posed`, and poses world_from_object in
        all other rows. If `posed` is empty, this is `steps` itself. [m]
    """
    rows = [row_of[object_id] for object_id in posed]
    if not rows:
        return steps
    bodies: Floats = steps.copy()
    bodies[rows] = steps[rows] @ np.array([each.object_from_part[:, 0] for each in posed.values()])
    return bodies


class PartInstances:
    """Moves the instances of all moving parts in a scene, except bodies.

    Parameters
    ----------
    scene : SceneGraph
        The scene that holds the instances.
    """

    def __init__(self, scene: SceneGraph) -> None:
        self._scene = scene
        self._instance = np.zeros(0, np.int64)
        self._steps = np.zeros((0, 1, 4, 4))

    def follow(self, shown: Sequence[ShownParts], *, fresh: bool) -> None:
        """Set the poses of all parts in the scene; skip parts whose poses have not changed.

        Parameters
        ----------
        shown : sequence of ShownParts
            The parts of all objects that have moving parts.
        fresh : bool
            Whether objects were placed anew since the last call; then no part is skipped.
        """
        instance = np.array([i for each in shown for i in each.instances], np.int64)
        before, self._instance = self._instance, instance
        if not len(instance):
            return
        local = np.concatenate([each.part_from_mesh for each in shown])
        steps = np.concatenate([each.world_from_part for each in shown], axis=1)
        steps = np.ascontiguousarray(np.swapaxes(steps, 0, 1))
        moved = np.ones(len(instance), np.bool_)
        if not fresh and steps.shape == self._steps.shape and np.array_equal(before, instance):
            moved = (steps != self._steps).any(axis=(1, 2, 3))
        self._steps = steps
        self._set(np.flatnonzero(moved), local)

    def _set(self, moved: NDArray[np.intp], local: Floats) -> None:
        """Pass the poses of some parts to the scene."""
        steps = self._steps[moved]
        rests = (steps == steps[:, -1:]).all(axis=(1, 2, 3))
        still, moving = moved[rests], moved[~rests]
        if len(still):
            self._scene.set_poses(self._instance[still], steps[rests, -1] @ local[still])
        if len(moving):
            self._scene.set_motions(
                self._instance[moving], steps[~rests], local[moving], chord_m=CHORD_M
            )
