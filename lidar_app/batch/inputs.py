# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Inputs as local files: object storage is copied to a scratch folder, once per node."""

from __future__ import annotations

import os
import re
import shutil
import sys
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from lidar_app.batch.addresses import base_name, joined, names_trace, parent, protocol
from lidar_app.batch.contents import InputHashes, assets_among, hash_of, hash_of_words
from lidar_app.batch.files import StoredFiles, files_at
from lidar_app.batch.scratch import make_scratch
from lidar_app.batch.table import RUN_MARK
from lidar_app.bundle import is_bundle, names_bundle
from lidar_app.bundle.opening import open_bundle
from lidar_base.files.unfinished import remove_left, remove_tree, unfinished_name
from lidar_base.files.whole_files import check_regular, make_folder, remove
from osi_lidar.errors import InputError

if sys.platform != "win32":
    import fcntl

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lidar_app.batch.files import FileStamp
    from lidar_app.bundle.opening import OpenBundle

    Listing = dict[str, FileStamp]

_COPY = re.compile(r"[0-9a-f]{32}")
"""Names of the folders of copies."""
_TRACES, _FOLDERS, _PLACED = "traces", "folders", "placed"


class TraceInput(NamedTuple):
    """A trace, or a bundle with a trace, with marks of its content.

    Attributes
    ----------
    address : str
        Path or URL of the file.
    stamp : str
        Size, and time of change or ETag; changes with the content.
    sha256 : str
        SHA-256 hash of the content, in hexadecimal digits.
    """

    address: str
    stamp: str  # size, and time of change or ETag; changes with the content
    sha256: str


class Inputs:
    """Gives jobs local files: traces and configurations, copied from object storage if needed.

    Parameters
    ----------
    scratch : Path
        Folder for copies of files in object storage.
    out : str
        Address of the folder of outputs; files below it are no inputs.
    keep_bytes : int
        Largest total size of copied traces that stay in `scratch` for later jobs. [bytes]
    """

    def __init__(self, scratch: Path, out: str, keep_bytes: int) -> None:
        self._scratch, self._out, self._keep_bytes = scratch, out, keep_bytes
        self.contents = InputHashes(out)
        self._copied: dict[tuple[str, bool], Path] = {}

    def trace(self, address: str, known: TraceInput | None) -> TraceInput:
        """Return the `TraceInput` of a trace: address, stamp and content hash.

        ``known`` is an earlier result. If it has the same address and the file's present stamp, it
        is returned, and the trace is not read. Raise InputError if there is no such file, or it
        cannot be read.
        """
        seen = files_at(address).stamp_of(address)
        if seen is None:
            raise InputError(f"{address}: no such file")
        stamp = f"{seen.size}-{seen.stamp}"
        if known is not None and seen.stamp and (known.address, known.stamp) == (address, stamp):
            return known
        if not protocol(address):
            check_regular(Path(address))
            return TraceInput(address, stamp, self.contents.of_file(Path(address)))
        return TraceInput(address, stamp, hash_of(self._copy_of(address, stamp)))

    def beside(self, address: str) -> str:
        """Return one hash over all meshes and maps in or below the folder of a trace.

        `address` is the path or URL of the trace. A folder in object storage is copied first.
        """
        folder = parent(address)
        local = self._folder_copy(folder, assets=True) if protocol(address) else Path(folder)
        return self.contents.of_folder(local)

    def config(self, address: str) -> Path:
        """Return the local path of a configuration; `address` is its path or URL.

        If the configuration lies in object storage, its folder is copied to the scratch folder,
        without traces, folders of runs, and outputs. Raise InputError if there is no such file in
        object storage.
        """
        if not protocol(address):
            return Path(address)
        path = self._folder_copy(parent(address), assets=False) / base_name(address)
        if not path.is_file():
            raise InputError(f"{address}: no such file")
        return path

    @contextmanager
    def placed(self, trace: TraceInput) -> Iterator[Path]:
        """Yield the local path of a trace, in a folder that also holds its meshes and maps.

        A trace in object storage is first copied to the scratch folder. The copy is hard-linked
        into a temporary folder, because another process may remove it there to make room. On exit,
        the temporary folder is removed, and old copies are removed as `keep_bytes` demands.
        """
        own = self._scratch / _PLACED / unfinished_name(_PLACED)
        remove_left(own.parent, _PLACED)
        try:
            yield self.placed_in(trace, own)
        finally:
            if protocol(trace.address):
                remove_tree(own)
                self._make_room()

    def placed_in(self, trace: TraceInput, folder: Path) -> Path:
        """Return the local path of a trace that has its meshes and maps beside it.

        A trace of this machine stays where it is. A trace from object storage is put into
        `folder`, with the meshes and maps of its own folder.
        """
        if not protocol(trace.address):
            return Path(trace.address)
        copy = self._copy_of(trace.address, trace.stamp)
        beside = self._folder_copy(parent(trace.address), assets=True)
        shutil.copytree(beside, folder, copy_function=_link, dirs_exist_ok=True)
        _link(copy, folder / copy.name)
        return folder / copy.name

    def _copy_of(self, address: str, stamp: str) -> Path:
        """Return the copy of a trace, made by the first process of the node that needs it."""
        name = hash_of_words([address, stamp])[:32]
        path = self._scratch / _TRACES / name / base_name(address)
        with _turn(self._scratch, name):
            if not path.is_file():
                StoredFiles(address).get(address, path)
        os.utime(path)  # marks the copy as used now
        return path

    def _folder_copy(self, folder: str, *, assets: bool) -> Path:
        """Return the copy of a folder: only meshes and maps, or all but traces and runs."""
        key = folder, assets
        if key not in self._copied:
            files = StoredFiles(folder)
            found = self._wanted(folder, files.below(folder), assets=assets)
            name = hash_of_words([folder, assets, sorted(found.items())])[:32]
            path = self._scratch / _FOLDERS / name
            with _turn(self._scratch, name):
                for each in found:
                    if not (path / each).is_file():
                        files.get(joined(folder, each), path / each)
            make_folder(path)
            self._copied[key] = path
        return self._copied[key]

    def _wanted(self, folder: str, found: Listing, *, assets: bool) -> Listing:
        """Select files of a folder to copy: no traces, runs, outputs; only assets if `assets`."""
        runs = {name.removesuffix(RUN_MARK) for name in found if base_name(name) == RUN_MARK}
        names = [
            name
            for name in found
            if not names_trace(name)
            and not any(each and name.startswith(each) for each in runs)
            and not joined(folder, name).startswith(f"{self._out}/")
        ]
        return {name: found[name] for name in (assets_among(names) if assets else names)}

    def _make_room(self) -> None:
        """Remove the least recently used copies of traces until the rest takes `keep_bytes`."""
        found = []
        for path in (self._scratch / _TRACES).glob("*/*"):
            if not _COPY.fullmatch(path.parent.name):
                continue
            with suppress(OSError):
                state = path.stat()
                found.append((state.st_mtime_ns, state.st_size, path))
        total = sum(size for _, size, _ in found)
        for _, size, path in sorted(found):
            if total <= self._keep_bytes:
                return
            total -= size
            remove(path)
            with suppress(OSError):
                path.parent.rmdir()


