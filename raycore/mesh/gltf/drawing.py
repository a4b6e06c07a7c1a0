# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Parts of glTF files that trimesh does not draw: morph targets, triangle fans and instances."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from raycore.errors import MeshError
from raycore.mesh.gltf.attributes import Header, rows_of
from raycore.mesh.gltf.scene import INSTANCING, copies_of
from raycore.mesh.readers import MeshPart, MeshSource, check_faces

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

TRIANGLES, STRIP, FAN = 4, 5, 6
"""Modes of primitives that are triangles; smaller modes are points and lines."""


def surfaces_of(mesh: Header) -> list[Header]:
    """Return the primitives of a mesh that are triangles, strips or fans, and have positions."""
    return [
        primitive
        for primitive in mesh["primitives"]
        if primitive.get("mode", TRIANGLES) in {TRIANGLES, STRIP, FAN}
        and "POSITION" in primitive["attributes"]
    ]


class Drawing:
    """Applies to primitives of a glTF file what trimesh ignores: morph targets, fans and instances.

    Parameters
    ----------
    header : Header
        JSON of the file.
    buffers : mapping of str to bytes
        Buffers of the file, by "buffer 0" and so on.
    source : MeshSource
        The file.
    """

    def __init__(self, header: Header, buffers: Mapping[str, bytes], source: MeshSource) -> None:
        self._header = header
        self._buffers = buffers
        self._source = source

    def drawn(self, number: int, primitive: Header, part: MeshPart) -> MeshPart:
        """Return a primitive as node ``number`` draws it, in the frame of the node.

        ``part`` is the primitive as trimesh has read it. If the node has instances, the result
        contains all of them, and follows no bones.

        Raises
        ------
        MeshError
            The data of morph targets or instances are inconsistent.
        """
        header = self._header
        source = self._source
        vertices = self._at_rest(number, primitive, np.asarray(part.vertices, np.float64))
        faces = self._fan(primitive) if primitive.get("mode") == FAN else part.faces
        copies = copies_of(number, header, self._buffers, source)
        if copies is None:
            return part._replace(vertices=vertices, faces=faces)
        if part.bound is not None:
            source.unfollowed.add(f"wheel or skin of {INSTANCING}", f"node {number}")
        check_faces(faces, len(vertices), source)  # else they would mean vertices of the next copy
        return MeshPart(
            copies.placed(vertices),
            copies.repeated(faces, len(vertices)),
            part.material,
            None if part.uv is None else np.tile(part.uv, (len(copies.move), 1)),
        )

    def _at_rest(
        self, number: int, primitive: Header, vertices: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return a primitive's vertices, moved by morph targets with the node's default weights."""
        accessors = self._header["accessors"]
        node = self._header["nodes"][number]
        weights = node.get("weights", self._header["meshes"][node["mesh"]].get("weights", []))
        targets = primitive.get("targets", [])
        subject = f"{self._source}: node {number}"
        if any(weights) and len(weights) != len(targets):
            raise MeshError(
                f"{subject}: its mesh has {len(weights)} weights, expected one for each of "
                f"{len(targets)} morph targets"
            )
        for target, weight in zip(targets, weights, strict=False):  # no weights: all are 0
            if weight and "POSITION" in target:
                index = target["POSITION"]
                kind = accessors[index]["type"]
                n = accessors[index]["count"]
                if (kind, n) != ("VEC3", len(vertices)):
                    raise MeshError(
                        f"{subject}: a morph target has {n} {kind}, expected {len(vertices)} VEC3"
                    )
                moves = rows_of(self._header, index, self._buffers, self._source)
                vertices = vertices + float(weight) * moves
        return vertices

    def _fan(self, primitive: Header) -> NDArray[np.int64]:
        """Return the faces of a triangle fan around its first corner, (n, 3)."""
        if "indices" in primitive:
            rows = rows_of(self._header, primitive["indices"], self._buffers, self._source)
            corners = rows[:, 0].astype(np.int64)
        else:
            positions = primitive["attributes"]["POSITION"]
            corners = np.arange(self._header["accessors"][positions]["count"])
        first = np.full(len(corners) - 2, corners[0])
        return np.stack([first, corners[1:-1], corners[2:]], axis=1)
