# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Compiled images: how bright a triangle is at a place, relative to the mean of its material."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray  # noqa: TC002  named tuples are read by numba

from lidar_base.compiled import njit

N_PLACE = 13
"""Number of values in a row of ``ImageArrays.place``, which maps a triangle to its image: four
coefficients each of u and of v (for x, y, z and 1), pixels per unit of length, and the bounds of
u and of v on the triangle."""
PIXELS, U_BOUNDS, V_BOUNDS = 8, 9, 11
FIRST, N_ROW, N_COLUMN, WRAP_ACROSS, WRAP_DOWN = range(5)
"""Columns of an image: index of its first pixel, size, and wrap modes beyond the edges."""
REPEAT, CLAMP, MIRROR = 10497, 33071, 33648
"""Wrap modes of an image, with the codes of glTF's samplers."""

_COARSER = math.sqrt(2.0)  # beams this much wider than a pixel see the next level


class ImageArrays(NamedTuple):
    """The images of a scene's triangles, as tables; all are empty if no triangle has an image.

    Attributes
    ----------
    face_of_row : int32 (n_row,)
        For each triangle of the scene its row in ``place``; -1 without an image.
    place : float64 (n_face, 13)
        Map from a point x, y, z in the frame and unit of the mesh file to texture coordinates u, v:
        u = place[0:4] @ (x, y, z, 1), and v = place[4:8] @ (x, y, z, 1). Column 8 is the number of
        pixels per unit of length. Then come the bounds of u (9, 10) and v (11, 12) on the triangle.
    image_of_face : int32 (n_face,)
        For each row of ``place`` the row of its image in ``image`` and ``gain``.
    image : int64 (n_image, 5)
        Index of the image's first value in ``pixel``, numbers of rows and columns of its finest
        level, and wrap modes across and down: 10497 repeat, 33071 clamp, 33648 mirror.
    gain : float64 (n_image,)
        Factor of the pixel values that makes the image's mean 1.
    pixel : float32 (n_pixel,)
        Brightness of all pixels: image after image, level after level (each of half the width and
        height), row after row.
    """

    face_of_row: NDArray[np.int32]  # (n_row | 0,) row of ``place``, -1 without an image
    place: NDArray[np.float64]  # (n_face, N_PLACE) see N_PLACE; x, y, z in the frame of the file
    image_of_face: NDArray[np.int32]  # (n_face,) row of ``image``
    image: NDArray[np.int64]  # (n_image, 5) see FIRST
    gain: NDArray[np.float64]  # (n_image,) factor of pixel values
    pixel: NDArray[np.float32]  # (n,) level after level, each of half the size, row after row


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def image_gain(images, row, x, y, z, width):
    """Return the relative brightness of a triangle's image at a place; 1 is the image's mean.

    The triangle is the one of row ``row`` of ``images.face_of_row``, and must have an image. The
    place ``x, y, z`` and ``width``, the width of the beam there, are in the frame and unit of the
    mesh file. The level of the image is used whose pixels are about as wide as the beam. Brightness
    is interpolated bilinearly between four pixels. Outside the triangle, u and v are clipped to its
    bounds.
    """
    face_of_row, place, image_of_face, image, gain, pixel = images
    face = np.uint64(face_of_row[row])
    u = place[face, 0] * x + place[face, 1] * y + place[face, 2] * z + place[face, 3]
    v = place[face, 4] * x + place[face, 5] * y + place[face, 6] * z + place[face, 7]
    u = min(max(u, place[face, U_BOUNDS]), place[face, U_BOUNDS + 1])
    v = min(max(v, place[face, V_BOUNDS]), place[face, V_BOUNDS + 1])
    kind, width_pixels = np.uint64(image_of_face[face]), width * place[face, PIXELS]
    first, n_row, n_column = image[kind, FIRST], image[kind, N_ROW], image[kind, N_COLUMN]
    while width_pixels > _COARSER and max(n_row, n_column) > 1:
        first += n_row * n_column
        n_row, n_column = (n_row + 1) // 2, (n_column + 1) // 2
        width_pixels *= 0.5
    across, down = u * n_column - 0.5, v * n_row - 0.5
    column, line = math.floor(across), math.floor(down)
    share, below = across - column, down - line
    left = _within(np.int64(column), n_column, image[kind, WRAP_ACROSS])
    right = _within(np.int64(column) + 1, n_column, image[kind, WRAP_ACROSS])
    upper = first + n_column * _within(np.int64(line), n_row, image[kind, WRAP_DOWN])
    lower = first + n_column * _within(np.int64(line) + 1, n_row, image[kind, WRAP_DOWN])
    above = (1.0 - share) * pixel[upper + left] + share * pixel[upper + right]
    under = (1.0 - share) * pixel[lower + left] + share * pixel[lower + right]
    return gain[kind] * ((1.0 - below) * above + below * under)


@njit(cache=True, nogil=True, inline="always")
def _within(index, n, wrap):
    """Return the index of a pixel inside the image for one that may be beyond its edges."""
    if wrap == CLAMP:
        return min(max(index, 0), n - 1)
    if wrap == MIRROR:
        index %= 2 * n
        return min(index, 2 * n - 1 - index)
    return index % n


@njit(cache=True, nogil=True, error_model="numpy")
def brightness_of_faces(
    images,  # see ImageArrays
    corner,  # float64 (n_face, 3, 3) corners, in the frame of the mesh's file
    n_side,  # a triangle is sampled at the centres of n_side^2 equal parts
    # Out:
    brightness_out,  # float64 (n_face,) mean of `image_gain` over the triangle
    area_out,  # float64 (n_face,)
):
    """Write the mean relative brightness of the image on each triangle, and each triangle's area.

    Each triangle is sampled at the centres of ``n_side`` squared equal parts.

    Parameters
    ----------
    images : ImageArrays
        The images. Triangle i has row i in ``images.face_of_row``; all triangles must have an
        image.
    corner : float64 (n_face, 3, 3)
        Corners of each triangle: face, corner, and x y z in the frame and unit of the mesh file.
    n_side : int
        Number of parts along a side of a triangle.
    brightness_out : float64 (n_face,)
        Output: mean of `image_gain` over each triangle. Every entry is written.
    area_out : float64 (n_face,)
        Output: area of each triangle, in the file's unit squared. Every entry is written.
    """
    for i in range(len(corner)):
        ax, ay, az = corner[i, 0, 0], corner[i, 0, 1], corner[i, 0, 2]
        bx, by, bz = corner[i, 1, 0] - ax, corner[i, 1, 1] - ay, corner[i, 1, 2] - az
        cx, cy, cz = corner[i, 2, 0] - ax, corner[i, 2, 1] - ay, corner[i, 2, 2] - az
        nx, ny, nz = by * cz - bz * cy, bz * cx - bx * cz, bx * cy - by * cx
        area_out[i] = 0.5 * math.sqrt(nx * nx + ny * ny + nz * nz)
        width, total = math.sqrt(area_out[i]) / n_side, 0.0
        for p in range(n_side):
            for q in range(2 * (n_side - p) - 1):  # upright and inverted parts in turns
                s = (p + (1.0 + q % 2) / 3.0) / n_side
                t = (q // 2 + (1.0 + q % 2) / 3.0) / n_side
                x, y, z = ax + s * bx + t * cx, ay + s * by + t * cy, az + s * bz + t * cz
                total += image_gain(images, np.uint64(i), x, y, z, width)
        brightness_out[i] = total / (n_side * n_side)
