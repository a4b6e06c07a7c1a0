# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Images of few bytes that state many pixels end in one line."""

import struct
import zlib

import pytest

from raycore.errors import ImageError
from raycore.images.pixels import grey_of, red_of
from tests.builders.extras import needs


def chunk(kind, data):
    check = struct.pack(">I", zlib.crc32(kind + data))
    return struct.pack(">I", len(data)) + kind + data + check


@needs("PIL")
@pytest.mark.parametrize("read", [red_of, grey_of])
@pytest.mark.parametrize("size", [(8000, 8000), (30_000, 30_000), (2**26, 1)])
def test_pixels_of_an_image_are_held_against_its_bytes(read, size):
    head = chunk(b"IHDR", struct.pack(">IIBBBBB", *size, 8, 0, 0, 0, 0))
    data = chunk(b"IDAT", zlib.compress(bytes(1000)))
    with pytest.raises(ImageError, match=r"(expected at most \d+|cannot be read: .*)$") as caught:
        read(b"\x89PNG\r\n\x1a\n" + head + data + chunk(b"IEND", b""))
    assert "expected at most" in str(caught.value) or "exceeds limit" in str(caught.value)
