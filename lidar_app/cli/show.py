# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The commands ``show range`` and ``show shapes``, and the command ``sensors``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from lidar_app.cli.parts.command import Commands
from lidar_app.cli.parts.completion import known_sensors, sensors_of_config
from lidar_app.cli.parts.completion import shapes as shape_names
from lidar_app.cli.parts.console import display, line, print_json, tell
from lidar_app.cli.parts.options import EarlierArgument, JsonOption
from lidar_app.cli.parts.parameters import INPUT, OUT, OUTPUT, SENSOR, argument, option
from lidar_app.cli.waveform import waveform
from osi_lidar.errors import InputError

if TYPE_CHECKING:
    from osi_lidar.config import Sensor

_Metres = Annotated[
    float | None,
    option(
        "METRES",
        "Length, width or height of the shape. Default: its usual size.",
        "Size",
        limits=(0.01, 1000.0),
    ),
]


def sensors(
    name: str | None = argument("NAME", "Name of a sensor.", known_sensors),
    as_json: JsonOption = False,
) -> None:
    """List the known sensors, or show the figures of one with their sources."""
    from lidar_app.show import tables as reports
    from osi_lidar.sensors.configured_sensors import ready_names, ready_sensor
    from osi_lidar.sensors.presets import load_preset, preset_names

    names = [*preset_names(), *ready_names()] if name is None else [name]
    known = [ready_sensor(each) or load_preset(each) for each in names]
    if as_json:
        shown = [each.model_dump(mode="json") for each in known]
        print_json(shown if name is None else shown[0])
    elif name is not None:
        display(reports.sensor_details(known[0]))
    else:
        display(*reports.sensor_lists(known))


def range_limits(
    config: Path | None = option(
        "FILE",
        "Configuration (YAML) of the sensors to show. Default: the sensor of --sensor.",
        INPUT,
        "--config",
        "-c",
    ),
    sensor: str | None = option(
        "NAME",
        "Configured sensor; without a configuration, any known sensor. Default: all.",
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
    picture = None
    if plot is not None:
        from lidar_app.show.plots.ranges import range_picture

        picture = range_picture(reports, plot)
    if as_json:
        shown = {"sensors": [range_dict(report) for report in reports]}
        print_json(shown if picture is None else {**shown, "plot": str(picture)})
        return
    for report in reports:
        display(*range_tables(report))
    if picture is not None:
        line(f"Plot: {picture}")


def _sensors(path: Path | None, name: str | None) -> tuple[Sensor, ...]:
    """Return the sensors of a configuration, or a known sensor, by name."""
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


def shapes(
    name: str | None = argument("NAME", "Name of a shape.", shape_names),
    length: _Metres = None,
    width: _Metres = None,
    height: _Metres = None,
    out_file: Path | None = option(
        "FILE", "Mesh (.glb, .obj) or picture (.png) to write. Default: none.", *OUT
    ),
) -> None:
    """List the shapes of objects without a mesh, or write one, or a picture of all of them."""
    from lidar_app.show.meshes.files import SUFFIXES
    from lidar_app.show.meshes.shapes import shape_table, write_all, write_shape

    sides = length, width, height
    if name is None:
        for side, given in zip(("length", "width", "height"), sides, strict=True):
            if given is not None:
                raise InputError(f"--{side}: needs NAME, the name of a shape, got none")
        display(shape_table())
        if out_file is None:
            return
        if out_file.suffix.lower() != ".png":
            raise InputError(
                f"{out_file}: expected the name of a picture (.png) of all shapes, or the name of "
                "a shape to write"
            )
        write_all(out_file)
        written = [out_file]
    else:
        if out_file is not None and out_file.suffix.lower() not in (*SUFFIXES, ".png"):
            raise InputError(
                f"{out_file}: cannot write this format, expected {' '.join(SUFFIXES)} or .png"
            )
        written = write_shape(name, sides, out_file)
    for each in written:
        tell(str(each))


show = Commands("Show how far sensors see, what a beam receives, and shapes.")
show.add(range_limits, "osi-lidar show range --sensor VLP-16", name="range", writes="show range")
show.add(
    waveform,
    "osi-lidar show waveform drive.osi -c lidar.yaml --beam 12:340",
    writes="show waveform",
)
show.add(
    shapes,
    "osi-lidar show shapes",
    "osi-lidar show shapes car --length 4.2 --out car.glb",
    writes="show shapes",
)
