# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Small files that stand for much, and the memory that reading them takes."""

import struct
import tracemalloc
from contextlib import contextmanager

import lz4.frame
import zstandard

MIB = 2**20
MAGIC = b"\x89MCAP0\r\n"


@contextmanager
def memory_bound(most_mib):
    """Check that Python never holds more memory within the block."""
    tracemalloc.start()
    try:
        yield
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < most_mib * MIB, f"{peak / MIB:.0f} MiB"


def mcap_record(kind, body):
    return bytes([kind]) + struct.pack("<Q", len(body)) + body


def _text(text):
    return struct.pack("<I", len(text)) + text.encode()


def mcap_head():
    """Return the beginning of an MCAP file with one channel of ground truth, number 1."""
    schema = struct.pack("<H", 1) + _text("osi3.GroundTruth") + _text("protobuf") + bytes(4)
    channel = struct.pack("<HH", 1, 1) + _text("gt") + _text("protobuf") + bytes(4)
    header = mcap_record(1, _text("") + _text("x"))
    return MAGIC + header + mcap_record(3, schema) + mcap_record(4, channel)


def mcap_tail(index_at=0):
    footer = struct.pack("<QQI", index_at, 0, 0)
    return mcap_record(15, bytes(4)) + mcap_record(2, footer) + MAGIC


def mcap_message(data):
    return mcap_record(5, struct.pack("<HIQQ", 1, 0, 0, 0) + data)


def mcap_chunk(kind, packed, n_stated):
    head = struct.pack("<QQQI", 0, 0, n_stated, 0) + _text(kind)
    return mcap_record(6, head + struct.pack("<Q", len(packed)) + packed)


def zstd(content):
    return zstandard.ZstdCompressor().compress(content)


def zstd_of_no_stated_size(content):
    return zstandard.ZstdCompressor(write_content_size=False).compress(content)


def lz4_zeros(n_mib):
    packer = lz4.frame.LZ4FrameCompressor(block_size=lz4.frame.BLOCKSIZE_MAX4MB)
    pieces = [packer.begin()]
    pieces += [packer.compress(bytes(4 * MIB)) for _ in range(n_mib // 4)]
    return b"".join((*pieces, packer.flush()))
