# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Reading of configuration files; every problem is reported in one line."""

import os
from collections.abc import Iterator, Mapping
from copy import copy
from pathlib import Path
from typing import Any, TypeAlias

from pydantic import BaseModel, ValidationError

from lidar_base.errors import YamlFileError
from lidar_base.files.small_files import is_folder
from lidar_base.files.yaml_files import read_yaml
from lidar_base.sections import at_home, first_line, first_problem
from osi_lidar.config.fidelity import Fidelity
from osi_lidar.config.models import DEFAULT_SENSOR, Config
from osi_lidar.errors import ConfigurationError
from raycore.mesh.mesh_names import ASSET_SUFFIX, is_file, mesh_beside_asset

Changes: TypeAlias = Mapping[tuple[str | int, ...], object]


def load_config(
    path: str | os.PathLike[str],
    *,
    sensor: str | None = None,
    fidelity: Fidelity | None = None,
    check: bool = True,
    changes: Changes | None = None,
) -> Config:
    """Read a configuration file (YAML, version 1), and return it as a validated `Config`.

    Relative paths in it are relative to its folder; meshes are also looked for in
    ``scene.search``.

    Parameters
    ----------
    path : path
        The file.
    sensor : str, optional
        Name of a known sensor that replaces all sensors of the file, at the first one's mounting.
    fidelity : {"ideal", "physical"}, optional
        Replaces the fidelity of all sensors.
    check : bool
        Whether every file that the configuration names must exist (see ``check_files``).
    changes : mapping of key path to value, optional
        Values that replace the file's, such as ``{("sensors", 0, "max_range_m"): 80.0}``;
        missing sections are created. They are applied after ``sensor`` and ``fidelity``.

    Raises
    ------
    ConfigurationError
        One line: file, key path, value given, values allowed, and a near match.

    Examples
    --------
    >>> nearer = {("sensors", 0, "max_range_m"): 50.0}
    >>> osi_lidar.load_config("config.yaml", changes=nearer).sensors[0].max_range_m
    50.0
    """
    file = Path(path)
    try:
        data = read_yaml(file)
    except YamlFileError as error:
        raise ConfigurationError(str(error)) from None
    if sensor is not None:
        data = {**data, "sensors": [{**_first_mounting(data), "preset": sensor}]}
    if fidelity is not None:
        data = _with_fidelity(data, fidelity)
    for keys, value in (changes or {}).items():
        _change(data, keys, value, file)
    folder = file.parent.absolute()
    context = {"file": file.absolute(), "folder": folder, "search": _search_folders(data, folder)}
    try:
        config = Config.model_validate(data, context=context)
    except ValidationError as error:
        raise ConfigurationError(f"{file}: {first_problem(error, data)}") from None
    problems = check_files(config) if check else ()
    if problems:
        raise ConfigurationError(f"{file}: {first_line(problems)}")
    return config


def _change(data: Any, keys: tuple[str | int, ...], value: object, file: Path) -> None:  # noqa: ANN401
    """Set the value at a path of keys in the data of a YAML file; add missing sections."""
    place = data
    for number, key in enumerate(keys):
        _check_key(place, keys[: number + 1], f"{file}: ")
        if number == len(keys) - 1:
            place[key] = value
            return
        inside = place.get(key) if isinstance(place, dict) else place[key]
        # leaves YAML aliases of it unchanged; `auto` is a section without keys
        place[key] = {} if inside in (None, "auto") else copy(inside)
        place = place[key]


def _check_key(place: object, keys: tuple[str | int, ...], before: str = "") -> None:
    """Raise ConfigurationError, its text after ``before``, if a place can have no such last key."""
    key = keys[-1]
    if isinstance(place, list) and isinstance(key, int):
        if not -len(place) <= key < len(place):
            expected = "from 0" if key < 0 else "below that"
            raise ConfigurationError(
                f"{before}{_dotted(keys[:-1])} has {len(place)} entries, expected an index "
                f"{expected}, got {key}"
            )
    elif not isinstance(place, dict):
        raise ConfigurationError(f"{before}{_dotted(keys[:-1])} has no key {key!r}")


def _dotted(keys: tuple[str | int, ...]) -> str:
    return ".".join(map(str, keys)) or "the configuration"


def _with_fidelity(data: Mapping[str, Any], fidelity: Fidelity) -> dict[str, Any]:
    """Return data with this fidelity for all sensors; without sensors, add the default sensor.

    If ``sensors`` is not a list, it stays as it is, and validation refuses it.
    """
    sensors = data.get("sensors", [{"preset": DEFAULT_SENSOR}])
    if isinstance(sensors, list):
        sensors = [
            {**each, "fidelity": fidelity} if isinstance(each, Mapping) else each
            for each in sensors
        ]
    return {**data, "sensors": sensors}


