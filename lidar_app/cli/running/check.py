# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The command ``check``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from lidar_app.cli.parts.compiling import compilation_told
from lidar_app.cli.parts.console import EXIT_DAMAGED, EXIT_MISSING, fail, say, tell
from lidar_app.cli.parts.options import (
    ConfigOption,
    FidelityOption,
    HostOption,
    MapOption,
    SensorOption,
    StrictOption,
    TypeOption,
    checked_fidelity,
    existing_map,
)


def check(
    trace: Annotated[
        Path | None, typer.Argument(metavar="TRACE", help="OSI trace to check as well.")
    ] = None,
    config: ConfigOption = None,
    sensor: SensorOption = None,
    fidelity: FidelityOption = None,
    strict: StrictOption = False,
    map_file: MapOption = None,
    host: HostOption = None,
    message_type: TypeOption = None,
) -> None:
    """Show what a run would use and substitute; exit 1 if a file or material is missing."""
    from lidar_app.show.check import Replaced
    from lidar_app.show.check import check as run_check
    from lidar_app.show.check_tables import check_tables
    from osi_lidar.run.frame_source import FrameSource

    source = None
    if trace is not None:
        source = FrameSource(trace, message_type=message_type, host_id=host)
    drawn = None if map_file is None else existing_map(map_file)
    replaced = Replaced(sensor=sensor, fidelity=checked_fidelity(fidelity), map_file=drawn)
    with compilation_told():
        findings = run_check(config, source, strict=strict, replaced=replaced)
    for table in check_tables(findings):
        tell(table)
    for problem in findings.missing:
        say(problem)
    if findings.missing:
        raise typer.Exit(EXIT_MISSING)
    if findings.damage is not None:
        fail(str(findings.damage), EXIT_DAMAGED)
