# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Files that are whole or not there."""

from __future__ import annotations

import os
import re
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from osi_lidar.errors import InputError, OutputError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

TEMPORARY = re.compile(r"\..+\.\d+\.part")
"""The temporary names that `replacing` gives; what is killed while it writes leaves one behind."""


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Give a temporary name beside a file, which takes the file's place if the block succeeds.

    Raises
    ------
    OutputError
        If the file cannot be written, or is a device or a pipe, whose place no file may take.
    """
    with _told(path):
        if path.exists() and not path.is_file():
            what = "Is a directory" if path.is_dir() else "is a device or a pipe"
            raise OutputError(f"{path}: cannot be written: {what}")
    temporary = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with _told(path):
            yield temporary
            temporary.replace(path)
    finally:
        remove(temporary)


@contextmanager
def _told(path: Path) -> Iterator[None]:
    """Turn what the system says against writing a file into one line."""
    try:
        yield
    except OSError as error:
        raise OutputError(f"{path}: cannot be written: {error.strerror or error}") from error


def check_regular(path: Path) -> None:
    """Refuse to read what may never end, or never begin.

    Raises
    ------
    InputError
        It is a device or a pipe.
    OSError
        The system does not tell.
    """
    if path.exists() and not (path.is_file() or path.is_dir()):
        raise InputError(f"{path}: is a device or a pipe, expected a file")


def remove(path: Path) -> None:
    """Remove a file if it is there and can be removed."""
    with suppress(OSError):
        path.unlink()
