# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Ground in weather: wet roads, which are darker and mirror, and snow on what faces the sky."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

import numpy as np

from lidar_base.compiled import read_only
from material_mapping.optics import wet as water
from material_mapping.response import Lookup
from material_mapping.table import MaterialTable, builtin_materials

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lidar_scenery.weather.state import Weather

WET = ("asphalt_*", "tar", "concrete", "road_marking_*", "paving_stone", "kerb_stone")
"""Materials of roads, which hold water; those of wet surfaces by name are wet already."""
_IS_WET = "*_wet"
SNOWED = (*WET, "grass*", "soil*", "gravel", "sand*", "leaf_litter", "roof*")
"""Materials on which snow lies."""
SNOW = "snow"
FULL_SNOW_MM = 10.0
"""Depth from which on snow hides what is below. An estimate. [mm]"""
LEVEL = math.cos(math.radians(30.0))
"""Cosine to the vertical from which on water stays; it runs off slopes that are steeper than 30
degrees, and mirrors nothing there. An estimate. [1]"""
_COSINES = np.cos(np.deg2rad(np.arange(91)))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class WetGround:
    """The materials of a scene in some weather, at one wavelength.

    Attributes
    ----------
    table : MaterialTable
        With the reflectance of wet and snowy ground.
    is_wet : bool (n_material + 1,)
        Whether a material holds water; the last row is for hits of nothing.
    cosines, mirrored_twice : float64 (91,)
        Share of the light that the water mirrors there and back, by the cosine of the angle of
        incidence, which rises. [1]
    """

    table: MaterialTable
    is_wet: NDArray[np.bool_]
    cosines: NDArray[np.float64]
    mirrored_twice: NDArray[np.float64]


class GroundLook:
    """The ground as one sensor sees it; tables are kept until water, snow or materials change.

    Parameters
    ----------
    wavelength_nm : float
        Of the sensor. [nm]
    """

    def __init__(self, wavelength_nm: float) -> None:
        self._wavelength_nm = wavelength_nm
        self._known: tuple[MaterialTable, float, float, WetGround | None] | None = None

    def of(self, weather: Weather, table: MaterialTable) -> WetGround | None:
        """Return the materials of a scene in some weather, see `ground_in`."""
        known, held = self._known, (weather.road_water_mm, weather.snow_depth_mm)
        if known is None or known[0] is not table or known[1:3] != held:
            ground = ground_in(weather, table, self._wavelength_nm)
            self._known = known = table, *held, ground
        return known[3]


def ground_in(weather: Weather, table: MaterialTable, wavelength_nm: float) -> WetGround | None:
    """Return the materials of a scene in some weather; None where the ground is dry and bare.

    It goes by material, not by place: concrete of a wall is as wet as that of a road. Snow is mixed
    in by its depth. ``table`` is that of the dry scene at the wavelength [nm].
    """
    water_mm, snow_mm = weather.road_water_mm, weather.snow_depth_mm
    wet = _named(table, WET) if water_mm > 0.0 else np.zeros(len(table.names), np.bool_)
    snowed = _named(table, SNOWED) if snow_mm > 0.0 else np.zeros(len(table.names), np.bool_)
    if not (wet.any() or snowed.any()):
        return None
    reflectance, lookup = table.reflectance.copy(), table.lookup.copy()
    for row in np.flatnonzero(wet):
        reflectance[row] *= water.wet_factor(
            _COSINES,
            reflectance=min(float(reflectance[row, 0]), 1.0),
            water_mm=water_mm,
            wavelength_nm=wavelength_nm,
        )
    if snowed.any():
        covered = min(snow_mm / FULL_SNOW_MM, 1.0)
        white = builtin_materials()[SNOW].reflectivity(wavelength_nm)
        reflectance[snowed] = (1.0 - covered) * reflectance[snowed] + covered * white
    lookup[wet | snowed] = Lookup.SMOOTH
    return WetGround(
        table=replace(table, reflectance=read_only(reflectance), lookup=read_only(lookup)),
        is_wet=np.append(wet & ~snowed, False),
        cosines=_COSINES[::-1].copy(),
        mirrored_twice=water.ghost_share(
            _COSINES[::-1], water_mm=water_mm, wavelength_nm=wavelength_nm
        ),
    )


def _named(table: MaterialTable, patterns: tuple[str, ...]) -> NDArray[np.bool_]:
    """Return which materials have a name of some patterns, and are not wet already."""
    return np.array(
        [
            any(fnmatchcase(name, each) for each in patterns) and not fnmatchcase(name, _IS_WET)
            for name in table.names
        ],
        np.bool_,
    )
