# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Models of polygons as meshes of triangles."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lidar_scenery.shapes.looks import LOOKS
from raycore.mesh.materials import VisualMaterial
from raycore.mesh.mesh import Mesh

if TYPE_CHECKING:
    from lidar_scenery.shapes.solids import SolidModel


def visual(name: str) -> VisualMaterial:
    """Return the visual material of a given name, with a colour if the name is in `LOOKS`."""
    look = LOOKS.get(name)
    return VisualMaterial(name=name, base_color=None if look is None else look.color)


def mesh_of(model: SolidModel, name: str) -> Mesh:
    """Return a model as a mesh in the same axes; each polygon becomes a fan of triangles.

    All polygons must be convex. Triangles without an area are left out. The mesh has one slot for
    each visual material, and `name` as its name.
    """
    groups = model.whole_groups
    names = list(dict.fromkeys(str(material) for _, material in groups))
    corners, faces, slots, n = [], [], [], 0
    for (_, material), polygons in groups.items():
        count = np.array([len(polygon) for polygon in polygons])
        first = np.repeat(n + np.cumsum(count) - count, count - 2)
        ends = np.cumsum(count - 2)
        k = np.arange(1, len(first) + 1) - np.repeat(ends - (count - 2), count - 2)
        faces.append(np.stack([first, first + k, first + k + 1], axis=1))
        slots.append(np.full(len(first), names.index(material), np.uint16))
        corners += polygons
        n += int(count.sum())
    points = np.concatenate(corners).astype(np.float32)
    triangles, slot = np.concatenate(faces), np.concatenate(slots)
    a, b, c = (points[triangles[:, i]] for i in range(3))
    solid = np.linalg.norm(np.cross(b - a, c - a), axis=1) > 0.0
    return Mesh(
        name=name,
        vertices_m=points,
        faces=triangles[solid].astype(np.uint32),
        slot=slot[solid],
        materials=tuple(visual(each) for each in names),
        origin_m=np.zeros(3),
    )
