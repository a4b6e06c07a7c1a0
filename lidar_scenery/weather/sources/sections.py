# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Weather as keys of a YAML file, as frozen pydantic models."""

import math
from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Annotated, Literal

from pydantic import Discriminator, Field, Tag, field_validator, model_validator

from lidar_base.sections import Section, problem_at
from lidar_scenery.weather.sources.window_keys import WindowSection
from lidar_scenery.weather.state import (
    CLEAR,
    DropSizes,
    DustBox,
    DustTrail,
    FlakeLaw,
    FogPatches,
    Weather,
    sun_at,
)
from osi_bridge import Sun

MAX_RATE_MM_H = 500.0  # beyond physics: gauges saw some 300 mm in one hour, the most ever
MAX_WIND_M_S = 100.0
MAX_LUX = 1e6  # the sun gives some 130 000 lx
ICE_DENSITY = 0.917  # of solid ice, relative to water

Finite = Annotated[float, Field(strict=True, allow_inf_nan=False)]
NotNegative = Annotated[Finite, Field(ge=0)]
Precipitation = Annotated[Finite, Field(ge=0, le=MAX_RATE_MM_H)]
Visibility = Annotated[Finite, Field(ge=1)]
PatchSize = Annotated[Finite, Field(ge=2, le=1000)]
Contrast = Annotated[Finite, Field(ge=0, le=1)]
Wind = Annotated[Finite, Field(ge=-MAX_WIND_M_S, le=MAX_WIND_M_S)]
Film = Annotated[Finite, Field(ge=0, le=100)]
Depth = Annotated[Finite, Field(ge=0, le=5000)]
AirTemperature = Annotated[Finite, Field(ge=180, le=340)]
FlakeDensity = Annotated[Finite, Field(ge=0.01, le=ICE_DENSITY)]
GammaShape = Annotated[Finite, Field(ge=0, le=50)]
Diameter = Annotated[Finite, Field(ge=0.01, le=10)]
Lux = Annotated[Finite, Field(ge=0, le=MAX_LUX)]
Degrees = Annotated[Finite, Field(ge=-360, le=360)]
Elevation = Annotated[Finite, Field(ge=-90, le=90)]
Place = Annotated[Finite, Field(ge=-1e9, le=1e9)]
Size = Annotated[Finite, Field(gt=0, le=1e6)]
Speed = Annotated[Finite, Field(ge=0, le=1000)]
ObjectId = Annotated[int, Field(strict=True, ge=0, lt=2**64)]


class PatchesSection(Section):
    """Patches in which fog is denser or thinner than on average."""

    size_m: PatchSize = Field(
        default=10.0,
        description="Correlation length of the logarithm of the extinction; the default is an "
        "estimate.",
    )
    contrast: Contrast = Field(
        description="Standard deviation of the logarithm of the extinction [1]; 0: even fog. With "
        "0.6, a third of the places has more than 1.5 or less than 0.46 of the mean."
    )


class FogSection(Section):
    """Fog or haze, everywhere alike or in patches."""

    visibility_m: Visibility = Field(
        description="Meteorological optical range, as OSI and the WMO define it: the distance "
        "after which 5 % of the light at 550 nm is left. Fog below 1000 m, haze above."
    )
    patches: PatchesSection | None = Field(
        default=None,
        description="Patches of denser and thinner fog; their mean extinction follows from "
        "`visibility_m`. Patches stand still in the world, or drift with the wind. Default: none, "
        "the fog is even.",
    )

    @property
    def fog_patches(self) -> FogPatches:
        """Size and contrast of the fog's patches; the contrast is 0 if the fog is uniform."""
        patches = self.patches
        if patches is None or patches.contrast == 0.0:
            return CLEAR.fog_patches
        return FogPatches(size_m=patches.size_m, contrast=patches.contrast)


def _behind_tag(value: object) -> str:
    return "vehicles" if isinstance(value, str) else "id"


