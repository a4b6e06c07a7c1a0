# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Poses of real scans in a twin, fitted to their ranges."""

from collections.abc import Callable

import numpy as np
from scipy.spatial.transform import Rotation

from lidar_gap.layout import Layout
from lidar_gap.records import ScanCloud
from lidar_gap.rings import range_image

NEAR_M = 0.15  # farther apart, pixels show something else
FACING = 0.35  # least cosine of incidence
N_ROUNDS, N_REWEIGHTED = 3, 8

Scanned = Callable[[np.ndarray], list[ScanCloud]]


def at_twin(real: np.ndarray, poses: np.ndarray, scanned: Scanned, layout: Layout) -> np.ndarray:
    """Return the poses (n_frame, 4, 4) at which the twin's ranges fit real range images best.

    The fit is Gauss-Newton on the distances along the twin's surface normals, with Cauchy weights.
    """
    poses = poses.copy()
    for _ in range(N_ROUNDS):
        for index, cloud in enumerate(scanned(poses)):
            turn, shift = _step(real[index], cloud, layout)
            pose = poses[index]
            pose[:3, 3] += pose[:3, :3] @ shift
            pose[:3, :3] = pose[:3, :3] @ Rotation.from_rotvec(turn).as_matrix()
    return poses


def _step(real_m: np.ndarray, cloud: ScanCloud, layout: Layout) -> tuple[np.ndarray, np.ndarray]:
    """Return the rotation vector [rad] and shift [m] of one step, in the frame of the sensor."""
    image = range_image(cloud, layout)
    both = image.returned & np.isfinite(real_m)
    rows = image.point[both]
    farther_m = real_m[both] - image.range_m[both]
    point_m, normal = cloud.points_m[rows], cloud.normal[rows].astype(np.float64)
    cosine = (normal * point_m).sum(axis=1) / np.linalg.norm(point_m, axis=1)
    kept = (np.abs(farther_m) < NEAR_M) & (np.abs(cosine) > FACING)
    off_m, motion = farther_m * cosine, np.c_[np.cross(point_m, normal), normal]
    found = np.zeros(6)
    for _ in range(N_REWEIGHTED):
        left_m = off_m - motion @ found
        width_m = 1.4826 * np.median(np.abs(left_m[kept]))
        weight = kept / (1.0 + (left_m / (2.0 * width_m)) ** 2)
        found = np.linalg.solve(
            (motion * weight[:, None]).T @ motion, (motion * weight[:, None]).T @ off_m
        )
    return -found[:3], -found[3:]
