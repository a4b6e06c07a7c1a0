# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Reading OSI trace files: file format, message type, and the messages as bytes."""

from __future__ import annotations

import logging
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, cast

from lidar_base.files.sources import ONE_SOURCE
from lidar_base.near_match import near_match
from osi_bridge.errors import (
    DamagedTrace,
    LateMessage,
    MissingTimestamp,
    OsiInputError,
    TraceError,
    UndecodableMessage,
)
from osi_bridge.message_types import (
    MESSAGE_CLASSES,
    guess_message_type,
    has_all_fields,
    is_message,
)
from osi_bridge.traces.binary import (
    RawMessage,
    binary_messages,
    check_first_length,
    count_messages,
    start_of,
)
from osi_bridge.traces.names import named_message_type

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterator

    from osi_bridge.ground_truth import FrameDecoder
    from osi_bridge.records import Frame, MessageType, ObjectStates

__all__ = ["TraceReader", "open_trace", "read_frames", "some_objects"]

_log = logging.getLogger(__name__)
_SUFFIXES = (".osi", ".mcap", ".txth")
_COMPRESSED = {".gz": b"\x1f\x8b", ".xz": b"\xfd7zXZ\0"}  # suffix, and first bytes of such a file


class TraceReader:
    """Reader of one trace file. Each iteration reads the messages from the start.

    Attributes
    ----------
    path : Path
        The file.
    message_type : str
        "SensorView", "GroundTruth" or "SensorData".
    count : int or None
        Number of complete messages; None if the whole file would have to be read to know it.
    """

    def __init__(
        self,
        path: Path,
        message_type: MessageType,
        count: int | None,
        messages: Callable[[], Iterator[RawMessage]],
    ) -> None:
        self.path = path
        self.message_type = message_type
        self.count = count
        self._messages = messages

    def __iter__(self) -> Iterator[RawMessage]:
        """Yield the messages in order; raise DamagedTrace after the last intact one."""
        return self._messages()


def open_trace(
    path: str | os.PathLike[str], *, message_type: str | None = None, source: str | None = None
) -> TraceReader:
    """Open an OSI trace: `.osi`, `.mcap` or `.txth`, plain or compressed as `.gz` or `.xz`.

    Parameters
    ----------
    path : path
        The file. It is read as a stream and never loaded as a whole.
    message_type : str, optional
        "SensorView", "GroundTruth" or "SensorData". Default: the type in the file name if it
        follows OSI's naming rule, else a guess from the content. In MCAP the schema decides.
    source : str, optional
        Topic to read, if an MCAP file has several channels of the type.

    Returns
    -------
    TraceReader

    Raises
    ------
    TraceError
        The file does not exist, is empty, is not an OSI trace, or clearly has another message type.
        Or it has several channels, and ``source`` names none of them; the text lists them. Or it is
        no MCAP file, and ``source`` is given.
    DamagedTrace
        The first message is already damaged.
    """
    path = Path(path)
    if message_type is not None and message_type not in MESSAGE_CLASSES:
        expected = ", ".join(MESSAGE_CLASSES)
        hint = near_match(message_type, MESSAGE_CLASSES)
        raise TraceError(path, f"message type {message_type}: expected one of {expected}{hint}")
    start = start_of(path, max(map(len, _COMPRESSED.values())))
    kind = _format_of(path, start)
    if kind == ".mcap":
        return _open_mcap(path, message_type, source)
    if source is not None:
        raise TraceError(path, ONE_SOURCE)
    return (_open_binary if kind == ".osi" else _open_text)(path, message_type)


def read_frames(
    trace: TraceReader, decoder: FrameDecoder, on_late: Callable[[int], object] = lambda _: None
) -> Iterator[Frame]:
    """Yield the frames of a trace: decode it message by message.

    Parameters
    ----------
    trace : TraceReader
        The trace.
    decoder : FrameDecoder
        Decoder of the messages.
    on_late : callable
        Called with the number, from 0, of each message that is left out because it is up to 1 s
        older than the last message that was not left out.

    Raises
    ------
    DamagedTrace
        Raised after all frames before the damage: the file ends or is corrupt, or a message cannot
        be decoded or has no timestamp.
    OsiInputError
        As raised by `FrameDecoder.decode`: the first message cannot be used, or the requested host
        vehicle does not exist.
    """
    decoder.name(trace.path)
    for raw in trace:
        try:
            frame = decoder.decode(raw.data, raw.index)
        except LateMessage:
            on_late(raw.index)
            continue
        except (UndecodableMessage, MissingTimestamp) as error:
            if raw.index == 0:  # there is no frame before the damage
                raise
            raise DamagedTrace(
                trace.path, frame=raw.index, offset=raw.offset, reason=str(error)
            ) from error
        yield frame


