# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Common parts of Hesai's binary angle corrections (.dat): header, checksum, frame.

All begin with EE FF and the two numbers of their layout, are little endian, and end in 32 bytes:
the SHA-256 of all preceding bytes, or zeros. In the frame of the forward-looking devices (AT128,
ATX, ET25, FT120), azimuths count clockwise, seen from above, with 90 deg ahead
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
"""Frame rate. Not in the files: user manual of the AT128; assumed for the others. [Hz]"""
_HEAD_BYTES = 4


def is_hesai_binary(content: bytes) -> bool:
    """Return whether ``content``, a file's bytes, begins like a binary calibration of Hesai."""
    return content.startswith(MAGIC)


def layout_of(file: Path, content: bytes) -> tuple[int, int]:
    """Return the version of a file's layout, as (major, minor).

    ``content`` has the bytes of the file, ``file`` is its path for error messages.

    Raises
    ------
    ConfigurationError
        If the file is too short to state a version.
    """
    check_head(file, content, _HEAD_BYTES)
    return content[2], content[3]


def check_head(file: Path, content: bytes, n_byte: int) -> None:
    """Raise ConfigurationError if ``content`` (bytes) is shorter than ``n_byte``, its header.

    ``file`` is the path of the file, for the error message.
    """
    if len(content) < n_byte:
        raise ConfigurationError(f"{file}: ends after {len(content)} bytes, within its header")


def checked_body(
    file: Path, content: bytes, n_byte: int, *, counts: str, has_sha256: bool = True
) -> bytes:
    """Return the content of a file without its checksum, after checking length and checksum.

    Parameters
    ----------
    file : Path
        The file, for error messages.
    content : bytes
        All bytes of the file.
    n_byte : int
        Length that the header implies.
    counts : str
        What the header counts, such as channels, with the numbers; for the error message.
    has_sha256 : bool
        Whether to compare the checksum (the last 32 bytes), unless it is all zeros.

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
        raise ConfigurationError(f"{file}: is damaged: its checksum does not match")
    return body


def from_ahead(azimuth_rad: NDArray[np.float64]) -> NDArray[np.float64]:
    """Convert ``azimuth_rad``, float64 of any shape, from Hesai's frame to this project's frame.

    Hesai's azimuths count clockwise, with 90 deg straight ahead; this project's count
    counter-clockwise, with 0 straight ahead. The result is a new array [rad].
    """
    turned: NDArray[np.float64] = math.pi / 2 - azimuth_rad
    return turned


def top_down(elevation_rad: NDArray[np.float64]) -> NDArray[np.intp]:
    """Return indices that sort lasers by elevation, from the highest to the lowest, (n_laser,).

    ``elevation_rad``, float64 (n_laser,), is the elevation of each laser; equal ones keep their
    order.
    """
    return np.argsort(-elevation_rad, kind="stable")
