# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The beams of a sensor that is known by name, by a maker's file, or by both."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lidar_base.given import given
from osi_lidar.config.calibration import ScannerFile, calibration_file
from osi_lidar.config.patterns.kinds import DEFAULT_RATE_HZ
from osi_lidar.errors import ConfigurationError
from osi_lidar.sensors import calibration as files
from osi_lidar.sensors.presets import load_preset
from osi_lidar.sensors.scan_modes import ScanMode
from raycore.errors import PatternError
from raycore.pattern.scan_pattern import rotating

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from osi_lidar.config.sensor import Sensor
    from osi_lidar.sensors.calibration import BeamTable, Calibration, SurveyScanner
    from osi_lidar.sensors.presets import SensorPreset
    from raycore.pattern.source import PatternSource

DEFAULT_COLUMNS = 1800
"""Columns of a turn (0.2 deg each) if file, preset and configuration do not set a number."""


def sensor_source(config: Sensor) -> PatternSource:
    """Return the source of the scan patterns of a sensor with a preset, a calibration, or both.

    The calibration file gives angles, offsets and origins of the beams. Columns and rate come from
    the configuration, or, if it sets neither, from the file. The preset fills in missing values.
    Without a preset, missing values come from the file, else from defaults.
    Firing times come from ``firetime``, else from the preset, or from a file that lists all beams.

    Parameters
    ----------
    config : Sensor
        An entry of the configuration's ``sensors``, with ``preset`` or ``calibration``.

    Returns
    -------
    PatternSource
        Gives the beams of the scan at a time.

    Raises
    ------
    ConfigurationError, PatternError
        If a file cannot be used, or does not fit the preset or the rate.
    """
    preset = None if config.preset is None else load_preset(config.preset)
    if config.calibration is not None:
        file, scanner = calibration_file(config.calibration)
        lasers = files.read_calibration(file, scanner)
        if isinstance(lasers, files.SurveyScanner):
            return _survey_source(config, lasers)
        if isinstance(config.calibration, ScannerFile):
            for key in config.calibration.choices():
                raise ConfigurationError(
                    f"{file}: is not a survey scanner (HELIOS++), so leave out {key}"
                )
        if isinstance(lasers, files.BeamTable):
            return _table_source(config, file, lasers)
        if preset is not None and preset.n_channels != lasers.n_lasers:
            raise ConfigurationError(
                f"{file}: has {lasers.n_lasers} lasers, but sensor {preset.name} has "
                f"{preset.n_channels}"
            )
        return _turning(config, lasers, preset)
    preset = given(preset)  # the configuration allows no other
    if config.intrinsics == "naive":
        return _turning(config, preset_lasers(preset), preset)
    channels = config.drawn_unit.lasers(preset.channels)
    if config.intrinsics == "calibrated":
        channels = preset.unit_channels or preset.channels
    return preset.pattern(
        columns=config.columns, rotation_rate_hz=config.rotation_rate_hz, lasers=channels
    )


def _turning(config: Sensor, lasers: Calibration, preset: SensorPreset | None) -> PatternSource:
    """Return the beams of lasers on a rotating head."""
    sweep = _sweep(config, lasers, preset)
    phase = _firing_phase(config, lasers, preset, sweep)
    if config.intrinsics == "naive":
        lasers = lasers.naive()
    window_rad = None if preset is None else preset.channels.windows_rad()
    if lasers.window_rad is not None:
        window_rad = [lasers.window_rad] * lasers.n_lasers
    turn = rotating(
        elevation_rad=lasers.elevation_rad,
        azimuth_offset_rad=lasers.azimuth_offset_rad,
        beam_origin_m=lasers.beam_origin_m if lasers.beam_origin_m.any() else None,
        firing_phase=phase,
        azimuth_window_rad=window_rad,
        n_columns=sweep.columns,
        period_s=sweep.turn_s,
    )
    return turn if preset is None else preset.scan_of(turn, sweep, lasers.elevation_rad)


def has_own_rate(config: Sensor) -> bool:
    """Return whether configuration, preset or calibration file set the duration of a scan.

    Parameters
    ----------
    config : Sensor
        An entry of the configuration's ``sensors``.

    Raises
    ------
    ConfigurationError
        If the file cannot be used.
    """
    if config.rotation_rate_hz is not None or config.preset is not None:
        return True
    if config.calibration is None:
        return False
    lasers = files.read_calibration(*calibration_file(config.calibration))
    return isinstance(lasers, files.Calibration) and lasers.rate_hz is not None


