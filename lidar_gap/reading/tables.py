# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Point files read by numpy or another library: PLY, npy, KITTI, nuScenes, Arrow."""

from __future__ import annotations

import logging
from contextlib import contextmanager
from typing import TYPE_CHECKING

import numpy as np

from lidar_base.files.arrays import checked_array, zipped_arrays
from lidar_base.files.ply_headers import PLY_HEAD_BYTES, check_ply_header
from lidar_gap.reading.arrow import check_arrow
from lidar_gap.reading.columns import FARTHEST_M, scan_cloud, with_columns
from lidar_gap.reading.sources import PATH_ALONE
from lidar_gap.ring_order import rings_in_order
from osi_lidar.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from lidar_gap.reading.columns import Columns, Rows
    from lidar_gap.reading.sources import Given
    from lidar_gap.records import ScanCloud

NO_PYARROW = "pyarrow is not installed: pip install 'osi-lidar[parquet]'"
_PANIC = "PanicException"  # raised by Rust libraries; it is not an Exception and cannot be imported
_PLAIN = ("x", "y", "z", "intensity")
_NUSCENES = ("x", "y", "z", "intensity", "ring")


@contextmanager
def damage_as_input_error(path: Path, what: str) -> Iterator[None]:
    """Return a context manager that turns any exception in its block into a one-line InputError.

    The message names the file. InputErrors and interrupts pass unchanged.

    Parameters
    ----------
    path : Path
        File that is read in the ``with`` block.
    what : str
        Expected kind of file, in words, such as "a PLY file".
    """
    try:
        with np.errstate(all="ignore"):  # numbers are checked later, as columns
            yield
    except InputError:
        raise
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror or error}") from error
    except BaseException as error:  # libraries raise anything for a damaged file
        if not isinstance(error, Exception) and type(error).__name__ != _PANIC:
            raise
        raise InputError(f"{path}: is not {what}, or is damaged: {_line(error)}") from error


def read_ply(path: Path, _given: Given = PATH_ALONE) -> list[ScanCloud]:
    """Return the vertices of the PLY file ``path`` as a list of one cloud.

    ``_given`` has the options given by the user; they are not used.

    Raises
    ------
    InputError
        If the file is damaged, has no x, y or z, or a coordinate is too large for a sensor frame.
    """
    return [scan_cloud(path, path.stem, ply_columns(path))]


def ply_columns(path: Path) -> Columns:
    """Return the numeric columns of the PLY file ``path``: arrays (n_vertex,) by name.

    Raises
    ------
    InputError
        If the file is damaged.
    """
    from trimesh.exchange.ply import load_ply  # noqa: PLC0415  slow to import

    logging.getLogger("trimesh").setLevel(logging.CRITICAL)  # it also logs what is raised here
    with damage_as_input_error(path, "a PLY file"), path.open("rb") as file:
        check_ply_header(file.read(PLY_HEAD_BYTES))
        file.seek(0)
        content = load_ply(file, skip_texture=True)
        return _columns(content["metadata"]["_ply_raw"]["vertex"]["data"])


def read_npy(path: Path, _given: Given = PATH_ALONE) -> list[ScanCloud]:
    """Read the numpy file ``path`` as a list of one cloud.

    The file holds an array (n, 3) or (n, 4) with x, y, z and perhaps intensity, or a structured
    array with a field for each column. ``_given`` has the options given by the user; they are not
    used.

    Raises
    ------
    InputError
        If the file is damaged, the array has another shape or type, x, y or z is missing, or a
        coordinate is too large for a sensor frame.
    """
    return [scan_cloud(path, path.stem.removesuffix(".points"), npy_columns(path))]


def npy_columns(path: Path) -> Columns:
    """Return the numeric columns of the numpy file ``path``: arrays (n_point,) by name.

    The file holds an array (n, 3) or (n, 4), whose columns are named x, y, z and intensity, or a
    structured array.

    Raises
    ------
    InputError
        If the file is damaged, or the array has another shape or type.
    """
    with damage_as_input_error(path, "a numpy file"), path.open("rb") as file:
        array = checked_array(file)
    return _columns(_table(path, array))


def read_npz(path: Path, _given: Given = PATH_ALONE) -> list[ScanCloud]:
    """Read the numpy archive (.npz) ``path`` as a list of one cloud.

    The archive holds either an array (n_point,) for each column, named x, y, z and so on. Or it
    holds a single array as in an npy file: (n, 3) or (n, 4) with x, y, z and perhaps intensity, or
    a structured array. ``_given`` has the options given by the user; they are not used.

    Raises
    ------
    InputError
        If the file is damaged, or the columns differ in length or have several dimensions.
    """
    # opened here, because numpy does not close a file that it opens and cannot read
    with damage_as_input_error(path, "a numpy archive"), path.open("rb") as file:
        arrays = zipped_arrays(file)
    if len(arrays) == 1:
        (array,) = arrays.values()
        return [scan_cloud(path, path.stem, _columns(_table(path, array)))]
    if len({array.shape for array in arrays.values()}) > 1 or any(
        array.ndim != 1 for array in arrays.values()
    ):
        raise InputError(f"{path}: its arrays differ in length, expected columns x, y, z ..")
    return [scan_cloud(path, path.stem, arrays)]


