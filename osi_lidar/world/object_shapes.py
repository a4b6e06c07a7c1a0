# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The shape of each OSI object: its own mesh, else a built-in shape, else a box."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from lidar_scenery import shapes
from lidar_scenery.articulation.catalogue import MeshAssemblies, assembly_of
from lidar_scenery.articulation.standing import pieces_of
from osi_bridge import ObjectKind, bones_of, object_details, object_faults
from osi_lidar.world.object_records import Shape
from osi_lidar.world.placement import placement
from raycore.errors import MeshError

if TYPE_CHECKING:
    from pathlib import Path

    from lidar_scenery.articulation.records import Assembly
    from osi_bridge import Frame, ObjectStates
    from osi_lidar.config import SceneSection
    from osi_lidar.world.assets.asset import Asset
    from osi_lidar.world.assets.resolver import AssetResolver
    from osi_lidar.world.fallbacks import Fallbacks
    from osi_lidar.world.mesh_library import MeshLibrary
    from osi_lidar.world.placement import Matrix

THINNEST_BOX_M = 0.01
"""Thickness given to a box that is flat in its OSI dimension, such as a sign. [m]"""


class ObjectShapes:
    """Chooses a shape for every object, and makes the mesh of the shape.

    Parameters
    ----------
    library : MeshLibrary
        Makes and loads meshes.
    assets : AssetResolver
        Finds mesh files.
    fallbacks : Fallbacks
        Lists objects without a mesh of their own.
    config : SceneSection
        Section ``scene``: whether objects without a mesh become shapes of their type or boxes, and
        whether their parts move.
    seed : int
        Seed of the randomly drawn paints.
    """

    def __init__(
        self,
        library: MeshLibrary,
        assets: AssetResolver,
        fallbacks: Fallbacks,
        config: SceneSection,
        *,
        seed: int,
    ) -> None:
        self._typed = config.shapes == "auto"
        self._moving = config.articulation == "auto"
        self._of_meshes = MeshAssemblies(fallbacks.note)
        self._seed = seed
        self._library = library
        self._assets = assets
        self._fallbacks = fallbacks

    def assembly_of(self, frame: Frame, row: int) -> Assembly | None:
        """Return the moving parts of an object in a message; None if no part of it moves.

        ``row`` is the row of the object in ``frame.objects``, ``frame`` the message. Nothing moves
        on objects that are flat, have an unusable mesh or become a box, nor on any object if
        ``scene.articulation`` is off.
        """
        dimension_m = frame.objects.dimension_m[row]
        if not self._moving or (dimension_m < THINNEST_BOX_M).any():
            return None
        kind, asset = _type_of(frame.objects, row), self._asset_of(frame, row)
        wanted = shapes.wanted_shape(kind, dimension_m, object_details(frame, row))
        if wanted is None or (asset.path is None and not self._typed):
            return None
        if asset.path is None:
            return assembly_of(wanted, frame, row)
        with suppress(MeshError):
            _, pose = self._placed(asset.path, asset, frame.objects, row)
            mesh, posed = self._library.loaded[asset.path], bones_of(frame, row) is not None
            return self._of_meshes.of(mesh, pose, wanted, posed=posed)
        return None

    def shape_of(self, frame: Frame, row: int, assembly: Assembly | None = None) -> Shape | None:
        """Return the shape of the object in a row of a frame; None if the object is left out.

        ``assembly`` has the object's moving parts, if any (see `assembly_of`). An object is left
        out if it has no usable mesh and its box is a line or a point. A shape in place of an
        object's own mesh is listed as a fallback.

        Raises
        ------
        MeshError
            If a mesh that the configuration names cannot be used.
        """
        objects = frame.objects
        self._fallbacks.note_skipped(object_faults(frame, row))
        asset = self._asset_of(frame, row)
        if asset.path is not None:
            try:
                mesh, pose = self._placed(asset.path, asset, objects, row)
                shape = Shape(mesh, pose, asset.path.name, asset.reason)
                return shape if assembly is None else self._in_parts(shape, assembly)
            except MeshError as error:
                if asset.from_rule:
                    raise
                asset = replace(asset, reason=str(error))
        return self._stand_in(frame, row, asset, assembly)

    def _placed(
        self, path: Path, asset: Asset, objects: ObjectStates, row: int
    ) -> tuple[int, Matrix]:
        """Return the mesh of an asset and its pose in the frame of an object."""
        mesh = self._library.from_file(
            path, roots=asset.roots, own=asset.rules, asset=asset.asset_file
        )
        bounds_m = self._library.loaded[path].bounds_m
        rear_axle_m = objects.rear_axle_from_center_m[row]
        return mesh, placement(asset, bounds_m, objects.dimension_m[row], rear_axle_m)

    def _in_parts(self, shape: Shape, assembly: Assembly) -> Shape:
        """Return the shape of a file's mesh in parts; the shift of the mesh is in their poses."""
        body, *parts = (self._library.part(each, shape.mesh) for each in assembly.parts)
        stretch = shape.object_from_mesh.copy()
        stretch[:3, 3] = 0.0
        moving = tuple((part, None) for part in parts)
        return replace(shape, mesh=body, object_from_mesh=stretch, parts=moving)

    def _asset_of(self, frame: Frame, row: int) -> Asset:
        """Return the asset of an object."""
        objects = frame.objects
        return self._assets.resolve(
            model_reference=objects.model_reference[row],
            type_name=objects.type_name[row],
            subtype_name=objects.subtype_name[row],
            object_id=int(objects.object_id[row]),
        )

    def _stand_in(
        self, frame: Frame, row: int, asset: Asset, assembly: Assembly | None
    ) -> Shape | None:
        """Return a shape with the OSI dimension; flat objects get a thickness, lines are left out.

        `asset` has the reason for this shape, and a path if the object's own mesh is unusable.
        """
        objects, reason, own = frame.objects, asset.reason, asset.rules
        dimension_m = objects.dimension_m[row]
        thin = dimension_m < THINNEST_BOX_M
        size = " x ".join(f"{side:.2f}" for side in dimension_m)
        if thin.sum() > 1:
            reason = f"{reason}; no box either, its dimension is {size} m"
            self._fallbacks.note_object(objects, row, used="nothing", reason=reason)
            return None
        sides_m = np.where(thin, THINNEST_BOX_M, dimension_m)
        wanted = details = None
        if self._typed:
            details = object_details(frame, row)
            wanted = shapes.wanted_shape(_type_of(objects, row), sides_m, details)
        used = f"{'box' if wanted is None else wanted.name} {size} m"
        self._fallbacks.note_object(objects, row, used=used, reason=reason)
        if wanted is None or details is None:
            return Shape(self._library.unit_box(own), np.diag([*sides_m, 1.0]), used, reason)
        paint = shapes.paint_of(details.color, self._seed, int(objects.object_id[row]))
        stretch = np.diag([*(sides_m / wanted.dimension_m), 1.0])  # shapes have whole millimetres
        still = None
        if self._moving and asset.path is None and not thin.any() and row < len(frame.moving):
            still = assembly_of(wanted, frame, row)
        pieces = pieces_of(wanted, assembly, still)
        meshes = [self._library.built_in(*piece, own) for piece in pieces]
        variants = [(i, self._library.variant(i, shapes.PAINT, paint, own)) for i in meshes]
        return Shape(
            meshes[0], stretch, used, reason, variant=variants[0][1], parts=tuple(variants[1:])
        )


def _type_of(objects: ObjectStates, row: int) -> shapes.ObjectType:
    """Return the type of an object."""
    names = objects.type_name[row], objects.subtype_name[row]
    return shapes.ObjectType(ObjectKind(objects.kind[row]), *names)
