# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Survey scanners: mirrors or prisms that deflect beams, each on a mount, on a rotating head.

A `Deflector` gives the direction of a beam in the frame of its mount (x forward, y left, z up); a
`Channel` rotates it by its mount; the `Head` turns all channels about one axis. At time t::

    direction = head(2 pi f_head t) mount deflected(t)

A mirror that deflects by the angle g draws lines in the plane of x and z: (cos g, 0, sin g).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from raycore.errors import PatternError
from raycore.pattern.optics import Prism, angles_of, through_prisms
from raycore.pattern.scan_pattern import MAX_ROWS, ScanPattern
from raycore.pattern.source import phase_at, pulse_count, pulse_times_s

_SAME_FIBRE = 1e-6  # fraction of the pulse interval
_EDGE_RAD = 1e-12


class Deflector(Protocol):
    """A mirror, fibre line or set of prisms that deflects a beam travelling along x."""

    def beams(
        self, *, start_s: float, time_s: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """Return the beam's unit vectors, and a mask of the pulses that leave the scanner.

        The vectors are float64 (3, n_time), in the deflector's frame; the mask is bool (n_time,).

        Parameters
        ----------
        start_s : float
            Start time of the scan. [s]
        time_s : float64 (n_time,)
            Times of the pulses after ``start_s``. [s]
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class PolygonMirror:
    """A polygon mirror, which draws all its lines in the same direction.

    At time t, the beam points along ``(cos g, 0, sin g)`` with
    ``g = half (2 frac(f t + 1/2) - 1)``; only pulses with ``|g| <= shown`` leave the scanner.

    Attributes
    ----------
    half_rad, shown_rad : float
        Half the angle of a line, and of its part that leaves the scanner. [rad]
    rate_hz : float
        Lines per second. [Hz]
    """

    half_rad: float
    shown_rad: float
    rate_hz: float

    def beams(
        self, *, start_s: float, time_s: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """Return unit vectors (3, n_time), and a mask (n_time,) of the pulses that leave.

        ``start_s`` is the start time of the scan [s]; ``time_s`` (n_time,) has the times after it
        [s].
        """
        angle = self.half_rad * (2.0 * _share(self.rate_hz, start_s, time_s, 0.5) - 1.0)
        return _in_plane(angle), np.abs(angle) <= self.shown_rad + _EDGE_RAD


@dataclass(frozen=True, slots=True, kw_only=True)
class SwingingMirror:
    """A mirror that swings at constant speed, so that lines alternate between up and down.

    At time t, the beam points along ``(cos g, 0, sin g)`` with
    ``g = half (1 - 4 |frac(f t) - 1/2|)``, from -half at time 0.

    Attributes
    ----------
    half_rad : float
        Half the angle of a line. [rad]
    rate_hz : float
        Swings per second, each of two lines. [Hz]
    """

    half_rad: float
    rate_hz: float

    def beams(
        self, *, start_s: float, time_s: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """Return unit vectors (3, n_time), and a mask (n_time,), all True: every pulse leaves.

        ``start_s`` is the start time of the scan [s]; ``time_s`` (n_time,) has the times after it
        [s].
        """
        swing = 1.0 - 4.0 * np.abs(_share(self.rate_hz, start_s, time_s) - 0.5)
        return _in_plane(self.half_rad * swing), np.ones(time_s.size, np.bool_)


@dataclass(frozen=True, slots=True, kw_only=True)
class ConeMirror:
    """A rotating slanted mirror (Palmer scanner): the beam stays on a cone about x.

    At time t, it points along ``(cos half, -sin half sin p, sin half cos p)`` with
    ``p = 2 pi f t``.

    Attributes
    ----------
    half_rad : float
        Angle between beam and axis. [rad]
    rate_hz : float
        Turns per second. [Hz]
    """

    half_rad: float
    rate_hz: float

    def beams(
        self, *, start_s: float, time_s: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """Return unit vectors (3, n_time), and a mask (n_time,), all True: every pulse leaves.

        ``start_s`` is the start time of the scan [s]; ``time_s`` (n_time,) has the times after it
        [s].
        """
        turn = phase_at(rate_hz=self.rate_hz, start_s=start_s, time_s=time_s, phase_rad=0.0)
        flat = math.sin(self.half_rad)
        ahead = np.full(time_s.size, math.cos(self.half_rad))
        return np.stack([ahead, -flat * np.sin(turn), flat * np.cos(turn)]), np.ones(
            time_s.size, np.bool_
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class FibreLine:
    """A row of fibres that fire in turn: pulse k goes through fibre k modulo their number.

    The beam points along ``(cos g, 0, sin g)`` with ``g = half (2 fibre / count - 1)``.

    Attributes
    ----------
    half_rad : float
        The line begins at -half; it ends one fibre short of +half. [rad]
    count : int
        Number of fibres.
    pulse_rate_hz : float
        Pulses per second. [Hz]
    """

    half_rad: float
    count: int
    pulse_rate_hz: float

    def beams(
        self, *, start_s: float, time_s: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """Return unit vectors (3, n_time), and a mask (n_time,), all True: every pulse leaves.

        ``start_s`` is the start time of the scan [s]; ``time_s`` (n_time,) has the times after it
        [s].
        """
        share = _share(self.pulse_rate_hz / self.count, start_s, time_s)
        fibre = np.floor(share * self.count + _SAME_FIBRE) % self.count
        angle = self.half_rad * (2.0 * fibre / self.count - 1.0)
        return _in_plane(angle), np.ones(time_s.size, np.bool_)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wedges:
    """Risley prisms: wedges that rotate in series, as in `raycore.pattern.optics.risley`.

    Attributes
    ----------
    prisms : tuple of Prism
        Prisms in the order in which light passes them.
    incident : (x, y, z)
        Unit vector of the beam before the first prism.
    """

    prisms: tuple[Prism, ...]
    incident: tuple[float, float, float] = (1.0, 0.0, 0.0)

    def beams(
        self, *, start_s: float, time_s: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """Return unit vectors (3, n_time), and a mask (n_time,), all True: every pulse leaves.

        ``start_s`` is the start time of the scan [s]; ``time_s`` (n_time,) has the times after it
        [s].
        """
        beam = np.array(self.incident)[:, np.newaxis]
        behind = through_prisms(self.prisms, beam, start_s=start_s, time_s=time_s)
        return behind[:, 0], np.ones(time_s.size, np.bool_)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Channel:
    """One channel of a scanner: a laser with its deflector.

    Attributes
    ----------
    deflector : Deflector
        Gives the direction of the beam over time.
    mount : float64 (3, 3)
        Rotation from the deflector's frame to the head's.
    origin_m : (x, y, z)
        Start of the beam in the sensor frame; the head does not turn it. [m]
    """

    deflector: Deflector
    mount: NDArray[np.float64] = field(default_factory=lambda: np.eye(3))
    origin_m: tuple[float, float, float] = (0.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """The rotating head that carries all channels.

    Attributes
    ----------
    axis : (x, y, z)
        Unit vector of the rotation axis.
    rate_hz : float
        Turns per second, counter-clockwise about the axis. [Hz]
    """

    axis: tuple[float, float, float] = (0.0, 0.0, 1.0)
    rate_hz: float = 0.0


def survey_scan(
    channels: Sequence[Channel],
    *,
    head: Head,
    pulse_rate_hz: float,
    period_s: float,
    start_s: float = 0.0,
) -> ScanPattern:
    """Return a time window of the pattern of a survey scanner.

    Parameters
    ----------
    channels : sequence of Channel
        All fire at once. Each channel is a ring, numbered from the mount that points highest
        downwards; the number of a pulse is its column.
    head : Head
        Turns all channels.
    pulse_rate_hz : float
        Pulses per second of each channel. [Hz]
    period_s : float
        Duration of one scan. [s]
    start_s : float
        Start time of the scan. [s]

    Raises
    ------
    PatternError
        If there is no channel or too many, or the scan has no pulse or too many.
    """
    if not 1 <= len(channels) <= MAX_ROWS:
        raise PatternError(f"scanner: {len(channels)} channels, expected 1 to {MAX_ROWS}")
    pulse_count(pulse_rate_hz=pulse_rate_hz, period_s=period_s, n_channel=len(channels))
    time_s = pulse_times_s(pulse_rate_hz=pulse_rate_hz, period_s=period_s)
    turn = phase_at(rate_hz=head.rate_hz, start_s=start_s, time_s=time_s, phase_rad=0.0)
    directions, origins, rings, columns = [], [], [], []
    for ring, channel in enumerate(sorted(channels, key=_steepness)):
        beam, leaves = channel.deflector.beams(start_s=start_s, time_s=time_s)
        fired = np.flatnonzero(leaves)
        directions.append(_about(head.axis, turn[fired], channel.mount @ beam[:, fired]))
        origins.append(np.full((fired.size, 3), channel.origin_m, np.float32))
        rings.append(np.full(fired.size, ring, np.uint16))
        columns.append(fired.astype(np.uint32))
    column: NDArray[np.uint32] = np.concatenate(columns)
    if not column.size:
        raise PatternError(
            f"scanner: none of {time_s.size} pulses leaves the scanner in a scan of {period_s:g} "
            "s, expected more lines per second, or longer scans"
        )
    azimuth, elevation = angles_of(np.concatenate(directions, axis=1))
    alike = len({channel.origin_m for channel in channels}) == 1
    origin_m = np.concatenate(origins)
    return ScanPattern(
        azimuth_rad=azimuth,
        elevation_rad=elevation,
        time_s=time_s[column],
        ring=np.concatenate(rings),
        column=column,
        period_s=period_s,
        coherent=True,
        origin_m=origin_m[:1].copy() if alike else origin_m,
    )


def _steepness(channel: Channel) -> float:
    """Return minus the z component of a mount's forward direction, as a sort key: highest first."""
    return -float(channel.mount[2, 0])


def _share(
    rate_hz: float, start_s: float, time_s: NDArray[np.float64], offset: float = 0.0
) -> NDArray[np.float64]:
    """Return frac(f (start + t) + offset), which is exact even long after time 0."""
    turns = phase_at(rate_hz=rate_hz, start_s=start_s, time_s=time_s, phase_rad=0.0)
    share: NDArray[np.float64] = (turns / (2.0 * math.pi) + offset) % 1.0
    return share


def _in_plane(angle_rad: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.stack([np.cos(angle_rad), np.zeros(angle_rad.size), np.sin(angle_rad)])


def _about(
    axis: tuple[float, float, float], angle_rad: NDArray[np.float64], beam: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Rotate vectors (3, n) about an axis, each by its own angle (n,) (Rodrigues' formula)."""
    k = np.array(axis)
    across = np.cross(k, beam, axisb=0, axisc=0)
    along = np.outer(k, k @ beam)
    turned: NDArray[np.float64] = (
        along + np.cos(angle_rad) * (beam - along) + np.sin(angle_rad) * across
    )
    return turned
