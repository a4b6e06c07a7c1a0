# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Layouts: the rings and columns of a turning sensor, and the ring and column of a given point.

The head of the sensor turns. Each laser has a delay ``phase`` within a column, and fires in column
c at the heading ``first_azimuth_deg - step_deg (c + phase)``. The laser's azimuth is this heading
plus its own azimuth offset. Its origin turns with the head. So a return at distance d is at::

    p = R(heading) (origin + d (cos(el) cos(offset), cos(el) sin(offset), sin(el)))

This module solves the equation for d cos(el), elevation and heading.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from osi_lidar.errors import InputError
from osi_lidar.scan.from_config import scan_pattern

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from osi_lidar.config.sensor import Sensor
    from raycore.pattern.scan_pattern import ScanPattern

_SAME_DEG = 1e-3
BY_SENSOR = "as the known sensor counts them"
BY_CLOUDS = "as the clouds number them"
BY_ROWS = "counted in the order of the file, which numbers none"
FROM_TOP = "counted from the top, as the clouds number none"
"""Value of `Layout.numbered`, the source of the ring numbers in words, for rings found in clouds
without laser numbers. The other values are `BY_SENSOR`, `BY_CLOUDS` and `BY_ROWS`.
"""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Layout:
    """Rings and columns of a turning sensor, which are the rows and columns of its range images.

    A ring holds the beams of one laser; rings are sorted from the highest to the lowest. The
    heading is the azimuth of the turning sensor head. A column holds the firings at one heading.

    Attributes
    ----------
    elevation_deg : float64 (n_ring,)
        Elevation of each ring, descending. [deg]
    azimuth_offset_deg : float64 (n_ring,)
        Azimuth of the laser relative to the heading, positive to the left. [deg]
    phase : float64 (n_ring,)
        Delay of the laser's firing within each column, as a fraction of the column. [columns]
    origin_m : float64 (n_ring, 3)
        Point from which the beam of each laser starts at a heading of 0: forward, left, up. [m]
    n_column : int
        Number of columns.
    step_deg : float
        Angle from a column to the next one, positive if the head turns clockwise. [deg]
    first_azimuth_deg : float
        Heading of column 0, counter-clockwise from x. [deg]
    ring_number : int32 (n_ring,)
        Laser number of each ring.
    numbered : str
        Source of the laser numbers, in words.
    """

    elevation_deg: NDArray[np.float64]
    azimuth_offset_deg: NDArray[np.float64]
    phase: NDArray[np.float64]
    origin_m: NDArray[np.float64]
    n_column: int
    step_deg: float
    first_azimuth_deg: float
    ring_number: NDArray[np.int32]
    numbered: str = FROM_TOP

    @property
    def n_ring(self) -> int:
        """Number of rings."""
        return self.elevation_deg.size

    @property
    def rings(self) -> str:
        """Text on the ring numbers and their source: "rings 0 to 31, as the clouds number them"."""
        low, high = int(self.ring_number.min()), int(self.ring_number.max())
        some = "" if high - low + 1 == self.n_ring else f"{self.n_ring} of the "
        return f"{some}rings {low} to {high}, {self.numbered}"

    @property
    def azimuth_deg(self) -> NDArray[np.float64]:
        """Heading of each column, float64 (n_column,). [deg], -180..180."""
        return wrapped_deg(self.first_azimuth_deg - self.step_deg * np.arange(self.n_column))

    def beams(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the origin [m] and the unit direction of each pixel's beam, in the sensor frame.

        Both are float64 (n_ring, n_column, 3).
        """
        turn = np.add.outer(-self.phase * self.step_deg, self.azimuth_deg)
        heading = np.radians(turn)
        azimuth = heading + np.radians(self.azimuth_offset_deg)[:, np.newaxis]
        elevation = np.radians(self.elevation_deg)[:, np.newaxis]
        x, y, z = self.origin_m.T[:, :, np.newaxis]
        c, s = np.cos(heading), np.sin(heading)
        origin = np.stack([c * x - s * y, s * x + c * y, np.broadcast_to(z, c.shape)], axis=-1)
        flat = np.cos(elevation)
        up = np.broadcast_to(np.sin(elevation), c.shape)
        return origin, np.stack([flat * np.cos(azimuth), flat * np.sin(azimuth), up], axis=-1)

    def seen_from_head(
        self, points_m: NDArray[np.float64], rank: NDArray[np.intp]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return elevations of points from their lasers, and headings at which lasers hit them.

        Parameters
        ----------
        points_m : float64 (n_point, 3)
            Points in the sensor frame. [m]
        rank : int (n_point,)
            Index of the ring whose laser hits each point; 0 is the highest ring.

        Returns
        -------
        elevation_deg, heading_deg : float64 (n_point,)
            Elevation of each point seen from its laser's origin, and heading of the turning head at
            which the laser has the azimuth of the point, counter-clockwise from x. [deg]
        """
        x, y, z = self.origin_m[rank].T
        offset = np.radians(self.azimuth_offset_deg[rank])
        c, s = np.cos(offset), np.sin(offset)
        across = np.hypot(points_m[:, 0], points_m[:, 1])
        along = x * c + y * s
        flat = np.sqrt(np.maximum(along**2 - (x**2 + y**2) + across**2, 0.0)) - along
        turn = np.arctan2(flat * s + y, flat * c + x)
        heading = np.arctan2(points_m[:, 1], points_m[:, 0]) - turn
        elevation = np.arctan2(points_m[:, 2] - z, flat)
        return np.degrees(elevation), wrapped_deg(np.degrees(heading))

    def column_of(
        self, heading_deg: NDArray[np.float64], rank: NDArray[np.intp]
    ) -> NDArray[np.float64]:
        """Return the column in which a laser fires at a given heading of the head, not rounded.

        Parameters
        ----------
        heading_deg : float64 (n_point,)
            Heading of the sensor head for each point, counter-clockwise from x. [deg]
        rank : int (n_point,)
            Index of the ring whose laser fires; 0 is the highest ring.

        Returns
        -------
        float64 (n_point,)
            Column with its fraction: column k reaches from k - 0.5 to k + 0.5. Values are at least
            -0.5. In an image of less than a turn, values of ``n_column`` - 0.5 or more are outside
            the image.
        """
        n_turn = 360.0 / abs(self.step_deg)
        column = (self.first_azimuth_deg - heading_deg) / self.step_deg - self.phase[rank] + 0.5
        return column % n_turn - 0.5


def wrapped_deg(angle_deg: NDArray[Any]) -> NDArray[np.float64]:
    """Return angles wrapped to -180 <= angle < 180, float64 of the same shape [deg].

    ``angle_deg`` is an array of any shape [deg], with angles of any size.
    """
    within: NDArray[np.float64] = (angle_deg + 180.0) % 360.0 - 180.0
    return within


def circular_mean_deg(angle_deg: NDArray[np.float64], period_deg: float = 360.0) -> float:
    """Return the circular mean of angles: the direction of the sum of their unit vectors [deg].

    Parameters
    ----------
    angle_deg : float64 (...)
        The angles, in an array of any shape. [deg]
    period_deg : float
        Angle after which the angles repeat, such as 360 or a column step. [deg]

    Returns
    -------
    float
        Mean between plus and minus half a period; 0 if there are no angles. [deg]
    """
    phase = np.exp(2j * np.pi * angle_deg / period_deg).mean() if angle_deg.size else 1.0
    return float(np.angle(phase)) * period_deg / (2.0 * np.pi)


def sensor_layout(sensor: Sensor) -> Layout:
    """Return the layout of a configured sensor, computed from the scan pattern of a simulation.

    ``sensor`` (`Sensor`) is the section of a sensor in a configuration.

    Raises
    ------
    InputError
        If the sensor has no rings that are fired column by column (for example, a rosette).
    ConfigurationError, PatternError
        If files of the sensor cannot be used.
    """
    found = pattern_layout(scan_pattern(sensor))
    if found is None:
        raise InputError(
            f"sensor {sensor.name}: has no rings and columns, expected a turning sensor or a grid"
        )
    return found


def pattern_layout(pattern: ScanPattern) -> Layout | None:
    """Return the layout of a scan pattern whose columns have equal azimuth steps, else None.

    ``pattern`` (`ScanPattern`) has ring, column and direction of each beam. The result is also None
    if the pattern has only one column, or if a ring number below the largest does not occur.
    """
    ring, column = pattern.ring.astype(np.intp), pattern.column.astype(np.int64)
    n_ring, n_column = int(ring.max()) + 1, int(column.max()) + 1
    azimuth = np.degrees(pattern.azimuth_rad)
    if n_column < 2 or np.unique(ring).size != n_ring:
        return None
    step = _step_deg(azimuth, ring, column)
    if step is None:
        return None
    first = np.unique(ring, return_index=True)[1]
    phase = _phases(pattern, first, n_column)
    # azimuth of each laser at column 0, even if it does not fire there
    start = azimuth + step * (column + phase[ring])
    at_start = np.array([circular_mean_deg(start[ring == each]) for each in range(n_ring)])
    is_turn = abs(abs(step) * n_column - 360.0) < _SAME_DEG
    heading = 180.0 if is_turn else circular_mean_deg(at_start)
    if np.abs(wrapped_deg(start - at_start[ring])).max() > 0.01 * abs(step):
        return None
    if is_turn and np.abs(wrapped_deg(at_start - heading)).max() > 90.0:
        heading = circular_mean_deg(at_start)  # the head does not start its turn at the back
    origin = np.zeros((n_ring, 3))
    if not pattern.has_one_origin:
        turned = np.radians(heading - step * (column[first] + phase))
        x, y, z = pattern.origin_m[first].astype(np.float64).T
        c, s = np.cos(turned), np.sin(turned)
        origin = np.stack([c * x + s * y, c * y - s * x, z], axis=1)
    return Layout(
        elevation_deg=np.degrees(pattern.elevation_rad[first]),
        azimuth_offset_deg=wrapped_deg(at_start - heading),
        phase=phase,
        origin_m=origin,
        n_column=n_column,
        step_deg=step,
        first_azimuth_deg=heading,
        ring_number=np.arange(n_ring, dtype=np.int32),
        numbered=BY_SENSOR,
    )


def _step_deg(
    azimuth_deg: NDArray[np.float64], ring: NDArray[np.intp], column: NDArray[np.int64]
) -> float | None:
    """Return the angle by which successive columns of a ring turn clockwise; None if uneven."""
    order = np.lexsort((column, ring))
    follows = (np.diff(ring[order]) == 0) & (np.diff(column[order]) == 1)
    steps = -wrapped_deg(np.diff(azimuth_deg[order]))[follows]
    if not steps.size or np.ptp(steps) > 0.01 * abs(np.median(steps)):
        return None
    return float(steps.mean()) or None


def _phases(pattern: ScanPattern, first: NDArray[np.intp], n_column: int) -> NDArray[np.float64]:
    """Return the phase of each laser (see `Layout`) from firing times; 0 if all fire at once."""
    column_s = pattern.period_s / n_column
    late = pattern.time_s[first] / column_s - pattern.column[first]
    return late if pattern.time_s.any() and (np.abs(late - 0.5) <= 0.5).all() else late * 0.0
