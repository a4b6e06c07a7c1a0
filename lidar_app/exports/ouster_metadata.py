# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Metadata of Ouster sensors: from the calibration file of a unit, or made from a preset."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from osi_lidar.config import Sensor
from osi_lidar.config.calibration import calibration_file
from osi_lidar.errors import ConfigurationError, InputError
from osi_lidar.output.run_folder import REPORT_NAME
from osi_lidar.scan.from_config import scan_pattern
from osi_lidar.sensors.calibration.ouster import rows_of_rings
from osi_lidar.sensors.channels import OnCircle
from osi_lidar.sensors.presets import load_preset

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from osi_lidar.output.stored import StoredRun, StoredSensor
    from osi_lidar.sensors.presets import SensorPreset
    from raycore.pattern.scan_pattern import ScanPattern

SINGLE, DUAL = "RNG19_RFL8_SIG16_NIR16", "RNG19_RFL8_SIG16_NIR16_DUAL"
_COLUMNS_PER_PACKET = 16


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class OusterMetadata:
    """Metadata of the sensor of a run.

    Attributes
    ----------
    text : str
        Metadata in JSON, as the sensor reports it.
    row : int (n_ring,)
        For each ring of the run, the index of its beam in the metadata.
    first_column : int
        Measurement id of the first column that fires in a scan.
    wavelength_nm : float
        Wavelength of the sensor. [nm]
    signal : float
        Factor by which this unit receives more photons than the preset states. [1]
    """

    text: str
    row: NDArray[np.intp]
    first_column: int
    wavelength_nm: float
    signal: float = 1.0


def metadata_of(run: StoredRun, sensor: StoredSensor, *, several: bool) -> OusterMetadata:
    """Return the Ouster metadata of the sensor that made a run's scans.

    Parameters
    ----------
    run : StoredRun
        The run.
    sensor : StoredSensor
        One of its sensors.
    several : bool
        Whether the sensor reports several echoes. If the metadata are made from a preset, this
        sets their packet profile.

    Raises
    ------
    InputError
        If the sensor is not made by Ouster, or its metadata has changed since the run.
    """
    where = f"{run.folder}: sensor {sensor.name}"
    try:
        config = Sensor.model_validate(sensor.settings)
        config.take_seed(_seed(run))
        if config.calibration is not None and config.intrinsics != "naive":
            found = _of_unit(where, config)
            return replace(found, signal=config.drawn_unit.signal_factor)
        preset = None if config.preset is None else load_preset(config.preset)
        if preset is not None and preset.maker == "Ouster" and config.calibration is None:
            found = _of_preset(config, preset, several=several)
            return replace(found, signal=config.drawn_unit.signal_factor)
    except (ValueError, ConfigurationError) as error:
        raise InputError(f"{where}: {' '.join(str(error).split())}") from error
    raise InputError(
        f"{where}: is not an Ouster sensor; scan with Ouster metadata (calibration: FILE.json) or "
        "with one of the presets OS0, OS1, OS2"
    )


def _seed(run: StoredRun) -> int:
    """Return the seed of a run, which determines its drawn units."""
    seed = run.report.get("seed", 0)
    if isinstance(seed, bool) or not isinstance(seed, int) or seed < 0:
        raise ValueError(f"seed in {REPORT_NAME}: got {seed!r}, expected a whole number from 0 on")
    return seed


def _of_unit(where: str, config: Sensor) -> OusterMetadata:
    """Return the metadata from the calibration file."""
    assert config.calibration is not None  # noqa: S101  the caller checks it
    file, _ = calibration_file(config.calibration)
    text = _read(where, file)
    row = rows_of_rings(file, text)
    data = json.loads(text)
    layout = data.get("lidar_data_format") or data.get("data_format") or {}
    columns = layout.get("columns_per_frame", config.columns)
    if config.columns not in (None, columns):
        raise InputError(
            f"{where}: scanned with {config.columns} columns, its calibration {file} has {columns}"
        )
    first, last = layout.get("column_window", (0, 0))
    return OusterMetadata(
        text=text,
        row=row,
        first_column=first if first <= last else 0,
        wavelength_nm=config.wavelength_nm,
    )


