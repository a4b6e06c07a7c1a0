# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Reading `.mcap` trace files from front to back.

The `mcap` library decodes the records, but the walk from record to record is implemented here. The
library's readers need the index at the end of the file, which a truncated file lacks, and mistake a
truncated record for a complete one. asam-osi-utilities uses the same readers. The walk does not
seek, so compressed files and files of any size are read in the same way.
"""

from __future__ import annotations

import io
import logging
import os
import struct
import zlib
from collections import deque
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

import zstandard
from mcap.data_stream import ReadDataStream
from mcap.exceptions import McapError
from mcap.opcode import Opcode
from mcap.records import Channel, Chunk, Footer, Message, Schema, Statistics

from lidar_base.errors import BoundError
from lidar_base.files.blocks import unpacked
from lidar_base.files.bounds import (
    MOST_OTHER_RECORDS,
    check_at_most,
    most_in_block,
    most_message,
    most_unpacked,
)
from lidar_base.files.unpacking import open_unpacked
from osi_bridge.errors import DamagedTrace, TraceError
from osi_bridge.traces.binary import READ_ERRORS, RawMessage, start_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = [
    "ChannelSummary",
    "Channels",
    "McapChannel",
    "mcap_channels",
    "mcap_messages",
    "read_channels",
]

_log = logging.getLogger(__name__)
_MAGIC = b"\x89MCAP0\r\n"
_HEAD = struct.Struct("<BQ")  # opcode, length
_CHUNK_HEAD_BYTES = 28  # start and end time, uncompressed size and CRC; then the compression's name
_STATED_AT = 16
_MAX_RECORD_BYTES = 2**32
_FOOTER_BYTES = _HEAD.size + 20
_MESSAGE_HEAD_BYTES = 22
_PIECE_BYTES = 2**20
_CONTENT = (Opcode.MESSAGE, Opcode.SCHEMA, Opcode.CHANNEL)
# Errors that the library raises for corrupt records, including corrupt lengths and offsets.
_BAD_RECORD = (
    McapError,
    struct.error,
    ValueError,
    RuntimeError,
    OverflowError,
    MemoryError,
    zstandard.ZstdError,
)


class McapChannel(NamedTuple):
    """A channel of an MCAP file that holds OSI messages.

    Attributes
    ----------
    id : int
        Number of the channel in the file.
    topic : str
        Topic of the channel.
    message_type : str
        "SensorView", "GroundTruth" or "SensorData".
    n_messages : int or None
        Number of messages in the channel; None if the file is compressed or has no index with it.
    """

    id: int
    topic: str
    message_type: str
    n_messages: int | None


class ChannelSummary(NamedTuple):
    """A channel of an MCAP file, with messages of any type.

    Attributes
    ----------
    topic : str
        Topic of the channel.
    schema : str
        Name of the message type, such as "osi3.SensorView"; empty if the channel has no schema.
    encoding : str
        Name of the message encoding, such as "protobuf".
    n_messages : int or None
        Number of messages in the channel; None if the file is compressed or has no index with it.
    id : int
        Number of the channel in the file.
    definition : bytes
        Content of the schema record; empty if the channel has no schema.
    """

    topic: str
    schema: str
    encoding: str
    n_messages: int | None
    id: int
    definition: bytes


class _Damage(Exception):  # noqa: N818 (always caught here)
    """The current record is damaged."""


def mcap_channels(path: Path) -> list[ChannelSummary]:
    """Return all channels of an MCAP file, sorted by topic and then by number.

    ``path`` is the path of the file, which may be compressed.

    Raises
    ------
    TraceError
        The file cannot be opened, is not an MCAP file, or is damaged before its first channel.
    """
    channels, counts = read_channels(path)
    found = [
        ChannelSummary(
            channel.topic,
            schema.name if schema else "",
            channel.message_encoding,
            counts.get(channel.id),
            channel.id,
            schema.data if schema else b"",
        )
        for channel, schema in channels.values()
    ]
    return sorted(found, key=lambda each: (each.topic, each.id))


Channels = dict[int, tuple[Channel, "Schema | None"]]


def read_channels(path: Path) -> tuple[Channels, dict[int, int]]:
    """Return all channels of an MCAP file, and the number of messages in each channel.

    Parameters
    ----------
    path : Path
        The file, which may be compressed.

    Returns
    -------
    dict of int to (Channel, Schema or None)
        By channel id: the channel record and its schema record, as the `mcap` library decodes them.
    dict of int to int
        Number of messages by channel id, from the index of the file. If the file is compressed or
        has no index, this is empty, and the whole file is read to find the channels.

    Raises
    ------
    TraceError
        The file cannot be opened, is not an MCAP file, or is damaged before its first channel.
    """
    try:
        with open_unpacked(path) as stream:
            if stream.read(len(_MAGIC)) != _MAGIC:
                raise TraceError(
                    path, "not an MCAP file: it does not start with the magic bytes of MCAP"
                )
            if path.suffix.lower() == ".mcap":
                summary = _Walk(path)
                counts = summary.read_index(stream)
                if summary.channels:
                    return summary.channels, counts
    except (_Damage, *READ_ERRORS, *_BAD_RECORD) as error:
        _log.debug("%s: no index (%s)", path, error)
    walk = _Walk(path)
    try:
        for _ in walk.messages():
            pass
    except DamagedTrace:
        if not walk.channels:
            raise  # otherwise, reading reports the damage after the intact messages
    return walk.channels, {}


def mcap_messages(path: Path, channel: McapChannel | ChannelSummary) -> Iterator[RawMessage]:
    """Yield the messages of one channel of an MCAP file in file order, each as a `RawMessage`.

    Parameters
    ----------
    path : Path
        The file, which may be compressed.
    channel : McapChannel or ChannelSummary
        The channel; only its ``id`` is used.

    Raises
    ------
    TraceError
        The file cannot be opened, or is empty.
    DamagedTrace
        The file ends early or a record cannot be read. The complete messages of a truncated chunk
        are still yielded.
    """
    return _Walk(path).messages(channel.id)


class _Walk:
    """One pass through an MCAP file, record by record.

    Parameters
    ----------
    path : Path
        The file, not empty; its size limits how much it may unpack to.
    """

    def __init__(self, path: Path) -> None:
        self.channels: Channels = {}
        self._schemas: dict[int, Schema] = {}
        self._path = path
        start_of(path, len(_MAGIC))  # says why a file cannot be opened
        n_bytes = path.stat().st_size
        self._most_message = most_message(n_bytes)
        self._unpacked_left = most_unpacked(n_bytes)
        self._others_left = MOST_OTHER_RECORDS

    def messages(self, channel_id: int | None = None) -> Iterator[RawMessage]:
        index = offset = 0
        with open_unpacked(self._path) as stream:
            try:
                offset += len(_read(stream, len(_MAGIC)))
                while True:
                    opcode, size = _HEAD.unpack(_read(stream, _HEAD.size))
                    for data in self._record(stream, opcode, size, channel_id):
                        yield RawMessage(index, offset, data)
                        index += 1
                    if opcode == Opcode.FOOTER:
                        _check_end(stream)
                        return
                    offset += _HEAD.size + size
            except (_Damage, *READ_ERRORS, *_BAD_RECORD) as error:
                reason = " ".join(str(error).split()) or type(error).__name__
                damage = DamagedTrace(self._path, frame=index, offset=offset, reason=reason)
                raise damage from error

    def read_index(self, stream: BinaryIO) -> dict[int, int]:
        """Read the channels from the index at the file's end; return numbers of messages by id."""
        counts: dict[int, int] = {}
        stream.seek(-(_FOOTER_BYTES + len(_MAGIC)), os.SEEK_END)
        opcode, _ = _HEAD.unpack(_read(stream, _HEAD.size))
        footer = Footer.read(_stream_of(_read(stream, _FOOTER_BYTES - _HEAD.size)))
        if opcode != Opcode.FOOTER or not footer.summary_start:
            return counts
        stream.seek(footer.summary_start)
        while True:
            opcode, size = _HEAD.unpack(_read(stream, _HEAD.size))
            if opcode in (Opcode.CHUNK, Opcode.MESSAGE, Opcode.FOOTER):
                break
            if opcode == Opcode.STATISTICS:
                counts = Statistics.read(_stream_of(_read(stream, size))).channel_message_counts
            else:
                deque(self._record(stream, opcode, size, None), maxlen=0)
        for number, (channel, _) in self.channels.items():
            self.channels[number] = (channel, self._schemas.get(channel.schema_id))
        return counts

    def _record(
        self, stream: BinaryIO, opcode: int, size: int, channel_id: int | None
    ) -> Iterator[bytes]:
        """Read one record of the file and yield the messages in it."""
        check_at_most(size, _MAX_RECORD_BYTES, "bytes of a record")
        if opcode != Opcode.CHUNK:
            if opcode in _CONTENT:
                check_at_most(size, self._most_message, "bytes of a message")
                yield from self._content(opcode, _read(stream, size), channel_id)
            else:
                _check_opcode(opcode)
                _skip(stream, size)
            return
        body = _read_what_is_there(stream, size)
        if len(body) < size:
            yield from self._chunk(_start_of_chunk(body, size), channel_id)
            raise _Damage("the file ends within a chunk")
        chunk = Chunk.read(_stream_of(body))
        check_at_most(chunk.uncompressed_size, self._unpacked_left, "bytes that chunks stand for")
        self._unpacked_left -= chunk.uncompressed_size
        content = unpacked(chunk.compression, chunk.data, chunk.uncompressed_size)
        if chunk.uncompressed_crc not in (0, zlib.crc32(content)):
            raise _Damage("the checksum of a chunk is wrong")
        yield from self._chunk(content, channel_id)

    def _chunk(self, content: bytes, channel_id: int | None) -> Iterator[bytes]:
        """Yield the messages of a chunk's content."""
        start = 0
        while start < len(content):
            if start + _HEAD.size > len(content):
                raise _cut(len(content) - start, _HEAD.size)
            opcode, size = _HEAD.unpack_from(content, start)
            start += _HEAD.size
            if start + size > len(content):
                raise _cut(len(content) - start, size)
            if opcode != Opcode.MESSAGE:
                _check_opcode(opcode)
                self._others_left -= 1
                if self._others_left < 0:
                    raise _Damage(
                        f"the file has over {MOST_OTHER_RECORDS} records other than messages"
                    )
            yield from self._content(opcode, content[start : start + size], channel_id)
            start += size

    def _content(self, opcode: int, body: bytes, channel_id: int | None) -> Iterator[bytes]:
        """Decode one record: store schemas and channels, yield messages."""
        if opcode == Opcode.MESSAGE:
            if len(body) <= _MESSAGE_HEAD_BYTES:
                raise _Damage("a message is empty (0 bytes)")
            check_at_most(len(body), self._most_message, "bytes of a message")
            if int.from_bytes(body[:2], "little") == channel_id:
                record = Message.read(_stream_of(body), len(body))
                yield bytes(record.data)
        elif opcode == Opcode.SCHEMA:
            schema = Schema.read(_stream_of(body))
            self._schemas[schema.id] = schema
        elif opcode == Opcode.CHANNEL:
            channel = Channel.read(_stream_of(body))
            self.channels[channel.id] = (channel, self._schemas.get(channel.schema_id))


