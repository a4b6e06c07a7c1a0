# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Tunable parameters: changes to a sensor while it runs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import ValidationError

from lidar_base.errors import YamlFileError
from lidar_base.sections import first_problem
from lidar_scenery.weather.sources.texts import weather_data
from osi_lidar.config import WeatherSection
from osi_lidar.config.models import wavelengths_of
from osi_lidar.config.patterns.texts import pattern_of_text
from osi_lidar.errors import ConfigurationError
from osi_lidar.scan.from_config import pattern_source
from osi_lidar.scan.media.windows import sensor_windows

from .variables import PARAMETERS

if TYPE_CHECKING:
    from osi_lidar.config import Config
    from osi_lidar.model import LidarModel

    from .variables import Value

TUNABLE = tuple(each.name for each in PARAMETERS if each.tunable)


def tune(model: LidarModel, name: str, value: Value) -> None:
    """Change a parameter of the first sensor, with effect from its next scan.

    Parameters
    ----------
    model : LidarModel
        The model, which is unchanged if the value cannot be used.
    name : str
        One of ``TUNABLE``.
    value : bool or str
        New value of the parameter.

    Raises
    ------
    ConfigurationError, PatternError
        The value cannot be used; one line says why.
    """
    if name == "pattern":
        _use_pattern(model, str(value))
    elif name == "weather":
        _use_weather(model, weather_section(str(value), model.config))
    else:
        switch = {name: bool(value)}
        timing = model.lidars[0].timing
        timing.check(None, **switch)
        timing.use_motion(**switch)


def weather_section(text: str, config: Config) -> WeatherSection:
    """Return the weather that the value of the FMU's parameter ``weather`` describes.

    Parameters
    ----------
    text : str
        "auto", "none", keys in YAML such as "{rain_mm_h: 10}", or the path of a file; relative
        paths start at the folder of the configuration. An empty text means the configured weather.
    config : Config
        The configuration.

    Raises
    ------
    ConfigurationError
        The text cannot be used; one line says why.
    """
    if not text.strip():
        return config.weather
    try:
        data, folder = weather_data(text, config.file.parent if config.file else Path.cwd())
        return WeatherSection.model_validate(data, context={"folder": folder})
    except YamlFileError as error:
        raise ConfigurationError(f"weather: {error}") from None
    except ValidationError as error:
        raise ConfigurationError(f"weather: {first_problem(error, data)}") from None


def _use_weather(model: LidarModel, section: WeatherSection) -> None:
    """Apply a weather section, and the state of the sensors' windows (dirt, drops) in it."""
    config = model.config
    windows = sensor_windows(section.window, wavelengths_of(config), config.seed)
    model.world.sky.use(section)
    for lidar in model.lidars:
        lidar.window = windows.get(lidar.name) if lidar.is_physical else None


def _use_pattern(model: LidarModel, text: str) -> None:
    """Use the scan pattern given as text or file name; empty means the configured pattern."""
    lidar, config = model.lidars[0], model.config
    if text.strip():
        folder = config.file.parent if config.file else Path.cwd()
        source = pattern_of_text(text, folder=folder, period_s=lidar.pattern.period_s)
    else:
        source = pattern_source(config.sensors[0])
    lidar.timing.check(source)
    lidar.timing.use_pattern(source)
