# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Reading `.txth` trace files: messages in protobuf's text format, one after the other.

The format has no separators: a new message starts where a field that is not repeated appears again.
asam-osi-utilities looks for the first field only, parses the whole rest of the file for every
message, and reads no compressed files.
"""

from __future__ import annotations

import re
from itertools import count, islice
from typing import TYPE_CHECKING, BinaryIO

from google.protobuf import text_format

from lidar_base.errors import BoundError
from lidar_base.files.bounds import MOST_LINE_BYTES, check_at_most, most_message
from lidar_base.files.unpacking import open_unpacked
from osi_bridge.errors import DamagedTrace
from osi_bridge.message_types import MESSAGE_CLASSES
from osi_bridge.traces.binary import READ_ERRORS, RawMessage

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from google.protobuf.descriptor import Descriptor

__all__ = ["guess_text_type", "text_messages"]

_TOP_LEVEL_FIELD = re.compile(rb"([a-z_0-9]+)\s*[:{<]")
_VIEW, _TRUTH, _DATA = (
    {field.name.encode() for field in MESSAGE_CLASSES[name].DESCRIPTOR.fields}
    for name in ("SensorView", "GroundTruth", "SensorData")
)
_DATA_ONLY, _VIEW_ONLY = _DATA - _VIEW - _TRUTH, _VIEW - _TRUTH - _DATA
_GUESS_LINES = 100_000


def text_messages(path: Path, message_type: str) -> Iterator[RawMessage]:
    """Yield the messages of a `.txth` file, each serialised in a `RawMessage`.

    Parameters
    ----------
    path : Path
        The file, which may be compressed.
    message_type : str
        Type of its messages: "SensorView", "GroundTruth" or "SensorData".

    Raises
    ------
    DamagedTrace
        The text is not a message of this type, or the file cannot be read.
    """
    message_class = MESSAGE_CLASSES[message_type]
    index = offset = 0
    blocks = _blocks(path, message_class.DESCRIPTOR)
    while True:
        try:
            block = next(blocks, None)
            if block is None:
                return
            data = text_format.Parse(block, message_class()).SerializeToString()
        except (text_format.ParseError, UnicodeDecodeError, *READ_ERRORS) as error:
            reason = " ".join(str(error).split())
            raise DamagedTrace(path, frame=index, offset=offset, reason=reason) from error
        yield RawMessage(index, offset, data)
        index += 1
        offset += len(block)


def _blocks(path: Path, descriptor: Descriptor) -> Iterator[bytes]:
    """Split the text into messages."""
    single = {field.name.encode() for field in descriptor.fields if not field.is_repeated}
    lines: list[bytes] = []
    seen: set[bytes] = set()
    most, length = most_message(path.stat().st_size), 0
    with open_unpacked(path) as stream:
        for line in _lines(stream):
            match = _TOP_LEVEL_FIELD.match(line)
            if match and match[1] in single:
                if match[1] in seen:
                    yield b"".join(lines)
                    lines, seen, length = [], set(), 0
                seen.add(match[1])
            lines.append(line)
            length += len(line)
            check_at_most(length, most, "bytes of a message")
    if b"".join(lines).strip():
        yield b"".join(lines)


def _lines(stream: BinaryIO) -> Iterator[bytes]:
    """Yield the lines of a text; raise BoundError for an extremely long line."""
    for number in count(1):
        line = stream.readline(MOST_LINE_BYTES + 1)
        if len(line) > MOST_LINE_BYTES:
            raise BoundError(f"line {number} has more than {MOST_LINE_BYTES} bytes")
        if not line:
            return
        yield line


def guess_text_type(path: Path) -> str | None:
    """Return the type of the messages in a `.txth` file by the names of their top-level fields.

    A name that only SensorData has decides wherever it stands, and next a name that only SensorView
    has. Without these, SensorData is recognised by a name that GroundTruth lacks beside one that
    SensorView lacks; a name that only one of these two lacks means the other. The first 100 000
    lines are searched.

    Parameters
    ----------
    path : Path
        The file, which may be compressed.

    Returns
    -------
    str or None
        "SensorView", "GroundTruth" or "SensorData"; None if no name is distinctive.

    Raises
    ------
    DamagedTrace
        The file cannot be read up to the first distinctive name.
    """
    names: set[bytes] = set()
    try:
        with open_unpacked(path) as stream:
            for line in islice(_lines(stream), _GUESS_LINES):
                match = _TOP_LEVEL_FIELD.match(line)
                if match:
                    names.add(match[1])
                    if match[1] in _DATA_ONLY:
                        break
    except READ_ERRORS as error:
        if _type_with(names) is None:
            raise DamagedTrace(path, frame=0, offset=0, reason=str(error)) from error
    return _type_with(names)


def _type_with(names: set[bytes]) -> str | None:
    """Return the type of a message whose fields are ``names``; None if no name is distinctive."""
    if names & _DATA_ONLY:
        return "SensorData"
    if names & _VIEW_ONLY:
        return "SensorView"
    is_not_view = bool(names & (_TRUTH - _VIEW))
    if names & (_VIEW - _TRUTH):
        return "SensorData" if is_not_view else "SensorView"
    return "GroundTruth" if is_not_view else None
