# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Facts about a scene of a data set, as texts."""

from __future__ import annotations

from typing import NamedTuple


class SceneFacts(NamedTuple):
    """Facts about a scene, as texts; an empty text means not known, or no such weather.

    Attributes
    ----------
    scene, trace, trace_key : str
        Names of the run and of its trace, and unique key of the trace, see `RunSource.trace`.
    seed : str
        Seed of all random numbers.
    rain_mm_h, snow_mm_h, visibility_m, road_water_mm, snow_depth_mm : str
        Weather at the end of the run.
    dust : str
        Number of dust clouds.
    window : str
        Transmission, drops and water film of the sensor window, where they are not clean and dry.
    ambient_lux, light : str
        Illuminance [lx], and "night" or "day", which follows from it.
    sensors, models : str
        Names of the sensors, and names of their presets ("own" without a preset).
    host_mean_m_s, host_max_m_s : str
        Mean and largest speed of the vehicle. [m/s]
    changes : str
        Values of the configuration that differ from most runs, each as "dotted.key=value".
    """

    scene: str
    trace: str
    trace_key: str
    seed: str
    rain_mm_h: str
    snow_mm_h: str
    visibility_m: str
    dust: str
    road_water_mm: str
    snow_depth_mm: str
    window: str
    ambient_lux: str
    light: str
    sensors: str
    models: str
    host_mean_m_s: str
    host_max_m_s: str
    changes: str

    @property
    def tags(self) -> list[str]:
        """Words for the weather and the night, as in nuScenes' descriptions, such as "Rain"."""
        states = {
            "Rain": bool(self.rain_mm_h),
            "Snow": bool(self.snow_mm_h),
            "Fog": bool(self.visibility_m),
            "Dust": bool(self.dust),
            "Night": self.light == "night",
        }
        return [word for word, is_so in states.items() if is_so]

    @property
    def weather(self) -> str:
        """The weather as a text, by keys of the configuration, such as "rain_mm_h 10"."""
        names = ("rain_mm_h", "snow_mm_h", "visibility_m", "dust", "road_water_mm", "snow_depth_mm")
        told = [f"{name} {getattr(self, name)}" for name in names if getattr(self, name)]
        return ", ".join([*told, *([f"window {self.window}"] if self.window else [])])

    @property
    def words(self) -> str:
        """One line of text with tags, weather, mean speed of the host and seed, if known."""
        speed = f"host {self.host_mean_m_s} m/s" if self.host_mean_m_s else ""
        parts = (*self.tags, self.weather, speed, f"seed {self.seed}" if self.seed else "")
        return ", ".join(part for part in parts if part)
