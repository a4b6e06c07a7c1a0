# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Test whether a point is inside a closed mesh."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


def winding_number(point_m: NDArray[np.float64], corners_m: NDArray[np.float64]) -> float:
    """Return how often a mesh encloses a point: 1 or -1 inside a closed mesh, 0 outside of it.

    Inside, it is 1 if the corners of the triangles are counter-clockwise as seen from outside, else
    -1. Without triangles, it is 0.

    Parameters
    ----------
    point_m : float64 (3,)
        The point. [m]
    corners_m : float64 (n, 3, 3)
        Corners of the triangles. [m]

    Notes
    -----
    The result is the sum of the signed solid angles of the triangles, divided by 4 pi. For a
    triangle with the corners a, b, c seen from the point, tan(angle / 2) = a . (b x c) / (|a||b||c|
    + (a . b)|c| + (b . c)|a| + (c . a)|b|) [1]_.

    References
    ----------
    .. [1] A. Van Oosterom, J. Strackee, The solid angle of a plane triangle, IEEE Transactions on
       Biomedical Engineering 30(2), 1983, doi:10.1109/TBME.1983.325207.
    """
    if not len(corners_m):
        return 0.0
    a, b, c = np.moveaxis(corners_m - point_m, 1, 0)
    far_a, far_b, far_c = (np.linalg.norm(each, axis=1) for each in (a, b, c))
    above = np.einsum("ij,ij->i", a, np.cross(b, c))
    below = far_a * far_b * far_c
    below += np.einsum("ij,ij->i", a, b) * far_c
    below += np.einsum("ij,ij->i", b, c) * far_a
    below += np.einsum("ij,ij->i", c, a) * far_b
    return float(np.arctan2(above, below).sum() / (2.0 * math.pi))
