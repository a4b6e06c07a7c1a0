# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Records of calibrations, in this project's units and frame."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from lidar_base.unfollowed import ALL_FOLLOWED, NotFollowed
from osi_lidar.errors import ConfigurationError
from raycore.pattern.scan_pattern import ScanPattern, wrapped
from raycore.pattern.source import ByTurns
from raycore.pattern.table import from_table

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from numpy.typing import NDArray

    from raycore.pattern.source import PatternSource

_MOST_CHANNELS = 4096  # no lidar has more; a larger file is something else


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Calibration:
    """The lasers of one unit with a rotating head, in the order of the maker's channel numbers.

    Attributes
    ----------
    maker, model : str
        Names of the maker and of the model; empty if the file does not state them.
    elevation_rad : float64 (n_laser,)
        Elevation of each laser, upwards from the horizon. [rad]
    azimuth_offset_rad : float64 (n_laser,)
        Azimuth of each laser relative to the heading of the head, positive to the left. [rad]
    beam_origin_m : float64 (n_laser, 3)
        Point from which the range of each laser counts, in the sensor frame at a heading of 0:
        forward, left, up. It turns about z with the head. [m]
    columns : int or None
        Columns in a full turn; None if the file does not state them.
    rate_hz : float or None
        Full turns per second; None if the file does not state them. [Hz]
    window_rad : (min, max) or None
        Headings of the head between which the lasers fire; None for the full turn. [rad]
    not_followed : tuple of NotFollowed
        Contents of the file that are ignored.
    """

    maker: str
    model: str
    elevation_rad: NDArray[np.float64]
    azimuth_offset_rad: NDArray[np.float64]
    beam_origin_m: NDArray[np.float64]
    columns: int | None = None
    rate_hz: float | None = None
    window_rad: tuple[float, float] | None = None
    not_followed: tuple[NotFollowed, ...] = ALL_FOLLOWED

    @property
    def n_lasers(self) -> int:
        """Number of lasers."""
        return self.elevation_rad.size

    def naive(self) -> Calibration:
        """Return the calibration as if only the sensor's vertical field of view were known.

        Elevations are evenly spaced between the lowest and the highest, and keep their order.
        Every laser points along the heading of the head, and starts at the sensor's origin.
        """
        even = np.linspace(self.elevation_rad.min(), self.elevation_rad.max(), self.n_lasers)
        elevation = np.empty_like(even)
        elevation[np.argsort(self.elevation_rad, kind="stable")] = even
        return replace(
            self,
            elevation_rad=elevation,
            azimuth_offset_rad=np.zeros(self.n_lasers),
            beam_origin_m=np.zeros((self.n_lasers, 3)),
        )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Firing:
    """How to give a `BeamTable` other firing times, as a Hesai firetime correction file lists them.

    Attributes
    ----------
    n_lasers : int
        Number of channels of the device.
    n_frames : int
        Number of kinds of frames with times of their own: 1, or 2 (even frames and odd frames).
    column_s : float
        Duration of a column; all firing times lie within it. [s]
    at : callable
        Gets the lasers' times after the start of a column, float64 (n_frames, n_lasers) [s], and
        returns the `BeamTable` with these times.
    """

    n_lasers: int
    n_frames: int
    column_s: float
    at: Callable[[NDArray[np.float64]], BeamTable]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BeamTable:
    """Table of the beams of a sensor without a rotating head, a row for each beam.

    With rings and columns, the table is a frame, and each scan is one. Without them, it is a
    sequence of beams in the order of firing, which continues from scan to scan.

    Attributes
    ----------
    maker, model : str
        Names of the maker and of the model; empty if the file does not state them.
    time_s : float64 (n_beam,)
        Time at which each beam fires, after the start of the scan, or, without rings, of the table.
        Without rings, times do not decrease. [s]
    azimuth_rad, elevation_rad : float64 (n_beam,)
        Direction: azimuth counter-clockwise from forward, elevation upwards. [rad]
    ring, column : integer (n_beam,) or None
        Row and column of each beam in a frame; None for a table without rings.
    duration_s : float
        Time after which a table without rings repeats. [s]
    back : BeamTable or None
        Beams of every second scan, in which a swinging mirror returns; None: all scans are alike.
    firing : Firing or None
        Its `Firing.at` makes the table with other firing times; None if it takes no such times.
    not_followed : tuple of NotFollowed
        Contents of the file that are ignored.
    """

    maker: str
    model: str
    time_s: NDArray[np.float64]
    azimuth_rad: NDArray[np.float64]
    elevation_rad: NDArray[np.float64]
    ring: NDArray[np.uint16] | None = None
    column: NDArray[np.uint32] | None = None
    duration_s: float
    back: BeamTable | None = None
    firing: Firing | None = None
    not_followed: tuple[NotFollowed, ...] = ALL_FOLLOWED

    def source(self, period_s: float) -> PatternSource:
        """Return a source of the beams of each scan; a scan lasts ``period_s`` seconds.

        A table without rings continues from scan to scan.

        Raises
        ------
        PatternError
            If no beam is fired within a scan, or a beam is fired after its end.
        """
        if self.ring is None or self.column is None:
            return from_table(
                time_s=self.time_s,
                azimuth_rad=self.azimuth_rad,
                elevation_rad=self.elevation_rad,
                period_s=period_s,
                repeats_after_s=self.duration_s,
            )
        pattern = ScanPattern(
            azimuth_rad=wrapped(self.azimuth_rad),
            elevation_rad=self.elevation_rad,
            time_s=self.time_s,
            ring=self.ring,
            column=self.column,
            period_s=period_s,
            coherent=False,
        )
        if self.back is None:
            return pattern
        return ByTurns(pattern, self.back.source(period_s), period_s)


