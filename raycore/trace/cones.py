# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Cones around ray packets and boxes, as seen from the sensor: a quick test whether rays miss.

A ray of a packet can meet a box only if the angle between their axes is at most the sum of their
half angles, a + b. Axes are unit vectors, so that this is axis . axis >= cos a cos b - sin a sin b.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from raycore.pattern.fan_kernels import START_LEFT, START_UP
from raycore.trace.arguments import Cones

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from raycore.records import Shots

_CHUNK = 8192  # packets at a time, so that sub-rays of many beams take little memory
MOST_POSES = 9
"""Largest number of poses of a moving sensor for which the cones around boxes are computed. If a
scan has more poses, the cones are widened by their distances from the chosen ones."""
_ROUNDED = 1e-12  # rounding error of a cosine of unit vectors
_SLACK_M, _SLACK_PER_M = 1e-3, 1e-4  # added to a box's radius: more than float32 rounds


NO_CONES = Cones(np.zeros((0, 3), np.float32), np.zeros(0, np.float32), np.zeros(0, np.float32))


def packet_cones(shots: Shots, width: int) -> Cones:
    """Return for each packet of consecutive rays a cone that contains the rays' directions.

    Parameters
    ----------
    shots : Shots
        The rays.
    width : int
        Number of rays of a packet; the last packet may have fewer.
    """
    n_rays, chunk = len(shots), _CHUNK * width
    parts = [
        _cones_around(shots.rows(np.arange(first, min(first + chunk, n_rays))).direction, width)
        for first in range(0, n_rays, chunk)
    ]
    return Cones(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))


def _cones_around(direction: NDArray[np.float32], width: int) -> Cones:
    """Return the cones around packets of rays, given the rays' directions (3, n)."""
    n_rays = direction.shape[1]
    n_packet = -(-n_rays // width)
    rays = np.empty((n_packet * width, 3))
    rays[:n_rays] = direction.T
    rays[n_rays:] = direction[:, -1]
    packets = rays.reshape(n_packet, width, 3)
    axis = packets.mean(axis=1)
    length = np.linalg.norm(axis, axis=1, keepdims=True)
    axis = np.divide(axis, length, out=np.zeros_like(axis), where=length > 0.0)
    cosine = np.einsum("pwi,pi->pw", packets, axis).min(axis=1) - 1e-6
    wide = cosine < 0.0
    axis[wide] = 0.0
    cosine = np.where(wide, 0.0, np.clip(cosine, 0.0, 1.0))
    return _cones(axis, cosine)


def box_cones(
    lower_m: NDArray[np.float32],
    upper_m: NDArray[np.float32],
    anchor_from_sensor: NDArray[np.float64],
    shots: Shots,
) -> Cones:
    """Return for each box a cone in the sensor frame that contains it, seen from all poses.

    If the sensor is within the sphere around a box at any pose, the cone contains every direction.

    Parameters
    ----------
    lower_m, upper_m : float32 (n, 3)
        Corners in the anchor frame. [m]
    anchor_from_sensor : float64 (n_pose, 4, 4)
        Poses of the sensor. [m]
    shots : Shots
        Rays of the sensor, which may start beside its origin.
    """
    low, high = lower_m.astype(np.float64), upper_m.astype(np.float64)
    some, way_m, turn_rad = some_poses(anchor_from_sensor)
    rotation, position_m = some[:, :3, :3], some[:, None, :3, 3]
    centre_m = ((low + high) / 2 - position_m) @ rotation
    distance_m = np.linalg.norm(centre_m, axis=2)
    beside_m = float(np.linalg.norm(shots.origin_m, axis=1).max())
    if len(shots.fan):
        beside_m += float(np.hypot(shots.fan[:, START_LEFT], shots.fan[:, START_UP]).max())
    radius_m = np.linalg.norm(high - low, axis=1) / 2 + beside_m + way_m
    radius_m = radius_m + _SLACK_M + _SLACK_PER_M * distance_m
    within = (distance_m <= radius_m).any(axis=0)
    distance_m = np.maximum(distance_m, radius_m)
    towards = centre_m / distance_m[..., None]
    axis = towards.mean(axis=0)
    length = np.linalg.norm(axis, axis=1, keepdims=True)
    axis = np.divide(axis, length, out=np.zeros_like(axis), where=length > 0.0)
    aside_rad = np.arccos(np.clip((towards * axis).sum(axis=2) - _ROUNDED, -1.0, 1.0))
    half_rad = (aside_rad + np.arcsin(radius_m / distance_m)).max(axis=0) + turn_rad
    wide = within | (half_rad >= 0.5 * np.pi)
    axis[wide] = 0.0
    return _cones(axis, np.where(wide, 0.0, np.cos(half_rad)))


def some_poses(
    poses: NDArray[np.float64],
) -> tuple[NDArray[np.float64], float, float]:
    """Return some of a scan's poses (n_pose, 4, 4), and how far the other poses are from them.

    Returns
    -------
    float64 (n, 4, 4)
        The chosen poses, at most ``MOST_POSES``. [m]
    float, float
        Each pose is compared with a chosen pose near it: largest distance between the two [m], and
        largest rotation between them [rad].
    """
    last = len(poses) - 1
    chosen = np.unique(np.linspace(0, last, MOST_POSES).round().astype(np.intp))
    some = poses[chosen]
    if len(some) == len(poses):
        return some, 0.0, 0.0
    near = some[(np.arange(len(poses)) * (len(some) - 1) / last).round().astype(np.intp)]
    apart = np.linalg.norm(poses[:, :3, 3] - near[:, :3, 3], axis=1)
    # a rotation R by an angle a: the norm of R - 1 is 2 sqrt 2 sin(a / 2)
    turned = np.linalg.norm(poses[:, :3, :3] - near[:, :3, :3], axis=(1, 2)).max()
    return some, float(apart.max()), float(2.0 * np.arcsin(min(turned / np.sqrt(8.0), 1.0)))


def _cones(axis: NDArray[np.float64], cos_half: NDArray[np.float64]) -> Cones:
    return Cones(
        axis.astype(np.float32),
        cos_half.astype(np.float32),
        np.sqrt(1.0 - cos_half * cos_half).astype(np.float32),
    )
