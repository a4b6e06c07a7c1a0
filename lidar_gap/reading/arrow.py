# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Check of the unpacked size of an Arrow file, as stated by its compressed buffers.

The Arrow library allocates the sizes that the buffers state. A FlatBuffers table says where the
buffers are; three fields of this table are read here (Arrow columnar format, "Message").
"""

from __future__ import annotations

import struct
from importlib import import_module
from typing import TYPE_CHECKING

from lidar_base.files.bounds import check_at_most, most_at_once

if TYPE_CHECKING:
    from pathlib import Path

_MAGIC_BYTES = 8
# field numbers: the first in a message, the others in a batch of rows
_HEADER, _BUFFERS, _COMPRESSION = 2, 2, 3


def check_arrow(path: Path) -> None:
    """Check the total unpacked size of all buffers of an Arrow file, without unpacking them.

    ``path`` is the file. Nothing is returned.

    Raises
    ------
    BoundError
        The unpacked size is implausible for the size of the file.
    Exception
        The file is damaged; the exception depends on the damage.
    """
    arrow = import_module("pyarrow")
    n_left = n_most = most_at_once(path.stat().st_size)
    with arrow.memory_map(str(path)) as file:
        file.seek(_MAGIC_BYTES)
        for message in arrow.ipc.MessageReader.open_stream(file):
            if message.type in ("record batch", "dictionary"):
                n_left -= _stated(bytes(message.metadata), message.body)
                check_at_most(n_most - n_left, n_most, "bytes of its columns")


def _stated(table: bytes, body: memoryview) -> int:
    """Return the total unpacked size [bytes] that the buffers of a message state."""
    root = struct.unpack_from("<I", table)[0]
    batch = _field(table, root, _HEADER)
    inner = _field(table, batch, 1) if _field(table, batch, _BUFFERS) == 0 else batch
    if _field(table, inner, _COMPRESSION) == 0:
        return len(memoryview(body))
    at = _field(table, inner, _BUFFERS)
    (n_buffer,) = struct.unpack_from("<I", table, at)
    content = memoryview(body)
    n_bytes = 0
    for number in range(n_buffer):
        start, length = struct.unpack_from("<qq", table, at + 4 + 16 * number)
        if length >= 8:
            n_bytes += max(struct.unpack_from("<q", content, start)[0], length)
    return n_bytes


def _field(table: bytes, at: int, number: int) -> int:
    """Return the position that a field of a FlatBuffers table points to, 0 if it is absent."""
    fields = at - struct.unpack_from("<i", table, at)[0]
    place = 4 + 2 * number
    if place >= struct.unpack_from("<H", table, fields)[0]:
        return 0
    (offset,) = struct.unpack_from("<H", table, fields + place)
    return at + offset + struct.unpack_from("<I", table, at + offset)[0] if offset else 0
