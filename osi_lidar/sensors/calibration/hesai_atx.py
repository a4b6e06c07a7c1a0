# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Angle correction files (.dat) of the Hesai ATX, whose mirror swings back and forth.

Layout 4.1 to 4.3, little endian, angles int16 (HesaiLidar_SDK_2.0, udp4_7_parser.cc,
udp_protocol_v4_7.h)::

    EE FF, version, 2 bytes, channels uint8, division uint16 (angles are in 1 / division deg)
    az                   (channels)  4.1: for all frames
    az_even, az_odd      (channels)  4.2 and 4.3: for frames of even and of odd number
    el                   (channels)
    d_el                 (70)        4.3: corrections at azimuths of 20, 22 .. 158 deg
    SHA-256 of all preceding bytes

At the encoder's azimuth e, a laser points at the azimuth e + az and the elevation
el + d_el(e + az), where d_el is 0 beyond the table, in Hesai's frame: clockwise, 90 deg ahead. The
mirror moves to the right in even frames and back in odd ones. So if a laser fires later by t, its
azimuth is larger by the mirror's rate times t in even frames, and smaller in odd ones.

The file does not give the columns. The encoder is assumed to take 1200 columns 0.1 deg apart,
centred straight ahead, as in the AT128; with the lasers' own azimuths they cover the 27 to 153 deg
of which the SDK makes images, at 0.1 deg. A frame is assumed to take 0.1 s, all of which the mirror
uses at an even rate. Columns count from the left in both kinds of frames.
"""

from __future__ import annotations

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
    from_ahead,
    top_down,
)
from osi_lidar.sensors.calibration.record import BeamTable, Firing, check_angles

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

_HEAD = struct.Struct("<6sBH")
_N_ADJUST = 70
_ADJUST_DEG = 20.0 + 2.0 * np.arange(_N_ADJUST)

FIELD_OF_VIEW_DEG = 120.0
COLUMN_STEP_DEG = 0.1
N_COLUMN = round(FIELD_OF_VIEW_DEG / COLUMN_STEP_DEG)
COLUMN_S = 1.0 / (FRAME_RATE_HZ * N_COLUMN)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _SwingingMirror:
    """Content of a file [deg]: azimuths (2, n_laser) of even and odd frames, the rest for both."""

    azimuth_deg: NDArray[np.float64]
    elevation_deg: NDArray[np.float64]
    adjust_deg: NDArray[np.float64]


def read_atx(file: Path, content: bytes) -> BeamTable:
    """Return a table of the beams in an ATX's even frames; its field ``back`` has its odd frames.

    ``content`` has the bytes of the angle correction file, ``file`` is its path for error messages.
    All lasers of a column fire at once; `BeamTable.firing` can change that.

    Raises
    ------
    ConfigurationError
        If the file is damaged.
    """
    mirror = _read(file, content)
    return _frames(mirror, np.zeros_like(mirror.azimuth_deg))


def _frames(mirror: _SwingingMirror, fire_s: NDArray[np.float64]) -> BeamTable:
    """Return frames whose lasers fire (2, n_laser) seconds after the start of their column."""
    back = _frame(mirror, fire_s, odd=True, back=None)
    return _frame(mirror, fire_s, odd=False, back=back)


def _frame(
    mirror: _SwingingMirror, fire_s: NDArray[np.float64], *, odd: bool, back: BeamTable | None
) -> BeamTable:
    order = top_down(mirror.elevation_deg)
    n_laser = order.size
    column = np.arange(N_COLUMN)[::-1] if odd else np.arange(N_COLUMN)
    later_s = fire_s[int(odd), order]
    swept_deg = later_s * (COLUMN_STEP_DEG / COLUMN_S) * (-1 if odd else 1)
    encoder_deg = 90.0 + (column + 0.5) * COLUMN_STEP_DEG - FIELD_OF_VIEW_DEG / 2
    azimuth_deg = encoder_deg[:, np.newaxis] + mirror.azimuth_deg[int(odd), order] + swept_deg
    adjust_deg = np.interp(azimuth_deg, _ADJUST_DEG, mirror.adjust_deg, left=0.0, right=0.0)
    elevation_deg = mirror.elevation_deg[order] + adjust_deg
    return BeamTable(
        maker="Hesai",
        model="ATX",
        time_s=(np.arange(N_COLUMN)[:, np.newaxis] * COLUMN_S + later_s).ravel(),
        azimuth_rad=from_ahead(np.radians(azimuth_deg)).ravel(),
        elevation_rad=np.radians(elevation_deg).ravel(),
        ring=np.tile(np.arange(n_laser, dtype=np.uint16), N_COLUMN),
        column=np.repeat(column.astype(np.uint32), n_laser),
        duration_s=1.0 / FRAME_RATE_HZ,
        back=back,
        firing=Firing(
            n_lasers=n_laser,
            n_frames=2,
            column_s=COLUMN_S,
            at=lambda times: _frames(mirror, times),
        ),
    )


def _read(file: Path, content: bytes) -> _SwingingMirror:
    minor = content[3]
    check_head(file, content, _HEAD.size)
    _, n_laser, division = _HEAD.unpack_from(content)
    n_list = 2 if minor == 1 else 3
    n_adjust = _N_ADJUST if minor == 3 else 0
    size = _HEAD.size + 2 * (n_list * n_laser + n_adjust) + CHECKSUM_BYTES
    body = checked_body(file, content, size, counts=f"{n_laser} channels")
    if not (n_laser and division):
        raise ConfigurationError(
            f"{file}: got {n_laser} channels and angles in 1/{division} deg, expected neither to "
            "be 0"
        )
    angles_deg = np.frombuffer(body, "<i2", offset=_HEAD.size).astype(np.float64) / division
    lists = angles_deg[: n_list * n_laser].reshape(n_list, n_laser)
    adjust_deg = angles_deg[n_list * n_laser :] if n_adjust else np.zeros(_N_ADJUST)
    azimuth_deg = lists[:-1] if n_list == 3 else np.repeat(lists[:1], 2, axis=0)
    for one in azimuth_deg:
        check_angles(file, elevation_deg=lists[-1], azimuth_deg=one)
    most = float(np.abs(lists[-1]).max() + np.abs(adjust_deg).max())
    if not most <= 90.0:
        raise ConfigurationError(
            f"{file}: elevations with their corrections reach {most:g} deg, expected at most 90"
        )
    return _SwingingMirror(azimuth_deg=azimuth_deg, elevation_deg=lists[-1], adjust_deg=adjust_deg)
