# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Wheels and skeletons of glTF files: their bones, and which vertices follow them."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

import numpy as np

from raycore.mesh.bones import N_BONE, Bone, Bound, is_wheel
from raycore.mesh.gltf.attributes import Header, is_plain
from raycore.mesh.gltf.scene import root_nodes

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from numpy.typing import NDArray

JOINTS, WEIGHTS = "_JOINTS", "_WEIGHTS"
"""Names for joints and weights of vertices: trimesh keeps attributes with leading underscore."""
_FARTHEST = 1e12  # as for vertices
_FLOATS_OF_MATRIX = 16
# Joints may stand apart from the pose that they were bound in: files are rounded.
_RELATIVE = 1e-3
_APART = 1e-2  # [m]


def skin_accessors(header: Header, primitive: Header) -> dict[str, int]:
    """Return the numbers of the accessors with a primitive's joints and weights for skinning.

    The keys are the names `JOINTS` and `WEIGHTS`. The result is {} unless both accessors exist and
    have four values for each vertex. ``header`` is the JSON of the file.
    """
    found = {}
    for name, attribute in ((JOINTS, "JOINTS_0"), (WEIGHTS, "WEIGHTS_0")):
        index = primitive["attributes"].get(attribute)
        if index is None or not is_plain(header, index, primitive, "VEC4"):
            return {}
        found[name] = index
    return found


class FileBones:
    """The bones of a glTF file.

    Parameters
    ----------
    header : Header
        JSON of the file, in which each node has one parent at most.
    buffers : mapping of str to bytes
        Buffers of the file, by "buffer 0" and so on.

    Attributes
    ----------
    bones : tuple of Bone
        Wheels, and the joints of all skins in use. If a bone or skin of the file is invalid, this
        and all later bones are missing; no error is raised.
    posed : list of int
        Nodes with skins whose joints are in another pose than the one in which the skin was bound.
    """

    def __init__(self, header: Header, buffers: Mapping[str, bytes]) -> None:
        self._nodes = header.get("nodes", [])
        self._wheel_of: dict[int, int] = {}
        self._first_joint: dict[int, int] = {}
        self.posed: list[int] = []
        bones: list[Bone] = []
        first_of: dict[tuple[Bone, ...], int] = {}  # several nodes may have one skin
        with suppress(LookupError, TypeError, ValueError, AttributeError):  # wrong content
            poses = dict(_poses(header))
            self._add_wheels(bones, poses)
            for number, pose in poses.items():
                skin = self._nodes[number].get("skin")
                if skin is not None and "mesh" in self._nodes[number]:
                    bound = pose @ _bind_poses(header, skin, buffers)
                    joints = _joints(header, skin, bound)
                    stand = np.array([poses[joint] for joint in header["skins"][skin]["joints"]])
                    if not np.allclose(stand, bound, rtol=_RELATIVE, atol=_APART):
                        self.posed.append(number)
                    first = first_of.setdefault(tuple(joints), len(bones))
                    self._first_joint[number] = first
                    if first == len(bones):
                        bones += [
                            each._replace(parent=each.parent + first * (each.parent >= 0))
                            for each in joints
                        ]
        self.bones = tuple(bones)

    def bound(
        self, node: int, attributes: Mapping[str, NDArray[np.float64]], n_vertex: int
    ) -> Bound | None:
        """Return the bones that the vertices of a node's mesh follow, with weights of sum 1.

        If all weights of a vertex are 0 in the file, they stay 0: it follows no bone. None if the
        node has neither a skin nor a wheel, or if the joints or weights are invalid.

        Parameters
        ----------
        node : int
            Number of the node in the file.
        attributes : mapping of str to array
            Attributes of the vertices, (n_vertex, 4) each; a skin needs the keys `JOINTS`,
            `WEIGHTS`.
        n_vertex : int
            Number of vertices.
        """
        bone = np.zeros((n_vertex, N_BONE), np.uint16)
        weight = np.zeros((n_vertex, N_BONE), np.float32)
        if node in self._first_joint and JOINTS in attributes:
            bone[:] = np.asarray(attributes[JOINTS], np.int64) + self._first_joint[node]
            weight[:] = attributes[WEIGHTS]
            if bone.max() >= len(self.bones) or not (np.isfinite(weight) & (weight >= 0.0)).all():
                return None
            weight /= np.maximum(weight.sum(axis=1, keepdims=True), np.float32(1e-6))
        elif node in self._wheel_of:
            bone[:, 0] = self._wheel_of[node]
            weight[:, 0] = 1.0
        else:
            return None
        return Bound(bone, weight)

    def _add_wheels(self, bones: list[Bone], poses: Mapping[int, NDArray[np.float64]]) -> None:
        """Add a bone for each wheel; of nested nodes that are wheels, only the outermost counts."""
        parent_of = {
            child: number for number in poses for child in self._nodes[number].get("children", [])
        }
        for number in poses:  # parents come first
            above = parent_of.get(number, -1)
            if above in self._wheel_of:
                self._wheel_of[number] = self._wheel_of[above]
            elif is_wheel(str(self._nodes[number].get("name", ""))):
                bones.append(_bone(self._nodes[number], -1, poses[number]))
                self._wheel_of[number] = len(bones) - 1


