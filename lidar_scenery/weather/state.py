# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The weather of one moment, in physical units, from any source."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, fields, is_dataclass
from typing import TYPE_CHECKING, Literal

from lidar_base.unfollowed import ALL_FOLLOWED, NotFollowed
from osi_bridge import Sun

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from lidar_scenery.weather.lanes import LaneWater

DropLaw = Literal["marshall_palmer", "gamma", "table"]
FlakeLaw = Literal["gunn_marshall", "sekhon_srivastava"]
WATER_TEMPERATURE_K = 288.15
"""Temperature of the air if no source states one. [K]"""


@dataclass(frozen=True, slots=True, kw_only=True)
class DropSizes:
    """Size distributions of rain drops and flakes.

    Attributes
    ----------
    law : str
        Law of rain drops: ``marshall_palmer``, ``gamma`` or ``table``.
    gamma_shape : float
        mu of the law ``gamma``, N(D) ~ D^mu exp(-(3.67 + mu) D / D_0). [1]
    gamma_median_mm : float
        D_0 of the law ``gamma``: half of the water is in smaller drops. [mm]
    table : tuple of (float, float)
        Rows of the law ``table``: diameter [mm] and number of drops [1/(m^3 mm)]. They are used as
        they are, whatever the rate of rain.
    flakes : str
        Law of snow flakes, by the diameter of the melted flake: ``gunn_marshall`` or
        ``sekhon_srivastava``.
    """

    law: DropLaw = "marshall_palmer"
    gamma_shape: float = 3.0
    gamma_median_mm: float = 1.5
    table: tuple[tuple[float, float], ...] = ()
    flakes: FlakeLaw = "gunn_marshall"


@dataclass(frozen=True, slots=True, kw_only=True)
class DustBox:
    """A box of dust, smoke or exhaust that stands in the world.

    Attributes
    ----------
    center_m, size_m : (float, float, float)
        Centre of the box in the world; its length, width and height. [m]
    yaw_rad : float
        Rotation of the box about the vertical. [rad]
    visibility_m : float
        Visibility inside the box: 5 % of the light is left after this distance. [m]
    """

    center_m: tuple[float, float, float]
    size_m: tuple[float, float, float]
    yaw_rad: float = 0.0
    visibility_m: float = 30.0


