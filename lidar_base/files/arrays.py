# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Arrays of foreign files in numpy's formats, without pickles."""

from __future__ import annotations

import io
import math
import os
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np
from numpy.lib import format as numpy_format

from lidar_base.files.bounds import MOST_ARRAYS, check_at_most, most_at_once
from lidar_base.files.unpacking import open_archive, zip_member

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[Any]


def checked_array(file: BinaryIO) -> Array:
    """Return the array of an open `.npy` file, after checking its shape against the file's size.

    Raises
    ------
    BoundError
        An array of the stated shape and type needs more bytes than the file has.
    Exception
        The errors of numpy for files of other formats: `lidar_base.errors.NOT_NUMPY`.
    """
    n_bytes = file.seek(0, os.SEEK_END)
    file.seek(0)
    version = numpy_format.read_magic(file)
    reader = (
        numpy_format.read_array_header_1_0
        if version == (1, 0)
        else numpy_format.read_array_header_2_0
    )
    shape, _, kind = reader(file)
    check_at_most(math.prod(shape) * max(kind.itemsize, 1), n_bytes, "bytes of an array")
    file.seek(0)
    array: Array = np.load(file, allow_pickle=False)
    return array


def zipped_arrays(file: BinaryIO, most: int = MOST_ARRAYS) -> dict[str, Array]:
    """Return all arrays of an open `.npz` file, by name; errors as in `checked_array`.

    More than ``most`` arrays are a BoundError, too.
    """
    n_left = most_at_once(file.seek(0, os.SEEK_END))
    arrays = {}
    with open_archive(file) as archive:
        check_at_most(len(archive.filelist), most, "arrays")
        for name in archive.namelist():
            content = zip_member(archive, name, n_left)
            n_left -= len(content)
            arrays[name.removesuffix(".npy")] = checked_array(io.BytesIO(content))
    return arrays
