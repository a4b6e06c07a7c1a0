# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Reading and writing of point clouds as PCD files."""

from __future__ import annotations

import re
import struct
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
from pypcd4.pypcd4 import Encoding, MetaData, PointCloud

from lidar_base.errors import BoundError
from lidar_base.files.bounds import check_at_most, most_at_once
from lidar_base.files.whole_files import check_regular, replacing
from osi_lidar.errors import InputError
from raycore.scene.motion import quaternions

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from numpy.typing import NDArray

PoseRow: TypeAlias = "tuple[float, float, float, float, float, float, float]"
MOST_VALUES = 10_000
"""Limit on the values of one point; readers make a column of each, so more means damage."""

_HEADER_BYTES = 2**16
_LINE = re.compile(rb"^(COUNT|POINTS|WIDTH|HEIGHT|SIZE|FIELDS|DATA)[ \t]+(.*)$", re.MULTILINE)
_LETTER: dict[str, Literal["F", "U", "I"]] = {"f": "F", "u": "U", "i": "I"}


def read_pcd(path: Path) -> NDArray[Any]:
    """Read the points of a PCD file, written by osi-lidar or another program.

    Returns
    -------
    structured (n_point,)
        Rows with the fields of the file.

    Raises
    ------
    InputError
        If the file is absent, truncated or not a PCD file.
    """
    try:
        _check_header(path)
        file = PointCloud.from_path(path)
        points, n_expected = np.atleast_1d(file.pc_data), file.metadata.points
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror or error}") from error
    except BoundError as error:
        raise InputError(f"{path}: {error}") from error
    except InputError:
        raise
    except Exception as error:  # the library raises anything for a damaged file
        raise InputError(f"{path} is not a PCD file, or is damaged") from error
    if len(points) != n_expected:
        raise InputError(f"{path} is cut short: {len(points)} of {n_expected} points")
    return points


def _check_header(path: Path) -> None:
    """Check that the reader will come to an end: no pipe, and no header with endless values."""
    check_regular(path)
    with path.open("rb") as file:
        head = file.read(_HEADER_BYTES)
    lines = {key: value.split() for key, value in _LINE.findall(head)}
    if not lines.get(b"DATA"):
        raise InputError(f"{path} is not a PCD file, or is damaged: its header has no end")
    counts, sizes = (list(map(int, lines.get(key, ()))) for key in (b"COUNT", b"SIZE"))
    if sum(counts) > MOST_VALUES or len(lines.get(b"FIELDS", ())) > MOST_VALUES:
        raise InputError(f"{path} is not a PCD file, or is damaged")
    if lines[b"DATA"][0] == b"binary_compressed":
        row = sum(n * size for n, size in zip(counts or [1] * len(sizes), sizes, strict=False))
        points = max(int(lines[key][0]) for key in (b"POINTS", b"WIDTH") if lines.get(key))
        n_packed = path.stat().st_size
        start = head.find(b"\n", head.index(b"DATA")) + 1
        n_stated = int.from_bytes(head[start + 4 : start + 8], "little")
        for n_bytes in (row * points, n_stated):
            check_at_most(n_bytes, most_at_once(n_packed), "bytes of its points")


def pose_row(world_from_sensor: NDArray[np.float64]) -> PoseRow:
    """Return a pose as seven numbers, in the order of PCD's VIEWPOINT.

    Parameters
    ----------
    world_from_sensor : float64 (4, 4)
        A rotation and a translation. [m]

    Returns
    -------
    tuple of seven floats
        x y z, to the nanometre [m]; qw qx qy qz, a unit quaternion with qw >= 0, to 1e-12.
    """
    x, y, z = (world_from_sensor[:3, 3].round(9) + 0.0).tolist()  # + 0.0: no -0.0
    qw, qx, qy, qz = (quaternions(world_from_sensor[:3, :3]).round(12) + 0.0).tolist()
    return x, y, z, qw, qx, qy, qz


