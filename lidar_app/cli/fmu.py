# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The commands ``fmu build``, ``fmu info`` and ``fmu run``."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lidar_app.cli.parts.command import Commands
from lidar_app.cli.parts.compiling import compilation_message
from lidar_app.cli.parts.completion import one_of
from lidar_app.cli.parts.console import (
    EXIT_INTERRUPTED,
    EXIT_MISSING,
    display,
    fail,
    print_json,
    stoppable,
    tell,
)
from lidar_app.cli.parts.options import ConfigOption, JsonOption, TraceArgument, TraceSourceOption
from lidar_app.cli.parts.parameters import INPUT, OUT, argument, option, switch
from lidar_app.cli.parts.weather import WeatherOption, asked_weather
from lidar_base.tables import facts
from osi_lidar.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fmu_src.exporter import Built
    from fmu_src.inspection import FmuInfo


@dataclass(frozen=True)
class FmuOptions:
    """Values of options of ``osi-lidar fmu build``: the content of an FMU, and how it runs.

    Attributes
    ----------
    config : Path or None
        Configuration (YAML) to pack with every file that it names; None: no configuration.
    patterns : list of Path, or None
        Scan pattern files to pack beside the configuration; None: none.
    version : str
        Version of FMI: "2", "3", or "both" for one FMU of each version.
    wrapper : str
        Layer between the simulation master and Python: "native", or "pythonfmu" for FMI 2 only.
    link_python : bool
        With "pythonfmu": whether the FMU loads libpython, for masters without Python (Linux).
    vendor : bool
        Whether osi-lidar and its dependencies are packed into the FMU.
    weather : str or None
        Value of ``--weather``: "auto", "none", or the path of a weather file; None: as configured.
    """

    config: ConfigOption = None
    patterns: list[Path] | None = option(
        "FILE",
        "Scan pattern to pack beside the configuration, repeatable. Default: none.",
        INPUT,
        "--pattern",
    )
    version: str = option(
        "2|3|both",
        "Version of FMI: 2, 3 or both, which makes two files.",
        None,
        "--fmi",
        default="2",
        complete=one_of("2", "3", "both"),
    )
    wrapper: str = option(
        "NAME",
        "native, or pythonfmu: FMI 2, needs the extra fmu.",
        default="native",
        complete=one_of("native", "pythonfmu"),
    )
    link_python: bool = switch(
        "With pythonfmu: let the FMU load libpython, for masters without Python (Linux; "
        "needs cc and patchelf)."
    )
    vendor: bool = switch("Pack osi-lidar and its dependencies into the FMU.")
    weather: WeatherOption = None

    def build(self, folder: Path) -> tuple[Built, ...]:
        """Write an FMU for each requested version of FMI, and return a description of each.

        Parameters
        ----------
        folder : Path
            Folder for OsiLidar.fmu (FMI 2) and OsiLidar.fmi3.fmu (FMI 3).

        Returns
        -------
        tuple of Built
            Path, FMI version, GUID and packed files of each FMU.

        Raises
        ------
        OsiLidarError
            If the configuration cannot be used, or the FMU cannot be built with these options.
        """
        from fmu_src.errors import FmuError
        from fmu_src.exporter import build_fmu

        try:
            return build_fmu(
                config=self.config,
                patterns=tuple(self.patterns or ()),
                weather=asked_weather(self.weather),
                out=folder,
                fmi=self.version,
                wrapper=self.wrapper,
                link_python=self.link_python,
                with_packages=self.vendor,
            )
        except FmuError as error:
            raise InputError(str(error)) from error


def build(
    wanted: FmuOptions,
    folder: Path | None = option("DIR", "Output folder. Default: the working folder.", *OUT),
) -> None:
    """Build an FMU of the sensor model: OsiLidar.fmu, and OsiLidar.fmi3.fmu for FMI 3."""
    built = wanted.build(folder or Path())
    for each in built:
        size = f"{each.path.stat().st_size / 1e6:.1f} MB"
        tell(f"{each.path}: FMI {each.fmi}, {size}, GUID {each.guid}")
    for file in dict.fromkeys(file for each in built for file in each.files):
        tell(f"  packed {file}")


def info(
    file: Annotated[Path, argument("FMU", "An FMU, of any tool.")], as_json: JsonOption = False
) -> None:
    """Show what an FMU holds, without running it."""
    from fmu_src.inspection import read_info

    found = read_info(file)
    if as_json:
        print_json(asdict(found))
        return
    display(facts("", _facts(found)))
    for title, rows in (
        ("Start values", found.parameters),
        ("Packed files", _sizes(found.packed)),
        (f"Packages for {found.wheels_for}", _sizes(found.wheels)),
    ):
        if rows:
            display(facts(title, rows))


def run(
    file: Annotated[Path, argument("FMU", "OSMP FMU of FMI 2.0 or 3.0.")],
    trace: TraceArgument,
    parameters: list[str] | None = option(
        "NAME=VALUE", "A parameter, repeatable. Default: as the FMU sets it.", INPUT, "--set"
    ),
    out_folder: Path | None = option(
        "DIR", "Output folder. Default: the trace's name with _fmu, in the working folder.", *OUT
    ),
    source: TraceSourceOption = None,
) -> None:
    """Drive an FMU with a recorded OSI trace, as an OSMP master does; needs the extra fmu."""
    from lidar_app.show import tables as reports
    from osi_bridge import open_trace, trace_stem
    from osi_lidar.run.fmu import fmu_run

    reader = open_trace(trace, source=source)
    folder = out_folder or Path(f"{trace_stem(trace.name)}_fmu")
    with stoppable("steps", None, first="first step") as going, compilation_message():
        assigned = _assignments(parameters or [])
        report = fmu_run(
            file, reader, folder, parameters=assigned, on_step=lambda done: going(done.steps)
        )
    tell(*reports.fmu_summary(report))
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
    """Return the known facts of an FMU, by their labels."""
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


fmu = Commands("Build an FMU of the sensor model, look into one, drive one.")
fmu.add(build, "osi-lidar fmu build -c lidar.yaml --fmi both --out fmus", writes="fmu build")
fmu.add(info, "osi-lidar fmu info OsiLidar.fmu")
fmu.add(run, "osi-lidar fmu run OsiLidar.fmu drive.osi --out drive_fmu", writes="fmu run")
