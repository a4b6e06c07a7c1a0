# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Content of a cloud file. Contents that readers ignore are listed as "not followed"."""

from __future__ import annotations

import zipfile
from typing import TYPE_CHECKING, Any

import numpy as np

from lidar_app.show.info.record import Info
from lidar_base.errors import NOT_NUMPY
from lidar_base.files.arrays import checked_array, zipped_arrays
from lidar_base.unfollowed import Unfollowed
from lidar_gap.reading.columns import columns_not_read
from lidar_gap.reading.las import las_columns
from osi_lidar.clouds.pcd import read_pcd
from osi_lidar.clouds.pcd_header import read_header
from osi_lidar.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from numpy.typing import NDArray

    from lidar_base.unfollowed import NotFollowed

_MOST_DIGITS = 18
_PLY_BYTES = 2**16
_PLY_FACES = "face", "tristrips"


def pcd_info(path: Path) -> Info:
    """Return the number of points of a PCD file, its encoding, viewpoint and fields.

    `path` is the file. The list ``fields`` of the result has the name, type, least and largest
    value of each field. The list ``not_followed`` has the contents that readers ignore.

    Raises
    ------
    InputError
        If the file is damaged.
    """
    points = read_pcd(path)
    header = read_header(path)
    facts: dict[str, object] = {
        "points": len(points),
        "organised": f"{header.width} x {header.height}" if header.height > 1 else None,
        "encoding": header.encoding,
        "viewpoint": header.viewpoint,
    }
    unread = columns_not_read(points.dtype.names or ())
    unknown = [each._asdict() for each in (*header.not_followed, *unread)]
    lists = {"fields": fields(points), "not_followed": unknown}
    return Info(path=path, kind="Point cloud (PCD)", facts=facts, lists=lists)


def fields(points: NDArray[Any]) -> list[dict[str, object]]:
    """Return a row for each field of structured points: name, type, least and largest value.

    Only finite values count. Least and largest are None for texts, and without a finite value.

    Parameters
    ----------
    points : structured (n_point,)
        The points.

    Returns
    -------
    list of dict
        For each field the keys "field", "type", "least" and "largest".
    """
    return [_field(name, points[name]) for name in points.dtype.names or ()]


def _field(name: str, values: NDArray[Any]) -> dict[str, object]:
    least = most = None
    if values.dtype.kind in "biuf" and (usable := values[np.isfinite(values)]).size:
        least, most = usable.min().item(), usable.max().item()
    return {"field": name, "type": str(values.dtype), "least": least, "largest": most}


def npy_info(path: Path) -> Info:
    """Return shape and fields of an .npy file, or names and shapes of the arrays of an .npz file.

    `path` is the file; its content, not its suffix, decides which of both it is.

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
    names = content.dtype.names
    if not names:
        return Info(path=path, kind="Array (numpy)", facts=facts)
    unread = [each._asdict() for each in columns_not_read(names)]
    lists = {"fields": fields(content), "not_followed": unread}
    return Info(path=path, kind="Point cloud (numpy)", facts=facts, lists=lists)


def las_info(path: Path) -> Info:
    """Return the number of points of a LAS or LAZ file, and its columns.

    `path` is the file. Each column has its name, type, least and largest value. Columns that
    readers ignore are also listed as "not followed".

    Raises
    ------
    InputError
        If the file is damaged, or laspy is not installed.
    """
    columns = las_columns(path)
    lists = {
        "fields": [_field(name, values) for name, values in columns.items()],
        "not_followed": [each._asdict() for each in columns_not_read([*columns])],
    }
    facts: dict[str, object] = {"points": len(columns["X"])}
    return Info(path=path, kind="Point cloud (LAS)", facts=facts, lists=lists)


def _arrays(content: Mapping[str, NDArray[Any]]) -> list[dict[str, object]]:
    """Return shape and type of arrays."""
    return [
        {"array": name, "shape": list(each.shape), "type": str(each.dtype)}
        for name, each in content.items()
    ]


def ply_info(path: Path) -> Info | None:
    """Return the number of points and the fields of a PLY file, from its header.

    `path` is the file. The result is None for a file without a PLY header of up to 64 KiB, and for
    a mesh, which is a PLY file with faces. Elements except vertices, and unused properties, are
    listed as "not followed".
    """
    with path.open("rb") as file:
        head = file.read(_PLY_BYTES)
    if not head.startswith(b"ply") or b"end_header" not in head:
        return None
    lines = head.partition(b"end_header")[0].decode("ascii", "replace").splitlines()
    words = [line.split() for line in lines]
    elements = {each[1]: each[2] for each in words if each[:1] == ["element"] and len(each) == 3}
    if any(elements.get(name, "0").strip("0") for name in _PLY_FACES):
        return None
    properties = [each for each in words if each[:1] == ["property"]]
    rows = [{"field": each[-1], "type": " ".join(each[1:-1])} for each in properties]
    number = elements.get("vertex", "0")
    is_number = number.isdecimal() and len(number) <= _MOST_DIGITS
    facts: dict[str, object] = {"points": int(number) if is_number else None}
    lists = {"fields": rows, "not_followed": [each._asdict() for each in _ply_unread(words)]}
    return Info(path=path, kind="Point cloud (PLY)", facts=facts, lists=lists)


def _ply_unread(header: Iterable[list[str]]) -> tuple[NotFollowed, ...]:
    """Return the elements and the properties of vertices that are not read."""
    unfollowed = Unfollowed()
    element, columns = "", []
    for number, words in enumerate(header, 1):
        if words[:1] == ["element"] and len(words) > 1:
            element = words[1]
            if element != "vertex":
                unfollowed.add(f"element {element:.60}", f"line {number}")
        elif words[:1] == ["property"] and element == "vertex":
            columns.append(words[-1])
    return (*unfollowed.kinds, *columns_not_read(columns))
