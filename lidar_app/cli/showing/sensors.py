# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The command ``sensors``."""

from __future__ import annotations

from lidar_app.cli.parts.completion import known_sensors
from lidar_app.cli.parts.console import out, print_json
from lidar_app.cli.parts.options import JsonOption
from lidar_app.cli.parts.parameters import argument


def sensors(
    name: str | None = argument("NAME", "Name of a sensor.", known_sensors),
    as_json: JsonOption = False,
) -> None:
    """List the known sensors, or show the figures of one with their sources."""
    from lidar_app.show import tables as reports
    from osi_lidar.sensors.presets import load_preset, preset_names
    from osi_lidar.sensors.ready import ready_names, ready_sensor

    names = [*preset_names(), *ready_names()] if name is None else [name]
    known = [ready_sensor(each) or load_preset(each) for each in names]
    if as_json:
        shown = [each.model_dump(mode="json") for each in known]
        print_json(shown if name is None else shown[0])
    elif name is not None:
        out.print(reports.sensor_details(known[0]))
    else:
        out.print(*reports.sensor_lists(known))
