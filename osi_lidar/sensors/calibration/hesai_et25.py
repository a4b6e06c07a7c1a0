# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Angle correction files (.dat) of the Hesai ET25, a sensor with two mirrors.

Layout 3.1 to 3.3, little endian, angles int16 (HesaiLidar_SDK_2.0 up to 2.0.9, udp2_5_parser.cc
and udp2_5_parser.h)::

    EE FF, version, 2 bytes, channels (uint8, in 3.3 uint16), 1 byte
    division             uint16; angles are in 1 / division deg
    alpha, beta, gamma   of the mirrors
    phi, theta           (channels) each laser's azimuth and elevation before the mirrors
    H, V                 uint8, steps of the corrections in 1/2 deg; absent from here on in 3.1
    d_az, d_el           (25 / (V / 2) + 1, 120 / (H / 2) + 1) corrections from -12.5 deg of
                         elevation and -60 deg of azimuth on
    SHA-256 of all preceding bytes

With the mirrors at the azimuth A and the elevation E, a laser points at (all in radians)::

    a   = alpha + phi              n  = E + theta / cos a
    v   = E + theta - tan E (1 - cos a)
    d_v = 1.016 / 2 sin a cos a n^2
    q   = phi + d_v + beta + A / 2
    d_h = sin q tan(2 gamma) tan v + gamma^2 sin 2q
    az  = A + phi + d_v + d_h      el = v + 2 gamma cos q
    az += d_az(az, el)             el += d_el(az, el), with the new az

with az clockwise and 0 ahead; corrections are interpolated bilinearly, and 0 beyond their table.

