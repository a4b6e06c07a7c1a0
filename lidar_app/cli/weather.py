# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The command ``weather``: range of a sensor in rain, snow and fog, and points from drops."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from lidar_app.cli.parts.completion import known_sensors
from lidar_app.cli.parts.console import display, line, print_json
from lidar_app.cli.parts.options import JsonOption
from lidar_app.cli.parts.parameters import INPUT, OUTPUT, SENSOR, option, switch
from osi_lidar.errors import InputError

if TYPE_CHECKING:
    from lidar_app.show.weather_report import WeatherReport
    from lidar_scenery.weather.sources.window_keys import WindowSection
    from osi_lidar.config import Sensor


_MOST_MM_H = 500.0  # as in a configuration, whose models take time to import


@dataclass(frozen=True)
class Asked:
    """Values of options of ``osi-lidar weather``: the sensor, and rain, snow and fog.

    Attributes
    ----------
    config : Path or None
        Configuration (YAML) of the sensor and its window; None: the known sensor `sensor`,
        physical.
    sensor : str or None
        Name of a sensor of the configuration, or without it of a known sensor; None: the first
        configured one.
    rain : float
        Rate of rain. [mm/h]
    snow : float
        Rate of snow, as water. [mm/h]
    fog : float or None
        Visibility in fog; None: no fog. [m]
    """

    config: Path | None = option(
        "FILE",
        "Configuration (YAML) of the sensor and its window. Default: the known sensor of --sensor, "
        "physical.",
        INPUT,
        "--config",
        "-c",
    )
    sensor: str | None = option(
        "NAME",
        "Sensor of the configuration, or any known sensor. Default: the first one configured.",
        SENSOR,
        complete=known_sensors,
    )
    rain: float = option("MM/H", "Rate of rain.", "Weather", default=0.0, limits=(0.0, _MOST_MM_H))
    snow: float = option(
        "MM/H", "Rate of snow, as water.", "Weather", default=0.0, limits=(0.0, _MOST_MM_H)
    )
    fog: float | None = option(
        "METRES", "Visibility in fog. Default: no fog.", "Weather", limits=(1.0, None)
    )

    def report(self) -> WeatherReport:
        """Return a report on how the chosen sensor detects targets in the stated weather.

        The report includes the one-way transmission of the sensor's window, at its clearest part.
        Raise InputError if no sensor is chosen, the configuration lacks it, or it is ideal. Raise
        ConfigurationError if the configuration cannot be used. Without one, it means that the
        sensor is unknown.
        """
        from lidar_app.show.weather_report import WeatherReport
        from lidar_scenery.weather.state import Weather

        visibility_m = math.inf if self.fog is None else self.fog
        weather = Weather(rain_mm_h=self.rain, snow_mm_h=self.snow, visibility_m=visibility_m)
        sensor, window = _sensor(self.config, self.sensor)
        return WeatherReport(sensor, weather, _transmission(window, sensor))


def weather(
    asked: Asked,
    half: bool = switch(
        "Show the visibility at which half of the beams that hit a plate still return a point of "
        "it.",
        "Weather",
    ),
    plot: Path | None = option("FILE.png", "Picture to write. Default: none.", OUTPUT),
    as_json: JsonOption = False,
) -> None:
    """Show how far a sensor sees in rain, snow and fog, and how many points the weather makes."""
    from lidar_app.show.weather_report import half_visibilities
    from lidar_app.show.weather_tables import half_table, weather_dict, weather_tables

    report = asked.report()
    if half:
        halves = half_visibilities(report.sensor, report.transmission)
        if as_json:
            print_json({"sensor": report.sensor.name, "half_visibility_m": halves.tolist()})
        else:
            display(half_table(report.sensor.name, halves))
    elif as_json:
        print_json(weather_dict(report))
    else:
        display(*weather_tables(report))
    if plot is not None:
        from lidar_app.show.plots.weather import weather_picture

        line(f"Plot: {weather_picture(report, plot)}")


def _transmission(section: WindowSection, sensor: Sensor) -> float:
    """Return the one-way transmission of the clearest part of a window, from 0 to 1."""
    from osi_lidar.scan.media.window import film_transmission
    from osi_lidar.scan.media.windows import window_of

    if section.sensors is not None and sensor.name not in section.sensors:
        return 1.0
    window = window_of(section)
    film = film_transmission(window.film_mm, wavelength_nm=sensor.wavelength_nm)
    return float(window.transmission.max()) * film


def _sensor(path: Path | None, name: str | None) -> tuple[Sensor, WindowSection]:
    """Return the sensor to show, which must be physical, and the window section."""
    from osi_lidar.config import default_config, load_config

    if path is None:
        if name is None:
            raise InputError("weather: got nothing, expected a configuration or --sensor NAME")
        config = default_config(name, fidelity="physical")
        return config.sensors[0], config.weather.window
    config = load_config(path, check=False)
    sensors = config.sensors
    chosen = [each for each in sensors if name is None or each.name.lower() == name.lower()]
    if not chosen:
        names = ", ".join(each.name for each in sensors)
        raise InputError(f"--sensor: {path} has no sensor {name!r} (it has {names})")
    if not chosen[0].is_physical:
        raise InputError(
            f"{path}: sensor {chosen[0].name} is ideal, so weather has no effect; set fidelity: "
            "physical"
        )
    return chosen[0], config.weather.window
