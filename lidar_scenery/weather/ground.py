# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Ground in weather: wet roads, which are darker and mirror, and snow on ground and roofs."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from lidar_base.compiled import read_only
from lidar_base.errors import ConfigurationError
from lidar_scenery.weather.lanes.area_kernels import DRY
from lidar_scenery.weather.lanes.rows import FilmRows
from material_mapping.errors import WavelengthError
from material_mapping.optics import wet as water
from material_mapping.optics.water import refractive_index
from material_mapping.response import Lookup
from material_mapping.table import MaterialTable, builtin_materials

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lidar_scenery.surfaces import Surfaces
    from lidar_scenery.weather.lanes import LaneWater
    from lidar_scenery.weather.state import Weather

WET = ("asphalt_*", "tar", "concrete", "road_marking_*", "paving_stone", "kerb_stone")
"""Materials of roads, which can be wet; materials named ``*_wet`` are wet already."""
_IS_WET = "*_wet"
SNOWED = (*WET, "grass*", "soil*", "gravel", "sand*", "leaf_litter", "roof*")
"""Materials on which snow lies."""
SNOW = "snow"
FULL_SNOW_MM = 10.0
"""Depth of snow that hides the material below completely. An estimate. [mm]"""
LEVEL = math.cos(math.radians(30.0))
"""Cosine of the steepest slope on which water stays: it runs off slopes above 30 degrees, which
mirror nothing. An estimate. [1]"""
_COSINES = np.cos(np.deg2rad(np.arange(91)))
_Laid: TypeAlias = "tuple[float, float, LaneWater | None]"  # water, snow, and water of lanes


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class WetGround:
    """The materials of a scene whose ground is wet or under snow, at one wavelength.

    Attributes
    ----------
    table : MaterialTable
        Material table with the reflectance of wet and snowy ground. It may have additional rows:
        materials under the films of water on lanes.
    film : int64 (n_material + 1,)
        Index of the film of water on each row of ``table``, which is a row of ``mirrored_twice``.
        DRY (-1) for a material that is dry or under snow. The last value is for rays that hit
        nothing.
    cosines : float64 (91,)
        Cosines of the angle of incidence for the columns of ``mirrored_twice``, rising. [1]
    mirrored_twice : float64 (n_film, 91)
        Share of the light that each film of water mirrors on the way out and again on the way back,
        by cosine. [1]
    lanes : FilmRows or None
        The additional rows for lanes; None if all roads have the same film.
    """

    table: MaterialTable
    film: NDArray[np.int64]
    cosines: NDArray[np.float64]
    mirrored_twice: NDArray[np.float64]
    lanes: FilmRows | None

    @property
    def is_wet(self) -> NDArray[np.bool_]:
        """Whether each row of `film` has a film of water that snow does not cover."""
        return np.asarray(self.film != DRY)

    def added_to(self, surfaces: Surfaces) -> Surfaces:
        """Return look-up tables of a scene in which wet lanes have rows of their own.

        `surfaces` itself is returned if `lanes` is None.
        """
        return surfaces if self.lanes is None else self.lanes.added_to(surfaces)

    def name(self, material_id: NDArray[np.uint16]) -> None:
        """Replace ids of materials under lane films by the ids of the dry materials, in place.

        Only ids of additional rows of the material table change in `material_id`; others stay.
        """
        if self.lanes is not None:
            self.lanes.name(material_id)


class GroundCache:
    """Keeps the materials of a sensor's wet or snowy ground until water, snow or materials change.

    It stores one result of `ground_in`, with the water, snow and dry material table of that call.
    """

    def __init__(self) -> None:
        self._known: tuple[MaterialTable, _Laid, WetGround | None] | None = None

    def of(self, weather: Weather, table: MaterialTable) -> WetGround | None:
        """Return the materials of the ground, from the previous call if nothing has changed.

        Parameters
        ----------
        weather : Weather
            Only its depths of water and snow, and its water by lane, count.
        table : MaterialTable
            Material table of the dry scene; the same object counts as unchanged.

        Returns
        -------
        WetGround or None
            The result of `ground_in`; None if no material is wet or under snow.

        Raises
        ------
        ConfigurationError
            The ground is wet, and water has no data at the table's wavelength.
        """
        laid = weather.road_water_mm, weather.snow_depth_mm, weather.lane_water
        known = self._known
        if known is None or known[0] is not table or known[1] != laid:
            ground = ground_in(weather, table)
            self._known = known = table, laid, ground
        return known[2]


