# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Figures of known sensors as rows of tables, for ``tools/sensor_pages.py``."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import yaml

from osi_lidar.config import default_config
from osi_lidar.scan.from_config import scan_pattern
from osi_lidar.sensors.presets import SensorPreset
from osi_lidar.sensors.scan_modes import FreeRunning

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from osi_lidar.sensors.channels import Channels
    from osi_lidar.sensors.configured_sensors import ReadySensor

CURVES = {"risley", "formula"}
"""Kinds of patterns whose beams form no rows."""
END_OF_DOCUMENT = "\n..."
MANY = 8
"""Rows of a figure from which on only its ends are shown."""


class Figure(NamedTuple):
    """A figure of a sensor: its name, its value with unit, and its key in the sensor's file."""

    name: str
    value: str
    key: str


NAMES = {
    "channels": "Lasers",
    "calibrated_example": "Angles of one unit",
    "scan": "Columns at rate",
    "wavelength_nm": "Wavelength",
    "min_range_m": "Minimum range",
    "max_range_m": "Maximum range",
    "range_pairs": "Range limit at reflectivity",
    "beam": "Beam",
    "pulse_fwhm_ns": "Pulse, full width at half maximum",
    "max_returns": "Returns of a beam, at most",
    "return_modes": "Return modes, the default first",
    "return_order": "Order of the returns of a beam",
    "min_separation_m": "Least separation of two returns",
    "range_method": "Range of an echo",
    "range_noise_sigma_m": "Range noise, one sigma, stated",
    "range_noise_by_reflectivity": "Range noise, one sigma, by reflectivity",
    "range_noise_by_range": "Range noise, one sigma, by range",
    "range_precision": "Range noise, one sigma, by signal-to-noise ratio",
    "range_tails": "Weight of the tails of the noise",
    "range_bias_sigma_m": "Constant errors of lasers, one sigma",
    "range_resolution_m": "Step of the ranges",
    "signal_spread": "Spread of the threshold, from pulse to pulse",
    "laser_spread": "Spread of the threshold, from laser to laser",
    "shot_noise": "Shot noise: variance per unit of the signal-to-noise ratio",
    "reported": "Reported signal of an echo",
    "near_field": "Near field: signal over the law for far surfaces",
    "recovery_m": "Recovery of the receiver behind an echo",
    "walk_residual": "Range walk that is left",
    "receiver_offset_m": "Receiver beside the beam's start, left and up",
    "false_alarm_probability": "Probability of a false alarm per beam",
    "probability_at_limit": "Probability of detection at the range limit",
    "reports": "Reported reflectivity",
    "units": "Angles from unit to unit, one sigma",
    "unit_noise": "Range noise from unit to unit, one sigma of the logarithm",
    "unit_signal": "Signal from unit to unit, one sigma of the logarithm",
    "preset": "Preset",
    "pattern": "Pattern",
    "rotation_rate_hz": "Scans per second",
    "range_limit": "Range limit at reflectivity",
    "detection": "Detection",
    "velocity": "Radial velocity",
    "pulse": "Pulse",
    "returns": "Returns",
    "receiver": "Receiver",
    "noise": "Noise",
}
"""What figures are called, by their keys in the files of sensors."""
UNITS = {"_m": "m", "_nm": "nm", "_ns": "ns", "_hz": "Hz"}


def name_of(key: str) -> str:
    """Return the name of the figure of a key."""
    return NAMES.get(key, f"`{key}`")


def figures(sensor: SensorPreset | ReadySensor) -> list[Figure]:
    """Return the figures of a sensor."""
    rows = _of_preset(sensor) if isinstance(sensor, SensorPreset) else _of_keys(sensor)
    return [Figure(name_of(key) + more, value, key) for key, more, value in rows if value]


def columns_at_rate(preset: SensorPreset) -> str:
    """Return the columns and rates that a device offers, such as "1024 at 10 Hz"."""
    sweeps = sorted({(each.columns, each.rotation_rate_hz) for each in preset.scan.sweeps()})
    return ", ".join(f"{columns} at {rate_hz:g} Hz" for columns, rate_hz in sweeps)


def rates(preset: SensorPreset) -> str:
    """Return the rotation rates that a device offers, as text."""
    if isinstance(preset.scan, FreeRunning):
        low_hz, high_hz = preset.scan.min_rotation_rate_hz, preset.scan.max_rotation_rate_hz
        return f"{low_hz:g} to {high_hz:g}" if low_hz < high_hz else f"only {low_hz:g}"
    offered = sorted({each.rotation_rate_hz for each in preset.scan.sweeps()})
    return " or ".join(f"{each:g}" for each in offered)


