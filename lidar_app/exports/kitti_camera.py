# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The virtual camera of KITTI's formats, and the image positions of boxes.

The camera is at the position of the lidar and looks along its x axis. Image size and projection
equal KITTI's left colour camera (Geiger et al., CVPR 2012; rectified, P2 of the calibration). So a
box height in pixels means the same distance as in KITTI, and KITTI's levels of difficulty apply.
"""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

WIDTH, HEIGHT = 1242, 375
"""Size of the image. [pixel]"""
PROJECTION = np.array(
    [[721.5377, 0.0, 609.5593, 0.0], [0.0, 721.5377, 172.854, 0.0], [0.0, 0.0, 1.0, 0.0]]
)
"""image_from_camera, with x to the right, y down and z forward. [pixel]"""
NEAR_M = 0.1
"""Least depth that is projected into the image. [m]"""
_CORNERS = np.array(list(product((-0.5, 0.5), repeat=3)))
_EDGES = np.array([(a, b) for a in range(8) for b in range(a) if (a ^ b).bit_count() == 1])


class ImageBox(NamedTuple):
    """The bounding box of an object in the camera image, clipped at the border of the image.

    Attributes
    ----------
    left, top, right, bottom : float
        Borders, counted from the upper left corner of the image. [pixel]
    truncation : float
        Share of the area of the unclipped box that is outside of the image. [1]
    """

    left: float
    top: float
    right: float
    bottom: float
    truncation: float


def image_box(camera_from_box: NDArray[np.float64], size_m: NDArray[np.float64]) -> ImageBox | None:
    """Return the bounding rectangle of a 3D box in the image; None if it is not in the image.

    Parameters
    ----------
    camera_from_box : float64 (4, 4)
        Pose of the centre of the box in the camera frame. [m]
    size_m : float64 (3,)
        Length, width, height. [m]
    """
    corners = (_CORNERS * size_m) @ camera_from_box[:3, :3].T + camera_from_box[:3, 3]
    before = _before_the_camera(corners)
    if not len(before):
        return None
    projected = before @ PROJECTION[:, :3].T + PROJECTION[:, 3]
    places = projected[:, :2] / projected[:, 2:]
    low, high = places.min(axis=0), places.max(axis=0)
    cut_low = np.clip(low, 0.0, (WIDTH - 1, HEIGHT - 1))
    cut_high = np.clip(high, 0.0, (WIDTH - 1, HEIGHT - 1))
    area, whole = np.prod(cut_high - cut_low), np.prod(high - low)
    if not area > 0.0:
        return None
    (left, top), (right, bottom) = cut_low.tolist(), cut_high.tolist()
    return ImageBox(left, top, right, bottom, float(1.0 - area / whole))


def _before_the_camera(corners: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return corners before the camera, and points of edges in the near plane, (n, 3) [m]."""
    begin, end = corners[_EDGES[:, 0]], corners[_EDGES[:, 1]]
    crosses = (begin[:, 2] < NEAR_M) != (end[:, 2] < NEAR_M)
    begin, end = begin[crosses], end[crosses]
    share = (NEAR_M - begin[:, 2:]) / (end[:, 2:] - begin[:, 2:])
    return np.concatenate([corners[corners[:, 2] >= NEAR_M], begin + share * (end - begin)])
