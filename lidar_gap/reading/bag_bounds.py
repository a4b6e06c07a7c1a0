# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Limits on the unpacked size of ROS bags; the library rosbags has no limits."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Protocol

import zstandard

from lidar_base.errors import BoundError
from lidar_base.files.blocks import unpacked
from lidar_base.files.bounds import check_at_most, most_unpacked

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Sequence
    from pathlib import Path

_BZ2, _LZ4 = b"BZh", b"\x04\x22\x4d\x18"
_PIECE_BYTES = 2**20
_HIDDEN = "SELECT count(*) FROM pragma_table_xinfo(?) WHERE hidden"


class _Bag(Protocol):
    """An open reader of the optional library rosbags."""

    @property
    def readers(self) -> Sequence[object]:
        """Readers of the bag's files."""


def bound_chunks(reader: _Bag) -> None:
    """Make an open reader of rosbags refuse chunks that unpack to implausibly many bytes.

    The function changes ``reader`` in place: for ROS 1 bags, it replaces the decompressor of each
    chunk. For MCAP files, it replaces the entries "lz4" and "zstd" in rosbags' table of
    decompressors, which all readers of the process share; they stay replaced.
    """
    storage_mcap = import_module("rosbags.rosbag2.storage_mcap")

    for each in reader.readers:
        chunks = getattr(each, "chunks", {})  # only readers of ROS 1 have chunks
        for place, chunk in chunks.items():
            chunks[place] = chunk._replace(decompressor=_block)
    for kind in ("lz4", "zstd"):
        storage_mcap.DECOMPRESSORS[kind] = _Unpacker(kind)


class _Unpacker:
    """Bounded decompressor that rosbags calls for each MCAP chunk."""

    def __init__(self, kind: str) -> None:
        self._kind = kind

    def __call__(self, data: bytes, n_stated: int) -> bytes:
        return unpacked(self._kind, data, n_stated)


def _block(data: bytes) -> bytes:
    """Return an unpacked chunk of ROS 1; the compression is recognised by its first bytes."""
    if data.startswith(_BZ2):
        return unpacked("bz2", data)
    return unpacked("lz4", data) if data.startswith(_LZ4) else data


def check_packed_files(path: Path) -> None:
    """Check the unpacked size of ``.zstd`` files in a bag's folder; rosbags unpacks them to disk.

    ``path`` is the folder. Nothing is checked if it is not a folder.

    Raises
    ------
    BoundError
        A file unpacks to implausibly many bytes for its size.
    """
    for file in sorted(path.glob("*.zstd")) if path.is_dir() else ():
        n_most = most_unpacked(file.stat().st_size)
        n_bytes = 0
        with (
            file.open("rb") as packed,
            zstandard.ZstdDecompressor().stream_reader(packed) as stream,
        ):
            while piece := stream.read(_PIECE_BYTES):
                n_bytes += len(piece)
                check_at_most(n_bytes, n_most, f"bytes that {file.name} stands for")


def check_tables(base: sqlite3.Connection) -> None:
    """Check that ``topics`` and ``messages`` of a bag (SQLite) are ordinary tables of stored rows.

    Views and computed columns take no bytes in the file, but can yield any number of messages. A
    table that does not exist is not an error here.

    Parameters
    ----------
    base : sqlite3.Connection
        Connection to the database file of the bag.

    Raises
    ------
    BoundError
        One of them is a view, a virtual table, or has computed columns.
    """
    for name in ("topics", "messages"):
        kinds = base.execute(
            "SELECT type, sql FROM sqlite_master WHERE name = ?", (name,)
        ).fetchall()
        hidden = base.execute(_HIDDEN, (name,))
        ordinary = [kind for kind, sql in kinds if kind == "table" and "VIRTUAL" not in sql.upper()]
        if kinds and (not ordinary or hidden.fetchone()[0]):
            raise BoundError(
                f"{name} is a view or has computed columns, expected a table of stored rows"
            )
