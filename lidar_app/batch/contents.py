# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Hashes of input files. A file is read again only if its size or its time has changed."""

from __future__ import annotations

import hashlib
import json
import logging
import os
from pathlib import Path
from typing import TYPE_CHECKING

from lidar_app.batch.files import LocalFiles
from lidar_app.batch.table import RUN_MARK
from osi_bridge import custom_name, trace_start
from osi_lidar.config import named_paths
from osi_lidar.errors import InputError
from osi_lidar.version import __version__
from raycore.mesh.mesh_names import names_mesh
from raycore.mesh.suffixes import MESH_SUFFIXES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from osi_lidar.config import Config

logger = logging.getLogger(__name__)

_WHOLE = (*MESH_SUFFIXES, ".xoma", ".xomm", ".xomp", ".xompt", ".xodr")
"""Suffixes of meshes, their materials, and maps."""
_PARTS = (".mtl", ".bin", ".png", ".jpg", ".jpeg")
"""Suffixes of files that meshes refer to; they lie in the folder of a mesh or below it."""
_BLOCK_BYTES = 1 << 20
_MOST_FILES = 200_000  # per folder, so that a trace beside all projects does not stall its job


def hash_of(file: Path) -> str:
    """Return the SHA-256 hash of a file's content, in hexadecimal digits.

    Raise InputError if the file cannot be read.
    """
    digest = hashlib.sha256()
    try:
        with file.open("rb") as stream:
            while block := stream.read(_BLOCK_BYTES):
                digest.update(block)
    except FileNotFoundError:
        raise InputError(f"{file}: no such file") from None
    except OSError as error:
        raise InputError(f"{file}: cannot be read: {error.strerror or error}") from error
    return digest.hexdigest()


def hash_of_words(content: object) -> str:
    """Return the SHA-256 hash of a value's JSON text, in hexadecimal digits; keys are sorted.

    `content` is the value, of any type that `json.dumps` takes.
    """
    words = json.dumps(content, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(words.encode()).hexdigest()


class InputHashes:
    """SHA-256 hashes of input files and folders; an unchanged file is read only once.

    A file is read again if its size or time has changed. The hash of a folder is kept: its files
    must not change while the batch runs.

    Parameters
    ----------
    out : str
        Address of the folder of outputs, which the hash of a folder leaves out.
    """

    def __init__(self, out: str) -> None:
        self._out = Path(out)
        self._of_file: dict[tuple[Path, str], str] = {}
        self._of_folder: dict[tuple[Path, bool], str] = {}

    def of_file(self, path: Path) -> str:
        """Return the SHA-256 hash of the content of the file `path`, in hexadecimal digits.

        The file is read on the first call, and again if its size or time has changed. Raise
        InputError if it cannot be read.
        """
        seen = LocalFiles().stamp_of(str(path))
        key = path, "" if seen is None else f"{seen.size}-{seen.stamp}"
        if key not in self._of_file:
            self._of_file[key] = hash_of(path)
        return self._of_file[key]

    def of_folder(self, folder: Path, *, everything: bool = False) -> str:
        """Return one hash over the names and contents of all meshes and maps below a folder.

        If `everything`, all other files count, too. Files in hidden folders, in folders of runs
        and in the folder of outputs never count.
        """
        key = folder, everything
        if key not in self._of_folder:
            files = self._below(folder, everything=everything)
            content = [[file.relative_to(folder).as_posix(), self.of_file(file)] for file in files]
            self._of_folder[key] = hash_of_words(content)
        return self._of_folder[key]

    def of_config(self, config: Config) -> object:
        """Return the resolved configuration as JSON data that depend on the content of its files.

        `config` is the configuration. Each path of a file or folder that the run reads is replaced
        by a list of texts: its name without the folder, and the hash of its content. For a mesh the
        hash of the meshes beside it follows.
        """
        tokens = {str(path): self._token(key, path) for key, path in named_paths(config)}
        return _replaced(config.resolved(), tokens)

    def _token(self, key: str, path: Path) -> list[str]:
        """Return name and hash of a file or folder; for a mesh, also the hash of its folder."""
        if path.is_dir():
            everything = key.startswith("materials.databases")
            return [path.name, self.of_folder(path, everything=everything)]
        beside = self.of_folder(path.parent) if names_mesh(path.name) else ""
        return [path.name, self.of_file(path), beside]

    def _below(self, folder: Path, *, everything: bool) -> list[Path]:
        """Return the files below a folder in fixed order, except in hidden folders and runs."""
        found: list[str] = []
        for place, inner, names in os.walk(folder):
            here = Path(place)
            if RUN_MARK in names or here == self._out:
                inner.clear()
                continue
            if len(found) > _MOST_FILES:
                logger.warning(
                    "%s: more than %d files; others may change unnoticed", folder, _MOST_FILES
                )
                break
            inner[:] = sorted(name for name in inner if not name.startswith("."))
            start = here.relative_to(folder)
            found += [(start / name).as_posix() for name in sorted(names)]
        return [folder / name for name in (found if everything else assets_among(found))]


def assets_among(names: Iterable[str]) -> list[str]:
    """Select the files of a folder that may be meshes, materials or maps; keep their order.

    Images, ``.mtl`` and ``.bin`` files are selected only in or below a folder with a mesh.

    Parameters
    ----------
    names : iterable of str
        Paths of all files below a folder, relative to it, with slashes.
    """
    names = list(names)
    homes = {_folder_of(name) for name in names if name.lower().endswith(MESH_SUFFIXES)}
    return [
        name
        for name in names
        if name.lower().endswith(_WHOLE)
        or (name.lower().endswith(_PARTS) and not homes.isdisjoint(_folders_of(name)))
    ]


def _folder_of(name: str) -> str:
    return name.rpartition("/")[0]


def _folders_of(name: str) -> Iterator[str]:
    """Yield the folder of a file, and those above it."""
    while name:
        name = _folder_of(name)
        yield name


def job_id(trace: str, beside: str, config: object, *, name: str, asked: object) -> str:
    """Return the name of a job, 32 hexadecimal digits: a hash of all that its outputs depend on.

    Parameters
    ----------
    trace, beside : str
        Hash of the trace, and one hash of all meshes and maps in or below the folder of the trace.
    config : object
        Values of the configuration, from `InputHashes.of_config`.
    name : str
        File name of the trace. Only the time and the custom part in the name count, because the
        name of the SensorData output repeats them.
    asked : object
        Options for reading the messages of the trace, see `BatchPlan.asked`.
    """
    start = trace_start(name)
    content = {
        "version": __version__,
        "trace": trace,
        "beside": beside,
        "config": config,
        "name": [custom_name(name), None if start is None else start.isoformat()],
        "asked": asked,
    }
    return hash_of_words(content)[:32]


def _replaced(value: object, tokens: Mapping[str, list[str]]) -> object:
    """Return a value in which each text that is a key of `tokens` is replaced, at any depth."""
    if isinstance(value, dict):
        return {key: _replaced(each, tokens) for key, each in value.items()}
    if isinstance(value, list):
        return [_replaced(each, tokens) for each in value]
    return tokens.get(value, value) if isinstance(value, str) else value
