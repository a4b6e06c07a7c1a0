# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The command ``info``: what a file holds."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from lidar_app.cli.fmu import info as fmu_info
from lidar_app.cli.parts.console import display, print_json
from lidar_app.cli.parts.options import JsonOption, TraceSourceOption
from lidar_app.cli.parts.parameters import argument


def info(
    file: Annotated[
        Path,
        argument(
            "FILE",
            "Trace, folder of a run or data set, cloud, mesh, OpenDRIVE map, FMU, configuration, "
            "or the maker's file of a sensor.",
        ),
    ],
    source: TraceSourceOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show the content of a trace, run folder, cloud, mesh, map, FMU or configuration."""
    from lidar_app.show.info import describe, info_dict, info_tables
    from lidar_app.show.info.recognition import FMU

    found = describe(file, source)
    if found.kind == FMU:
        fmu_info(file, as_json)
    elif as_json:
        print_json(info_dict(found))
    else:
        display(*info_tables(found))
