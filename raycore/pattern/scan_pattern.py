# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Scan patterns: direction, firing time and origin of each beam, in the sensor frame.

Sensor frame: x forward, y left, z up. Azimuth counts counter-clockwise from x, elevation upwards
from the xy plane::

    x = d cos(el) cos(az)        y = d cos(el) sin(az)        z = d sin(el)

Beams are ordered row by row from top to bottom, and within a row from left to right, the order in
which a clockwise rotating sensor fires.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from raycore.errors import PatternError
from raycore.pattern.origins import check_origin, checked_origins, turned

MAX_BEAMS = 2**25  # about 1.6 GB of pattern; a larger count is a mistyped step, not a sensor
MAX_ROWS = 2**16  # ring is uint16
STEP_TOLERANCE = 1e-9  # fraction of a step by which the end of a grid may miss a step
ANGLE_TOLERANCE_RAD = 1e-9

_COLUMNS: dict[str, type[np.generic]] = {
    "azimuth_rad": np.float64,
    "elevation_rad": np.float64,
    "time_s": np.float64,
    "ring": np.uint16,
    "column": np.uint32,
}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ScanPattern:
    """The beams of one scan, as arrays of n_beam.

    Attributes
    ----------
    azimuth_rad : float64 (n_beam,)
        Azimuth, counter-clockwise from forward. [rad], -pi..pi
    elevation_rad : float64 (n_beam,)
        Elevation, upwards from the horizon. [rad], -pi/2..pi/2
    time_s : float64 (n_beam,)
        Firing time after the start of the scan. [s], 0..period_s
    ring : uint16 (n_beam,)
        Row or channel of the beam, from 0; rows count from the highest elevation downwards.
    column : uint32 (n_beam,)
        Column of the beam within its row, from 0, in firing order or from left to right.
    period_s : float
        Duration of one scan. [s]
    coherent : bool
        True if neighbours in the arrays are neighbours in azimuth.
    origin_m : float32 (1 or n_beam, 3)
        Point from which the beam's range counts, in the sensor frame; one row is for all. [m]
    direction : float32 (n_beam, 3)
        Unit vectors in the sensor frame, computed once, in float64.
    """

    azimuth_rad: NDArray[np.float64]
    elevation_rad: NDArray[np.float64]
    time_s: NDArray[np.float64]
    ring: NDArray[np.uint16]
    column: NDArray[np.uint32]
    period_s: float
    coherent: bool
    origin_m: NDArray[np.float32] = field(default_factory=lambda: np.zeros((1, 3), np.float32))
    direction: NDArray[np.float32] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Check the arrays, make them read-only, and compute the directions."""
        n_beam = np.size(self.azimuth_rad)
        if n_beam == 0:
            raise PatternError("scan pattern: has no beam, expected at least one")
        for name, dtype in _COLUMNS.items():
            _check_column(name, getattr(self, name), dtype=dtype, n_beam=n_beam)
        check_origin(self.origin_m, n_beam=n_beam)
        _check_bounds("azimuth_rad", self.azimuth_rad, low=-math.pi, high=math.pi)
        _check_bounds("elevation_rad", self.elevation_rad, low=-math.pi / 2, high=math.pi / 2)
        if not (math.isfinite(self.period_s) and self.period_s > 0):
            raise PatternError(f"scan pattern: period_s is {self.period_s}, expected above 0")
        _check_bounds("time_s", self.time_s, low=0.0, high=self.period_s)
        object.__setattr__(self, "direction", _unit_vectors(self.azimuth_rad, self.elevation_rad))
        for name in (*_COLUMNS, "origin_m", "direction"):
            getattr(self, name).flags.writeable = False

    @property
    def n_beams(self) -> int:
        """Number of beams."""
        return self.azimuth_rad.size

    def at(self, start_s: float) -> "ScanPattern":  # noqa: ARG002
        """Return this pattern for any start time ``start_s`` [s]: all scans have the same beams."""
        return self

    @property
    def has_one_origin(self) -> bool:
        """Whether all beams start at the origin of the sensor frame."""
        return not self.origin_m.any()


def rotating(  # noqa: PLR0913 - keyword-only, one per property of the device
    *,
    elevation_rad: ArrayLike,
    n_columns: int,
    period_s: float,
    azimuth_offset_rad: ArrayLike = 0.0,
    firing_phase: ArrayLike = 0.0,
    azimuth_window_rad: Sequence[tuple[float, float]] | None = None,
    beam_origin_m: ArrayLike | None = None,
) -> ScanPattern:
    """Return the pattern of a sensor that rotates clockwise, seen from above.

    In column c of n, a laser of phase f points to ``pi (1 - 2 (c + f) / n)`` plus its offset, and
    fires at ``(c + f) / n`` of the period. So column 0 looks straight back, the sensor sweeps from
    left to right, and if n is even, one column of phase 0 and offset 0 looks straight ahead.

    Parameters
    ----------
    elevation_rad : float (n_row,)
        Elevation of each laser, in any order; rows are sorted from top to bottom. [rad]
    n_columns : int
        Columns in a full turn.
    period_s : float
        Duration of a full turn. [s]
    azimuth_offset_rad : float or float (n_row,)
        Azimuth of each laser relative to the sensor's heading, positive to the left. [rad]
    firing_phase : float or float (n_row,)
        Firing time of each laser within its column. [columns], 0 <= phase < 1
    azimuth_window_rad : sequence of (min, max), n_row, optional
        Headings at which each laser fires, both ends included; a window that extends beyond pi
        continues at -pi. The first column that any laser fires becomes column 0, at time 0.
        Default: the full turn. [rad]
    beam_origin_m : float (n_row, 3), optional
        Point from which the range of each laser counts, in a frame that turns with the head:
        along its heading, to the left, up. Default: all at the sensor's origin. [m]

    Raises
    ------
    PatternError
        If an argument has a wrong shape or value, or no beam is left.
    """
    elevation = _angles("elevation_rad", elevation_rad)
    n_row = elevation.size
    _check_size(n_row=n_row, n_column=n_columns)
    offset = _per_row("azimuth_offset_rad", azimuth_offset_rad, n_row=n_row)
    phase = _per_row("firing_phase", firing_phase, n_row=n_row)
    if phase.min() < 0 or phase.max() >= 1:
        raise PatternError("firing_phase: expected values of at least 0 and below 1 column")
    heading = math.pi * (1.0 - 2.0 * np.arange(n_columns) / n_columns)
    fires = np.ones((n_row, n_columns), dtype=bool)
    if azimuth_window_rad is not None:
        fires = inside_window(heading, azimuth_window_rad, n_row=n_row)

    top_down = np.argsort(-elevation, kind="stable")
    ring, turn_column = np.nonzero(fires[top_down])
    laser = top_down[ring]
    column = turn_column - turn_column.min()
    fired_heading = math.pi * (1.0 - 2.0 * (turn_column + phase[laser]) / n_columns)
    origin = np.zeros((1, 3), np.float32)
    if beam_origin_m is not None:
        origin = turned(checked_origins(beam_origin_m, n_row=n_row)[laser], fired_heading)
    return ScanPattern(
        azimuth_rad=wrapped(fired_heading + offset[laser]),
        elevation_rad=elevation[laser],
        time_s=(column + phase[laser]) * (period_s / n_columns),
        ring=ring.astype(np.uint16),
        column=column.astype(np.uint32),
        period_s=period_s,
        coherent=True,
        origin_m=origin,
    )


def grid(
    *,
    horizontal_rad: tuple[float, float, float],
    vertical_rad: tuple[float, float, float],
    period_s: float = 0.1,
) -> ScanPattern:
    """Return the beams of a regular grid of azimuths and elevations.

    The min belongs to the grid, and the max if it falls on a step. A full horizontal turn omits its
    last column, which points in the direction of the first. All beams fire at time 0.

    Parameters
    ----------
    horizontal_rad, vertical_rad : (min, max, step)
        Ranges and steps of azimuth and elevation. [rad]
    period_s : float
        Duration of one scan. [s]

    Raises
    ------
    PatternError
        If a range or a step is not usable.
    """
    azimuth = _steps("horizontal_rad", *horizontal_rad)
    minimum_rad, maximum_rad, _ = horizontal_rad
    if azimuth.size > 1 and maximum_rad - minimum_rad >= 2 * math.pi - ANGLE_TOLERANCE_RAD:
        if maximum_rad - minimum_rad > 2 * math.pi + ANGLE_TOLERANCE_RAD:
            raise PatternError("horizontal_rad: covers more than a turn, expected at most 2 pi")
        if abs(azimuth[-1] - azimuth[0] - 2 * math.pi) <= ANGLE_TOLERANCE_RAD:
            azimuth = azimuth[1:]  # keeps the left one of the two ends
    elevation = _steps("vertical_rad", *vertical_rad)
    return grid_from_angles(horizontal_rad=azimuth, vertical_rad=elevation, period_s=period_s)


def grid_from_angles(
    *, horizontal_rad: ArrayLike, vertical_rad: ArrayLike, period_s: float = 0.1
) -> ScanPattern:
    """Return the grid of all pairs of the given azimuths and elevations.

    Parameters
    ----------
    horizontal_rad : float (n_column,)
        Distinct azimuths in any order; columns are sorted from left to right. [rad]
    vertical_rad : float (n_row,)
        Distinct elevations in any order; rows are sorted from top to bottom. [rad]
    period_s : float
        Duration of one scan; all beams fire at time 0. [s]

    Raises
    ------
    PatternError
        If an array is empty, not finite, or holds an angle twice.
    """
    azimuth = np.sort(wrapped(_angles("horizontal_rad", horizontal_rad)))[::-1]
    elevation = np.sort(_angles("vertical_rad", vertical_rad))[::-1]
    for name, angles in (("horizontal_rad", azimuth), ("vertical_rad", elevation)):
        for angle in repeated(angles):
            raise PatternError(f"{name}: contains {angle:.9g} rad twice, expected each angle once")
    n_row, n_column = elevation.size, azimuth.size
    _check_size(n_row=n_row, n_column=n_column)
    return ScanPattern(
        azimuth_rad=np.tile(azimuth, n_row),
        elevation_rad=np.repeat(elevation, n_column),
        time_s=np.zeros(n_row * n_column),
        ring=np.repeat(np.arange(n_row, dtype=np.uint16), n_column),
        column=np.tile(np.arange(n_column, dtype=np.uint32), n_row),
        period_s=period_s,
        coherent=True,
    )


def from_pairs(
    *, azimuth_rad: ArrayLike, elevation_rad: ArrayLike, period_s: float = 0.1
) -> ScanPattern:
    """Return a pattern of individual beams, in the order given.

    Every beam is a column of its own, in ring 0, and fires at time 0.

    Parameters
    ----------
    azimuth_rad, elevation_rad : float (n_beam,)
        Direction of each beam. [rad]
    period_s : float
        Duration of one scan. [s]

    Raises
    ------
    PatternError
        If the arrays are empty, not finite, or of different length.
    """
    azimuth = wrapped(_angles("azimuth_rad", azimuth_rad))
    elevation = _angles("elevation_rad", elevation_rad)
    if azimuth.size != elevation.size:
        raise PatternError(
            f"angle pairs: got {azimuth.size} azimuths and {elevation.size} elevations, "
            "expected the same number of each"
        )
    _check_size(n_row=1, n_column=azimuth.size)
    return ScanPattern(
        azimuth_rad=azimuth,
        elevation_rad=elevation,
        time_s=np.zeros(azimuth.size),
        ring=np.zeros(azimuth.size, dtype=np.uint16),
        column=np.arange(azimuth.size, dtype=np.uint32),
        period_s=period_s,
        coherent=False,
    )


def _unit_vectors(
    azimuth_rad: NDArray[np.float64], elevation_rad: NDArray[np.float64]
) -> NDArray[np.float32]:
    cos_elevation = np.cos(elevation_rad)
    vectors = (
        cos_elevation * np.cos(azimuth_rad),
        cos_elevation * np.sin(azimuth_rad),
        np.sin(elevation_rad),
    )
    return np.stack(vectors, axis=1).astype(np.float32)


def wrapped(azimuth_rad: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return ``azimuth_rad`` within (-pi, pi]; values in that range stay the same to the bit."""
    turns = np.ceil((azimuth_rad - math.pi) / (2 * math.pi))
    return np.clip(azimuth_rad - 2 * math.pi * turns, -math.pi, math.pi)