class DustSection(Section):
    """A box of dust, smoke or exhaust, in the world or behind moving objects."""

    center_m: tuple[Place, Place, Place] | None = Field(
        default=None, description="Centre, in the world. Either this or `behind`."
    )
    behind: (
        Annotated[
            Annotated[Literal["vehicles"], Tag("vehicles")] | Annotated[ObjectId, Tag("id")],
            Discriminator(_behind_tag),
        ]
        | None
    ) = Field(
        default=None,
        description="Objects behind whose rear the box moves and turns along: `vehicles`, each "
        "moving object of OSI's type vehicle (also the host); or the OSI id of one moving object.",
    )
    size_m: tuple[Size, Size, Size] = Field(description="Length, width and height.")
    yaw_deg: Degrees = Field(
        default=0.0, description="Rotation about z in the world; positive turns left."
    )
    visibility_m: Visibility = Field(
        default=30.0,
        description="Visibility inside the box, as for fog; the default is an estimate. Required "
        "with `behind`.",
    )
    above_km_h: Speed = Field(
        default=0.0,
        description="With `behind`: speed of the object above which the box is there; 0: always.",
    )

    @model_validator(mode="before")
    @classmethod
    def _check_behind(cls, value: object) -> object:
        behind = value.get("behind") if isinstance(value, Mapping) else None
        if isinstance(behind, str) and behind != "vehicles":
            problem = f"got {behind!r:.60}, expected vehicles or an OSI id, a whole number"
            raise problem_at("behind", message=problem)
        if isinstance(value, Mapping) and behind is not None and "visibility_m" not in value:
            raise problem_at(
                "visibility_m", message="is missing, expected metres above 0 with behind"
            )
        return value

    @model_validator(mode="after")
    def _check(self) -> "DustSection":
        if self.behind is None:
            if self.center_m is None:
                raise problem_at("center_m", message="is missing, expected center_m or behind")
            if self.above_km_h:
                raise problem_at(
                    "above_km_h", message="is for dust with behind, got dust without it"
                )
            return self
        for key, is_stated in (("center_m", self.center_m), ("yaw_deg", self.yaw_deg)):
            if is_stated:
                raise problem_at(key, message="is not allowed with behind, which places the box")
        return self

    @property
    def body(self) -> DustBox | DustTrail:
        """The box in the world, or the trail behind objects."""
        if self.center_m is None:
            return DustTrail(
                behind="vehicles" if self.behind is None else self.behind,
                size_m=self.size_m,
                visibility_m=self.visibility_m,
                above_km_h=self.above_km_h,
            )
        return DustBox(
            center_m=self.center_m,
            size_m=self.size_m,
            yaw_rad=math.radians(self.yaw_deg),
            visibility_m=self.visibility_m,
        )


class SunSection(Section):
    """Direction and illuminance of the sun; if stated, the sun of the OSI messages is ignored."""

    azimuth_deg: Degrees = Field(
        description="Azimuth as in OSI: counter-clockwise from north, the y axis of the world; 90 "
        "is west."
    )
    elevation_deg: Elevation = Field(description="Elevation above the horizon.")
    lux: Lux = Field(
        default=100_000.0,
        description="Illuminance [lx]; the default is direct sunlight, as OSI gives it.",
    )

    @property
    def sun(self) -> Sun:
        """The sun as direction and illuminance."""
        return sun_at(math.radians(self.azimuth_deg), math.radians(self.elevation_deg), self.lux)


class DropSizesSection(Section):
    """Sizes of rain drops: a gamma distribution, or a table."""

    law: Literal["gamma"] | None = Field(
        default=None,
        description="`gamma`: N(D) ~ D^shape exp(-(3.67 + shape) D / median) (Ulbrich, 1983), "
        "scaled to the rate.",
    )
    shape: GammaShape = Field(default=3.0, description="Shape of `gamma`; 0: exponential.")
    median_mm: Diameter = Field(
        default=1.5, description="Median of `gamma`: half of the water is in smaller drops."
    )
    table: tuple[tuple[Diameter, NotNegative], ...] | None = Field(
        default=None,
        min_length=2,
        description="Rows of diameter [mm] and number of drops [1/(m³ mm)], as a disdrometer gives "
        "them, in place of a law. The rows are used as they are, whatever the rain rate.",
    )

    @model_validator(mode="after")
    def _check(self) -> "DropSizesSection":
        if (self.law is None) == (self.table is None):
            raise problem_at("law", message="expected either law: gamma or a table")
        diameters_mm = [diameter_mm for diameter_mm, _ in self.table or ()]
        if sorted({*diameters_mm}) != diameters_mm:
            raise problem_at("table", message="expected diameters that increase from row to row")
        if self.table and not any(number for _, number in self.table):
            raise problem_at("table", message="expected a row with drops, got only 0")
        return self


def _sizes_tag(value: object) -> str:
    return "section" if isinstance(value, (Mapping, Section)) else "law"


