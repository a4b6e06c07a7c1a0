# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Where the files of a scenario lie inside an FMU: relative to each other as on this machine.

The files below each folder that is named, or that a named file lies in, become
``files/<number>``. Where a file leads out of such a folder to one that it needs, the folder grows
to the next one that has both.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from fmu_src.errors import BuildError

MOST_BYTES = 2**30
"""A search folder set too high in the tree must not make an FMU of the whole disk."""
TREES = "files"
"""Folder of all trees, below the scenario's folder."""
EMPTY = ".keep"
"""File of a folder that has no other: an archive holds files only."""
_FORBIDDEN = (":", "\\")
"""Not allowed in the names of an FMU's files: to some systems these are paths."""


def check_name(path: Path, inner: str) -> None:
    """Refuse a file or folder whose path below the scenario's folder no FMU can hold.

    Raises
    ------
    BuildError
        It cannot.
    """
    if any(each in inner for each in _FORBIDDEN):
        raise BuildError(f"{path}: has ':' or '\\' in its name, which no FMU can hold")


class Layout:
    """Files by the places at which they are looked for.

    A place is an absolute path on this machine. It is not the path of the file that is packed
    where a link is followed.
    """

    def __init__(self) -> None:
        self._file_at: dict[Path, Path] = {}
        self._folders: dict[Path, None] = {}  # in order, each once
        self._trees: list[Path] = []
        self._n_bytes = 0

    @property
    def files(self) -> tuple[Path, ...]:
        """The places of all files."""
        return tuple(self._file_at)

    def add_folder(self, folder: Path) -> None:
        """Add a folder that shall be there even if nothing is in it."""
        self._folders[folder] = None
        self._grow(folder)

    def add(self, place: Path, file: Path | None = None, *, leading: Path | None = None) -> None:
        """Add a file.

        Parameters
        ----------
        place : Path
            Where it is looked for.
        file : Path, optional
            What is found there, by default what lies there.
        leading : Path, optional
            Place of a file that leads to it, and whose place relative to it must stay.

        Raises
        ------
        BuildError
            The files are too large together, one cannot be read or cannot have this name in an
            FMU, or another one has its place.
        """
        place = Path(os.path.normpath(place))
        real = (file or place).resolve()
        if place in self._file_at:
            if self._file_at[place] != real:
                both = f"{self._file_at[place]} and {real}"
                raise BuildError(f"{place}: {both} would have the same place in the FMU")
            return
        self._file_at[place] = real
        self._count(place, real)
        if leading is None:
            self._grow(place.parent)
        else:
            self._grow(Path(os.path.commonpath([self._tree(leading), place.parent])))

    def place(self, path: Path) -> str:
        """Return the place of a file or folder below the scenario's folder."""
        tree = self._tree(path)
        inner = path.relative_to(tree).as_posix()
        check_name(path, inner)
        root = f"{TREES}/{self._trees.index(tree)}"
        return root if inner == "." else f"{root}/{inner}"

    def copy(self, target: Path) -> None:
        """Copy all files below a folder."""
        for place, file in self._file_at.items():
            copy = target / self.place(place)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, copy)
        for folder in self._folders:
            copy = target / self.place(folder)
            copy.mkdir(parents=True, exist_ok=True)
            if not any(copy.iterdir()):
                (copy / EMPTY).touch()

    def _tree(self, path: Path) -> Path:
        return next(tree for tree in self._trees if path.is_relative_to(tree))

    def _grow(self, folder: Path) -> None:
        """Let a folder be a tree, or part of one."""
        if any(folder.is_relative_to(tree) for tree in self._trees):
            return
        inside = [tree for tree in self._trees if tree.is_relative_to(folder)]
        number = self._trees.index(inside[0]) if inside else len(self._trees)
        self._trees.insert(number, folder)
        self._trees = [tree for tree in self._trees if tree not in inside]

    def _count(self, place: Path, file: Path) -> None:
        try:
            self._n_bytes += file.stat().st_size
        except OSError as error:
            raise BuildError(f"{place}: cannot be read: {error.strerror}") from error
        if self._n_bytes > MOST_BYTES:
            raise BuildError(
                f"the files have more than {MOST_BYTES // 2**20} MiB with {place}; "
                "let scene.search and materials.databases name smaller folders"
            )
