# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""A calibration as a sensor configuration (YAML), with interval and samples beside each value."""

from __future__ import annotations

import json
import re
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np

from lidar_base.files.whole_files import check_apart, replacing
from lidar_base.given import given
from lidar_gap.calibrate.findings import Absent, Figure
from lidar_gap.calibrate.laser_file import (
    is_like_ouster,
    lasers_of,
    ouster_text,
    velodyne_text,
)
from lidar_gap.calibrate.noise import SIGMAS_TOGETHER
from osi_lidar.errors import ConfigurationError, InputError, OutputError
from osi_lidar.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from lidar_gap.calibrate import Calibrated
    from lidar_gap.calibrate.laser_file import Lasers
    from osi_lidar.sensors.presets import SensorPreset

_NOISE = (
    "range_sigma_m",
    "sigma_dark_m",
    "range_bias_sigma_m",
    "quantisation_m",
    "azimuth_sigma_deg",
    "drop_probability",
)
_LEAST_SIGMA_DEG = 1e-4
_SUFFIXES = (".yaml", ".yml")
_BESIDE = ("lasers.json", "lasers.yaml", "figures.json")
_PLAIN = re.compile(r"[\w.+-]+")  # names that YAML accepts without quotes


def check_name(path: Path, inputs: Sequence[Path]) -> None:
    """Check that `write_sensor` may write to ``path`` without overwriting a file of ``inputs``.

    ``path`` is the path of the configuration to write. ``inputs`` are the paths of the recordings.

    Raises
    ------
    InputError
        If the path does not end in .yaml or .yml.
    OutputError
        If the path is a folder, or one of the files to write is an input.
    """
    if path.suffix.lower() not in _SUFFIXES:
        raise InputError(f"{path}: expected a name that ends in {' or '.join(_SUFFIXES)}")
    if path.is_dir():
        raise OutputError(f"{path}: cannot be written: Is a directory")
    beside = [path.with_name(f"{path.stem}_{each}") for each in _BESIDE]
    check_apart([path, *beside], inputs)


def write_sensor(
    calibrated: Calibrated, path: Path, sources: Sequence[Path]
) -> tuple[Path, Path, Path]:
    """Write a calibration as three files; return their paths in the order below.

    They are the configuration (YAML), the lasers in a maker's format, and all figures (JSON).

    Parameters
    ----------
    calibrated : Calibrated
        Result of the calibration.
    path : Path
        Path of the configuration; the other files are written beside it, with names derived from
        it.
    sources : sequence of Path
        The calibrated recordings; the configuration and the figures state their names.

    Raises
    ------
    InputError
        If the lasers do not fit the preset.
    OutputError
        If a file cannot be written.
    """
    lasers = lasers_of(calibrated)
    ouster = is_like_ouster(calibrated)
    beside = path.with_name(f"{path.stem}_lasers.{'json' if ouster else 'yaml'}")
    figures = path.with_name(f"{path.stem}_figures.json")
    sweep = _sweep(calibrated)
    mode = f"{sweep.get('columns', 1024):.0f}x{round(sweep.get('rotation_rate_hz', 10))}"
    text = ouster_text(lasers, calibrated, mode) if ouster else velodyne_text(lasers)
    named = [each.name for each in sources]
    for file, content in (
        (beside, text),
        (figures, json.dumps(figures_dict(calibrated, named), indent=2) + "\n"),
        (path, sensor_text(calibrated, lasers, sweep, names=(beside.name, named))),
    ):
        with replacing(file) as temporary:
            temporary.write_text(content, encoding="utf-8")
    return path, beside, figures


def figures_dict(calibrated: Calibrated, sources: Sequence[str]) -> dict[str, Any]:
    """Return all findings of a calibration as plain values for JSON, with the recordings' names.

    Parameters
    ----------
    calibrated : Calibrated
        Result of the calibration.
    sources : sequence of str
        Names of the recordings.

    Returns
    -------
    dict of str to object
        ``osi_lidar_version``; ``sensor``: name of the preset or None; ``recordings``: the names;
        ``frames``: number of frames, in words; ``figures``: the attributes of each finding except
        `SIGMAS_TOGETHER`, by its name; ``not_told_apart``: phrases for effects that the recording
        cannot separate. Values that are not finite become None.
    """
    preset = calibrated.preset
    return {
        "osi_lidar_version": __version__,
        "sensor": None if preset is None else preset.name,
        "recordings": list(sources),
        "frames": calibrated.recording,
        "figures": {
            each.name: _plain(asdict(each))
            for each in calibrated.findings.values()
            if each.name != SIGMAS_TOGETHER  # given in words, if at all
        },
        "not_told_apart": list(calibrated.confused),
    }


def _plain(value: Any) -> Any:  # noqa: ANN401  JSON holds anything
    """Return a value for JSON: arrays as lists, numbers that are not finite as None."""
    if isinstance(value, dict):
        return {key: _plain(each) for key, each in value.items() if key != "name"}
    if isinstance(value, np.ndarray | tuple | list):
        return [_plain(each) for each in value]
    if isinstance(value, np.generic):
        value = value.item()
    return None if isinstance(value, float) and not np.isfinite(value) else value


