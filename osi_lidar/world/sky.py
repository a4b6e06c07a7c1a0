# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The weather of a run, from configuration and messages, with its moving dust and spray."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lidar_scenery.weather.bodies import NONE, Bodies, dust_bodies
from lidar_scenery.weather.sources.from_osi import weather_of
from lidar_scenery.weather.spray import SprayCloud, vehicles_of
from lidar_scenery.weather.trails import DustTrails
from osi_lidar.config.weather import configured_weather, over_messages

if TYPE_CHECKING:
    from lidar_scenery.weather.state import Weather
    from osi_bridge import Conditions, Frame, LaneNetwork
    from osi_lidar.config import WeatherSection


class Sky:
    """The weather of a run, updated by each message.

    Parameters
    ----------
    section : WeatherSection
        Weather of the configuration.
    seed : int
        Seed of the configuration, for spray.

    Attributes
    ----------
    weather : Weather
        Weather of the last message; configured values override the message's.

    Raises
    ------
    ConfigurationError
        The configuration names a scenario that cannot be used.
    """

    def __init__(self, section: WeatherSection, seed: int) -> None:
        self._last_inputs: tuple[Conditions | None, LaneNetwork | None] = None, None
        self._spray, self._was_wet, self._trails = SprayCloud(seed), False, DustTrails()
        self.use(section)

    @property
    def falls(self) -> bool:
        """Whether rain or snow falls, or patches of fog drift, so that two scans differ."""
        return self.weather.changes

    @property
    def remarks(self) -> tuple[tuple[str, str, str], ...]:
        """Remarks as (subject, substitute, reason), such as on laws used beyond their range."""
        law = "its law, beyond what it was fitted to"
        return *(("spray", law, each) for each in self._spray.remarks), *self._trails.remarks

    def use(self, section: WeatherSection) -> None:
        """Take the configured weather from another section; it applies from the next scan on.

        Raises
        ------
        ConfigurationError
            The section names a scenario that cannot be used.
        """
        self._configured, self._listens = configured_weather(section), section.messages
        self._combine()

    def _combine(self) -> None:
        stated = (
            None
            if self._last_inputs[0] is None or not self._listens
            else weather_of(*self._last_inputs)
        )
        self.weather: Weather = over_messages(self._configured, stated)

    def hear(self, frame: Frame) -> None:
        """Update the weather by a message, and take its vehicles as sources of dust and spray.

        ``frame`` is the message. If ``messages`` of the configured section is false, the weather
        that the message states is ignored.
        """
        if frame.conditions is not self._last_inputs[0] or frame.lanes is not self._last_inputs[1]:
            self._last_inputs = frame.conditions, frame.lanes
            self._combine()
        weather = self.weather
        self._trails.hear(frame, weather.dust)
        self._was_wet |= weather.spray and weather.road_water_mm > 0.0
        if self._was_wet:  # spray in the air outlives the water
            vehicles = vehicles_of(frame)
            water_mm = weather.water_under(vehicles.underside_m) if weather.spray else 0.0
            self._spray.hear(frame.time_ns, vehicles, water_mm=water_mm, wind_m_s=weather.wind_m_s)

    def differs_from(self, weather: Weather | None) -> bool:
        """Return whether the weather now differs from ``weather``, or dust or spray may have moved.

        ``weather`` is the weather of an earlier scan; None always differs.
        """
        return weather != self.weather or not (self._spray.is_empty and self._trails.is_empty)

    def bodies(self, time_ns: int) -> Bodies:
        """Return the clouds of dust and spray, as bodies, at the time ``time_ns`` [ns].

        Without dust and spray, the record has no bodies.
        """
        if not self.weather.dust and self._spray.is_empty and self._trails.is_empty:
            return NONE
        dust = [*self._trails.boxes(self.weather.dust, time_ns)]
        return Bodies.joined([dust_bodies(dust), self._spray.bodies(time_ns)])
