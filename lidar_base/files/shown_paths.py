# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Paths as people see them: of files that were unpacked for a while, that of the archive.

A run of an archive reads files of a temporary folder, which is gone after it. In messages and
records, ``/tmp/..part/meshes/car.obj`` becomes ``/home/me/scene.osib/meshes/car.obj``: the same at
every run.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

_shown: dict[str, str] = {}
"""What is shown for the beginning of a path, for the whole process."""


def show_as(folder: Path, archive: Path) -> None:
    """Let paths below a folder be shown below an archive, until the process ends.

    Errors are told after the folder is gone, so this is not undone.

    Parameters
    ----------
    folder : Path
        The temporary folder, as an absolute path that no other folder ever has.
    archive : Path
        The archive that was unpacked into it.
    """
    _shown[str(folder)] = os.path.normpath(archive.absolute())


def shown_text(text: str) -> str:
    """Return a text in which paths of temporary folders are replaced."""
    for folder, archive in _shown.items():
        text = text.replace(folder, archive)
    return text


def shown_values(value: object) -> object:
    """Return a value for JSON, in all texts of which paths of temporary folders are replaced."""
    if not _shown:
        return value
    if isinstance(value, str):
        return shown_text(value)
    if isinstance(value, Mapping):
        return {key: shown_values(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [shown_values(each) for each in value]
    return value
