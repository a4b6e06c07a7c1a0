# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The weather of one moment, in physical units, whoever states it."""

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
"""Temperature of weather that states none. [K]"""


@dataclass(frozen=True, slots=True, kw_only=True)
class DropSizes:
    """How sizes of rain drops and flakes are distributed.

    Attributes
    ----------
    law : str
        Of rain drops.
    gamma_shape : float
        mu of ``gamma``, N(D) ~ D^mu exp(-(3.67 + mu) D / D_0). [1]
    gamma_median_mm : float
        D_0 of ``gamma``, the median of the volume. [mm]
    table : tuple of (float, float)
        Rows of ``table``: diameter [mm] and number of drops [1/(m^3 mm)], whatever the rate.
    flakes : str
        Law of snow flakes, by the diameter of the melted flake.
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
        Its place in the world, and its extent. [m]
    yaw_rad : float
        Its rotation about the vertical. [rad]
    visibility_m : float
        Visibility inside, at 5 % contrast. [m]
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
        OSI id of the object; or each vehicle has one.
    size_m : (float, float, float)
        Its length behind the object's rear face, its width, and its height above the ground. [m]
    visibility_m : float
        Visibility inside, at 5 % contrast. [m]
    above_km_h : float
        Speed above which it is there; 0: always. [km/h]
    """

    behind: int | Literal["vehicles"]
    size_m: tuple[float, float, float]
    visibility_m: float
    above_km_h: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class FogPatches:
    """How much the density of fog differs from place to place.

    Attributes
    ----------
    size_m : float
        Correlation length of the extinction's logarithm. [m]
    contrast : float
        Its standard deviation; 0: the fog is even. [1]
    """

    size_m: float = 10.0
    contrast: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Weather:
    """Air, water and light of one moment; the defaults are a clear, dry day.

    Attributes
    ----------
    rain_mm_h, snow_mm_h : float
        Rates of precipitation; that of snow as water. [mm/h]
    drop_sizes : DropSizes
        Sizes of what falls.
    snow_density : float
        Of flakes, relative to water. [1]
    visibility_m : float
        Meteorological optical range: 5 % of the flux is left at 550 nm. Infinite: no fog. [m]
    fog_patches : FogPatches
        How the fog's extinction differs around the visibility's.
    spray : bool
        Whether wheels throw water up where roads are wet.
    dust : tuple of DustBox or DustTrail
        Bodies of dust, smoke or exhaust.
    road_water_mm : float
        Water on the road. [mm]
    lane_water : LaneWater or None
        Water on lanes that has another depth. A source that states ``road_water_mm`` states both.
    snow_depth_mm : float
        Snow on the ground. [mm]
    temperature_k : float
        Of the air. [K]
    wind_m_s : (float, float)
        Velocity of the air in the world's x and y, not where it comes from. [m/s]
    ambient_lux : float or None
        Illuminance of the scene; None: the messages'. [lx]
    sun : Sun or None
        The sun; None: the messages'.
    told : tuple of (str, str)
        For each value that somebody states, the name of its field and where it comes from, in
        words. Other names than those of fields are remarks.
    not_followed : tuple of NotFollowed
        Weather that a file states and that is passed over.
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
    told: tuple[tuple[str, str], ...] = field(default=(), compare=False)
    not_followed: tuple[NotFollowed, ...] = field(default=ALL_FOLLOWED, compare=False)

    @property
    def content(self) -> dict[str, object]:
        """Each value that somebody states and who does, or a remark, ready for JSON."""
        content: dict[str, object] = {}
        for name, words in self.told:
            is_value = hasattr(self, name)
            value = plain(getattr(self, name, None))
            content[name] = {"value": value, "from": words} if is_value else words
        return content

    @property
    def is_clear(self) -> bool:
        """Whether the air holds nothing that light notices; roads may be wet all the same."""
        return (
            self.rain_mm_h == 0.0
            and self.snow_mm_h == 0.0
            and math.isinf(self.visibility_m)
            and not self.dust
        )

    def water_under(self, place_m: NDArray[np.float64]) -> NDArray[np.float64] | float:
        """Return the water on the road below places in the world, of each or of all [mm].

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
        """Whether two scans see other air: rain or snow that falls, patches that drift."""
        drifts = self.fog_patches.contrast > 0.0 and self.wind_m_s != (0.0, 0.0)
        return self.rain_mm_h > 0.0 or self.snow_mm_h > 0.0 or drifts


CLEAR = Weather()
"""A clear, dry day."""


def plain(value: object) -> object:
    """Return a value of the weather in numbers and words: records as mappings, tuples as lists."""
    if is_dataclass(value):
        return {each.name: plain(getattr(value, each.name)) for each in fields(value)}
    return [plain(each) for each in value] if isinstance(value, tuple) else value


def sun_at(azimuth_rad: float, elevation_rad: float, lux: float) -> Sun:
    """Return the sun at an azimuth, counter-clockwise from north, the y axis. [rad], [lx]."""
    flat = math.cos(elevation_rad)
    towards = (-flat * math.sin(azimuth_rad), flat * math.cos(azimuth_rad), math.sin(elevation_rad))
    return Sun(direction=towards, lux=lux)
