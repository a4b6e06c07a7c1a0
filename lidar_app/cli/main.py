# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The command ``osi-lidar`` and its subcommands."""

from __future__ import annotations

import logging
import os
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from lidar_app.cli.bundle import bundle
from lidar_app.cli.cache import cache
from lidar_app.cli.config import config
from lidar_app.cli.coverage import coverage
from lidar_app.cli.dataset import dataset
from lidar_app.cli.export import export
from lidar_app.cli.fmu import fmu
from lidar_app.cli.info import info
from lidar_app.cli.live import play, stream
from lidar_app.cli.materials import materials
from lidar_app.cli.parts.command import Commands
from lidar_app.cli.parts.console import EXIT_INTERRUPTED, EXIT_UNUSABLE, LogLines, ToldCode, say
from lidar_app.cli.parts.verbosity import VERBOSITY, QuietOption, VerboseOption
from lidar_app.cli.parts.version import show_version
from lidar_app.cli.preview import preview
from lidar_app.cli.real.gap import gap
from lidar_app.cli.running.batch import batch
from lidar_app.cli.running.check import check
from lidar_app.cli.running.conformance import conformance
from lidar_app.cli.running.replay import demo, replay, scan
from lidar_app.cli.running.sweep import sweep
from lidar_app.cli.show import sensors, show
from lidar_app.cli.view import view
from lidar_app.cli.weather import weather
from lidar_app.cli.world import world
from lidar_base.files.whole_files import cause_of
from lidar_base.process.interrupts import ignore_interrupts, interrupt_soon, without_interrupts
from lidar_base.process.threads import set_up_process

START, RUN, LOOK, LISTS = "Start", "Run", "Look at files and results", "Look things up"
SHARE, REAL = "Hand over to other tools", "Compare with real sensors"
JUDGE = "Hold a model against closed forms"
"""Heading in the help of the commands that test a model; `START` to `REAL` are others."""

app = Commands("Turn ASAM OSI ground truth into point clouds and OSI SensorData.", name="osi-lidar")


# click's UsageError, from the copy of click that typer may bundle
_UsageError: type[Any] = typer.BadParameter.__base__ or typer.BadParameter


def main() -> None:
    """Run the command line and exit; user errors become one line and an exit code."""
    logging.basicConfig(level=logging.WARNING, handlers=[LogLines()])
    sys.unraisablehook = _tell_unraisable
    set_up_process()
    arguments = sys.argv[1:] or ["--help"]
    try:
        sys.stdout.reconfigure(errors="replace")  # type: ignore[union-attr]  # it is a text stream
        code = app(arguments, standalone_mode=False)
        sys.stdout.flush()
        if code == EXIT_INTERRUPTED and not isinstance(code, ToldCode):
            say("interrupted")
    except _UsageError as error:
        if text := error.format_message():  # empty where a group of commands shows its help
            say(text)
        code = EXIT_UNUSABLE
    except (KeyboardInterrupt, typer.Abort):
        say("interrupted")
        code = EXIT_INTERRUPTED
    except BrokenPipeError:  # the reader of stdout has closed the pipe
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 0
    except OSError as error:
        say(_removed_folder() or f"cannot write: {cause_of(error)}")
        code = EXIT_UNUSABLE
    ignore_interrupts()
    sys.exit(code or 0)


def _removed_folder() -> str:
    """Return a line if somebody has removed the working folder, else an empty one."""
    try:
        Path.cwd()
    except OSError:
        return "the working folder was removed"
    return ""


def _tell_unraisable(unraisable: sys.UnraisableHookArgs) -> None:
    """Report an error in a finaliser; raise a Ctrl-C again, which would be lost there."""
    if isinstance(unraisable.exc_value, KeyboardInterrupt):
        with without_interrupts():  # no other interrupt may come here; this one is raised again
            interrupt_soon()
    else:
        sys.__unraisablehook__(unraisable)


@app.callback(invoke_without_command=True)
def options(
    ctx: typer.Context,
    version: Annotated[
        bool,
        typer.Option(
            "--version",
            help="Show the version; with --verbose, also all versions and settings that a bug "
            "report needs.",
        ),
    ] = False,
    quiet: QuietOption = False,
    verbose: VerboseOption = False,
) -> None:
    """Apply the options that stand before the name of a command.

    Parameters
    ----------
    ctx : typer.Context
        Context of this call. If it has no command and `version` is not given, the call fails.
    version : bool
        Whether to show the version and exit.
    quiet, verbose : bool
        Whether commands show only errors; whether they also show what they read and assume.
    """
    VERBOSITY.set(quiet=quiet, verbose=verbose)
    if version:
        show_version(verbose=verbose)
        raise typer.Exit
    if ctx.invoked_subcommand is None:
        ctx.fail("Missing command; `osi-lidar -h` lists the commands.")


