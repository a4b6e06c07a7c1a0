# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Files that KITTI's data sets share: points, calibrations, and the frame of their camera.

Source: development kits of KITTI (readme.txt of odometry and object). Poses and boxes are in the
frame of a camera, with x to the right, y down and z forward. There is no camera here: its frame is
the lidar frame with these axes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from osi_lidar.output.accumulation import Rows

CAMERA_FROM_LIDAR = np.array(
    [[0.0, -1.0, 0.0, 0.0], [0.0, 0.0, -1.0, 0.0], [1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0]]
)


def point_rows(points: Rows) -> NDArray[np.float32]:
    """Return x y z [m] and reflectivity (0 to 1) of each point, float32 (n_point, 4).

    `points` is a structured array (n_point,) with the fields x, y, z and reflectivity. A
    reflectivity above 1 becomes 1.
    """
    rows = np.empty((len(points), 4), "<f4")
    for place, axis in enumerate("xyz"):
        rows[:, place] = points[axis]
    rows[:, 3] = np.clip(points["reflectivity"], 0.0, 1.0)
    return rows


def write_points(path: Path, points: Rows) -> None:
    """Write a binary file with x y z [m] and reflectivity (0 to 1) of each point, as float32.

    Parameters
    ----------
    path : Path
        The file, which is replaced if it exists.
    points : structured (n_point,)
        Points with the fields x, y, z and reflectivity; a reflectivity above 1 is written as 1.
    """
    path.write_bytes(point_rows(points).tobytes())


def matrix_line(matrix: NDArray[np.float64]) -> str:
    """Return the first three rows of a matrix as one line of text, row by row.

    `matrix` has the shape (n_row, n_column). The numbers are separated by blanks.
    """
    return " ".join(f"{number:.9e}" for number in matrix[:3].ravel())


def calibration(**matrices: NDArray[np.float64]) -> str:
    """Return the text of a calibration file: a line with name and numbers for each matrix.

    Each of `matrices` is float64 (n_row, n_column); at most three rows are written.
    """
    return "".join(f"{name}: {matrix_line(each)}\n" for name, each in matrices.items())
