# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The OSI messages that a run has answered, read again from its trace."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

from osi_bridge import (
    DamagedTrace,
    FrameDecoder,
    LateMessage,
    OsiInputError,
    TraceError,
    open_trace,
)
from osi_lidar.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from osi_bridge import Frame, TraceReader
    from osi_lidar.output.stored.run import StoredRun


_ANOTHER = "the run was made from another trace"


class InputMessage(NamedTuple):
    """A message of the replayed trace, decoded (``frame``) and as bytes (``data``)."""

    frame: Frame
    data: bytes


def input_messages(run: StoredRun) -> Iterator[InputMessage]:
    """Yield the messages that a run answered, one for each of its frames, in order.

    All other messages up to the last frame are decoded, but not yielded: static objects may be in
    the first one only. If the trace is damaged, the messages end before the damage, as the run did.

    Raises
    ------
    InputError
        If the run was not made from a trace (but a static scene or a stream), or the trace is no
        longer there, or has changed: a message is absent, or has another time.
    """
    described = run.report.get("input")
    described = described if isinstance(described, dict) else {}
    path = run.trace
    if path is None:
        raise InputError(f"{run.folder}: is a run without a trace, expected the folder of a replay")
    times_ns = {row.frame: row.time_ns for row in run.rows}
    with suppress(DamagedTrace):
        for each in _messages(path, described, set(times_ns)):
            expected_ns = times_ns.pop(each.frame.index)
            if each.frame.time_ns != expected_ns:
                raise InputError(
                    f"{path}: message {each.frame.index} has the time {each.frame.time_ns} ns, "
                    f"expected {expected_ns} ns; {_ANOTHER}"
                )
            yield each
    if times_ns:
        raise InputError(f"{path}: has no message {min(times_ns)}; {_ANOTHER}")


def _messages(path: Path, described: dict[str, Any], wanted: set[int]) -> Iterator[InputMessage]:
    """Yield the messages with these numbers; raise InputError if the trace cannot be read."""
    if not path.is_file():
        raise InputError(f"{path}: no such file, but the run was made from it; put it back")
    kind, host_id = described.get("message_type"), described.get("host_id")
    topic = described.get("source")
    try:
        reader = open_trace(
            path,
            message_type=kind if isinstance(kind, str) else None,
            source=topic if isinstance(topic, str) else None,
        )
        yield from _decoded(reader, host_id if isinstance(host_id, int) else None, wanted)
    except DamagedTrace:
        raise
    except TraceError as error:
        raise InputError(str(error)) from error
    except OsiInputError as error:
        raise InputError(f"{path}: {error}") from error


def _decoded(reader: TraceReader, host_id: int | None, wanted: set[int]) -> Iterator[InputMessage]:
    decoder = FrameDecoder(reader.message_type, host_id)
    decoder.name(reader.path)
    last = max(wanted, default=-1)
    for raw in reader:
        if raw.index > last:
            return
        try:
            frame = decoder.decode(raw.data, raw.index)
        except LateMessage:
            continue
        if raw.index in wanted:
            yield InputMessage(frame, raw.data)
