# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""What a cloud holds."""

from __future__ import annotations

import zipfile
from typing import TYPE_CHECKING, Any

import numpy as np

from lidar_app.show.info.record import Info
from lidar_base.errors import NOT_NUMPY
from lidar_base.files.arrays import checked_array, zipped_arrays
from osi_lidar.clouds.pcd import read_pcd
from osi_lidar.clouds.pcd_header import read_header
from osi_lidar.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from numpy.typing import NDArray

_MOST_DIGITS = 18
_PLY_BYTES = 2**16


def pcd_info(path: Path) -> Info:
    """Return points, fields, extent and viewpoint of a PCD file.

    Raises
    ------
    InputError
        If it is damaged.
    """
    points = read_pcd(path)
    header = read_header(path)
    facts: dict[str, object] = {
        "points": len(points),
        "organised": f"{header.width} x {header.height}" if header.height > 1 else None,
        "encoding": header.encoding,
        "viewpoint": header.viewpoint,
    }
    unknown = [each._asdict() for each in header.not_followed]
    lists = {"fields": fields(points), "not_followed": unknown}
    return Info(path=path, kind="Point cloud (PCD)", facts=facts, lists=lists)


def fields(points: NDArray[Any]) -> list[dict[str, object]]:
    """Return type, least and largest value of each field of structured points."""
    return [_field(name, points[name]) for name in points.dtype.names or ()]


def _field(name: str, values: NDArray[Any]) -> dict[str, object]:
    least = most = None
    if values.dtype.kind in "biuf" and (usable := values[np.isfinite(values)]).size:
        least, most = usable.min().item(), usable.max().item()
    return {"field": name, "type": str(values.dtype), "least": least, "largest": most}


def npy_info(path: Path) -> Info:
    """Return rows and fields of points in numpy's formats (.npy, .npz).

    Raises
    ------
    InputError
        If the file holds no array of numbers.
    """
    try:
        with path.open("rb") as file:
            if zipfile.is_zipfile(file):
                arrays = _arrays(zipped_arrays(file))
                return Info(path=path, kind="Arrays (numpy)", lists={"arrays": arrays})
            content = checked_array(file)
    except NOT_NUMPY as error:
        raise InputError(f"{path}: cannot be read as numpy array: {error}") from error
    facts: dict[str, object] = {"shape": list(content.shape), "type": str(content.dtype)}
    rows = fields(content) if content.dtype.names else []
    kind = "Point cloud (numpy)" if rows else "Array (numpy)"
    return Info(path=path, kind=kind, facts=facts, lists={"fields": rows})


def _arrays(content: Mapping[str, NDArray[Any]]) -> list[dict[str, object]]:
    """Return shape and type of arrays."""
    return [
        {"array": name, "shape": list(each.shape), "type": str(each.dtype)}
        for name, each in content.items()
    ]


def ply_info(path: Path) -> Info | None:
    """Return the elements of a PLY file without faces, by its header; None if it is no PLY file."""
    with path.open("rb") as file:
        head = file.read(_PLY_BYTES)
    if not head.startswith(b"ply") or b"end_header" not in head:
        return None
    lines = head.partition(b"end_header")[0].decode("ascii", "replace").splitlines()
    words = [line.split() for line in lines]
    elements = {each[1]: each[2] for each in words if each[:1] == ["element"] and len(each) == 3}
    rows = [
        {"field": each[-1], "type": " ".join(each[1:-1])}
        for each in words
        if each[:1] == ["property"]
    ]
    number = elements.get("vertex", "0")
    is_number = number.isdecimal() and len(number) <= _MOST_DIGITS
    facts: dict[str, object] = {"points": int(number) if is_number else None}
    return Info(path=path, kind="Point cloud (PLY)", facts=facts, lists={"fields": rows})
