# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The drawn part of a glTF file: the nodes of its scene, and how often each repeats its mesh."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from raycore.errors import MeshError
from raycore.mesh.gltf.attributes import Header, rows_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

INSTANCING, VISIBILITY = "EXT_mesh_gpu_instancing", "KHR_node_visibility"
PLACES = {"TRANSLATION": "VEC3", "ROTATION": "VEC4", "SCALE": "VEC3"}
"""Attributes that give the pose and scale of instances, and their types."""


def root_nodes(header: Header) -> list[int]:
    """Return indices of the default scene's root nodes, or of all roots if there is no scene.

    ``header`` is the JSON of the glTF file; the indices refer to its "nodes".
    """
    nodes = header.get("nodes", [])
    scenes = header.get("scenes", [])
    if scenes:
        roots: list[int] = scenes[header.get("scene", 0)].get("nodes", [])
        return roots
    children = {child for node in nodes for child in node.get("children", [])}
    return [number for number in range(len(nodes)) if number not in children]


def hidden_nodes(header: Header) -> set[int]:
    """Return the indices of nodes that KHR_node_visibility hides, and of all nodes below them.

    ``header`` is the JSON of the glTF file; the indices refer to its "nodes".
    """
    nodes = header.get("nodes", [])
    waiting = [number for number, node in enumerate(nodes) if not _is_visible(node)]
    hidden: set[int] = set()
    while waiting:
        number = waiting.pop()
        if number not in hidden:
            hidden.add(number)
            waiting += nodes[number].get("children", [])
    return hidden


def _is_visible(node: Header) -> bool:
    stated = node.get("extensions", {}).get(VISIBILITY, {})
    return stated.get("visible", True) is not False


def instance_accessors(node: Header) -> dict[str, int] | None:
    """Return the number of the accessor for each attribute of a node's instances, by its name.

    ``node`` is the JSON object of the glTF node. The names of attributes are TRANSLATION, ROTATION
    and SCALE; a node may also have others. None if the node has no instances, so that it draws its
    mesh once.
    """
    stated = node.get("extensions", {}).get(INSTANCING)
    accessors: dict[str, int] = {} if stated is None else stated.get("attributes", {})
    return accessors or None


def times_drawn(node: Header, header: Header) -> int:
    """Return how often a node draws its mesh: its number of instances, or 1 without instances.

    ``node`` is the JSON object of the node, and ``header`` the JSON of the glTF file.
    """
    accessors = instance_accessors(node) or {}
    return max((header["accessors"][one]["count"] for one in accessors.values()), default=1)


class Copies(NamedTuple):
    """Copies of a mesh in the frame of its node: scaled, then turned, then moved.

    Attributes
    ----------
    move : float64 (n, 3)
        Translation. [m]
    turn : float64 (n, 3, 3)
        Rotation.
    size : float64 (n, 3)
        Scale.
    """

    move: NDArray[np.float64]
    turn: NDArray[np.float64]
    size: NDArray[np.float64]

    def placed(self, vertices: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the vertices of all copies, copy by copy, (n * n_vertex, 3)."""
        x, y, z = (vertices * self.size[:, None]).transpose(2, 0, 1)[..., None]
        turn = self.turn.transpose(2, 0, 1)[:, :, None]
        placed = x * turn[0] + y * turn[1] + z * turn[2] + self.move[:, None]
        return np.asarray(placed.reshape(-1, 3))

    def repeated(self, faces: NDArray[np.int64], n_vertex: int) -> NDArray[np.int64]:
        """Return the faces of all copies, copy by copy, int64 (n * n_face, 3).

        ``faces`` has the vertex indices of one copy, and ``n_vertex`` is its number of vertices.
        The indices in the result refer to the vertices that `placed` returns.
        """
        first = n_vertex * np.arange(len(self.move))
        return (np.asarray(faces, np.int64) + first[:, None, None]).reshape(-1, 3)


def copies_of(
    number: int, header: Header, buffers: Mapping[str, bytes], source: object
) -> Copies | None:
    """Return the instances of a node's mesh (EXT_mesh_gpu_instancing); None if it has none.

    Parameters
    ----------
    number : int
        Number of the node in the file.
    header : Header
        JSON of the file.
    buffers : mapping of str to bytes
        Buffers of the file, by "buffer 0" and so on.
    source : object
        Name of the file for messages.

    Raises
    ------
    MeshError
        An accessor of `PLACES` has a wrong type, or is shorter than the longest accessor of the
        instances.
    """
    node = header["nodes"][number]
    accessors = instance_accessors(node)
    if accessors is None:
        return None
    n = times_drawn(node, header)
    found = {}
    for name, kind in PLACES.items():
        if name in accessors:
            accessor = header["accessors"][accessors[name]]
            if (accessor["type"], accessor["count"]) != (kind, n):
                raise MeshError(
                    f"{source}: node {number}: {name} of {INSTANCING} has {accessor['count']} "
                    f"{accessor['type']}, expected {n} {kind}"
                )
            found[name] = rows_of(header, accessors[name], buffers, source)
    return Copies(
        found.get("TRANSLATION", np.zeros((n, 3))),
        _turns(found.get("ROTATION", np.tile((0.0, 0.0, 0.0, 1.0), (n, 1)))),
        found.get("SCALE", np.ones((n, 3))),
    )


def _turns(quaternions: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the matrices (n, 3, 3) of quaternions (n, 4) x, y, z, w of any length except 0."""
    x, y, z, w = quaternions.T
    half = (x * x + y * y + z * z + w * w) / 2.0  # packed numbers are rounded: length is not 1
    rows = [
        [half - y * y - z * z, x * y - z * w, x * z + y * w],
        [x * y + z * w, half - x * x - z * z, y * z - x * w],
        [x * z - y * w, y * z + x * w, half - x * x - y * y],
    ]
    return np.asarray((np.array(rows) / half).transpose(2, 0, 1))
