# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Objects with movable parts as one mesh, until they move: they cost no more than others."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from lidar_scenery import shapes
from lidar_scenery.articulation.records import Travel
from raycore.mesh.mesh import Mesh

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    from lidar_scenery.articulation.records import Assembly
    from lidar_scenery.shapes.catalogue import Wanted


class Piece(NamedTuple):
    """A mesh that an object is shown with, made only when it is needed.

    `key` identifies the mesh: pieces with equal keys share one mesh. `make` is a function without
    arguments that returns it.
    """

    key: Hashable
    make: Callable[[], Mesh]


def pieces_of(wanted: Wanted, assembly: Assembly | None, still: Assembly | None) -> list[Piece]:
    """Return the meshes that an object is shown with: its parts if it moves, else one mesh.

    `assembly` is used if it is given, else `still` if it is given, else `wanted`.

    Parameters
    ----------
    wanted : Wanted
        The shape, for an object without moving parts.
    assembly : Assembly or None
        The moving parts of an object that has moved; each part is one piece.
    still : Assembly or None
        The moving parts of an object that has never moved; all parts together are one piece.
    """
    if assembly is not None:
        parts = enumerate(assembly.parts)
        return [Piece((assembly, n), partial(_itself, part)) for n, part in parts]
    if still is not None:
        return [Piece((still, "stands"), partial(standing_mesh, still))]
    return [Piece(wanted, partial(shapes.make_shape, wanted))]


def standing_mesh(assembly: Assembly) -> Mesh:
    """Return the parts of an object that has never moved as one mesh, in the object's frame.

    ``assembly`` (`Assembly`) has the parts, and the state in which they stand. The frame of the
    object has its origin in the centre of its box.
    """
    still = np.zeros(1)
    poses = assembly.poses(Travel(0, still, still, still, assembly.standing[None]))[0]
    parts = assembly.parts
    materials = {each.name: each for part in parts for each in part.materials}
    slot_of = {name: slot for slot, name in enumerate(materials)}
    vertices, faces, slots, n = [], [], [], 0
    for part, pose in zip(parts, poses, strict=True):
        vertices.append(part.vertices_m @ pose[:3, :3].T + pose[:3, 3])
        faces.append(part.faces + np.uint32(n))
        slots.append(np.array([slot_of[name] for name in part.slot_names], np.uint16)[part.slot])
        n += len(part.vertices_m)
    return Mesh(
        name=parts[0].name,
        vertices_m=np.concatenate(vertices).astype(np.float32),
        faces=np.concatenate(faces),
        slot=np.concatenate(slots),
        materials=tuple(materials.values()),
        origin_m=np.zeros(3),
    )


def _itself(mesh: Mesh) -> Mesh:
    return mesh
