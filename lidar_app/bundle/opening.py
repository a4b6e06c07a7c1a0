# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Open a bundle: check its files, and unpack them into a temporary folder."""

from __future__ import annotations

import logging
import shutil
import stat
import zipfile
from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lidar_app.bundle import SUFFIX
from lidar_app.bundle.manifest import (
    CONFIG,
    MANIFEST,
    Manifest,
    check_inner,
    parse_manifest,
)
from lidar_app.bundle.scratch import scratch_folder
from lidar_app.bundle.trust import check_own_files, code_in
from lidar_base.errors import BoundError
from lidar_base.files.bounds import (
    MOST_BUNDLE_BYTES,
    MOST_FILES,
    MOST_TEXT_BYTES,
    check_at_most,
    most_unpacked,
)
from lidar_base.files.shown_paths import shown_as
from lidar_base.files.unpacking import open_archive, unpack_member, zip_member
from lidar_base.files.whole_files import cause_of, check_regular
from osi_lidar.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

logger = logging.getLogger(__name__)
_EXPECTED = f"expected a bundle ({SUFFIX}), as `osi-lidar bundle` writes one"


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenBundle:
    """A bundle whose files are unpacked in a temporary folder.

    Attributes
    ----------
    file : Path
        The bundle.
    folder : Path
        Folder of the unpacked files.
    manifest : Manifest
        Content of the bundle.
    """

    file: Path
    folder: Path
    manifest: Manifest

    @property
    def config(self) -> Path:
        """Path of the unpacked configuration."""
        return self.folder / CONFIG

    @property
    def trace(self) -> Path:
        """Path of the unpacked trace."""
        return self.folder / self.manifest.trace


@contextmanager
def open_bundle(
    file: Path, home: Path | None = None, *, warns: bool = True
) -> Iterator[OpenBundle]:
    """Unpack a bundle into a temporary folder, yield it, and remove the folder on exit.

    Inside, error messages show the path of the bundle in place of the temporary folder.

    Parameters
    ----------
    file : Path
        The bundle.
    home : Path, optional
        Folder in which the temporary folder is created; default: the system's.
    warns : bool
        Whether warnings name the Python code that the bundle's configuration runs.

    Raises
    ------
    InputError
        The bundle is absent, damaged, of a newer format, or differs from its manifest; or its
        configuration is invalid or names files outside of the bundle; or there is no room to unpack
        it.
    OutputError
        The folder for the unpacked files cannot be made.
    """
    with scratch_folder(home) as folder, shown_as(folder, file):
        with _readable(file) as archive:
            manifest = _checked(archive, file)
            _check_room(folder, manifest)
            _unpack(archive, manifest, folder)
        _check_config(folder, file, warns=warns)
        yield OpenBundle(file=file, folder=folder, manifest=manifest)


def _check_config(folder: Path, file: Path, *, warns: bool) -> None:
    """Check the paths in the configuration of an unpacked bundle; warn of code that it runs."""
    try:
        check_own_files(folder)
        code = code_in((folder / CONFIG).read_bytes())
    except InputError as error:
        raise InputError(f"{file}: {error}") from None
    for each in code if warns else ():
        logger.warning("%s: its configuration runs Python code: %s", file, each)


def read_manifest(file: Path) -> tuple[Manifest, bytes]:
    """Return the manifest of a bundle, and the text of its configuration; unpack no other file.

    The configuration, and the hashes of files, are not checked.

    Raises
    ------
    InputError
        The bundle is absent, damaged, of a newer format, or does not hold exactly the files that
        its manifest lists.
    """
    with _readable(file) as archive:
        return _checked(archive, file), zip_member(archive, CONFIG, MOST_TEXT_BYTES)


