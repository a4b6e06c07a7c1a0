# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Motion of rigid bodies: poses at given times, and the interpolation between them.

Between two poses the translation is linear in time, and the rotation turns evenly about one axis,
the shorter way round. That is the spherical linear interpolation (SLERP) of unit quaternions [1]_.

References
----------
.. [1] K. Shoemake, Animating rotation with quaternion curves, SIGGRAPH 1985, 245-254,
   doi:10.1145/325334.325242
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from raycore.errors import RayCoreError
from raycore.scene import motion_kernels

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

_FEW_TIMES = 64
"""Up to this number of times, threads cost more than they save."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Trajectory:
    """Poses of a body at given times.

    Attributes
    ----------
    time : float64 (n_key,)
        Times of the poses, increasing, in any unit. The body rests before the first time and after
        the last one.
    world_from_body : float64 (n_key, 4, 4)
        Poses of the body: rotations and translations. [m]
    """

    time: NDArray[np.float64]
    world_from_body: NDArray[np.float64]
    _turn_rad: NDArray[np.float64] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        n_key = len(self.time)
        if n_key < 1 or self.world_from_body.shape != (n_key, 4, 4):
            raise RayCoreError(
                f"Trajectory: got {n_key} times and poses of shape {self.world_from_body.shape}, "
                "expected a pose (4, 4) for each time"
            )
        if (np.diff(self.time) <= 0.0).any():
            raise RayCoreError("Trajectory: expected increasing times")
        object.__setattr__(self, "_turn_rad", turns_rad(self.world_from_body[:, :3, :3]))

    def at(
        self, time: ArrayLike, body_from_part: NDArray[np.float64] | None = None
    ) -> NDArray[np.float64]:
        """Return the pose of the body, or of a part fixed to it, at each time.

        Parameters
        ----------
        time : float (n,)
            Times, in the unit of ``self.time``.
        body_from_part : float64 (4, 4), optional
            Pose of the part in the body's frame.

        Returns
        -------
        float64 (n, 4, 4)
        """
        times = np.atleast_1d(np.asarray(time, np.float64))
        part = np.eye(4) if body_from_part is None else body_from_part
        poses = np.empty((len(times), 4, 4))
        keys, turn_rad = self.world_from_body, self._turn_rad
        if len(times) > _FEW_TIMES:
            motion_kernels.poses_at(self.time, keys, turn_rad, times, part, poses)
        else:
            motion_kernels.bodies_at(
                self.time, keys[None], turn_rad[None], times, part, poses[None]
            )
        return poses

    def velocity(
        self, time: ArrayLike, world_from_part: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the velocity and turn rate, at each time, of a part that is fixed to the body.

        They are the derivatives of the poses that `at` returns, and 0 before the first time and
        after the last one. At a time of ``self.time``, the motion that ends there counts.

        Parameters
        ----------
        time : float (n,)
            Times, in the unit of ``self.time``.
        world_from_part : float64 (n, 4, 4)
            Poses of the part at these times, from `at`. [m]

        Returns
        -------
        float64 (n, 3)
            Velocity of the part's origin, in the part's frame. [m per unit of time]
        float64 (n, 3)
            Turn rate of the part, in the part's frame. [rad per unit of time]
        """
        times = np.atleast_1d(np.asarray(time, np.float64))
        velocity = np.empty((2, len(times), 3))
        motion_kernels.velocities_at(
            self.time, self.world_from_body, self._turn_rad, times, world_from_part, velocity
        )
        return velocity[0], velocity[1]


