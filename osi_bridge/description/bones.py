# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Decoding of a person's skeleton, on demand: only the code that poses people needs it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from osi3.osi_object_pb2 import MovingObject

from osi_bridge.description.limits import MAX_ANGLE_RAD, are_within
from osi_bridge.rotation import rotation_from_orientation

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from osi3.osi_common_pb2 import Orientation3d

    from osi_bridge.records import Frame

__all__ = ["BONES", "Bones", "bones_of"]

_TYPE = MovingObject.PedestrianAttributes.Bone.Type
BONES = {name.removeprefix("TYPE_"): number for name, number in _TYPE.items()}
"""Numbers of the bones, by the names of OSI without their prefix, such as "UPPER_LEG_L"."""
MOST_BONES, FARTHEST_M = 256, 100.0
"""Limits for one person: number of bones, and distance of a bone; the rest is ignored. [1], [m]"""


class Bones(NamedTuple):
    """Bones of a person as a message states them; the row of a bone is its number in `BONES`.

    Positions and directions are in the object's axes. They are NaN if they are not stated or
    impossible, or if the bone is missing.
    """

    joint_m: NDArray[np.float64]
    """Position of the start of each bone, its joint nearer to the root of the skeleton. [m]

    It is relative to the centre of the bounding box, float64 (20, 3).
    """
    along: NDArray[np.float64]
    """Unit vector along each bone, away from its joint nearer to the root, float64 (20, 3)."""
    missing: NDArray[np.bool_]
    """Whether the message states that the person lacks the bone, bool (20,)."""


def bones_of(frame: Frame, row: int) -> Bones | None:
    """Return the bones of the object in a row of `frame.moving`.

    The result is None if `frame.moving` has no such row, or if the message states no bone with a
    possible position. Bones beyond the first `MOST_BONES` are ignored.

    Notes
    -----
    In OSI, positions of bones are relative to the root. The axes of the root are taken to be the
    axes of the object. The direction of a bone is the y axis of its orientation: OSI leaves this
    open, but ASAM OpenMATERIAL 3D, which defines the skeletons, says so. If a message has several
    bones of one type, the last one counts.
    """
    if row >= len(frame.moving):
        return None
    stated = frame.moving[row].pedestrian_attributes
    if not stated.skeleton_bone:
        return None
    joint, along = np.full((2, len(BONES), 3), np.nan)
    missing = np.zeros(len(BONES), np.bool_)
    root = stated.bbcenter_to_root
    for bone in stated.skeleton_bone[:MOST_BONES]:
        if not 0 <= bone.type < len(BONES):
            continue
        missing[bone.type] = bone.missing
        if bone.HasField("position"):
            at = bone.position
            joint[bone.type] = root.x + at.x, root.y + at.y, root.z + at.z
        if bone.HasField("orientation"):
            along[bone.type] = _direction(bone.orientation)
    joint[~(np.abs(joint) <= FARTHEST_M).all(axis=1)] = np.nan
    joint[missing], along[missing] = np.nan, np.nan
    return Bones(joint, along, missing) if np.isfinite(joint).any() else None


def _direction(orientation: Orientation3d) -> NDArray[np.float64]:
    angles = orientation.roll, orientation.pitch, orientation.yaw
    if not are_within(angles, MAX_ANGLE_RAD):
        return np.full(3, np.nan)
    along: NDArray[np.float64] = rotation_from_orientation(angles)[:, 1]
    return along
