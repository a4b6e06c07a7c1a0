# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Check of the output folder of a run, in a module of its own that loads no kernels."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from lidar_base.files.small_files import is_folder
from lidar_base.files.whole_files import cause_of
from osi_lidar.errors import OutputError

if TYPE_CHECKING:
    from pathlib import Path


def check_folder(path: Path, *, overwrite: bool) -> None:
    """Check that an output folder can be written to and, unless ``overwrite``, is empty or absent.

    Parameters
    ----------
    path : Path
        The folder. It need not exist; nothing is made or changed.
    overwrite : bool
        Whether the folder may have content.

    Raises
    ------
    OutputError
        If the check fails; the text says why.
    """
    # unlike the methods of Path, the functions of os.path never raise
    if is_folder(path):
        if not overwrite and _entries(path):
            raise OutputError(
                f"{path}: the output folder is not empty; choose another, or give --overwrite"
            )
    elif os.path.lexists(path):
        raise OutputError(f"{path}: is not a folder; choose a folder for the output")
    existing = path.absolute()
    while not os.path.lexists(existing) and existing != existing.parent:
        existing = existing.parent
    usable = is_folder(existing) and os.access(existing, os.W_OK | os.X_OK)
    if not usable:
        raise OutputError(f"{path}: cannot be written, {existing} is not a writable folder")


def _entries(path: Path) -> list[Path]:
    try:
        return list(path.iterdir())
    except OSError as error:
        raise OutputError(f"{path}: cannot be read: {cause_of(error)}") from error
