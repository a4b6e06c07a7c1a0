# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Options that several commands share, and the configuration that they ask for."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lidar_app.cli.parts.completion import known_sensors, one_of
from lidar_app.cli.parts.parsing import checked_choice
from osi_lidar.errors import InputError

if TYPE_CHECKING:
    from osi_lidar.config import Config
    from osi_lidar.config.fidelity import Fidelity

logger = logging.getLogger(__name__)
INPUT, OUTPUT, SENSOR, SCENE, CLUSTER = "Input", "Output", "Sensor", "Scene", "Cluster"
"""Groups of options in the help."""

TraceArgument = Annotated[
    Path, typer.Argument(metavar="TRACE", help="OSI trace: .osi .mcap .txth, also .gz .xz")
]
ConfigArgument = Annotated[Path, typer.Argument(metavar="CONFIG", help="Configuration (YAML).")]
ConfigOption = Annotated[
    Path | None,
    typer.Option(
        "--config",
        "-c",
        metavar="FILE",
        help="Configuration (YAML), as `osi-lidar init` writes one. Default: one OS1-128.",
        rich_help_panel=INPUT,
    ),
]
OverwriteOption = Annotated[
    bool,
    typer.Option(
        "--overwrite",
        help="Replace an earlier run in the output folder.",
        rich_help_panel=OUTPUT,
    ),
]
HostOption = Annotated[
    int | None,
    typer.Option(
        metavar="ID",
        help="OSI id of the host vehicle. Default: the one that the messages state.",
        rich_help_panel=INPUT,
    ),
]
TypeOption = Annotated[
    str | None,
    typer.Option(
        "--type",
        metavar="TYPE",
        help="SensorView or GroundTruth. Default: by the file's name, schema or content.",
        autocompletion=one_of("SensorView", "GroundTruth"),
        rich_help_panel=INPUT,
    ),
]
FramesOption = Annotated[
    str | None,
    typer.Option(
        metavar="START:STOP[:STEP]", help="Frames to read. Default: all.", rich_help_panel=INPUT
    ),
]
SensorOption = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="Known sensor that replaces those of the configuration, with the mounting of the "
        "first of them; `osi-lidar sensors` lists the names. Default: those of the configuration.",
        autocompletion=known_sensors,
        rich_help_panel=SENSOR,
    ),
]
FidelityOption = Annotated[
    str | None,
    typer.Option(
        metavar="ideal|physical",
        help="ideal: beams are lines, detection is sharp; physical: divergence, echoes, noise and "
        "false alarms of the sensor. Replaces that of all sensors. Default: as configured.",
        autocompletion=one_of("ideal", "physical"),
        rich_help_panel=SENSOR,
    ),
]
StrictOption = Annotated[
    bool,
    typer.Option(
        "--strict",
        help="A visual material that no rule maps is an error, and gets no default.",
        rich_help_panel=SCENE,
    ),
]
MapOption = Annotated[
    Path | None,
    typer.Option(
        "--map",
        metavar="FILE",
        help="OpenDRIVE map (.xodr), drawn as the road. Default: the one of the configuration, or "
        "that the trace names.",
        rich_help_panel=SCENE,
    ),
]
CalibrationOption = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="The maker's file of this unit. Default: the known sensor's angles.",
        rich_help_panel=SENSOR,
    ),
]
ColumnsOption = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        min=1,
        help="Columns per turn, where the sensor offers a choice. Default: the sensor's own.",
        rich_help_panel=SENSOR,
    ),
]
MetadataOption = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="What packets need beside them: Ouster metadata (JSON), Hesai angle correction "
        "(CSV). Default: none.",
        rich_help_panel=INPUT,
    ),
]
JsonOption = Annotated[
    bool, typer.Option("--json", help="Print JSON, for programs.", rich_help_panel=OUTPUT)
]


def checked_fidelity(text: str | None) -> Fidelity | None:
    """Return the value of --fidelity, or raise InputError with those that are allowed."""
    from osi_lidar.config.fidelity import FIDELITIES

    return None if text is None else checked_choice("--fidelity", text, FIDELITIES)


def configuration(
    config: Path | None,
    sensor: str | None,
    fidelity: str | None = None,
    *,
    strict: bool = False,
    map_file: Path | None = None,
) -> Config:
    """Return the configuration that the options ask for."""
    from osi_lidar.config import default_config, load_config
    from osi_lidar.config.models import DEFAULT_SENSOR

    wanted = checked_fidelity(fidelity)
    logger.info("configuration: %s", config or f"none, one {sensor or DEFAULT_SENSOR}")
    if config is not None:
        chosen = load_config(config, sensor=sensor, fidelity=wanted)
    else:
        chosen = default_config(sensor or DEFAULT_SENSOR, fidelity=wanted or "ideal")
    if map_file is not None:
        chosen = chosen.with_map(existing_map(map_file))
    return chosen.with_default_material(None) if strict else chosen


def existing_map(path: Path) -> Path:
    """Return the file of --map, or raise InputError if it is none."""
    if not path.is_file():
        what = "is not a file" if path.exists() else "no such file"
        raise InputError(f"--map: {what}: '{path}'")
    return path
