# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Limbs of two bones: where the joint between them is, and the poses of bones between joints."""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike

Array = NDArray[np.float64]
FORWARD, UPWARD = np.array([1.0, 0.0, 0.0]), np.array([0.0, 0.0, 1.0])
_NEXT, _AFTER = [1, 2, 0], [2, 0, 1]  # axes that follow x, y and z


def joint_between(
    start_m: Array, end_m: Array, lengths_m: tuple[float, float], toward: ArrayLike
) -> Array:
    """Return the middle joint of limbs with two bones, such as knees between hips and ankles.

    Parameters
    ----------
    start_m, end_m : float64 (..., 3)
        Start of the first bone and end of the second bone. [m]
    lengths_m : (float, float)
        Lengths of the bone at the start and of the bone at the end. [m]
    toward : array_like (3,) or (..., 3)
        Direction to which the joint bends, of any length; only its part perpendicular to the line
        from start to end counts.

    Returns
    -------
    float64 (..., 3)
        Positions of the joint, by the law of cosines. If both bones together are too short to
        reach from start to end, the joint divides the line between them as the lengths do. If
        start and end are closer than the difference of the lengths, it lies on their line, at the
        first bone's length from the start. [m]
    """
    first, second = lengths_m
    way = end_m - start_m
    reach = np.maximum(np.sqrt((way * way).sum(axis=-1, keepdims=True)), 1e-9)
    axis = way / reach
    bend = unit(np.asarray(toward) - (axis * toward).sum(axis=-1, keepdims=True) * axis)
    along = (first**2 - second**2 + reach**2) / (2.0 * reach)
    along = np.where(reach < first + second, along, reach * first / (first + second))
    along = np.clip(along, -first, first)
    across = np.sqrt(np.maximum(first**2 - along**2, 0.0)) * (reach < first + second)
    joint: Array = start_m + along * axis + across * bend
    return joint


def bone_poses(start_m: Array, end_m: Array, front: ArrayLike) -> Array:
    """Return the poses of bones, each from its start to its end.

    Parameters
    ----------
    start_m, end_m : float64 (..., 3)
        Joints at both ends of each bone, in the parent frame. [m]
    front : float64 (3,) or (..., 3)
        Direction of each bone's front; only its part perpendicular to the bone counts.

    Returns
    -------
    float64 (..., 4, 4)
        Poses parent_from_bone. The origin of a bone's frame is its start; -z points to its end, and
        x to its front. A bone of length 0 points down. [m]
    """
    up = direction(start_m - end_m, UPWARD)
    left = square_to(up, np.asarray(front, np.float64))
    rotation = np.stack([cross(left, up), left, up], axis=-1)
    return rigid(rotation, start_m)


def direction(vector: Array, instead: Array) -> Array:
    """Return vectors scaled to length 1, float64 (..., 3).

    ``vector`` has the vectors, (..., 3). One of length 0 is replaced by ``instead``, (3,) or (...,
    3), which is scaled to length 1, too.
    """
    found: Array = np.where((vector * vector).sum(axis=-1, keepdims=True) > 1e-18, vector, instead)
    return unit(found)


def square_to(along: Array, front: Array) -> Array:
    """Return unit vectors along the cross product ``along x front``, (..., 3).

    Where a vector `along` is parallel to its `front`, as for a level thigh, the z axis replaces the
    front; where it is parallel to z too, the x axis does.

    Parameters
    ----------
    along, front : float64 (..., 3)
        Direction of each bone and of its front; `along` must not have length 0.
    """
    left = cross(along, front)
    for other in (UPWARD, FORWARD):
        too_short = (left * left).sum(axis=-1, keepdims=True) < 1e-18
        if too_short.any():
            left = np.where(too_short, cross(along, other), left)
    return unit(left)


def unit(vector: Array) -> Array:
    """Return the vectors ``vector`` (..., 3) scaled to length 1; vectors of length 0 stay 0."""
    length = np.sqrt((vector * vector).sum(axis=-1, keepdims=True))
    scaled: Array = vector / np.maximum(length, 1e-9)
    return scaled


def cross(a: Array, b: Array) -> Array:
    """Return the cross products ``a x b`` of the vectors ``a`` and ``b``, float64 (..., 3) each.

    For few vectors this is faster than numpy's function.
    """
    product: Array = a[..., _NEXT] * b[..., _AFTER] - a[..., _AFTER] * b[..., _NEXT]
    return product


def turn_about_y(angle_rad: ArrayLike) -> Array:
    """Return rotation matrices about the y axis, float64 (..., 3, 3).

    ``angle_rad`` has the angles, (...) [rad]. A positive angle tips the x axis down.
    """
    angle = np.asarray(angle_rad, np.float64)
    rotation = np.zeros((*angle.shape, 3, 3))
    rotation[..., 0, 0] = rotation[..., 2, 2] = np.cos(angle)
    rotation[..., 0, 2] = np.sin(angle)
    rotation[..., 2, 0] = -rotation[..., 0, 2]
    rotation[..., 1, 1] = 1.0
    return rotation


def turn_about_z(angle_rad: ArrayLike) -> Array:
    """Return rotation matrices about the z axis, float64 (..., 3, 3).

    ``angle_rad`` has the angles, (...) [rad]. A positive angle turns left, from x to y.
    """
    angle = np.asarray(angle_rad, np.float64)
    rotation = np.zeros((*angle.shape, 3, 3))
    rotation[..., 0, 0] = rotation[..., 1, 1] = np.cos(angle)
    rotation[..., 1, 0] = np.sin(angle)
    rotation[..., 0, 1] = -rotation[..., 1, 0]
    rotation[..., 2, 2] = 1.0
    return rotation


def rigid(rotation: Array, place_m: Array) -> Array:
    """Return poses, float64 (..., 4, 4), made of rotations and positions.

    ``rotation`` has rotation matrices (..., 3, 3), and ``place_m`` the positions (..., 3) [m].
    """
    pose = np.zeros((*place_m.shape[:-1], 4, 4))
    pose[..., :3, :3] = rotation
    pose[..., :3, 3] = place_m
    pose[..., 3, 3] = 1.0
    return pose


def phase_of(object_id: int) -> float:
    """Return the phase at which an object's gait cycle starts, 0 to 1: a hash of its OSI id.

    ``object_id`` is the OSI id. The phase is the same in every run.
    """
    key = (object_id % 2**64).to_bytes(8, "little")
    return int.from_bytes(blake2b(key, digest_size=4).digest(), "little") / 2**32


def smooth(x: ArrayLike, ends: Sequence[float] = (0.0, 1.0)) -> Array:
    """Return the smooth step 3 t^2 - 2 t^3 of `x`: 0 up to ``ends[0]``, 1 from ``ends[1]`` on."""
    t = (np.asarray(x, np.float64) - ends[0]) / (ends[1] - ends[0])
    t = np.minimum(np.maximum(t, 0.0), 1.0)  # np.clip takes twice as long for few
    step: Array = t * t * (3.0 - 2.0 * t)
    return step
