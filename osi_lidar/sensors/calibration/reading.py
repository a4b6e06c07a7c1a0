# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Selection of the reader of a maker's file, by the file's content."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from lidar_base.errors import YamlFileError
from lidar_base.files.yaml_files import read_yaml
from lidar_base.xml_tree import is_xml
from osi_lidar.errors import ConfigurationError
from osi_lidar.sensors.calibration.helios import read_helios
from osi_lidar.sensors.calibration.hesai import is_channel_table, is_hesai_angles, read_hesai
from osi_lidar.sensors.calibration.hesai_at128 import read_at128
from osi_lidar.sensors.calibration.hesai_atx import read_atx
from osi_lidar.sensors.calibration.hesai_binary import is_hesai_binary, layout_of
from osi_lidar.sensors.calibration.hesai_et25 import read_et25
from osi_lidar.sensors.calibration.hesai_fire_times import (
    fire_times,
    frame_fire_times,
    is_fire_times,
    times_not_read,
)
from osi_lidar.sensors.calibration.hesai_ft120 import read_ft120
from osi_lidar.sensors.calibration.livox import is_livox, read_livox_csv, read_livox_npy
from osi_lidar.sensors.calibration.ouster import read_ouster
from osi_lidar.sensors.calibration.tables import as_text, csv_rows, read_bytes
from osi_lidar.sensors.calibration.velodyne import is_velodyne, read_velodyne

if TYPE_CHECKING:
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from lidar_base.unfollowed import NotFollowed
    from osi_lidar.sensors.calibration.helios import SurveyScanner
    from osi_lidar.sensors.calibration.record import BeamTable, Calibration
    from osi_lidar.sensors.calibration.tables import Row

_HESAI = (
    ((1, 5), (1, 5), "AT128", read_at128),
    ((2, 0), (2, 2), "FT120", read_ft120),
    ((3, 1), (3, 3), "ET25", read_et25),
    ((4, 1), (4, 3), "ATX", read_atx),
)
_HEAD_BYTES = 256
_MAGIC_NPY = b"\x93NUMPY"
_UNKNOWN = (
    "not a known calibration, expected Ouster metadata (JSON), Velodyne calibration (YAML), Hesai "
    "angle correction (CSV, .dat), Livox scan pattern (CSV, NPY) or scanners of HELIOS++ (XML)"
)
_CHANNEL_TABLE = (
    "is a Hesai channel configuration, which lists the channels that fire in each loop and holds "
    "no angles, expected the angle correction file of the unit (such as QT128C2X_Angle Correction "
    "File.csv)"
)


def read_calibration(
    file: Path, scanner: str | None = None
) -> Calibration | BeamTable | SurveyScanner:
    """Read the calibration of a sensor from its maker's file; the last four files are cached.

    The result is a `Calibration` for a rotating head, a `SurveyScanner` for a HELIOS++ file, and a
    `BeamTable` for all others.

    Parameters
    ----------
    file : Path
        Ouster metadata (JSON), Velodyne calibration (YAML), Hesai angle correction (CSV; .dat of an
        AT128, ATX, ET25 or FT120), Livox scan pattern (CSV, NPY), HELIOS++ scanners (XML). The
        content decides on the reader, not the name.
    scanner : str, optional
        Id of one of several scanners (HELIOS++).

    Raises
    ------
    ConfigurationError
        If the file cannot be read or is of no known kind. One line: file, place, got, expected.
    """
    try:
        state = file.stat()
    except OSError:
        return _read(file, scanner)  # raises the error that says what is wrong
    return _kept(file, scanner, state.st_ino, state.st_size, state.st_mtime_ns)


@functools.lru_cache(maxsize=4)
def _kept(file: Path, scanner: str | None, *_state: int) -> Calibration | BeamTable | SurveyScanner:
    """Read a file, and cache the result for this state of the file: a long table takes seconds."""
    return _read(file, scanner)


