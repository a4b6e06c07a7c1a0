# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Paths as people see them: of files that were unpacked for a while, the archive's.

A run of an archive reads files of a temporary folder, which is gone after it. In messages and
records, ``/tmp/..part/meshes/car.obj`` becomes ``/home/me/scene.osib/meshes/car.obj``: the same at
every run.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_shown: dict[str, str] = {}
"""What is shown for the beginning of a path, for the whole process."""
_unpacked: dict[str, list[str]] = {}
"""Folders of each archive that is unpacked now; threads and blocks may unpack one several times."""
_changing = threading.Lock()


@contextmanager
def shown_as(folder: Path, archive: Path) -> Iterator[None]:
    """Let paths below a folder be shown below an archive, and found there while a block runs.

    What leaves the block as an error names the archive already. What is reported after the block,
    such as the rows of workers, does so until the process ends.

    Parameters
    ----------
    folder : Path
        The temporary folder, as an absolute path that no other folder ever has.
    archive : Path
        The archive that was unpacked into it.
    """
    name = os.path.normpath(archive.absolute())
    with _changing:
        _shown[str(folder)] = name
        _unpacked.setdefault(name, []).append(str(folder))
    try:
        yield
    except Exception as error:
        error.args = tuple(with_texts(each, shown_text) for each in error.args)
        raise
    finally:
        with _changing:
            _unpacked[name].remove(str(folder))
            if not _unpacked[name]:
                del _unpacked[name]


def unpacked_archives() -> list[Path]:
    """Return the archives that are unpacked now, as absolute paths."""
    return [*map(Path, _unpacked.copy())]


def shown_text(text: str) -> str:
    """Return a text in which paths of temporary folders are replaced."""
    for folder, archive in _shown.copy().items():
        text = text.replace(folder, archive)
    return text


def shown_values(value: object) -> object:
    """Return a value for JSON, in all texts of which paths of temporary folders are replaced."""
    return with_texts(value, shown_text) if _shown else value


def actual_values(value: object) -> object:
    """Return a value of JSON, with the paths of files that are unpacked now for those shown."""
    with _changing:
        folders = {f"{archive}{os.sep}": each[-1] for archive, each in _unpacked.items()}

    def actual_text(text: str) -> str:
        for archive, folder in folders.items():
            if text.startswith(archive):
                return f"{folder}{os.sep}{text.removeprefix(archive)}"
        return text

    return with_texts(value, actual_text) if folders else value


def with_texts(value: object, change: Callable[[str], str]) -> object:
    """Return a value with all its texts changed."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, Mapping):
        return {key: with_texts(each, change) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [with_texts(each, change) for each in value]
    return value