def _read(where: str, file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except OSError as error:
        raise InputError(f"{where}: cannot read {file}: {error.strerror or error}") from error


def _of_preset(config: Sensor, preset: SensorPreset, *, several: bool) -> OusterMetadata:
    """Return metadata with the values of a preset, in the layout of firmware 3.0."""
    pattern = scan_pattern(config)
    elevation_deg, azimuth_deg = _angles_deg(pattern)
    radius_mm, height_mm = _origin_mm(config, preset)
    beam_to_lidar, lidar_to_sensor = np.eye(4), np.diag([-1.0, -1.0, 1.0, 1.0])
    beam_to_lidar[0, 3], lidar_to_sensor[2, 3] = radius_mm, height_mm
    columns = int(pattern.column.max()) + 1
    udp = {"udp_profile_imu": "LEGACY", "udp_profile_lidar": DUAL if several else SINGLE}
    channels = len(elevation_deg)
    content = {
        "beam_intrinsics": {
            "beam_altitude_angles": elevation_deg.round(6).tolist(),
            "beam_azimuth_angles": azimuth_deg.round(6).tolist(),
            "beam_to_lidar_transform": beam_to_lidar.ravel().tolist(),
            "lidar_origin_to_beam_origin_mm": radius_mm,
        },
        "calibration_status": {"reflectivity": {"valid": False, "timestamp": None}},
        "config_params": {
            "lidar_mode": f"{columns}x{1.0 / pattern.period_s:.0f}",
            "udp_port_imu": 7503,
            "udp_port_lidar": 7502,
            **udp,
        },
        "imu_intrinsics": {"imu_to_sensor_transform": np.eye(4).ravel().tolist()},
        "lidar_data_format": {
            "column_window": [0, columns - 1],
            "columns_per_frame": columns,
            "columns_per_packet": _COLUMNS_PER_PACKET,
            "pixel_shift_by_row": np.rint(azimuth_deg * columns / 360.0).astype(int).tolist(),
            "pixels_per_column": channels,
            **udp,
        },
        "lidar_intrinsics": {"lidar_to_sensor_transform": lidar_to_sensor.ravel().tolist()},
        "sensor_info": _sensor_info(f"OS-{preset.name[2]}-{channels}"),
    }
    text = json.dumps(content, indent=2) + "\n"
    return OusterMetadata(
        text=text, row=np.arange(channels), first_column=0, wavelength_nm=config.wavelength_nm
    )


def _sensor_info(product: str) -> dict[str, object]:
    """Return the section "sensor_info" for a product line."""
    return {
        "build_rev": "v3.0.1",
        "image_rev": "osi-lidar",
        "initialization_id": 1,
        "prod_line": product,
        "prod_sn": "0",
        "status": "RUNNING",
    }


def _origin_mm(config: Sensor, preset: SensorPreset) -> tuple[float, float]:
    """Return radius and height of the circle on which the beams of a preset start [mm]."""
    channels = preset.channels
    if config.intrinsics == "calibrated" and preset.calibrated_example is not None:
        channels = preset.calibrated_example
    origin = channels.origin
    if config.intrinsics == "naive" or not isinstance(origin, OnCircle):
        return 0.0, 0.0
    return 1e3 * origin.radius_m, 1e3 * origin.height_m


def _angles_deg(pattern: ScanPattern) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return for each ring its elevation, and its azimuth to the right of the heading [deg]."""
    _, first = np.unique(pattern.ring, return_index=True)
    heading = np.pi * (1.0 - 2.0 * pattern.column[first] / (int(pattern.column.max()) + 1))
    right = heading - pattern.azimuth_rad[first]
    return np.degrees(pattern.elevation_rad[first]), np.degrees(
        (right + np.pi) % (2 * np.pi) - np.pi
    )
