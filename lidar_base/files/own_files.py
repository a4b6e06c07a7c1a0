# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Files that a command may replace: only the files that an earlier run of it has written.

Each folder that osi-lidar writes into has a list of the files written there, `LIST`. A line of JSON
for each file states its name, the SHA-256 of its content, and the command that wrote it. A file is
this command's own as long as its content has that SHA-256. Point clouds of runs are many: they are
listed before they are written, by their names alone. Lines are only appended, so that several
processes may write into a folder.
"""

from __future__ import annotations

import hashlib
import json
import os
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, NamedTuple

from lidar_base.errors import OutputError
from lidar_base.files.unfinished import UNFINISHED, remove_left

if TYPE_CHECKING:
    import re
    from collections.abc import Iterable, Iterator

LIST = ".osi-lidar.files"
"""The list of the files that osi-lidar has written in a folder."""


_LATER = ("view", "preview", "run")
"""Commands that add files to another command's folder, such as a run's tables of ground truth."""


class _Claim(NamedTuple):
    by: str
    overwrite: bool


_claim: ContextVar[_Claim | None] = ContextVar("claim", default=None)


@contextmanager
def claimed(by: str, *paths: Path | None, overwrite: bool = False) -> Iterator[None]:
    """Let a ``with`` block replace only files that the same command has written earlier.

    Files that the command wrote but that have changed since must not be replaced either. Within the
    block, `whole_files.replacing` makes this check for each file, and adds the file to the list of
    its folder (`LIST`) once it is written.

    Parameters
    ----------
    by : str
        The command that writes, such as "run".
    *paths : Path or None
        Files that the block will write, as far as they are known; leftovers of killed processes
        under these names are removed.
    overwrite : bool
        Whether any file may be replaced, whoever wrote it.

    Raises
    ------
    OutputError
        A path exists that ``by`` has not written, or that has changed since, and ``overwrite`` is
        False; or a path is a folder, a device or a pipe.
    """
    claim = _Claim(by, overwrite)
    for path in paths:
        if path is not None:
            _check(path, claim)
    before = _claim.set(claim)
    try:
        yield
    finally:
        _claim.reset(before)


def check_claim(*paths: Path) -> None:
    """Check that files may be written, within a ``with`` block of `claimed`; else do nothing.

    Leftovers of killed processes under the files' names are removed.

    Raises
    ------
    OutputError
        A file exists that the block's command has not written, or that has changed since, and the
        block does not allow to overwrite; or the path is a folder, a device or a pipe.
    """
    claim = _claim.get()
    if claim is not None:
        for path in paths:
            _check(path, claim)


def note_claim(path: Path) -> None:
    """Within a block of `claimed`, add a file that was just written to its folder's list.

    ``path`` is the file, which must exist. Outside of such a block, nothing is done.
    """
    claim = _claim.get()
    if claim is not None:
        _append(path.parent, [(path.name, sha256_of(path), claim.by)])


def _check(path: Path, claim: _Claim) -> None:
    remove_left(path.parent, path.name)
    if not os.path.lexists(path):
        return
    if path.is_dir():
        raise OutputError(f"{path}: cannot be written: Is a directory")
    if path.exists() and not path.is_file():
        raise OutputError(f"{path}: cannot be written: is a device or a pipe")
    own = written_in(path.parent, claim.by)
    if not claim.overwrite and not _is_listed(path, path.name, own):
        raise OutputError(
            f"{path}: exists, and was not written by `{claim.by}` or was changed since; choose "
            "another name, or give --overwrite"
        )


def written_in(folder: Path, by: str) -> dict[str, str | None]:
    """Return the files that a command has written in a folder: SHA-256 by name, or None if unknown.

    ``by`` is the command, such as "run". Names are relative to ``folder``, with slashes; none leads
    out of it. Without a list in the folder, the result is empty.
    """
    found: dict[str, str | None] = {}
    for name, digest, writer in _lines(folder):
        found.pop(name, None)
        if writer == by:
            found[name] = digest
    return found


def note(folder: Path, names: Iterable[str], by: str) -> None:
    """Add files that are about to be written to their folder's list, without a SHA-256.

    Parameters
    ----------
    folder : Path
        The folder, which must exist.
    names : iterable of str
        Names of the files, relative to the folder, with slashes.
    by : str
        The command that is to write them, such as "run".

    Raises
    ------
    OSError
        If the list cannot be written.
    """
    _append(folder, [(name, None, by) for name in names])


def _append(folder: Path, lines: Iterable[tuple[str, str | None, str]]) -> None:
    text = "".join(f"{json.dumps(each)}\n" for each in lines).encode()
    if text:
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
        file = os.open(folder / LIST, flags | getattr(os, "O_BINARY", 0), 0o666)
        try:  # without Python's file objects, which take longer than the rest
            while text:
                text = text[os.write(file, text) :]
        finally:
            os.close(file)


def check_names(folder: Path, names: re.Pattern[str], by: str) -> None:
    """Check that a command may write files whose names fit a pattern below a folder.

    It may if no such file exists, or only files that the same command has written and that have not
    changed since.

    Parameters
    ----------
    folder : Path
        The folder.
    names : pattern
        Pattern of the names to be written, relative to the folder, with slashes.
    by : str
        The command that is to write them, such as "run".

    Raises
    ------
    OutputError
        A link, a file that ``by`` has not written, or a file that has changed since, has a name
        that fits the pattern.
    """
    own = written_in(folder, by)
    for name in files_below(folder):
        if names.fullmatch(name) and not _is_listed(folder / name, name, own):
            raise OutputError(
                f"{folder}: contains {name}, which no {by} wrote, so nothing is overwritten; "
                "choose another folder"
            )


def check_whole(folder: Path, manifest: str, *marks: str, what: str) -> None:
    """Check that a folder may be replaced as a whole: its manifest names all files in it.

    Parameters
    ----------
    folder : Path
        The folder. An empty one may be replaced.
    manifest : str
        The file in the folder that names the others, as JSON with the key ``files``.
    *marks : str
        Files that are always written beside the manifest, and that it does not name.
    what : str
        The command that writes such folders, for messages.

    Raises
    ------
    OutputError
        The folder is a link, or holds another file.
    """
    if folder.is_symlink():
        raise OutputError(f"{folder}: is a link, so it is not replaced; choose another folder")
    foreign = foreign_in(folder, manifest, *marks)
    if foreign is not None:
        raise OutputError(
            f"{folder}: contains {foreign}, which no {what} wrote, so the folder is not replaced; "
            "choose another one"
        )


def foreign_in(folder: Path, manifest: str, *marks: str) -> str | None:
    """Return the name of a file in a folder that the folder's manifest does not list, or None.

    Pictures, pages and tables that later commands made from the folder's files do not count. A link
    counts as not listed.

    Parameters
    ----------
    folder : Path
        The folder.
    manifest : str
        Name of the manifest in the folder: JSON with the names of the files under the key
        ``files``. If it cannot be read, each file counts as not listed.
    *marks : str
        Names of files that are always written beside the manifest, and that it does not list.
    """
    try:
        listed = json.loads((folder / manifest).read_bytes())["files"]
        own = {manifest, *marks, *map(str, listed)}
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        own = set()
    names = list(files_below(folder))
    for name in names:
        path = folder / name
        if name in own and not path.is_symlink():
            continue
        if own and (path.name == LIST or _is_view(path)):
            continue
        return name
    return None


def _is_view(path: Path) -> bool:
    """Return whether a later command made this picture, page or table from its folder's files."""
    found = (written_in(path.parent, by) for by in _LATER)
    return any(_is_listed(path, path.name, each) for each in found)