def preset_lasers(preset: SensorPreset) -> Calibration:
    """Return the lasers of a preset (known sensor), in the form of a calibration file.

    The result has elevation, azimuth offset and origin of each laser. ``preset`` is the known
    sensor.
    """
    channels = preset.channels
    n_laser = preset.n_channels
    origin_m = channels.beam_origin_m()
    return files.Calibration(
        maker=preset.maker,
        model=preset.name,
        elevation_rad=np.radians(channels.elevation_deg),
        azimuth_offset_rad=np.broadcast_to(channels.azimuth_offset_rad(), (n_laser,)),
        beam_origin_m=np.zeros((n_laser, 3)) if origin_m is None else origin_m,
    )


def _table_source(config: Sensor, file: Path, table: BeamTable) -> PatternSource:
    """Return the scans of a table of beams."""
    firing = table.firing
    _check_unused(config, file, "a table of single beams", firetime=firing is None)
    if config.firetime is not None and firing is not None:
        seconds = files.read_frame_fire_times(
            config.firetime, n_lasers=firing.n_lasers, n_frames=firing.n_frames
        )
        if seconds.max() >= firing.column_s:
            raise ConfigurationError(
                f"{config.firetime}: its lasers fire within {1e6 * seconds.max():.6g} us, but a "
                f"column lasts {1e6 * firing.column_s:.6g} us"
            )
        table = firing.at(seconds)
    try:
        return table.source(1.0 / (config.rotation_rate_hz or DEFAULT_RATE_HZ))
    except PatternError as error:
        raise ConfigurationError(f"{file}: {error}") from None


def _survey_source(config: Sensor, scanner: SurveyScanner) -> PatternSource:
    """Return the scans of a survey scanner."""
    _check_unused(config, scanner.file, "a survey scanner", firetime=True)
    given = config.calibration
    chosen = given.choices() if isinstance(given, ScannerFile) else {}
    return scanner.source(1.0 / (config.rotation_rate_hz or DEFAULT_RATE_HZ), **chosen)


def _check_unused(config: Sensor, file: Path, what: str, *, firetime: bool) -> None:
    """Raise an error if keys of a rotating head are set, but the file describes no such head."""
    unused: dict[str, object] = {"preset": config.preset, "columns": config.columns}
    if firetime:
        unused["firetime"] = config.firetime
    for key, value in unused.items():
        if value is not None:
            raise ConfigurationError(f"{file}: is {what}, so leave out {key}")
    if config.intrinsics == "naive":
        raise ConfigurationError(
            f"{file}: is {what}, got intrinsics: naive, expected intrinsics: calibrated"
        )


def _sweep(config: Sensor, lasers: Calibration, preset: SensorPreset | None) -> ScanMode:
    columns, rate_hz = config.columns, config.rotation_rate_hz
    if columns is None and rate_hz is None:
        columns, rate_hz = lasers.columns, lasers.rate_hz
    if preset is not None:
        return preset.sweep(columns=columns, rotation_rate_hz=rate_hz)
    return ScanMode(
        columns=columns or lasers.columns or DEFAULT_COLUMNS,
        rotation_rate_hz=rate_hz or lasers.rate_hz or DEFAULT_RATE_HZ,
    )


def _firing_phase(
    config: Sensor, lasers: Calibration, preset: SensorPreset | None, sweep: ScanMode
) -> NDArray[np.float64]:
    """Return the firing time of each laser, as a fraction of the duration of a column."""
    if config.firetime is None:
        return np.zeros(lasers.n_lasers) if preset is None else preset.firing_phase(sweep)
    seconds = files.read_fire_times(config.firetime, n_lasers=lasers.n_lasers)
    column_s = sweep.column_s
    if seconds.max() >= column_s:
        raise ConfigurationError(
            f"{config.firetime}: its lasers fire within {1e6 * seconds.max():.6g} us, but a column "
            f"lasts {1e6 * column_s:.6g} us with columns {sweep.columns} and rotation_rate_hz "
            f"{sweep.rotation_rate_hz:g}"
        )
    return seconds / column_s
