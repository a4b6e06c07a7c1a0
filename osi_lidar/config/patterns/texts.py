# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Scan patterns given outside of a configuration, for a change of pattern while a model runs.

A file or text holds the same as ``pattern`` in a configuration, such as ``{kind: rosette, ..}``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import ValidationError

from lidar_base.errors import YamlFileError
from lidar_base.files.yaml_files import read_yaml, read_yaml_text
from lidar_base.sections import Section, at_home, first_problem
from osi_lidar.config.loading import named_paths
from osi_lidar.config.patterns.kinds import Pattern  # noqa: TC001  pydantic looks at it
from osi_lidar.errors import ConfigurationError
from raycore.errors import PatternError
from raycore.pattern.scan_pattern import MAX_BEAMS

if TYPE_CHECKING:
    from pathlib import Path

    from osi_lidar.config.patterns.section import PatternSection
    from raycore.pattern.source import PatternSource

KEY = "pattern"
RUN_CODE = ("plugin", "python")
"""Kinds of patterns that run Python code of the user or of a package."""


class _Holder(Section):
    """A section around a pattern, so that errors name the same keys as in a configuration."""

    pattern: Pattern


def load_pattern(file: Path) -> PatternSection:
    """Return the pattern that a file describes; paths in it are relative to its folder.

    Raises
    ------
    ConfigurationError
        One line: file, key, value given, values allowed.
    """
    try:
        data = read_yaml(file)
    except YamlFileError as error:
        raise ConfigurationError(str(error)) from None
    try:
        return _section(data, file.parent)
    except ConfigurationError as error:
        raise ConfigurationError(f"{file}: {error}") from None


def pattern_of_text(text: str, *, folder: Path, period_s: float) -> PatternSource:
    """Return a source of the beams of a pattern that is described by a text, or in a file.

    Parameters
    ----------
    text : str
        YAML (or JSON) such as ``{kind: rosette, ..}``, or the path of a file with that in it.
    folder : Path
        Folder that relative paths in the text refer to.
    period_s : float
        Duration of a scan. [s]

    Raises
    ------
    ConfigurationError, PatternError
        One line: key or file, value given, values allowed.
    """
    try:
        data = read_yaml_text(text, KEY)
    except YamlFileError as error:
        raise ConfigurationError(str(error)) from None
    if isinstance(data, dict):
        return source_of(_section(data, folder), period_s=period_s, name=KEY)
    if isinstance(data, str):
        file = folder / at_home(text.strip())
        return source_of(load_pattern(file), period_s=period_s, name=str(file))
    raise ConfigurationError(
        f"{KEY}: expected keys and values or the path of a file, got {text!r:.60}"
    )


def pattern_within(data: object, folder: Path) -> PatternSection:
    """Return the pattern that an untrusted sender describes.

    A pattern that runs code or names files outside of ``folder`` is refused.

    Parameters
    ----------
    data : dict or str
        Keys and values of a pattern, or the path of a file that holds them.
    folder : Path
        Folder that relative paths refer to, and that all files must be in.

    Raises
    ------
    ConfigurationError
        One line: key or file, value given, values allowed.
    """
    if isinstance(data, dict):
        section = _section(data, folder)
    elif isinstance(data, str):
        file = folder / at_home(data.strip())
        _check_within(KEY, file, folder)
        section = load_pattern(file)
    else:
        raise ConfigurationError(
            f"{KEY}: expected keys and values or the path of a file, got {data!r:.60}"
        )
    kind = getattr(section, "kind", None)
    if kind in RUN_CODE:
        raise ConfigurationError(
            f"{KEY}: kind {kind} runs Python code, which is allowed in configuration files only"
        )
    for key, path in named_paths(section):
        _check_within(f"{KEY}.{key}", path, folder)
    return section


def source_of(
    section: PatternSection, *, period_s: float, name: str, most_beams: int = MAX_BEAMS
) -> PatternSource:
    """Return a source of a pattern's beams, after making the scan at time 0 as a test.

    Parameters
    ----------
    section : PatternSection
        The pattern.
    period_s : float
        Duration of a scan. [s]
    name : str
        Name of the pattern in error messages.
    most_beams : int
        Largest number of beams that a scan may have. It is checked before beams are made, if the
        pattern knows their number, and once more afterwards.

    Raises
    ------
    ConfigurationError, PatternError
        One line: too many beams, no usable beam, or a file or a plugin that cannot be used.
    """
    try:
        section.check(period_s)
        _check_number(section.most_beams(period_s), most_beams)
        source = section.source(period_s)
        _check_number(source.at(0.0).n_beams, most_beams)
    except PatternError as error:
        raise PatternError(f"{name}: {error}") from None
    return source


def _check_number(n_beams: int, most_beams: int) -> None:
    if n_beams > most_beams:
        raise PatternError(f"got {n_beams} beams, expected at most {most_beams}")


def _check_within(key: str, path: Path, folder: Path) -> None:
    if not path.resolve().is_relative_to(folder.resolve()):
        raise ConfigurationError(
            f"{key}: got '{path}', expected a file inside the folder '{folder}'"
        )


def _section(data: object, folder: Path) -> PatternSection:
    held = {KEY: data}
    try:
        return _Holder.model_validate(held, context={"folder": folder.absolute()}).pattern
    except ValidationError as error:
        raise ConfigurationError(first_problem(error, held)) from None
