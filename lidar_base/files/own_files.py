# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Files that a command may replace: only the files that an earlier run of it has written.

Each folder that osi-lidar writes into has a list of the files written there, `LIST`: a line of JSON
for each, with its name, the SHA-256 of its content and a mark of what wrote it. A file is own as
long as its content has that SHA-256. The clouds of runs are many: they are listed before they are
written, by their names alone. Lines are only appended, so that several processes may write into a
folder.
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
"""What adds files to a folder that another command has made: a run's are its tables of truth."""


class _Claim(NamedTuple):
    by: str
    overwrite: bool


_claim: ContextVar[_Claim | None] = ContextVar("claim", default=None)


@contextmanager
def claimed(by: str, *paths: Path | None, overwrite: bool = False) -> Iterator[None]:
    """Let a block write files that are free or own, and list what it has written.

    Within the block `whole_files.replacing` asks the same of each file that it is to write.

    Parameters
    ----------
    by : str
        What writes: a file is own if the same wrote it.
    *paths : Path or None
        Files that the block will write, as far as they are known; what killed processes have left
        of them is removed.
    overwrite : bool
        Whether files of others may be replaced.

    Raises
    ------
    OutputError
        If there is a file that an earlier run has not written.
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
    """Check that the claim in force, if any, allows to write files; see `claimed`."""
    claim = _claim.get()
    if claim is not None:
        for path in paths:
            _check(path, claim)


def note_claim(path: Path) -> None:
    """List a file that was written while a claim holds."""
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
            f"{path}: exists, and is not what {claim.by} wrote; choose another name, or give "
            "--overwrite"
        )


def written_in(folder: Path, by: str) -> dict[str, str | None]:
    """Return the files that something has written in a folder: hashes, None where not known.

    Names are relative to the folder, with slashes, and lead nowhere else.
    """
    found: dict[str, str | None] = {}
    for name, digest, writer in _lines(folder):
        found.pop(name, None)
        if writer == by:
            found[name] = digest
    return found


def note(folder: Path, names: Iterable[str], by: str) -> None:
    """List files that are about to be written in a folder, by their names alone.

    Raises
    ------
    OSError
        If the list cannot be written.
    """
    _append(folder, [(name, None, by) for name in names])


def _append(folder: Path, lines: Iterable[tuple[str, str | None, str]]) -> None:
    text = "".join(f"{json.dumps(each)}\n" for each in lines)
    if text:
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
        with os.fdopen(os.open(folder / LIST, flags, 0o666), "w", encoding="utf-8") as file:
            file.write(text)


def check_names(folder: Path, names: re.Pattern[str], by: str) -> None:
    """Check that no file of others below a folder has a name that is to be written.

    Parameters
    ----------
    folder : Path
        The folder.
    names : pattern
        Names that are to be written, relative to it, with slashes.
    by : str
        What writes them.

    Raises
    ------
    OutputError
        If there is one, or a link has such a name.
    """
    own = written_in(folder, by)
    for name in files_below(folder):
        if names.fullmatch(name) and not _is_listed(folder / name, name, own):
            raise OutputError(f"{folder}: is not overwritten, no {by} wrote {name} in it")


def check_whole(folder: Path, manifest: str, *marks: str, what: str) -> None:
    """Check that a folder may be replaced as a whole: something has written all that is in it.

    Parameters
    ----------
    folder : Path
        A folder; one that is empty may be replaced.
    manifest : str
        The file in it that names its files, as JSON with the key ``files``.
    *marks : str
        Files that come with it, and that it does not name.
    what : str
        What wrote it, in messages.

    Raises
    ------
    OutputError
        If it is a link, or holds a file of others.
    """
    if folder.is_symlink():
        raise OutputError(f"{folder}: is not replaced, it is a link")
    foreign = foreign_in(folder, manifest, *marks)
    if foreign is not None:
        raise OutputError(f"{folder}: is not replaced, no {what} wrote {foreign} in it")


def foreign_in(folder: Path, manifest: str, *marks: str) -> str | None:
    """Return a file of a folder that its manifest does not name and that is no view; else None."""
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
    """Return whether a file is a picture, page or table that was made of what is beside it."""
    found = (written_in(path.parent, by) for by in _LATER)
    return any(_is_listed(path, path.name, each) for each in found)


def remove_own(folder: Path, by: str, *names: str) -> None:
    """Remove the files that something has written below a folder, or some of them.

    Links are not followed: what lies behind one is another's.

    Raises
    ------
    OSError
        If a file cannot be removed.
    """
    own = written_in(folder, by)
    for name in names or own:
        above = (folder / each for each in PurePosixPath(name).parents if each.parts)
        if not any(each.is_symlink() for each in above) and _is_listed(folder / name, name, own):
            (folder / name).unlink()
    if names:
        return
    rest = [line for line in _lines(folder) if line[2] != by]
    with suppress(FileNotFoundError):
        (folder / LIST).unlink()
    _append(folder, rest)


def _lines(folder: Path) -> Iterator[tuple[str, str | None, str]]:
    with suppress(OSError):
        for line in (folder / LIST).read_bytes().splitlines():
            with suppress(ValueError, TypeError, RecursionError):  # a line that a kill has cut
                name, digest, by = json.loads(line)
                if _is_inner(str(name)):
                    yield str(name), digest, by


def files_below(folder: Path) -> Iterator[str]:
    """Yield the names of files and links below a folder; links to folders are not followed.

    Unfinished files have names that nobody else gives; they are left out.
    """
    for place, inner, names in os.walk(folder):
        here = Path(place)
        links = [each for each in inner if (here / each).is_symlink()]
        inner[:] = [each for each in inner if not UNFINISHED.fullmatch(each)]
        for each in sorted([*names, *links]):
            if not UNFINISHED.fullmatch(each):
                yield (here / each).relative_to(folder).as_posix()


def _is_listed(path: Path, name: str, own: dict[str, str | None]) -> bool:
    """Return whether a file is one of a list, and no link."""
    if name not in own or path.is_symlink() or not path.is_file():
        return False
    with suppress(OSError):
        return own[name] is None or sha256_of(path) == own[name]
    return False


def sha256_of(path: Path) -> str:
    """Return the SHA-256 of a file, hexadecimal."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def _is_inner(name: str) -> bool:
    path = PurePosixPath(name)
    is_plain = path.parts and not path.is_absolute() and ".." not in path.parts
    return bool(is_plain) and "\0" not in name
