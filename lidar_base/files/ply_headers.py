# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Headers of PLY files: their reader keeps each of their lines in many small pieces."""

from __future__ import annotations

from lidar_base.errors import BoundError
from lidar_base.files.bounds import MOST_ARRAYS, check_at_most

PLY_HEAD_BYTES = 2**20
"""A header ends within so many bytes."""


def check_ply_header(start: bytes) -> None:
    """Check the header of a PLY file that begins with these bytes: `PLY_HEAD_BYTES` or all.

    Raises
    ------
    BoundError
        It has too many lines, or no end.
    """
    head, end, _ = start[:PLY_HEAD_BYTES].partition(b"end_header")
    check_at_most(head.count(b"\n"), MOST_ARRAYS, "lines of its header")
    if not end and len(start) >= PLY_HEAD_BYTES:
        raise BoundError(f"its header has no end within {PLY_HEAD_BYTES} bytes")
