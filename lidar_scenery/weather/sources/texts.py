# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Weather given outside of a configuration: a word, keys as YAML, a YAML file or OpenSCENARIO."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from lidar_base.errors import YamlFileError
from lidar_base.files.yaml_files import read_yaml, read_yaml_text

if TYPE_CHECKING:
    from collections.abc import Mapping

WORDS = ("auto", "none")
SUFFIXES = (".yaml", ".yml", ".xosc")


class WeatherData(NamedTuple):
    """Content of the section ``weather`` of a configuration, before validation.

    Attributes
    ----------
    data : str or mapping
        A word (``auto`` or ``none``), or keys and values.
    folder : Path
        Folder that relative paths in the data refer to.
    """

    data: str | Mapping[str, object]
    folder: Path


def weather_data(text: str, folder: Path) -> WeatherData:
    """Return weather from a text: a word, keys such as ``{rain_mm_h: 10}``, or a file's path.

    A YAML file is read here. An OpenSCENARIO file is not: its path becomes the key ``scenario``.

    Parameters
    ----------
    text : str
        ``auto``, ``none``, YAML (or JSON), or the path of a file with keys (.yaml) or of an
        OpenSCENARIO file (.xosc).
    folder : Path
        Folder that a relative path in `text` refers to.

    Raises
    ------
    YamlFileError
        The text or the file is not as expected. One line: source, got, expected.
    """
    if text in WORDS:
        return WeatherData(text, folder)
    if text.lstrip().startswith("{"):
        keys = read_yaml_text(text, "weather")
        if isinstance(keys, dict):
            return WeatherData(keys, folder)
    path = Path(folder / text)
    if path.suffix.lower() not in SUFFIXES:
        expected = "auto, none, a file .yaml with keys or a scenario .xosc"
        raise YamlFileError("", f"got {text!r:.60}, expected {expected}")
    if path.suffix.lower() == ".xosc":
        return WeatherData({"scenario": path.name}, path.parent)
    return WeatherData(read_yaml(path), path.parent)
