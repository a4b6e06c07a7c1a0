# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Optional output files of an FMU: point clouds and a SensorData trace."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from lidar_base.files.own_files import check_names
from lidar_base.files.unfinished import remove_left
from lidar_base.process.background import Background
from osi_bridge import open_trace_writer
from osi_lidar.config import Output
from osi_lidar.errors import OutputError
from osi_lidar.output.point_clouds import PointClouds, sensor_folders
from osi_lidar.output.writer import RUN, Destination
from osi_lidar.output.writers import names_to_write, write_scans

if TYPE_CHECKING:
    from osi_bridge import TraceWriter
    from osi_lidar.config import Config
    from osi_lidar.scan.step import Step

_UNSAFE = re.compile(r"[^A-Za-z0-9_.-]+|^\.+")


class OutputFiles:
    """Output files of one instance, in folders named after the instance.

    A separate thread writes the files, in the order of the steps. A cloud replaces the cloud of the
    same number that an earlier run wrote into the same folder; other clouds of that run stay.

    Parameters
    ----------
    config : Config
        Configuration with the output formats.
    pcd_folder, trace_folder : str
        Target folders for point clouds and for the trace; an empty text turns this output off.
    instance_name : str
        Name that the master gave the instance.

    Raises
    ------
    OutputError, TraceError
        A folder cannot be written to, or other programs' files are where clouds would be written.
    """

    def __init__(
        self, config: Config, *, pcd_folder: str, trace_folder: str, instance_name: str
    ) -> None:
        self._trace: TraceWriter | None = None
        self._clouds: list[PointClouds] = []
        name = _UNSAFE.sub("_", instance_name) or "lidar"
        output = config.output
        if pcd_folder:
            self._clouds.append(_clouds(Path(pcd_folder) / name, config))
        if trace_folder:
            folder = _make(Path(trace_folder) / name, "trace_folder")
            kind = "osi" if output.sensor_data == "none" else output.sensor_data
            self._trace = open_trace_writer(folder, kind, custom_name=name)
        self._writing = Background(self._write)

    def write(self, step: Step, time_ns: int) -> None:
        """Queue the newly traced clouds and the SensorData message of a step for writing.

        Another thread writes them later, so an error belongs to an earlier step.

        Parameters
        ----------
        step : Step
            The model's answer to one input message.
        time_ns : int
            Time of the SensorData message in the trace. [ns]

        Raises
        ------
        OutputError, TraceError
            A file of an earlier step could not be written.
        """
        if self._clouds or self._trace is not None:
            self._writing.give((step, time_ns))

    def _write(self, work: tuple[Step, int]) -> None:
        step, time_ns = work
        if self._trace is not None:
            self._trace.write(step.sensor_data, time_ns)
        write_scans(self._clouds, step)

    def close(self) -> None:
        """Finish writing and complete the trace; a second call does nothing.

        Raises
        ------
        OutputError, TraceError
            A file cannot be written.
        """
        try:
            self._writing.close()
        finally:
            if self._trace is not None:
                self._trace.close()


def _clouds(folder: Path, config: Config) -> PointClouds:
    """Create the folders for an instance's point clouds, and return the writer of the clouds."""
    parameter = "pcd_folder"
    is_pcd = config.output.pcd != "none"
    wanted = {"pcd": config.output.pcd if is_pcd else "binary", "sensor_data": "none"}
    clouds = Output.model_validate({**wanted, "clean": config.output.clean})
    try:
        check_names(folder, re.compile(names_to_write(clouds, config.sensors)), RUN)
    except OutputError as error:
        raise OutputError(f"{parameter}: {error}") from error
    for sensor in config.sensors:
        for within in sensor_folders(sensor, config.output):
            remove_left(_make(folder / within, parameter))
    return PointClouds(Destination(folder=folder), config)


def _make(folder: Path, parameter: str) -> Path:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        reason = getattr(error, "strerror", None) or error
        raise OutputError(f"{parameter}: {folder}: cannot be written: {reason}") from error
    return folder
