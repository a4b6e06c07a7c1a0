# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""PCD readers that are not ours: each returns one array per field, of the type that it gives."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from pypcd4 import PointCloud

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

Columns: TypeAlias = "dict[str, NDArray[Any]]"

# pcl::PCLPointField's numbers of types
PCL_TYPES = {4: "<u2", 6: "<u4", 7: "<f4", 10: "<u8"}


def read_with_pypcd4(path: Path) -> Columns:
    rows = PointCloud.from_path(path).pc_data
    return {name: rows[name] for name in rows.dtype.names}


def read_with_pointcloudset(path: Path) -> Columns:
    import pointcloudset

    table = pointcloudset.PointCloud.from_file(path).data
    return {name: table[name].to_numpy() for name in table.columns}


def read_with_open3d(path: Path) -> Columns:
    """Read with Open3D's tensors; a file without points gives a cloud without fields there."""
    import open3d

    cloud = open3d.t.io.read_point_cloud(str(path))
    columns = {name: cloud.point[name].numpy() for name in cloud.point}
    vectors = {"positions": ("x", "y", "z"), "normals": ("normal_x", "normal_y", "normal_z")}
    for vector, names in vectors.items():
        if vector in columns:
            columns.update(zip(names, columns.pop(vector).T, strict=True))
    return {name: column.ravel() for name, column in columns.items()}


def read_with_open3d_classic(path: Path) -> Columns:
    """Read with Open3D's first reader, which knows points and normals only, in double precision."""
    import open3d

    cloud = open3d.io.read_point_cloud(str(path), remove_nan_points=False)
    return {"points": np.array(cloud.points), "normals": np.array(cloud.normals)}


def read_with_pcl(program: Path, path: Path) -> Columns:
    """Read with the program of pcl_read.cpp."""
    done = subprocess.run([program, path], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    head, _, data = done.stdout.partition(b"\n\n")
    size, *fields = [line.split() for line in head.decode().splitlines()]
    width, height, step = map(int, size)
    assert height == 1
    assert [int(count) for *_, count in fields] == [1] * len(fields)
    row = np.dtype(
        {
            "names": [name for name, *_ in fields],
            "formats": [PCL_TYPES[int(number)] for _, number, *_ in fields],
            "offsets": [int(offset) for *_, offset, _ in fields],
            "itemsize": step,
        }
    )
    rows = np.frombuffer(data, row)
    assert len(rows) == width
    return {name: rows[name] for name in row.names or ()}
