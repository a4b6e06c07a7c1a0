# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The command ``export mcap``: a run as a file for Lichtblick, Foxglove and Rerun."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from lidar_app.cli.parts.completion import sensors_of_run
from lidar_app.cli.parts.console import progress, say, tell
from lidar_app.cli.parts.options import FramesOption
from lidar_app.cli.parts.parameters import INPUT, OUTPUT
from lidar_app.cli.parts.parsing import frame_slice

RunArgument = Annotated[Path, typer.Argument(metavar="DIR", help="Folder of a run.")]
SensorsOption = Annotated[
    list[str] | None,
    typer.Option(
        "--sensor",
        metavar="NAME",
        help="Sensor of the run; may be repeated. Default: all.",
        autocompletion=sensors_of_run,
        rich_help_panel=INPUT,
    ),
]

OverwriteOption = Annotated[
    bool,
    typer.Option(
        "--overwrite", help="Replace an earlier export of that name.", rich_help_panel=OUTPUT
    ),
]


def mcap(
    run: RunArgument,
    path: Annotated[
        Path,
        typer.Option(
            "--out", "-o", metavar="FILE", help="Output file (.mcap).", rich_help_panel=OUTPUT
        ),
    ],
    sensor: SensorsOption = None,
    frames: FramesOption = None,
    sensor_data: Annotated[
        bool,
        typer.Option(
            "--sensor-data/--no-sensor-data",
            help="Write the answers, too.",
            rich_help_panel=OUTPUT,
        ),
    ] = True,
    overwrite: OverwriteOption = False,
) -> None:
    """Write a run as MCAP for Lichtblick, Foxglove and Rerun, with a layout beside it."""
    from lidar_app.exports.export_run import check_free
    from osi_lidar.output.stored import open_run
    from osi_lidar.viewers.mcap import export_mcap, layout_of

    opened = open_run(run)
    for file in (path, layout_of(path)):
        check_free(file, is_folder=False, overwrite=overwrite)
    with progress("scans") as bar:
        written = export_mcap(
            opened,
            path,
            sensors=sensor,
            frames=frame_slice(frames),
            with_sensor_data=sensor_data,
            counted=partial(bar.track, description="mcap"),
        )
    for reason in written.left_out:
        say(reason, style="yellow")
    for file in (written.path, written.layout):
        tell(str(file))
