# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The files of a configuration, and the configuration that names them inside an archive.

Files are packed with their dependencies: the material libraries of a mesh, the mapping and the
materials of an asset. From search folders, all meshes are packed, or those that a trace uses; from
folders of spectra and curves, those that the mapping uses; from OpenMATERIAL 3D folders, all
materials. Textures are left out unless `scene.images` reads them, and so are files that the model
may not read.
"""

from __future__ import annotations

import logging
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from material_mapping import files_of_database, files_of_material
from osi_lidar.config import named_paths
from osi_lidar.config.fidelity import SECTIONS
from osi_lidar.run.packing.layout import Layout
from raycore.mesh.companions import companion_files
from raycore.mesh.mesh_names import ASSET_SUFFIX, mesh_beside_asset, names_mesh

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from pydantic import BaseModel

    from material_mapping import MaterialResolver
    from osi_lidar.config import Config

logger = logging.getLogger(__name__)


class Packing:
    """Collects the files that a configuration needs, to pack them into an archive.

    Parameters
    ----------
    config : Config
        The configuration. All files that it names are added, except for databases.
    layout : Layout, optional
        Collects the files; default: the layout of an FMU.
    used : collection of Path, optional
        Meshes and assets of search folders to pack, by paths without links; default: all of them.

    Attributes
    ----------
    layout : Layout
        The files so far, each with its place in the archive.

    Raises
    ------
    InputError
        A file cannot be packed.
    RayCoreError, MaterialError
        A file cannot be used.
    """

    def __init__(
        self, config: Config, layout: Layout | None = None, *, used: Collection[Path] | None = None
    ) -> None:
        self.layout = Layout() if layout is None else layout
        self._config = config
        self._used = used
        self._kinds: list[str] = []
        self._roots = [folder.resolve() for folder in config.scene.search]
        self._images = config.scene.images == "base_color"
        for folder in self._roots:
            self._add_search_folder(folder)
        for _, path in named_paths(config):
            if not path.is_dir():
                self._add_named(real_folder(path))

    def add_databases(self, names: Mapping[str, Sequence[str]]) -> None:
        """Add the files of the configured databases of materials.

        Parameters
        ----------
        names : mapping of str to sequence of str
            Materials in use, by the folder of their database, see `materials_by_database`.
        """
        for database in self._config.materials.databases:
            folder = database.folder.resolve()
            self.layout.add_folder(folder)
            kind, files = files_of_database(
                folder, kind=database.kind, names=names.get(str(database.folder), [])
            )
            self._kinds.append(kind)
            for place, file in files.items():
                self.layout.add(place, file, leading=folder)

    def add_beside(self, trace: Path, folder: Path, meshes: Collection[Path]) -> None:
        """Add a trace, and the meshes and assets in its folder, with their dependencies.

        Parameters
        ----------
        trace : Path
            The trace.
        folder : Path
            Folder of the trace, without links.
        meshes : collection of Path
            Meshes and assets that the trace names, by paths without links. Those outside of the
            folder are left out.
        """
        self._roots.insert(0, folder)
        self.layout.add(trace)
        for file in sorted(meshes):
            if file.is_relative_to(folder):
                self._add_used(file, file, leading=trace)

    def write_config(self, target: Path) -> None:
        """Write the configuration as YAML, with the paths that its files have inside the archive.

        Sections of ideal sensors keep only the keys that the user has set.

        Parameters
        ----------
        target : Path
            The YAML file to write, on this machine; an existing file is replaced.

        Raises
        ------
        InputError
            If the name of a file is not allowed in an archive.
        """
        data: dict[str, Any] = self._config.resolved()
        _leave_to_fidelity(self._config, data["sensors"])
        for index, kind in enumerate(self._kinds):
            data["materials"]["databases"][index]["kind"] = kind
        self.write(self._config, data, target)

    def write(self, section: BaseModel, data: dict[str, Any], target: Path) -> None:
        """Write a section of a configuration as YAML, with the paths inside the archive.

        Parameters
        ----------
        section : pydantic model
            The section; its fields say which of its values are paths.
        data : dict
            The values of ``section`` by key, nested as in YAML. It is changed in place: its paths
            are replaced by the paths inside the archive.
        target : Path
            The YAML file to write, on this machine; an existing file is replaced.

        Raises
        ------
        InputError
            If the name of a file is not allowed in an archive.
        """
        for key, path in named_paths(section):
            _replace(data, key, self.layout.place(real_folder(path)))
        target.write_text(yaml.safe_dump(data, sort_keys=False), encoding="utf-8")

    def _add_named(self, path: Path) -> None:
        """Add a file named by the configuration; the file and its dependencies may be anywhere."""
        self._add_mesh(path, path, None)
        mesh = mesh_beside_asset(path) if path.suffix.lower() == ASSET_SUFFIX else None
        if mesh is not None:
            self._add_mesh(mesh, mesh, None)
            self._add_materials(path, path, [path.parent, *self._roots])

    def _add_search_folder(self, folder: Path) -> None:
        """Add all meshes of a search folder, or only the meshes in ``used``."""
        self.layout.add_folder(folder)
        for place in _meshes_below(folder, told=self._used is None):
            file = _confined(place, self._roots)
            if self._used is not None and file not in self._used:
                continue
            if file is None:
                logger.warning("%s: not packed, it links to no file in the search folders", place)
                continue
            self._add_used(place, file)

    def _add_used(self, place: Path, file: Path, *, leading: Path | None = None) -> None:
        """Add a mesh or an asset that a trace names, with the mesh beside an asset."""
        self._add_mesh(place, file, self._roots, leading=leading)
        beside = mesh_beside_asset(file) if file.suffix.lower() == ASSET_SUFFIX else None
        mesh = _confined(beside, self._roots) if beside is not None else None
        if beside is not None and mesh is not None:
            inner = place.with_suffix(beside.suffix)
            self._add_mesh(inner, mesh, self._roots, leading=leading)
            self._add_materials(place, file, self._roots)

    def _add_mesh(
        self,
        place: Path,
        file: Path,
        roots: Sequence[Path] | None,
        *,
        leading: Path | None = None,
    ) -> None:
        self.layout.add(place, file, leading=leading)
        for name, companion in companion_files(file, roots=roots, images=self._images).items():
            self.layout.add(place.parent / name, companion, leading=place)

    def _add_materials(self, place: Path, asset: Path, roots: Sequence[Path]) -> None:
        """Add the mapping and the materials that an asset refers to."""
        for inner, file in files_of_material(asset, roots, place=place).items():
            self.layout.add(inner, file, leading=place)


def materials_by_database(materials: MaterialResolver) -> dict[str, list[str]]:
    """Return the names of the infrared materials in use, by the folder of their database.

    Parameters
    ----------
    materials : MaterialResolver
        The materials of a model.

    Returns
    -------
    dict of str to list of str
        Names by folder. The key "" has the materials without a database: built-in ones, and ones of
        mapping tables.
    """
    found: dict[str, list[str]] = {}
    for entry in materials.entries.values():
        found.setdefault(entry.database, []).append(entry.name)
    return found


def real_folder(path: Path) -> Path:
    """Return a path in which all links to folders are replaced by their targets.

    So ``..`` after a link means the parent of the target. A file that is itself a link is not
    replaced, because its name determines how it is read.
    """
    return path.resolve() if path.is_dir() else path.parent.resolve() / path.name


def _meshes_below(folder: Path, *, told: bool) -> Iterator[Path]:
    """Yield the mesh files and assets below a folder, without following links to folders."""
    for parent, folders, names in os.walk(folder):
        folders.sort()
        for name in folders:
            if told and Path(parent, name).is_symlink():
                logger.warning(
                    "%s: not packed (link to a folder); copy the folder", Path(parent, name)
                )
        yield from (Path(parent, name) for name in sorted(names) if names_mesh(name))


def _confined(path: Path, roots: Sequence[Path]) -> Path | None:
    """Return the file at a path, None if a trace may not refer to it."""
    try:
        real = path.resolve(strict=True)
    except (OSError, RuntimeError):  # a dangling link, a loop of links
        return None
    inside = any(real.is_relative_to(root) for root in roots)
    return real if inside and real.is_file() else None


def _leave_to_fidelity(config: Config, data: list[dict[str, object]]) -> None:
    """Remove defaults from sections of ideal sensors; only keys that the user has set remain.

    Otherwise these defaults would replace the figures of the known sensor if the packed
    configuration is run with ``fidelity: physical``.
    """
    for sensor, packed in zip(config.sensors, data, strict=True):
        for name in SECTIONS if sensor.fidelity == "ideal" else ():
            section: BaseModel | None = getattr(sensor, name)
            if section is not None:
                packed[name] = section.model_dump(mode="json", exclude_unset=True)


def _replace(data: Any, key: str, value: str) -> None:  # noqa: ANN401
    """Replace the value at a key path such as ``scene.objects[1].mesh``."""
    words = key.replace("[", ".").replace("]", "").split(".")
    steps = [int(word) if word.isdigit() else word for word in words]
    for step in steps[:-1]:
        data = data[step]
    data[steps[-1]] = value
