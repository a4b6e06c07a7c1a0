# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Unpacking that stops when the unpacked content exceeds a bound that the packed size sets."""

from __future__ import annotations

import gzip
import hashlib
import io
import lzma
import os
import struct
import zipfile
import zlib
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, cast

from lidar_base.errors import BoundError
from lidar_base.files.bounds import (
    BYTES_OF_FILE,
    MOST_FILES,
    check_at_most,
    most_at_once,
    most_unpacked,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from _typeshed import WriteableBuffer


_PIECE_BYTES = 2**20
_ZIP_END_BYTES = 2**16 + 98  # the longest comment, and the ends of both kinds
_OPENERS: dict[str, Callable[[BinaryIO], gzip.GzipFile | lzma.LZMAFile]] = {
    ".gz": lambda source: gzip.GzipFile(fileobj=source, mode="rb"),
    ".xz": lzma.LZMAFile,
}


class _Counted(io.RawIOBase):
    """A file that counts the bytes read from it."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("rb", buffering=0)
        self.n_read = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        n_read = self._file.readinto(buffer) or 0
        self.n_read += n_read
        return n_read

    def seekable(self) -> bool:
        return False

    def close(self) -> None:
        self._file.close()
        super().close()


class _Unpacked(io.RawIOBase):
    """The unpacked content of a file; BoundError if it is more than the file's size allows."""

    def __init__(self, path: Path, suffix: str) -> None:
        self._packed = _Counted(path)
        source = cast("BinaryIO", io.BufferedReader(self._packed))
        self._content: gzip.GzipFile | lzma.LZMAFile = _OPENERS[suffix](source)
        self._n_unpacked = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        room = memoryview(buffer).cast("B")
        content = self._content.read1(len(room))  # read would lose it if an error follows
        room[: len(content)] = content
        self._n_unpacked += len(content)
        if self._n_unpacked > most_unpacked(self._packed.n_read):
            raise BoundError(
                f"{self._packed.n_read} bytes of the file unpack to {self._n_unpacked} bytes, "
                f"expected at most {most_unpacked(self._packed.n_read)}"
            )
        return len(content)

    def close(self) -> None:
        self._content.close()
        self._packed.close()
        super().close()


def open_unpacked(path: Path) -> BinaryIO:
    """Open a file for reading in binary mode; `.gz` and `.xz` are unpacked while they are read.

    The suffix of ``path`` decides. Reading raises BoundError if the content becomes larger than the
    packed size allows.
    """
    suffix = path.suffix.lower()
    if suffix not in _OPENERS:
        return path.open("rb")
    return io.BufferedReader(_Unpacked(path, suffix))


def open_archive(file: str | os.PathLike[str] | BinaryIO) -> zipfile.ZipFile:
    """Open a zip archive for reading.

    ``file`` is its path, or a file that is open in binary mode and seekable.

    Raises
    ------
    BoundError
        The archive's directory is longer than for `MOST_FILES` files.
    OSError, zipfile.BadZipFile
        The archive cannot be read.
    """
    if isinstance(file, (str, os.PathLike)):
        with Path(file).open("rb") as stream:
            _check_directory(stream)
    else:
        _check_directory(file)
    with _unusual_is_bad():
        return zipfile.ZipFile(file)


@contextmanager
def _unusual_is_bad() -> Iterator[None]:
    """Turn errors about encrypted, damaged or newer archives within a block into BadZipFile."""
    try:
        yield
    except (RuntimeError, zlib.error) as error:
        raise zipfile.BadZipFile(str(error)) from None


def _check_directory(stream: BinaryIO) -> None:
    """Check the size of the directory that an archive states at its end, also in zip64 form."""
    n_bytes = stream.seek(0, os.SEEK_END)
    stream.seek(max(0, n_bytes - _ZIP_END_BYTES))
    end = stream.read()
    stream.seek(0)
    for mark, kind, at in ((b"PK\5\6", "<I", 12), (b"PK\6\6", "<Q", 40)):
        place = end.rfind(mark)
        if 0 <= place <= len(end) - at - struct.calcsize(kind):
            (n_directory,) = struct.unpack_from(kind, end, place + at)
            if (kind, n_directory) != ("<I", 2**32 - 1):  # else zip64 has it
                check_at_most(n_directory, MOST_FILES * BYTES_OF_FILE, "bytes of the directory")


def zip_member(archive: zipfile.ZipFile, name: str, n_most: int) -> bytes:
    """Return the content of a file of a zip archive, unpacked.

    Parameters
    ----------
    archive : ZipFile
        The archive.
    name : str
        Name of the file in it; KeyError if there is none.
    n_most : int
        Largest allowed size of the unpacked file. [bytes]

    Raises
    ------
    BoundError
        The unpacked file is larger than its packed size allows or than ``n_most``, or its kind of
        packing cannot be unpacked in pieces.
    zipfile.BadZipFile, EOFError
        The file is damaged or encrypted.
    """
    entry = archive.getinfo(name)
    check_at_most(
        entry.file_size, min(n_most, most_at_once(entry.compress_size)), f"bytes of {name}"
    )
    _check_packing(entry)
    pieces = []
    missing = entry.file_size + 1  # one more, to see whether the file ends there
    with _unusual_is_bad(), archive.open(entry) as file:
        while missing and (piece := file.read(min(missing, _PIECE_BYTES))):
            pieces.append(piece)
            missing -= len(piece)
    return b"".join(pieces)


def unpack_member(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, target: Path) -> str:
    """Unpack a file of a zip archive piece by piece; return the SHA-256 of what was written.

    Parameters
    ----------
    archive : ZipFile
        The archive.
    entry : ZipInfo
        One of its files.
    target : Path
        File to write, which must not exist; its folder must.

    Raises
    ------
    BoundError
        The unpacked file is larger than its packed size allows, or its kind of packing cannot be
        unpacked in pieces.
    zipfile.BadZipFile, EOFError
        The file is damaged or encrypted.
    OSError
        The target cannot be written.
    """
    check_at_most(entry.file_size, most_unpacked(entry.compress_size), f"bytes of {entry.filename}")
    _check_packing(entry)
    digest = hashlib.sha256()
    with _unusual_is_bad(), archive.open(entry) as source, target.open("xb") as file:
        while piece := source.read(_PIECE_BYTES):  # zipfile ends at the stated size
            digest.update(piece)
            file.write(piece)
    return digest.hexdigest()


def _check_packing(entry: zipfile.ZipInfo) -> None:
    if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise BoundError(f"{entry.filename} has an unknown compression, expected deflate or none")
