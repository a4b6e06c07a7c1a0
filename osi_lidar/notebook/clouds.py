# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""What `Cloud` hands out: tables, Open3D's clouds, files, and the page of the viewer."""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from lidar_base.html_tables import html_table
from osi_lidar.errors import OutputError
from osi_lidar.output.files import replacing
from osi_lidar.output.numpy_clouds import write_npy
from osi_lidar.output.pcd import text_formats, write_pcd

if TYPE_CHECKING:
    import os

    from numpy.typing import NDArray
    from open3d.geometry import PointCloud
    from pandas import DataFrame

    from osi_lidar.scan.cloud import Cloud

NO_PANDAS = "pandas is not installed: pip install 'osi-lidar[pandas]'"
NO_OPEN3D = "Open3D is not installed: pip install 'osi-lidar[twin]'"
HEIGHT_PX = 560
"""Height of the viewer in a notebook."""


def cloud_html(cloud: Cloud) -> str:
    """Return the viewer with a cloud, as an element of a page; a line of text without points."""
    from osi_lidar.show.page import cloud_page  # noqa: PLC0415  only where a cloud is shown

    if not len(cloud):
        return html_table(repr(cloud), ())
    title = "Cloud" if cloud.sensor is None else cloud.sensor
    page = escape(cloud_page(cloud.points, cloud.materials, title=title))
    style = f"width:100%;height:{HEIGHT_PX}px;border:0"
    # the page may run its scripts and save its screenshots, and reaches nothing of the notebook
    return (
        f"<p>{escape(repr(cloud))}</p>"
        f'<iframe sandbox="allow-scripts allow-downloads" style="{style}" srcdoc="{page}"></iframe>'
    )


def to_pandas(cloud: Cloud) -> DataFrame:
    """Return a table of a cloud, see `Cloud.to_pandas`."""
    try:
        import pandas as pd  # noqa: PLC0415  an extra
    except ImportError:
        raise OutputError(NO_PANDAS) from None
    columns: dict[str, Any] = {name: cloud.points[name] for name in cloud.points.dtype.names or ()}
    if cloud.materials is not None:
        rows = columns["material_id"].astype(np.int64)
        named = np.where(rows < len(cloud.materials), rows, -1)  # a false alarm has no material
        columns["material_id"] = pd.Categorical.from_codes(named, categories=cloud.materials)
    table = pd.DataFrame(columns, copy=True)  # clouds are read-only
    return table.rename(columns={"material_id": "material"} if cloud.materials is not None else {})


def to_open3d(cloud: Cloud) -> PointCloud:
    """Return a cloud of Open3D, see `Cloud.to_open3d`."""
    try:
        import open3d as o3d  # noqa: PLC0415  an extra
    except (ImportError, OSError) as error:  # it needs libraries of the system
        raise OutputError(f"{NO_OPEN3D} ({error})") from None
    found = o3d.geometry.PointCloud()
    vector = o3d.utility.Vector3dVector
    found.points = vector(_columns(cloud.points, "x", "y", "z"))
    found.normals = vector(_columns(cloud.points, "normal_x", "normal_y", "normal_z"))
    found.colors = vector(_columns(cloud.points, *("intensity",) * 3) / 100.0)
    return found


def _columns(points: NDArray[Any], *names: str) -> NDArray[np.float64]:
    """Return fields side by side, (n_point, n_name)."""
    return np.stack([points[name].astype(np.float64) for name in names], axis=1)


def save(cloud: Cloud, path: str | os.PathLike[str]) -> None:
    """Write a cloud to a file, see `Cloud.save`."""
    path = Path(path)
    ending = path.suffix.lower()
    if ending == ".pcd":
        write_pcd(path, cloud.points, world_from_sensor=cloud.world_from_sensor)
    elif ending == ".npy":
        write_npy(path, cloud.points)
    elif ending == ".csv":
        with replacing(path) as temporary:
            names = ",".join(cloud.points.dtype.names or ())
            formats = text_formats(cloud.points.dtype)
            np.savetxt(temporary, cloud.points, formats, ",", header=names, comments="")
    else:
        raise OutputError(f"{path}: got the ending {ending!r}, expected .pcd, .npy or .csv")