def some_objects(
    trace: TraceReader, decoder: FrameDecoder, most: int
) -> Iterator[tuple[int, ObjectStates]]:
    """Decode the objects of messages at regular intervals, from the first to the end of a trace.

    A damaged trace ends before its damage; messages that cannot be decoded are left out. If
    ``trace.count`` is None, all messages are decoded.

    Parameters
    ----------
    trace : TraceReader
        The trace.
    decoder : FrameDecoder
        Decoder of the messages.
    most : int
        Largest number of messages to decode.

    Yields
    ------
    time_ns : int
        Time of the message. [ns]
    objects : ObjectStates
        Its objects.
    """
    every = -(-(trace.count or 1) // most)
    with suppress(DamagedTrace):
        for raw in trace:
            if raw.index % every == 0:
                with suppress(OsiInputError):
                    yield decoder.decode_objects(raw.data)


def _format_of(path: Path, start: bytes) -> str:
    """Return the suffix that determines the file format, without a compression suffix."""
    suffixes = [suffix.lower() for suffix in path.suffixes]
    packed = suffixes.pop() if suffixes and suffixes[-1] in _COMPRESSED else None
    if packed and not start.startswith(_COMPRESSED[packed]):
        raise TraceError(
            path, f"not readable: it does not start with the magic bytes of a {packed} file"
        )
    if not suffixes or suffixes[-1] not in _SUFFIXES:
        expected = ", ".join(_SUFFIXES)
        raise TraceError(
            path,
            f"the file name has no suffix of an OSI trace, expected {expected}, also with .gz or "
            ".xz",
        )
    return suffixes[-1]


def _open_binary(path: Path, message_type: str | None) -> TraceReader:
    check_first_length(path)
    chosen = message_type or named_message_type(path.name)
    guessed = guess_message_type(_until_damage(path))
    if chosen is None:
        chosen = guessed
        _first(binary_messages(path))  # reports damage, if any, instead of an unrecognised type
    elif guessed not in (chosen, None):
        problem = _contradiction(message_type, chosen, guessed)
        # A requested type decides if the content is ambiguous, but does not override clear content.
        if message_type is not None and has_all_fields(guessed, _until_damage(path)):
            raise TraceError(path, problem)
        _log.warning("%s: %s", path, problem)
    return _checked(path, chosen, count_messages(path), partial(binary_messages, path))


def _open_text(path: Path, message_type: str | None) -> TraceReader:
    from osi_bridge.traces.text import guess_text_type, text_messages  # noqa: PLC0415  only these do

    chosen = message_type or named_message_type(path.name) or guess_text_type(path)
    try:
        return _checked(path, chosen, None, partial(text_messages, path, chosen or ""))
    except DamagedTrace as error:
        guessed = guess_text_type(path)
        if guessed in (chosen, None):
            raise
        raise TraceError(path, _contradiction(message_type, chosen, guessed)) from error


def _contradiction(asked: str | None, chosen: str | None, guessed: str | None) -> str:
    source = "requested" if asked else "the file name says"
    return f"{source} {chosen}, but the content looks like {guessed}"


def _open_mcap(path: Path, message_type: str | None, source: str | None) -> TraceReader:
    from osi_bridge.traces import mcap, mcap_choice  # noqa: PLC0415  only these do

    channel = mcap_choice.choose_channel(path, message_type, source)
    messages = partial(mcap.mcap_messages, path, channel)
    return _checked(path, channel.message_type, channel.n_messages, messages)


def _checked(
    path: Path,
    message_type: str | None,
    count: int | None,
    messages: Callable[[], Iterator[RawMessage]],
) -> TraceReader:
    """Return a reader; raise TraceError if the first message is not of the given type."""
    if message_type is None:
        raise TraceError(
            path, "the message type is not recognised, expected OSI SensorView or GroundTruth"
        )
    if message_type not in MESSAGE_CLASSES:
        raise TraceError(path, f"it contains {message_type}, expected SensorView or GroundTruth")
    first = _first(messages())
    if first is None:
        raise TraceError(path, "it contains no message")
    if not is_message(message_type, first.data):
        raise TraceError(path, f"its first message is not an OSI {message_type}")
    return TraceReader(path, cast("MessageType", message_type), count, messages)


def _first(messages: Iterator[RawMessage]) -> RawMessage | None:
    return next(messages, None)


def _until_damage(path: Path) -> Iterator[bytes]:
    try:
        for raw in binary_messages(path):
            yield raw.data
    except DamagedTrace:
        return
