# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Angle correction files (.dat) of the Hesai AT128, whose rotating mirror has three faces.

Version 1.5 of the layout, little endian, angles in units of 1/25600 deg times ``resolution``::

    EE FF, version, channels, mirrors, frames, 8 bytes of frame configuration, resolution
    start, end    uint32 (frames)     encoder angles between which a face is in use
    az, el        int32 (channels)    angles of each laser
    d_az, d_el    int8 (channels, 180)  corrections at encoder angles 2 deg apart, in 1/100 deg
    SHA-256 of all preceding bytes

At the encoder angle e of a frame, a laser points at the azimuth 2 (e - start) - az + d_az(e) and
the elevation el + d_el(e) (HesaiLidar_SDK_2.0, udp4_3_parser.cc), in Hesai's frame: clockwise from
y, where 90 deg is ahead. Here 0 is ahead and azimuth counts counter-clockwise. A laser that fires
later than its column does so at a later encoder angle.
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
    from_ahead,
    top_down,
)
from osi_lidar.sensors.calibration.record import BeamTable, Firing, check_angles

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

_HEAD = struct.Struct("<2s5B8sB")
_UNIT_RAD = math.radians(1 / 25600)
_ADJUST_RAD = math.radians(1 / 100)
_N_ADJUST = 180

# Not in the file: user manual of the AT128, 120 deg at 0.1 deg and 10 Hz
FIELD_OF_VIEW_RAD = math.radians(120.0)
COLUMN_STEP_RAD = math.radians(0.1)
# three frames in a turn of the mirror, 360 deg of encoder
ENCODER_RAD_PER_S = 2 * math.pi * FRAME_RATE_HZ / 3
COLUMN_S = COLUMN_STEP_RAD / 2 / ENCODER_RAD_PER_S


def read_at128(file: Path, content: bytes) -> BeamTable:
    """Return the beams of one frame of an AT128, made by the first face of its mirror.

    All faces count as alike. ``content`` has the bytes of the angle correction file, ``file`` is
    its path for error messages. All lasers of a column fire at once; `BeamTable.firing` can change
    that. Device and version of the file are not checked.

    Raises
    ------
    ConfigurationError
        If the file is damaged.
    """
    mirror = _read(file, content)
    return _frame(mirror, np.zeros((1, mirror.elevation_rad.size)))


def _frame(mirror: _Mirror, fire_s: NDArray[np.float64]) -> BeamTable:
    """Return a frame whose lasers fire (1, n_laser) seconds after the start of their column."""
    n_column = round(FIELD_OF_VIEW_RAD / COLUMN_STEP_RAD)
    order = top_down(mirror.elevation_rad)
    n_laser = order.size
    sweep = (np.arange(n_column) + 0.5) * COLUMN_STEP_RAD - FIELD_OF_VIEW_RAD / 2
    encoder = mirror.start_rad + (math.pi / 2 + sweep) / 2 + ENCODER_RAD_PER_S * fire_s.T
    azimuth, elevation = mirror.direction(encoder)
    time_s = np.arange(n_column) * COLUMN_S + fire_s.T
    return BeamTable(
        maker="Hesai",
        model="AT128",
        time_s=time_s[order].T.ravel(),
        azimuth_rad=azimuth[order].T.ravel(),
        elevation_rad=elevation[order].T.ravel(),
        ring=np.tile(np.arange(n_laser, dtype=np.uint16), n_column),
        column=np.repeat(np.arange(n_column, dtype=np.uint32), n_laser),
        duration_s=1.0 / FRAME_RATE_HZ,
        firing=Firing(
            n_lasers=n_laser, n_frames=1, column_s=COLUMN_S, at=lambda times: _frame(mirror, times)
        ),
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Mirror:
    """Content of a file: the start of one face, the lasers, and corrections by encoder angle."""

    start_rad: float
    azimuth_rad: NDArray[np.float64]
    elevation_rad: NDArray[np.float64]
    azimuth_adjust_rad: NDArray[np.float64]
    elevation_adjust_rad: NDArray[np.float64]

    def direction(
        self, encoder_rad: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return azimuth and elevation (n_laser, n_column) in this project's frame."""
        turned = 2 * (encoder_rad - self.start_rad) - self.azimuth_rad[:, np.newaxis]
        azimuth = turned + _between(self.azimuth_adjust_rad, encoder_rad)
        elevation = self.elevation_rad[:, np.newaxis] + _between(
            self.elevation_adjust_rad, encoder_rad
        )
        return from_ahead(azimuth), elevation


def _read(file: Path, content: bytes) -> _Mirror:
    check_head(file, content, _HEAD.size)
    _, _, _, n_laser, _, n_frame, _, resolution = _HEAD.unpack_from(content)
    size = _HEAD.size + 8 * n_frame + 8 * n_laser + 2 * n_laser * _N_ADJUST + CHECKSUM_BYTES
    body = checked_body(file, content, size, counts=f"{n_frame} frames and {n_laser} channels")
    if not (n_frame and n_laser and resolution):
        raise ConfigurationError(
            f"{file}: got {n_frame} frames, {n_laser} channels and resolution {resolution}, "
            "expected none of them to be 0"
        )
    at = _HEAD.size
    start = np.frombuffer(body, "<u4", n_frame, at)
    lasers = np.frombuffer(body, "<i4", 2 * n_laser, at + 8 * n_frame).reshape(2, n_laser)
    adjust = np.frombuffer(body, np.int8, offset=at + 8 * n_frame + 8 * n_laser)
    adjust_rad = resolution * _ADJUST_RAD * adjust.reshape(2, n_laser, _N_ADJUST)
    azimuth, elevation = resolution * _UNIT_RAD * lasers
    check_angles(file, elevation_deg=np.degrees(elevation), azimuth_deg=np.degrees(azimuth))
    return _Mirror(
        start_rad=float(start[0]) * resolution * _UNIT_RAD,
        azimuth_rad=azimuth,
        elevation_rad=elevation,
        azimuth_adjust_rad=adjust_rad[0],
        elevation_adjust_rad=adjust_rad[1],
    )


def _between(
    adjust_rad: NDArray[np.float64], encoder_rad: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return corrections (n_laser, n_column), interpolated linearly between encoder angles."""
    place = (encoder_rad % (2 * math.pi)) / (2 * math.pi) * _N_ADJUST
    low = np.floor(place).astype(np.intp)
    share = place - low
    laser = np.arange(len(adjust_rad))[:, np.newaxis]
    below, above = adjust_rad[laser, low % _N_ADJUST], adjust_rad[laser, (low + 1) % _N_ADJUST]
    between: NDArray[np.float64] = (1 - share) * below + share * above
    return between
