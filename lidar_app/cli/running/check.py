# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The command ``check``."""

from __future__ import annotations

from pathlib import Path

import typer

from lidar_app.cli.parts.compiling import compilation_message
from lidar_app.cli.parts.console import EXIT_DAMAGED, EXIT_MISSING, NO_ROADS, fail, say, tell
from lidar_app.cli.parts.options import Messages, TimedSetup, existing_map
from lidar_app.cli.parts.parameters import argument
from lidar_app.cli.parts.weather import asked_weather


def check(
    setup: TimedSetup,
    messages: Messages,
    trace: Path | None = argument("TRACE", "OSI trace to check as well."),
) -> None:
    """Show what a run would use and substitute; exit 1 if a file or material is missing."""
    from lidar_app.show.check import Replaced
    from lidar_app.show.check import check as run_check
    from lidar_app.show.check_tables import check_tables

    source = None if trace is None else messages.of(trace)
    drawn = None if setup.map_file is None else existing_map(setup.map_file)
    replaced = Replaced(
        sensor=setup.sensor,
        fidelity=setup.fidelity,
        map_file=drawn,
        timing=setup.timing,
        surroundings=setup.surroundings,
        weather=asked_weather(setup.weather),
    )
    with compilation_message():
        findings = run_check(setup.config, source, strict=setup.strict, replaced=replaced)
    tell(*check_tables(findings))
    if findings.lacks_roads:
        tell(NO_ROADS)
    if not findings.missing:
        tell(findings.sum_line)
    for line in () if findings.trace is None else findings.trace.rate_warnings:
        say(line, style="yellow")
    for problem in findings.missing:
        say(problem)
    if findings.missing:
        raise typer.Exit(EXIT_MISSING)
    if findings.damage is not None:
        fail(str(findings.damage), EXIT_DAMAGED)
