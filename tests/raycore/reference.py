# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""A second way to the same answer: every ray against every triangle, in numpy."""

import numpy as np


def first_hits(origin_m, direction, triangles_m):
    """Return range [m] (inf = none) and triangle of the first hit of each ray.

    Moeller and Trumbore, Fast, minimum storage ray/triangle intersection, 1997, in float64.

    Parameters
    ----------
    origin_m : (3,)
    direction : (n_ray, 3)
    triangles_m : (n_triangle, 3, 3)
    """
    a = triangles_m[:, 0]
    edge1, edge2 = triangles_m[:, 1] - a, triangles_m[:, 2] - a
    range_m = np.full(len(direction), np.inf)
    triangle = np.full(len(direction), -1)
    for ray, d in enumerate(direction):
        p = np.cross(d, edge2)
        determinant = np.einsum("ij,ij->i", edge1, p)
        with np.errstate(divide="ignore", invalid="ignore"):
            s = origin_m - a
            u = np.einsum("ij,ij->i", s, p) / determinant
            q = np.cross(s, edge1)
            v = q @ d / determinant
            t = np.einsum("ij,ij->i", edge2, q) / determinant
        met = (u >= 0) & (v >= 0) & (u + v <= 1) & (t > 0)
        if met.any():
            nearest = np.flatnonzero(met)[np.argmin(t[met])]
            range_m[ray], triangle[ray] = t[nearest], nearest
    return range_m, triangle
