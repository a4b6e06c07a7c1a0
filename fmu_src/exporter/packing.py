# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Packing of a scenario into an FMU: a configuration and every file that it names.

Files are packed with their dependencies: the material libraries of a mesh, the mapping and the
materials of an asset. From search folders, all meshes are packed; from folders of spectra and
curves, those that the mapping uses; from OpenMATERIAL 3D folders, all materials. Textures are left
out because no reader opens them, and so are files that the model may not read. Scan patterns that
a master may select are packed beside the configuration.
"""

from __future__ import annotations

import logging
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from fmu_src.contents import PACKED_CONFIG
from fmu_src.errors import BuildError
from fmu_src.exporter.layout import TREES, Layout, check_name
from material_mapping import MaterialError, files_of_database, files_of_material
from osi_lidar.config import Config, load_config, named_paths
from osi_lidar.config.fidelity import SECTIONS
from osi_lidar.config.patterns.texts import load_pattern, source_of
from osi_lidar.model import LidarModel
from osi_lidar.scan.from_config import scan_pattern
from raycore.errors import RayCoreError
from raycore.mesh.companions import companion_files
from raycore.mesh.mesh_names import ASSET_SUFFIX, mesh_beside_asset, names_mesh

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pydantic import BaseModel

    from osi_lidar.config import Database, WeatherSection
    from osi_lidar.config.patterns.section import PatternSection

logger = logging.getLogger(__name__)


def pack_scenario(
    config_file: Path,
    resources: Path,
    patterns: Sequence[Path] = (),
    *,
    weather: WeatherSection | None = None,
) -> tuple[Config, tuple[Path, ...]]:
    """Write a configuration and the files that it names into an FMU's resources.

    Parameters
    ----------
    config_file : Path
        The configuration.
    resources : Path
        Folder of the resources.
    patterns : sequence of Path
        Scan pattern files, which keep their names.
    weather : WeatherSection, optional
        Weather in place of that of the configuration.

    Returns
    -------
    Config, tuple of Path
        The packed configuration, and the files packed with it.

    Raises
    ------
    ConfigurationError
        The configuration cannot be used.
    BuildError
        A file cannot be used or cannot be packed.
    """
    config = load_config(config_file)
    if weather is not None:
        config = config.model_copy(update={"weather": weather})
    data: dict[str, Any] = config.resolved()
    _leave_to_fidelity(config, data["sensors"])
    try:
        pattern_at = _patterns_by_name(patterns, scan_pattern(config.sensors[0]).period_s)
        names = _materials_by_database(config)
        packing = _Packing(config)
        for index, database in enumerate(config.materials.databases):
            kind = packing.add_database(database, names.get(str(database.folder), []))
            data["materials"]["databases"][index]["kind"] = kind
    except (MaterialError, RayCoreError) as error:
        raise BuildError(str(error)) from error
    for pattern in pattern_at.values():
        for _, path in named_paths(pattern):
            packing.layout.add(_real_folder(path))
    target = resources / PACKED_CONFIG
    target.parent.mkdir(parents=True)
    packing.layout.copy(target.parent)
    packing.write(config, data, target)
    for name, pattern in pattern_at.items():
        packing.write(pattern, pattern.model_dump(mode="json"), target.parent / name)
    return load_config(target), (*packing.layout.files, *patterns)


def _leave_to_fidelity(config: Config, data: list[dict[str, object]]) -> None:
    """Take the defaults out of sections of ideal sensors that `fidelity` completes later.

    These keep the user's own keys: a default beside them would stand where ``fidelity: physical``
    has the figure of the known sensor.
    """
    for sensor, packed in zip(config.sensors, data, strict=True):
        for name in SECTIONS if sensor.fidelity == "ideal" else ():
            section: BaseModel | None = getattr(sensor, name)
            if section is not None:
                packed[name] = section.model_dump(mode="json", exclude_unset=True)


def _patterns_by_name(files: Sequence[Path], period_s: float) -> dict[str, PatternSection]:
    """Return patterns by the names of their files beside the configuration.

    The beams of each pattern are checked in a scan of this duration [s].
    """
    found: dict[str, PatternSection] = {}
    for file in files:
        if file.name in found or file.name in (Path(PACKED_CONFIG).name, TREES):
            raise BuildError(f"{file}: the FMU has another file of that name in the same folder")
        check_name(file, file.name)
        found[file.name] = load_pattern(file)
        source_of(found[file.name], period_s=period_s, name=str(file))
    return found


def _materials_by_database(config: Config) -> dict[str, list[str]]:
    """Return the names of the materials in use, by the folders that they come from."""
    found: dict[str, list[str]] = {}
    for entry in LidarModel(config).materials.entries.values():
        found.setdefault(entry.database, []).append(entry.name)
    return found


class _Packing:
    """Collection of the files of a configuration.

    Parameters
    ----------
    config : Config
        The configuration. All files that it names are added, except for databases.
    """

    def __init__(self, config: Config) -> None:
        self.layout = Layout()
        self._roots = [folder.resolve() for folder in config.scene.search]
        self._images = config.scene.images == "base_color"
        for folder in self._roots:
            self._add_search_folder(folder)
        for _, path in named_paths(config):
            if not path.is_dir():
                self._add_named(_real_folder(path))

    def add_database(self, database: Database, names: Sequence[str]) -> str:
        """Add the files of a database that contain these materials; return its kind."""
        folder = database.folder.resolve()
        self.layout.add_folder(folder)
        kind, files = files_of_database(folder, kind=database.kind, names=names)
        for place, file in files.items():
            self.layout.add(place, file, leading=folder)
        return kind

    def write(self, section: BaseModel, data: dict[str, Any], target: Path) -> None:
        """Write a section to a file, with the paths inside the FMU of the files that it names."""
        for key, path in named_paths(section):
            _replace(data, key, self.layout.place(_real_folder(path)))
        target.write_text(yaml.safe_dump(data, sort_keys=False), encoding="utf-8")

    def _add_named(self, path: Path) -> None:
        """Add a file named by the configuration; the file and its dependencies may be anywhere."""
        self._add_mesh(path, path, None)
        mesh = mesh_beside_asset(path) if path.suffix.lower() == ASSET_SUFFIX else None
        if mesh is not None:
            self._add_mesh(mesh, mesh, None)
            self._add_materials(path, path, [path.parent, *self._roots])

    def _add_search_folder(self, folder: Path) -> None:
        """Add the meshes of a folder that a trace may name."""
        self.layout.add_folder(folder)
        for place in self._meshes_below(folder):
            file = self._confined(place)
            if file is None:
                logger.warning("%s: not packed, it leads to no file in the search folders", place)
                continue
            self._add_mesh(place, file, self._roots)
            beside = mesh_beside_asset(file) if file.suffix.lower() == ASSET_SUFFIX else None
            mesh = self._confined(beside) if beside is not None else None
            if beside is not None and mesh is not None:
                self._add_mesh(place.with_suffix(beside.suffix), mesh, self._roots)
                self._add_materials(place, file, self._roots)

    def _meshes_below(self, folder: Path) -> Iterator[Path]:
        for parent, folders, names in os.walk(folder):  # like the model, without following links
            folders.sort()
            for name in folders:
                if Path(parent, name).is_symlink():
                    logger.warning("%s: not packed, it is a link to a folder", Path(parent, name))
            yield from (Path(parent, name) for name in sorted(names) if names_mesh(name))

    def _confined(self, path: Path) -> Path | None:
        """Return the file at a path, None if a trace may not refer to it."""
        try:
            real = path.resolve(strict=True)
        except (OSError, RuntimeError):  # a dangling link, a loop of links
            return None
        inside = any(real.is_relative_to(root) for root in self._roots)
        return real if inside and real.is_file() else None

    def _add_mesh(self, place: Path, file: Path, roots: Sequence[Path] | None) -> None:
        self.layout.add(place, file)
        for name, companion in companion_files(file, roots=roots, images=self._images).items():
            self.layout.add(place.parent / name, companion, leading=place)

    def _add_materials(self, place: Path, asset: Path, roots: Sequence[Path]) -> None:
        """Add the mapping and the materials that an asset refers to."""
        for inner, file in files_of_material(asset, roots, place=place).items():
            self.layout.add(inner, file, leading=place)


def _real_folder(path: Path) -> Path:
    """Return a path without links to folders, because ``..`` would lead out of their targets.

    A file that is a link keeps its name, which determines how it is read.
    """
    return path.resolve() if path.is_dir() else path.parent.resolve() / path.name


def _replace(data: Any, key: str, value: str) -> None:  # noqa: ANN401
    """Replace the value at a key path such as ``scene.objects[1].mesh``."""
    words = key.replace("[", ".").replace("]", "").split(".")
    steps = [int(word) if word.isdigit() else word for word in words]
    for step in steps[:-1]:
        data = data[step]
    data[steps[-1]] = value
