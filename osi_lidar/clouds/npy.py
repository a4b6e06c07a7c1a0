# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Points in numpy files: structured arrays with the fields of the PCD files."""

from __future__ import annotations

import zipfile
from typing import TYPE_CHECKING, Any

import numpy as np

from lidar_base.errors import NOT_NUMPY
from lidar_base.files.arrays import checked_array
from lidar_base.files.whole_files import check_regular, replacing
from osi_lidar.clouds.pcd import read_pcd
from osi_lidar.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray


def write_npy(path: Path, points: NDArray[Any]) -> None:
    """Write points to a numpy file.

    Parameters
    ----------
    path : Path
        The file; it is replaced if it exists.
    points : structured (n_point,)
        The points, a row for each; every field keeps its name and type.

    Raises
    ------
    OutputError
        If the file cannot be written.
    """
    with replacing(path) as temporary, temporary.open("wb") as file:
        np.save(file, points, allow_pickle=False)


def read_points(path: Path) -> NDArray[Any]:
    """Read points from a numpy file with a structured array, or from a PCD file.

    Parameters
    ----------
    path : Path
        The file. If it ends with ``.npy`` or ``.NPY``, it is read as a numpy file, else as PCD.

    Returns
    -------
    structured (n_point,)
        Rows with the fields of the file.

    Raises
    ------
    InputError
        If the file is absent or damaged, or neither a PCD file nor such a numpy file.
    """
    if path.suffix.lower() != ".npy":
        return read_pcd(path)
    try:
        check_regular(path)
        with path.open("rb") as file:
            if zipfile.is_zipfile(file):
                problem = "contains several arrays, expected a structured array of points"
                raise InputError(f"{path}: {problem}")
            points = checked_array(file)
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror or error}") from error
    except NOT_NUMPY as error:
        raise InputError(f"{path}: is not a numpy file, or is damaged") from error
    if points.dtype.names is None:
        raise InputError(
            f"{path}: got an array of {points.dtype}, expected a structured array of points"
        )
    return points.reshape(-1)
