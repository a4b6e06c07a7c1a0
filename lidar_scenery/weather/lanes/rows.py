# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Look-up tables of a scene with further rows for the films of water on lanes.

Each material under each film is a further row of the material table. The tables of the scene have
one row for each primitive; they are repeated once for each film, with the materials under that
film. So the row of a primitive under the k-th further film is its own row plus k times the number
of rows. A hit on a lane uses that row, and laws and kernels for materials need no change.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from lidar_base.compiled import read_only

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lidar_scenery.surfaces import Surfaces
    from lidar_scenery.weather.lanes import LaneWater
    from lidar_scenery.weather.lanes.area_kernels import AreaArrays


class RoadRows(NamedTuple):
    """Arrays with which kernels find the look-up row of a hit that may be under a lane's film.

    The row of a primitive is ``first_row[instance] + primitive``. If the hit lies under film k and
    its material can be wet, ``shift[k]`` is added. `material_of_row` is the index of each row into
    the material table, and `can_be_wet` whether each material of the table can be wet.
    """

    first_row: np.ndarray  # int64 (n_instance,) where the rows of an instance's mesh start
    material_of_row: np.ndarray  # uint16 (n_row,) index into the material table
    can_be_wet: np.ndarray  # bool (n_material,)
    shift: np.ndarray  # int64 (n_film,) from a primitive's row to its row under each film


class FilmRows:
    """Additional rows of a scene's look-up tables: wet materials under the films of lanes.

    The material table gets a row for each material that can be wet, under each film that differs
    from the film on all other roads.

    Parameters
    ----------
    water : LaneWater
        Films of the lanes.
    road_mm : float
        Thickness of the film on all other roads; it needs no additional rows. [mm]
    can_be_wet : bool (n_material,)
        Whether each material can be wet.

    Attributes
    ----------
    material : int64 (n_further,)
        Id of the dry material of each additional row of the material table.
    film_mm : float64 (n_further,)
        Thickness of the film on the material of each additional row. [mm]
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

    @property
    def areas(self) -> AreaArrays:
        """Triangles of the lanes with films, each with the index of its film; see `AreaArrays`."""
        return self._water.areas

    def added_to(self, surfaces: Surfaces) -> Surfaces:
        """Return look-up tables with a further copy of all rows for each film that needs one.

        In a copy, materials that can be wet have the rows of `material` under that film. A further
        call with the same `surfaces` returns the same object.
        """
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

    def rows_in(self, surfaces: Surfaces) -> RoadRows:
        """Return the arrays with which kernels find look-up rows of hits on lanes.

        `surfaces` is a result of `added_to`, which the arrays refer to.
        """
        n_row = len(surfaces.material_of_row) // (1 + int(self._tables.max()))
        return RoadRows(
            surfaces.first_row_of_instance,
            surfaces.material_of_row,
            np.append(self._can_be_wet, np.zeros(len(self.material), np.bool_)),
            self._tables * n_row,
        )

    def name(self, material_id: NDArray[np.uint16]) -> None:
        """Change, in place, the ids of additional material rows to the ids of their dry materials.

        `material_id` has any ids of the extended material table; other ids stay as they are.
        """
        n = len(self._can_be_wet)
        further = (material_id >= n) & (material_id < n + len(self.material))
        material_id[further] = self.material[material_id[further] - n]
