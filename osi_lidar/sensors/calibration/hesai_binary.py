# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""What Hesai's binary angle corrections (.dat) have in common: head, checksum, frame.

All begin with EE FF and the two numbers of their layout, are little endian, and end in 32 bytes:
the SHA-256 of what comes before, or zeros. The frame of the devices that look ahead only (AT128,
ATX, ET25, FT120) has azimuths that count clockwise, seen from above, with 90 deg ahead
(HesaiLidar_SDK_2.0, ``x = d cos(el) sin(az), y = d cos(el) cos(az)``, x forward, y left).
"""

from __future__ import annotations

import hashlib
import math
from typing import TYPE_CHECKING

import numpy as np

from osi_lidar.errors import ConfigurationError

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

MAGIC = b"\xee\xff"
CHECKSUM_BYTES = 32
FRAME_RATE_HZ = 10.0
"""No file says it: user manual of the AT128; the same is assumed of the others."""
_HEAD_BYTES = 4


def is_hesai_binary(content: bytes) -> bool:
    """Return whether a file begins as Hesai's binary calibrations do."""
    return content.startswith(MAGIC)


def layout_of(file: Path, content: bytes) -> tuple[int, int]:
    """Return major and minor number of a file's layout.

    Raises
    ------
    ConfigurationError
        If the file ends before them.
    """
    check_head(file, content, _HEAD_BYTES)
    return content[2], content[3]


def check_head(file: Path, content: bytes, n_byte: int) -> None:
    """Raise ConfigurationError if a file is shorter than its head."""
    if len(content) < n_byte:
        raise ConfigurationError(f"{file}: ends after {len(content)} bytes, within its head")


def checked_body(
    file: Path, content: bytes, n_byte: int, *, counts: str, has_sha256: bool = True
) -> bytes:
    """Return a file without its checksum.

    Parameters
    ----------
    file : Path
        Named in errors.
    content : bytes
        All of it.
    n_byte : int
        Length that follows from the head.
    counts : str
        What of the head it follows from, for the error.
    has_sha256 : bool
        Whether the last 32 bytes are compared, unless they are zeros.

    Raises
    ------
    ConfigurationError
        If the length or the checksum is wrong.
    """
    if len(content) != n_byte:
        raise ConfigurationError(
            f"{file}: got {len(content)} bytes, expected {n_byte} for {counts}"
        )
    body, checksum = content[:-CHECKSUM_BYTES], content[-CHECKSUM_BYTES:]
    if has_sha256 and any(checksum) and hashlib.sha256(body).digest() != checksum:
        raise ConfigurationError(f"{file}: is damaged: its checksum does not fit")
    return body


def from_ahead(azimuth_rad: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return azimuths of Hesai's frame, 90 deg ahead and clockwise, in this project's frame."""
    turned: NDArray[np.float64] = math.pi / 2 - azimuth_rad
    return turned


def top_down(elevation_rad: NDArray[np.float64]) -> NDArray[np.intp]:
    """Return the order of lasers from the highest to the lowest."""
    return np.argsort(-elevation_rad, kind="stable")
