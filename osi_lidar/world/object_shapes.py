# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The shape of each OSI object: its own mesh, else a built-in shape, else a box."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from lidar_scenery import shapes
from osi_bridge import ObjectKind, object_details
from osi_lidar.world.object_records import Shape
from osi_lidar.world.placement import placement
from raycore.errors import MeshError

if TYPE_CHECKING:
    from material_mapping import Rule
    from osi_bridge import Frame
    from osi_lidar.world.assets.resolver import AssetResolver
    from osi_lidar.world.fallbacks import Fallbacks
    from osi_lidar.world.mesh_library import MeshLibrary

THINNEST_BOX_M = 0.01
"""Thickness given to a box that is flat in its OSI dimension, such as a sign. [m]"""


class ObjectShapes:
    """The choice of a shape for every object, and the meshes of those shapes.

    Parameters
    ----------
    library : MeshLibrary
        Makes and loads meshes.
    assets : AssetResolver
        Finds mesh files.
    fallbacks : Fallbacks
        Lists objects without a mesh of their own.
    typed : bool
        Whether these become shapes of their type; else boxes.
    seed : int
        Of the paints that are drawn.
    """

    def __init__(
        self,
        library: MeshLibrary,
        assets: AssetResolver,
        fallbacks: Fallbacks,
        *,
        typed: bool,
        seed: int,
    ) -> None:
        self._typed = typed
        self._seed = seed
        self._library = library
        self._assets = assets
        self._fallbacks = fallbacks

    def shape_of(self, frame: Frame, row: int) -> Shape | None:
        """Return the shape of one of a frame's objects, None for one that is left out.

        Raises
        ------
        MeshError
            If a mesh that the configuration names cannot be used.
        """
        objects = frame.objects
        asset = self._assets.resolve(
            model_reference=objects.model_reference[row],
            type_name=objects.type_name[row],
            subtype_name=objects.subtype_name[row],
            object_id=int(objects.object_id[row]),
        )
        reason = asset.reason
        if asset.path is not None:
            try:
                mesh = self._library.from_file(
                    asset.path, roots=asset.roots, own=asset.rules, asset=asset.asset_file
                )
                bounds_m = self._library.bounds_m(mesh)
                rear_axle_m = objects.rear_axle_from_center_m[row]
                pose = placement(asset, bounds_m, objects.dimension_m[row], rear_axle_m)
                return Shape(mesh, pose, asset.path.name, reason)
            except MeshError as error:
                if asset.from_rule:
                    raise
                reason = str(error)
        return self._stand_in(frame, row, reason, asset.rules)

    def _stand_in(self, frame: Frame, row: int, reason: str, own: tuple[Rule, ...]) -> Shape | None:
        """Return a shape of the OSI dimension; flat ones get a thickness, lines are left out."""
        objects = frame.objects
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
            names = objects.type_name[row], objects.subtype_name[row]
            details = object_details(frame, row)
            kind = shapes.ObjectType(ObjectKind(objects.kind[row]), *names)
            wanted = shapes.wanted_shape(kind, sides_m, details)
        used = f"{'box' if wanted is None else wanted.name} {size} m"
        self._fallbacks.note_object(objects, row, used=used, reason=reason)
        if wanted is None or details is None:
            return Shape(self._library.unit_box(own), np.diag([*sides_m, 1.0]), used, reason)
        mesh = self._library.built_in(wanted, partial(shapes.make_shape, wanted), own)
        paint = shapes.paint_of(details.color, self._seed, int(objects.object_id[row]))
        dress = self._library.dress(mesh, shapes.PAINT, paint, own)
        stretch = np.diag([*(sides_m / wanted.dimension_m), 1.0])  # from whole millimetres
        return Shape(mesh, stretch, used, reason, dress)