def _bone(node: Header, parent: int, pose: NDArray[np.float64]) -> Bone:
    x, y, z = pose[:3, 3].tolist()
    if not all(abs(each) <= _FARTHEST for each in (x, y, z)):
        raise ValueError("a bone has a position that is not finite or too far away")
    return Bone(str(node.get("name", "")), parent, (x, y, z))


def _poses(header: Header) -> Iterator[tuple[int, NDArray[np.float64]]]:
    """Yield the index and the pose (4, 4) in the scene of each node, parents first."""
    nodes = header.get("nodes", [])
    waiting = [(number, np.eye(4)) for number in reversed(root_nodes(header))]
    while waiting:
        number, above = waiting.pop()
        pose = above @ _local(nodes[number])
        yield number, pose
        waiting += [(child, pose) for child in reversed(nodes[number].get("children", []))]


def _local(node: Header) -> NDArray[np.float64]:
    """Return the pose of a node in its parent, (4, 4)."""
    if "matrix" in node:
        matrix: NDArray[np.float64] = np.array(node["matrix"], np.float64).reshape(4, 4).T
        return matrix
    x, y, z, w = node.get("rotation", (0.0, 0.0, 0.0, 1.0))
    pose = np.eye(4)
    pose[:3, :3] = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
    ]
    pose[:3, :3] *= np.asarray(node.get("scale", (1.0, 1.0, 1.0)), np.float64)
    pose[:3, 3] = node.get("translation", (0.0, 0.0, 0.0))
    return pose


def _bind_poses(header: Header, skin: int, buffers: Mapping[str, bytes]) -> NDArray[np.float64]:
    """Return the poses (n, 4, 4) of a skin's joints in which it was bound, in the mesh frame."""
    joints = header["skins"][skin]["joints"]
    stated = header["skins"][skin].get("inverseBindMatrices")
    if stated is None:
        return np.broadcast_to(np.eye(4), (len(joints), 4, 4))
    accessor = header["accessors"][stated]
    view = header["bufferViews"][accessor["bufferView"]]
    data = buffers[f"buffer {view['buffer']}"]
    start = view.get("byteOffset", 0) + accessor.get("byteOffset", 0)
    numbers = np.frombuffer(data, "<f4", _FLOATS_OF_MATRIX * len(joints), start)
    inverse = numbers.reshape(-1, 4, 4).swapaxes(1, 2).astype(np.float64)
    return np.asarray(np.linalg.inv(inverse))


def _joints(header: Header, skin: int, poses: NDArray[np.float64]) -> list[Bone]:
    """Return the joints of a skin as bones, given their poses (n, 4, 4) in the scene."""
    nodes, joints = header["nodes"], header["skins"][skin]["joints"]
    place = {node: k for k, node in enumerate(joints)}
    parent = {child: place[node] for node in joints for child in nodes[node].get("children", [])}
    return [
        _bone(nodes[node], parent.get(node, -1), pose)
        for node, pose in zip(joints, poses, strict=True)
    ]