def read_kitti(path: Path, _given: Given = PATH_ALONE) -> list[ScanCloud]:
    """Read the KITTI file ``path``, float32 rows of x y z intensity, as a list of one cloud.

    The file does not state rings. They are found if its rows are ordered by ring and azimuth;
    otherwise, the cloud has no rings. ``_given`` has the options given by the user; they are not
    used.

    Raises
    ------
    InputError
        If the file does not consist of one or more whole rows, or a coordinate is too large.
    """
    cloud = scan_cloud(path, path.stem, _float_rows(path, _PLAIN))
    ring = rings_in_order(cloud.points_m)
    return [cloud if ring is None else with_columns(cloud, ring=ring)]


def read_nuscenes(path: Path, _given: Given = PATH_ALONE) -> list[ScanCloud]:
    """Read the nuScenes file ``path`` as a list of one cloud.

    The file has float32 rows of x y z intensity ring. The file's x axis points to the right; points
    are turned so that x points forward. ``_given`` has the options given by the user; they are not
    used.

    Raises
    ------
    InputError
        If the file does not consist of one or more whole rows, or a coordinate is too large.
    """
    columns = _float_rows(path, _NUSCENES)
    x_right, y_forward = columns["x"], columns["y"]
    columns["x"], columns["y"] = y_forward, -x_right
    return [scan_cloud(path, path.name.removesuffix(".pcd.bin"), columns)]


def read_feather(path: Path, _given: Given = PATH_ALONE) -> list[ScanCloud]:
    """Return the Arrow file ``path``, such as a sweep of Argoverse 2, as a list of one cloud.

    ``_given`` has the options given by the user; they are not used.

    Raises
    ------
    InputError
        If the file is damaged, has no x, y or z, or pyarrow is not installed.
    """
    try:
        from pyarrow import feather  # noqa: PLC0415  an optional dependency
    except ImportError as error:
        raise InputError(f"{path}: {NO_PYARROW}") from error
    with damage_as_input_error(path, "an Arrow file"):
        check_arrow(path)
        table = feather.read_table(path)
        columns = {name: table.column(name).to_numpy() for name in table.column_names}
    return [scan_cloud(path, path.stem, columns)]


def _float_rows(path: Path, names: tuple[str, ...]) -> Columns:
    """Return the columns of a file of float32 rows without a header."""
    with damage_as_input_error(path, "a file of float32 rows"):
        size = path.stat().st_size
        if size == 0 or size % (4 * len(names)):
            raise InputError(
                f"{path}: got {size} bytes, its ending means rows of {len(names)} float32 "
                f"({' '.join(names)})"
            )
        rows = np.fromfile(path, np.float32).reshape(-1, len(names))
    finite = rows[np.isfinite(rows).all(axis=1)]
    if len(finite) and np.abs(finite[:, :3]).max() > FARTHEST_M:
        raise InputError(
            f"{path}: a coordinate is {np.abs(finite[:, :3]).max():.3g}, expected rows of "
            f"{len(names)} float32 ({' '.join(names)}) in metres, up to {FARTHEST_M:g}"
        )
    return {name: rows[:, number] for number, name in enumerate(names)}


def _table(path: Path, array: Rows) -> Rows:
    """Return a numpy array as a structured array: x, y, z and perhaps intensity."""
    if array.dtype.names:
        return array.reshape(-1)
    if array.ndim != 2 or not 3 <= array.shape[1] <= 4 or array.dtype.kind not in "fiu":
        raise InputError(
            f"{path}: got an array of the shape {array.shape} and type {array.dtype}, expected "
            "numbers of the shape (n, 3) or (n, 4), or a structured array"
        )
    names = _PLAIN[: array.shape[1]]
    kind = np.dtype([(name, array.dtype) for name in names])
    return np.ascontiguousarray(array).view(kind).reshape(-1)


def _columns(rows: Columns | Rows) -> Columns:
    """Return the numeric columns of a structured array or mapping with one number per point."""
    names = rows.dtype.names if isinstance(rows, np.ndarray) else rows
    columns = {name: np.asarray(rows[name]) for name in names or ()}
    return {
        name: column.reshape(len(column))
        for name, column in columns.items()
        if column.size == len(column) and column.dtype.kind in "fiu"
    }


def _line(error: BaseException) -> str:
    """Return the first line of an error's message."""
    return next(iter(str(error).splitlines()), type(error).__name__)[:120]