def bodies_at(
    key_time: NDArray[np.float64],
    world_from_body: NDArray[np.float64],
    time: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return the poses of many bodies at given times, interpolated as by `Trajectory`.

    Parameters
    ----------
    key_time : float64 (n_key,)
        Times of the known poses, increasing, in any unit.
    world_from_body : float64 (n_body, n_key, 4, 4)
        Known poses of the bodies: rotations and translations. [m]
    time : float64 (n,)
        Times at which poses are wanted, in the unit of ``key_time``.

    Returns
    -------
    float64 (n_body, n, 4, 4)
    """
    poses = np.empty((len(world_from_body), len(time), 4, 4))
    turn_rad = turns_rad(world_from_body[:, :, :3, :3])
    motion_kernels.bodies_at(key_time, world_from_body, turn_rad, time, np.eye(4), poses)
    return poses


def turns_rad(rotation: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the rotation vector from each rotation of a sequence to the next one.

    Parameters
    ----------
    rotation : float64 (..., n, 3, 3)
        Sequences of n rotation matrices R, from the body to its parent frame.

    Returns
    -------
    float64 (..., n - 1, 3)
        Axis in the parent frame times angle, 0 to pi: R[i + 1] = exp([turn]) R[i]. [rad]
    """
    *bodies, n, _, _ = rotation.shape
    turn_rad = np.empty((*bodies, n - 1, 3))
    if turn_rad.size:
        motion_kernels.write_turns(
            np.ascontiguousarray(rotation).reshape(-1, n, 3, 3), turn_rad.reshape(-1, n - 1, 3)
        )
    return turn_rad


def quaternions(rotation: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return rotations as unit quaternions r i j k with r >= 0, float64 (..., 4).

    ``rotation``, float64 (..., 3, 3), has the rotation matrices.
    """
    found = np.empty((*rotation.shape[:-2], 4))
    motion_kernels.write_quaternions(
        np.ascontiguousarray(rotation).reshape(-1, 3, 3), found.reshape(-1, 4)
    )
    return found


def split(object_from_mesh: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Split each pose of a mesh in a turning object into a rotation Q and a fixed part.

    Embree needs this form, to turn the object about its own origin. The linear part of a pose is Q
    U, with an upper triangular matrix U. If the object has the pose R, t, a point x of the mesh is
    at R (Q (U x + Q^T m)) + t, where m is the mesh's origin in the object's frame.

    Parameters
    ----------
    object_from_mesh : float64 (n, 4, 4)
        Any invertible affine transforms. [m]

    Returns
    -------
    float64 (n, 3, 3)
        The rotations Q.
    float64 (n, 9)
        The fixed parts: scale x y z and skew xy xz yz, which form U, then shift x y z, which is Q^T
        m.
    """
    q, upper = np.linalg.qr(object_from_mesh[:, :3, :3])
    mirrors = np.linalg.det(q) < 0.0
    q[mirrors], upper[mirrors] = -q[mirrors], -upper[mirrors]
    fixed = np.empty((len(q), 9))
    fixed[:, 0:3] = np.diagonal(upper, axis1=1, axis2=2)
    fixed[:, 3:6] = upper[:, (0, 0, 1), (1, 2, 2)]
    fixed[:, 6:9] = (np.swapaxes(q, 1, 2) @ object_from_mesh[:, :3, 3:])[:, :, 0]
    return q, fixed


def decomposed(
    world_from_object: NDArray[np.float64], q: NDArray[np.float64], fixed: NDArray[np.float64]
) -> NDArray[np.float32]:
    """Return the poses of meshes in turning objects in Embree's decomposed form.

    Parameters
    ----------
    world_from_object : float64 (n, n_step, 4, 4)
        Poses of the objects: rotations and translations. [m]
    q, fixed : float64 (n, 3, 3) and (n, 9)
        As returned by ``split``.

    Returns
    -------
    float32 (n, n_step, 16)
        One RTCQuaternionDecomposition for each step: scale x y z, skew xy xz yz, shift x y z,
        quaternion r i j k, translation x y z. A mesh is scaled, skewed and shifted, then turned,
        then translated. Between two steps Embree interpolates the quaternion spherically, and
        everything else linearly.
    """
    rows = np.empty((*world_from_object.shape[:2], 16), np.float32)
    rows[:, :, 0:9] = fixed[:, None]
    turned = quaternions(world_from_object[:, :, :3, :3] @ q[:, None])
    for step in range(1, turned.shape[1]):  # the shorter way round
        against = np.einsum("ij,ij->i", turned[:, step], turned[:, step - 1]) < 0.0
        turned[against, step] *= -1.0
    rows[:, :, 9:13] = turned
    rows[:, :, 13:16] = world_from_object[:, :, :3, 3]
    return rows
