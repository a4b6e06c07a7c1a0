# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Conversion of a cloud's points to pandas tables, Open3D clouds and files (format by ending)."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from lidar_base.files.whole_files import replacing
from osi_lidar.clouds.npy import write_npy
from osi_lidar.clouds.pcd import text_formats, write_pcd
from osi_lidar.errors import OutputError

if TYPE_CHECKING:
    import os

    from numpy.typing import NDArray
    from open3d.geometry import PointCloud
    from pandas import DataFrame

NO_PANDAS = "pandas is not installed: pip install 'osi-lidar[pandas]'"
NO_OPEN3D = "Open3D is not installed: pip install 'osi-lidar[twin]'"


def to_pandas(points: NDArray[Any], materials: tuple[str, ...] | None) -> DataFrame:
    """Return points as a pandas table with a row for each point and a column for each field.

    Parameters
    ----------
    points : structured (n_point,)
        Points such as ``Cloud.points``. They are copied.
    materials : tuple of str or None
        Names of the infrared materials. If given, the column ``material`` with names (a categorical
        column) replaces ``material_id``, the points' index into these names; a point whose index is
        beyond them, such as a false alarm, gets NaN. None: the indices stay.

    Raises
    ------
    OutputError
        If pandas is not installed.
    """
    try:
        import pandas as pd  # noqa: PLC0415  an extra
    except ImportError:
        raise OutputError(NO_PANDAS) from None
    columns: dict[str, Any] = {name: points[name] for name in points.dtype.names or ()}
    if materials is not None:
        rows = columns["material_id"].astype(np.int64)
        named = np.where(rows < len(materials), rows, -1)  # a false alarm has no material
        columns["material_id"] = pd.Categorical.from_codes(named, categories=materials)
    table = pd.DataFrame(columns, copy=True)  # clouds are read-only
    return table.rename(columns={"material_id": "material"} if materials is not None else {})


def to_open3d(points: NDArray[Any]) -> PointCloud:
    """Return points as a cloud of Open3D: positions, normals, and intensity as grey colours.

    Parameters
    ----------
    points : structured (n_point,)
        Points such as ``Cloud.points``, with the fields x y z [m], normal_x normal_y normal_z, and
        intensity [0 to 100 %], which becomes a grey from 0 to 1. They are copied.

    Raises
    ------
    OutputError
        If Open3D is not installed.
    """
    try:
        import open3d as o3d  # noqa: PLC0415  an extra
    except (ImportError, OSError) as error:  # it needs libraries of the system
        raise OutputError(f"{NO_OPEN3D} ({error})") from None
    cloud = o3d.geometry.PointCloud()
    vector = o3d.utility.Vector3dVector
    cloud.points = vector(_columns(points, "x", "y", "z"))
    cloud.normals = vector(_columns(points, "normal_x", "normal_y", "normal_z"))
    cloud.colors = vector(_columns(points, *("intensity",) * 3) / 100.0)
    return cloud


def _columns(points: NDArray[Any], *names: str) -> NDArray[np.float64]:
    """Return the named fields of the points as columns of one array, (n_point, n_name)."""
    return np.stack([points[name].astype(np.float64) for name in names], axis=1)


def save(
    path: str | os.PathLike[str],
    points: NDArray[Any],
    world_from_sensor: NDArray[np.float64] | None,
) -> None:
    """Write points to a ``.pcd``, ``.npy`` or ``.csv`` file, which is replaced if it exists.

    Parameters
    ----------
    path : path
        The file. Its ending decides the format; upper and lower case count as the same.
    points : structured (n_point,)
        Points such as ``Cloud.points``. A CSV file has a line of their field names, then a line for
        each point.
    world_from_sensor : float64 (4, 4) or None
        Pose of the sensor in the world, which only PCD files hold (as VIEWPOINT). None: they hold
        the identity. [m]

    Raises
    ------
    OutputError
        If the ending is another one, or the file cannot be written.
    """
    path = Path(path)
    ending = path.suffix.lower()
    if ending == ".pcd":
        write_pcd(path, points, world_from_sensor=world_from_sensor)
    elif ending == ".npy":
        write_npy(path, points)
    elif ending == ".csv":
        with replacing(path) as temporary:
            names = ",".join(points.dtype.names or ())
            formats = text_formats(points.dtype)
            np.savetxt(temporary, points, formats, ",", header=names, comments="")
    else:
        raise OutputError(f"{path}: got the ending {ending!r}, expected .pcd, .npy or .csv")
