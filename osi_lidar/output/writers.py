# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The register of all output formats, and functions for all formats of a run together."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from lidar_base.files.whole_files import remove
from osi_lidar.output.depth_image import DepthImages
from osi_lidar.output.evd import EvdClouds
from osi_lidar.output.motion_export import MotionExport
from osi_lidar.output.numpy_clouds import NumpyClouds
from osi_lidar.output.point_clouds import CLEAN, DESKEWED, PointClouds
from osi_lidar.output.sensor_data import SensorDataTrace, ViewerTrace
from osi_lidar.output.truth_export import GroundTruthExport
from osi_lidar.output.writer import list_files

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from osi_lidar.config import Config, Output, Sensor
    from osi_lidar.output.step_tables import StepTable
    from osi_lidar.output.writer import Destination, Writer
    from osi_lidar.scan.step import Scan, Step

FORMATS: tuple[type[Writer], ...] = (
    PointClouds,
    NumpyClouds,
    EvdClouds,
    DepthImages,
    SensorDataTrace,
    ViewerTrace,
    GroundTruthExport,
    MotionExport,
)
"""All formats, in the order in which a run calls them.

The trace is closed before the files that grow when they are closed: on a full disk, closing the
trace cuts off half a message, which makes room.
"""


def wanted_formats(output: Output) -> list[type[Writer]]:
    """Return the output formats that the configuration asks for.

    ``output`` is the section of the configuration. The result is a list of subclasses of `Writer`,
    in the order of `FORMATS`.
    """
    return [each for each in FORMATS if each.is_wanted(output)]


def make_writers(destination: Destination, config: Config) -> tuple[Writer, ...]:
    """Return a writer for each output format that the configuration asks for; no file is touched.

    Parameters
    ----------
    destination : Destination
        Where the run writes: its folder, and what the name of an OSI trace contains.
    config : Config
        The configuration; its section ``output`` says which formats are wanted.
    """
    return tuple(each(destination, config) for each in wanted_formats(config.output))


def missing_libraries(output: Output) -> list[str]:
    """Return a line for each wanted format whose library is missing, with how to install it.

    ``output`` is the section of the configuration. A line is a str that begins with the format's
    key, such as "output.depth: ..". The list is empty if no library is missing.
    """
    missing = ((each.key, each.missing_library(output)) for each in wanted_formats(output))
    return [f"output.{key}: {problem}" for key, problem in missing if problem]


def reported_keys() -> list[str]:
    """Return the keys of the output formats whose file run.json names, a list of str.

    A key is a key of the section ``output`` of the configuration, such as "sensor_data".
    """
    return [each.key for each in FORMATS if each.in_report]


def write_scans(writers: Iterable[Writer], step: Step) -> None:
    """Write the files of a step's scans in all formats, after listing their names in the folder.

    Scans that repeat an earlier one get no files.

    Parameters
    ----------
    writers : iterable of Writer
        A writer for each format.
    step : Step
        The step with the scans.

    Raises
    ------
    OutputError
        If a file cannot be written.
    """
    traced = [scan for scan in step.scans if scan.traced]
    for writer in writers:
        list_files(writer.folder, _scan_names(writer, traced))
        writer.write_scans(step)


def _scan_names(writer: Writer, scans: Iterable[Scan]) -> Iterator[str]:
    """Yield the names of the files that a format may write for these scans."""
    output = writer.config.output
    suffixes = [f".{output.depth}"] if writer.key == "depth" else writer.scan_suffixes
    for scan in scans:
        places = {"": True, f"{DESKEWED}/": scan.deskewed is not None, f"{CLEAN}/": output.clean}
        for place in (name for name, is_used in places.items() if is_used):
            for suffix in suffixes:
                yield f"{scan.sensor}/{place}{scan.number:06d}{suffix}"


def names_of_run(writers: Iterable[Writer]) -> list[str]:
    """Return the fixed names of files that some formats may write once per run or per sensor.

    ``writers`` is an iterable of the formats' `Writer`. The names, str, are relative to the folder
    of the run. Files of single scans, and traces, whose names vary, are not included.
    """
    return [
        name
        for each in writers
        for place, names in [
            ("", each.names),
            *((f"{sensor.name}/", each.sensor_names) for sensor in each.config.sensors),
        ]
        for name in (f"{place}{one}" for one in names)
    ]


def take_tables(writers: Iterable[Writer], step: Step) -> list[StepTable]:
    """Return the tables that all formats need of a step, a list of `StepTable`.

    ``writers`` is an iterable of the formats' `Writer`, and ``step`` the `Step`. Nothing is
    written: `write_tables` does that.
    """
    return [table for writer in writers for table in writer.take(step)]


def write_tables(writers: Iterable[Writer], tables: Iterable[StepTable]) -> None:
    """Append each table to the file of its format.

    Parameters
    ----------
    writers : iterable of Writer
        The writers of the formats, among them the format of each table.
    tables : iterable of StepTable
        The tables, as `take_tables` returns them.

    Raises
    ------
    OutputError
        If a file cannot be written.
    """
    by_key = {writer.key: writer for writer in writers}
    for table in tables:
        by_key[table.key].write(table)


def remove_scans(folder: Path, scans: Iterable[tuple[str, int]]) -> None:
    """Remove all files of some scans. The caller makes sure that no row of frames.csv names them.

    Parameters
    ----------
    folder : Path
        The folder of the run.
    scans : iterable of (str, int)
        Each scan, as the name of its sensor and its number.
    """
    suffixes = [suffix for each in FORMATS for suffix in each.scan_suffixes]
    for sensor, number in scans:
        for parent in (folder / sensor / name for name in (".", DESKEWED, CLEAN)):
            for suffix in suffixes:
                remove(parent / f"{number:06d}{suffix}")


def names_to_write(output: Output, sensors: Iterable[Sensor]) -> str:
    """Return a regular expression that matches all names that the formats of a run may write.

    They are the names of files and of the sensors' folders, relative to the folder of the run.

    Parameters
    ----------
    output : Output
        Section of the configuration that says which formats are wanted.
    sensors : iterable of Sensor
        All sensors of the configuration.
    """
    formats = wanted_formats(output)
    suffixes = "|".join(re.escape(suffix) for each in formats for suffix in each.scan_suffixes)
    inner = [rf"({DESKEWED}/|{CLEAN}/)?\d{{6,}}({suffixes})"] if suffixes else []
    inner += [re.escape(name) for each in formats for name in each.sensor_names]
    names = "|".join(re.escape(sensor.name) for sensor in sensors)
    within = "|".join([DESKEWED, CLEAN, *inner])
    fixed = [re.escape(name) for each in formats for name in each.names]
    others = [each.files for each in formats if each.files]
    return "|".join([*fixed, *others, rf"({names})(/({within}))?"])
