# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Rotation matrices from OSI's orientation angles."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["orientation_from_rotation", "rotation_from_orientation"]

_UPRIGHT: Final = 1e-9
"""If the cosine of the pitch is smaller, roll and yaw turn about the same axis. [1]"""


def rotation_from_orientation(orientation_rad: ArrayLike) -> NDArray[np.float64]:
    """Return the rotation from an object's frame to its parent frame.

    R = Rz(yaw) Ry(pitch) Rx(roll), so ``p_parent = position + R @ p_object``.

    Parameters
    ----------
    orientation_rad : float64 (..., 3)
        Roll, pitch, yaw about x, y, z; right-handed. [rad]

    Returns
    -------
    float64 (..., 3, 3)

    Notes
    -----
    OSI's Orientation3d: rotate about z, then about the new y, then about the new x (Tait-Bryan
    z-y'-x'', as in ISO 8855), which is the product above.
    """
    angles = np.asarray(orientation_rad, np.float64)
    sin_r, sin_p, sin_y = np.moveaxis(np.sin(angles), -1, 0)
    cos_r, cos_p, cos_y = np.moveaxis(np.cos(angles), -1, 0)
    R = np.empty((*angles.shape, 3))
    R[..., 0, 0] = cos_y * cos_p
    R[..., 0, 1] = cos_y * sin_p * sin_r - sin_y * cos_r
    R[..., 0, 2] = cos_y * sin_p * cos_r + sin_y * sin_r
    R[..., 1, 0] = sin_y * cos_p
    R[..., 1, 1] = sin_y * sin_p * sin_r + cos_y * cos_r
    R[..., 1, 2] = sin_y * sin_p * cos_r - cos_y * sin_r
    R[..., 2, 0] = -sin_p
    R[..., 2, 1] = cos_p * sin_r
    R[..., 2, 2] = cos_p * cos_r
    return R


def orientation_from_rotation(rotation: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return roll, pitch and yaw of rotations; roll is 0 if the pitch is ±90 degrees.

    Parameters
    ----------
    rotation : float64 (..., 3, 3)
        Rotation matrices as returned by `rotation_from_orientation`.

    Returns
    -------
    float64 (..., 3)
        Roll, pitch, yaw. [rad]
    """
    level = np.hypot(rotation[..., 0, 0], rotation[..., 1, 0])
    is_upright = level < _UPRIGHT
    roll = np.arctan2(rotation[..., 2, 1], rotation[..., 2, 2])
    yaw = np.where(
        is_upright,
        np.arctan2(-rotation[..., 0, 1], rotation[..., 1, 1]),
        np.arctan2(rotation[..., 1, 0], rotation[..., 0, 0]),
    )
    pitch = np.arctan2(-rotation[..., 2, 0], level)
    return np.stack([np.where(is_upright, 0.0, roll), pitch, yaw], axis=-1)
