# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The command ``export``: write a run in the formats of other tools.

Each format except MCAP is a row of `EXPORTS`; ``write_NAME`` in ``lidar_app/exports/NAME.py``
writes the format NAME. MCAP has its own command, as a run can also write MCAP itself.
"""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, NamedTuple

from lidar_app.cli.parts.command import Commands
from lidar_app.cli.parts.console import progress, say, tell
from lidar_app.cli.parts.options import ChosenScans, frame_slice
from lidar_app.cli.parts.parameters import INPUT, OUT, OUTPUT, argument, option, switch

if TYPE_CHECKING:
    from collections.abc import Callable

    from lidar_app.exports.export_run import Exported

FOLDER, FILE = ("DIR", "Output folder."), ("FILE", "Output file.")
RunArgument = Annotated[Path, argument("DIR", "Folder of a run.")]
OverwriteOption = Annotated[bool, switch("Replace an earlier export of that name.", OUTPUT)]


@dataclass(frozen=True)
class Own:
    """Base class of the options that only one export format has; it has no options itself.

    The fields of a subclass are options of the format's subcommand, and are passed to its writer as
    keyword arguments.
    """


@dataclass(frozen=True)
class Ros2Options(Own):
    """Values of options of ``osi-lidar export ros2``, which writes a ROS 2 bag.

    Attributes
    ----------
    layout : {"xyzirt", "autoware"}
        Fields of a point: "xyzirt" as of Velodyne's driver, or "autoware" (PointXYZIRCAEDT).
    storage : {"sqlite3", "mcap"}
        Kind of the file in the bag.
    truth : bool
        Whether class and object of each point follow as further fields.
    """

    layout: Literal["xyzirt", "autoware"] = option(
        "NAME",
        "Fields of a point: xyzirt, as Velodyne's driver, or autoware (PointXYZIRCAEDT).",
        OUTPUT,
        default="xyzirt",
    )
    storage: Literal["sqlite3", "mcap"] = option(
        "NAME", "File in the bag: sqlite3 or mcap.", OUTPUT, default="sqlite3"
    )
    truth: bool = switch(
        "Also class and object of each point, as fields after the layout's own.", OUTPUT
    )


@dataclass(frozen=True)
class LazOptions(Own):
    """Values of options of ``osi-lidar export laz``.

    Attributes
    ----------
    accumulate : bool
        True: one file of all clouds, in world coordinates. False: a folder with a file for each
        cloud.
    """

    accumulate: bool = switch("One file of all clouds, in the world.", OUTPUT)


@dataclass(frozen=True)
class LabelOptions(Own):
    """Values of options of an export that writes a class for each point.

    Attributes
    ----------
    labels : Path or None
        Map (YAML) from OSI types and materials to classes; None: the classes of SemanticKITTI.
    """

    labels: Path | None = option(
        "FILE",
        "Map (YAML) from OSI types and materials to classes. Default: SemanticKITTI's.",
        INPUT,
    )


class ExportRow(NamedTuple):
    """A format of the command ``export``, which has a subcommand for each format.

    Attributes
    ----------
    name, text : str
        Name of the subcommand, and its help.
    example : str
        Options of the example in the help.
    out : (str, str)
        Word for the value of --out in the help, and help of --out.
    repeats : bool
        Whether a scan that repeats an earlier scan's cloud is written again. Formats that are
        played over time need that.
    own : type of Own
        Class of the options that only this format has.
    """

    name: str  # of the subcommand
    text: str  # help of the subcommand
    example: str  # options of the example in the help
    out: tuple[str, str] = FOLDER  # word for the value of --out, and its help
    repeats: bool = True
    own: type[Own] = Own  # class of the options that only this format has


EXPORTS = (
    ExportRow(
        "ros2",
        "Write a bag of ROS 2: PointCloud2, /tf and /tf_static. ROS is not needed.",
        "--out bag --layout autoware",
        own=Ros2Options,
    ),
    ExportRow(
        "laz",
        "Write LAZ (LAS 1.4) with objects, materials, reflectivity and rings as extra bytes.",
        "--out drive.laz --accumulate",
        ("PATH", "Folder; with --accumulate, the file."),
        repeats=False,
        own=LazOptions,
    ),
    ExportRow(
        "semantickitti",
        "Write a sequence of SemanticKITTI: points, labels, poses, times and calibration.",
        "--out sequences/00",
        own=LabelOptions,
    ),
    ExportRow(
        "kitti",
        "Write samples in the format of KITTI's object data set: points, boxes and calibrations.",
        "--out kitti",
    ),
    ExportRow(
        "ouster",
        "Write what an Ouster sensor sends: packets (pcap) with metadata (JSON), and OSF.",
        "--out ouster",
    ),
    ExportRow(
        "e57",
        "Write E57: the clouds as scans with their poses.",
        "--out drive.e57",
        FILE,
        repeats=False,
    ),
    ExportRow(
        "parquet",
        "Write all points as one Parquet table, with the names of their materials.",
        "--out drive.parquet",
        FILE,
    ),
    ExportRow(
        "npy",
        "Write a structured array of numpy for each cloud, and a table of the scans.",
        "--out arrays",
        repeats=False,
    ),
)


def mcap(
    run: RunArgument,
    path: Annotated[Path, option("FILE", "Output file (.mcap).", *OUT)],
    scans: ChosenScans,
    sensor_data: bool = switch(
        "Write SensorData, too.", OUTPUT, "--sensor-data/--no-sensor-data", default=True
    ),
    blueprint: bool = switch("Also write Rerun's layout; needs the extra `rerun`.", OUTPUT),
    overwrite: OverwriteOption = False,
) -> None:
    """Write a run as MCAP for Lichtblick, Foxglove and Rerun, with a layout beside it."""
    from lidar_app.exports.export_run import check_free
    from lidar_app.exports.rerun_blueprint import blueprint_of, needed, write_blueprint
    from osi_lidar.output.stored import open_run
    from osi_lidar.viewers.mcap import export_mcap, layout_of

    opened = open_run(run)
    if blueprint:
        needed()
    for file in (path, layout_of(path), *([blueprint_of(path)] if blueprint else [])):
        check_free(file, is_folder=False, overwrite=overwrite)
    with progress("scans") as bar:
        written = export_mcap(
            opened,
            path,
            sensors=scans.sensor,
            frames=frame_slice(scans.frames),
            with_sensor_data=sensor_data,
            counted=partial(bar.track, description="mcap"),
        )
    for reason in written.left_out:
        say(reason, style="yellow")
    files = [written.path, written.layout]
    if blueprint:
        files.append(write_blueprint(written.path, written.sensors, written.frame))
    for file in files:
        tell(str(file))


def _command(row: ExportRow) -> Callable[..., None]:
    """Return the function of the command that writes a format."""

    def command(
        run: Path, path: Path, own: Own, scans: ChosenScans, *, overwrite: bool = False
    ) -> None:
        from lidar_app.exports.export_run import ExportFormat, export_run
        from osi_lidar.output.stored import open_run

        options = asdict(own)
        write = getattr(import_module(f"lidar_app.exports.{row.name}"), f"write_{row.name}")
        form = ExportFormat(
            name=row.name,
            write=partial(write, **options),
            is_folder=row.out is not FILE and not options.get("accumulate"),
            repeats=row.repeats,
        )
        stored = open_run(run).chosen(sensors=scans.sensor, frames=frame_slice(scans.frames))
        begin_s = time.perf_counter()
        with progress("clouds") as bar:
            counted = partial(bar.track, description=row.name)
            done = export_run(stored, form, path, overwrite=overwrite, counted=counted)
        _tell(done, time.perf_counter() - begin_s)

    command.__doc__ = row.text
    command.__annotations__ = {
        "run": RunArgument,
        "path": Annotated[Path, option(*row.out, *OUT)],
        "own": row.own,
        "scans": ChosenScans,
        "overwrite": OverwriteOption,
    }
    return command


def _tell(done: Exported, took_s: float) -> None:
    """Say in one line how much was written, and where."""
    size = f"{1e-6 * done.n_bytes:,.1f} MB" if done.n_bytes >= 1e5 else f"{done.n_bytes} bytes"
    clouds = "1 cloud" if done.n_scans == 1 else f"{done.n_scans:,} clouds"
    tell(f"{clouds}, {done.n_points:,} points, {size}, {took_s:.1f} s: {done.path}")


export = Commands("Write a run in the format of another tool.")
export.add(mcap, "osi-lidar export mcap drive_lidar --out drive.mcap")
for _row in EXPORTS:
    _line = f"osi-lidar export {_row.name} drive_lidar {_row.example}"
    export.add(_command(_row), _line, name=_row.name)