@contextmanager
def opened(inputs: Inputs, trace: TraceInput, *, warns: bool = True) -> Iterator[OpenBundle | None]:
    """Yield the unpacked bundle at the address of `trace`; None if a plain trace lies there.

    `inputs` copies the bundle from object storage if needed. The unpacked files are removed on
    exit. If `warns`, a warning names the Python code that the bundle's configuration runs.
    """
    if not is_bundle(Path(trace.address)):
        yield None
        return
    with inputs.placed(trace) as file, open_bundle(file, warns=warns) as bundle:
        yield bundle


@contextmanager
def opened_config(
    inputs: Inputs, address: str, *, warns: bool = True
) -> Iterator[OpenBundle | None]:
    """Yield the unpacked bundle at the address of a configuration; None if it is no bundle.

    `address` is a path or URL; `inputs` copies the bundle from object storage if needed. On exit,
    the unpacked files are removed. If `warns`, a warning names the Python code in them.
    """
    if not names_bundle(address):
        yield None
        return
    with opened(inputs, inputs.trace(address, None), warns=warns) as bundle:
        yield bundle


def _link(source: Path | str, target: Path | str) -> None:
    """Create a hard link to a file; copy the file where links are impossible."""
    Path(target).parent.mkdir(parents=True, exist_ok=True)
    Path(target).unlink(missing_ok=True)
    try:
        os.link(source, target)
    except OSError:
        shutil.copyfile(source, target)


@contextmanager
def _turn(scratch: Path, name: str) -> Iterator[None]:
    """Hold a lock of this machine while a file is copied; the lock ends with its process."""
    if sys.platform == "win32":  # two processes may copy a file: both write the same bytes
        yield
        return
    make_scratch(scratch)
    make_folder(scratch / ".turns")
    with (scratch / ".turns" / name).open("wb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
