# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The option ``--weather`` of several commands."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from lidar_app.cli.parts.completion import words_or_files
from lidar_app.cli.parts.parameters import SCENE, option
from lidar_scenery.weather.sources.texts import SUFFIXES, WORDS
from osi_lidar.errors import ConfigurationError, InputError

if TYPE_CHECKING:
    from osi_lidar.config import WeatherSection

WeatherOption = Annotated[
    str | None,
    option(
        "KIND",
        "auto: as the messages say; none: clear and dry; a file with the keys of `weather` "
        "(.yaml); or an OpenSCENARIO file (.xosc). Default: as configured, else auto.",
        SCENE,
        "--weather",
        complete=words_or_files(WORDS, SUFFIXES),
    ),
]


def asked_weather(text: str | None) -> WeatherSection | None:
    """Return the weather section of a configuration for the value of --weather.

    Parameters
    ----------
    text : str or None
        "auto", "none", keys in YAML such as "{rain_mm_h: 10}", or the path of a weather file (YAML
        or OpenSCENARIO). Without the option it is None, and so is the result.

    Raises
    ------
    InputError, ConfigurationError
        The text has another form, or the keys or the file cannot be used.
    """
    if text is None:
        return None
    from pydantic import ValidationError

    from lidar_base.errors import YamlFileError
    from lidar_base.sections import first_problem
    from lidar_scenery.weather.sources.texts import weather_data
    from osi_lidar.config.weather import WeatherSection, configured_weather

    try:
        data, folder = weather_data(text, Path())
    except YamlFileError as error:
        raise InputError(f"--weather: {error}") from None
    try:
        section = WeatherSection.model_validate(data, context={"folder": folder.absolute()})
    except ValidationError as error:
        raise ConfigurationError(f"--weather: {text}: {first_problem(error, data)}") from None
    configured_weather(section)  # raises early if a scenario cannot be used
    return section