The file does not give the positions of the mirrors when lasers fire. Here positions are 0.8 deg
apart in azimuth and 1.6 deg in elevation; all are used at which no laser leaves the 120 x 25 deg of
the corrections. All lasers fire at once; positions follow line by line from the top and from the
left, evenly over a frame that is assumed to take 0.1 s. In the maker's example, the lasers of a
position lie 0.2 deg apart in two rows of 0.8 deg, so rows and columns of neighbouring positions
join.
"""

from __future__ import annotations

import math
import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from osi_lidar.errors import ConfigurationError
from osi_lidar.sensors.calibration.hesai_binary import (
    CHECKSUM_BYTES,
    FRAME_RATE_HZ,
    check_head,
    checked_body,
    top_down,
)
from osi_lidar.sensors.calibration.record import BeamTable

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

_SMALL, _LARGE = struct.Struct("<6s2BH3h"), struct.Struct("<6sHBH3h")
_FIELD_DEG = (120.0, 25.0)
_INTERVAL_DEG = 0.5
_STEP_DEG = (0.8, 1.6)
_MOST_LASER_DEG, _MOST_MIRROR_DEG = 10.0, 60.0  # beyond these, the equations do not hold
_MOST_CHANNELS = 1024
_REFRACTION = 1.016

Angles = tuple["NDArray[np.float64]", "NDArray[np.float64]"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Mirrors:
    """Content of a file: angles in radians, corrections (2, n_elevation, n_azimuth) in degrees."""

    alpha: float
    beta: float
    gamma: float
    phi: NDArray[np.float64]
    theta: NDArray[np.float64]
    adjust_deg: NDArray[np.float64]

    def direction(self, azimuth: NDArray[np.float64], elevation: NDArray[np.float64]) -> Angles:
        """Return the beams' azimuth, clockwise from ahead, and elevation at these mirror angles."""
        a, tilt = self.alpha + self.phi, 2.0 * self.gamma
        n = elevation + self.theta / np.cos(a)
        v = elevation + self.theta - np.tan(elevation) * (1.0 - np.cos(a))
        d_v = 0.5 * _REFRACTION * np.sin(a) * np.cos(a) * n**2
        q = self.phi + d_v + self.beta + azimuth / 2.0
        d_h = np.sin(q) * math.tan(tilt) * np.tan(v) + np.sin(2.0 * q) * self.gamma**2
        az = azimuth + self.phi + d_v + d_h
        el = v + tilt * np.cos(q)
        az = az + self._correction(0, az, el)
        return az, el + self._correction(1, az, el)

    def _correction(
        self, which: int, azimuth: NDArray[np.float64], elevation: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return corrections of azimuth (0) or elevation (1): bilinear, 0 beyond the table."""
        table = self.adjust_deg[which]
        n_row, n_column = table.shape
        x = (np.degrees(azimuth) / _FIELD_DEG[0] + 0.5) * (n_column - 1)
        y = (np.degrees(elevation) / _FIELD_DEG[1] + 0.5) * (n_row - 1)
        inside = (x >= 0) & (x < n_column - 1) & (y >= 0) & (y < n_row - 1)
        left, below = np.floor(np.where(inside, (x, y), 0.0)).astype(np.intp)
        u, w = x - left, y - below
        low = (1 - u) * table[below, left] + u * table[below, left + 1]
        high = (1 - u) * table[below + 1, left] + u * table[below + 1, left + 1]
        return np.radians(np.where(inside, (1 - w) * low + w * high, 0.0))


def read_et25(file: Path, content: bytes) -> BeamTable:
    """Return the beams of one frame of an ET25.

    ``content`` has the bytes of the angle correction file, ``file`` is its path for error messages.
    Each line of mirror positions has its own rings, one for every laser, from the highest laser
    down.

    Raises
    ------
    ConfigurationError
        If the file is damaged.
    """
    mirrors = _read(file, content)
    across, down = _positions(_FIELD_DEG[0], _STEP_DEG[0]), -_positions(_FIELD_DEG[1], _STEP_DEG[1])
    azimuth, elevation = mirrors.direction(
        across[np.newaxis, :, np.newaxis], down[:, np.newaxis, np.newaxis]
    )
    inside = np.abs(np.degrees(elevation)) <= _FIELD_DEG[1] / 2
    lines = np.flatnonzero(inside.all(axis=(1, 2)))
    inside = np.abs(np.degrees(azimuth[lines])) <= _FIELD_DEG[0] / 2
    columns = np.flatnonzero(inside.all(axis=(0, 2)))
    if not (lines.size and columns.size):
        raise ConfigurationError(
            f"{file}: its lasers are outside of the field of {_FIELD_DEG[0]:g} x {_FIELD_DEG[1]:g} "
            "deg at every position of the mirrors"
        )
    order = top_down(mirrors.theta)
    azimuth, elevation = (each[np.ix_(lines, columns, order)] for each in (azimuth, elevation))
    n_column = columns.size
    line, column, laser = np.indices(azimuth.shape)
    return BeamTable(
        maker="Hesai",
        model="ET25",
        time_s=((line * n_column + column) / (lines.size * n_column * FRAME_RATE_HZ)).ravel(),
        azimuth_rad=-azimuth.ravel(),
        elevation_rad=elevation.ravel(),
        ring=(line * order.size + laser).astype(np.uint16).ravel(),
        column=column.astype(np.uint32).ravel(),
        duration_s=1.0 / FRAME_RATE_HZ,
    )


def _positions(field_deg: float, step_deg: float) -> NDArray[np.float64]:
    """Return mirror angles that fill a field of view, evenly spaced about 0 [rad]."""
    n_step = math.floor(field_deg / step_deg)
    angles: NDArray[np.float64] = np.radians(step_deg * (np.arange(n_step + 1) - n_step / 2))
    return angles


def _read(file: Path, content: bytes) -> _Mirrors:
    minor = content[3]
    head = _LARGE if minor == 3 else _SMALL
    check_head(file, content, head.size)
    _, n_laser, _, division, *mirrors = head.unpack_from(content)
    lasers_end = head.size + 4 * n_laser
    shape = (1, 1) if minor == 1 else _table_shape(file, content, lasers_end)
    n_adjust = 0 if minor == 1 else shape[0] * shape[1]
    steps = 0 if minor == 1 else 2
    size = lasers_end + steps + 4 * n_adjust + CHECKSUM_BYTES
    body = checked_body(
        file, content, size, counts=f"{n_laser} channels and {n_adjust} corrections"
    )
    if not (1 <= n_laser <= _MOST_CHANNELS and division):
        raise ConfigurationError(
            f"{file}: got {n_laser} channels and angles in 1/{division} deg, expected 1 to "
            f"{_MOST_CHANNELS} channels and a division above 0"
        )
    lasers = np.frombuffer(body, "<i2", 2 * n_laser, head.size).reshape(2, n_laser) / division
    adjust = np.zeros((2, 2, 2))
    if n_adjust:
        adjust = np.frombuffer(body, "<i2", 2 * n_adjust, lasers_end + steps) / division
    _check_offsets(file, lasers, [angle / division for angle in mirrors])
    alpha, beta, gamma = (math.radians(angle / division) for angle in mirrors)
    return _Mirrors(
        alpha=alpha,
        beta=beta,
        gamma=gamma,
        phi=np.radians(lasers[0]),
        theta=np.radians(lasers[1]),
        adjust_deg=adjust.reshape(2, *shape) if n_adjust else adjust,
    )


def _table_shape(file: Path, content: bytes, at: int) -> tuple[int, int]:
    """Return the number of rows and columns of the corrections."""
    check_head(file, content, at + 2)
    counts = []
    for name, interval, field_deg in zip("HV", content[at : at + 2], _FIELD_DEG, strict=True):
        count = field_deg / (interval * _INTERVAL_DEG) if interval else 0.0
        if not count or count != int(count):
            raise ConfigurationError(
                f"{file}: steps {name} of the corrections are {interval * _INTERVAL_DEG:g} deg, "
                f"expected a whole number of them in {field_deg:g} deg"
            )
        counts.append(int(count) + 1)
    return counts[1], counts[0]


def _check_offsets(file: Path, lasers: NDArray[np.float64], mirrors: list[float]) -> None:
    angles = {"laser": (np.abs(lasers).max(), _MOST_LASER_DEG)}
    angles["mirror"] = (max(map(abs, mirrors)), _MOST_MIRROR_DEG)
    for name, (got, most) in angles.items():
        if got > most:
            raise ConfigurationError(
                f"{file}: a {name} has an offset of {got:g} deg, expected at most {most:g} deg"
            )