@contextmanager
def _readable(file: Path) -> Iterator[zipfile.ZipFile]:
    """Open an archive; raise all errors of the block as InputError, in one line."""
    try:
        check_regular(file)
    except OSError as error:
        raise InputError(f"{file}: cannot be read: {cause_of(error)}") from None
    try:
        with open_archive(file) as archive:
            yield archive
    except FileNotFoundError:
        raise InputError(f"{file}: no such file, {_EXPECTED}") from None
    except zipfile.BadZipFile as error:
        raise InputError(f"{file}: is damaged or cut short: {error}; {_EXPECTED}") from None
    except (BoundError, InputError) as error:
        raise InputError(f"{file}: {error}") from None
    except (OSError, EOFError, NotImplementedError, ValueError) as error:
        cause = cause_of(error) if isinstance(error, OSError) else str(error)
        raise InputError(f"{file}: cannot be unpacked: {cause}") from None


def _checked(archive: zipfile.ZipFile, file: Path) -> Manifest:
    """Return the manifest, after checking that the archive holds exactly the listed files."""
    entries = archive.infolist()
    check_at_most(len(entries), MOST_FILES, "files")
    names: set[str] = set()
    for entry in entries:
        if entry.filename in names:
            raise InputError(f"contains {entry.filename!r:.80} twice, expected each file once")
        names.add(entry.filename)
        if entry.filename != MANIFEST:
            check_inner(entry.filename)
        kind = stat.S_IFMT(entry.external_attr >> 16)
        if kind not in (0, stat.S_IFREG):
            raise InputError(
                f"contains {entry.filename!r:.80}, which is a link or another special file, "
                "expected files only"
            )
    if MANIFEST not in names:
        raise InputError(f"contains no {MANIFEST}, {_EXPECTED}")
    manifest = parse_manifest(zip_member(archive, MANIFEST, MOST_TEXT_BYTES))
    _check_names(manifest, names - {MANIFEST})
    _check_sizes(archive, manifest, file)
    return manifest


def _check_names(manifest: Manifest, names: set[str]) -> None:
    listed = [each.name for each in manifest.members]
    if len(set(listed)) < len(listed):
        twice = Counter(listed).most_common(1)[0][0]
        raise InputError(f"{MANIFEST} lists {twice!r:.80} twice, expected each file once")
    if missing := sorted({*listed} - names):
        raise InputError(f"lacks {missing[0]!r:.80}, which {MANIFEST} lists")
    if extra := sorted(names - {*listed}):
        raise InputError(f"contains {extra[0]!r:.80}, which {MANIFEST} does not list")
    for name in listed:
        above = name.rpartition("/")[0]
        while above:
            if above in names or above == MANIFEST:
                raise InputError(
                    f"contains {above!r:.80} as a file and as a folder, expected one of them"
                )
            above = above.rpartition("/")[0]


def _check_sizes(archive: zipfile.ZipFile, manifest: Manifest, file: Path) -> None:
    n_file = file.stat().st_size
    total = sum(each.size for each in manifest.members)
    check_at_most(total, min(MOST_BUNDLE_BYTES, most_unpacked(n_file)), "bytes of all files")
    n_packed = sum(each.compress_size for each in archive.infolist())
    check_at_most(n_packed, n_file, "packed bytes of all files")
    for member in manifest.members:
        stated = archive.getinfo(member.name).file_size
        if stated != member.size:
            raise InputError(
                f"{member.name}: got {stated} bytes, {MANIFEST} says {member.size}: it is damaged"
            )


def _check_room(folder: Path, manifest: Manifest) -> None:
    total = sum(each.size for each in manifest.members)
    free = shutil.disk_usage(folder).free
    if total > free:
        raise InputError(
            f"needs {total:,} bytes to be unpacked, but {folder.parent} has {free:,} bytes free"
        )


def _unpack(archive: zipfile.ZipFile, manifest: Manifest, folder: Path) -> None:
    for member in manifest.members:
        target = folder / member.name
        target.parent.mkdir(parents=True, exist_ok=True)
        found = unpack_member(archive, archive.getinfo(member.name), target)
        if found != member.sha256:
            raise InputError(f"{member.name}: its SHA-256 differs from {MANIFEST}: it is damaged")
    (folder / MANIFEST).write_bytes(zip_member(archive, MANIFEST, MOST_TEXT_BYTES))
