# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Safe reading of small files that a user names."""

import os
from pathlib import Path

from lidar_base.errors import SmallFileError


def read_small_file(file: Path, most_bytes: int) -> bytes:
    """Return the content of a file of settings or measurements.

    Devices and endless streams do not state their size, so at most one byte more than allowed is
    read. A named pipe is refused, because opening one waits for a writer.

    Parameters
    ----------
    file : Path
        The file.
    most_bytes : int
        The largest size that is accepted.

    Raises
    ------
    SmallFileError
        If the file cannot be read or is larger. The text does not name the file.
    """
    try:
        if file.is_fifo():
            raise SmallFileError("is a pipe, expected a file")
        with file.open("rb") as stream:
            content = stream.read(most_bytes + 1)
    except FileNotFoundError:
        raise SmallFileError("no such file") from None
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path
        cause = getattr(error, "strerror", None) or error
        raise SmallFileError(f"cannot be read: {cause}") from None
    if len(content) > most_bytes:
        raise SmallFileError(f"too large, expected at most {most_bytes / 2**20:g} MiB")
    return content


def is_folder(path: Path) -> bool:
    """Return whether a path is a folder; False if the system refuses to say.

    ``Path.is_dir`` raises where a name is too long, or a folder on the way may not be read.
    """
    return os.path.isdir(path)  # noqa: PTH112
