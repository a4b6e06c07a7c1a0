# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The command ``conformance``: test any OSI lidar model in scenes with known answers."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lidar_app.cli.parts.console import (
    EXIT_INTERRUPTED,
    EXIT_MISSING,
    fail,
    line,
    stoppable,
    tell,
)
from lidar_app.cli.parts.parameters import INPUT, OUT, OUTPUT, argument, option, switch
from osi_lidar.errors import InputError

if TYPE_CHECKING:
    from lidar_app.conformance.reflections import ReflectionTracer
    from lidar_app.conformance.report import BenchReport
    from lidar_app.conformance.scene import BenchScene
    from lidar_app.conformance.sheet import DataSheet


def _scene_names(incomplete: str) -> list[str]:
    from lidar_app.conformance.scenes import SCENES

    return [each.name for each in SCENES if each.name.startswith(incomplete)]


@dataclass(frozen=True)
class ConformanceOptions:
    """Values of options of ``osi-lidar conformance``, which tests a lidar model (the subject).

    Attributes
    ----------
    sheet : Path or None
        Data sheet of the subject (YAML), which is required; None: not given.
    only : list of str, or None
        Names of the test scenes to run; None: all scenes.
    reflections : bool
        Whether the hits of rays are sent in addition to objects, for subjects that read these.
    """

    sheet: Path | None = option("FILE", "Data sheet of the subject (YAML). Required.", INPUT)
    only: list[str] | None = option(
        "SCENE", "Ask this scene only, repeatable. Default: all.", INPUT, complete=_scene_names
    )
    reflections: bool = switch(
        "Also send reflections, for subjects that read the hits of rays instead of objects.", INPUT
    )

    def read(self) -> tuple[DataSheet, list[BenchScene], ReflectionTracer | None]:
        """Read the data sheet, and return what the test needs.

        Returns
        -------
        sheet : DataSheet
            Properties that the subject claims to have.
        scenes : list of BenchScene
            The scenes to run.
        tracer : ReflectionTracer or None
            Adds reflections to messages; None without `reflections`.

        Raises
        ------
        InputError, ConfigurationError
            If a scene is unknown, or the sheet is missing or invalid.
        """
        from lidar_app.conformance.bench import chosen
        from lidar_app.conformance.sheet import read_sheet

        scenes = chosen(self.only or [])
        if self.sheet is None:
            raise InputError("--sheet is missing, expected the data sheet of the subject (YAML)")
        sheet = read_sheet(self.sheet)
        if not self.reflections:
            return sheet, scenes, None
        from lidar_app.conformance.reflections import ReflectionTracer

        return sheet, scenes, ReflectionTracer(sheet)


def conformance(
    subject: Annotated[
        str | None,
        argument(
            "SUBJECT",
            "Model to test: an FMU, tcp://HOST:PORT, cmd: and a command, a folder of answers, or a "
            "configuration of osi-lidar.",
        ),
    ] = None,
    *,
    asked: ConformanceOptions,
    write: Path | None = option(
        "DIR",
        "Folder to write the traces to, for subjects that answer offline. Default: none.",
        OUTPUT,
    ),
    out: Path | None = option("DIR", "Folder of the reports. Default: none is written.", *OUT),
) -> None:
    """Test any OSI lidar model in scenes with known answers."""
    from lidar_app.conformance.bench import write_scenes
    from lidar_app.conformance.report.writing import report_files
    from lidar_base.files.own_files import check_claim

    sheet, scenes, tracer = asked.read()
    if write is not None:
        tell(f"{write}: {len(write_scenes(write, sheet, scenes, tracer))} traces")
    if subject is None:
        if write is None:
            raise InputError("SUBJECT is missing; without it, give --write DIR to write the traces")
        return
    if out is not None:
        check_claim(*report_files(out))
    report = _judged(subject, sheet, scenes, tracer)
    _report(report, out)
    if len(report.results) < len(scenes):
        fail("interrupted; the report holds the scenes before", EXIT_INTERRUPTED)
    if any(each.verdict.value == "fail" for each in report.results):
        raise typer.Exit(EXIT_MISSING)


def _judged(
    subject: str, sheet: DataSheet, scenes: list[BenchScene], tracer: ReflectionTracer | None
) -> BenchReport:
    """Run the scenes and return the report; facts on the subject are read before the scenes."""
    from contextlib import closing

    from lidar_app.conformance.bench import run_bench
    from lidar_app.conformance.reflections import ReflectionSubject
    from lidar_app.conformance.report import BenchReport, facts_of, left_out
    from lidar_app.conformance.scenes import SCENES
    from lidar_app.conformance.subjects import open_subject

    with (
        closing(open_subject(subject, sheet)) as plain,
        stoppable("scenes", len(scenes), unit="scenes") as going,
    ):
        opened = plain if tracer is None else ReflectionSubject(plain, tracer)
        facts = facts_of(subject)
        results = run_bench(opened, sheet, scenes, going)
    return BenchReport(
        facts=facts,
        sheet=sheet,
        results=results,
        not_asked=left_out(SCENES, scenes, results),
        reflections="none" if tracer is None else tracer.description,
    )


def _report(report: BenchReport, folder: Path | None) -> None:
    from lidar_app.conformance.report import table_of, write_reports

    tell(table_of(report.sheet, report.results))
    for each in report.causes:
        tell(f"Cause: {each.text} ({each.n_scenes})")
    if folder is not None:
        for file in write_reports(folder, report):
            tell(f"Report: {file}")
    line(report.sum_line)
