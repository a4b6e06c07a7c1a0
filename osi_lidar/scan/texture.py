# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The texture of a scene's surfaces as one scan sees it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lidar_base.compiled import read_only
from material_mapping.texture import texture_rows
from osi_bridge import NO_OBJECT
from osi_lidar.scan.texture_kernels import TextureArrays, write_keys

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from material_mapping import MaterialTable
    from osi_lidar.world.surfaces import Surfaces
    from raycore.records import Shots
    from raycore.scene.graph import SceneGraph


@dataclass(frozen=True, slots=True, kw_only=True)
class SceneTexture:
    """Where a scene's surfaces lie in the frames of their textures.

    Attributes
    ----------
    rows : float64 (n_material or 0, 7)
        Textures of the materials; no row if the sensor sees none.
    key : uint64 (n_instance,)
        Which texture an instance has: that of its object.
    frame : float64 (n_instance * n_step, 3, 4)
        Where places lie on the mesh at each step, see ``SceneGraph.frames``; what belongs to no
        object has the frame of the world. [m]
    pose : float64 (n_pose, 3, 4)
        From the sensor frame to the anchor frame. [m]
    """

    rows: NDArray[np.float64]
    key: NDArray[np.uint64]
    frame: NDArray[np.float64]
    pose: NDArray[np.float64]

    def seen_by(self, shots: Shots) -> TextureArrays:
        """Return the arrays with which kernels find the gain where beams meet a surface."""
        scene = self.rows, self.key, self.frame, self.pose
        beams = shots.moment, shots.time, shots.origin_m, shots.direction
        return TextureArrays._make(read_only(each) for each in (*scene, *beams))


NO_TEXTURE = SceneTexture(
    rows=texture_rows([]),
    key=np.empty(0, np.uint64),
    frame=np.empty((0, 3, 4)),
    pose=np.empty((0, 3, 4)),
)
"""What a sensor sees where no material has a texture, or that sees none."""


def scene_texture(
    scene: SceneGraph,
    surfaces: Surfaces,
    table: MaterialTable,
    poses: NDArray[np.float64],
    seed: int,
) -> SceneTexture:
    """Return the texture of a committed scene.

    Parameters
    ----------
    scene, surfaces, table
        The scene, its look-up tables, and its materials at any wavelength.
    poses : float64 (n_pose, 4, 4)
        world_from_sensor. [m]
    seed : int
        Seed of the configuration, 0 to 2**64 - 1.
    """
    if not len(table.texture):
        return NO_TEXTURE
    of_object = surfaces.object_of_instance
    key = np.empty(len(of_object), np.uint64)
    write_keys(np.uint64(seed), of_object, key)
    frame = scene.frames()[: len(of_object)].copy()
    frame[of_object == NO_OBJECT] = scene.anchor_from_world(np.eye(4))[:3]
    return SceneTexture(
        rows=table.texture,
        key=key,
        frame=frame.reshape(-1, 3, 4),
        pose=np.ascontiguousarray(scene.anchor_from_world(poses)[:, :3]),
    )