def in_list(sensor: SensorPreset | ReadySensor) -> tuple[str, str, str, str]:
    """Return the cells of a sensor in the list of all sensors: rows, range, wavelength, returns."""
    if isinstance(sensor, SensorPreset):
        low_m, high_m = sensor.min_range_m, sensor.max_range_m
        nm, n_returns = f"{sensor.wavelength_nm:g} nm", sensor.max_returns
        return str(sensor.n_channels), f"{low_m:.2g} to {high_m:g} m", nm, str(n_returns)
    (config,) = default_config(sensor.name).sensors
    pattern = config.pattern
    is_curve = pattern is not None and pattern.kind in CURVES
    rows = "curve" if is_curve else str(int(scan_pattern(config).ring.max()) + 1)
    preset = "preset" in sensor.sensor
    nm = (
        f"{config.wavelength_nm:g} nm"
        if preset or "wavelength_nm" in sensor.sensor
        else "not known"
    )
    n_returns = sensor.physical.get("returns", {}).get("max", 1)
    return rows, f"{config.min_range_m:.2g} to {config.max_range_m:g} m", nm, str(n_returns)


def _of_keys(sensor: ReadySensor) -> Iterator[tuple[str, str, str]]:
    """Yield the figures of a ready sensor: key, addition to the name, and value."""
    pattern = scan_pattern(default_config(sensor.name).sensors[0])
    angles = (pattern.azimuth_rad, pattern.elevation_rad)
    width, height = (float(np.degrees(np.ptp(each.astype(np.float64)))) for each in angles)
    keys = {**sensor.sensor}
    for section, values in sensor.physical.items():
        keys[section] = {**keys.get(section, {}), **values}
    for key, value in keys.items():
        if key == "pattern":
            n_beams = f"{len(pattern.azimuth_rad):,}".replace(",", " ")
            field = f"{width:.4g}° x {height:.4g}°"
            yield key, "", f"`{value['kind']}`, {n_beams} beams a scan, {field}"
        elif key == "range_limit" and value:
            yield key, "", _pairs(value["pairs"])
        elif key == "preset":
            yield key, "", f"[{value}]({value}.md)"
        elif isinstance(value, float | int) and not isinstance(value, bool):
            unit = next((unit for ending, unit in UNITS.items() if key.endswith(ending)), "")
            yield key, "", _with_unit(value, unit)
        elif value is None:
            yield key, "", "none"
        else:
            text = yaml.safe_dump(value, default_flow_style=True, width=1000, allow_unicode=True)
            yield key, "", f"`{text.split(END_OF_DOCUMENT)[0].strip()}`"


def _of_preset(preset: SensorPreset) -> Iterator[tuple[str, str, str]]:
    """Yield the figures of a preset: key, addition to the name, and value."""
    yield from _of_lasers(preset)
    yield "scan", "", columns_at_rate(preset)
    yield "wavelength_nm", "", f"{preset.wavelength_nm:g} nm"
    yield "min_range_m", "", f"{preset.min_range_m:g} m"
    yield "max_range_m", "", f"{preset.max_range_m:g} m"
    limit = _pairs(preset.range_pairs) or f"{preset.max_range_m:g} m for every reflectivity"
    yield "range_pairs", "", limit
    if preset.beam is not None:
        kinds = {"fwhm": "full width at half maximum", "e2": "full width at 1/e²"}
        gaussian = preset.beam.profile == "gaussian"
        kind = kinds[preset.beam.width] if gaussian else preset.beam.profile
        wide, high = preset.beam.divergence_deg
        yield "beam", ": divergence, horizontal x vertical", f"{wide:g}° x {high:g}°, {kind}"
        if preset.beam.window_m is not None:
            sizes = " x ".join(f"{1000 * each:g}" for each in preset.beam.window_m)
            yield "beam", ": at the window", f"{sizes} mm"
    yield from _of_returns(preset)
    yield from _of_noise(preset)
    yield from _of_receiver(preset)


def _of_lasers(preset: SensorPreset) -> Iterator[tuple[str, str, str]]:
    lasers = preset.channels
    yield "channels", "", f"{preset.n_channels}, {_ends(lasers.elevation_deg)} in elevation"
    yield "channels", ": angles", {"nominal": "of the design", "unit": "of one unit"}[lasers.angles]
    if any(lasers.azimuth_offset_deg):
        yield "channels", ": azimuth offsets", _offsets(lasers)
    yield "channels", ": firing times", _firing(preset)
    yield "channels", ": where beams start", _origins(preset)
    if preset.calibrated_example is not None:
        elevations = _ends(preset.calibrated_example.elevation_deg)
        yield "calibrated_example", "", f"{elevations} in elevation (`intrinsics: calibrated`)"


def _offsets(lasers: Channels) -> str:
    low, high = min(lasers.azimuth_offset_deg), max(lasers.azimuth_offset_deg)
    return f"{low:+.2f}° to {high:+.2f}°, positive is {lasers.azimuth_offset_positive}"


