# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Compiled texture as a sensor sees it: the gain of a material where a beam meets it."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray  # noqa: TC002  named tuples are read by numba

from lidar_base.compiled import njit
from material_mapping.texture_kernels import mixed, texture_gain
from raycore.images.image_kernels import image_gain


class TextureArrays(NamedTuple):
    """The texture of a scene, and the beams that see it; no texture if ``rows`` is empty.

    Where an array has 1 entry in place of n_beam, it holds for all beams. The anchor frame is
    fixed in the world.

    Attributes
    ----------
    rows : float64 (n_material or 0, 8)
        Texture of each material, as `material_mapping.texture.texture_rows` describes it.
    key : uint64 (n,)
        Random key of each instance's texture; the list is there twice if there are images.
    frame : float64 (n * n_step, 3, 4)
        For each entry of ``key`` and each time step A, (3, 3), and c, (3, 1): a point p of the
        anchor frame is at A (p - c) in the frame of the texture. [m]
    pose : float64 (n_pose, 3, 4)
        Transforms from the sensor frame to the anchor frame. [m]
    moment : uint32 (n_beam or 1,)
        Row of ``pose`` for each beam.
    time : float32 (n_beam or 1,)
        When each beam fires: from 0 at the first time step of ``frame`` to 1 at the last.
    origin_m, direction : float32 (n_beam or 1, 3), float32 (3, n_beam)
        Starts [m] and unit vectors of the beams, in the sensor frame.
    first_row : int64 (n_instance or 0,)
        First row in ``face_of_row`` of each instance's mesh; its triangles follow.
    face_of_row, place, image_of_face, image, gain, pixel
        Images of the triangles, as in `raycore.images.image_kernels.ImageArrays`.
    scale : float64 (n_instance or 0, 3)
        Scale of each instance's mesh, along the axes of the mesh.
    width_m, width_rad : float
        Side at the sensor's window [m], and divergence [rad], of the square that a beam averages
        over.
    """

    rows: NDArray[np.float64]  # (n_material | 0, 8), see material_mapping.texture
    key: NDArray[np.uint64]  # (n,) random key of each instance, twice if there are images
    frame: NDArray[np.float64]  # (n * n_step, 3, 4) see graph.SceneGraph.frames [m]
    pose: NDArray[np.float64]  # (n_pose, 3, 4) anchor from sensor [m]
    moment: NDArray[np.uint32]  # (n_beam | 1,) row of pose
    time: NDArray[np.float32]  # (n_beam | 1,) from 0 at the first step of frame to 1 at the last
    origin_m: NDArray[np.float32]  # (n_beam | 1, 3)
    direction: NDArray[np.float32]  # (3, n_beam)
    first_row: NDArray[np.int64]  # (n_instance | 0,) of the rows of the images
    face_of_row: NDArray[np.int32]  # this and the next five: see image_kernels.ImageArrays
    place: NDArray[np.float64]
    image_of_face: NDArray[np.int32]
    image: NDArray[np.int64]
    gain: NDArray[np.float64]
    pixel: NDArray[np.float32]
    scale: NDArray[np.float64]  # (n_instance | 0, 3) scale of each instance's mesh
    width_m: float  # width of a beam at the window
    width_rad: float  # angle by which it widens


