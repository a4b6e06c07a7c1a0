# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Look-up tables of a scene with further rows for the films of water on lanes.

A material under a film is a further row of the material table. A primitive under a film is a
further row of the scene's tables, which lies as many rows behind its own as the scene has, or twice
as many, and so on. So a hit on a lane counts as one on another primitive of the same instance, and
the laws and kernels for materials hold for it as they are.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from lidar_base.block_kernels import workers
from lidar_base.compiled import read_only
from lidar_scenery.weather.lanes.area_kernels import MetOnRoads, RoadRows, rows_on_lanes

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lidar_scenery.surfaces import Surfaces
    from lidar_scenery.weather.lanes import LaneWater
    from raycore.records import Hits, Shots
    from raycore.trace.legs import LastLegs


class FilmRows:
    """The further rows of a scene.

    Parameters
    ----------
    water : LaneWater
        Films of the lanes.
    road_mm : float
        Film of all other roads, whose rows are the scene's own. [mm]
    can_be_wet : bool (n_material,)
        Which materials hold water.

    Attributes
    ----------
    material : int64 (n_further,)
        The material of each further row of the material table.
    film_mm : float64 (n_further,)
        Its film. [mm]
    """

    def __init__(self, water: LaneWater, road_mm: float, can_be_wet: NDArray[np.bool_]) -> None:
        self._water, self._can_be_wet = water, can_be_wet
        is_further = water.film_mm != road_mm
        wet, n = np.flatnonzero(can_be_wet), np.count_nonzero(is_further)
        self.material = np.tile(wet, n)
        self.film_mm = np.repeat(water.film_mm[is_further], len(wet))
        self._tables = np.where(is_further, np.cumsum(is_further), 0)  # tables before a film's
        self._own: Surfaces | None = None
        self._more: Surfaces | None = None

    def added_to(self, surfaces: Surfaces) -> Surfaces:
        """Return a scene's look-up tables with the further rows; the same object as before."""
        if self._more is None or self._own is not surfaces:
            self._own, self._more = surfaces, self._added_to(surfaces)
        return self._more

    def _added_to(self, surfaces: Surfaces) -> Surfaces:
        n, rows, images = len(self._can_be_wet), surfaces.material_of_row, surfaces.images
        wet = np.flatnonzero(self._can_be_wet)
        every = [rows]
        for number in range(self._tables.max()):
            under_film = np.arange(n, dtype=np.uint16)
            under_film[wet] = n + number * len(wet) + np.arange(len(wet))
            every.append(under_film[rows])
        if len(images.face_of_row):
            face_of_row = np.tile(images.face_of_row, len(every))
            images = images._replace(face_of_row=read_only(face_of_row))
        return replace(surfaces, material_of_row=np.concatenate(every), images=images)

    def met(
        self,
        surfaces: Surfaces,
        shots: Shots,
        hits: Hits,
        legs: LastLegs,
        poses: NDArray[np.float64],
    ) -> Hits:
        """Return hits whose primitives are those of the films that lie where rays have met roads.

        Parameters
        ----------
        surfaces : Surfaces
            The look-up tables with the further rows.
        shots, hits, legs : Shots, Hits, LastLegs
            Rays, what they have met, and from where if off a mirror.
        poses : float64 (n_pose, 4, 4)
            world_from_sensor. [m]
        """
        n_row = len(surfaces.material_of_row) // (1 + int(self._tables.max()))
        can_be_wet = np.append(self._can_be_wet, np.zeros(len(self.material), np.bool_))
        rows = RoadRows(
            surfaces.first_row_of_instance,
            surfaces.material_of_row,
            can_be_wet,
            self._tables * n_row,
        )
        met = MetOnRoads(
            *shots.ray_arrays, hits.range_m, hits.instance, hits.primitive, *legs[:3], shots.moment,
            np.ascontiguousarray(poses),
        )  # fmt: skip
        primitive = np.empty(len(hits), np.uint32)
        rows_on_lanes(self._water.areas, rows, met, workers(), primitive)
        return replace(hits, primitive=primitive)

    def name(self, material_id: NDArray[np.uint16]) -> None:
        """Replace further rows of the material table by the materials that they stand for."""
        n = len(self._can_be_wet)
        further = (material_id >= n) & (material_id < n + len(self.material))
        material_id[further] = self.material[material_id[further] - n]
