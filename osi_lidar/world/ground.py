# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The ground plane that replaces a missing environment."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Literal

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from osi_lidar.world.mesh_library import MeshLibrary
    from raycore.scene.graph import SceneGraph

HALF_EXTENT_M = 3000.0
"""Half the edge length of the plane. [m]"""

FOLLOWS_M = 1000.0
"""Distance of the sensor from the plane's centre at which the plane is moved along. [m]"""

BESIDE_MESH = (
    "none: with `ground: auto` an environment mesh brings its own; for one without, scene.ground "
    "takes a height in metres"
)
"""Text on the ground of a world that has an environment mesh and therefore no plane."""

logger = logging.getLogger(__name__)


class GroundPlane:
    """A horizontal plane under the sensor.

    Parameters
    ----------
    scene : SceneGraph
        Scene graph that the plane is added to.
    library : MeshLibrary
        Library that makes the mesh of the plane.
    setting : "auto", "none" or float
        Height of the plane [m]. "none": no plane. "auto": below the lowest object (including the
        host) of the first frame with objects, or under the roads; no plane if there is an
        environment mesh, or if roads have their own ground. The setting is also an attribute.
    """

    def __init__(
        self, scene: SceneGraph, library: MeshLibrary, setting: Literal["auto", "none"] | float
    ) -> None:
        self._scene = scene
        self._library = library
        self.setting = setting
        self._pose = np.eye(4)
        self._instance: int | None = None
        self._settled = setting == "none"

    @property
    def waits(self) -> bool:
        """Whether the height is not final yet, so that `lay` must be called for the next frame."""
        return not self._settled

    @property
    def z_m(self) -> float | None:
        """Height of the plane in metres; None without a plane."""
        return None if self._instance is None else float(self._pose[2, 3])

    @property
    def words(self) -> str:
        """Text on what replaces a missing environment: "nothing" or "a ground plane"."""
        return "nothing" if self.setting == "none" else "a ground plane"

    def lay(self, lowest_z_m: float | None) -> None:
        """Place the plane at its configured height or, with "auto", under a frame's objects.

        With "auto", it is at 0 until a frame has objects. Once `waits` is False, nothing is done.

        Parameters
        ----------
        lowest_z_m : float or None
            Lowest point of the frame's objects in the scene and of the host; None: no object, or a
            world without messages. [m]
        """
        if self._settled:
            return
        if self.setting == "auto":
            self._settled = lowest_z_m is not None
            self._pose[2, 3] = lowest_z_m or 0.0
        else:
            self._settled = True
            self._pose[2, 3] = self.setting
        if self._instance is None:
            self._instance = self._scene.add(self._library.ground(HALF_EXTENT_M), self._pose)
        elif self._settled:
            self._scene.set_pose(self._instance, self._pose)
        if self._settled:
            logger.info("ground plane at z = %.2f m", self._pose[2, 3])

    @property
    def instances(self) -> tuple[int, ...]:
        """Instance of the plane in the scene, as a tuple; empty without a plane."""
        return () if self._instance is None else (self._instance,)

    def lie_under_roads(self, z_m: float | None, surface: str) -> None:
        """Place an "auto" plane under the roads; no effect if the setting is "none" or a height.

        Parameters
        ----------
        z_m : float or None
            Height of the plane; None: roads have their own ground, and the plane is removed. [m]
        surface : str
            Visual material of the ground beside roads.
        """
        if self.setting != "auto":
            return
        self.give_way()
        if z_m is not None:
            self._pose[2, 3] = z_m
            mesh = self._library.ground(HALF_EXTENT_M, surface)
            self._instance = self._scene.add(mesh, self._pose)
            logger.info("ground plane under the roads at z = %.2f m", z_m)

    def begin_again(self) -> None:
        """Remove an "auto" plane; the next `lay` places it under a frame's objects again."""
        if self.setting == "auto":
            self.give_way()
            self._pose[:2, 3] = 0.0
            self._settled = False

    def give_way(self) -> None:
        """Remove an "auto" plane for an environment; `lay` does not place it again."""
        if self.setting == "auto":
            self._settled = True
            if self._instance is not None:
                self._scene.remove(self._instance)
                self._instance = None

    def follow(self, position_m: NDArray[np.float64]) -> None:
        """Move the plane's centre to the sensor, if they are over `FOLLOWS_M` apart in x or y.

        ``position_m`` is the position of the sensor in the world, float64 (3,) [m]. The centre
        moves to whole metres; the height stays. Without a plane, nothing is done.
        """
        offset_m = position_m[:2] - self._pose[:2, 3]
        if self._instance is not None and np.abs(offset_m).max() > FOLLOWS_M:
            self._pose[:2, 3] = np.rint(position_m[:2])
            self._scene.set_pose(self._instance, self._pose)


def ground_words(ground: GroundPlane, *, environment: bool) -> str:
    """Return a text on the ground: a plane and its height, none, an environment mesh or the roads.

    ``environment`` says whether the world has an environment mesh.
    """
    if ground.z_m is not None:
        return f"a plane at z = {ground.z_m:.2f} m"
    if ground.setting == "none":
        return "none, as scene.ground says"
    return BESIDE_MESH if environment else "the roads"