class WeatherKeys(Section):
    """Weather and light as a configuration states them; None means not stated."""

    rain_mm_h: Precipitation | None = Field(
        default=None,
        description="Rate of rain. If you set rain or `snow_mm_h`, rain and snow of the messages "
        "are ignored. Default: as the messages say, else 0.",
    )
    snow_mm_h: Precipitation | None = Field(
        default=None, description="Rate of snow, as water. Default: as the messages say, else 0."
    )
    fog: FogSection | None = Field(
        default=None, description="Fog. Default: as the messages say, else none."
    )
    spray: Literal["auto", "none"] = Field(
        default="auto", description="Whether wheels throw up water where roads are wet."
    )
    dust: tuple[DustSection, ...] = Field(
        default=(), description="Boxes of dust, smoke or exhaust."
    )
    road_water_mm: Film | None = Field(
        default=None,
        description="Film of water on all roads. Default: by lane as the messages state it, and "
        "as on the wettest lane elsewhere ([wet roads](../explanation/weather.md#water-by-lane)), "
        "else 0.",
    )
    snow_depth_mm: Depth | None = Field(
        default=None, description="Snow on the ground. Default: 0; OSI has no field for it."
    )
    temperature_k: AirTemperature | None = Field(
        default=None,
        description="Temperature of the air; precipitation of the messages is snow below 274.15 K, "
        "an estimate. Default: as the messages say, else 288.15.",
    )
    wind_m_s: tuple[Wind, Wind] | None = Field(
        default=None,
        description="Velocity of the air along x and y of the world: where the wind blows to, not "
        f"where it comes from; at most {MAX_WIND_M_S:g} m/s. Default: as the messages say, else "
        "0.",
    )
    ambient_lux: Lux | None = Field(
        default=None,
        description="Illuminance of the scene. A receiver's own `ambient_lux` takes precedence. "
        "Default: `lux` of `sun`, else as the messages say.",
    )
    sun: SunSection | None = Field(
        default=None, description="The sun. Default: as the messages say."
    )
    drop_sizes: Annotated[
        Annotated[Literal["marshall_palmer"], Tag("law")]
        | Annotated[DropSizesSection, Tag("section")],
        Discriminator(_sizes_tag),
    ] = Field(
        default="marshall_palmer",
        description="Sizes of rain drops: the law of Marshall and Palmer (1948), or another one.",
    )
    flakes: FlakeLaw = Field(
        default="gunn_marshall",
        description="Sizes of melted snow flakes, by Gunn and Marshall (1958) or by Sekhon and "
        "Srivastava (1970).",
    )
    snow_density: FlakeDensity = Field(
        default=0.1, description="Density of flakes, relative to water; the default is an estimate."
    )
    window: WindowSection = Field(
        default=WindowSection.unstated(), description="Windows of the sensors."
    )

    @field_validator("wind_m_s")
    @classmethod
    def _limit_wind(cls, wind_m_s: tuple[float, float] | None) -> tuple[float, float] | None:
        speed_m_s = math.hypot(*wind_m_s or (0.0,))
        if speed_m_s > MAX_WIND_M_S:
            raise ValueError(f"got {speed_m_s:.4g} m/s, expected at most {MAX_WIND_M_S:g} m/s")
        return wind_m_s

    def weather(self) -> Weather:
        """Return the weather of the keys; its ``sources`` name the stated keys."""
        sun = None if self.sun is None else self.sun.sun
        made = Weather(
            rain_mm_h=self.rain_mm_h or 0.0,
            snow_mm_h=self.snow_mm_h or 0.0,
            drop_sizes=self._sizes(),
            snow_density=self.snow_density,
            visibility_m=CLEAR.visibility_m if self.fog is None else self.fog.visibility_m,
            fog_patches=CLEAR.fog_patches if self.fog is None else self.fog.fog_patches,
            spray=self.spray == "auto",
            dust=tuple(each.body for each in self.dust),
            road_water_mm=self.road_water_mm or 0.0,
            snow_depth_mm=self.snow_depth_mm or 0.0,
            temperature_k=self.temperature_k or CLEAR.temperature_k,
            wind_m_s=self.wind_m_s or CLEAR.wind_m_s,
            ambient_lux=sun.lux if sun and self.ambient_lux is None else self.ambient_lux,
            sun=sun,
        )
        names = [each.name for each in fields(made)]
        stated = {
            name
            for name in names
            if getattr(made, name) != getattr(CLEAR, name)
            or (name in _OPTIONAL and getattr(self, name) is not None)
        }
        sources = tuple((name, "configuration") for name in names if name in stated)
        return replace(made, sources=sources)

    def _sizes(self) -> DropSizes:
        sizes = self.drop_sizes
        if isinstance(sizes, str):
            return DropSizes(law=sizes, flakes=self.flakes)
        return DropSizes(
            law=sizes.law or "table",
            gamma_shape=sizes.shape,
            gamma_median_mm=sizes.median_mm,
            table=sizes.table or (),
            flakes=self.flakes,
        )


_OPTIONAL = [name for name, key in WeatherKeys.model_fields.items() if key.default is None]