def remove_own(folder: Path, by: str, *names: str) -> None:
    """Remove the files that a command has written below a folder, or only the named ones of them.

    Links are not followed: files behind a link stay. So do files that were changed since.

    Parameters
    ----------
    folder : Path
        The folder. If no names are given, the command's files also leave the folder's list.
    by : str
        The command that has written them, such as "run".
    *names : str
        Names of files, relative to the folder, with slashes; default: all files of the command.

    Raises
    ------
    OutputError
        If a file cannot be removed, or the list cannot be written.
    """
    own = written_in(folder, by)
    for name in names or own:
        above = (folder / each for each in PurePosixPath(name).parents if each.parts)
        if not any(each.is_symlink() for each in above) and _is_listed(folder / name, name, own):
            _unlink(folder / name)
    if names:
        return
    rest = [line for line in _lines(folder) if line[2] != by]
    _unlink(folder / LIST)
    try:
        _append(folder, rest)
    except OSError as error:
        raise OutputError(f"{folder / LIST}: cannot be written: {error.strerror}") from error


def _unlink(path: Path) -> None:
    """Remove a file if it exists; raise OutputError if it cannot be removed."""
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise OutputError(f"{path}: cannot be removed: {error.strerror}") from error


def _lines(folder: Path) -> Iterator[tuple[str, str | None, str]]:
    with suppress(OSError):
        for line in (folder / LIST).read_bytes().splitlines():
            with suppress(ValueError, TypeError, RecursionError):  # a line cut off by a kill
                name, digest, by = json.loads(line)
                if _is_inner(str(name)):
                    yield str(name), digest, by


def files_below(folder: Path) -> Iterator[str]:
    """Yield the names of files and links below a folder; links to folders are not followed.

    Names are relative to ``folder``, with slashes. Unfinished files are left out; see
    `unfinished.UNFINISHED` for their names.
    """
    for place, inner, names in os.walk(folder):
        here = Path(place)
        links = [each for each in inner if (here / each).is_symlink()]
        inner[:] = [each for each in inner if not UNFINISHED.fullmatch(each)]
        for each in sorted([*names, *links]):
            if not UNFINISHED.fullmatch(each):
                yield (here / each).relative_to(folder).as_posix()


def _is_listed(path: Path, name: str, own: dict[str, str | None]) -> bool:
    """Return whether a path is a file, not a link, whose name and SHA-256 are in the list."""
    if name not in own or path.is_symlink() or not path.is_file():
        return False
    with suppress(OSError):
        return own[name] is None or sha256_of(path) == own[name]
    return False


def sha256_of(path: Path) -> str:
    """Return the SHA-256 of the file at ``path``, hexadecimal; OSError if it cannot be read."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def _is_inner(name: str) -> bool:
    path = PurePosixPath(name)
    is_plain = path.parts and not path.is_absolute() and ".." not in path.parts
    return bool(is_plain) and "\0" not in name
