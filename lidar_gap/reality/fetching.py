# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Download of public recordings from git repositories; each file is verified, then written.

Only the wanted files of the wanted commit are transferred (a partial clone). git must be installed.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Literal

from lidar_base.files.own_files import LIST, sha256_of
from lidar_base.files.whole_files import make_folder, replacing
from osi_lidar.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lidar_gap.reality.recordings import PublicRecording

SITE = "https://github.com"
_POINTER = b"version https://git-lfs"
_LONGEST_S = 600
"""Longest time for the transfer of one file; a longer transfer is aborted. [s]"""

_CHANGED = "differs from its description (SHA-256); remove the file, and fetch it again"
State = Literal["fetched", "there", "missing", "changed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class FileState:
    """State of a file of a recording.

    Attributes
    ----------
    recording : PublicRecording
        The recording that the file belongs to.
    path : Path
        Path of the file on this machine.
    state : str
        ``fetched``: downloaded now; ``there``: existed already with the right content; ``missing``;
        or ``changed``: has other content, and is never replaced.
    reason : str
        Why the file is missing, or what to do with a changed file.
    """

    recording: PublicRecording
    path: Path
    state: State
    reason: str = ""

    @property
    def is_good(self) -> bool:
        """Whether the file exists with the right content."""
        return self.state in {"fetched", "there"}

    def as_dict(self) -> dict[str, str]:
        """Return the state for JSON: recording, file, state, and the reason if there is one."""
        told = {"recording": self.recording.name, "file": str(self.path), "state": self.state}
        return {**told, "reason": self.reason} if self.reason else told


def states(recording: PublicRecording, pack: Path) -> list[FileState]:
    """Return the state of each file of a recording in the folder ``pack``, without fetching any."""
    folder = recording.folder(pack)
    return [_state(recording, folder / path, digest) for path, digest in recording.files.items()]


def _state(recording: PublicRecording, path: Path, digest: str) -> FileState:
    if not path.is_file():
        return FileState(recording=recording, path=path, state="missing", reason="not fetched")
    same = sha256_of(path) == digest
    if same:
        return FileState(recording=recording, path=path, state="there")
    return FileState(recording=recording, path=path, state="changed", reason=_CHANGED)


def check_whole(recording: PublicRecording, pack: Path) -> None:
    """Check that all files of a recording exist with the described content.

    Parameters
    ----------
    recording : PublicRecording
        The recording, with the SHA-256 of each of its files.
    pack : Path
        Folder of all recordings; each has its own folder in it.

    Raises
    ------
    InputError
        If a file is missing or has other content, or a folder of clouds has an additional file.
    """
    described = set(recording.paths(pack))
    for cloud in recording.clouds:
        folder = recording.folder(pack) / cloud
        for file in sorted(folder.rglob("*")) if folder.is_dir() else ():
            if file.is_file() and file not in described and file.name != LIST:
                raise InputError(
                    f"{file}: does not belong to the recording {recording.name}; remove it"
                )
    for each in states(recording, pack):
        if each.state == "changed":
            raise InputError(f"{each.path}: recording {recording.name}: {_CHANGED}")
        if each.state == "missing":
            raise InputError(f"{each.path}: no such file; fetch the recording {recording.name}")


def fetch(
    recordings: Sequence[PublicRecording], pack: Path, mirrors: Path | None = None
) -> Iterator[FileState]:
    """Fetch missing files of recordings, and yield the state of each file.

    A file that cannot be fetched is yielded as ``missing``, with the reason; a changed file is not
    replaced. Recordings come in the order of their repositories.

    Parameters
    ----------
    recordings : sequence of PublicRecording
        The recordings.
    pack : Path
        Folder of all recordings.
    mirrors : Path, optional
        Folder of local clones named OWNER+NAME, OWNER/NAME or NAME, to be used instead of the
        network.

    Raises
    ------
    InputError
        If git is not installed.
    OutputError
        If a file cannot be written.
    """
    if shutil.which("git") is None:
        raise InputError("git is not installed; install it, or copy clones by --from")
    ordered = sorted(recordings, key=lambda each: (each.repository, each.commit))
    for (repository, commit), group in groupby(
        ordered, key=lambda each: (each.repository, each.commit)
    ):
        wanted = [each for one in group for each in states(one, pack)]
        if all(each.state != "missing" for each in wanted):
            yield from wanted
            continue
        with _clone(repository, commit, mirrors) as clone:
            for each in wanted:
                yield _fetched(each, pack, clone) if each.state == "missing" else each


@dataclass(frozen=True, slots=True, kw_only=True)
class _Clone:
    """A repository on this machine, or the reason why it is not available."""

    folder: Path
    commit: str
    reason: str = ""

    def blob(self, path: str) -> tuple[bytes, str]:
        """Return the bytes of a file and an empty reason, or no bytes and the reason."""
        if self.reason:
            return b"", self.reason
        return _git(self.folder, "cat-file", "blob", f"{self.commit}:{path}")


@contextmanager
def _clone(repository: str, commit: str, mirrors: Path | None) -> Iterator[_Clone]:
    """Yield a clone with a commit: a mirror, or a temporary partial clone."""
    if mirrors is not None:
        folder = _mirror(mirrors, repository)
        if folder is None:
            yield _Clone(folder=mirrors, commit=commit, reason=f"{mirrors} has no {repository}")
            return
        _, reason = _git(folder, "cat-file", "-e", f"{commit}^{{commit}}")
        reason = reason and f"{folder} has no commit {commit[:12]}"
        yield _Clone(folder=folder, commit=commit, reason=reason)
        return
    with TemporaryDirectory() as name:
        folder = Path(name)
        reason = ""
        for arguments in (
            ("init", "--quiet", "--bare"),
            ("remote", "add", "origin", f"{SITE}/{repository}"),
            ("config", "remote.origin.promisor", "true"),
            ("config", "remote.origin.partialclonefilter", "blob:none"),
            ("fetch", "--quiet", "--depth", "1", "--filter=blob:none", "origin", commit),
        ):
            if not reason:
                _, reason = _git(folder, *arguments)
        yield _Clone(folder=folder, commit=commit, reason=reason)


def _mirror(mirrors: Path, repository: str) -> Path | None:
    """Return the git directory of a repository in a folder of clones; None if it is not there."""
    owner, name = repository.split("/")
    for clone in (mirrors / f"{owner}+{name}", mirrors / owner / name, mirrors / name):
        for folder in (clone, clone / ".git", clone / "repo"):
            if (folder / "objects").is_dir():
                return folder
    return None


def _git(folder: Path, *arguments: str) -> tuple[bytes, str]:
    """Return the output of git and an empty reason, or no output and git's last error line."""
    command = ["git", "--git-dir", str(folder), *arguments]
    environment = {**os.environ, "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}
    try:
        done = subprocess.run(  # noqa: S603  paths are checked, and no shell reads them
            command, capture_output=True, check=False, timeout=_LONGEST_S, env=environment
        )
    except subprocess.TimeoutExpired:
        return b"", f"git took longer than {_LONGEST_S} s"
    if done.returncode == 0:
        return done.stdout, ""
    lines = done.stderr.decode(errors="replace").strip().splitlines()
    return b"", lines[-1] if lines else f"git ended with {done.returncode}"


def _fetched(wanted: FileState, pack: Path, clone: _Clone) -> FileState:
    """Write a file from a clone, if its content is as described; return its state."""
    recording = wanted.recording
    name = wanted.path.relative_to(recording.folder(pack)).as_posix()
    content, reason = clone.blob(name)
    if not reason and content.startswith(_POINTER):
        reason = "is kept in Git LFS, and only its pointer is in the repository"
    if not reason and hashlib.sha256(content).hexdigest() != recording.files[name]:
        reason = "the file in the repository differs from the description (SHA-256)"
    if reason:
        return FileState(recording=recording, path=wanted.path, state="missing", reason=reason)
    make_folder(wanted.path.parent)
    with replacing(wanted.path) as temporary:
        temporary.write_bytes(content)
    return FileState(recording=recording, path=wanted.path, state="fetched")
