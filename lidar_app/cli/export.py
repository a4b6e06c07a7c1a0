# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The command ``export``: a run in the formats of other tools."""

from __future__ import annotations

import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from lidar_app.cli.export_mcap import OverwriteOption, RunArgument, SensorsOption, mcap
from lidar_app.cli.parts.command import Commands, example, plain_errors
from lidar_app.cli.parts.completion import one_of
from lidar_app.cli.parts.console import progress, tell
from lidar_app.cli.parts.options import FramesOption
from lidar_app.cli.parts.parameters import INPUT, OUTPUT
from lidar_app.cli.parts.parsing import checked_choice, frame_slice

if TYPE_CHECKING:
    from lidar_app.exports.export_run import Format

FolderOption = Annotated[
    Path,
    typer.Option("--out", "-o", metavar="DIR", help="Output folder.", rich_help_panel=OUTPUT),
]
FileOption = Annotated[
    Path,
    typer.Option("--out", "-o", metavar="FILE", help="Output file.", rich_help_panel=OUTPUT),
]

export = Commands(help="Write a run in the format of another tool.")
export.command(epilog=example("osi-lidar export mcap drive_lidar --out drive.mcap"))(
    plain_errors(mcap)
)


class _Choice(NamedTuple):
    """What all formats are asked for, as on the command line."""

    run: Path
    path: Path
    sensors: list[str] | None
    frames: str | None
    overwrite: bool

    def write(self, form: Format) -> None:
        """Write the format, with a progress bar, and say what was written."""
        from lidar_app.exports.export_run import export_run
        from osi_lidar.output.stored import open_run

        run = open_run(self.run).chosen(sensors=self.sensors, frames=frame_slice(self.frames))
        begin_s = time.perf_counter()
        with progress("clouds") as bar:
            done = export_run(
                run,
                form,
                self.path,
                overwrite=self.overwrite,
                counted=partial(bar.track, description=form.name),
            )
        took_s = time.perf_counter() - begin_s
        size = f"{1e-6 * done.n_bytes:,.1f} MB" if done.n_bytes >= 1e5 else f"{done.n_bytes} bytes"
        clouds = "1 cloud" if done.n_scans == 1 else f"{done.n_scans:,} clouds"
        line = f"{clouds}, {done.n_points:,} points, {size}, {took_s:.1f} s: {done.path}"
        tell(line)


@export.command(epilog=example("osi-lidar export ros2 drive_lidar --out bag --layout autoware"))
@plain_errors
def ros2(
    run: RunArgument,
    path: FolderOption,
    layout: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="Fields of a point: xyzirt, as Velodyne's driver, or autoware (PointXYZIRCAEDT).",
            autocompletion=one_of("xyzirt", "autoware"),
            rich_help_panel=OUTPUT,
        ),
    ] = "xyzirt",
    storage: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="File in the bag: sqlite3 or mcap.",
            autocompletion=one_of("sqlite3", "mcap"),
            rich_help_panel=OUTPUT,
        ),
    ] = "sqlite3",
    sensor: SensorsOption = None,
    frames: FramesOption = None,
    overwrite: OverwriteOption = False,
) -> None:
    """Write a bag of ROS 2: PointCloud2, /tf and /tf_static. ROS is not needed."""
    from lidar_app.exports.export_run import Format
    from lidar_app.exports.ros2 import STORAGES, write_ros2
    from lidar_app.exports.ros2_layouts import LAYOUTS

    rows = checked_choice("--layout", layout, LAYOUTS)
    file = checked_choice("--storage", storage, STORAGES)
    write = partial(write_ros2, layout=rows, storage=file)
    form = Format(name="ros2", write=write, is_folder=True)
    _Choice(run, path, sensor, frames, overwrite).write(form)


@export.command(epilog=example("osi-lidar export laz drive_lidar --out drive.laz --accumulate"))
@plain_errors
def laz(
    run: RunArgument,
    path: Annotated[
        Path,
        typer.Option(
            "--out",
            "-o",
            metavar="PATH",
            help="Folder; with --accumulate, the file.",
            rich_help_panel=OUTPUT,
        ),
    ],
    accumulate: Annotated[
        bool,
        typer.Option(
            "--accumulate", help="One file of all clouds, in the world.", rich_help_panel=OUTPUT
        ),
    ] = False,
    sensor: SensorsOption = None,
    frames: FramesOption = None,
    overwrite: OverwriteOption = False,
) -> None:
    """Write LAZ (LAS 1.4) with objects, materials, reflectivity and rings as extra bytes."""
    from lidar_app.exports.export_run import Format
    from lidar_app.exports.laz import write_laz, write_laz_world

    write = write_laz_world if accumulate else write_laz
    form = Format(name="laz", write=write, is_folder=not accumulate, repeats=False)
    _Choice(run, path, sensor, frames, overwrite).write(form)


