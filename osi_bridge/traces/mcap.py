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
import struct
from typing import IO, TYPE_CHECKING, Any, NamedTuple

import lz4.frame  # type: ignore[import-untyped]
import zstandard
from mcap.data_stream import ReadDataStream
from mcap.exceptions import McapError
from mcap.opcode import Opcode
from mcap.reader import make_reader
from mcap.records import Channel, Chunk, Message, Schema
from mcap.stream_reader import get_chunk_data_stream

from osi_bridge.errors import DamagedTrace, TraceError
from osi_bridge.traces.binary import READ_ERRORS, RawMessage, open_bytes

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["ChannelSummary", "McapChannel", "choose_channel", "mcap_channels", "mcap_messages"]

_log = logging.getLogger(__name__)
_MAGIC = b"\x89MCAP0\r\n"
_HEAD = struct.Struct("<BQ")  # opcode, length
_CHUNK_HEAD_BYTES = 28  # start and end time, uncompressed size and CRC; then the compression's name
_MAX_RECORD_BYTES = 2**32
_PREFERENCE = ("SensorView", "GroundTruth", "SensorData")
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
    """One channel of an MCAP file that holds OSI messages."""

    id: int
    topic: str
    message_type: str
    n_messages: int | None


class ChannelSummary(NamedTuple):
    """A channel of an MCAP file, of any content; None: the file has no index that tells.

    `definition` is the content of the schema.
    """

    topic: str
    schema: str
    encoding: str
    n_messages: int | None
    id: int
    definition: bytes


class _Damage(Exception):  # noqa: N818 (always caught here)
    """Damage of the current record."""


def choose_channel(path: Path, message_type: str | None) -> McapChannel:
    """Choose the channel to read: SensorView before GroundTruth before SensorData.

    Parameters
    ----------
    path : Path
        The MCAP file.
    message_type : str, optional
        Consider only channels of this type.

    Raises
    ------
    TraceError
        Not an MCAP file, or it contains no such OSI channel in protobuf encoding.
    """
    channels, counts = _channels(path)
    known: list[McapChannel] = []
    for channel, schema in channels.values():
        package, _, name = ("" if schema is None else schema.name).rpartition(".")
        if channel.message_encoding == "protobuf" and package == "osi3" and name in _PREFERENCE:
            known.append(McapChannel(channel.id, channel.topic, name, counts.get(channel.id)))
    wanted = [message_type] if message_type else list(_PREFERENCE)
    fitting = [channel for name in wanted for channel in known if channel.message_type == name]
    if not fitting:
        held = ", ".join(
            f"{channel.topic} ({schema.name if schema else 'no schema'}, "
            f"{channel.message_encoding or 'no encoding'})"
            for channel, schema in channels.values()
        )
        expected = message_type or "SensorView or GroundTruth"
        raise TraceError(
            path,
            f"it contains {' '.join(held.split()) or 'no channel'}, "
            f"expected a channel with OSI {expected} in protobuf encoding",
        )
    best = fitting[0]
    others = [c.topic for c in fitting[1:] if c.message_type == best.message_type]
    if others:
        _log.warning("%s: reading channel %s, not %s", path, best.topic, ", ".join(others))
    return best


def mcap_channels(path: Path) -> list[ChannelSummary]:
    """Return all channels of an MCAP file, by topic.

    Raises
    ------
    TraceError
        Not an MCAP file, or damaged before its first channel.
    """
    channels, counts = _channels(path)
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


_Channels = dict[int, tuple[Channel, "Schema | None"]]


def _channels(path: Path) -> tuple[_Channels, dict[int, int]]:
    """Return all channels with their schemas, and the number of messages by channel if known."""
    try:
        with open_bytes(path) as stream:
            if stream.read(len(_MAGIC)) != _MAGIC:
                raise TraceError(path, "not an MCAP file: it does not start like one")
            if path.suffix.lower() == ".mcap":
                stream.seek(0)
                summary = make_reader(stream).get_summary()
                if summary is not None and summary.channels:
                    counts = summary.statistics.channel_message_counts if summary.statistics else {}
                    pairs = {
                        id_: (channel, summary.schemas.get(channel.schema_id))
                        for id_, channel in summary.channels.items()
                    }
                    return pairs, dict(counts)
    except (*READ_ERRORS, *_BAD_RECORD) as error:
        _log.debug("%s: no index (%s)", path, error)
    walk = _Walk()
    try:
        for _ in walk.messages(path):
            pass
    except DamagedTrace:
        if not walk.channels:
            raise  # otherwise reading meets the damage again, after the intact messages
    return walk.channels, {}


