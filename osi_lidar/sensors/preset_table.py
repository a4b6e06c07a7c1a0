# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The tables of known sensors in docs/reference/sensors.md."""

from typing import TYPE_CHECKING

from lidar_base.tables import of_records
from osi_lidar.sensors.presets import SensorPreset, load_preset, preset_names

if TYPE_CHECKING:
    from osi_lidar.sensors.physical import Fit

NOT_FOUND = "not found"


def preset_table() -> str:
    """Return a Markdown table of all presets, for docs/reference/sensors.md."""
    rows = (_table_row(load_preset(name)) for name in preset_names())
    return "".join(f"{line}\n" for line in of_records("", rows).markdown())


def fit_table() -> str:
    """Return a Markdown table of the figures that recordings show, for docs/reference/sensors.md.

    Sensors that share a figure and how it was found are in one row.
    """
    rows: dict[tuple[str, str, Fit], list[str]] = {}
    for name in preset_names():
        for key, fit in load_preset(name).fits.items():
            rows.setdefault((fit.recording, key, fit), []).append(name)
    records = (
        {
            "Sensors": ", ".join(f"`{name}`" for name in names),
            "Figure": f"`{key}`",
            "Found from": fit.over,
            "Recording, unit": recording,
            "Checked with": fit.checked,
        }
        for (recording, key, fit), names in rows.items()
    )
    return "".join(f"{line}\n" for line in of_records("", records).markdown())


def _table_row(preset: SensorPreset) -> dict[str, object]:
    elevation_deg = preset.channels.elevation_deg
    sweeps = sorted({(s.rotation_rate_hz, s.columns) for s in preset.scan.sweeps()})
    pairs = [f"{percent:g} %: {range_m:g} m" for percent, range_m in preset.range_pairs]
    basis = "" if preset.range_pairs_basis == "data sheet" else f" ({preset.range_pairs_basis})"
    return {
        "Sensor": f"`{preset.name}`",
        "Channels": preset.n_channels,
        "Elevation": f"{max(elevation_deg):+.2f}° to {min(elevation_deg):+.2f}°",
        "Angles": preset.angles,
        "Columns at rate": ", ".join(f"{n} @ {rate_hz:g} Hz" for rate_hz, n in sweeps),
        "Range": f"{preset.min_range_m:g} to {preset.max_range_m:g} m",
        "Range at reflectivity": ", ".join(pairs) + basis if pairs else "constant",
        "Noise": _noise(preset),
        "Divergence": _divergence(preset),
        "Pulse": NOT_FOUND if preset.pulse_fwhm_ns is None else f"{preset.pulse_fwhm_ns:g} ns",
        "Wavelength": f"{preset.wavelength_nm:g} nm",
        "Returns": _returns(preset),
    }


def _noise(preset: SensorPreset) -> str:
    rows = (
        preset.range_precision or preset.range_noise_by_reflectivity or preset.range_noise_by_range
    )
    sigmas_m = [sigma_m for _, sigma_m in rows]
    if not rows and preset.range_noise_sigma_m is not None:
        sigmas_m = [preset.range_noise_sigma_m]
    ends_m = sorted({*sigmas_m[:1], *sigmas_m[-1:]})
    return " to ".join(f"{1000 * end_m:g}" for end_m in ends_m) + " mm" if ends_m else NOT_FOUND


def _divergence(preset: SensorPreset) -> str:
    beam = preset.beam
    if beam is None:
        return NOT_FOUND
    kinds = {"fwhm": "FWHM", "e2": "1/e²"}
    kind = kinds[beam.width] if beam.profile == "gaussian" else beam.profile
    horizontal_deg, vertical_deg = beam.divergence_deg
    return f"{horizontal_deg:g}° x {vertical_deg:g}° {kind}"


def _returns(preset: SensorPreset) -> str:
    modes = ", ".join(preset.return_modes)
    return f"{preset.max_returns}: {modes}" if modes else f"{preset.max_returns}"
