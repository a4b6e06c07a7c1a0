# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Angle correction files (CSV) of Hesai sensors with a rotating head.

Hesai's frame has y forward and x to the right; azimuth counts clockwise from y, seen from above::

    x = r cos(el) sin(az)        y = r cos(el) cos(az)        z = r sin(el)

A laser points at the azimuth of the head plus its own (HesaiLidar_SDK_2.0, UdpParser; user manual
of the Pandar64, "Angle correction file"). Here x is forward, so Hesai's y becomes x, its x becomes
-y, and a positive azimuth points to the right.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from osi_lidar.errors import ConfigurationError
from osi_lidar.sensors.calibration.record import Calibration, check_angles
from osi_lidar.sensors.calibration.tables import channel, columns_not_read, number

if TYPE_CHECKING:
    from pathlib import Path

    from osi_lidar.sensors.calibration.tables import Row

_CHECKSUM = re.compile(r"[0-9a-f]{64}")
_MOST_CHANNELS = 1024


def is_hesai_angles(head: list[str]) -> bool:
    """Return whether a CSV file is a table of a Hesai sensor's angle corrections.

    ``head`` has the cells of the file's first line. It needs the columns elevation and azimuth, and
    first channel or laser id, in any case.
    """
    words = {word.lower() for word in head}
    return {"elevation", "azimuth"} <= words and _plain(head[0]) in ("channel", "laserid")


def is_channel_table(rows: list[Row]) -> bool:
    """Return whether a CSV file is a channel configuration file (QT128).

    ``rows`` has the lines of the file, each as (line number, cells). Such a file has the lines
    ``EEFF,major,minor``, ``LaserNum,n,BlockNum,m``, ``Loop1,Loop2``, and then the channel that
    fires at each position of each loop (HesaiLidar_SDK_2.0, udp3_2_parser.cc).
    """
    heads = [cells[0].lower() for _, cells in rows[:3]]
    return heads == ["eeff", "lasernum", "loop1"]


def read_hesai(file: Path, rows: list[Row]) -> Calibration:
    """Return the calibration in an angle correction file, with lasers in the order of channels.

    ``file`` is the path, for error messages. ``rows`` are the lines of the file, each as (line
    number, cells). The heading of the first column is Channel, Laser id or LaserID. The last line
    may be a checksum, which is not checked.

    Raises
    ------
    ConfigurationError
        If a line is wrong, a channel is missing or listed twice, or an angle is out of bounds.
    """
    head = [word.lower() for word in rows[0][1]]
    where = head.index("elevation"), head.index("azimuth")
    lines = rows[1:]
    if lines and _CHECKSUM.fullmatch(lines[-1][1][0].lower()):
        lines = lines[:-1]
    angles: dict[int, tuple[float, float]] = {}
    for line, cells in lines:
        laser = channel(file, line, cells, 0, most=_MOST_CHANNELS)
        if laser in angles:
            raise ConfigurationError(
                f"{file}: line {line}: channel {laser} is listed twice, expected once"
            )
        elevation_deg = number(file, line, cells, where[0], "elevation")
        angles[laser] = elevation_deg, number(file, line, cells, where[1], "azimuth")
    if not angles:
        raise ConfigurationError(f"{file}: contains no channel")
    if max(angles) != len(angles):
        missing = next(laser for laser in range(1, max(angles)) if laser not in angles)
        raise ConfigurationError(f"{file}: channel {missing} of {max(angles)} is missing")
    elevation, azimuth = np.array([angles[laser] for laser in sorted(angles)]).T
    check_angles(file, elevation_deg=elevation, azimuth_deg=azimuth)
    return Calibration(
        maker="Hesai",
        model="",
        elevation_rad=np.radians(elevation),
        azimuth_offset_rad=-np.radians(azimuth),
        beam_origin_m=np.zeros((elevation.size, 3)),
        not_followed=columns_not_read([rows[0], *lines], {0, *where}),
    )


def _plain(word: str) -> str:
    return re.sub(r"[^a-z0-9]", "", word.lower())
