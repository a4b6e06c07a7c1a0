# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The command ``show range``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from lidar_app.cli.parts.completion import sensors_of_config
from lidar_app.cli.parts.console import line, out, print_json
from lidar_app.cli.parts.options import EarlierArgument, JsonOption
from lidar_app.cli.parts.parameters import INPUT, OUTPUT, SENSOR, option
from osi_lidar.errors import InputError

if TYPE_CHECKING:
    from lidar_app.show.range_report import RangeReport
    from osi_lidar.config import Sensor


def range_limits(
    config: Path | None = option(
        "FILE",
        "Configuration (YAML) of the sensors to show. Default: the one of --sensor.",
        INPUT,
        "--config",
        "-c",
    ),
    sensor: str | None = option(
        "NAME",
        "One of its sensors; without a configuration, any known sensor. Default: all.",
        SENSOR,
        complete=sensors_of_config,
    ),
    plot: Path | None = option(
        "FILE.png", "Plot the range over the reflectivity. Default: no plot.", OUTPUT
    ),
    as_json: JsonOption = False,
    earlier: EarlierArgument = None,
) -> None:
    """Show the detection range by reflectivity, and compare it with the data sheet."""
    from lidar_app.show.range_report import range_dict, range_report
    from lidar_app.show.range_tables import range_tables

    if config is not None and earlier is not None:
        raise InputError(f"got {config} and {earlier}, expected one configuration")
    reports = [range_report(each) for each in _sensors(config or earlier, sensor)]
    picture = None if plot is None else _draw(reports, plot)
    if as_json:
        shown = {"sensors": [range_dict(report) for report in reports]}
        print_json(shown if picture is None else {**shown, "plot": str(picture)})
        return
    for report in reports:
        out.print(range_tables(report))
    if picture is not None:
        line(f"Plot: {picture}")


def _draw(reports: list[RangeReport], path: Path) -> Path:
    """Draw the plot, and return its path."""
    from lidar_app.show.plots.ranges import range_picture

    return range_picture(reports, path)


def _sensors(path: Path | None, name: str | None) -> tuple[Sensor, ...]:
    """Return the sensors to show."""
    from lidar_base.near_match import near_match
    from osi_lidar.config import default_config, load_config

    if path is None:
        if name is None:
            raise InputError("range: got nothing, expected a configuration or --sensor NAME")
        return default_config(name).sensors
    sensors = load_config(path, check=False).sensors  # meshes need not exist
    if name is None:
        return sensors
    chosen = tuple(each for each in sensors if each.name.lower() == name.lower())
    if not chosen:
        names = [each.name for each in sensors]
        hint = near_match(name, names)
        raise InputError(
            f"--sensor: {path} has no sensor {name!r}{hint} (it has {', '.join(names)})"
        )
    return chosen
