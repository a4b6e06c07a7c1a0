# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Reading and writing of point clouds as PCD files."""

from __future__ import annotations

import io
import struct
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
from pypcd4.pypcd4 import Encoding, MetaData, PointCloud

from lidar_base.errors import BoundError
from lidar_base.files.bounds import check_at_most, most_at_once
from lidar_base.files.whole_files import replacing
from osi_lidar.clouds.pcd_header import read_header
from osi_lidar.errors import InputError
from raycore.scene.motion import quaternions

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from numpy.typing import NDArray

    from osi_lidar.clouds.pcd_header import PcdHeader

PoseRow: TypeAlias = "tuple[float, float, float, float, float, float, float]"
_LETTER: dict[str, Literal["F", "U", "I"]] = {"f": "F", "u": "U", "i": "I"}


def read_pcd(path: Path) -> NDArray[Any]:
    """Read the points of a PCD file, written by osi-lidar or another program.

    Parameters
    ----------
    path : Path
        The file; its DATA may be ascii, binary or binary_compressed.

    Returns
    -------
    structured (n_point,)
        Rows with the fields of the file, without padding. A field of several values becomes
        several fields: ``name__0000``, ``name__0001`` and so on.

    Raises
    ------
    InputError
        If the file is absent, truncated or not a PCD file: one line that says why.
    """
    try:
        header = read_header(path)
        points = _READERS[header.encoding](path, header)
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror or error}") from error
    except BoundError as error:
        raise InputError(f"{path}: {error}") from error
    except InputError:
        raise
    except Exception as error:  # the library raises anything for a damaged file
        reason = " ".join(str(error).split())[:160] or type(error).__name__
        raise InputError(f"{path}: is not a PCD file, or is damaged: {reason}") from error
    if header.points not in (None, len(points)):
        what = "is cut short" if len(points) < header.points else "has too many rows"
        raise InputError(
            f"{path}: {what}: got {len(points)} points, the header states {header.points}"
        )
    return points


def _text_rows(path: Path, header: PcdHeader) -> NDArray[np.void]:
    """Return the points of a file whose DATA is ascii."""
    with path.open("rb") as file:
        file.seek(header.start)
        lines = [line for line in file if line.strip()]
    row = header.row()
    if not lines:
        return _without_padding(np.empty(0, row), header)
    try:
        points = np.loadtxt(lines, row, ndmin=1)
    except ValueError:
        points = _as_whole(np.loadtxt(lines, _in_floats(row), ndmin=1), row)
    return _without_padding(points, header)


def _in_floats(row: np.dtype[np.void]) -> np.dtype[np.void]:
    """Return the type of a point with float64 in place of integers of up to 32 bits."""
    kinds = ((name, row[name]) for name in row.names or ())
    return np.dtype([(name, "f8" if _is_short(kind) else kind) for name, kind in kinds])


def _is_short(kind: np.dtype[np.generic]) -> bool:
    return kind.kind in "iu" and kind.itemsize <= 4


def _as_whole(points: NDArray[np.void], row: np.dtype[np.void]) -> NDArray[np.void]:
    """Turn floats such as ``3.0`` back into the integers of ``row``; NaN becomes 0, as in PCL."""
    found = np.zeros(len(points), row)
    for name in row.names or ():
        values = points[name]
        if _is_short(row[name]):
            limits = np.iinfo(row[name])
            values = np.where(np.isnan(values), 0.0, values)
            if (values != np.trunc(values)).any() or not (
                limits.min <= values.min() and values.max() <= limits.max
            ):
                raise ValueError(
                    f"field {name}: got a value that does not fit the type {row[name]}"
                )
        found[name] = values
    return found


def _stored_rows(path: Path, header: PcdHeader) -> NDArray[np.void]:
    """Return the points of a file whose DATA is binary: rows as they are in memory."""
    row = header.row()
    n_point = header.points or 0
    n_there = (path.stat().st_size - header.start) // row.itemsize
    return _without_padding(
        np.fromfile(path, row, min(n_point, n_there), offset=header.start), header
    )


def _packed_rows(path: Path, header: PcdHeader) -> NDArray[np.void]:
    """Return the points of a file whose DATA is binary_compressed.

    Its bytes hold the first field of all points, then the second field of all points, and so on.
    PCL leaves padding out; other programs write padding, too.
    """
    n_point = header.points or 0
    with path.open("rb") as file:
        file.seek(header.start)
        content = file.read()
    if n_point == 0:
        return np.empty(0, header.row(padded=False))
    n_packed, n_stated = struct.unpack_from("<II", content)
    for n_bytes in (header.row().itemsize * n_point, n_stated):
        check_at_most(n_bytes, most_at_once(path.stat().st_size), "bytes of its points")
    whole = n_stated == header.row().itemsize * n_point
    row = header.row(padded=whole)
    if n_stated != row.itemsize * n_point:
        raise ValueError(f"got {n_stated} bytes, expected {n_point} points of {row.itemsize} bytes")
    raw = _unpacked(content[: 8 + n_packed], n_stated)
    points = np.empty(n_point, row)
    names = iter(row.names or ())
    start = 0
    for field in header.fields:
        if field.is_padding and not whole:
            continue
        end = start + field.n_byte * n_point
        for column in raw[start:end].view(field.kind).reshape(n_point, field.n_value).T:
            points[next(names)] = column
        start = end
    return _without_padding(points, header)


def _unpacked(content: bytes, n_byte: int) -> NDArray[np.uint8]:
    """Return the decompressed bytes; pypcd4 does it, as if each byte were a point."""
    metadata = MetaData(
        fields=("byte",), size=(1,), type=("U",), count=(1,), points=n_byte, width=n_byte
    )
    header = metadata.compose_header(Encoding.BINARY_COMPRESSED).encode()
    file: io.BufferedReader = io.BufferedReader(io.BytesIO(header + content))
    raw: NDArray[np.uint8] = PointCloud.from_fileobj(file).pc_data["byte"]
    return raw


def _without_padding(points: NDArray[np.void], header: PcdHeader) -> NDArray[np.void]:
    if not any(field.is_padding for field in header.fields):
        return points
    packed = np.dtype([(name, points.dtype[name]) for name in header.names])
    return points[header.names].astype(packed)


_READERS = {"ascii": _text_rows, "binary": _stored_rows, "binary_compressed": _packed_rows}


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
        Rows as in ``cloud.point_type``; every field keeps its type.
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
    If common readers would fail, the file is binary. PCL 1.13 rejects a compressed file without
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
    """Return the points, column after column, compressed; None if that saves nothing."""
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
    """Return %-formats, such as "%.9g", with which points as text read back exactly.

    Parameters
    ----------
    row : numpy.dtype
        Structured type of a point, whose fields are floats of 4 or 8 bytes, or integers.

    Returns
    -------
    list of str
        A format for each field, in the order of the fields.
    """
    # nine significant digits distinguish any two float32, seventeen any two float64
    of_float = {4: "%.9g", 8: "%.17g"}
    kinds = [row[name] for name in row.names or ()]
    return [of_float[kind.itemsize] if kind.kind == "f" else "%d" for kind in kinds]