def _firing(preset: SensorPreset) -> str:
    phase_us = preset.firing_phase(preset.sweep()) * preset.sweep().column_s * 1e6
    return f"within {np.ptp(phase_us):.3g} µs" if np.ptp(phase_us) else "all of a column at once"


def _origins(preset: SensorPreset) -> str:
    points_m = preset.channels.beam_origin_m()
    if points_m is None:
        return "at the sensor's origin"
    far_mm = 1000 * float(np.linalg.norm(points_m, axis=1).max())
    return f"up to {far_mm:.0f} mm from the sensor's origin"


def _of_returns(preset: SensorPreset) -> Iterator[tuple[str, str, str]]:
    yield "pulse_fwhm_ns", "", _with_unit(preset.pulse_fwhm_ns, "ns")
    yield "max_returns", "", str(preset.max_returns)
    yield "return_modes", "", ", ".join(f"`{each}`" for each in preset.return_modes)
    yield "return_order", "", preset.return_order or ""
    yield "min_separation_m", "", _with_unit(preset.min_separation_m, "m")
    yield "range_method", "", f"`{preset.range_method}`" if preset.range_method else ""


def _of_noise(preset: SensorPreset) -> Iterator[tuple[str, str, str]]:
    yield "range_noise_sigma_m", "", _millimetres(preset.range_noise_sigma_m)
    for key, scale, unit in (
        ("range_noise_by_reflectivity", 100, " %"),
        ("range_noise_by_range", 1, " m"),
        ("range_precision", 1, ""),
    ):
        rows = getattr(preset, key)
        yield key, "", ", ".join(f"{1000 * y:.3g} mm at {scale * x:g}{unit}" for x, y in rows)
    yield "range_tails", "", _with_unit(preset.range_tails, "")
    yield "range_bias_sigma_m", "", _millimetres(preset.range_bias_sigma_m)
    yield "range_resolution_m", "", _millimetres(preset.range_resolution_m)


def _of_receiver(preset: SensorPreset) -> Iterator[tuple[str, str, str]]:
    for key in ("signal_spread", "laser_spread", "shot_noise"):
        yield key, "", _with_unit(getattr(preset, key), "")
    yield "reported", "", {"sum": "all its light", "peak": "its maximum", None: ""}[preset.reported]
    near = [f"{share:g} at {range_m:g} m" for range_m, share in preset.near_field]
    yield "near_field", "", f"{near[0]} to {near[-1]}" if len(near) > MANY else ", ".join(near)
    yield "recovery_m", "", _with_unit(preset.recovery_m, "m")
    yield "walk_residual", "", _with_unit(preset.walk_residual, "")
    offsets = preset.receiver_offset_m or ()
    yield "receiver_offset_m", "", ", ".join(f"{1000 * each:g} mm" for each in offsets)
    yield "false_alarm_probability", "", _with_unit(preset.false_alarm_probability, "")
    yield "probability_at_limit", "", _with_unit(preset.probability_at_limit, "")
    yield "reports", "", f"a white, matt surface is {preset.reports.white}"
    if preset.reports.per_doubling is not None:
        yield "reports", ": beyond white", f"{preset.reports.per_doubling:g} for each doubling"
    if preset.reports.photons_at_1_m is not None:
        photons = f"{preset.reports.photons_at_1_m:,.0f}".replace(",", " ")
        yield "reports", ": photons of a white surface at 1 m", photons
    if preset.reports.near_ir_white is not None:
        yield "reports", ": ambient light, white", f"{preset.reports.near_ir_white:g} counts"
    if preset.units is not None:
        each = preset.units
        azimuth = f", azimuth {each.azimuth_deg:g}°" if each.azimuth_deg is not None else ""
        common = f"all lasers {each.common_elevation_deg:g}° in elevation"
        value = f"{common}; a laser {each.elevation_deg:g}°{azimuth} ({each.n_units} units)"
        yield "units", "", value
    yield "unit_noise", "", _with_unit(preset.unit_noise, "")
    yield "unit_signal", "", _with_unit(preset.unit_signal, "")


def _pairs(pairs: Sequence[Sequence[float]]) -> str:
    return ", ".join(f"{range_m:g} m at {percent:g} %" for percent, range_m in pairs)


def _ends(elevation_deg: Sequence[float]) -> str:
    return f"{max(elevation_deg):+.2f}° to {min(elevation_deg):+.2f}°"


def _with_unit(value: float | None, unit: str) -> str:
    return "" if value is None else f"{value:g} {unit}".strip()


def _millimetres(value_m: float | None) -> str:
    return "" if value_m is None else f"{1000 * value_m:g} mm"
