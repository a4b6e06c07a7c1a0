# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The texture of a scene's surfaces as one scan sees it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lidar_base.compiled import as_read_only
from material_mapping.texture import texture_rows
from osi_bridge import NO_OBJECT
from osi_lidar.scan.texture_kernels import TextureArrays, write_keys
from raycore.images.faces import NO_IMAGES

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lidar_scenery.surfaces import Surfaces
    from material_mapping import MaterialTable
    from raycore.images.image_kernels import ImageArrays
    from raycore.pattern.footprint import Footprint
    from raycore.records import Shots
    from raycore.scene.graph import SceneGraph


@dataclass(frozen=True, slots=True, kw_only=True)
class SceneTexture:
    """The texture of a scene's surfaces, and the frames in which their textures lie.

    Attributes
    ----------
    rows : float64 (n_material or 0, 8)
        Textures of the materials; no rows if the sensor sees neither textures nor images.
    key : uint64 (n,)
        Random key of each instance's texture; all instances of an object have the same. n is the
        number of instances, or twice this number if there are images.
    frame : float64 (n * n_step, 3, 4)
        Transforms from the scene's anchor frame (a frame fixed in the world) to the frame in which
        the texture of each instance lies, at each time step: the frame of its mesh, or the world's
        frame if it belongs to no object. If there are images, the second half has the frames of the
        meshes of all instances, for the images. [m]
    pose : float64 (n_pose, 3, 4)
        From the sensor frame to the anchor frame. [m]
    images : ImageArrays
        The images of surfaces.
    first_row : int64 (n_instance or 0,)
        First row in the image tables of each instance's mesh.
    scale : float64 (n_instance or 0, 3)
        Scale of each instance's mesh.
    width : (float, float)
        Beam size over which images are averaged, as in `TextureSampling`.
    """

    rows: NDArray[np.float64]
    key: NDArray[np.uint64]
    frame: NDArray[np.float64]
    pose: NDArray[np.float64]
    images: ImageArrays
    first_row: NDArray[np.int64]
    scale: NDArray[np.float64]
    width: tuple[float, float]

    def arrays_for(self, shots: Shots) -> TextureArrays:
        """Return the arrays with which `gain_at` finds the texture where rays meet surfaces.

        ``shots`` has the beams of the rays. The arrays share its memory. Without textures
        (`NO_TEXTURE`) ``rows`` is empty: then the gain is 1 everywhere, and callers must not call
        `gain_at`.
        """
        if self is NO_TEXTURE:
            return _NOTHING_SEEN
        return _arrays(self, shots.moment, shots.time, shots.origin_m, shots.direction)


def _arrays(
    scene: SceneTexture,
    moment: NDArray[np.uint32],
    time: NDArray[np.float32],
    origin_m: NDArray[np.float32],
    direction: NDArray[np.float32],
) -> TextureArrays:
    """Return the arrays for kernels, for beams with these moments, times and rays."""
    arrays = TextureArrays(
        rows=scene.rows,
        key=scene.key,
        frame=scene.frame,
        pose=scene.pose,
        moment=moment,
        time=time,
        origin_m=origin_m,
        direction=direction,
        first_row=scene.first_row,
        **scene.images._asdict(),
        scale=scene.scale,
        width_m=scene.width[0],
        width_rad=scene.width[1],
    )
    return as_read_only(arrays)


NO_TEXTURE = SceneTexture(
    rows=texture_rows([]),
    key=np.empty(0, np.uint64),
    frame=np.empty((0, 3, 4)),
    pose=np.empty((0, 3, 4)),
    images=NO_IMAGES,
    first_row=np.empty(0, np.int64),
    scale=np.empty((0, 3)),
    width=(0.0, 0.0),
)
"""Texture of a scene without textures, or for a sensor that ignores them."""
_NOTHING_SEEN = _arrays(
    NO_TEXTURE,
    np.zeros(1, np.uint32),
    np.zeros(1, np.float32),
    np.zeros((1, 3), np.float32),
    np.zeros((3, 1), np.float32),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class TextureSampling:
    """The properties of a sensor that determine the texture that it sees.

    Attributes
    ----------
    seed : int
        Seed of the configuration, 0 to 2**64 - 1.
    width : (float, float)
        Side w at the window [m] and divergence a [rad] of a square that has the beam's variance.
        At the range r, images are averaged over a square of side sqrt(w**2 + (a r)**2). Both are 0
        for beams that are lines.
    """

    seed: int
    width: tuple[float, float]

    @classmethod
    def of(cls, seed: int, footprint: Footprint | None) -> TextureSampling:
        """Return the properties of a sensor that determine the texture that it sees.

        ``seed`` is the seed of the configuration. ``footprint`` is the size of the sensor's beams;
        None: beams are lines, and ``width`` is (0, 0).
        """
        if footprint is None:
            return cls(seed=seed, width=(0.0, 0.0))
        square = 12.0 * footprint.variance
        width_m, width_rad = (
            math.sqrt(square * sigma[0] * sigma[1])
            for sigma in (footprint.window_sigma_m, footprint.sigma_rad)
        )
        return cls(seed=seed, width=(width_m, width_rad))


def scene_texture(
    scene: SceneGraph,
    surfaces: Surfaces,
    table: MaterialTable,
    poses: NDArray[np.float64],
    sampling: TextureSampling,
) -> SceneTexture:
    """Return the texture of a committed scene; `NO_TEXTURE` without textures and images.

    Parameters
    ----------
    scene, surfaces, table, sampling
        The scene, its look-up tables, its materials at any wavelength, and the sensor's sampling.
    poses : float64 (n_pose, 4, 4)
        world_from_sensor. [m]
    """
    has_images = len(surfaces.images.face_of_row) > 0
    if not (len(table.texture) or has_images):
        return NO_TEXTURE
    of_object = surfaces.object_of_instance
    key = np.empty(len(of_object), np.uint64)
    write_keys(np.uint64(sampling.seed), of_object, key)
    of_mesh, scale = (each[: len(of_object)] for each in scene.frames())
    frame, rows = of_mesh.copy(), table.texture
    of_world, *pose = scene.anchor_from_world(np.concatenate([[np.eye(4)], poses]))[:, :3]
    frame[of_object == NO_OBJECT] = of_world
    if has_images:
        key, frame = np.concatenate([key, key]), np.concatenate([frame, of_mesh])
        rows = rows if len(rows) else np.zeros((len(table.reflectance), rows.shape[1]))
    return SceneTexture(
        rows=rows,
        key=key,
        frame=frame.reshape(-1, 3, 4),
        pose=np.array(pose),
        images=surfaces.images,
        first_row=surfaces.first_row_of_instance,
        scale=scale if has_images else scale[:0],
        width=sampling.width,
    )
