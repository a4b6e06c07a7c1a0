# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Films of water on lanes: their depths, and where in the world each of them lies."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from lidar_base.compiled import read_only
from lidar_scenery.roads import RoadParts, lane_areas
from lidar_scenery.roads.meshing import triangles_of
from lidar_scenery.roads.parts import Strip
from lidar_scenery.weather.lanes.area_kernels import DRY, AreaArrays, films_at

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from lidar_scenery.roads.parts import Patch
    from osi_bridge import LaneNetwork

Floats: TypeAlias = NDArray[np.float64]

MOST_FILMS = 16
"""Largest number of films. If lanes state more different depths, each lane gets the nearest of 16
even steps of depth."""
_CELL_M = 4.0  # of a fine grid
_MOST_CELLS = 1 << 20  # of a coarser one for wide networks
_MOST_ENTRIES = 64  # cells per triangle, on average


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LaneWater:
    """Films of water on the lanes of a road world, where lanes state different depths.

    Attributes
    ----------
    film_mm : float64 (n_film,)
        Different depths of films, ascending. [mm]
    n_lanes : int
        Number of lanes that have a film and a surface.
    areas : AreaArrays
        Surfaces of these lanes, each with the index of its film.
    is_stepped : bool
        Whether the lanes state more than `MOST_FILMS` depths. ``film_mm`` are then even steps from
        the least to the greatest depth, and each lane has the nearest step.
    """

    film_mm: Floats
    n_lanes: int
    areas: AreaArrays
    is_stepped: bool

    @property
    def words(self) -> str:
        """Text for users, such as "3 lanes: 0.5 to 2 mm": number of lanes, and range of depths."""
        steps = f" in {MOST_FILMS} steps" if self.is_stepped else ""
        return f"{self.n_lanes} lanes: {self.film_mm[0]:g} to {self.film_mm[-1]:g} mm{steps}"

    def film_under(self, place_m: Floats, otherwise_mm: float) -> Floats:
        """Return the depth of water at places in the world.

        Parameters
        ----------
        place_m : float64 (n, 3)
            Places. [m]
        otherwise_mm : float
            Depth at places that are not on a lane with a film. [mm]

        Returns
        -------
        float64 (n,)
            Depth at each place; where lanes overlap, the wettest lane's. [mm]
        """
        film = np.empty(len(place_m), np.int64)
        films_at(self.areas, read_only(np.ascontiguousarray(place_m)), film)
        return np.where(film == DRY, otherwise_mm, self.film_mm[film])


@lru_cache(maxsize=2)  # a network is the same object until something in it changes
def lane_water(network: LaneNetwork) -> LaneWater | None:
    """Return the films of water that messages state for lanes, if their depths differ.

    Parameters
    ----------
    network : LaneNetwork
        The lanes; lanes without a film or without a surface are ignored.

    Returns
    -------
    LaneWater or None
        None if no lane states a film, if all stated depths are equal, or if no lane with a film has
        a surface.
    """
    stated = {
        lane.id: lane.water_film_mm
        for lane in network.lanes.values()
        if lane.water_film_mm is not None
    }
    if len({*stated.values()}) < 2:
        return None
    areas = lane_areas(network)
    films = {own_id: film for own_id, film in stated.items() if own_id in areas}
    return _on_areas(films, areas) if films else None


def _on_areas(
    films: Mapping[int, float], areas: Mapping[int, Sequence[Strip | Patch]]
) -> LaneWater:
    """Return films, given by lane id, with the surfaces of their lanes."""
    film_mm = np.unique([*films.values()])
    is_stepped = len(film_mm) > MOST_FILMS
    if is_stepped:
        film_mm = np.linspace(film_mm[0], film_mm[-1], MOST_FILMS)
    surfaces = [
        replace(surface, material=str(np.abs(film_mm - films[own_id]).argmin()))
        for own_id in films
        for surface in areas[own_id]
    ]
    names, points_m, faces, material = triangles_of(
        RoadParts(
            strips=tuple(each for each in surfaces if isinstance(each, Strip)),
            patches=tuple(each for each in surfaces if not isinstance(each, Strip)),
        )
    )
    film = np.array(names, np.int64)[material]
    cells = _in_cells(points_m[faces], film)
    return LaneWater(film_mm=film_mm, n_lanes=len(films), areas=cells, is_stepped=is_stepped)


def _in_cells(corner_m: Floats, film: NDArray[np.int64]) -> AreaArrays:
    """Return triangles in a grid for look-up; the grid is coarser for large networks."""
    low_m, high_m = corner_m[:, :, :2].min(axis=1), corner_m[:, :, :2].max(axis=1)
    corner, cell_m = low_m.min(axis=0), _CELL_M
    while True:
        begin = np.floor((low_m - corner) / cell_m).astype(np.int64)
        size = np.floor((high_m - corner) / cell_m).astype(np.int64) - begin + 1
        n_column, n_row = (begin + size).max(axis=0).tolist()
        n_entries = size.prod(axis=1)
        is_small = n_column * n_row <= _MOST_CELLS
        if is_small and n_entries.sum() <= _MOST_ENTRIES * max(len(film), 1024):
            break
        cell_m *= 2.0
    of = np.repeat(np.arange(len(film)), n_entries)
    number = np.arange(len(of)) - np.repeat(np.cumsum(n_entries) - n_entries, n_entries)
    column = begin[of, 0] + number % size[of, 0]
    cell = (begin[of, 1] + number // size[of, 0]) * n_column + column
    order = np.argsort(cell, kind="stable")
    first = np.searchsorted(cell[order], np.arange(n_column * n_row + 1))
    return AreaArrays(
        read_only(np.ascontiguousarray(corner_m)),
        read_only(film),
        read_only(first.astype(np.int64)),
        read_only(of[order]),
        read_only(corner),
        n_column,
        n_row,
        cell_m,
    )