def mcap_messages(path: Path, channel: McapChannel | ChannelSummary) -> Iterator[RawMessage]:
    """Yield the messages of one channel in file order.

    Raises
    ------
    DamagedTrace
        The file ends early or a record cannot be read. The complete messages of a truncated chunk
        are still yielded.
    """
    return _Walk().messages(path, channel.id)


class _Walk:
    """One pass through an MCAP file, record by record."""

    def __init__(self) -> None:
        self.channels: _Channels = {}
        self._schemas: dict[int, Schema] = {}

    def messages(self, path: Path, channel_id: int | None = None) -> Iterator[RawMessage]:
        index = offset = 0
        with open_bytes(path) as stream:
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
                raise DamagedTrace(path, frame=index, offset=offset, reason=reason) from error

    def _record(
        self, stream: IO[bytes], opcode: int, size: int, channel_id: int | None
    ) -> Iterator[bytes]:
        """Read one record of the file and yield the messages in it."""
        if size > _MAX_RECORD_BYTES:
            raise _Damage(f"a record of {size} bytes, expected at most {_MAX_RECORD_BYTES}")
        if opcode != Opcode.CHUNK:
            yield from self._content(opcode, _read(stream, size), channel_id)
            return
        body = _read_what_is_there(stream, size)
        if len(body) < size:
            yield from self._chunk(_start_of_chunk(body), channel_id)
            raise _Damage("the file ends within a chunk")
        chunk = Chunk.read(ReadDataStream(io.BytesIO(body)))
        content, length = get_chunk_data_stream(chunk, validate_crc=True)
        yield from self._chunk(content.read(length), channel_id)

    def _chunk(self, content: bytes, channel_id: int | None) -> Iterator[bytes]:
        """Yield the messages of a chunk's content."""
        stream = io.BytesIO(content)
        while stream.tell() < len(content):
            opcode, size = _HEAD.unpack(_read(stream, _HEAD.size))
            yield from self._content(opcode, _read(stream, size), channel_id)

    def _content(self, opcode: int, body: bytes, channel_id: int | None) -> Iterator[bytes]:
        """Decode one record: store schemas and channels, yield messages."""
        if opcode == Opcode.MESSAGE:
            if int.from_bytes(body[:2], "little") == channel_id:
                record = Message.read(ReadDataStream(io.BytesIO(body)), len(body))
                yield bytes(record.data)
        elif opcode == Opcode.SCHEMA:
            schema = Schema.read(ReadDataStream(io.BytesIO(body)))
            self._schemas[schema.id] = schema
        elif opcode == Opcode.CHANNEL:
            channel = Channel.read(ReadDataStream(io.BytesIO(body)))
            self.channels[channel.id] = (channel, self._schemas.get(channel.schema_id))


def _read_what_is_there(stream: IO[bytes], size: int) -> bytes:
    """Read up to `size` bytes, fewer at the end of the file, even if the file is truncated."""
    pieces: list[bytes] = []
    missing = size
    try:
        while missing and (piece := stream.read(min(missing, 2**20))):
            pieces.append(piece)
            missing -= len(piece)
    except READ_ERRORS as error:
        _log.debug("the file ends early: %s", error)
    return b"".join(pieces)


def _read(stream: IO[bytes], size: int) -> bytes:
    data = _read_what_is_there(stream, size)
    if len(data) < size:
        raise _Damage(f"the file ends within a record, after {len(data)} of {size} bytes")
    return data


def _check_end(stream: IO[bytes]) -> None:
    if _read(stream, len(_MAGIC)) != _MAGIC:
        raise _Damage("the end mark of the file is wrong")


def _start_of_chunk(body: bytes) -> bytes:
    """Decompress the part of a truncated chunk that is in the file."""
    if len(body) < _CHUNK_HEAD_BYTES + 4:
        return b""
    (n_name,) = struct.unpack_from("<I", body, _CHUNK_HEAD_BYTES)
    start = _CHUNK_HEAD_BYTES + 4 + n_name
    compression, data = body[_CHUNK_HEAD_BYTES + 4 : start], body[start + 8 :]
    decompressor: Any
    if compression == b"zstd":
        decompressor = zstandard.ZstdDecompressor().decompressobj()
    elif compression == b"lz4":
        decompressor = lz4.frame.LZ4FrameDecompressor()
    else:
        return data
    return bytes(decompressor.decompress(data)) if data else b""