@njit(cache=True, nogil=True)
def write_keys(
    seed,  # uint64
    object_id,  # uint64 (n,)
    # Out:
    key_out,  # uint64 (n,)
):
    """Write the random key of each object's texture, which depends on seed and object id.

    Parameters
    ----------
    seed : uint64
        Seed of the configuration.
    object_id : uint64 (n,)
        OSI ids of the objects.
    key_out : uint64 (n,)
        Output: the key of each object; every entry is written.
    """
    of_seed = mixed(np.uint64(seed) + np.uint64(1))
    for i in range(len(object_id)):
        key_out[i] = mixed(of_seed ^ object_id[i])


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def gain_at(texture, material, instance, primitive, beam, range_m):
    """Return the factor on a material's mean reflectivity at the place where a beam's axis is.

    The place is at the range ``range_m`` [m] on the axis of the beam with index ``beam``, on the
    triangle ``primitive`` of the mesh ``instance``. The index ``material`` is the row of the
    triangle's material in the table of materials. ``texture`` is a `TextureArrays`, whose
    ``rows`` must not be empty. The factor comes from the image of the triangle if it has one, else
    from the material's texture; 1 without either. Arrays are read number by number, because numba
    would count references of rows.
    """
    (
        rows, key, frame, pose, moment, time, origin_m, direction, first_row, face_of_row, place,
        image_of_face, image, gain, pixel, scale, width_m, width_rad,
    ) = texture  # fmt: skip
    of, row, has_image = np.uint64(instance), np.uint64(0), False
    if face_of_row.shape[0] > 0:
        row = np.uint64(first_row[of]) + np.uint64(primitive)
        has_image = face_of_row[row] >= 0
    if rows[material, 0] == 0.0 and not has_image:
        return 1.0
    met = _met(pose, moment, origin_m, direction, beam, range_m)
    # the frames of the meshes follow those of textures
    in_frame = of + np.uint64(scale.shape[0]) if has_image else of
    x, y, z = _on_mesh(key, frame, time, in_frame, beam, met)
    if not has_image:
        return texture_gain(rows, material, key[of], x, y, z)
    size = (scale[of, 0] + scale[of, 1] + scale[of, 2]) / 3.0
    width = math.sqrt(width_m * width_m + (width_rad * range_m) ** 2) / size
    x, y, z = x / scale[of, 0], y / scale[of, 1], z / scale[of, 2]
    images = face_of_row, place, image_of_face, image, gain, pixel
    return image_gain(images, row, x, y, z, width)


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def _met(pose, moment, origin_m, direction, beam, range_m):
    """Return the place on the axis of a beam at a range, in the anchor frame."""
    from_ = beam if origin_m.shape[0] > 1 else np.uint64(0)
    x = origin_m[from_, 0] + range_m * direction[0, beam]
    y = origin_m[from_, 1] + range_m * direction[1, beam]
    z = origin_m[from_, 2] + range_m * direction[2, beam]
    at = np.uint64(moment[beam if moment.shape[0] > 1 else np.uint64(0)])
    x, y, z = _turned(pose, at, x, y, z)
    return x + pose[at, 0, 3], y + pose[at, 1, 3], z + pose[at, 2, 3]


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def _on_mesh(key, frame, time, of, beam, met):
    """Return a place of the anchor frame in the frame ``of``, at the moment of a beam."""
    x, y, z = met
    share, n_step = 0.0, frame.shape[0] // key.shape[0]
    step = of * np.uint64(n_step)
    if n_step > 1:
        done = time[beam if time.shape[0] > 1 else np.uint64(0)] * (n_step - 1)
        before = min(max(int(done), 0), n_step - 2)
        step, share = step + np.uint64(before), done - before
    after = step + np.uint64(1)
    x, y, z = x - frame[step, 0, 3], y - frame[step, 1, 3], z - frame[step, 2, 3]
    if share > 0.0:  # between two steps the mesh has gone a part of the way
        x -= share * (frame[after, 0, 3] - frame[step, 0, 3])
        y -= share * (frame[after, 1, 3] - frame[step, 1, 3])
        z -= share * (frame[after, 2, 3] - frame[step, 2, 3])
    u, v, w = _turned(frame, step, x, y, z)
    if share > 0.0:
        later = _turned(frame, after, x, y, z)
        u, v, w = u + share * (later[0] - u), v + share * (later[1] - v), w + share * (later[2] - w)
    return u, v, w


@njit(cache=True, nogil=True, inline="always")
def _turned(matrix, at, x, y, z):
    """Return a place turned by one of many matrices (n, 3, 4)."""
    return (
        matrix[at, 0, 0] * x + matrix[at, 0, 1] * y + matrix[at, 0, 2] * z,
        matrix[at, 1, 0] * x + matrix[at, 1, 1] * y + matrix[at, 1, 2] * z,
        matrix[at, 2, 0] * x + matrix[at, 2, 1] * y + matrix[at, 2, 2] * z,
    )