def sensor_text(
    calibrated: Calibrated,
    lasers: Lasers,
    sweep: dict[str, float],
    *,
    names: tuple[str, Sequence[str]],
) -> str:
    """Return the text of a sensor configuration (YAML) with the values of a calibration.

    A comment beside each value states its 95 % interval and what it was fitted on.

    Parameters
    ----------
    calibrated : Calibrated
        Result of the calibration.
    lasers : Lasers
        The lasers in the calibration file; their numbers are stated in a comment.
    sweep : dict of str to float
        Values for the keys ``columns`` (per turn) and ``rotation_rate_hz``; a key that is absent
        is not set.
    names : (str, sequence of str)
        Name of the file with the lasers, and names of the recordings.
    """
    preset, (laser_file, sources) = calibrated.preset, names
    lines = [
        f"# Calibrated by osi-lidar {__version__} from {_in_line(', '.join(sources))}",
        f"# ({calibrated.recording}).",
        "# Behind each value: its 95 % interval, and what it was fitted on.",
        "version: 1",
        "sensors:",
        f"  - name: {'calibrated' if preset is None else preset.name}",
    ]
    if preset is not None:
        lines.append(f"    preset: {preset.name}")
    n_found = int((lasers.ring >= 0).sum())
    laser_file = laser_file if _PLAIN.fullmatch(laser_file) else json.dumps(laser_file)
    lines.append(f"    calibration: {laser_file}  # {n_found} of {len(lasers.ring)} lasers found")
    lines += [
        f"    {key}: {value:.6g}  # {_evidence(calibrated, key)}" for key, value in sweep.items()
    ]
    lines += _noise_lines(calibrated)
    separation = calibrated.findings.figure("min_separation_m")
    if separation is not None:
        evidence = _evidence(calibrated, "min_separation_m")
        lines += [
            "    returns:",
            f"      min_separation_m: {separation.value:.4g}  # {evidence}",
        ]
    lines += _others(calibrated)
    return "\n".join(lines) + "\n"


def _in_line(text: str) -> str:
    """Return a text for a comment: line breaks and other control characters become "?"."""
    return "".join(each if each.isprintable() else "?" for each in text)


def _sweep(calibrated: Calibrated) -> dict[str, float]:
    """Return columns and rotation rate, each if it was found and the preset offers it."""
    found = {
        "columns": calibrated.findings.figure("columns"),
        "rotation_rate_hz": calibrated.findings.figure("rotation_rate_hz"),
    }
    values = {key: each.value for key, each in found.items() if each is not None}
    if "columns" in values:
        values["columns"] = round(values["columns"])
    if calibrated.preset is None:
        return values
    return next((each for each in _offered(values) if _fits(calibrated.preset, each)), {})


def _offered(values: dict[str, float]) -> Iterator[dict[str, float]]:
    """Yield choices of columns and rotation rate: as found, then rounded, then each alone."""
    yield values
    yield {key: round(value) for key, value in values.items()}
    for key in ("rotation_rate_hz", "columns"):
        if key in values:
            yield {key: round(values[key])}


def _fits(preset: SensorPreset, choice: dict[str, float]) -> bool:
    columns = choice.get("columns")
    try:
        preset.sweep(
            columns=None if columns is None else int(columns),
            rotation_rate_hz=choice.get("rotation_rate_hz"),
        )
    except ConfigurationError:
        return False
    return True


def _noise_lines(calibrated: Calibrated) -> list[str]:
    lines = []
    for key in _NOISE:
        value = _value(calibrated, key)
        if value is not None:
            lines.append(f"      {key}: {value:.4g}  # {_evidence(calibrated, key)}")
    if not lines:
        return []
    # a receiver would count the noise of dark surfaces twice; the configuration refuses both
    dark = _value(calibrated, "sigma_dark_m") is not None
    receiver = ["    receiver: null  # its noise is in sigma_dark_m"] if dark else []
    return [*receiver, "    noise:", *lines]


def _value(calibrated: Calibrated, key: str) -> float | None:
    """Return the value for a key of ``noise``; None if it was not found or is negligible."""
    figure = calibrated.findings.figure(key)
    least = _LEAST_SIGMA_DEG if key == "azimuth_sigma_deg" else 0.0
    return None if figure is None or figure.value <= least else figure.value


def _evidence(calibrated: Calibrated, key: str) -> str:
    found = given(calibrated.findings.figure(key))
    return f"{found.low:.5g} to {found.high:.5g}; {found.fitted_on} (n = {found.n})"


def _others(calibrated: Calibrated) -> list[str]:
    """Return comment lines: figures without a key in the configuration, and figures not found."""
    used = {*_NOISE, "columns", "rotation_rate_hz", "min_separation_m"}
    shown = [
        f"# {each.name}: {each.value:.5g}  # {_evidence(calibrated, each.name)}"
        for each in calibrated.findings.values()
        if isinstance(each, Figure) and each.name not in used and each.name != SIGMAS_TOGETHER
    ]
    absent = [
        f"# {each.name}: {each.reason}"
        for each in calibrated.findings.values()
        if isinstance(each, Absent)
    ]
    lines = ["", "# Found as well, without a key in the configuration:", *shown] if shown else []
    kept = "the preset's figure or the default stays"
    if absent:
        lines += ["", f"# Not found; {kept}:", *absent]
    pairs = [f"# - {each}" for each in calibrated.confused]
    return [*lines, "", "# Not told apart:", *pairs] if pairs else lines
