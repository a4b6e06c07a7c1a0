# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The commands ``config init`` and ``config schema``: help with writing a configuration."""

from __future__ import annotations

import shlex
from pathlib import Path

from lidar_app.cli.parts.bundles import bundle_of_trace
from lidar_app.cli.parts.command import Commands
from lidar_app.cli.parts.completion import known_sensors
from lidar_app.cli.parts.console import offer_schema, tell
from lidar_app.cli.parts.options import TraceSourceOption, TypeOption
from lidar_app.cli.parts.parameters import OUT, OUTPUT, SENSOR, argument, option, switch


def init(
    trace: Path | None = argument("TRACE", "OSI trace whose objects become rules."),
    sensor: str = option(
        "NAME",
        "Known sensor, as `osi-lidar sensors` lists them.",
        SENSOR,
        default="OS1-128",
        complete=known_sensors,
    ),
    message_type: TypeOption = None,
    source: TraceSourceOption = None,
    out_file: Path = option(
        "FILE",
        "Configuration to write; its schema for editors is written beside it.",
        *OUT,
        default=Path("lidar.yaml"),
    ),
    overwrite: bool = switch("Replace existing files.", OUTPUT),
) -> None:
    """Write a commented configuration to start from, with the objects of a trace as rules."""
    from lidar_app.show.init_file import write_starter
    from osi_bridge import trace_contents
    from osi_lidar.errors import InputError
    from osi_lidar.run.frame_source import SENSOR_DATA

    contents = None
    if trace is not None:
        contents = trace_contents(trace, message_type=message_type, source=source, thorough=True)
        if contents.message_type == "SensorData":
            raise InputError(f"{trace}: {SENSOR_DATA}")
    files = write_starter(out_file, sensor, contents, overwrite=overwrite)
    tell(f"Written: {', '.join(map(str, files))}")
    bundle = bundle_of_trace()
    named = trace if bundle is None else bundle.file
    words = ["osi-lidar", "check", *([] if named is None else [named]), "-c", out_file]
    tell(shlex.join(map(str, words)))


def schema(out_file: Path | None = option("FILE", "File to write. Default: stdout.", *OUT)) -> None:
    """Print the JSON Schema of the configuration, with which editors complete and check it."""
    from osi_lidar.config.schema import config_schema

    offer_schema(config_schema(), out_file)


config = Commands("Write a configuration to start from, or its schema for editors.")
config.add(
    init,
    "osi-lidar config init drive.osi --out lidar.yaml",
    "osi-lidar config init --sensor VLP-16",
)
config.add(schema, "osi-lidar config schema --out lidar.schema.json", writes="config schema")