def repeated(angles_rad: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the angles that ``angles_rad`` [rad] holds more than once, ascending."""
    angles, count = np.unique(angles_rad, return_counts=True)
    return angles[count > 1]


def _steps(name: str, minimum: float, maximum: float, step: float) -> NDArray[np.float64]:
    """Return minimum, minimum + step, ..; if maximum falls on a step, it is exactly the last."""
    if not all(map(math.isfinite, (minimum, maximum, step))):
        raise PatternError(f"{name}: min, max and step must be finite numbers")
    if step <= 0:
        raise PatternError(f"{name}: step is {step:.9g} rad, expected above 0")
    if maximum < minimum:
        raise PatternError(
            f"{name}: max is {maximum:.9g} rad, expected at least the min, {minimum:.9g} rad"
        )
    intervals = (maximum - minimum) / step
    if intervals > MAX_BEAMS:
        raise PatternError(f"{name}: step {step:.9g} rad gives over {MAX_BEAMS} rays")
    n_step = math.floor(intervals + STEP_TOLERANCE)
    angles = minimum + step * np.arange(n_step + 1, dtype=np.float64)
    if abs(intervals - n_step) <= STEP_TOLERANCE:
        angles[-1] = maximum
    return angles


def inside_window(
    heading_rad: NDArray[np.float64], window_rad: Sequence[tuple[float, float]], *, n_row: int
) -> NDArray[np.bool_]:
    """Return whether a heading is in a row's window, bool (n_row, n_heading), both ends included.

    ``heading_rad``: headings; ``window_rad``: (min, max) of each row. PatternError if none is.
    """
    window = np.asarray(window_rad, dtype=np.float64)
    if window.shape != (n_row, 2) or not (window[:, 0] <= window[:, 1]).all():
        raise PatternError(f"azimuth_window_rad: expected {n_row} pairs of (min, max), min <= max")
    beyond_start = heading_rad - window[:, :1] + ANGLE_TOLERANCE_RAD
    width = window[:, 1:] - window[:, :1] + 2 * ANGLE_TOLERANCE_RAD
    inside: NDArray[np.bool_] = beyond_start % (2 * math.pi) <= width
    if not inside.any():
        raise PatternError(
            "azimuth_window_rad: no column is inside a window, expected wider windows"
        )
    return inside


def _angles(name: str, values: ArrayLike) -> NDArray[np.float64]:
    try:
        array = np.array(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise PatternError(f"{name}: expected a list of numbers") from None
    if array.ndim != 1 or array.size == 0:
        raise PatternError(f"{name}: expected a list of numbers, got shape {array.shape}")
    if not np.isfinite(array).all():
        index = int(np.flatnonzero(~np.isfinite(array))[0])
        raise PatternError(f"{name}: value {index} is {array[index]}, expected a finite number")
    return array


def _per_row(name: str, values: ArrayLike, *, n_row: int) -> NDArray[np.float64]:
    array = _angles(name, np.atleast_1d(np.asarray(values, dtype=np.float64)))
    if array.size not in (1, n_row):
        raise PatternError(
            f"{name}: got {array.size} values, expected one for each of {n_row} rows"
        )
    return np.broadcast_to(array, (n_row,))


def _check_size(*, n_row: int, n_column: int) -> None:
    if n_column < 1:
        raise PatternError(f"scan pattern: got {n_column} columns, expected at least 1")
    if n_row > MAX_ROWS:
        raise PatternError(f"scan pattern: got {n_row} rows, expected at most {MAX_ROWS}")
    if n_row * n_column > MAX_BEAMS:
        got = f"{n_row} rows of {n_column} columns"
        raise PatternError(f"scan pattern: {got}, expected at most {MAX_BEAMS} beams")


def _check_column(name: str, array: object, *, dtype: type[np.generic], n_beam: int) -> None:
    if not isinstance(array, np.ndarray) or array.dtype != dtype or array.shape != (n_beam,):
        got = (
            f"{array.dtype} {array.shape}"
            if isinstance(array, np.ndarray)
            else type(array).__name__
        )
        raise PatternError(f"scan pattern: {name} is {got}, expected {np.dtype(dtype)} ({n_beam},)")


def _check_bounds(name: str, array: NDArray[np.float64], *, low: float, high: float) -> None:
    wrong = np.flatnonzero(~((array >= low - 1e-12) & (array <= high + 1e-12)))
    if wrong.size:
        raise PatternError(
            f"scan pattern: {name} of beam {wrong[0]} is {array[wrong[0]]:.9g}, "
            f"expected {low:.9g} to {high:.9g}"
        )
