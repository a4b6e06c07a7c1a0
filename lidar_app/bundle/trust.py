# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Files and Python code that a bundle's configuration names; files must lie in the bundle."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lidar_app.bundle.manifest import CONFIG
from lidar_base.errors import YamlFileError
from lidar_base.files.yaml_files import read_yaml_text
from osi_lidar.config import load_config, named_paths
from osi_lidar.config.patterns.texts import RUN_CODE
from osi_lidar.errors import ConfigurationError, InputError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_LONGEST = 80  # characters of a name in a message


def sensors_in(config: bytes) -> list[Mapping[str, object]]:
    """Return the entries of the list ``sensors`` in a configuration's text, without validation.

    Parameters
    ----------
    config : bytes
        Text of the configuration in a bundle (YAML, UTF-8).

    Returns
    -------
    list of mapping of str to object
        Keys and values of each sensor, as in the text. Entries that are no mappings are left out.
        The list is empty if the text has no list ``sensors``.

    Raises
    ------
    InputError
        The text is no YAML. The error does not name the bundle; the caller adds its name.
    """
    try:
        data = read_yaml_text(config.decode(), CONFIG)
    except (YamlFileError, UnicodeDecodeError) as error:
        raise InputError(f"its configuration is damaged: {error}") from None
    sensors = data.get("sensors") if isinstance(data, dict) else None
    return [each for each in sensors if isinstance(each, dict)] if isinstance(sensors, list) else []


def code_in(config: bytes) -> list[str]:
    """Return the names of the Python code that a configuration runs for scan patterns of sensors.

    Parameters
    ----------
    config : bytes
        Text of the configuration.

    Returns
    -------
    list of str
        Python files, whatever their suffix, and plugins, such as "plugin spiral"; each one once.

    Raises
    ------
    InputError
        As for `sensors_in`.
    """
    found = []
    for sensor in sensors_in(config):
        pattern = sensor.get("pattern")
        if not isinstance(pattern, dict) or pattern.get("kind") not in RUN_CODE:
            continue
        is_plugin = pattern["kind"] == "plugin"
        name = str(pattern.get("name" if is_plugin else "file"))[:_LONGEST]
        shown = name if name.isprintable() else repr(name)
        found.append(f"plugin {shown}" if is_plugin else shown)
    return list(dict.fromkeys(found))


def check_own_files(folder: Path) -> None:
    """Check that the configuration of an unpacked bundle names no path outside of its folder.

    Parameters
    ----------
    folder : Path
        Where the bundle is unpacked.

    Raises
    ------
    InputError
        The configuration names such a path, or is invalid. The error does not name the bundle.
    """
    try:
        config = load_config(folder / CONFIG, check=False)
    except ConfigurationError as error:
        raise InputError(str(error).removeprefix(f"{folder}/")) from None
    home = folder.resolve()
    for key, path in named_paths(config):
        if not path.resolve().is_relative_to(home):
            raise InputError(f"{CONFIG}: {key}: got '{path}', expected a path inside the bundle")
