# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Reading of LAS and LAZ files with laspy and lazrs, after checking the sizes in the headers.

The layout follows the LAS specification 1.4 R15 and the "LASzip" record.
"""

from __future__ import annotations

import struct
from importlib import import_module
from os import SEEK_END
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from lidar_base.files.bounds import check_at_most, most_at_once
from lidar_gap.reading.columns import scan_cloud
from lidar_gap.reading.sources import PATH_ALONE
from lidar_gap.reading.tables import damage_as_input_error
from osi_lidar.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path
    from types import ModuleType

    from laspy import LasHeader

    from lidar_gap.reading.columns import Columns
    from lidar_gap.reading.sources import Given
    from lidar_gap.records import ScanCloud

NO_LASPY = "laspy is not installed: pip install 'osi-lidar[recordings]'"
_HEAD_BYTES = 375
_LEAST_RECORD_BYTES = 54
_LAYERED = 3  # packing with layers: each field of a chunk is packed separately, with its size
_LAYERS = {10: 9, 11: 1, 12: 2, 13: 1}  # number of layers of a point's item, by the item's type
_EXTRA_BYTES = 14  # type of an item with a layer for each of its bytes
_ANY_SIZE = 2**32 - 1  # points per chunk vary, and the chunk table states them


class _LazRecord(NamedTuple):
    """Facts from a LAZ file about the compression of its points."""

    kind: int
    points_of_chunk: int
    n_bytes: int  # size of an unpacked point
    n_layers: int  # number of layers of a chunk, 0 without layers

    @classmethod
    def of(cls, record: bytes) -> _LazRecord:
        """Decode a LASzip record."""
        kind, points_of_chunk, n_items = struct.unpack_from("<H10xI16xH", record)
        items = list(struct.iter_unpack("<3H", record[34 : 34 + 6 * n_items]))
        layers = (size if of == _EXTRA_BYTES else _LAYERS.get(of, 0) for of, size, _ in items)
        return cls(kind, points_of_chunk, sum(size for _, size, _ in items), sum(layers))


def read_las(path: Path, _given: Given = PATH_ALONE) -> list[ScanCloud]:
    """Return the cloud of the LAS or LAZ file ``path``, as a list of one cloud.

    ``_given`` has the options given by the user; they are not used.

    Raises
    ------
    InputError
        If laspy is not installed, the file is damaged, or a coordinate is too large for a sensor
        frame.
    """
    return [scan_cloud(path, path.stem, las_columns(path))]


def las_columns(path: Path) -> Columns:
    """Return the columns of the LAS or LAZ file ``path``: arrays (n_point,) by name.

    Names are the dimensions of the file's points, such as "intensity". X, Y and Z hold scaled
    coordinates, not the integers in the file.

    Raises
    ------
    InputError
        If the file is damaged, or laspy is not installed.
    """
    try:
        import laspy  # noqa: PLC0415  an optional dependency
    except ImportError as error:
        raise InputError(f"{path}: {NO_LASPY}") from error
    with damage_as_input_error(path, "a LAS file"):
        _check(path, laspy)
        las = laspy.read(path)
        if len(las.points) < las.header.point_count:  # laspy only logs it
            raise InputError(
                f"{path}: is cut short: {len(las.points)} of {las.header.point_count} points"
            )
        columns = {name: np.asarray(las[name]) for name in las.point_format.dimension_names}
        return columns | {name: np.asarray(getattr(las, name.lower())) for name in "XYZ"}


def _check(path: Path, laspy: ModuleType) -> None:
    """Check the counts in a LAS header against the size of the file; raise BoundError."""
    n_bytes = path.stat().st_size
    with path.open("rb") as file:
        head = file.read(_HEAD_BYTES)
    (n_records,) = struct.unpack_from("<I", head, 100)
    check_at_most(n_records, n_bytes // _LEAST_RECORD_BYTES, "records")
    if len(head) == _HEAD_BYTES and head[25] >= 4:  # version 1.4
        (n_extended,) = struct.unpack_from("<I", head, 243)
        check_at_most(n_extended, n_bytes // _LEAST_RECORD_BYTES, "extended records")
    with laspy.open(path) as reader:
        header = reader.header
    n_points = header.point_count * header.point_format.size
    packed = header.are_points_compressed
    check_at_most(n_points, most_at_once(n_bytes) if packed else n_bytes, "bytes of points")
    if packed:
        for record in header.vlrs.get("LasZipVlr"):
            _check_packing(path, header, record.record_data)


def _check_packing(path: Path, header: LasHeader, record: bytes) -> None:
    """Check the sizes that a LAZ file states for its compressed points.

    The library lazrs divides by the number of points per chunk and of bytes per point. It allocates
    as many chunks, points and bytes as the file states; if there is not enough memory, it ends the
    process.
    """
    packing, n_file = _LazRecord.of(record), path.stat().st_size
    expected = header.point_format.size
    if not packing.points_of_chunk or packing.n_bytes != expected:
        raise InputError(
            f"{path}: got chunks of {packing.points_of_chunk} points of {packing.n_bytes} bytes, "
            f"expected points of {expected} bytes, 1 or more in a chunk"
        )
    if packing.points_of_chunk != _ANY_SIZE:
        n_chunk = packing.points_of_chunk * expected
        check_at_most(n_chunk, most_at_once(n_file), "bytes of a chunk of points")
    check_at_most(_chunks(path, header.offset_to_point_data), n_file, "chunks of points")
    table = _table(path, header.offset_to_point_data, record)
    check_at_most(sum(packed for _, packed in table), n_file, "packed bytes of chunks")
    if packing.points_of_chunk == _ANY_SIZE:
        check_at_most(sum(points for points, _ in table), header.point_count, "points of chunks")
    if packing.kind == _LAYERED:
        _check_layers(path, header.offset_to_point_data + 8, packing, table)


def _chunks(path: Path, offset: int) -> int:
    """Return the number of chunks that the chunk table of a LAZ file states.

    The reader allocates memory for this number. The position of the table is stored before the
    points; if it is -1, the position is stored at the end of the file.
    """
    with path.open("rb") as file:
        file.seek(offset)
        (place,) = struct.unpack("<q", file.read(8))
        if place == -1:
            file.seek(-8, SEEK_END)
            (place,) = struct.unpack("<q", file.read(8))
        file.seek(place)
        _, number = struct.unpack("<2I", file.read(8))
    return int(number)


def _table(path: Path, offset: int, record: bytes) -> list[tuple[int, int]]:
    """Return the numbers of points and of compressed bytes of each chunk."""
    lazrs = import_module("lazrs")  # laspy uses it, too
    with path.open("rb") as file:
        file.seek(offset)
        table: list[tuple[int, int]] = lazrs.read_chunk_table(file, lazrs.LazVlr(record))
    return table


def _check_layers(
    path: Path, begin: int, packing: _LazRecord, table: list[tuple[int, int]]
) -> None:
    """Check that the layers of each chunk are not larger than the chunk.

    A chunk begins with its first point, its number of points, and the number of bytes of each
    layer.
    """
    with path.open("rb") as file:
        for _, n_bytes in table:
            file.seek(begin + packing.n_bytes + 4)
            sizes = struct.unpack(f"<{packing.n_layers}I", file.read(4 * packing.n_layers))
            check_at_most(sum(sizes), n_bytes, "bytes of layers of a chunk")
            begin += n_bytes
