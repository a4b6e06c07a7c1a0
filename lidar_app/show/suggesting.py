# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Suggestions of infrared materials for the visual materials of the meshes of a configuration.

Meshes come from the environment and the rules of the configuration. With a trace, meshes of its
objects and its environment are added. Without a trace, all mesh files in the folders of
``scene.search`` are added, because a trace may use any of them.
"""

from __future__ import annotations

import logging
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from lidar_base.files.whole_files import replacing
from material_mapping.mapping.suggest import THRESHOLD, mapping_text, suggest_all
from osi_bridge import DamagedTrace, empty_frame
from osi_lidar.config import check_files, load_config
from osi_lidar.config.models import DEFAULT_MATERIAL
from osi_lidar.errors import ConfigurationError, OutputError
from osi_lidar.model import LidarModel
from osi_lidar.world.mesh_library import MeshLibrary, meshes_by_file
from raycore.errors import MeshError
from raycore.mesh.finder import MeshFinder, meshes_below
from raycore.mesh.mesh_names import ASSET_SUFFIX, mesh_beside_asset
from raycore.scene.graph import SceneGraph

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from material_mapping.mapping.suggest import Suggestion
    from osi_lidar.config import Config, SceneSection
    from osi_lidar.run.frame_source import FrameSource
    from raycore.mesh.materials import VisualMaterial

    Visuals: TypeAlias = list[tuple[str, VisualMaterial]]

logger = logging.getLogger(__name__)

YAML_SUFFIXES = (".yaml", ".yml")


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """Suggested infrared materials for the visual materials of a configuration's meshes.

    Attributes
    ----------
    suggestions : tuple of Suggestion
        A suggestion for each visual material.
    now : dict of str to str
        The current infrared material and its rule, by name of the visual material in lower case.
    meshes : tuple of str
        Names of the meshes that were read.
    damage : DamagedTrace or None
        Where the trace is damaged; None if it is not.
    """

    suggestions: tuple[Suggestion, ...]
    now: dict[str, str]
    meshes: tuple[str, ...]
    damage: DamagedTrace | None = None

    @property
    def unsure(self) -> frozenset[str]:
        """Visual materials with an uncertain suggestion, which is a comment in the mapping file."""
        return frozenset(each.visual_name for each in self.suggestions if each.score < THRESHOLD)

    @property
    def text(self) -> str:
        """The content of a mapping file (YAML) with the suggestions."""
        return mapping_text(list(self.suggestions))


def propose(
    config_path: Path,
    source: FrameSource | None = None,
    *,
    unmapped_only: bool = False,
    on_mesh: Callable[[int], object] = lambda _: None,
) -> Proposal:
    """Suggest an infrared material for every visual material in the meshes of a configuration.

    Parameters
    ----------
    config_path : Path
        The configuration; its mapping table may be absent, because it may be the file to make.
    source : FrameSource, optional
        The trace, whose objects may name further meshes; default: all meshes in search folders.
    unmapped_only : bool
        Leave out materials that a rule of the configuration, an asset or a database covers.
    on_mesh : callable
        Called after each mesh in the search folders, with the number of meshes done.

    Raises
    ------
    ConfigurationError
        If the configuration cannot be used, or has no mesh.
    MeshError
        If a mesh in the configuration is not usable.
    """
    config = _configuration(config_path)
    model = LidarModel(config, trace_folder=None if source is None else source.path.parent)
    damage = None
    if source is None:
        model.world.update(empty_frame())
        read = model.world.library
        library = MeshLibrary(SceneGraph(), model.materials, read.loaded)
        library.copies = read.copies
        _read_search_folders(config.scene, library, on_mesh)
    else:
        damage = _follow(source, model)
    meshes = meshes_by_file(model.world.library).values()
    if not meshes:
        hint = (
            "" if source is not None else ("; if a trace names the meshes, give the trace as TRACE")
        )
        raise ConfigurationError(f"{config_path}: no mesh to suggest materials for{hint}")
    visuals = dict.fromkeys((mesh.name, visual) for mesh in meshes for visual in mesh.materials)
    decided, now = _as_today(model)
    if unmapped_only:
        visuals = {pair: None for pair in visuals if (pair[0], pair[1].name) not in decided}
    return Proposal(
        suggestions=tuple(suggest_all(visuals)),
        now=now,
        meshes=tuple(dict.fromkeys(mesh.name for mesh in meshes)),
        damage=damage,
    )


def _configuration(path: Path) -> Config:
    """Return the configuration, without its mapping table if that does not exist yet.

    A default material is set, so that materials without a rule cause no error.
    """
    config = load_config(path, check=False)
    if config.materials.default is None:
        config = config.with_default_material(DEFAULT_MATERIAL)
    mapping = config.materials.mapping
    if mapping is not None and not mapping.exists():
        materials = config.materials.model_copy(update={"mapping": None})
        config = config.model_copy(update={"materials": materials})
    problems = check_files(config)
    if problems:
        raise ConfigurationError(f"{path}: {problems[0]}")
    return config


def _follow(source: FrameSource, model: LidarModel) -> DamagedTrace | None:
    """Update the world with all messages of the trace, without tracing rays."""
    try:
        for frame in source:
            model.world.update(frame)
    except DamagedTrace as damage:
        return damage
    return None


def _read_search_folders(
    scene: SceneSection, library: MeshLibrary, on_mesh: Callable[[int], object]
) -> None:
    finder, seen = MeshFinder(None, scene.search), set[Path]()
    for done, path in enumerate(_assets_first(scene.search), start=1):
        mesh = mesh_beside_asset(path) if path.suffix.lower() == ASSET_SUFFIX else path
        real = None if mesh is None else finder.confined_file(mesh)
        if real is not None and real not in seen:
            seen.add(real)
            asset = path if mesh is not path else None
            try:
                library.from_file(real, roots=finder.roots, asset=asset)
            except MeshError as error:
                logger.warning("%s; skipped", error)
        on_mesh(done)


def _assets_first(search: Sequence[Path]) -> Iterator[Path]:
    """Yield the assets, then the meshes, of each search folder."""
    for found in meshes_below(search):
        yield from sorted(found, key=lambda path: path.suffix.lower() != ASSET_SUFFIX)


def _as_today(model: LidarModel) -> tuple[set[tuple[str, str]], dict[str, str]]:
    """Return the (mesh, visual name) pairs covered by a rule, and the current materials."""
    decided: set[tuple[str, str]] = set()
    words: dict[str, dict[str, None]] = {}
    for each in model.materials.resolved:
        if each.rule is not None:
            decided.add((each.mesh, each.visual_name))
    for each in model.materials.resolved:
        pair = each.mesh, each.visual_name
        if each.rule is not None or pair not in decided:
            shown = f"{each.material} ({each.rule or 'default'})"
            words.setdefault(each.visual_name.lower(), {})[shown] = None
    return decided, {name: "; ".join(found) for name, found in words.items()}


def check_target(path: Path, *, overwrite: bool, inputs: Sequence[Path]) -> None:
    """Check that a mapping table (YAML) may be written to a path.

    Parameters
    ----------
    path : Path
        The file to write; a path that does not exist is allowed.
    overwrite : bool
        Whether an existing file may be replaced.
    inputs : sequence of Path
        Files that must not be replaced.

    Raises
    ------
    OutputError
        If the path is one of `inputs`, or an existing file that is not YAML, or an existing file
        and `overwrite` is False.
    """
    if any(path.resolve() == other.resolve() for other in inputs):
        raise OutputError(f"{path}: the mapping would overwrite an input; choose another file")
    if not os.path.lexists(path):
        return
    if path.suffix.lower() not in YAML_SUFFIXES:
        raise OutputError(f"{path}: exists and is not a mapping (.yaml); choose another file")
    if not overwrite:
        raise OutputError(f"{path}: exists already; choose another file, or give --overwrite")


def write_mapping(text: str, path: Path) -> None:
    """Write a mapping table of materials, completely or not at all.

    `text` is the table in YAML. `path` is the file, which is replaced if it exists.

    Raises
    ------
    OutputError
        If the file cannot be written.
    """
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8")
