# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Find the reader of a maker's file by what is in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from material_mapping import YamlFileError, read_yaml
from osi_lidar.calibration.hesai import is_hesai_angles, read_hesai
from osi_lidar.calibration.hesai_at128 import is_hesai_binary, read_hesai_binary
from osi_lidar.calibration.hesai_fire_times import fire_times, is_fire_times
from osi_lidar.calibration.livox import is_livox, read_livox_csv, read_livox_npy
from osi_lidar.calibration.ouster import read_ouster
from osi_lidar.calibration.tables import as_text, csv_rows, read_bytes
from osi_lidar.calibration.velodyne import is_velodyne, read_velodyne
from osi_lidar.errors import ConfigurationError

if TYPE_CHECKING:
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from osi_lidar.calibration.record import BeamTable, Calibration

_MAGIC_NPY = b"\x93NUMPY"
_UNKNOWN = (
    "not a calibration that is known, expected Ouster metadata (JSON), Velodyne calibration "
    "(YAML), Hesai angle correction (CSV, or .dat of an AT128) or Livox scan pattern (CSV, NPY)"
)


def read_calibration(file: Path) -> Calibration | BeamTable:
    """Return what a maker's file says of its sensor.

    Parameters
    ----------
    file : Path
        Ouster metadata (JSON), Velodyne calibration (YAML), Hesai angle correction (CSV; .dat of
        an AT128), Livox scan pattern (CSV, NPY). What is in it decides, not its name.

    Raises
    ------
    ConfigurationError
        One line: file, place in it, got, expected.
    """
    content = read_bytes(file)
    if content.startswith(_MAGIC_NPY):
        return read_livox_npy(file, content)
    if is_hesai_binary(content):
        return read_hesai_binary(file, content)
    text = as_text(file, content)
    if text.lstrip().startswith("{"):
        return read_ouster(file, text)
    rows = csv_rows(file, text) if "," in text.lstrip().partition("\n")[0] else []
    if rows and is_hesai_angles(rows[0][1]):
        return read_hesai(file, rows)
    if rows and is_livox(rows[0][1]):
        return read_livox_csv(file, rows)
    if "lasers" in text:
        return _read_yaml(file)
    if rows and is_fire_times(rows):
        raise ConfigurationError(
            f"{file}: is a firetime correction file, which belongs to firetime"
        )
    raise ConfigurationError(f"{file}: {_UNKNOWN}")


def read_fire_times(file: Path, *, n_lasers: int) -> NDArray[np.float64]:
    """Return when each laser of a column fires, in seconds, from a Hesai file.

    Raises
    ------
    ConfigurationError
        One line: file, place in it, got, expected.
    """
    rows = csv_rows(file, as_text(file, read_bytes(file)))
    return fire_times(file, rows, n_lasers=n_lasers)


def _read_yaml(file: Path) -> Calibration:
    try:
        data = read_yaml(file)
    except YamlFileError as error:
        raise ConfigurationError(str(error)) from None
    if not is_velodyne(data):
        raise ConfigurationError(f"{file}: {_UNKNOWN}")
    return read_velodyne(file, data)
