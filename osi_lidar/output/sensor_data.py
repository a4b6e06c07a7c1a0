# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The OSI traces of a run: its SensorData, one message for each step, and the file for viewers."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from lidar_base.files.own_files import written_in
from osi_bridge import (
    NO_SCHEMAS,
    DamagedTrace,
    TraceError,
    TraceWriter,
    are_schemas_missing,
    open_trace,
    open_trace_writer,
)
from osi_lidar.output.writer import RUN, Writer, list_files

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from osi_lidar.config import Config, Output
    from osi_lidar.output.writer import Destination

VIEWER_NAME = "viewer.mcap"
"""The file for viewers, in the folder of a run."""


class SensorDataTrace(Writer):
    """Writes the SensorData messages into an OSI trace of the configured format.

    Parameters
    ----------
    destination : Destination
        The folder of the run, and what the name of the trace contains.
    config : Config
        The configuration; ``output.sensor_data`` is the format: "osi" or "mcap".
    """

    key = "sensor_data"
    in_report = True
    files = r".*_sd_\d+_\d+_\d+_.*\.(osi|mcap)"

    def __init__(self, destination: Destination, config: Config) -> None:
        super().__init__(destination, config)
        self._destination = destination
        self._trace: TraceWriter | None = None

    def open(self) -> None:
        """Begin the trace; raise TraceError if it cannot be written."""
        kind = self.config.output.sensor_data
        assert kind != "none"  # noqa: S101  it is wanted
        self._trace = open_trace_writer(
            self.folder,
            kind,
            custom_name=self._destination.custom_name,
            start=self._destination.start,
            resumable=True,
        )

    def add(self, sensor_data: bytes, time_ns: int) -> None:
        """Append a message to the trace; nothing happens before `open`.

        ``sensor_data`` is the serialised SensorData message, and ``time_ns`` its time, int [ns].
        Raise TraceError if the trace cannot be written.
        """
        if self._trace is not None:
            self._trace.write(sensor_data, time_ns)

    def close(self) -> Path | None:
        """Complete the trace, and return its path; the file name states the number of messages.

        Return None if no message was written. Raise OutputError or TraceError if the trace cannot
        be completed.
        """
        path = None if self._trace is None else self._trace.close()
        if path is not None:
            list_files(self.folder, [path.name])
        return path


class ViewerTrace(Writer):
    """Registers viewer.mcap, which `run.viewer_file` writes once all other files are complete.

    It writes nothing itself: it states the names of the files and the library that they need.

    Parameters
    ----------
    destination : Destination
        The folder of the run.
    config : Config
        The configuration.
    """

    key = "mcap"
    names = (VIEWER_NAME, "viewer.layout.json")

    @classmethod
    def missing_library(cls, _output: Output) -> str:
        """Return how to install Foxglove's schemas if they are missing, else an empty text.

        The section output of the configuration, ``_output``, does not matter.
        """
        return NO_SCHEMAS if are_schemas_missing() else ""


def earlier_traces(folder: Path, kind: str) -> list[Path]:
    """Return the SensorData traces that earlier runs wrote into a folder, unfinished ones, too.

    Parameters
    ----------
    folder : Path
        The folder of the runs.
    kind : {"osi", "mcap"}
        Format of the wanted traces.

    Returns
    -------
    list of Path
        The files. Files that are not in the folder's list of written files are left out.
    """
    own = written_in(folder, RUN)
    patterns = (f"*_sd_*.{kind}", f"unfinished_*.{kind}.part")
    found = (file for pattern in patterns for file in folder.glob(pattern))
    return [file for file in found if file.name in own]


def whole_messages(trace: Path | None) -> Iterator[bytes]:
    """Yield the complete messages of a SensorData trace, each as serialised bytes.

    ``trace`` is the trace, which may be unfinished. The messages end without an error at the first
    damage. There are none if ``trace`` is None or cannot be read.
    """
    if trace is None:
        return
    with suppress(DamagedTrace, TraceError):
        for raw in open_trace(trace, message_type="SensorData"):
            yield raw.data
