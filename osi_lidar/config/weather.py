# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The ``weather`` section of the configuration, and its combination with weather of messages."""

from pydantic import Field, model_validator

from lidar_base.sections import SomePath
from lidar_scenery.weather import sources
from lidar_scenery.weather.sources.from_osi import at_temperature
from lidar_scenery.weather.sources.layers import layered
from lidar_scenery.weather.sources.sections import WeatherKeys
from lidar_scenery.weather.state import Weather
from osi_lidar.config.values import Switch


class WeatherSection(WeatherKeys):
    """Weather and light: `auto`, `none`, or keys."""

    scenario: SomePath | None = Field(
        default=None,
        description="ASAM OpenSCENARIO file (.xosc). Its weather at the start takes precedence "
        "over the messages, the keys here over both "
        "([weather](../reference/weather.md#openscenario)).",
    )
    messages: Switch = Field(
        default=True,
        description="Whether keys that are not set here are taken from the messages. `weather: "
        "none` is `weather: {messages: false}`.",
    )

    @model_validator(mode="before")
    @classmethod
    def _words(cls, value: object) -> object:
        if isinstance(value, str) and value not in ("auto", "none"):
            raise ValueError(f"got {value!r:.60}, expected auto, none, or keys and values")
        return {"messages": value == "auto"} if isinstance(value, str) else value


def configured_weather(section: WeatherSection) -> Weather:
    """Return the weather that a section ``weather`` and its scenario set.

    A value that neither of them sets is as in clear weather.

    Parameters
    ----------
    section : WeatherSection
        The section; its keys take precedence over the weather of its scenario file.

    Raises
    ------
    ConfigurationError
        The scenario cannot be used.
    """
    own = section.weather()
    if section.scenario is None:
        return own
    return layered(own, sources.weather_of_scenario(section.scenario))


def resolved_weather(section: WeatherSection, osi: Weather | None) -> Weather:
    """Return the weather of configuration and messages; each configured value takes precedence.

    Rain and snow count as one value: if the section or its scenario sets either, the messages'
    precipitation is ignored. Otherwise the temperature decides whether the messages' precipitation
    is rain or snow. This temperature, too, comes from the configuration if it is set there.

    Parameters
    ----------
    section : WeatherSection
        Weather of the configuration; its scenario is read anew with each call.
    osi : Weather or None
        Weather of the messages, as `lidar_scenery.weather.sources.from_osi.weather_of` gives it.

    Raises
    ------
    ConfigurationError
        The scenario cannot be used.
    """
    return over_messages(configured_weather(section), osi if section.messages else None)


def over_messages(configured: Weather, osi: Weather | None) -> Weather:
    """Return the weather of the configuration, completed by the weather of the messages.

    For the rules of precedence see `resolved_weather`.

    Parameters
    ----------
    configured : Weather
        Weather of the configuration, as `configured_weather` returns it. Its values take
        precedence.
    osi : Weather or None
        Weather of the messages. None: ``configured`` is returned as it is.
    """
    if osi is None:
        return configured
    if "temperature_k" in dict(configured.sources):
        osi = at_temperature(osi, configured.temperature_k)
    return layered(configured, osi)
