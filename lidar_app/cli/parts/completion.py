# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Names that the shell completes: of sensors, materials, message types and formats."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    Completion = Callable[..., list[str]]


def one_of(*words: str) -> Completion:
    """Return a function that completes a typed text to one of these words in a shell.

    The function takes the typed text and returns the list of the `words` that begin with it; case
    is ignored.
    """
    return lambda incomplete: _beginning(incomplete, words)


def words_or_files(words: Iterable[str], suffixes: tuple[str, ...]) -> Completion:
    """Return a function that completes a typed text to a word or a path in a shell.

    The function takes the typed text and returns the list of words and paths that begin with it.

    Parameters
    ----------
    words : iterable of str
        The words; their case is ignored.
    suffixes : tuple of str
        Only files with one of these suffixes, such as ".yaml", are listed. Folders are always
        listed, with a slash at the end.
    """

    def complete(incomplete: str) -> list[str]:
        folder, _, begin = incomplete.rpartition("/")
        here = Path(folder or ("/" if incomplete.startswith("/") else "."))
        found = _beginning(incomplete, words)
        with suppress(OSError):
            for path in sorted(here.iterdir()):
                is_folder = path.is_dir()
                if path.name.startswith(begin) and (is_folder or path.suffix in suffixes):
                    found.append(incomplete[: len(incomplete) - len(begin)] + path.name)
                    found[-1] += "/" * is_folder
        return found

    return complete


def known_sensors(incomplete: str) -> list[str]:
    """Return the names of known sensors that begin with a text; case is ignored.

    `incomplete` is the text that was typed in the shell so far; an empty text gives all names.
    """
    from osi_lidar.sensors.configured_sensors import ready_names
    from osi_lidar.sensors.presets import preset_names

    return _beginning(incomplete, [*preset_names(), *ready_names()])


def builtin_materials(incomplete: str) -> list[str]:
    """Return the names of built-in infrared materials that begin with a text; case is ignored.

    `incomplete` is the text that was typed in the shell so far; an empty text gives all names.
    """
    import material_mapping

    return _beginning(incomplete, material_mapping.builtin_materials())


def shapes(incomplete: str) -> list[str]:
    """Return the names of built-in shapes of objects that begin with a text; case is ignored.

    `incomplete` is the text that was typed in the shell so far; an empty text gives all names.
    """
    from lidar_scenery.shapes.catalogue import SHAPES

    return _beginning(incomplete, SHAPES)


def sensors_of_run(ctx: typer.Context, incomplete: str) -> list[str]:
    """Return sensor names that begin with a typed text, from all runs that the command names.

    Parameters
    ----------
    ctx : typer.Context
        Context of the command. Each of its parameter values that is a path may be the folder of a
        run. Each text in a list may be the path of such a folder, or of a folder that contains
        runs. What is neither is left out.
    incomplete : str
        The text that was typed in the shell so far; its case is ignored.
    """
    from osi_lidar.errors import OsiLidarError
    from osi_lidar.output.stored import open_run

    names: list[str] = []
    for folder in _folders(ctx.params.values()):
        with suppress(OsiLidarError):
            names += [each.name for each in open_run(folder).sensors]
    return _beginning(incomplete, dict.fromkeys(names))


def _folders(values: Iterable[object]) -> Iterator[Path]:
    """Yield the folders among values of parameters; of folders in lists, also the runs below."""
    from lidar_app.datasets.sources import runs_below
    from osi_lidar.output.run_folder import REPORT_NAME

    for value in values:
        listed = [Path(str(each)) for each in value] if isinstance(value, (list, tuple)) else []
        for folder in [value] if isinstance(value, Path) else listed:
            if folder.is_dir():
                yield folder
                if listed and not (folder / REPORT_NAME).is_file():
                    with suppress(OSError):
                        yield from runs_below(folder)


def sensors_of_config(ctx: typer.Context, incomplete: str) -> list[str]:
    """Return sensor names that begin with a typed text, from the command's configuration.

    If the command names no configuration, all known sensors are searched. The list is empty if the
    configuration cannot be read.

    Parameters
    ----------
    ctx : typer.Context
        Context of the command. The first of its parameter values that is a path with the suffix
        .yaml or .yml is the configuration.
    incomplete : str
        The text that was typed in the shell so far; its case is ignored.
    """
    from osi_lidar.config import load_config
    from osi_lidar.errors import OsiLidarError

    paths = [each for each in ctx.params.values() if isinstance(each, Path)]
    config = next((each for each in paths if each.suffix in (".yaml", ".yml")), None)
    if config is None:
        return known_sensors(incomplete)
    with suppress(OsiLidarError):
        return _beginning(incomplete, [e.name for e in load_config(config, check=False).sensors])
    return []


def _beginning(incomplete: str, words: Iterable[str]) -> list[str]:
    """Return the words that begin with the typed text; ignores case."""
    return [word for word in words if word.lower().startswith(incomplete.lower())]
