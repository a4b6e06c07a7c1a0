# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Universal libraries of macOS: one file for several processors."""

from __future__ import annotations

import struct

_UNIVERSAL = 0xCAFEBABE
_ALIGNMENT = 14  # as a power of 2: pages of Arm Macs have 16 KiB


def universal(*libraries: bytes) -> bytes:
    """Return one universal library that combines libraries for one processor each.

    The format is that of ``mach-o/fat.h``: a header of big-endian numbers, then the libraries, each
    at the beginning of a page.
    """
    header = struct.pack(">2I", _UNIVERSAL, len(libraries))
    page = 1 << _ALIGNMENT
    body = b""
    for library in libraries:
        begin = page + len(body)
        processor = struct.unpack_from("<2I", library, 4)  # type and subtype
        header += struct.pack(">5I", *processor, begin, len(library), _ALIGNMENT)
        body += library + bytes(-len(library) % page)
    return header + bytes(page - len(header)) + body
