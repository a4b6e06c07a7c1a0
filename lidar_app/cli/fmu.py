# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The commands ``fmu build``, ``fmu info`` and ``fmu run``."""

from __future__ import annotations

import threading
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table
from rich.text import Text

from lidar_app.cli.parts.command import Commands
from lidar_app.cli.parts.compiling import compilation_told
from lidar_app.cli.parts.completion import one_of
from lidar_app.cli.parts.console import (
    EXIT_INTERRUPTED,
    EXIT_MISSING,
    fail,
    out,
    print_json,
    progress,
    tell,
)
from lidar_app.cli.parts.options import ConfigOption, JsonOption, TraceArgument
from lidar_app.cli.parts.parameters import INPUT, OUTPUT
from lidar_base.interrupts import on_interrupt
from osi_lidar.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fmu_src.inspection import FmuInfo
    from osi_lidar.run.fmu import FmuReport


def build(
    config: ConfigOption = None,
    patterns: Annotated[
        list[Path] | None,
        typer.Option(
            "--pattern",
            metavar="FILE",
            help="Scan pattern to pack beside the configuration, repeatable. Default: none.",
            rich_help_panel=INPUT,
        ),
    ] = None,
    version: Annotated[
        str,
        typer.Option(
            "--fmi",
            metavar="2|3|both",
            autocompletion=one_of("2", "3", "both"),
            help="Version of FMI: 2, 3 or both, which makes two files.",
        ),
    ] = "2",
    wrapper: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            autocompletion=one_of("native", "pythonfmu"),
            help="native, or pythonfmu: FMI 2, needs the extra fmu.",
        ),
    ] = "native",
    link_python: Annotated[
        bool,
        typer.Option(
            "--link-python",
            help="With pythonfmu: let the FMU load libpython, for masters without Python (Linux; "
            "needs cc and patchelf).",
        ),
    ] = False,
    vendor: Annotated[
        bool,
        typer.Option("--vendor", help="Pack osi-lidar and its dependencies into the FMU."),
    ] = False,
    folder: Annotated[
        Path,
        typer.Option(
            "--out",
            "-o",
            metavar="DIR",
            help="Output folder. Default: the working folder.",
            show_default=False,
            rich_help_panel=OUTPUT,
        ),
    ] = Path(),
) -> None:
    """Build an FMU of the sensor model: OsiLidar.fmu, and OsiLidar.fmi3.fmu for FMI 3."""
    from fmu_src.errors import FmuError
    from fmu_src.exporter import build_fmu

    try:
        built = build_fmu(
            config=config,
            patterns=tuple(patterns or ()),
            out=folder,
            fmi=version,
            wrapper=wrapper,
            link_python=link_python,
            with_packages=vendor,
        )
    except FmuError as error:
        raise InputError(str(error)) from error
    for each in built:
        size = f"{each.path.stat().st_size / 1e6:.1f} MB"
        tell(f"{each.path}: FMI {each.fmi}, {size}, GUID {each.guid}")
    for file in dict.fromkeys(file for each in built for file in each.files):
        tell(f"  packed {file}")


def info(
    file: Annotated[Path, typer.Argument(metavar="FMU", help="An FMU, of any tool.")],
    as_json: JsonOption = False,
) -> None:
    """Show what an FMU holds, without running it."""
    from fmu_src.inspection import read_info

    found = read_info(file)
    if as_json:
        print_json(asdict(found))
        return
    out.print(_table("", _facts(found)))
    for title, rows in (
        ("Start values", found.parameters),
        ("Packed files", _sizes(found.packed)),
        (f"Packages for {found.wheels_for}", _sizes(found.wheels)),
    ):
        if rows:
            out.print(_table(title, rows))


def run(
    file: Annotated[Path, typer.Argument(metavar="FMU", help="OSMP FMU of FMI 2.0 or 3.0.")],
    trace: TraceArgument,
    parameters: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="NAME=VALUE",
            help="A parameter, repeatable. Default: those of the FMU.",
            rich_help_panel=INPUT,
        ),
    ] = None,
    out_folder: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            metavar="DIR",
            help="Output folder. Default: the trace's name with _fmu, in the working folder.",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
) -> None:
    """Drive an FMU with a recorded OSI trace, as an OSMP master does; needs the extra fmu."""
    from lidar_app.show import tables as reports
    from osi_bridge import trace_stem
    from osi_lidar.run.fmu import fmu_run

    folder = out_folder or Path(f"{trace_stem(trace.name)}_fmu")
    interrupted = threading.Event()
    with on_interrupt(interrupted.set), progress() as bar, compilation_told():
        task = bar.add_task("first step", total=None)

        def on_step(report: FmuReport) -> bool:
            bar.update(task, completed=report.steps, description="steps")
            return not interrupted.is_set()

        assigned = _assignments(parameters or [])
        report = fmu_run(file, trace, folder, parameters=assigned, on_step=on_step)
    tell(reports.fmu_summary(report))
    if report.interrupted:
        fail("interrupted; finished files are complete", EXIT_INTERRUPTED)
    if not report.valid:
        raise typer.Exit(EXIT_MISSING)


def _assignments(texts: list[str]) -> dict[str, str]:
    """Return NAME=VALUE texts as a mapping."""
    for text in texts:
        if "=" not in text:
            raise InputError(f"--set: got {text!r}, expected NAME=VALUE")
    return dict(text.split("=", 1) for text in texts)


def _facts(found: FmuInfo) -> dict[str, str]:
    """Return the facts of an FMU that there are, by what they are."""
    facts = {
        "FMU": found.file,
        "FMI": found.fmi,
        "Model": found.model,
        "GUID" if found.fmi < "3" else "Token": found.token,
        "Made by": found.tool,
        "osi-lidar": found.osi_lidar,
        "Wrapper": found.wrapper,
        "Platforms": ", ".join(found.platforms) or "none",
        "OSMP": found.osmp,
        "Messages": ", ".join(found.messages),
        "Step size": "" if found.step_s is None else f"{found.step_s:g} s",
        "Sensors": ", ".join(_sensor(**each) for each in found.sensors),
    }
    return {name: value for name, value in facts.items() if value}


def _sensor(name: str, preset: str) -> str:
    return f"{name} ({preset})" if name != preset and preset and name else name or preset


def _sizes(files: Mapping[str, int]) -> dict[str, str]:
    return {name: f"{size / 1e3:,.1f} kB" for name, size in files.items()}


def _table(title: str, rows: Mapping[str, str]) -> Table:
    table = Table(show_header=False, title=title or None, title_justify="left")
    table.add_column(overflow="fold")
    table.add_column(overflow="fold")
    for name, value in rows.items():
        table.add_row(Text(name), Text(value))
    return table


fmu = Commands("Build an FMU of the sensor model, look into one, drive one.")
fmu.add(build, "osi-lidar fmu build -c lidar.yaml --fmi both --out fmus")
fmu.add(info, "osi-lidar fmu info OsiLidar.fmu")
fmu.add(run, "osi-lidar fmu run OsiLidar.fmu drive.osi --out drive_fmu")
