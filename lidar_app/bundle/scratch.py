# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""A temporary folder for the files of an unpacked bundle."""

from __future__ import annotations

import secrets
import tempfile
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from lidar_base.files.unfinished import left_behind, remove_tree, unfinished_name
from lidar_base.files.whole_files import cause_of
from osi_lidar.errors import OutputError

if TYPE_CHECKING:
    from collections.abc import Iterator

_NAME = "osi-lidar-bundle"


@contextmanager
def scratch_folder(home: Path | None = None) -> Iterator[Path]:
    """Yield a new folder that only this user may enter; remove it on exit, even after an error.

    Folders that killed processes have left are removed first.

    Parameters
    ----------
    home : Path, optional
        Parent of the new folder; default: the folder of the system for temporary files.

    Raises
    ------
    OutputError
        The folder cannot be made.
    """
    home = Path(tempfile.gettempdir() if home is None else home).resolve()
    with suppress(OSError):
        for left in left_behind(home):
            if left.name.startswith(f".{_NAME}-"):
                remove_tree(left)
    folder = home / unfinished_name(f"{_NAME}-{secrets.token_hex(8)}")
    try:
        folder.mkdir(mode=0o700)
    except OSError as error:
        raise OutputError(f"{home}: cannot be written: {cause_of(error)}") from error
    try:
        yield folder
    finally:
        remove_tree(folder)
