# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Bones of mesh files: nodes that are wheels, and joints of skins, with the vertices they move.

A node is a wheel by its name. Nodes with other names are not bones, unless they are joints.

    Grp_Wheel_Steering_Rotating_0_1          ASAM OpenMATERIAL 3D; not Grp_Wheel_0_1, which holds
                                             the brakes as well
    Wheel_Front_Left, wheel_fl, WheelRL.001, a word for a wheel (wheel, tire, tyre, rim), with or
    FrontLeftWheel, Grp_Wheel_Front_Left,    without axle, side, number, and general words (grp,
    tyre_rear_right, Wheel                   mesh, vehicle, ...), but no other words
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

N_BONE = 4
"""Largest number of bones that a vertex follows, as in glTF."""
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
_WHEELS = {"wheel", "tire", "tyre", "rim"}
_PLACES = {
    "front", "rear", "back", "left", "right", "middle", "f", "r", "l", "b", "fl", "fr", "rl",
    "rr", "bl", "br", "lf", "rf", "lr", "lb", "rb",
}  # fmt: skip
_IDLE = {
    "grp", "group", "mesh", "node", "obj", "object", "sm", "geo", "vehicle", "car", "truck",
    "bus", "trailer", "lod",
}  # fmt: skip
_ROTATING = ["grp", "wheel", "steering", "rotating"]


class Bone(NamedTuple):
    """A wheel or a joint of a mesh file.

    Attributes
    ----------
    name : str
        Name of the node.
    parent : int
        Index of the parent joint among the bones of the mesh; -1 = none.
    origin_m : (float, float, float)
        Origin of the node in the mesh frame; for a joint, in the pose in which the skin was bound.
        [m]
    """

    name: str
    parent: int
    origin_m: tuple[float, float, float]


class Bound(NamedTuple):
    """The bones that the n vertices of a mesh follow.

    Attributes
    ----------
    bone : uint16 (n, 4)
        Indices of bones of the mesh.
    weight : float32 (n, 4)
        Weight of each of these bones; all 0 if a vertex follows no bone.
    """

    bone: NDArray[np.uint16]
    weight: NDArray[np.float32]


def unbound(n: int) -> Bound:
    """Return the `Bound` of n vertices that follow no bones."""
    return Bound(np.zeros((n, N_BONE), np.uint16), np.zeros((n, N_BONE), np.float32))


def is_wheel(name: str) -> bool:
    """Return whether a node with this name is taken for a wheel."""
    words = [word.lower() for word in _WORD.findall(name)]
    named = [word for word in words if not word.isdigit()]
    if named == _ROTATING:
        return True
    if named == ["grp", "wheel"]:
        return False
    return bool(_WHEELS.intersection(named)) and set(named) <= _WHEELS | _PLACES | _IDLE
