# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Cache of parsed meshes on disk, so that each mesh file is parsed only once.

The key of an entry is the content of the mesh file, not its path or time. So a copy elsewhere is
the same mesh, and a modified file is a different one, whatever its time stamp. A change of a
referenced file, or of the readers' source code, invalidates the entry. Each entry is one file:

    0    MAGIC, with the format's version and the byte order
    24   CRC-32 of all that follows, uint32; four bytes of zero
    32   length of the header, uint64
    40   header: JSON
    ..   vertices_m, faces, slot, uv, bone, weight, places of each mesh, as in memory, each at a
         multiple of 8

The cache never raises errors: an entry that cannot be read or written, or is damaged, counts as
missing. So does an entry that other users may have written, as it could be another mesh.
"""

from __future__ import annotations

import functools
import hashlib
import json
import logging
import os
import re
import struct
import sys
import tempfile
import zlib
from contextlib import suppress
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from lidar_base.caches.trust import make_own_folder, own_folder, read_own
from lidar_base.unfollowed import NotFollowed
from raycore.errors import MeshError
from raycore.mesh.bones import Bone
from raycore.mesh.copies import MeshCopies
from raycore.mesh.materials import VisualMaterial
from raycore.mesh.mesh import Mesh
from raycore.mesh.suffixes import USD_SUFFIXES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from raycore.mesh.readers import Companion, MeshSource

_logger = logging.getLogger(__name__)

MAGIC = f"osi-mesh 5 {sys.byteorder}".encode().ljust(24)
SMALLEST_BYTES = 2**16
"""Smaller files are not cached: parsing them takes only some milliseconds."""
DEFAULT_LIMIT_BYTES = 2**31

READERS = (
    "bones.py", "collada_files.py", "copies.py", "drawn.py", "gltf/attributes.py", "gltf/bones.py",
    "gltf/drawing.py", "gltf/materials.py", "gltf/reading.py", "gltf/scene.py",
    "gltf/unfollowed.py", "loading.py", "materials.py", "mesh.py", "obj.py", "readers.py",
    "usd/composition.py", "usd/diagnostics.py", "usd/instances.py", "usd/joining.py",
    "usd/layers.py", "usd/pieces.py", "usd/process.py", "usd/reading.py", "usd/shapes.py",
    "usd/stage.py", "usd/stage_materials.py", "usd/unfollowed.py", "usd/worker.py",
)  # fmt: skip
"""Source files of the readers; a change in any of them invalidates all entries."""
_LIBRARIES = {
    ".obj": (),
    ".dae": ("pycollada",),
    **dict.fromkeys(USD_SUFFIXES, ("usd-core",)),
}
_ENTRY, _UNFINISHED = ".mesh", ".part"
_OWN = re.compile(r"[0-9a-f]{64}\.mesh|tmp[a-z0-9_]{8}\.part")  # .part: names that tempfile gives
_HEAD, _LENGTH = struct.Struct("<24sI4x"), struct.Struct("<Q")
_ALIGNMENT = 8
_COLUMNS = (
    ("vertices_m", "3f4"), ("faces", "3u4"), ("slot", "u2"), ("uv", "2f4"), ("bone", "4u2"),
    ("weight", "4f4"), ("places", "(4,4)f8"),
)  # fmt: skip


_Fields = dict[str, Any]


class MeshCache:
    """A folder of parsed meshes; several processes may use it at the same time.

    Parameters
    ----------
    folder : Path
        Folder of the entries; created with the first one.
    limit_bytes : int
        Limit on the total size; beyond it, the least recently used entries are removed.
    """

    def __init__(self, folder: Path, *, limit_bytes: int = DEFAULT_LIMIT_BYTES) -> None:
        self.folder = folder
        self._limit_bytes = limit_bytes

    def find(self, source: MeshSource) -> tuple[MeshCopies, ...] | None:
        """Return the meshes of a mesh file from the cache.

        The messages that were logged when the file was parsed are logged again, and the entry is
        marked as used.

        Parameters
        ----------
        source : MeshSource
            The mesh file; its content has been read by `MeshSource.read`.

        Returns
        -------
        tuple of MeshCopies, or None
            The meshes of the file, each with the poses at which the file draws it. None if the
            cache has no usable entry for the content of the file, or if one of its companion files
            has changed.
        """
        try:
            path = own_folder(self.folder) / _name(source)
            header, groups = _unpacked(read_own(path))
            companions = header["companions"].items()
            if any(_digest_beside(source, name) != seen for name, seen in companions):
                source.forget_companions()  # the reader may need other files
                return None
            same = {"name": source.path.name, **_same_for_all(header)}
            copies = tuple(MeshCopies(Mesh(**same, **each), places) for each, places in groups)
            notes = [(int(level), str(text)) for level, text in header["notes"]]
        except Exception as error:  # noqa: BLE001  a damaged entry may raise anything
            _logger.debug("%s: not in the mesh cache: %s", source, error)
            return None
        for level, text in notes:
            source.note(level, text)
        with suppress(OSError):
            os.utime(path)  # marks the entry as used
        return copies

    def keep(self, copies: Sequence[MeshCopies], source: MeshSource, data: bytes) -> None:
        """Store the parsed meshes of a file; then remove old entries beyond the limit.

        Nothing is stored if the file with its companions is smaller than ``SMALLEST_BYTES``, if the
        entry alone exceeds the limit, or if writing fails, which is only logged.

        Parameters
        ----------
        copies : sequence of MeshCopies
            The meshes.
        source : MeshSource
            The mesh file, with the companion files that were read for it.
        data : bytes
            Content of the mesh file.
        """
        n_bytes = len(data) + sum(len(one.content) for one in source.companions.values() if one)
        if n_bytes < SMALLEST_BYTES:
            return
        try:
            self._write(_name(source), _packed(copies, source))
            self._make_room()
        except (OSError, ImportError) as error:
            _logger.debug("%s: not kept in the mesh cache: %s", source, error)

    def _write(self, name: str, entry: bytes) -> None:
        """Write an entry atomically: to a temporary file, which is then renamed."""
        if len(entry) > self._limit_bytes:
            return
        folder = make_own_folder(self.folder)
        handle, unfinished = tempfile.mkstemp(suffix=_UNFINISHED, dir=folder)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(entry)
            Path(unfinished).replace(folder / name)
        finally:
            Path(unfinished).unlink(missing_ok=True)

    def entries(self) -> list[tuple[Path, int]]:
        """Return path and size [bytes] of all entries, least recently used first.

        Unfinished entries are included.
        """
        found = []
        with suppress(OSError):
            for path in self.folder.iterdir():
                if _OWN.fullmatch(path.name):
                    with suppress(OSError):  # another process has removed it
                        stat = path.stat()
                        found.append((stat.st_mtime_ns, path, stat.st_size))
        return [(path, n_bytes) for _, path, n_bytes in sorted(found)]

    def _make_room(self) -> None:
        """Remove the least recently used entries until the rest is within the limit."""
        entries = self.entries()
        excess = sum(n_bytes for _, n_bytes in entries) - self._limit_bytes
        for path, n_bytes in entries:
            if excess <= 0:
                break
            path.unlink(missing_ok=True)
            excess -= n_bytes

    def clear(self) -> None:
        """Remove all entries.

        Raises
        ------
        OSError
            If an entry cannot be removed.
        """
        for path, _ in self.entries():
            path.unlink(missing_ok=True)


def _name(source: MeshSource) -> str:
    """Return the name of the cache entry of a mesh file that has been read."""
    suffix = source.path.suffix.lower()
    key = hashlib.sha256(_readers(suffix) + bytes.fromhex(source.digests[source.path]))
    return f"{key.hexdigest()}{_ENTRY}"


@functools.cache
def _readers(suffix: str) -> bytes:
    """Return a digest of the reader of this file type: its source, libraries and entry format."""
    digest = hashlib.sha256(MAGIC + suffix.encode())
    for name in READERS:
        digest.update((Path(__file__).parent / name).read_bytes())
    for library in _LIBRARIES.get(suffix, ("trimesh",)):
        digest.update(f"{library} {version(library)}\n".encode())
    return digest.digest()


def _digest_beside(source: MeshSource, name: str) -> str | None:
    """Return the digest of a companion file, to detect changes; None if it is unreadable."""
    with suppress(MeshError):
        source.read_beside(name)
    return _digest(source.companions[name])


def _digest(companion: Companion | None) -> str | None:
    return None if companion is None else companion.sha256


def _material(stated: dict[str, Any]) -> VisualMaterial:
    color = stated["base_color"]
    return VisualMaterial(**{**stated, "base_color": None if color is None else tuple(color)})


def _same_for_all(header: _Fields) -> _Fields:
    """Return the fields that all meshes of a cache entry have in common."""
    return {
        "materials": tuple(map(_material, header["materials"])),
        "bones": tuple(
            Bone(name, parent, tuple(origin)) for name, parent, origin in header["bones"]
        ),
        "not_followed": tuple(
            NotFollowed(str(what), str(first), int(times))
            for what, first, times in header["not_followed"]
        ),
    }


def _column(copies: MeshCopies, name: str) -> NDArray[np.generic]:
    column: NDArray[np.generic] = copies.places if name == "places" else getattr(copies.mesh, name)
    return column


def _packed(copies: Sequence[MeshCopies], source: MeshSource) -> bytes:
    """Return the meshes of a file as the bytes of a cache entry."""
    first = copies[0].mesh
    header = json.dumps(
        {
            "groups": [
                {
                    "origin_m": each.mesh.origin_m.tolist(),
                    "rows": [len(_column(each, name)) for name, _ in _COLUMNS],
                }
                for each in copies
            ],
            "materials": [asdict(material) for material in first.materials],
            "bones": first.bones,
            "companions": {name: _digest(one) for name, one in source.companions.items()},
            "notes": source.notes,
            "not_followed": first.not_followed,
        }
    ).encode()
    content = bytearray(_LENGTH.pack(len(header)) + header)
    for each in copies:
        for name, _ in _COLUMNS:
            content += bytes(-len(content) % _ALIGNMENT)
            content += _column(each, name).tobytes()
    return _HEAD.pack(MAGIC, zlib.crc32(content)) + bytes(content)


def _unpacked(entry: bytes) -> tuple[_Fields, list[tuple[_Fields, NDArray[np.float64]]]]:
    """Return the header of a cache entry, and the arrays and places of its meshes.

    A damaged entry may raise any exception.
    """
    magic, crc = _HEAD.unpack_from(entry)
    content = memoryview(entry)[_HEAD.size :]
    if magic != MAGIC or crc != zlib.crc32(content):
        raise ValueError("the entry of the mesh cache is damaged")
    (length,) = _LENGTH.unpack_from(content)
    end = _LENGTH.size + length
    header = json.loads(bytes(content[_LENGTH.size : end]))
    groups = []
    for group in header["groups"]:
        arrays: _Fields = {"origin_m": np.array(group["origin_m"], np.float64)}
        for (name, dtype), n_rows in zip(_COLUMNS, group["rows"], strict=True):
            start = end + -end % _ALIGNMENT
            arrays[name] = np.frombuffer(content, dtype, n_rows, start)
            end = start + arrays[name].nbytes
        groups.append((arrays, arrays.pop("places")))
    return header, groups