def default_config(sensor: str = DEFAULT_SENSOR, *, fidelity: Fidelity = "ideal") -> Config:
    """Return the configuration of a run without a file: one known sensor, all else default.

    Parameters
    ----------
    sensor : str
        Name of the known sensor, such as "VLP-16".
    fidelity : {"ideal", "physical"}
        The sensor's key ``fidelity``.

    Raises
    ------
    ConfigurationError
        If there is no such sensor.

    Examples
    --------
    >>> osi_lidar.default_config("VLP-16", fidelity="physical").sensors[0].fidelity
    'physical'
    """
    data = {"sensors": [{"preset": sensor, "fidelity": fidelity}]}
    try:
        return Config.model_validate(data)
    except ValidationError as error:
        raise ConfigurationError(error.errors()[0]["msg"]) from None


def revised_config(config: Config, changes: Changes) -> Config:
    """Return a configuration with some of its values replaced, after validating it again.

    Parameters
    ----------
    config : Config
        Configuration to start from; it is not changed.
    changes : mapping of key path to value
        New values, such as ``{("sensors", 0, "mounting", "x_m"): 1.5}``; missing sections are not
        created.

    Raises
    ------
    ConfigurationError
        One line: key path, value given, values allowed.
    """
    data: Any = config.resolved()
    for keys, value in changes.items():
        place = data
        for number, key in enumerate(keys):
            _check_key(place, keys[: number + 1])
            if number == len(keys) - 1:
                place[key] = value
            elif isinstance(place, dict) and key not in place:
                raise ConfigurationError(f"{_dotted(keys[:number])} has no section {key!r}")
            else:
                place = place[key]
    context = {"file": config.file}
    try:
        return Config.model_validate(data, context=context)
    except ValidationError as error:
        raise ConfigurationError(first_problem(error, data)) from None


FOLDERS = ("scene.search", "materials.databases")
"""Keys that name folders; all others name files."""


def check_files(config: Config) -> tuple[str, ...]:
    """Return a line of text for each missing file or folder that a configuration names.

    Parameters
    ----------
    config : Config
        The configuration.

    Returns
    -------
    tuple of str
        The lines, each with the path of the key and the missing path; empty if all exist. An
        OpenMATERIAL asset counts as missing, too, if no mesh file of the same name lies beside it.
    """
    problems = []
    for key, path in named_paths(config):
        if key.startswith(FOLDERS):
            if not is_folder(path):
                problems.append(f"{key}: no such folder: '{path}'")
        elif not is_file(path):
            problems.append(f"{key}: no such file: '{path}'")
        elif path.suffix.lower() == ASSET_SUFFIX and mesh_beside_asset(path) is None:
            problems.append(f"{key}: no mesh file of the same name beside '{path}'")
    return tuple(problems)


def named_paths(config: BaseModel) -> Iterator[tuple[str, Path]]:
    """Yield the path of each file and folder that a configuration or a section of it names.

    Parameters
    ----------
    config : Config or Section
        The configuration, or one of its sections. No file is opened.

    Yields
    ------
    (str, Path)
        Where the path stands below ``config``, such as "scene.environment[0].mesh", and the path.
    """
    for name, value in config:
        yield from _paths_in(name, value)


def _paths_in(key: str, value: object) -> Iterator[tuple[str, Path]]:
    if isinstance(value, Path):
        yield key, value
    elif isinstance(value, BaseModel):
        yield from ((f"{key}.{inner}", path) for inner, path in named_paths(value))
    elif isinstance(value, tuple):
        for index, each in enumerate(value):
            yield from _paths_in(f"{key}[{index}]", each)


def _first_mounting(data: Mapping[str, object]) -> dict[str, object]:
    """Return the first sensor's ``mounting`` key with its value, before validation; may be {}."""
    sensors = data.get("sensors")
    first = sensors[0] if isinstance(sensors, list) and sensors else None
    return (
        {"mounting": first["mounting"]} if isinstance(first, dict) and "mounting" in first else {}
    )


def _search_folders(data: Mapping[str, object], folder: Path) -> tuple[Path, ...]:
    """Return scene.search before validation, because validation looks for meshes in it."""
    scene = data.get("scene")
    search = scene.get("search") if isinstance(scene, Mapping) else None
    names = search if isinstance(search, list) else []
    return tuple(folder / at_home(name) for name in names if isinstance(name, str))
