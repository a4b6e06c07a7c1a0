# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Files that are written completely or not at all."""

from __future__ import annotations

import re
import shutil
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from lidar_base.errors import InputError, OutputError
from lidar_base.files.own_files import check_claim, note_claim
from lidar_base.files.unfinished import unfinished_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

_CUT = re.compile(r"(\d+) requested and (\d+) written")  # numpy, which keeps no error number

_ROOM_BYTES = 1 << 16  # libraries write blocks of this size; a smaller rest is no room for one


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Yield a temporary path beside a file, and rename it to the file if the block succeeds.

    ``path`` is the file, which may exist. The block writes the whole content to the temporary path.
    If the block fails, what it wrote is removed, and the file stays as it was.

    Raises
    ------
    OutputError
        The file cannot be written, is a device or a pipe, or must not be replaced because this
        command has not written it, see `own_files.claimed`.
    """
    with _as_output_error(path):
        if path.exists() and not path.is_file():
            what = "Is a directory" if path.is_dir() else "is a device or a pipe"
            raise OutputError(f"{path}: cannot be written: {what}")
    check_claim(path)
    temporary = path.with_name(unfinished_name(path.name))
    try:
        with _as_output_error(path):
            yield temporary
            temporary.replace(path)
            note_claim(path)
    finally:
        remove(temporary)


@contextmanager
def _as_output_error(path: Path) -> Iterator[None]:
    """Turn OSErrors within a block into an OutputError: one line that names the file."""
    try:
        yield
    except OSError as error:
        raise OutputError(f"{path}: cannot be written: {cause_of(error)}") from error


def cause_of(error: OSError) -> str:
    """Return why the operating system refused something, in one line; it is never empty.

    An error of a library may lack the system's message; then the library's own message is returned.
    numpy's message says how much was written, but not that the disk is full: it is replaced.
    """
    if error.strerror:
        return error.strerror
    words = " ".join(str(error).split())
    cut = _CUT.search(words)
    if cut is None:
        return words or type(error).__name__
    return f"the disk is full, or the file may not grow: {cut[2]} of {cut[1]} values written"


def has_room(folder: Path) -> bool:
    """Return whether the disk of a folder has at least 64 KiB free; True if this is unknown.

    Libraries write blocks of this size, so less space means that the disk is full for them.
    """
    with suppress(OSError):
        return shutil.disk_usage(folder).free >= _ROOM_BYTES
    return True


def make_folder(folder: Path) -> None:
    """Create a folder and missing folders above it.

    Raises
    ------
    OutputError
        The folder cannot be created.
    """
    with _as_output_error(folder):
        folder.mkdir(parents=True, exist_ok=True)


def check_regular(path: Path) -> None:
    """Check that a path is not a device or a pipe, from which reading may block or never end.

    Raises
    ------
    InputError
        The path is a device or a pipe.
    OSError
        The operating system cannot say.
    """
    if path.exists() and not (path.is_file() or path.is_dir()):
        raise InputError(f"{path}: is a device or a pipe, expected a file")


def check_apart(outputs: Iterable[Path], inputs: Iterable[Path]) -> None:
    """Check that no file to be written is also a file to be read, also through links.

    ``outputs`` are the files to write, ``inputs`` the files to read; none need exist.

    Raises
    ------
    OutputError
        An output is also an input.
    """
    read = {each.resolve() for each in inputs}
    same = next((each for each in outputs if each.resolve() in read), None)
    if same is not None:
        raise OutputError(f"{same}: is an input, expected another name for the output")


def remove(path: Path) -> None:
    """Remove the file at ``path`` if it exists and can be removed; errors are ignored."""
    with suppress(OSError):
        path.unlink()
