# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Commands that run in several processes: ``sweep``, and ``replay`` with ``--workers``."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from lidar_app.cli.parts.completion import one_of
from lidar_app.cli.parts.console import (
    EXIT_INTERRUPTED,
    EXIT_UNUSABLE,
    can_draw,
    fail,
    progress,
    tell,
)
from lidar_app.cli.parts.options import CLUSTER, OUTPUT, HostOption, OverwriteOption, TypeOption
from lidar_base.interrupts import on_interrupt

if TYPE_CHECKING:
    from osi_lidar.config import Config
    from osi_lidar.run.frame_source import FrameSource
    from osi_lidar.run.report import Report
    from osi_lidar.run.sweep import Sweep

WorkersOption = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        min=1,
        help="Number of processes on this machine; needs the extra `cluster`. Default: this one.",
        rich_help_panel=CLUSTER,
    ),
]
SchedulerOption = Annotated[
    str | None,
    typer.Option(
        metavar="ADDRESS",
        help="Dask cluster instead of --workers, as tcp://host:8786. Default: none.",
        rich_help_panel=CLUSTER,
    ),
]
IntervalsOption = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        min=1,
        help="Number of parts to split the trace into. Default: one per worker.",
        rich_help_panel=CLUSTER,
    ),
]
ResumeOption = Annotated[
    bool,
    typer.Option(
        "--resume",
        help="Continue an interrupted run and keep its complete files.",
        rich_help_panel=OUTPUT,
    ),
]
VaryOption = Annotated[
    list[str],
    typer.Option(
        metavar="KEY=VALUES", help="Key and its values, FROM:TO:STEP or A,B,..; repeatable."
    ),
]
ObjectiveOption = Annotated[
    str,
    typer.Option(
        metavar="WHAT",
        help="hits(MATERIAL), points(object=ID) or coverage(); minimise: .. for the least",
        autocompletion=one_of("hits(", "points(", "points()", "coverage()"),
    ),
]


class Split(NamedTuple):
    """Options that split a replay over several processes."""

    workers: int | None
    scheduler: str | None
    intervals: int | None


def sweep(
    config: Annotated[Path, typer.Argument(metavar="CONFIG", help="Configuration (YAML) to vary.")],
    vary: VaryOption,
    objective: ObjectiveOption = "points()",
    trace: Annotated[
        Path | None,
        typer.Argument(metavar="TRACE", help="OSI trace; without one, the scene is scanned once."),
    ] = None,
    out_folder: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            metavar="DIR",
            help="Output folder. Default: the configuration's name with _sweep.",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    overwrite: OverwriteOption = False,
    workers: WorkersOption = None,
    scheduler: SchedulerOption = None,
    host: HostOption = None,
    message_type: TypeOption = None,
) -> None:
    """Run variants of a configuration in parallel and find the best one."""
    from lidar_app.show.sweep_report import sweep_table, write_sweep
    from osi_lidar.config import load_config
    from osi_lidar.output.run_folder import check_folder
    from osi_lidar.run.cluster import cluster
    from osi_lidar.run.frame_source import FrameSource
    from osi_lidar.run.objective import read_objective
    from osi_lidar.run.sweep import run_sweep
    from osi_lidar.run.variation import read_variation, variants

    folder = out_folder or Path(f"{config.stem}_sweep")
    wanted = read_objective(objective)
    variations = [read_variation(text) for text in vary]
    n_variants = len(variants(variations))
    check_folder(folder, overwrite=overwrite)
    load_config(config)  # report errors that all variants share before the first one runs
    source = None
    if trace is not None:
        source = FrameSource(trace, message_type=message_type, host_id=host)
    interrupted = threading.Event()
    with (
        cluster(workers=workers, scheduler=scheduler) as client,
        on_interrupt(interrupted.set),
        progress("variants") as bar,
    ):
        task = bar.add_task("variants", total=n_variants)

        def on_progress(n_done: int) -> bool:
            bar.update(task, completed=n_done)
            return not interrupted.is_set()

        done = run_sweep(client, config, variations, wanted, source=source, on_progress=on_progress)
    files = [*write_sweep(done, folder, config, trace), *_draw(done, folder)]
    tell(sweep_table(done))
    for file in files:
        tell(str(file))
    if done.interrupted:
        fail("interrupted; the table holds the variants that finished", EXIT_INTERRUPTED)
    if done.best is None:
        fail(f"no variant could be run: {done.rows[0].error}", EXIT_UNUSABLE)


def _draw(done: Sweep, folder: Path) -> list[Path]:
    """Draw the objective over one or two keys, and return the path of the picture, if any."""
    from lidar_app.show.sweep_report import PICTURE

    if done.best is None or len(done.variations) > 2 or not can_draw():
        return []
    from lidar_app.show.plots.sweeps import sweep_picture

    return [sweep_picture(done, folder / PICTURE)]


def replay_split(
    source: FrameSource,
    config: Config,
    folder: Path,
    split: Split,
    *,
    overwrite: bool,
    go_on: bool,
) -> Report:
    """Replay in several processes, with a progress bar; Ctrl-C leaves complete files only."""
    from osi_lidar.run.cluster import cluster
    from osi_lidar.run.parallel import replay_on

    interrupted = threading.Event()
    with (
        cluster(workers=split.workers, scheduler=split.scheduler) as client,
        on_interrupt(interrupted.set),
        progress() as bar,
    ):
        task = bar.add_task("replay", total=source.count)

        def on_progress(n_answered: int) -> bool:
            bar.update(task, completed=n_answered)
            return not interrupted.is_set()

        return replay_on(
            client,
            source,
            config,
            folder,
            n_intervals=split.intervals,
            overwrite=overwrite,
            go_on=go_on,
            on_progress=on_progress,
        )
