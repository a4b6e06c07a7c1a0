# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The command ``osi-lidar`` and its subcommands."""

from __future__ import annotations

import logging
import os
import signal
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from osi_lidar.cli.base import (
    EXIT_DAMAGED,
    EXIT_INTERRUPTED,
    EXIT_MISSING,
    EXIT_UNUSABLE,
    ConfigOption,
    FidelityOption,
    HostOption,
    JsonOption,
    LogLines,
    MapOption,
    OutOption,
    OverwriteOption,
    SensorOption,
    StrictOption,
    TraceArgument,
    TypeOption,
    configuration,
    err,
    existing_map,
    fail,
    on_interrupt,
    out,
    plain_errors,
    print_json,
    say,
)
from osi_lidar.cli.cache import cache
from osi_lidar.cli.calibrate import calibrate
from osi_lidar.cli.cluster import (
    IntervalsOption,
    ResumeOption,
    SchedulerOption,
    Split,
    WorkersOption,
    replay_split,
    sweep,
)
from osi_lidar.cli.compare import compare
from osi_lidar.cli.fmu import fmu
from osi_lidar.cli.gap import gap
from osi_lidar.cli.live import play, stream
from osi_lidar.cli.materials import materials
from osi_lidar.cli.range import range_limits
from osi_lidar.cli.twin import twin
from osi_lidar.cli.waveform import waveform
from osi_lidar.cli.world import shapes, world
from osi_lidar.errors import InputError
from osi_lidar.threads import set_up_process
from osi_lidar.version import __version__

if TYPE_CHECKING:
    from osi_lidar.config import Config
    from osi_lidar.run.frame_source import FrameSource
    from osi_lidar.run.report import Progress, Report

app = typer.Typer(
    name="osi-lidar",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)


# click's UsageError, from the copy of click that typer may bundle
_UsageError: type[Any] = typer.BadParameter.__base__ or typer.BadParameter


def main() -> None:
    """Run the command line; user errors become one line and an exit code."""
    logging.basicConfig(level=logging.WARNING, handlers=[LogLines()])
    sys.unraisablehook = _tell_unraisable
    set_up_process()
    arguments = sys.argv[1:] or ["--help"]
    try:
        sys.stdout.reconfigure(errors="replace")  # type: ignore[union-attr]  # it is a text stream
        code = app(arguments, standalone_mode=False)
        sys.stdout.flush()
    except _UsageError as error:
        if text := error.format_message():  # none where a command of several shows its help
            say(text)
        code = EXIT_UNUSABLE
    except (KeyboardInterrupt, typer.Abort):
        say("interrupted")
        code = EXIT_INTERRUPTED
    except BrokenPipeError:  # the reader of stdout has closed the pipe
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 0
    except OSError as error:
        say(f"cannot write: {error.strerror}")
        code = EXIT_UNUSABLE
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # nothing is left to interrupt
    sys.exit(code or 0)


def _tell_unraisable(unraisable: sys.UnraisableHookArgs) -> None:
    """Report an error in a finaliser, unless it is a Ctrl-C: it is lost there, but harmless."""
    if not isinstance(unraisable.exc_value, KeyboardInterrupt):
        sys.__unraisablehook__(unraisable)


def _show_version(asked: bool) -> None:
    if asked:
        out.print(__version__, highlight=False)
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    """Turn ASAM OSI ground truth into point clouds and OSI SensorData."""


@app.command()
@plain_errors
def demo(out_folder: Annotated[Path, typer.Option("--out", "-o")] = Path("osi-lidar-demo")) -> None:
    """Replay the bundled street scene and draw a picture of it."""
    from osi_lidar.config import load_config
    from osi_lidar.run import bundled
    from osi_lidar.run.frame_source import FrameSource
    from osi_lidar.show import tables as reports
    from osi_lidar.show.preview import preview

    street = bundled.street()
    report = _replay(FrameSource(street.trace), load_config(street.config), out_folder, True)
    out.print(reports.summary(report, out_folder))
    _exit_by(report)
    cloud = out_folder / "roof" / f"{street.picture_frame:06d}.pcd"
    picture = preview(cloud, out_folder / "preview.png")
    out.print(f"Picture of {cloud}: [bold]{picture}[/bold]")


