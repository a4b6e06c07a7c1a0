# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Weather in an OpenSCENARIO file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lidar_app.show.info.record import Info
from lidar_scenery.weather.sources.openscenario import weather_of_scenario

if TYPE_CHECKING:
    from pathlib import Path


def scenario_info(path: Path) -> Info:
    """Return the weather values of an OpenSCENARIO file, and its ignored contents.

    `path` is the file. The list ``weather`` of the result begins with a row, "scenario", that says
    which environment of the file applies. Then it has a row for each value: its name, and a phrase
    with the part of the file that states it. A sun without illuminance is a row without a value.
    The list ``not_followed`` has the weather contents that are ignored.

    Raises
    ------
    ConfigurationError
        If the file cannot be read, or states no usable weather.
    """
    weather = weather_of_scenario(path)
    lists = {
        "weather": [{"value": name, "stated_by": words} for name, words in weather.sources],
        "not_followed": [each._asdict() for each in weather.not_followed],
    }
    return Info(path=path, kind="Weather of a scenario (OpenSCENARIO)", lists=lists)