app.add(demo, "osi-lidar demo --out demo", panel=START)
app.add(check, "osi-lidar check drive.osi -c lidar.yaml", panel=START)
app.add_typer(config, name="config", rich_help_panel=START)

app.add(
    replay,
    "osi-lidar replay drive.osi -c lidar.yaml --out drive_lidar",
    "osi-lidar replay drive.mcap --sensor VLP-16 --frames 0:100:10",
    "osi-lidar replay scene.osib --verify",
    panel=RUN,
)
app.add(
    scan,
    "osi-lidar scan -c lidar.yaml --poses poses.csv",
    "osi-lidar scan --map town.xodr --sensor VLP-16 --at 12,-1.5,1.8,90",
    panel=RUN,
)
app.add(
    sweep,
    "osi-lidar sweep drive.osi -c lidar.yaml --vary sensors.0.mounting.z_m=1.5:2.5:0.5",
    panel=RUN,
)
app.add(
    batch,
    "osi-lidar batch jobs.csv --out results",
    "osi-lidar batch s3://drives/2026 --sensor VLP-16 --out s3://clouds/2026 --shard 0/8",
    panel=RUN,
)
app.add(stream, "osi-lidar stream --listen 5678 --publish 5679 -c lidar.yaml", panel=RUN)
app.add(play, "osi-lidar play drive.osi --connect 127.0.0.1:5678 --speed 1.0", panel=RUN)
app.add_typer(fmu, name="fmu", rich_help_panel=RUN)

app.add(
    view,
    "osi-lidar view drive_lidar",
    "osi-lidar view drive_lidar --sensor roof --beside recording.pcap --metadata recording.json",
    panel=LOOK,
    writes="view",
)
app.add(
    preview,
    "osi-lidar preview drive_lidar --frame 3",
    "osi-lidar preview cloud.pcd",
    panel=LOOK,
    writes="preview",
)
app.add(info, "osi-lidar info drive.osi", "osi-lidar info drive_lidar --json", panel=LOOK)
app.add(
    world,
    "osi-lidar world drive.osi --out world.glb",
    "osi-lidar world town.xodr --out town.glb",
    panel=LOOK,
    writes="world",
)

app.add(sensors, "osi-lidar sensors", "osi-lidar sensors VLP-16", panel=LISTS)
app.add_typer(materials, name="materials", rich_help_panel=LISTS)
app.add_typer(show, name="show", rich_help_panel=LISTS)
app.add(
    weather,
    "osi-lidar weather --sensor VLP-16 --rain 10",
    "osi-lidar weather --sensor VLP-32C --half",
    panel=LISTS,
    writes="weather",
)
app.add(
    coverage,
    "osi-lidar coverage lidar.yaml --plot coverage.png",
    "osi-lidar coverage lidar.yaml drive.osi --points 10 --json",
    panel=LISTS,
    writes="coverage",
)
app.add(cache, "osi-lidar cache", "osi-lidar cache --compile", panel=LISTS)

app.add(
    bundle,
    "osi-lidar bundle lidar.yaml drive.osi --out scene.osib",
    "osi-lidar bundle drive_lidar --out scene.osib",
    panel=SHARE,
    writes="bundle",
)
app.add_typer(export, name="export", rich_help_panel=SHARE)
app.add(
    dataset,
    "osi-lidar dataset runs --format nuscenes --out set",
    "osi-lidar dataset drive_1.osi drive_2.osi -c lidar.yaml --format openpcdet --out set",
    "osi-lidar dataset drive_1 drive_2 drive_3 --format kitti --split .6/.2/.2 --out set",
    panel=SHARE,
)

app.add_typer(gap, name="gap", rich_help_panel=REAL)

app.add(
    conformance,
    "osi-lidar conformance OsiLidar.fmu --sheet sheet.yaml --out report",
    "osi-lidar conformance tcp://127.0.0.1:5678 --sheet sheet.yaml --only wall",
    "osi-lidar conformance --sheet sheet.yaml --write questions",
    panel=JUDGE,
    writes="conformance",
)

app.keep(config, "init")
app.keep(show, "range", "waveform", "shapes")
app.keep(gap, "calibrate", "compare", "twin")
