# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Search for the mesh files that a trace names.

A trace is untrusted input and may name any path. Its files are looked for only in the trace's own
folder and in the search folders; links that lead out of these folders are refused.
"""

import logging
import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import chain
from pathlib import Path, PurePosixPath
from urllib.parse import unquote

from raycore.mesh.mesh_names import names_mesh

logger = logging.getLogger(__name__)


MAP_SUFFIX = ".xodr"
"""Suffix of OpenDRIVE maps."""
_MAX_INDEXED_FILES = 200_000  # a search folder set to / must not stall a run
_MAX_TAIL = 16  # path components of a reference that are tried
_URL_SCHEME = re.compile(r"^[A-Za-z][A-Za-z0-9+.-]+:/")
_DRIVE = re.compile(r"^/*[A-Za-z]:")


def path_parts(reference: str) -> tuple[str, ...]:
    r"""Return the components of a POSIX path, a Windows path or a URL, without ``.`` and ``..``.

    ``reference`` is the path as a trace states it. For example, ``C:\a\..\b\x.obj`` gives
    ``("b", "x.obj")``. A ``..`` removes the component before it.
    """
    text = reference
    if _URL_SCHEME.match(text) and not _DRIVE.match(text):
        text = unquote(text.split(":", 1)[1])
    parts: list[str] = []
    for part in PurePosixPath(_DRIVE.sub("", text).replace("\\", "/")).parts:
        if part == "..":
            del parts[-1:]
        elif part.strip("/"):
            parts.append(part)
    return tuple(parts)


def names_map(reference: str) -> bool:
    """Return whether ``reference``, a path or URL, ends in .xodr, the suffix of OpenDRIVE maps."""
    return reference.lower().endswith(MAP_SUFFIX)


def meshes_below(search: Iterable[Path]) -> Iterator[list[Path]]:
    """Yield for each folder in ``search``, and each folder below, a list of its mesh files.

    OpenMATERIAL 3D assets count as mesh files. The order is fixed, and a list may be empty. The
    search ends with a warning after 200,000 files of any kind.
    """
    return _files_below(search, names_mesh)


def _files_below(search: Iterable[Path], wanted: Callable[[str], bool]) -> Iterator[list[Path]]:
    seen = 0
    for top in search:
        for folder, inner, names in os.walk(top):  # does not follow links to folders
            inner.sort()
            seen += len(names)
            if seen > _MAX_INDEXED_FILES:
                logger.warning(
                    "search folder %s: only the first %d files were searched; choose a smaller "
                    "folder",
                    top,
                    _MAX_INDEXED_FILES,
                )
                return
            yield [Path(folder, name) for name in sorted(names) if wanted(name)]


class MeshFinder:
    """A finder of the files that a trace names, in the trace's folder and the search folders only.

    Parameters
    ----------
    trace_folder : Path or None
        Folder of the trace; None without a trace.
    search : sequence of Path
        Search folders, in order; they include their sub-folders.

    Attributes
    ----------
    roots : tuple of Path
        The folder of the trace, if any, and the search folders: the allowed folders.
    """

    def __init__(self, trace_folder: Path | None, search: Sequence[Path]) -> None:
        self._search = tuple(folder.resolve() for folder in search)
        self._trace_folder = trace_folder.resolve() if trace_folder is not None else None
        first = () if self._trace_folder is None else (self._trace_folder,)
        self.roots: tuple[Path, ...] = (*first, *self._search)
        self._index: dict[str, list[Path]] | None = None

    def find(self, reference: str) -> Path | None:
        """Return the real path of the file that ``reference`` names; None if it is not in `roots`.

        Candidates are tried in this order. First comes the path itself, relative to the trace's
        folder, or absolute. Then come its last components, longest first, below the trace's folder
        and each search folder. Last come all files of that name in the search folders' trees; of
        these, the file that shares the most trailing components with the reference wins.
        """
        parts = path_parts(reference)
        if not parts:
            return None
        for candidate in self._direct_candidates(reference, parts):
            real = self.confined_file(candidate)
            if real is not None:
                return real
        return self._by_name(parts)

    def find_outside(self, reference: str) -> Path | None:
        """Return the real path of the mesh file that a reference names outside the allowed folders.

        None if there is none. The path is only for messages: nothing is read from the file.
        """
        if not names_mesh(reference):
            return None
        for candidate in self._named_places(reference, path_parts(reference)):
            with suppress(OSError, ValueError, RuntimeError):
                real = candidate.resolve(strict=True)
                if real.is_file() and not any(real.is_relative_to(root) for root in self.roots):
                    return real
        return None

    def find_map(self, reference: str) -> Path | None:
        """Return the real path of the map that a trace names; None if there is no such .xodr file.

        ``reference`` is the path of the map as the trace states it. Only the file name counts, not
        its folder. The map is searched beside the trace, and then in the search folders' trees.
        """
        parts = path_parts(reference)
        if not parts or not names_map(reference):
            return None
        beside = () if self._trace_folder is None else (self._trace_folder / parts[-1],)
        below = chain.from_iterable(_files_below(self._search, parts[-1].__eq__))
        found = (self.confined_file(path) for path in chain(beside, below))
        return next((path for path in found if path is not None), None)

    def confined_file(self, path: Path) -> Path | None:
        """Return the real path of an existing file if it lies in one of the roots, else None."""
        try:
            real = path.resolve(strict=True)
            if real.is_file() and any(real.is_relative_to(root) for root in self.roots):
                return real
        except (OSError, ValueError, RuntimeError):  # absent, a NUL in it, a loop of links
            pass
        return None

    def _named_places(self, reference: str, parts: tuple[str, ...]) -> Iterator[Path]:
        if self._trace_folder is not None:
            yield self._trace_folder / reference  # an absolute reference stays absolute
        elif Path(reference).is_absolute():
            yield Path(reference)
        yield Path(os.sep, *parts)  # file: URLs

    def _direct_candidates(self, reference: str, parts: tuple[str, ...]) -> Iterator[Path]:
        yield from self._named_places(reference, parts)
        tails = [
            Path(*parts[start:]) for start in range(max(0, len(parts) - _MAX_TAIL), len(parts))
        ]
        for root in self.roots:
            for tail in tails:
                yield root / tail

    def _by_name(self, parts: tuple[str, ...]) -> Path | None:
        if self._index is None:
            self._index = self._build_index()
        name = parts[-1]
        return max(  # the first of equals: deterministic, since the index has a fixed order
            self._index.get(name.lower(), []),
            key=lambda path: (_shared_tail(path, parts), path.name == name),
            default=None,
        )

    def _build_index(self) -> dict[str, list[Path]]:
        """Return the mesh files of the search folders by file name in lower case."""
        index: dict[str, list[Path]] = {}
        for path in chain.from_iterable(meshes_below(self._search)):
            real = self.confined_file(path)
            if real is not None:
                index.setdefault(path.name.lower(), []).append(real)
        return index


def _shared_tail(path: Path, parts: tuple[str, ...]) -> int:
    """Return how many trailing components two paths share, ignoring case."""
    count = 0
    for ours, theirs in zip(reversed(path.parts), reversed(parts), strict=False):
        if ours.lower() != theirs.lower():
            break
        count += 1
    return count
