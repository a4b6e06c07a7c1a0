# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Reader of PCD files, binary or ascii, as osi-lidar writes them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .errors import SceneError

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

_LONGEST_HEADER = 4096
_AT_ORIGIN = ["0", "0", "0", "1", "0", "0", "0"]


@dataclass(frozen=True)
class PointCloud:
    """A point cloud and the pose of its sensor.

    Attributes
    ----------
    points : structured array (n,)
        The fields of the file.
    position_m : (3,) float
        Position of the sensor in the world. [m]
    quaternion : (4,) float
        Rotation of the sensor, w first.
    """

    points: NDArray[Any]
    position_m: tuple[float, ...]
    quaternion: tuple[float, ...]


def read_pcd(path: Path) -> PointCloud:
    """Return the points of a file.

    Raises
    ------
    SceneError
        If the file cannot be read, is no PCD file, or is not binary or ascii.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise SceneError(f"{path}: cannot be read: {error.strerror}") from error
    head, mark, rest = data[:_LONGEST_HEADER].partition(b"\nDATA ")
    kind, end, _ = rest.partition(b"\n")
    if not (mark and end):
        raise SceneError(f"{path}: is not a PCD file: it has no line DATA")
    begin = len(head) + len(mark) + len(kind) + 1
    try:
        lines = (line.split() for line in head.decode("ascii").splitlines())
        fields = {words[0]: words[1:] for words in lines if words}
        columns = zip(*(fields[key] for key in ("FIELDS", "TYPE", "SIZE")), strict=True)
        dtype = np.dtype([_field(*column) for column in columns])
        n_point = int(fields["POINTS"][0])
        pose = tuple(map(float, fields.get("VIEWPOINT", _AT_ORIGIN)))
        points = _points(data[begin:], kind.strip(), dtype, n_point)
    except (KeyError, IndexError, TypeError, ValueError) as error:
        raise SceneError(f"{path}: is a damaged PCD file, expected binary or ascii") from error
    return PointCloud(points, pose[:3], pose[3:7])


def _field(name: str, kind: str, size: str) -> tuple[str, str]:
    """Return a field of a structured array: F, I or U, and bytes."""
    return name, "<" + {"F": "f", "I": "i", "U": "u"}[kind] + size


def _points(data: bytes, kind: bytes, dtype: np.dtype[Any], n_point: int) -> NDArray[Any]:
    if n_point < 0:
        raise ValueError(n_point)
    if kind == b"binary":
        return np.frombuffer(data, dtype, n_point) if n_point else np.empty(0, dtype)
    if kind == b"ascii":  # of clouds of fewer than two points, and where the user asks for it
        rows = [tuple(line.split()) for line in data.decode("ascii").splitlines()]
        if len(rows) != n_point:
            raise ValueError(len(rows))
        return np.array(rows, dtype)
    raise ValueError(kind)
