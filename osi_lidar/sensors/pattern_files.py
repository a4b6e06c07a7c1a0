# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Reading of beams from CSV files in degrees and seconds, one beam per line."""

from __future__ import annotations

import csv
import math
from typing import TYPE_CHECKING

import numpy as np

from osi_lidar.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from numpy.typing import NDArray


def read_angle_pairs(path: Path) -> tuple[tuple[float, float], ...]:
    """Return (azimuth, elevation) of each beam [deg] from a CSV file with a beam per line.

    ``path`` is the file. A header is optional.

    Raises
    ------
    ConfigurationError
        If the file cannot be read or has no beams, or a line is not a pair of numbers within the
        bounds.
    """
    pairs = []
    for number, values in _lines(path, 2, "azimuth and elevation in degrees"):
        azimuth_deg, elevation_deg = values
        _check_angles(path, number, azimuth_deg, elevation_deg)
        pairs.append((azimuth_deg, elevation_deg))
    if not pairs:
        raise ConfigurationError(
            f"{path}: contains no beams, expected rows of azimuth and elevation"
        )
    return tuple(pairs)


def read_pulses(path: Path) -> NDArray[np.float64]:
    """Return the pulses in a CSV file with time, azimuth and elevation of a pulse in each line.

    ``path`` is the file. A header is optional.

    Returns
    -------
    float64 (3, n_pulse)
        Times [s], azimuths [deg] and elevations [deg], in the order of the file.

    Raises
    ------
    ConfigurationError
        If the file cannot be read or has no pulses, a line is not three numbers within the bounds,
        or times are not in ascending order.
    """
    pulses: list[tuple[float, ...]] = []
    before_s = 0.0
    for number, values in _lines(path, 3, "time in seconds, azimuth and elevation in degrees"):
        time_s, azimuth_deg, elevation_deg = values
        if not before_s <= time_s < math.inf:
            raise ConfigurationError(
                f"{path}: line {number}: time {time_s:.9g} s, expected {before_s:.9g} s or later"
            )
        _check_angles(path, number, azimuth_deg, elevation_deg)
        pulses.append(values)
        before_s = time_s
    if not pulses:
        raise ConfigurationError(
            f"{path}: contains no pulses, expected rows of time, azimuth and elevation"
        )
    table: NDArray[np.float64] = np.array(pulses, np.float64).T
    return table


def _lines(path: Path, n_column: int, expected: str) -> Iterator[tuple[int, tuple[float, ...]]]:
    """Yield number and values of each line, except for empty lines and a header."""
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            for number, row in enumerate(csv.reader(file), start=1):
                if not "".join(row).strip():
                    continue
                try:
                    values = tuple(map(float, row))
                except ValueError:
                    if number == 1:
                        continue
                    values = ()
                if len(values) != n_column:
                    raise ConfigurationError(
                        f"{path}: line {number}: got {','.join(row)!r:.60}, expected {expected}"
                    )
                yield number, values
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise ConfigurationError(f"{path}: not a CSV file of angles: {error}") from error


def _check_angles(path: Path, number: int, azimuth_deg: float, elevation_deg: float) -> None:
    if not (abs(azimuth_deg) <= 360.0 and abs(elevation_deg) <= 90.0):
        raise ConfigurationError(
            f"{path}: line {number}: azimuth {azimuth_deg:g}, elevation "
            f"{elevation_deg:g}, expected -360 to 360 and -90 to 90 degrees"
        )