@app.command()
@plain_errors
def replay(
    trace: TraceArgument,
    config: ConfigOption = None,
    sensor: SensorOption = None,
    fidelity: FidelityOption = None,
    strict: StrictOption = False,
    map_file: MapOption = None,
    host: HostOption = None,
    message_type: TypeOption = None,
    frames: Annotated[str | None, typer.Option(help="Frames to read, START:STOP[:STEP].")] = None,
    out_folder: OutOption = None,
    overwrite: OverwriteOption = False,
    go_on: ResumeOption = False,
    workers: WorkersOption = None,
    scheduler: SchedulerOption = None,
    intervals: IntervalsOption = None,
) -> None:
    """Turn a recorded OSI trace into point clouds and a SensorData trace."""
    from osi_bridge import trace_stem
    from osi_lidar.run.frame_source import FrameSource
    from osi_lidar.show import tables as reports

    chosen = configuration(config, sensor, fidelity, strict=strict, map_file=map_file)
    source = FrameSource(
        trace, message_type=message_type, host_id=host, frames=_frame_slice(frames)
    )
    if go_on and overwrite:
        raise InputError("got both --resume and --overwrite, expected one of them")
    folder = out_folder or Path(f"{trace_stem(trace.name)}_lidar")
    if (workers or scheduler or intervals) is None:
        report = _replay(source, chosen, folder, overwrite, go_on=go_on)
    else:
        split = Split(workers, scheduler, intervals)
        report = replay_split(source, chosen, folder, split, overwrite=overwrite, go_on=go_on)
    out.print(reports.summary(report, folder))
    _exit_by(report)


@app.command()
@plain_errors
def scan(
    config: Annotated[Path, typer.Option("--config", "-c", help="Configuration (YAML).")],
    poses: Annotated[
        Path | None,
        typer.Option(help="Poses to scan from, one frame each (CSV, TUM, KITTI, 4x4)."),
    ] = None,
    fidelity: FidelityOption = None,
    strict: StrictOption = False,
    out_folder: Annotated[Path, typer.Option("--out", "-o")] = Path("scan_lidar"),
    overwrite: OverwriteOption = False,
) -> None:
    """Scan the environment meshes of a configuration; no OSI trace is needed."""
    from osi_lidar.run.replay import scan as run_scan
    from osi_lidar.show import tables as reports

    chosen = configuration(config, None, fidelity, strict=strict)
    if poses is not None:
        chosen = chosen.model_copy(update={"poses": poses.absolute()})
    report = run_scan(chosen, out_folder, overwrite=overwrite)
    out.print(reports.summary(report, out_folder))


@app.command()
@plain_errors
def check(
    trace: Annotated[Path | None, typer.Argument(help="OSI trace to check as well.")] = None,
    config: ConfigOption = None,
    strict: StrictOption = False,
    map_file: MapOption = None,
    host: HostOption = None,
    message_type: TypeOption = None,
) -> None:
    """Show what a run would use and substitute; exit 1 if a file or material is missing."""
    from osi_lidar.run.frame_source import FrameSource
    from osi_lidar.show.check import check as run_check
    from osi_lidar.show.check_tables import check_tables

    source = None
    if trace is not None:
        source = FrameSource(trace, message_type=message_type, host_id=host)
    drawn = None if map_file is None else existing_map(map_file)
    findings = run_check(config, source, strict=strict, map_file=drawn)
    for table in check_tables(findings):
        out.print(table)
    for problem in findings.missing:
        say(problem)
    if findings.missing:
        raise typer.Exit(EXIT_MISSING)
    if findings.damage is not None:
        fail(str(findings.damage), EXIT_DAMAGED)


app.command()(plain_errors(sweep))
app.command()(plain_errors(stream))
app.command()(plain_errors(play))
app.command()(plain_errors(cache))
app.command()(plain_errors(calibrate))
app.add_typer(materials, name="materials")
app.add_typer(gap, name="gap")
app.add_typer(fmu, name="fmu")
app.command("range")(plain_errors(range_limits))
app.command()(plain_errors(waveform))
app.command()(plain_errors(compare))
app.command()(plain_errors(twin))
app.command()(plain_errors(world))
app.command()(plain_errors(shapes))


