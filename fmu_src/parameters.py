# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Conversion between the FMU's parameters and a configuration of the sensor model."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from osi_lidar.config import default_config, load_config, revised_config
from osi_lidar.config.fidelity import FIDELITIES

from .errors import InitializationError
from .variables import LOG_LEVELS, MAX_INTEGER, PARAMETERS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from osi_lidar.config import Config
    from osi_lidar.config.fidelity import Fidelity

    from .variables import Value

_MOUNTING = tuple(each.name for each in PARAMETERS if each.name.startswith("mounting_"))
_OF_SENSOR = ("min_range_m", "max_range_m", "rolling_shutter", "motion_blur")


def start_values(config: Config) -> dict[str, Value]:
    """Return the start values of the parameters that a configuration determines."""
    first = config.sensors[0]
    values: dict[str, Value] = {
        "preset": first.preset or "",
        "fidelity": first.fidelity,
        "columns": first.columns or 0,
    }
    for name in _MOUNTING:
        values[name] = getattr(first.mounting, name.removeprefix("mounting_"))
    for name in _OF_SENSOR:
        values[name] = getattr(first, name)
    values["seed"] = min(config.seed, MAX_INTEGER)
    values["ground"] = str(config.scene.ground)
    return values


def configuration(
    values: Mapping[str, Value], start: Mapping[str, Value], packed: Path | None
) -> Config:
    """Return the configuration that corresponds to a set of parameters.

    Only parameters that differ from their start values are applied. A master may thus set every
    parameter to its start value without overriding the user's configuration file.

    Parameters
    ----------
    values, start : mapping of name to value
        Current values and start values of the parameters.
    packed : Path or None
        The configuration inside the FMU.

    Raises
    ------
    ConfigurationError
        One line: file or parameter, the value found, the values allowed.
    InitializationError
        A parameter that is not part of the configuration has an invalid value.
    """
    if values["log_level"] not in LOG_LEVELS:
        raise InitializationError(
            f"log_level: got '{values['log_level']}', expected one of {', '.join(LOG_LEVELS)}"
        )
    changed = {name: value for name, value in values.items() if value != start[name]}
    file = Path(str(changed["config"])) if changed.get("config") else packed
    preset = str(changed["preset"]) if changed.get("preset") else None
    fidelity = None
    if preset is not None or "fidelity" in changed:  # another preset is as the FMU says
        fidelity = _fidelity(str(values["fidelity"]))
    if file is packed and preset is None and (start["fidelity"], fidelity) == ("physical", "ideal"):
        raise InitializationError(
            "fidelity: got 'ideal', but the FMU was built physical and keeps its sensors' figures; "
            "expected 'physical', or another preset or config"
        )
    if file is not None:
        config = load_config(file, sensor=preset, fidelity=fidelity)
    else:
        config = default_config(preset or str(start["preset"]), fidelity=fidelity or "ideal")
    return revised_config(config, _changes(changed))


def _fidelity(text: str) -> Fidelity:
    """Return the value of the parameter fidelity."""
    for each in FIDELITIES:
        if each == text:
            return each
    raise InitializationError(f"fidelity: got '{text}', expected one of {', '.join(FIDELITIES)}")


def _changes(changed: Mapping[str, Value]) -> dict[tuple[str | int, ...], object]:
    """Return the changes to a configuration, by key path."""
    sensor = ("sensors", 0)
    changes: dict[tuple[str | int, ...], object] = {
        (*sensor, "mounting", name.removeprefix("mounting_")): changed[name]
        for name in _MOUNTING
        if name in changed
    }
    changes |= {(*sensor, name): changed[name] for name in _OF_SENSOR if name in changed}
    if "columns" in changed:
        changes[("sensors", 0, "columns")] = changed["columns"] or None
    if "seed" in changed:
        changes[("seed",)] = changed["seed"]
    if "ground" in changed:
        changes[("scene", "ground")] = _ground(str(changed["ground"]))
    return changes


def _ground(text: str) -> object:
    try:
        return float(text)
    except ValueError:
        return text