def numbers(file: Path, key: str, values: Any, *, n: int | None = None) -> NDArray[np.float64]:  # noqa: ANN401
    """Return the list of numbers at a key of a file, as an array, after checking it.

    ``values`` is what the file has at ``key``; ``file`` and ``key`` are for error messages. ``n``
    is the expected length, if known.

    Raises
    ------
    ConfigurationError
        If it is not a list of finite numbers, is empty or too long, or its length is not n.
    """
    if not isinstance(values, list) or not all(
        isinstance(value, int | float) and not isinstance(value, bool) for value in values
    ):
        raise ConfigurationError(f"{file}: {key}: expected a list of numbers")
    try:
        array = np.array(values, np.float64)
    except OverflowError:
        raise ConfigurationError(f"{file}: {key}: contains a number that is too large") from None
    if not 1 <= array.size <= _MOST_CHANNELS:
        raise ConfigurationError(
            f"{file}: {key}: got {array.size} numbers, expected 1 to {_MOST_CHANNELS}"
        )
    if n is not None and array.size != n:
        raise ConfigurationError(f"{file}: {key}: got {array.size} numbers, expected {n}")
    if not np.isfinite(array).all():
        index = int(np.flatnonzero(~np.isfinite(array))[0])
        raise ConfigurationError(
            f"{file}: {key}: number {index} is {array[index]}, expected a finite number"
        )
    return array


def check_angles(
    file: Path,
    *,
    elevation_deg: NDArray[np.float64],
    azimuth_deg: NDArray[np.float64],
    of: str = "laser",
) -> None:
    """Check that elevations are within 90 degrees and azimuths within 360 (either sign).

    Parameters
    ----------
    file : Path
        The file with the angles, for error messages.
    elevation_deg, azimuth_deg : float64 (n,)
        Angles of each laser or beam. NaN is out of bounds. [deg]
    of : str
        Word for what has the angles, such as "beam", for error messages.

    Raises
    ------
    ConfigurationError
        If an angle is out of bounds; the message has the index of the first such laser or beam.
    """
    for name, angles, most in (("elevation", elevation_deg, 90.0), ("azimuth", azimuth_deg, 360.0)):
        wrong = np.flatnonzero(~(np.abs(angles) <= most))
        if wrong.size:
            raise ConfigurationError(
                f"{file}: {name} of {of} {wrong[0]} is {angles[wrong[0]]:g} deg, "
                f"expected -{most:g} to {most:g}"
            )
