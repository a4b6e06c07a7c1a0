# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Files that KITTI's data sets share: points, calibrations, and the frame of their camera.

Source: development kits of KITTI (readme.txt of odometry and object). Poses and boxes are in the
frame of a camera, with x to the right, y down and z forward. There is no camera here: its frame is
that of the lidar with these axes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

CAMERA_FROM_LIDAR = np.array(
    [[0.0, -1.0, 0.0, 0.0], [0.0, 0.0, -1.0, 0.0], [1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0]]
)


def write_points(path: Path, points: NDArray[Any]) -> None:
    """Write points as KITTI does: x y z [m] and reflectivity, at most 1, as float32."""
    rows = np.empty((len(points), 4), "<f4")
    for place, axis in enumerate("xyz"):
        rows[:, place] = points[axis]
    rows[:, 3] = np.clip(points["reflectivity"], 0.0, 1.0)
    path.write_bytes(rows.tobytes())


def matrix_line(matrix: NDArray[np.float64]) -> str:
    """Return the first three rows of a matrix as one line of text."""
    return " ".join(f"{number:.9e}" for number in matrix[:3].ravel())


def calibration(**matrices: NDArray[np.float64]) -> str:
    """Return the text of a calibration: a line for each matrix."""
    return "".join(f"{name}: {matrix_line(each)}\n" for name, each in matrices.items())
