# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Writing OSI trace files, `.osi` and `.mcap`. A file appears only once it is complete."""

from __future__ import annotations

import logging
import os
import struct
from abc import ABC, abstractmethod
from contextlib import suppress
from datetime import datetime, timezone
from pathlib import Path
from typing import IO, TYPE_CHECKING, Literal, TypeAlias

from lidar_base.files.own_files import check_claim, note_claim
from lidar_base.files.unfinished import remove_left, unfinished_name
from lidar_base.files.whole_files import cause_of
from osi_bridge.errors import TraceError
from osi_bridge.message_types import MESSAGE_CLASSES
from osi_bridge.traces.mcap_metadata import (
    MODEL,
    TRACE_METADATA,
    channel_metadata,
    mcap_time,
    trace_metadata,
)
from osi_bridge.traces.names import osi_trace_name

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from types import TracebackType

    from typing_extensions import Self

    from osi_bridge.records import MessageType

__all__ = ["TraceKind", "TraceWriter", "open_trace_writer", "write_trace"]

TraceKind: TypeAlias = Literal["osi", "mcap"]
_log = logging.getLogger(__name__)
_PORTS = {
    "SensorData": "OSMPSensorDataOut",
    "SensorView": "OSMPSensorViewOut",
    "GroundTruth": "OSMPGroundTruthOut",
}


class _Format(ABC):
    """Base class of the writers, one for each file format."""

    def __init__(self, stream: IO[bytes]) -> None:
        self.stream = stream

    @abstractmethod
    def write(self, data: bytes | memoryview, time_ns: int) -> None:
        """Append one message."""

    @abstractmethod
    def finish(self) -> None:
        """Complete the file after the last whole message."""


class _Binary(_Format):
    def __init__(self, stream: IO[bytes]) -> None:
        super().__init__(stream)
        self._end = 0

    def write(self, data: bytes | memoryview, time_ns: int) -> None:  # noqa: ARG002
        self.stream.write(struct.pack("<I", len(data)))
        self.stream.write(data)
        self._end += 4 + len(data)

    def finish(self) -> None:
        self.stream.flush()
        self.stream.truncate(self._end)  # an interrupted write may have left half a message


class _Mcap(_Format):
    """MCAP with index and chunks, and the metadata that OSI requires."""

    def __init__(self, stream: IO[bytes], message_type: MessageType) -> None:
        from mcap.writer import Writer  # noqa: PLC0415  only these files need it
        from osi_utilities import MCAPChannel  # noqa: PLC0415

        super().__init__(stream)
        self._writer = Writer(stream)
        self._writer.start(library=MODEL)
        description = f"OSI {message_type} by {MODEL}"
        self._writer.add_metadata(TRACE_METADATA, trace_metadata(description))
        channel = channel_metadata(description)
        topic = f"{MODEL}.{_PORTS[message_type]}"
        message_class = MESSAGE_CLASSES[message_type]
        self._channel_id = MCAPChannel(self._writer).add_channel(topic, message_class, channel)
        self._sequence = 0

    def write(self, data: bytes | memoryview, time_ns: int) -> None:
        log_time = mcap_time(time_ns)
        self._writer.add_message(
            self._channel_id, log_time, bytes(data), log_time, sequence=self._sequence
        )
        self._sequence += 1

    def finish(self) -> None:
        self._writer.finish()  # type: ignore[no-untyped-call]


