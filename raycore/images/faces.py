# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The base colour images of a mesh's triangles, as tables for kernels."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lidar_base.compiled import read_only
from raycore.images.image_kernels import (
    N_COLUMN,
    N_PLACE,
    N_ROW,
    PIXELS,
    U_BOUNDS,
    ImageArrays,
    brightness_of_faces,
)
from raycore.images.reading import levels

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from raycore.images.reading import ColorImage
    from raycore.mesh.mesh import Mesh

_FARTHEST = 1e6
"""A triangle that lies this many image sizes away from its image gets no image."""
_PARTS = 8
"""The mean brightness of a triangle is taken over the square of this number of equal parts."""


def _for_kernels(images: ImageArrays) -> ImageArrays:
    return ImageArrays._make(read_only(each) for each in images)


NO_IMAGES = _for_kernels(
    ImageArrays(
        face_of_row=np.empty(0, np.int32),
        place=np.empty((0, N_PLACE)),
        image_of_face=np.empty(0, np.int32),
        image=np.empty((0, 5), np.int64),
        gain=np.empty(0),
        pixel=np.empty(0, np.float32),
    )
)
"""The image tables of a scene in which no triangle has an image: all arrays have length 0."""


def images_on_faces(
    mesh: Mesh, faces: NDArray[np.intp], images: Mapping[str, ColorImage]
) -> ImageArrays:
    """Return the image tables of some faces of a mesh.

    Each image is scaled so that its brightness has a mean of 1 over the faces that show it.

    Parameters
    ----------
    mesh : Mesh
        The mesh.
    faces : int (n_row,)
        Indices of the faces.
    images : mapping of str to ColorImage
        Images by material name. Faces with an image that is black on all faces count as faces
        without an image.

    Returns
    -------
    ImageArrays
        Tables whose ``face_of_row`` has a row for each of ``faces``, -1 for a face without an
        image. `NO_IMAGES` if none of the faces has an image, not even a black one.
    """
    if not len(mesh.uv):
        return NO_IMAGES
    slots = [slot for slot, name in enumerate(mesh.slot_names) if name in images]
    corner = mesh.vertices_m[mesh.faces[faces]] + mesh.origin_m
    place, fits = _places(corner, mesh.uv[mesh.faces[faces]].astype(np.float64))
    has_image = fits & np.isin(mesh.slot[faces], slots)
    rows = np.flatnonzero(has_image)
    if not len(rows):
        return NO_IMAGES
    image, pixel = _pixels([images[mesh.slot_names[slot]] for slot in slots])
    kind = np.searchsorted(slots, mesh.slot[faces][rows]).astype(np.int32)
    place = place[rows]
    pixels = image[kind, N_ROW] * image[kind, N_COLUMN]
    place[:, PIXELS] = np.sqrt(place[:, PIXELS] * pixels)
    found = ImageArrays(
        face_of_row=np.arange(len(rows), dtype=np.int32),
        place=place,
        image_of_face=kind,
        image=image,
        gain=np.ones(len(slots)),
        pixel=pixel,
    )
    gain = _gains(found, corner[rows])
    face_of_row = np.full(len(faces), -1, np.int32)
    face_of_row[rows] = np.where(gain[kind] > 0.0, np.arange(len(rows)), -1)
    return found._replace(face_of_row=face_of_row, gain=gain)


def _gains(images: ImageArrays, corner: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the factor of each image that gives a mean of 1 over its faces; 0 if it is black."""
    brightness, area = np.empty(len(corner)), np.empty(len(corner))
    brightness_of_faces(_for_kernels(images), corner, _PARTS, brightness, area)
    of, n = images.image_of_face, len(images.image)
    whole, bright = np.bincount(of, area, n), np.bincount(of, area * brightness, n)
    return np.divide(whole, bright, out=np.zeros(n), where=bright > 0.0)


def joined(parts: Sequence[tuple[int, ImageArrays]]) -> ImageArrays:
    """Return the image tables of several meshes as one; `NO_IMAGES` if no mesh has images.

    Parameters
    ----------
    parts : sequence of (int, ImageArrays)
        For each mesh, its number of rows (Embree primitives) in the scene, and its tables. A mesh
        without images (`NO_IMAGES`) gets as many rows of -1 in ``face_of_row`` of the result.
    """
    if not any(len(each.face_of_row) for _, each in parts):
        return NO_IMAGES
    face_of_row, kinds, images = [], [], []
    n_face = n_image = n_pixel = 0
    for n_row, each in parts:
        rows = each.face_of_row if len(each.face_of_row) else np.full(n_row, -1, np.int32)
        face_of_row.append(np.where(rows < 0, rows, rows + n_face).astype(np.int32))
        kinds.append((each.image_of_face + n_image).astype(np.int32))
        images.append(each.image + np.array([n_pixel, 0, 0, 0, 0]))
        n_face += len(each.place)
        n_image += len(each.image)
        n_pixel += len(each.pixel)
    return _for_kernels(
        ImageArrays(
            face_of_row=np.concatenate(face_of_row),
            place=np.concatenate([each.place for _, each in parts]),
            image_of_face=np.concatenate(kinds),
            image=np.concatenate(images),
            gain=np.concatenate([each.gain for _, each in parts]),
            pixel=np.concatenate([each.pixel for _, each in parts]),
        )
    )


def _places(
    corner: NDArray[np.float64], uv: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return u and v of triangles as linear functions of x, y, z, and whether each is usable.

    With the edges e1, e2 and their cross product n, the gradient of a quantity that is 0, a, b at
    the corners is (a e2 x n + b n x e1) / n^2. The column PIXELS is |grad u x grad v|.
    """
    with np.errstate(all="ignore"):
        first, second = corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0]
        normal = np.cross(first, second)
        square = (normal**2).sum(axis=1, keepdims=True)
        to_first, to_second = np.cross(second, normal) / square, np.cross(normal, first) / square
        place = np.empty((len(corner), N_PLACE))
        for axis in (0, 1):
            steps = uv[:, 1:, axis] - uv[:, :1, axis]
            slope = steps[:, :1] * to_first + steps[:, 1:] * to_second
            place[:, 4 * axis : 4 * axis + 3] = slope
            place[:, 4 * axis + 3] = uv[:, 0, axis] - (slope * corner[:, 0]).sum(axis=1)
            place[:, U_BOUNDS + 2 * axis] = uv[:, :, axis].min(axis=1)
            place[:, U_BOUNDS + 2 * axis + 1] = uv[:, :, axis].max(axis=1)
        place[:, PIXELS] = np.linalg.norm(np.cross(place[:, 0:3], place[:, 4:7]), axis=1)
        near = (np.abs(uv) < _FARTHEST).all(axis=(1, 2))
    return place, np.logical_and(np.isfinite(place).all(axis=1), near)


def _pixels(images: Sequence[ColorImage]) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """Return a row for each image (see `image_kernels.FIRST`), and the pixels of all levels."""
    rows: list[list[int]] = []
    pixels: list[NDArray[np.float32]] = []
    starts: dict[int, int] = {}
    n = 0
    for each in images:
        key = id(each.brightness)
        if key not in starts:
            starts[key] = n
            for level in levels(each.brightness):
                pixels.append(level.ravel())
                n += level.size
        rows.append([starts[key], *each.brightness.shape, *each.wrap])
    return np.array(rows, np.int64), np.concatenate(pixels)
