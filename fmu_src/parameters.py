# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Conversion between the FMU's parameters and a configuration of the sensor model."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from osi_bridge import OsiError
from osi_lidar.config import default_config, load_config, revised_config
from osi_lidar.config.fidelity import FIDELITIES
from osi_lidar.errors import ConfigurationError, OsiLidarError
from raycore.errors import RayCoreError

from .errors import InitializationError
from .variables import LOG_LEVELS, MAX_INTEGER, PARAMETERS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from osi_lidar.config import Config
    from osi_lidar.config.fidelity import Fidelity

    from .variables import Value

_MOUNTING = tuple(each.name for each in PARAMETERS if each.name.startswith("mounting_"))
_OF_SENSOR = ("min_range_m", "max_range_m", "rolling_shutter", "motion_blur")
_KEEPS_FIGURES = (
    "fidelity: got 'ideal', but the FMU was built physical and keeps its sensors' figures; "
    "expected 'physical', or another preset or config"
)
_Keys: TypeAlias = tuple[str | int, ...]
_SENSOR = ("sensors", 0)
_KEYS: dict[str, _Keys] = {
    **{name: (*_SENSOR, "mounting", name.removeprefix("mounting_")) for name in _MOUNTING},
    **{name: (*_SENSOR, name) for name in (*_OF_SENSOR, "columns")},
    "seed": ("seed",),
    "ground": ("scene", "ground"),
}
"""Parameters that replace one value of the configuration, with the key path of that value."""


def start_values(config: Config) -> dict[str, Value]:
    """Return the start values of the parameters that a configuration determines, by name.

    They are the seed, the ground, and values of the first sensor: preset ("" without one),
    fidelity, columns (0 if not set), mounting, range limits, rolling shutter and motion blur. A
    seed above 2**31 - 1 is limited to that. ``config`` is the configuration.
    """
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
        The configuration inside the FMU cannot be used; one line says why.
    InitializationError
        A parameter cannot be used: its name, the value found, the values allowed.
    """
    if (level := values["log_level"]) not in LOG_LEVELS:
        expected = ", ".join(LOG_LEVELS)
        raise InitializationError(f"log_level: got '{level}', expected one of {expected}")
    changed = {name: value for name, value in values.items() if value != start[name]}
    preset = str(changed["preset"]) if changed.get("preset") else None
    fidelity = None
    if preset is not None or "fidelity" in changed:  # another preset has the FMU's fidelity
        fidelity = _fidelity(str(values["fidelity"]))
    if changed.get("config"):
        with named("config"):
            config = _loaded(Path(str(changed["config"])), preset, fidelity)
    elif packed is not None:
        if preset is None and (start["fidelity"], fidelity) == ("physical", "ideal"):
            raise InitializationError(_KEEPS_FIGURES)
        config = _loaded(packed, preset, fidelity)
    else:
        with named("preset"):
            config = default_config(preset or str(start["preset"]), fidelity=fidelity or "ideal")
    return _revised(config, changed)


@contextmanager
def named(parameter: str) -> Iterator[None]:
    """Put the name of a parameter in front of the text of errors that the block raises.

    Raises
    ------
    InitializationError
        The block raised a `ConfigurationError` or another error that a user can cause.
    """
    try:
        yield
    except (OsiLidarError, OsiError, RayCoreError) as error:
        text = str(error)
        is_named = text.startswith(tuple(f"{parameter}{after}" for after in ":.["))
        raise InitializationError(text if is_named else f"{parameter}: {text}") from error


def _loaded(file: Path, preset: str | None, fidelity: Fidelity | None) -> Config:
    try:
        return load_config(file, sensor=preset, fidelity=fidelity)
    except ConfigurationError:
        if preset is not None:
            with named("preset"):
                default_config(preset, fidelity=fidelity or "ideal")
        raise


def _revised(config: Config, changed: Mapping[str, Value]) -> Config:
    """Apply the parameters that replace values of the configuration."""
    changes = _changes(changed)
    try:
        return revised_config(config, changes)
    except ConfigurationError as error:
        text = str(error)
    for name, keys in _KEYS.items():
        text = text.replace(_key_path(keys), name)
    first = text.partition(":")[0]
    if first not in _KEYS:  # two values that do not fit together; one may come from the file
        reason = text.removeprefix("sensors[0]: ")
        given = [name for name in _KEYS if name in changed]
        told = [name for name in given if name in reason] or given
        text = f"{', '.join(told)}: {reason}"
    raise InitializationError(text)


def _fidelity(text: str) -> Fidelity:
    """Return the value of the parameter fidelity."""
    for each in FIDELITIES:
        if each == text:
            return each
    raise InitializationError(f"fidelity: got '{text}', expected one of {', '.join(FIDELITIES)}")


def _changes(changed: Mapping[str, Value]) -> dict[_Keys, object]:
    """Return the changes to a configuration, by key path."""
    values: dict[str, object] = dict(changed)
    if "columns" in changed:
        values["columns"] = changed["columns"] or None
    if "ground" in changed:
        values["ground"] = _ground(str(changed["ground"]))
    return {keys: values[name] for name, keys in _KEYS.items() if name in values}


def _key_path(keys: _Keys) -> str:
    """Return a key path in the notation of configuration errors."""
    return "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in keys).lstrip(".")


def _ground(text: str) -> object:
    try:
        return float(text)
    except ValueError:
        return text
