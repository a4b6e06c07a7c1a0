# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Messages that follow their length (uint32, little-endian), in `.osi` files and on connections."""

from __future__ import annotations

import struct

__all__ = ["LENGTH", "frame_prefix", "framed"]

LENGTH = struct.Struct("<I")
"""Format of the length in front of a message."""


def frame_prefix(data: bytes) -> bytes:
    """Return the 4 bytes that precede a message: its length as a little-endian uint32.

    ``data`` is the serialised message, which is not part of the result.
    """
    return LENGTH.pack(len(data))


def framed(data: bytes) -> bytes:
    """Return ``data``, a serialised message, preceded by its length (a little-endian uint32)."""
    return frame_prefix(data) + data
