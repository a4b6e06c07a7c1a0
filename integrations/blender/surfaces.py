# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Evaluated objects of Blender as triangles: modifiers, armatures and shape keys are applied."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .glb import Look, Surface

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .looks import Looks

WITH_SURFACE = {"MESH", "CURVE", "SURFACE", "FONT", "META"}
"""Types of objects that have a surface. Blender converts types other than MESH to meshes."""


def surface_of(
    evaluated: Any,  # noqa: ANN401  # types of bpy are not at hand
    baked: NDArray[np.float64] | None,
    looks: Looks,
) -> Surface | None:
    """Return the triangles of an evaluated mesh, or None if it has no triangles.

    Parameters
    ----------
    evaluated : bpy.types.Object
        Object of a depsgraph, or of an instance in it, of type MESH.
    baked : float64 (3, 3) or None
        Map that the corners go through; None if they stay as they are.
    looks : Looks
        Reader of the materials.
    """
    mesh = evaluated.data
    mesh.calc_loop_triangles()
    if not len(mesh.loop_triangles):
        return None
    return _surface(mesh, _looks_of(evaluated, mesh, looks), baked)


def materials_of(evaluated: Any) -> tuple[str, ...]:  # noqa: ANN401
    """Return the names of the materials of an object, slot by slot."""
    slots = (slot.material for slot in evaluated.material_slots)
    return tuple("" if each is None else each.name_full for each in slots)


def _looks_of(evaluated: Any, mesh: Any, looks: Looks) -> tuple[Look, ...]:  # noqa: ANN401
    materials = [slot.material for slot in evaluated.material_slots] or [*mesh.materials]
    return tuple(looks.look_of(each) for each in materials) or (looks.look_of(None),)


def _surface(mesh: Any, looks: tuple[Look, ...], baked: NDArray[np.float64] | None) -> Surface:  # noqa: ANN401
    points = _column(mesh.vertices, "co", np.float32, 3)
    triangles = _column(mesh.loop_triangles, "vertices", np.int32, 3)
    # Blender shows faces beyond the last slot with the last material
    look_of = _column(mesh.loop_triangles, "material_index", np.int32, 1)[:, 0]
    look_of = np.clip(look_of, 0, len(looks) - 1)
    if baked is not None:
        points = (points.astype(np.float64) @ baked.T).astype(np.float32)
        if np.linalg.det(baked) < 0.0:
            triangles = triangles[:, ::-1]
    places = next((each for each in mesh.uv_layers if each.active_render), None)
    if places is None or not any(look.image for look in looks):
        return Surface(points, triangles.astype(np.uint32), look_of, looks)
    corners = _column(mesh.loop_triangles, "loops", np.int32, 3)
    if baked is not None and np.linalg.det(baked) < 0.0:
        corners = corners[:, ::-1]
    uv = _column(places.data, "uv", np.float32, 2)[corners.reshape(-1)]
    uv[:, 1] = 1.0 - uv[:, 1]  # Blender counts from below
    own = np.arange(triangles.size, dtype=np.uint32).reshape(-1, 3)
    return Surface(points[triangles.reshape(-1)], own, look_of, looks, uv)


def _column(rows: Any, name: str, dtype: type, width: int) -> NDArray[Any]:  # noqa: ANN401
    """Return one property of all elements of a collection, as an array (n, width)."""
    values: NDArray[Any] = np.empty(len(rows) * width, dtype)
    rows.foreach_get(name, values)
    return values.reshape(-1, width)
