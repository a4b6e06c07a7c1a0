# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Angle correction files (.dat) of the Hesai FT120, a sensor without moving parts.

Layout 2.0 to 2.2, little endian (HesaiLidar_SDK_2.0, udp7_2_parser.cc, udp_protocol_v7_2.h)::

    EE FF, version, 2 bytes
    columns, channels   uint8; uint16 in 2.2
    resolution          uint8
    az, el              int16 in 2.0, else int32, (columns, channels), in resolution / 100 deg
    32 bytes

Each beam has its azimuth and elevation, in Hesai's frame: clockwise, 90 deg ahead. In the maker's
own example, the last 32 bytes are not the SHA-256 of the rest, so they are not compared; the SDK
does not compare them either.

The file does not give firing times. Columns fire one after the other (a packet holds one), here
evenly over a frame that is assumed to take 0.1 s, and the channels of a column fire at once.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

import numpy as np

from osi_lidar.errors import ConfigurationError
from osi_lidar.sensors.calibration.hesai_binary import (
    CHECKSUM_BYTES,
    FRAME_RATE_HZ,
    check_head,
    checked_body,
    from_ahead,
    top_down,
)
from osi_lidar.sensors.calibration.record import BeamTable, check_angles

if TYPE_CHECKING:
    from pathlib import Path

_SMALL, _LARGE = struct.Struct("<6s3B"), struct.Struct("<6s2HB")
_UNIT_DEG = 0.01


def read_ft120(file: Path, content: bytes) -> BeamTable:
    """Return the beams of one frame of an FT120.

    ``content`` has the bytes of the angle correction file, ``file`` is its path for error messages.
    Columns have the file's numbers. Ring 0 is the channel with the highest mean elevation.

    Raises
    ------
    ConfigurationError
        If the file is damaged.
    """
    minor = content[3]
    head = _LARGE if minor == 2 else _SMALL
    check_head(file, content, head.size)
    _, n_column, n_channel, resolution = head.unpack_from(content)
    kind = np.dtype("<i2" if minor == 0 else "<i4")
    n_beam = n_column * n_channel
    body = checked_body(
        file,
        content,
        head.size + 2 * n_beam * kind.itemsize + CHECKSUM_BYTES,
        counts=f"{n_column} columns of {n_channel} channels",
        has_sha256=False,
    )
    if not (n_beam and resolution):
        counts = f"{n_column} columns, {n_channel} channels and resolution {resolution}"
        raise ConfigurationError(f"{file}: got {counts}, expected none of them to be 0")
    numbers = np.frombuffer(body, kind, 2 * n_beam, head.size).astype(np.float64)
    azimuth_deg, elevation_deg = (_UNIT_DEG * resolution * numbers).reshape(2, n_beam)
    check_angles(file, elevation_deg=elevation_deg, azimuth_deg=azimuth_deg, of="beam")
    azimuth = from_ahead(np.radians(azimuth_deg)).reshape(n_column, n_channel)
    elevation = np.radians(elevation_deg).reshape(n_column, n_channel)
    order = top_down(elevation.mean(axis=0))
    return BeamTable(
        maker="Hesai",
        model="FT120",
        time_s=np.repeat(np.arange(n_column) / (n_column * FRAME_RATE_HZ), n_channel),
        azimuth_rad=azimuth[:, order].ravel(),
        elevation_rad=elevation[:, order].ravel(),
        ring=np.tile(np.arange(n_channel, dtype=np.uint16), n_column),
        column=np.repeat(np.arange(n_column, dtype=np.uint32), n_channel),
        duration_s=1.0 / FRAME_RATE_HZ,
    )
