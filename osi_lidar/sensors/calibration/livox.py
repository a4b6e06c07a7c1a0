# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Scan patterns of Livox as tables of beams, from CSV with times or from NPY without.

- CSV: ``Time/s,Azimuth/deg,Zenith/deg``, as in the maker's simulation package; the zenith angle
  counts from straight up
- NPY: float (n, 2) of azimuth and elevation in radians, as in mujoco-lidar; the point rate follows
  from the model in the file's name
"""

from __future__ import annotations

import io
import math
import re
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from lidar_base.errors import NOT_NUMPY
from lidar_base.files.arrays import checked_array
from osi_lidar.errors import ConfigurationError
from osi_lidar.sensors.calibration.record import BeamTable
from osi_lidar.sensors.calibration.tables import columns_not_read, number
from raycore.pattern.scan_pattern import MAX_BEAMS

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from osi_lidar.sensors.calibration.tables import Row

# Points per second: HELIOS++, scanners_tls.xml (Mid-40, Mid-70, Avia); mujoco-lidar (Mid-360); user
# manual of the HAP, page 6
POINT_RATE_HZ = {
    "mid40": 100_000,
    "mid70": 100_000,
    "avia": 240_000,
    "mid360": 200_000,
    "hap": 452_000,
}
"""Point rate of each Livox model, by its name in lower case without punctuation. [Hz]"""
_TIME_TOLERANCE_S = 1e-9


def is_livox(head: list[str]) -> bool:
    """Return whether a CSV file is a Livox scan pattern: times, azimuths and zenith angles.

    ``head`` has the cells of the file's first line.
    """
    return [word.split("/")[0].lower() for word in head[:3]] == ["time", "azimuth", "zenith"]


def read_livox_csv(file: Path, rows: list[Row]) -> BeamTable:
    """Return the beams of a table of times [s], azimuths and zenith angles [deg].

    ``file`` is the path, for error messages. ``rows`` has the lines of the file with its headings,
    each as (line number, cells). Times count from the first beam; the table repeats after its
    duration.

    Raises
    ------
    ConfigurationError
        If a line is wrong, an angle is out of bounds, there are fewer than two beams, or all times
        are the same.
    """
    units = [word.split("/")[-1].lower() for word in rows[0][1][:3]]
    if units != ["s", "deg", "deg"]:
        raise ConfigurationError(
            f"{file}: line {rows[0][0]}: got {','.join(rows[0][1])!r:.60}, "
            "expected Time/s,Azimuth/deg,Zenith/deg"
        )
    names = ("time", "azimuth", "zenith")
    values = [
        [number(file, line, cells, column, name) for column, name in enumerate(names)]
        for line, cells in rows[1:]
    ]
    if len(values) < 2:
        raise ConfigurationError(f"{file}: got {len(values)} beams, expected at least 2")
    time_s, azimuth_deg, zenith_deg = np.array(values).T
    back = np.flatnonzero(np.diff(time_s) < 0)
    if back.size:
        raise ConfigurationError(
            f"{file}: line {rows[back[0] + 2][0]}: time {time_s[back[0] + 1]:g} s comes after "
            f"{time_s[back[0]]:g} s, expected ascending times"
        )
    duration_s = float(time_s[-1] - time_s[0]) * time_s.size / (time_s.size - 1)
    if duration_s <= _TIME_TOLERANCE_S:
        raise ConfigurationError(f"{file}: all times are {time_s[0]:g} s, expected ascending times")
    table = _table(
        file, time_s - time_s[0], np.radians(azimuth_deg), np.radians(90 - zenith_deg), duration_s
    )
    return replace(table, not_followed=columns_not_read(rows, range(3)))


def read_livox_npy(file: Path, content: bytes) -> BeamTable:
    """Return the beams of a NumPy file, float (n, 2): azimuth and elevation of each beam [rad].

    ``content`` has the bytes of the file, ``file`` is its path. Beams fire at a constant rate, the
    point rate of the model that the file's name contains.

    Raises
    ------
    ConfigurationError
        If the file is not such an array, or its name does not contain a model.
    """
    try:
        array = checked_array(io.BytesIO(content))
    except NOT_NUMPY as error:
        problem = " ".join(str(error).split())
        raise ConfigurationError(f"{file}: not a NumPy array: {problem:.100}") from None
    if not isinstance(array, np.ndarray) or array.dtype.kind != "f" or array.ndim != 2:
        got = "no array"
        if isinstance(array, np.ndarray):
            got = f"an array of {array.dtype} and shape {array.shape}"
        raise ConfigurationError(
            f"{file}: got {got:.160}, expected floating-point numbers of shape (n, 2)"
        )
    if array.shape[1] != 2 or not 2 <= len(array) <= MAX_BEAMS:
        raise ConfigurationError(
            f"{file}: got shape {array.shape}, expected (n, 2) with n of 2 to {MAX_BEAMS}"
        )
    name = re.sub(r"[^a-z0-9]", "", file.stem.lower())
    rate_hz = next((rate for model, rate in POINT_RATE_HZ.items() if model in name), None)
    if rate_hz is None:
        raise ConfigurationError(
            f"{file}: its name contains no model, which determines the point rate: expected one of "
            f"{', '.join(POINT_RATE_HZ)} in it, or a CSV file with times"
        )
    azimuth, elevation = array.astype(np.float64).T
    time_s = np.arange(len(array)) / rate_hz
    return _table(file, time_s, azimuth, elevation, len(array) / rate_hz)


def _table(
    file: Path,
    time_s: NDArray[np.float64],
    azimuth_rad: NDArray[np.float64],
    elevation_rad: NDArray[np.float64],
    duration_s: float,
) -> BeamTable:
    right = np.isfinite(azimuth_rad) & (np.abs(elevation_rad) <= math.pi / 2 + 1e-9)
    right &= np.abs(azimuth_rad) <= 2 * math.pi + 1e-6
    if not right.all():
        beam = int(np.flatnonzero(~right)[0])
        raise ConfigurationError(
            f"{file}: beam {beam}: azimuth {math.degrees(azimuth_rad[beam]):g}, elevation "
            f"{math.degrees(elevation_rad[beam]):g}, expected -360 to 360 and -90 to 90 deg"
        )
    turns = np.round(azimuth_rad / (2 * math.pi))
    return BeamTable(
        maker="Livox",
        model="",
        time_s=time_s,
        azimuth_rad=np.clip(azimuth_rad - 2 * math.pi * turns, -math.pi, math.pi),
        elevation_rad=np.clip(elevation_rad, -math.pi / 2, math.pi / 2),
        duration_s=duration_s,
    )