@export.command(epilog=example("osi-lidar export semantickitti drive_lidar --out sequences/00"))
@plain_errors
def semantickitti(
    run: RunArgument,
    path: FolderOption,
    labels: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Map (YAML) from OSI types and materials to classes. Default: SemanticKITTI's.",
            rich_help_panel=INPUT,
        ),
    ] = None,
    sensor: SensorsOption = None,
    frames: FramesOption = None,
    overwrite: OverwriteOption = False,
) -> None:
    """Write a sequence of SemanticKITTI: points, labels, poses, times and calibration."""
    from lidar_app.exports.export_run import Format
    from lidar_app.exports.semantickitti import write_semantickitti

    write = partial(write_semantickitti, labels=labels)
    form = Format(name="semantickitti", write=write, is_folder=True)
    _Choice(run, path, sensor, frames, overwrite).write(form)


@export.command(epilog=example("osi-lidar export kitti drive_lidar --out kitti"))
@plain_errors
def kitti(
    run: RunArgument,
    path: FolderOption,
    sensor: SensorsOption = None,
    frames: FramesOption = None,
    overwrite: OverwriteOption = False,
) -> None:
    """Write samples as KITTI's object data set has them: points, boxes and calibrations."""
    from lidar_app.exports.export_run import Format
    from lidar_app.exports.kitti import write_kitti

    form = Format(name="kitti", write=write_kitti, is_folder=True)
    _Choice(run, path, sensor, frames, overwrite).write(form)


@export.command(epilog=example("osi-lidar export ouster drive_lidar --out ouster"))
@plain_errors
def ouster(
    run: RunArgument,
    path: FolderOption,
    sensor: SensorsOption = None,
    frames: FramesOption = None,
    overwrite: OverwriteOption = False,
) -> None:
    """Write what an Ouster sensor sends: packets (pcap) with metadata (JSON), and OSF."""
    from lidar_app.exports.export_run import Format
    from lidar_app.exports.ouster import write_ouster

    form = Format(name="ouster", write=write_ouster, is_folder=True)
    _Choice(run, path, sensor, frames, overwrite).write(form)


@export.command(epilog=example("osi-lidar export e57 drive_lidar --out drive.e57"))
@plain_errors
def e57(
    run: RunArgument,
    path: FileOption,
    sensor: SensorsOption = None,
    frames: FramesOption = None,
    overwrite: OverwriteOption = False,
) -> None:
    """Write E57: the clouds as scans with their poses."""
    from lidar_app.exports.e57 import write_e57
    from lidar_app.exports.export_run import Format

    form = Format(name="e57", write=write_e57, repeats=False)
    _Choice(run, path, sensor, frames, overwrite).write(form)


@export.command(epilog=example("osi-lidar export parquet drive_lidar --out drive.parquet"))
@plain_errors
def parquet(
    run: RunArgument,
    path: FileOption,
    sensor: SensorsOption = None,
    frames: FramesOption = None,
    overwrite: OverwriteOption = False,
) -> None:
    """Write all points as one Parquet table, with the names of their materials."""
    from lidar_app.exports.export_run import Format
    from lidar_app.exports.parquet import write_parquet

    _Choice(run, path, sensor, frames, overwrite).write(Format(name="parquet", write=write_parquet))


@export.command(epilog=example("osi-lidar export npy drive_lidar --out arrays"))
@plain_errors
def npy(
    run: RunArgument,
    path: FolderOption,
    sensor: SensorsOption = None,
    frames: FramesOption = None,
    overwrite: OverwriteOption = False,
) -> None:
    """Write a structured array of numpy for each cloud, and a table of the scans."""
    from lidar_app.exports.export_run import Format
    from lidar_app.exports.npy import write_npy

    form = Format(name="npy", write=write_npy, is_folder=True, repeats=False)
    _Choice(run, path, sensor, frames, overwrite).write(form)