@app.command()
@plain_errors
def sensors(
    name: Annotated[str | None, typer.Argument(help="Name of a sensor.")] = None,
    as_json: JsonOption = False,
) -> None:
    """List the known sensors, or show the figures of one with their sources."""
    from osi_lidar.sensors.presets import load_preset, preset_names
    from osi_lidar.sensors.ready import ready_names, ready_sensor
    from osi_lidar.show import tables as reports

    names = [*preset_names(), *ready_names()] if name is None else [name]
    known = [ready_sensor(each) or load_preset(each) for each in names]
    if as_json:
        shown = [each.model_dump(mode="json") for each in known]
        print_json(shown if name is None else shown[0])
    elif name is not None:
        out.print(reports.sensor_details(known[0]))
    else:
        out.print(*reports.sensor_lists(known))


@app.command()
@plain_errors
def preview(
    cloud: Annotated[
        Path, typer.Argument(help="A cloud, or with --accumulate the folder of a run.")
    ],
    picture: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="Picture to write (PNG); default: beside the cloud."),
    ] = None,
    accumulate: Annotated[
        bool, typer.Option("--accumulate", help="Draw the clouds of a run together, in the world.")
    ] = False,
    sensor: Annotated[
        list[str] | None, typer.Option(help="Sensor to accumulate, repeatable; default: all.")
    ] = None,
    frames: Annotated[
        str | None, typer.Option(help="Frames to accumulate, START:STOP[:STEP].")
    ] = None,
    voxel: Annotated[
        float | None, typer.Option(metavar="METRES", help="Keep one point in each cube.")
    ] = None,
) -> None:
    """Draw one point cloud, or the clouds of a run laid together."""
    if accumulate:
        from osi_lidar.show.accumulated_image import accumulated_picture

        drawn = accumulated_picture(
            cloud, picture, sensors=sensor, frames=_frame_slice(frames), voxel_m=voxel
        )
    else:
        from osi_lidar.show.preview import preview as draw

        given = {"--sensor": sensor, "--frames": frames, "--voxel": voxel}
        if names := [name for name, value in given.items() if value is not None]:
            raise InputError(f"{names[0]} needs --accumulate")
        if cloud.is_dir():
            raise InputError(f"{cloud}: is a folder; --accumulate draws the clouds of a run")
        drawn = draw(cloud, picture)
    out.print(str(drawn), highlight=False, soft_wrap=True)


def _frame_slice(text: str | None) -> slice:
    """Return START:STOP[:STEP] as a slice of frame numbers."""
    if text is None:
        return slice(None)
    parts = text.split(":")
    try:
        numbers = [int(part) if part.strip() else None for part in parts]
    except ValueError:
        numbers = []
    start, stop, step = (*numbers, None, None, None)[:3]
    usable = len(parts) in (2, 3) and len(numbers) == len(parts)
    empty = stop is not None and stop <= (start or 0)
    if not usable or (start or 0) < 0 or empty or (step is not None and step < 1):
        raise InputError(
            f"--frames: got {text!r}, expected START:STOP or START:STOP:STEP, such as 10:20"
        )
    return slice(start, stop, step)


def _replay(
    source: FrameSource, config: Config, folder: Path, overwrite: bool, *, go_on: bool = False
) -> Report:
    """Replay with a progress bar; Ctrl-C ends the run after the current step."""
    from osi_lidar.run.replay import replay as run
    from osi_lidar.show.tables import progress_bar

    interrupted = threading.Event()
    with on_interrupt(interrupted.set), progress_bar(err) as bar:
        task = bar.add_task("first frame (a first run compiles kernels)", total=source.count)

        def on_step(progress: Progress) -> bool:
            bar.update(task, completed=progress.frames_read, description="replay")
            return not interrupted.is_set()

        return run(source, config, folder, overwrite=overwrite, go_on=go_on, on_step=on_step)


def _exit_by(report: Report) -> None:
    if report.damage is not None:
        fail(str(report.damage), EXIT_DAMAGED)
    if report.status == "interrupted":
        fail("interrupted; finished files are complete", EXIT_INTERRUPTED)
