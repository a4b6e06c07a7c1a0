# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""A check of the headers of PLY files, as their reader takes much memory for each header line."""

from __future__ import annotations

from lidar_base.errors import BoundError
from lidar_base.files.bounds import MOST_ARRAYS, check_at_most

PLY_HEAD_BYTES = 2**20
"""Number of bytes within which a header must end."""


def check_ply_header(start: bytes) -> None:
    """Check that the header of a PLY file is not too long for its reader.

    ``start`` has the first `PLY_HEAD_BYTES` bytes of the file, or the whole file.

    Raises
    ------
    BoundError
        The header has too many lines, or is longer than `PLY_HEAD_BYTES`.
    """
    head, end, _ = start[:PLY_HEAD_BYTES].partition(b"end_header")
    check_at_most(head.count(b"\n"), MOST_ARRAYS, "lines of its header")
    if not end and len(start) >= PLY_HEAD_BYTES:
        raise BoundError(f"its header has no line end_header within {PLY_HEAD_BYTES} bytes")
