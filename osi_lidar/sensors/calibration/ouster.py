# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Metadata (JSON) that Ouster sensors report, in both layouts.

The maker computes a point from a reported range r in a lidar frame, whose x points backwards::

    n  = |lidar_origin_to_beam_origin|      te = -2 pi column / columns      ta = -beam_azimuth
    p  = (r - n) (cos(te + ta) cos(phi), sin(te + ta) cos(phi), sin(phi)) + n (cos(te), sin(te), 0)

and transforms it by lidar_to_sensor_transform into the sensor frame: half a turn about z, then up
by the height of the optics. (Ouster SDK, xyzlut.cpp; Ouster sensor documentation, "Lidar range to
XYZ".) So a beam starts on a circle of radius n, and r counts from a point n before that.
"""

from __future__ import annotations

import json
import math
import re
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from lidar_base.files.json_files import check_json
from osi_lidar.errors import ConfigurationError
from osi_lidar.sensors.calibration.ouster_keys import keys_not_read
from osi_lidar.sensors.calibration.record import Calibration, check_angles, numbers
from raycore.pattern.origins import before_exit

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

# For metadata without lidar_origin_to_beam_origin_mm: Ouster SDK, sensor_info.cpp. For the OS1,
# which has 15.806 there, firmware without that key is of generation 1: unit 991913000010 gives
# 12.163 from firmware 2.0 on.
_BEAM_ORIGIN_MM = {"OS-0": 27.67, "OS-2": 13.762}
_GENERATION_1_MM = 12.163
_LIDAR_TO_SENSOR_MM = (-1, 0, 0, 0, 0, -1, 0, 0, 0, 0, 1, 36.18, 0, 0, 0, 1)
_PRODUCT = re.compile(r"OS-?\d-(\d{1,4})(?!\d)")
_MODE = re.compile(r"(\d{2,5})x(\d{1,3})")


def is_ouster(data: object) -> bool:
    """Return whether ``data``, a parsed JSON document, looks like Ouster metadata."""
    return isinstance(data, dict) and bool(
        {"beam_intrinsics", "beam_altitude_angles"} & data.keys()
    )


def read_ouster(file: Path, text: str) -> Calibration:
    """Return the calibration in Ouster metadata.

    ``text`` is the metadata as JSON, ``file`` its path for error messages. The file lists angles in
    rows. A row with both angles 0 stands for a laser that the unit does not have. For units with 16
    or 32 lasers, firmware 1.12 lists 64 rows without such zeros. Then the last of each 4 or 2 rows
    is a laser of the unit, as firmware 1.13 shows for the same unit.

    Raises
    ------
    ConfigurationError
        If the text is not such metadata.
    """
    lasers = _lasers(file, text)
    data, model, present = lasers.data, lasers.model, lasers.present
    altitude_deg, azimuth_deg = lasers.altitude_deg, lasers.azimuth_deg
    elevation, offset = np.radians(altitude_deg[present]), -np.radians(azimuth_deg[present])
    columns, rate_hz = _mode(file, data)
    return Calibration(
        maker="Ouster",
        model=model,
        elevation_rad=elevation,
        azimuth_offset_rad=offset,
        beam_origin_m=_origins(file, data, model, elevation, offset),
        columns=columns,
        rate_hz=rate_hz,
        window_rad=_window(file, data, columns),
        not_followed=keys_not_read(data),
    )


def rows_of_rings(file: Path, text: str) -> NDArray[np.intp]:
    """Return, for each ring, the row of its laser in Ouster metadata, intp (n_laser,), from 0.

    ``text`` is the metadata as JSON, ``file`` its path for error messages. Ring 0 is the highest
    laser. Rows without a laser appear nowhere. Raise ConfigurationError if the text is not such
    metadata.
    """
    lasers = _lasers(file, text)
    rows = np.flatnonzero(lasers.present)
    top_down: NDArray[np.intp] = rows[np.argsort(-lasers.altitude_deg[rows], kind="stable")]
    return top_down


class _Lasers(NamedTuple):
    """Metadata, the unit's model, angles of its rows [deg], and which of them are lasers."""

    data: dict[str, Any]
    model: str
    altitude_deg: NDArray[np.float64]
    azimuth_deg: NDArray[np.float64]
    present: NDArray[np.bool_]


def _lasers(file: Path, text: str) -> _Lasers:
    """Return the rows of metadata."""
    try:
        check_json(text)
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ConfigurationError(f"{file}: not JSON: {error}") from None
    if not is_ouster(data):
        raise ConfigurationError(f"{file}: is not Ouster metadata: it has no beam_altitude_angles")
    beams = _section(file, data, "beam_intrinsics")
    altitude_deg = numbers(file, "beam_altitude_angles", beams.get("beam_altitude_angles"))
    n_row = altitude_deg.size
    azimuth_deg = numbers(file, "beam_azimuth_angles", beams.get("beam_azimuth_angles"), n=n_row)
    check_angles(file, elevation_deg=altitude_deg, azimuth_deg=azimuth_deg)
    model = str(_section(file, data, "sensor_info").get("prod_line", ""))
    present = _present(file, model, (altitude_deg != 0) | (azimuth_deg != 0))
    return _Lasers(data, model, altitude_deg, azimuth_deg, present)


def _present(file: Path, model: str, filled: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return which rows are lasers of the unit, bool (n_row,)."""
    n_filled = int(filled.sum())
    if n_filled == 0:
        raise ConfigurationError(
            f"{file}: beam_altitude_angles: all values are 0, expected the angle of at least one "
            "laser"
        )
    match = _PRODUCT.match(model)
    n_laser = int(match[1]) if match else n_filled
    if n_laser == n_filled:
        return filled
    if n_laser in (16, 32) and n_filled == filled.size == 64:
        step = 64 // n_laser
        last: NDArray[np.bool_] = np.arange(64) % step == step - 1
        return last
    raise ConfigurationError(
        f"{file}: beam_altitude_angles: got {n_filled} lasers, expected {n_laser} of an {model:.40}"
    )


def _section(file: Path, data: dict[str, Any], name: str) -> dict[str, Any]:
    """Return a section of the new layout; in the old layout, its keys are at the top level."""
    section = data.get(name, data)
    if not isinstance(section, dict):
        raise ConfigurationError(f"{file}: {name}: expected keys and values")
    return section


def _mode(file: Path, data: dict[str, Any]) -> tuple[int, float]:
    mode = _section(file, data, "config_params").get("lidar_mode")
    match = _MODE.fullmatch(str(mode))
    if match is None:
        raise ConfigurationError(
            f"{file}: lidar_mode: got {mode!r:.40}, expected a mode such as 1024x10"
        )
    columns, rate_hz = int(match[1]), float(match[2])
    if rate_hz == 0 or columns == 0:
        raise ConfigurationError(
            f"{file}: lidar_mode: got {mode!r:.40}, expected a mode such as 1024x10"
        )
    return columns, rate_hz


def _window(file: Path, data: dict[str, Any], columns: int) -> tuple[float, float] | None:
    """Return the range of headings from the last to the first column of column_window."""
    layout = data.get("lidar_data_format") or data.get("data_format")
    if not isinstance(layout, dict) or "column_window" not in layout:
        return None
    first, last = numbers(file, "column_window", layout["column_window"], n=2)
    if not (0 <= first < columns and 0 <= last < columns):
        raise ConfigurationError(
            f"{file}: column_window: got {first:g} to {last:g}, expected 0 to {columns - 1}"
        )
    if (last - first + 1) % columns == 0:
        return None
    start, end = (math.pi * (1.0 - 2.0 * column / columns) for column in (first, last))
    return end, start if first <= last else start + 2 * math.pi


def _origins(
    file: Path,
    data: dict[str, Any],
    model: str,
    elevation_rad: NDArray[np.float64],
    offset_rad: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return the point from which each laser's range counts, in the sensor frame at heading 0."""
    key = "lidar_to_sensor_transform"
    values = _section(file, data, "lidar_intrinsics").get(key, list(_LIDAR_TO_SENSOR_MM))
    transform = numbers(file, key, values, n=16)
    if not np.allclose(
        np.delete(transform, [3, 7, 11]), np.delete(_LIDAR_TO_SENSOR_MM, [3, 7, 11])
    ):
        raise ConfigurationError(
            f"{file}: {key}: got another transform, expected half a turn about z and a shift"
        )
    shift_m = 1e-3 * transform[[3, 7, 11]]
    if shift_m[:2].any():
        raise ConfigurationError(
            f"{file}: {key}: got a shift along x or y, expected a shift along z only"
        )
    n_m = 1e-3 * np.array(_beam_origin_mm(file, data, model))
    return before_exit(
        n_m + shift_m,
        np.hypot(n_m[0], n_m[2]),
        elevation_rad=elevation_rad,
        azimuth_rad=offset_rad,
    )


def _beam_origin_mm(file: Path, data: dict[str, Any], model: str) -> tuple[float, float, float]:
    """Return the point where beams leave the head, from its axis: forward, left, up [mm]."""
    beams = _section(file, data, "beam_intrinsics")
    if "beam_to_lidar_transform" in beams:
        key = "beam_to_lidar_transform"
        transform = numbers(file, key, beams[key], n=16)
        return float(transform[3]), 0.0, float(transform[11])
    default_mm = _BEAM_ORIGIN_MM.get(model[:4], _GENERATION_1_MM)
    key = "lidar_origin_to_beam_origin_mm"
    radius_mm = numbers(file, key, [beams.get(key, default_mm)])
    return float(radius_mm[0]), 0.0, 0.0