def ground_in(weather: Weather, table: MaterialTable) -> WetGround | None:
    """Return a scene's materials on wet or snowy ground; None if no material is wet or under snow.

    Water and snow depend on the material, not on the place: the concrete of a wall is as wet as the
    concrete of a road. But if lanes state different films, these differ by place: the table gets an
    additional row for each material that can be wet, under each film that other roads do not have,
    see `lanes.rows`. Under snow, the reflectance of a material changes to the reflectance of snow
    in proportion to the depth; from `FULL_SNOW_MM` on, it equals the reflectance of snow.

    Parameters
    ----------
    weather : Weather
        Depths of water and snow.
    table : MaterialTable
        Material table of the dry scene.

    Raises
    ------
    ConfigurationError
        The ground is wet, and water has no data at the table's wavelength.
    """
    road_mm, snow_mm, lanes = weather.road_water_mm, weather.snow_depth_mm, None
    water_mm = np.where(_named(table, WET), road_mm, 0.0)
    if weather.lane_water is not None:
        lanes = FilmRows(weather.lane_water, road_mm, _named(table, WET))
        table = table.with_copies(lanes.material)
        water_mm = np.concatenate([water_mm, lanes.film_mm])
    wet = water_mm > 0.0
    snowed = _named(table, SNOWED) if snow_mm > 0.0 else np.zeros(len(table.names), np.bool_)
    if not (wet.any() or snowed.any()):
        return None
    if wet.any():
        check_water(table.wavelength_nm)
    films_mm = np.unique(water_mm[wet])
    film = np.where(wet & ~snowed, np.searchsorted(films_mm, water_mm), DRY)
    mirrored = [
        water.ghost_share(_COSINES[::-1], water_mm=film_mm, wavelength_nm=table.wavelength_nm)
        for film_mm in films_mm.tolist()
    ]
    return WetGround(
        table=_laid_on(table, water_mm, snowed, snow_mm),
        film=np.append(film, DRY),
        cosines=_COSINES[::-1].copy(),
        mirrored_twice=np.array(mirrored).reshape(-1, len(_COSINES)),
        lanes=lanes,
    )


def check_water(wavelength_nm: float) -> None:
    """Raise ConfigurationError if the optics of water are not known at a lidar's wavelength.

    `wavelength_nm` is the wavelength; with an error, a wet road cannot be modelled. [nm]
    """
    try:
        refractive_index(wavelength_nm)
    except WavelengthError as error:
        raise ConfigurationError(
            f"weather: a wet road cannot be modelled for this sensor: {error}"
        ) from None


def _laid_on(
    table: MaterialTable, water_mm: NDArray[np.float64], snowed: NDArray[np.bool_], snow_mm: float
) -> MaterialTable:
    """Return the table with each material under its own depth of water, and some under snow."""
    wet = water_mm > 0.0
    reflectance, lookup = table.reflectance.copy(), table.lookup.copy()
    for row in np.flatnonzero(wet):
        reflectance[row] *= water.wet_factor(
            _COSINES,
            reflectance=min(float(reflectance[row, 0]), 1.0),
            water_mm=water_mm[row],
            wavelength_nm=table.wavelength_nm,
        )
    if snowed.any():
        covered = min(snow_mm / FULL_SNOW_MM, 1.0)
        white = builtin_materials()[SNOW].reflectivity(table.wavelength_nm)
        reflectance[snowed] = (1.0 - covered) * reflectance[snowed] + covered * white
    lookup[wet | snowed] = Lookup.SMOOTH
    return replace(table, reflectance=read_only(reflectance), lookup=read_only(lookup))


def _named(table: MaterialTable, patterns: tuple[str, ...]) -> NDArray[np.bool_]:
    """Return for each material whether its name fits a pattern and is not wet already."""
    return np.array(
        [
            any(fnmatchcase(name, each) for each in patterns) and not fnmatchcase(name, _IS_WET)
            for name in table.names
        ],
        np.bool_,
    )
