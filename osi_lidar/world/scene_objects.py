# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The objects of OSI messages in the scene graph; only changed ones are touched."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

import numpy as np

from lidar_scenery.articulation.instances import PartInstances, ShownParts, with_bodies
from lidar_scenery.articulation.odometer import Odometer
from osi_bridge import ObjectKind
from osi_lidar.world.object_changes import NOT_PLACED, Changed, PlacedRows, follow, no_rows
from osi_lidar.world.object_records import ObjectInScene, Placed
from raycore.mesh.parts import bounds

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from lidar_scenery.articulation.instances import Posed
    from osi_bridge import Frame
    from osi_lidar.world.object_shapes import ObjectShapes
    from raycore.scene.graph import SceneGraph
    from raycore.scene.jumps import JumpLimits


class SceneObjects:
    """The objects of the last message as instances in the scene.

    Parameters
    ----------
    scene : SceneGraph
        Scene graph in which the objects are placed.
    shapes : ObjectShapes
        Chooses the shape of an object.

    Attributes
    ----------
    placed : dict of int to Placed
        The objects in the scene, by OSI id.
    """

    def __init__(self, scene: SceneGraph, shapes: ObjectShapes) -> None:
        self.placed: dict[int, Placed] = {}
        self._scene = scene
        self._shapes = shapes
        self._rows = self._no_rows = no_rows()
        self._parts = PartInstances(scene)

    def begin_again(self) -> None:
        """Let the next message place all its objects anew, as if they were not in the scene yet."""
        self._rows = self._no_rows

    def odometer(self, limits: JumpLimits) -> Odometer:
        """Return an odometer that follows the moving parts of objects, from the next message on.

        ``limits`` say which motion between two messages is a jump.
        """
        return Odometer(limits, self._shapes.assembly_of)

    @property
    def listed(self) -> tuple[ObjectInScene, ...]:
        """The objects in the scene, in ascending order of their OSI ids."""
        return tuple(
            ObjectInScene(
                object_id=object_id,
                type_name=placed.type_name,
                mesh=placed.shape.name,
                reason=placed.shape.reason,
                size_m=np.ptp(
                    bounds(self._scene.mesh(placed.shape.mesh), placed.shape.object_from_mesh),
                    axis=0,
                ),
            )
            for object_id, placed in sorted(self.placed.items())
        )

    def follow(
        self,
        frame: Frame,
        hidden: int | None,
        steps: NDArray[np.float64],
        posed: Mapping[int, Posed],
    ) -> None:
        """Set the objects to a message's state; raise MeshError if a configured mesh is unusable.

        Parameters
        ----------
        frame : Frame
            The message with n objects.
        hidden : int or None
            OSI id of an object that is left out of the scene.
        steps : float64 (n, n_step, 4, 4)
            Poses world_from_object, at evenly spaced times of the scan. [m]
        posed : mapping of int to Posed
            Poses of the moving parts of objects at these times, by OSI id of the object.
        """
        ids = frame.objects.object_id.tolist()
        row_of = dict(zip(ids, range(len(ids)), strict=True)) if posed else {}
        bodies = with_bodies(steps, row_of, posed)
        renewed = np.array([_is_renewed(self.placed.get(i), posed.get(i)) for i in ids], np.bool_)
        before = self._rows
        self._rows = self._no_rows  # stays so if opening a mesh fails below
        rows, changed = follow(before, frame.objects, hidden, bodies, renewed)
        if changed.listed or before is self._no_rows:
            self._remove_all_but({i for i in ids if i != hidden})
        for row in np.flatnonzero(changed.new).tolist():
            self._place(frame, rows, row, posed.get(ids[row]))
        self._move(rows, changed)
        parts = _shown(self.placed, steps, row_of, posed)
        self._parts.follow(parts, fresh=bool(changed.new.any()))
        self._rows = rows

    def ground_m(self, frame: Frame) -> float | None:
        """Return the lowest height of the last message's objects in the scene, and of the host [m].

        ``frame`` is this message. Return None without objects. Objects more than 100 m below the
        host do not count.
        """
        return frame.ground_m(self._rows.instance != NOT_PLACED)

    def _place(self, frame: Frame, rows: PlacedRows, row: int, posed: Posed | None) -> None:
        """Place an object at its pose at the end of the scan, if it has a shape."""
        objects = rows.objects
        object_id = int(objects.object_id[row])
        if object_id in self.placed:
            self._remove(object_id)
        assembly = None if posed is None else posed.assembly
        shape = self._shapes.shape_of(frame, row, assembly)
        if shape is None:
            return
        world_from_mesh = rows.steps[row, -1] @ shape.object_from_mesh
        rows.instance[row] = self._scene.add(shape.mesh, world_from_mesh)
        parts = tuple(self._scene.add(mesh, world_from_mesh) for mesh, _ in shape.parts)
        rows.object_from_mesh[row] = shape.object_from_mesh
        type_name = objects.subtype_name[row] or objects.type_name[row]
        kind = ObjectKind(objects.kind[row])
        instance = int(rows.instance[row])
        self.placed[object_id] = Placed(kind, type_name, instance, shape, assembly, parts)

    def _move(self, rows: PlacedRows, changed: Changed) -> None:
        """Move all objects whose pose changed, or that move during the scan."""
        rest = np.flatnonzero(changed.moved & rows.rests)
        if len(rest):
            world_from_mesh = rows.steps[rest, -1] @ rows.object_from_mesh[rest]
            self._scene.set_poses(rows.instance[rest], world_from_mesh)
        placed = changed.new & (rows.instance != NOT_PLACED)
        moving = np.flatnonzero((changed.moved | placed) & ~rows.rests)
        if len(moving):
            self._scene.set_motions(
                rows.instance[moving], rows.steps[moving], rows.object_from_mesh[moving]
            )

    def _remove(self, object_id: int) -> None:
        for instance in self.placed.pop(object_id).instances:
            self._scene.remove(instance)

    def _remove_all_but(self, kept: set[int]) -> None:
        for object_id in [i for i in self.placed if i not in kept]:
            self._remove(object_id)


def _is_renewed(placed: Placed | None, now: Posed | None) -> bool:
    """Return whether an object in the scene has got or lost moving parts."""
    return placed is not None and placed.assembly is not (now and now.assembly)


def _shown(
    placed: Mapping[int, Placed],
    steps: NDArray[np.float64],
    row_of: Mapping[int, int],
    posed: Mapping[int, Posed],
) -> list[ShownParts]:
    """Return the moving parts of the objects in the scene; ``steps`` are poses of the objects."""
    shown = []
    there = [object_id for object_id in posed if object_id in placed]
    for _, alike in groupby(there, key=lambda object_id: posed[object_id].object_from_part.shape):
        ids = [*alike]
        instances = tuple(i for object_id in ids for i in placed[object_id].parts)
        of_object = np.stack(
            [posed[object_id].object_from_part[:, 1:] for object_id in ids], axis=1
        )
        of_world = steps[[row_of[object_id] for object_id in ids]].swapaxes(0, 1)[:, :, None]
        from_mesh = [placed[object_id].shape.object_from_mesh for object_id in ids]
        n_part = of_object.shape[2]
        world_from_part = (of_world @ of_object).reshape(len(of_object), -1, 4, 4)
        shown.append(ShownParts(instances, np.repeat(from_mesh, n_part, axis=0), world_from_part))
    return shown