@dataclass(frozen=True, slots=True, kw_only=True)
class DustTrail:
    """A box of dust or exhaust behind moving objects, which moves and turns with them.

    Attributes
    ----------
    behind : int or 'vehicles'
        OSI id of the object that has the box; 'vehicles': each vehicle has one.
    size_m : (float, float, float)
        Length of the box from the object's rear face backwards, its width, and its height from the
        object's underside upwards. [m]
    visibility_m : float
        Visibility inside the box: 5 % of the light is left after this distance. [m]
    above_km_h : float
        Speed of the object above which there is a box; 0: always. [km/h]
    """

    behind: int | Literal["vehicles"]
    size_m: tuple[float, float, float]
    visibility_m: float
    above_km_h: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class FogPatches:
    """Variation of the density of fog from place to place.

    Attributes
    ----------
    size_m : float
        Correlation length of the logarithm of the extinction. [m]
    contrast : float
        Standard deviation of the logarithm of the extinction; 0: the fog is even. [1]
    """

    size_m: float = 10.0
    contrast: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Weather:
    """Air, water and light of one moment; the defaults are a clear, dry day.

    Attributes
    ----------
    rain_mm_h, snow_mm_h : float
        Rates of precipitation; the rate of snow is its water equivalent. [mm/h]
    drop_sizes : DropSizes
        Size distributions of rain drops and flakes.
    snow_density : float
        Density of flakes relative to water. [1]
    visibility_m : float
        Meteorological optical range: 5 % of the light at 550 nm is left after this distance.
        Infinite: no fog. [m]
    fog_patches : FogPatches
        Variation of the fog's extinction around the value from ``visibility_m``.
    spray : bool
        Whether wheels throw water up where roads are wet.
    dust : tuple of DustBox or DustTrail
        Bodies of dust, smoke or exhaust.
    road_water_mm : float
        Water on the road. [mm]
    lane_water : LaneWater or None
        Water on each lane, if the depths differ: ``road_water_mm`` then holds outside these lanes.
        None: it holds everywhere. A source that states one of the two fields replaces both.
    snow_depth_mm : float
        Snow on the ground. [mm]
    temperature_k : float
        Temperature of the air. [K]
    wind_m_s : (float, float)
        Velocity of the air along x and y of the world: where the wind blows to. [m/s]
    ambient_lux : float or None
        Illuminance of the scene; None: as the messages state. [lx]
    sun : Sun or None
        The sun; None: as the messages state.
    sources : tuple of (str, str)
        For each value that a source states: the name of the field of this record, and the source in
        words. An entry whose name is not a field is a remark.
    not_followed : tuple of NotFollowed
        Contents of a weather file that its reader ignores.
    """

    rain_mm_h: float = 0.0
    snow_mm_h: float = 0.0
    drop_sizes: DropSizes = field(default_factory=DropSizes)
    snow_density: float = 0.1
    visibility_m: float = math.inf
    fog_patches: FogPatches = field(default_factory=FogPatches)
    spray: bool = True
    dust: tuple[DustBox | DustTrail, ...] = ()
    road_water_mm: float = 0.0
    lane_water: LaneWater | None = None
    snow_depth_mm: float = 0.0
    temperature_k: float = WATER_TEMPERATURE_K
    wind_m_s: tuple[float, float] = (0.0, 0.0)
    ambient_lux: float | None = None
    sun: Sun | None = None
    sources: tuple[tuple[str, str], ...] = field(default=(), compare=False)
    not_followed: tuple[NotFollowed, ...] = field(default=ALL_FOLLOWED, compare=False)

    @property
    def content(self) -> dict[str, object]:
        """Stated values for JSON, by the name of the field: {"value": .., "from": source}.

        Remarks, which are entries of `sources` without a field, are mapped to their text.
        """
        content: dict[str, object] = {}
        for name, words in self.sources:
            is_value = hasattr(self, name)
            value = plain(getattr(self, name, None))
            content[name] = {"value": value, "from": words} if is_value else words
        return content

    @property
    def is_clear(self) -> bool:
        """Whether the air has no rain, snow, fog or dust; roads may still be wet."""
        return (
            self.rain_mm_h == 0.0
            and self.snow_mm_h == 0.0
            and math.isinf(self.visibility_m)
            and not self.dust
        )

    def water_under(self, place_m: NDArray[np.float64]) -> NDArray[np.float64] | float:
        """Return the depth of water on the road at places in the world [mm].

        The result is float64 (n,) if lanes have different films, else one number for all places.

        Parameters
        ----------
        place_m : float64 (n, 3)
            Places. [m]
        """
        if self.lane_water is None:
            return self.road_water_mm
        return self.lane_water.film_under(place_m, self.road_water_mm)

    @property
    def changes(self) -> bool:
        """Whether the air differs from scan to scan: rain or snow falls, or fog patches drift."""
        drifts = self.fog_patches.contrast > 0.0 and self.wind_m_s != (0.0, 0.0)
        return self.rain_mm_h > 0.0 or self.snow_mm_h > 0.0 or drifts


CLEAR = Weather()
"""A clear, dry day."""


def plain(value: object) -> object:
    """Return a value of a `Weather` for JSON: a record as a mapping, a tuple as a list."""
    if is_dataclass(value):
        return {each.name: plain(getattr(value, each.name)) for each in fields(value)}
    return [plain(each) for each in value] if isinstance(value, tuple) else value


def sun_at(azimuth_rad: float, elevation_rad: float, lux: float) -> Sun:
    """Return the sun in the world from its azimuth, elevation and illuminance.

    Parameters
    ----------
    azimuth_rad : float
        Azimuth, counter-clockwise from north, which is the y axis of the world. [rad]
    elevation_rad : float
        Elevation above the horizon. [rad]
    lux : float
        Illuminance by the sun. [lx]
    """
    flat = math.cos(elevation_rad)
    towards = (-flat * math.sin(azimuth_rad), flat * math.cos(azimuth_rad), math.sin(elevation_rad))
    return Sun(direction=towards, lux=lux)
