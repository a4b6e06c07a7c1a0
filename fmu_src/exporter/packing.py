# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The scenario that travels inside an FMU: a configuration and every file that it names.

Files keep their place below the folder that they come from, so that what a mesh file names beside
itself is found again; each such folder becomes ``files/<number>``. Of search folders, the meshes
and what these need are packed; of material databases, all materials. Textures are not, because no
reader opens them.
"""

from __future__ import annotations

import json
import os
import shutil
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

import yaml

from fmu_src.contents import PACKED_CONFIG
from fmu_src.errors import BuildError
from material_mapping import files_of_asset, names_material
from osi_lidar.config import FOLDERS, Config, load_config, named_paths
from osi_lidar.mesh_files import ASSET_SUFFIX, mesh_beside_asset, names_mesh

if TYPE_CHECKING:
    from collections.abc import Callable

MOST_BYTES = 2**30
"""A search folder set too high in the tree must not make an FMU of the whole disk."""


@dataclass
class Packing:
    """What goes where.

    Attributes
    ----------
    place_of : dict of Path to str
        Place below the scenario's folder of every file.
    """

    place_of: dict[Path, str] = field(default_factory=dict)
    _folders: dict[Path, str] = field(default_factory=dict)
    _n_bytes: int = 0

    def folder(self, source: Path) -> str:
        """Return the place of a folder."""
        return self._folders.setdefault(source, f"files/{len(self._folders)}")

    def add(self, file: Path, below: Path | None = None) -> str:
        """Add a file and what it names beside itself; return its place.

        Parameters
        ----------
        file : Path
            Absolute.
        below : Path, optional
            Folder that it keeps its place in, by default its own.

        Raises
        ------
        BuildError
            The files are too large together, or one cannot be read.
        """
        root = below or file.parent
        place = f"{self.folder(root)}/{file.relative_to(root).as_posix()}"
        if self.place_of.setdefault(file, place) == place:
            self._count(file)
        for companion in companions(file):
            if not companion.is_relative_to(root):
                raise BuildError(f"{file}: needs {companion}, which is not below {root}")
            inner = f"{self.folder(root)}/{companion.relative_to(root).as_posix()}"
            if self.place_of.setdefault(companion, inner) == inner:
                self._count(companion)
        return self.place_of[file]

    def add_folder(self, folder: Path, wanted: Callable[[str], bool]) -> str:
        """Add the files of a folder and its sub-folders by their names; return its place."""
        for parent, folders, names in os.walk(folder):
            folders.sort()
            for name in sorted(names):
                if wanted(name):
                    self.add(Path(parent, name), below=folder)
        return self.folder(folder)

    def copy(self, target: Path) -> None:
        """Copy all files below a folder."""
        for place in self._folders.values():  # a search folder may have no mesh
            (target / place).mkdir(parents=True, exist_ok=True)
        for file, place in self.place_of.items():
            copy = target / place
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, copy)

    def _count(self, file: Path) -> None:
        try:
            self._n_bytes += file.stat().st_size
        except OSError as error:
            raise BuildError(f"{file}: cannot be read: {error.strerror}") from error
        if self._n_bytes > MOST_BYTES:
            raise BuildError(
                f"the files have more than {MOST_BYTES // 2**20} MiB with {file}; "
                "let scene.search and materials.databases name smaller folders"
            )


def companions(mesh: Path) -> list[Path]:
    """Return the files that a mesh file needs beside itself, as far as they are there."""
    suffix = mesh.suffix.lower()
    if suffix == ASSET_SUFFIX:
        beside = mesh_beside_asset(mesh)
        meshes = [] if beside is None else [beside, *companions(beside)]
        return [*meshes, *files_of_asset(mesh)]
    if suffix == ".obj":  # whichever of them it names: they are small
        return sorted(mesh.parent.glob("*.[mM][tT][lL]"))
    if suffix != ".gltf":
        return []
    try:
        buffers = json.loads(mesh.read_text(encoding="utf-8-sig")).get("buffers", [])
        names = [each.get("uri", "") for each in buffers]
    except (OSError, ValueError, AttributeError):  # the model says what is wrong with it
        return []
    found = []
    for name in names:
        path = mesh.parent / unquote(name)
        path = path if path.is_file() else mesh.parent / path.name
        if name and not urlsplit(name).scheme and path.is_file():
            found.append(Path(os.path.abspath(path)))  # noqa: PTH100  keeps links as named
    return found


def pack_scenario(config_file: Path, resources: Path) -> tuple[Config, Packing]:
    """Write a configuration and the files that it names into an FMU's resources.

    Parameters
    ----------
    config_file : Path
        The configuration.
    resources : Path
        Folder of the resources.

    Returns
    -------
    Config, Packing
        The configuration as packed, and what was packed.

    Raises
    ------
    ConfigurationError
        The configuration cannot be used.
    BuildError
        A file cannot be packed.
    """
    config = load_config(config_file)
    packing = Packing()
    data: dict[str, Any] = config.resolved()
    for key, path in named_paths(config):
        if key.startswith(FOLDERS):
            wanted = names_mesh if key.startswith("scene") else names_material
            _replace(data, key, packing.add_folder(path, wanted))
        else:
            _replace(data, key, packing.add(path))
    target = resources / PACKED_CONFIG
    target.parent.mkdir(parents=True)
    packing.copy(target.parent)
    target.write_text(yaml.safe_dump(data, sort_keys=False), encoding="utf-8")
    return load_config(target), packing


def _replace(data: Any, key: str, value: str) -> None:  # noqa: ANN401
    """Put a value at a key path such as ``scene.objects[1].mesh``."""
    words = key.replace("[", ".").replace("]", "").split(".")
    steps = [int(word) if word.isdigit() else word for word in words]
    for step in steps[:-1]:
        data = data[step]
    data[steps[-1]] = value