def write_pcd(
    path: Path,
    points: NDArray[Any],
    encoding: str = "binary",
    *,
    world_from_sensor: NDArray[np.float64] | None = None,
) -> None:
    """Write points to an unorganised PCD file: every row is a point.

    Parameters
    ----------
    path : Path
        The file; it is replaced if it exists.
    points : structured (n_point,)
        Rows as in ``response.point_type``; every field keeps its type.
    encoding : {"binary", "binary_compressed", "ascii"}
        How the rows are written; see the notes.
    world_from_sensor : float64 (4, 4), optional
        Pose of the points' frame, the file's VIEWPOINT; default: at the origin. [m]

    Raises
    ------
    OutputError
        If the file cannot be written.

    Notes
    -----
    Falls back to binary where common readers fail. PCL 1.13 rejects a compressed file without
    points, and reads 64-bit integers in text as doubles (2**64 - 1 becomes 0); pypcd4, and with it
    pointcloudset, fails on text with one row. Points that do not shrink are not compressed.
    """
    names = points.dtype.names or ()
    types = [points.dtype[name] for name in names]
    metadata = MetaData(
        fields=names,
        size=tuple(t.itemsize for t in types),
        type=tuple(_LETTER[t.kind] for t in types),
        count=(1,) * len(types),
        points=len(points),
        width=len(points),
        viewpoint=pose_row(np.eye(4) if world_from_sensor is None else world_from_sensor),
    )
    is_wide = any(
        size > 4 and letter != "F"
        for size, letter in zip(metadata.size, metadata.type, strict=True)
    )
    if len(points) < 2 or (encoding == "ascii" and is_wide):
        encoding = "binary"
    with replacing(path) as temporary:
        if encoding == "ascii":
            _write_text(temporary, metadata, points)
        else:
            _write_bytes(temporary, metadata, np.ascontiguousarray(points), encoding)


def _write_bytes(path: Path, metadata: MetaData, points: NDArray[Any], encoding: str) -> None:
    """Write rows as they are in memory, or compressed if that saves bytes."""
    raw = points.view(np.uint8)
    packed = _packed(points, raw) if encoding == "binary_compressed" else None
    kind = Encoding.BINARY if packed is None else Encoding.BINARY_COMPRESSED
    with path.open("wb") as file:
        file.write(metadata.compose_header(kind).encode())
        if packed is not None:
            file.write(struct.pack("<II", len(packed), len(raw)))
        file.write((raw if packed is None else packed).data)


def _packed(points: NDArray[Any], raw: NDArray[np.uint8]) -> NDArray[np.uint8] | None:
    """Return the compressed columns of the points; None if they do not shrink."""
    from lidar_base import pcd_kernels as kernels  # noqa: PLC0415  only for compressed clouds

    fields: Mapping[str, Any] = points.dtype.fields or {}
    placed = [fields[name] for name in points.dtype.names or ()]
    starts = np.array([start for _, start, *_ in placed], np.uint64)
    sizes = np.array([kind.itemsize for kind, *_ in placed], np.uint64)
    columns, packed = np.empty((2, len(points) * int(sizes.sum())), np.uint8)
    kernels.take_columns(raw, points.dtype.itemsize, starts, sizes, columns)
    n_packed = kernels.compress(columns, np.empty(1 << kernels.HASH_BITS, np.uint32), packed)
    return packed[:n_packed] if n_packed else None


def _write_text(path: Path, metadata: MetaData, points: NDArray[Any]) -> None:
    """Write rows as text that reads back exactly; pypcd4 would round to ten decimals."""
    with path.open("wb") as file:
        file.write(metadata.compose_header(Encoding.ASCII).encode())
        np.savetxt(file, points, text_formats(points.dtype))


def text_formats(row: np.dtype[Any]) -> list[str]:
    """Return the format of each field of a point as text that reads back exactly."""
    # nine significant digits distinguish any two float32, seventeen any two float64
    of_float = {4: "%.9g", 8: "%.17g"}
    kinds = [row[name] for name in row.names or ()]
    return [of_float[kind.itemsize] if kind.kind == "f" else "%d" for kind in kinds]