class TraceWriter:
    """Writer of a trace file, from `open_trace_writer`; use it in a ``with`` block.

    The file has a temporary name until `close` renames it. The end of the ``with`` block closes the
    file; if the block raises an exception, the file is removed instead. If `close` was called
    before, the finished file stays.
    """

    def __init__(
        self, temporary: Path, target: Callable[[int], Path], make: Callable[[IO[bytes]], _Format]
    ) -> None:
        self._temporary = temporary
        self._target = target
        self._closed = False
        self.n_messages = 0
        try:
            self._format = make(temporary.open("wb"))
        except OSError as error:
            raise self._unwritable(error) from error

    def write(self, data: bytes | memoryview, time_ns: int) -> None:
        """Append one serialised message.

        Parameters
        ----------
        data : bytes-like
            The message.
        time_ns : int
            Timestamp of the message; `.mcap` files are indexed by it. [ns]

        Raises
        ------
        TraceError
            The file cannot be written, for instance because the disk is full.
        """
        try:
            self._format.write(data, time_ns)
        except OSError as error:
            raise self._unwritable(error) from error
        self.n_messages += 1

    def close(self, *, complete: bool = True) -> Path | None:
        """Finish the file and rename it to its target; a second call does nothing.

        After an interrupted `write`, the file holds all messages before that call.

        Parameters
        ----------
        complete : bool
            False removes the file instead.

        Returns
        -------
        Path or None
            The finished file, which replaces an existing one; None if it was removed (`complete` is
            False, or it has no message), or was closed before.

        Raises
        ------
        TraceError
            The file cannot be finished, for instance because the disk is full; it is removed.
        OutputError
            Within a block of `claimed`, the target may not be replaced; the new file is removed.
        """
        if self._closed:
            return None
        self._closed = True
        keep = complete and self.n_messages > 0
        try:
            with self._format.stream:
                if keep:
                    self._format.finish()
            if keep:
                target = self._target(self.n_messages)
                check_claim(target)
                self._temporary.replace(target)
                note_claim(target)
                return target
        except OSError as error:
            if keep:
                raise self._unwritable(error) from error
        finally:
            with suppress(OSError):
                self._temporary.unlink()
        return None

    def _unwritable(self, error: OSError) -> TraceError:
        """Return the exception to raise; it names the file as if it were closed now."""
        return TraceError(self._target(self.n_messages), f"cannot be written: {cause_of(error)}")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close(complete=exc_type is None)


def open_trace_writer(
    folder: str | os.PathLike[str],
    kind: TraceKind,
    *,
    custom_name: str,
    start: datetime | None = None,
    resumable: bool = False,
) -> TraceWriter:
    """Open a SensorData trace for writing; closing it names it by OSI's rule.

    Unfinished traces that killed processes have left in the folder are removed first, but not those
    that were opened with ``resumable``.

    Parameters
    ----------
    folder : path
        Folder of the file; must exist.
    kind : str
        "osi" or "mcap".
    custom_name : str
        Custom part of the file name.
    start : datetime, optional
        Time in the file name; default: now.
    resumable : bool
        Whether the unfinished file stays in the folder, under the name from `unfinished_trace`, if
        this process is killed, so that a later run can continue it.

    Raises
    ------
    TraceError
        The folder cannot be written to.
    """
    folder = Path(folder)
    begin = start or datetime.now(timezone.utc)

    def target(n_messages: int) -> Path:
        return folder / osi_trace_name(begin, "SensorData", n_messages, custom_name, f".{kind}")

    name = unfinished_trace(kind) if resumable else unfinished_name(f"unfinished.{kind}")
    remove_left(folder, f"unfinished.{kind}")
    return TraceWriter(folder / name, target, _maker(kind, "SensorData"))


def unfinished_trace(kind: str) -> str:
    """Return the temporary file name of a resumable trace that this process is writing.

    ``kind`` is "osi" or "mcap". The name contains the process id.
    """
    return f"unfinished_{os.getpid()}.{kind}.part"


def write_trace(
    path: str | os.PathLike[str],
    messages: Iterable[bytes],
    *,
    message_type: MessageType,
) -> int:
    """Write a trace of serialised messages to a file, replacing an existing one.

    Without messages, no file is written, and an existing one stays.

    Parameters
    ----------
    path : path
        File with suffix `.osi` or `.mcap`.
    messages : iterable of bytes
        Messages of one type.
    message_type : str
        "SensorView", "GroundTruth" or "SensorData".

    Returns
    -------
    int
        Number of messages.

    Raises
    ------
    TraceError
        The suffix is neither `.osi` nor `.mcap`, or the file cannot be written.
    """
    path = Path(path)
    make = _maker(path.suffix.removeprefix("."), message_type, path)
    message_class = MESSAGE_CLASSES[message_type]
    with TraceWriter(path.with_name(unfinished_name(path.name)), lambda _: path, make) as writer:
        for data in messages:
            stamp = message_class.FromString(data).timestamp
            writer.write(data, stamp.seconds * 1_000_000_000 + stamp.nanos)
        return writer.n_messages


def _maker(
    kind: str, message_type: MessageType, path: Path | None = None
) -> Callable[[IO[bytes]], _Format]:
    if kind == "osi":
        return _Binary
    if kind == "mcap":
        return lambda stream: _Mcap(stream, message_type)
    raise TraceError(path or Path(f"*.{kind}"), "unknown format, expected .osi or .mcap")
