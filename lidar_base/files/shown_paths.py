# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Paths in messages and records: files unpacked from an archive are shown as parts of the archive.

A run of an archive reads files of a temporary folder, which the run deletes at its end. In messages
and records, ``/tmp/..part/meshes/car.obj`` becomes ``/home/me/scene.osib/meshes/car.obj``, which is
the same at every run.
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
"""Temporary folders and the archives that are shown for them, for the whole process."""
_unpacked: dict[str, list[str]] = {}
"""Folders of each archive that is unpacked now; threads and blocks may unpack one several times."""
_changing = threading.Lock()


@contextmanager
def shown_as(folder: Path, archive: Path) -> Iterator[None]:
    """Show paths below a temporary folder as paths below the archive it was unpacked from.

    The texts of errors that leave the block name the archive. `shown_text` and `shown_values`
    replace paths of the folder until the process ends. Within the block, `actual_values` turns
    shown paths back into those of the folder.

    Parameters
    ----------
    folder : Path
        The temporary folder, an absolute path that is never used again.
    archive : Path
        The archive that was unpacked into the folder.
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
    """Return the absolute paths of the archives that are unpacked at present."""
    return [*map(Path, _unpacked.copy())]


def shown_text(text: str) -> str:
    """Return a text in which paths of temporary folders are replaced by those of their archives."""
    for folder, archive in _shown.copy().items():
        text = text.replace(folder, archive)
    return text


def shown_values(value: object) -> object:
    """Return a JSON value with `shown_text` applied to all of its texts."""
    return with_texts(value, shown_text) if _shown else value


def actual_values(value: object) -> object:
    """Return a JSON value in which paths within unpacked archives are replaced by real paths.

    A text such as ``/home/me/scene.osib/meshes/car.obj`` becomes the path of the file in the
    temporary folder, as long as the archive is unpacked (see `shown_as`). It is the inverse of
    `shown_values`.
    """
    with _changing:
        folders = {f"{archive}{os.sep}": each[-1] for archive, each in _unpacked.items()}

    def actual_text(text: str) -> str:
        for archive, folder in folders.items():
            if text.startswith(archive):
                return f"{folder}{os.sep}{text.removeprefix(archive)}"
        return text

    return with_texts(value, actual_text) if folders else value


def with_texts(value: object, change: Callable[[str], str]) -> object:
    """Return a JSON value with ``change`` applied to all of its texts, but not to its keys."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, Mapping):
        return {key: with_texts(each, change) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [with_texts(each, change) for each in value]
    return value