def _read(file: Path, scanner: str | None) -> Calibration | BeamTable | SurveyScanner:
    content = read_bytes(file)
    if is_xml(content[:_HEAD_BYTES]):
        return read_helios(file, content, scanner)
    if scanner is not None:
        raise ConfigurationError(
            f"{file}: is the file of a single sensor, so leave out scanner: {scanner!r:.60}"
        )
    if content.startswith(_MAGIC_NPY):
        return read_livox_npy(file, content)
    if is_hesai_binary(content):
        return _read_hesai_binary(file, content)
    return _read_text(file, as_text(file, content))


def _read_text(file: Path, text: str) -> Calibration | BeamTable:
    if text.lstrip().startswith("{"):
        return read_ouster(file, text)
    rows = csv_rows(file, text) if "," in text.lstrip().partition("\n")[0] else []
    if rows and is_hesai_angles(rows[0][1]):
        return read_hesai(file, rows)
    if rows and is_livox(rows[0][1]):
        return read_livox_csv(file, rows)
    if rows and is_channel_table(rows):
        raise ConfigurationError(f"{file}: {_CHANNEL_TABLE}")
    if "lasers" in text:
        return _read_yaml(file)
    if rows and is_fire_times(rows):
        raise ConfigurationError(
            f"{file}: is a firetime correction file, expected a calibration; give it as firetime"
        )
    raise ConfigurationError(f"{file}: {_UNKNOWN}")


def _read_hesai_binary(file: Path, content: bytes) -> BeamTable:
    major, minor = layout_of(file, content)
    for low, high, _, read in _HESAI:
        if low <= (major, minor) <= high:
            return read(file, content)
    known = ", ".join(
        f"{low[0]}.{low[1]}" + (f" to {high[0]}.{high[1]}" if high > low else "") + f" ({model})"
        for low, high, model, _ in _HESAI
    )
    raise ConfigurationError(
        f"{file}: has the layout {major}.{minor}, which has no public description, expected layout "
        f"{known}"
    )


def read_frame_fire_times(file: Path, *, n_lasers: int, n_frames: int) -> NDArray[np.float64]:
    """Read the lasers' firing times from a Hesai firetime correction file (CSV).

    The result is float64 (n_frames, n_lasers) [s], a row for each kind of frame and a column for
    each laser, in the order of the channels. With ``n_frames`` of 2, row 0 is for even frames and
    row 1 for odd ones; with 1, the row is for all frames. In each row, the first laser fires at 0.
    ``file`` is the path of the file.

    Raises
    ------
    ConfigurationError
        If the file cannot be read, is not a firetime correction file, has other kinds of frames, or
        does not list each laser once.
    """
    rows = csv_rows(file, as_text(file, read_bytes(file)))
    return frame_fire_times(file, rows, n_lasers=n_lasers, n_frames=n_frames)


def read_fire_times(file: Path, *, n_lasers: int) -> NDArray[np.float64]:
    """Read the firing times of a column's lasers, by channel, float64 (n_lasers,) [s].

    Times count from the first laser that fires.

    Raises
    ------
    ConfigurationError
        If the file cannot be read, is no such file, or lacks a laser.
    """
    rows = csv_rows(file, as_text(file, read_bytes(file)))
    return fire_times(file, rows, n_lasers=n_lasers)


def firetime_rows(file: Path) -> list[Row] | None:
    """Return the lines of a Hesai firetime correction file; None for other or unreadable files."""
    try:
        rows = csv_rows(file, as_text(file, read_bytes(file)))
    except ConfigurationError:
        return None
    return rows if rows and is_fire_times(rows) else None


def firetime_not_followed(file: Path) -> tuple[NotFollowed, ...]:
    """Return the ignored contents of a Hesai firetime correction file; none for other files.

    Raises
    ------
    ConfigurationError
        If the file has columns for operating states, but none for the standard state (2).
    """
    rows = firetime_rows(file)
    return () if rows is None else times_not_read(file, rows)


def _read_yaml(file: Path) -> Calibration:
    try:
        data = read_yaml(file)
    except YamlFileError as error:
        raise ConfigurationError(str(error)) from None
    if not is_velodyne(data):
        raise ConfigurationError(f"{file}: {_UNKNOWN}")
    return read_velodyne(file, data)