def _stream_of(body: bytes) -> ReadDataStream:
    return ReadDataStream(io.BytesIO(body))


def _check_opcode(opcode: int) -> None:
    if opcode == 0:
        raise _Damage("a record has the opcode 0, which MCAP does not allow")


def _read_what_is_there(stream: BinaryIO, size: int) -> bytes:
    """Read up to `size` bytes, or fewer if the file ends earlier, even if it is truncated."""
    return b"".join(_pieces(stream, size))


def _pieces(stream: BinaryIO, size: int) -> Iterator[bytes]:
    """Yield up to `size` bytes in pieces, until the file ends or cannot be read."""
    missing = size
    try:
        while missing and (piece := stream.read(min(missing, _PIECE_BYTES))):
            yield piece
            missing -= len(piece)
    except BoundError:
        raise
    except READ_ERRORS as error:
        _log.debug("the file ends early: %s", error)


def _read(stream: BinaryIO, size: int) -> bytes:
    data = _read_what_is_there(stream, size)
    if len(data) < size:
        raise _cut(len(data), size)
    return data


def _skip(stream: BinaryIO, size: int) -> None:
    """Skip a record by reading it."""
    n_there = sum(map(len, _pieces(stream, size)))
    if n_there < size:
        raise _cut(n_there, size)


def _cut(n_there: int, size: int) -> _Damage:
    return _Damage(f"the file ends within a record, after {n_there} of {size} bytes")


def _check_end(stream: BinaryIO) -> None:
    if _read(stream, len(_MAGIC)) != _MAGIC:
        raise _Damage("the file is cut short or damaged: the magic bytes at its end are missing")


def _start_of_chunk(body: bytes, size: int) -> bytes:
    """Decompress the existing part of a truncated chunk; `size` is the chunk's full size."""
    if len(body) < _CHUNK_HEAD_BYTES + 4:
        return b""
    (n_stated,) = struct.unpack_from("<Q", body, _STATED_AT)
    check_at_most(n_stated, most_in_block(size), f"bytes that {size} packed bytes stand for")
    (n_name,) = struct.unpack_from("<I", body, _CHUNK_HEAD_BYTES)
    start = _CHUNK_HEAD_BYTES + 4 + n_name
    compression, data = body[_CHUNK_HEAD_BYTES + 4 : start], body[start + 8 :]
    return unpacked(compression.decode("ascii", "replace"), data) if data else b""
