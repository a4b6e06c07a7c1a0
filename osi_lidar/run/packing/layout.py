# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Layout of a scenario's files inside an archive, an FMU or a bundle; relative paths are preserved.

Each folder that is named, or that contains a named file, becomes a tree ``files/<number>``. If a
file needs another one outside of its tree, the tree is extended to the nearest folder that contains
both.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from osi_lidar.errors import InputError

MOST_BYTES = 2**30
"""Size limit, so that a search folder set too high does not put the whole disk into an archive."""
TREES = "files"
"""Folder of all trees, below the scenario's folder."""
EMPTY = ".keep"
"""Placeholder file in an empty folder: an archive stores files only."""
_FORBIDDEN = (":", "\\")
"""Characters not allowed in the names of packed files: some systems use them in paths."""


def check_name(path: Path, inner: str, archive: str) -> None:
    """Check that a file or folder may have the path ``inner`` in an archive.

    ``path`` is its present path, and ``archive`` the kind of archive, for the error message.

    Raises
    ------
    InputError
        The path contains a forbidden character.
    """
    if any(each in inner for each in _FORBIDDEN):
        raise InputError(f"{path}: files in {archive} must not have ':' or '\\' in their names")


class Layout:
    """The files to pack into an archive, each with its place.

    The place of a file is the absolute path at which it is looked up on this machine. If the place
    is a symbolic link, the file that is packed is the target of the link, which has another path.

    Parameters
    ----------
    archive : str
        The archive in words, such as "an FMU", for error messages.
    most_bytes : int, optional
        Size limit of all files together; default: `MOST_BYTES`.
    """

    def __init__(self, archive: str = "an FMU", most_bytes: int | None = None) -> None:
        self._archive = archive
        self._most_bytes = MOST_BYTES if most_bytes is None else most_bytes
        self._file_at: dict[Path, Path] = {}
        self._folders: dict[Path, None] = {}  # in order, each once
        self._trees: list[Path] = []
        self._n_bytes = 0

    @property
    def files(self) -> tuple[Path, ...]:
        """Place of each file, an absolute path on this machine, in the order of `add`."""
        return tuple(self._file_at)

    def add_folder(self, folder: Path) -> None:
        """Add a folder, without its files; the archive gets the folder even if it is empty."""
        self._folders[folder] = None
        self._grow(folder)

    def add(self, place: Path, file: Path | None = None, *, leading: Path | None = None) -> None:
        """Add a file.

        Parameters
        ----------
        place : Path
            Path at which the file is looked up.
        file : Path, optional
            The file to pack for this place; default: the file at the place itself.
        leading : Path, optional
            Place of a file that refers to this one, so that their relative path must be preserved.

        Raises
        ------
        InputError
            The files are too large in total, a file cannot be read or has a name that is not
            allowed in an archive, or the place is taken by another file.
        """
        place = Path(os.path.normpath(place))
        real = (file or place).resolve()
        if place in self._file_at:
            if self._file_at[place] != real:
                both = f"{self._file_at[place]} and {real}"
                raise InputError(f"{place}: {both} would have the same place in {self._archive}")
            return
        self._file_at[place] = real
        self._count(place, real)
        if leading is None:
            self._grow(place.parent)
        else:
            self._grow(Path(os.path.commonpath([self._tree(leading), place.parent])))

    def place(self, path: Path) -> str:
        """Return the path of a file or folder in the archive, relative to the scenario's folder.

        Call it once all files are added, because each further file may change the path. Raise
        InputError if the name is not allowed.
        """
        tree = self._tree(path)
        inner = path.relative_to(tree).as_posix()
        check_name(path, inner, self._archive)
        root = f"{TREES}/{self._trees.index(tree)}"
        return root if inner == "." else f"{root}/{inner}"

    def copy(self, target: Path) -> None:
        """Copy all files and folders to their paths (see `place`) below ``target``.

        An empty folder gets a file named `EMPTY`.
        """
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
        """Make a folder a tree, unless it is part of one; merge the trees inside it."""
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
            raise InputError(f"{place}: cannot be read: {error.strerror}") from error
        if self._n_bytes > self._most_bytes:
            raise InputError(
                f"the files exceed {self._most_bytes // 2**20} MiB with {place}; "
                "use smaller folders in scene.search and materials.databases"
            )
