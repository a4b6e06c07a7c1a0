# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The choice of a mesh for each OSI object.

Nothing is loaded and nothing fails here: an object without a usable mesh becomes a box, and its
asset gives the reason. The pose of a mesh in the object's box is computed in ``placement``.
"""

from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from pathlib import Path

import numpy as np

from lidar_base.near_match import near_match
from material_mapping import Rule, rules_of
from osi_lidar.config.scene import EnvironmentMesh, Match, ObjectRule, SceneSection
from osi_lidar.world.assets.asset import Asset
from osi_lidar.world.placement import Matrix, environment_transform
from raycore.mesh.finder import MeshFinder
from raycore.mesh.mesh_names import (
    ASSET_SUFFIX,
    comes_upright,
    mesh_beside_asset,
    names_mesh,
    up_axis,
)

MOST_REFERENCES, LONGEST_REFERENCE = 10_000, 4096
"""Limits on the number and length of cached references, because a stream may run for weeks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Environment:
    """The static mesh that a trace names, and its pose.

    Attributes
    ----------
    path : Path or None
        The mesh file; None if there is no usable mesh.
    reason : str
        How the mesh was found, or why there is none.
    world_from_mesh : float64 (4, 4)
        Transform from the mesh, in the unit of its file, to the world. [m]
    asset_file : Path or None
        OpenMATERIAL 3D asset that names the mesh; None without one.
    """

    path: Path | None
    reason: str
    world_from_mesh: Matrix = field(default_factory=lambda: np.eye(4))
    asset_file: Path | None = None


class AssetResolver:
    """Finds the mesh of each OSI object: by the object rules, else by OSI's model_reference.

    Parameters
    ----------
    scene : SceneSection
        Rules and search folders.
    trace_folder : Path or None
        Folder of the trace that names meshes; None without a trace.
    """

    def __init__(self, scene: SceneSection, trace_folder: Path | None) -> None:
        self._rules = scene.objects
        self._finder = MeshFinder(trace_folder, scene.search)
        self.trace_folder = trace_folder
        self._search = scene.search
        self._found: dict[str, Asset] = {}
        self._used: set[int] = set()
        self._type_names: set[str] = set()
        self._subtype_names: set[str] = set()

    @property
    def roots(self) -> tuple[Path, ...]:
        """Folders from which a trace may name files."""
        return self._finder.roots

    @property
    def by_reference(self) -> dict[str, Path | None]:
        """Mesh file of each model_reference looked up so far; None if it names no usable file."""
        return {reference: asset.path for reference, asset in self._found.items()}

    @property
    def rule_assets(self) -> tuple[Asset, ...]:
        """Assets of the object rules that name a mesh, in order; missing files are left out."""
        named = enumerate(self._rules)
        assets = [self._by_rule(index, rule, "") for index, rule in named if rule.mesh is not None]
        return tuple(asset for asset in assets if asset.path is not None)

    @property
    def unused_rules(self) -> tuple[str, ...]:
        """A text for each object rule that has matched no object; it may suggest a similar name."""
        return tuple(
            f"scene.{_rule_name(index, rule.match)}{self._near_match(rule.match)}"
            for index, rule in enumerate(self._rules)
            if index not in self._used
        )

    @property
    def material_rules(self) -> tuple[Rule, ...]:
        """The material rules of those object rules that name a mesh or have matched an object."""
        return tuple(
            one
            for index, rule in enumerate(self._rules)
            if index in self._used or rule.mesh is not None
            for one in object_material_rules(index, rule)
        )

    def resolve(
        self, model_reference: str, type_name: str, subtype_name: str, object_id: int
    ) -> Asset:
        """Return the asset of an object; its ``path`` is None if no mesh is found.

        The first rule that matches decides, and counts as used. If it names no mesh, or if no rule
        matches, the mesh is looked up by ``model_reference``.

        Parameters
        ----------
        model_reference : str
            OSI's model_reference; empty if there is none.
        type_name, subtype_name : str
            OSI's names, such as ``TYPE_VEHICLE`` and ``TYPE_CAR``.
        object_id : int
            OSI id.
        """
        self._type_names.add(_type(type_name))
        self._subtype_names.add(_type(subtype_name))
        for index, rule in enumerate(self._rules):
            if _matches(rule.match, model_reference, type_name, subtype_name, object_id):
                self._used.add(index)
                return self._by_rule(index, rule, model_reference)
        return self._by_reference(model_reference)

    def resolve_environment(self, reference: str) -> Environment:
        """Return the environment that a trace names, not loaded, at the origin of the world.

        ``reference`` is OSI's model_reference of the environment. The result's ``path`` is None if
        no mesh is found.
        """
        asset = self._by_reference(reference)
        if asset.path is None:
            return Environment(path=None, reason=asset.reason)
        entry = EnvironmentMesh(mesh=asset.path)
        return Environment(
            path=asset.path,
            reason=asset.reason,
            world_from_mesh=environment_transform(entry),
            asset_file=asset.asset_file,
        )

    def resolve_map(self, reference: str) -> Path | None:
        """Return the map file that a trace names by ``reference``, a file name or path.

        None if the file is absent, or the name is too long.
        """
        return self._finder.find_map(reference) if len(reference) <= LONGEST_REFERENCE else None

    def _near_match(self, match: Match) -> str:
        """Return ``, did you mean 'CAR'?`` for a misspelt type, else an empty string."""
        for name, known in ((match.type, self._type_names), (match.subtype, self._subtype_names)):
            if name is not None and _type(name) not in known:
                return near_match(_type(name), sorted(known))
        return ""

    def _by_rule(self, index: int, rule: ObjectRule, model_reference: str) -> Asset:
        name = _rule_name(index, rule.match)
        if rule.mesh is None:
            asset = self._by_reference(model_reference)
            reason = f"{name}, {asset.reason}"
        else:
            asset = _asset_of_file(rule.mesh, f"mesh '{rule.mesh}'")
            reason = name if asset.path is not None else f"{name}, {asset.reason}"
        upright = asset.path is not None and comes_upright(asset.path)
        up = asset.up if rule.up == "auto" or upright else rule.up
        forward = asset.forward if rule.forward == "auto" else rule.forward
        return replace(
            asset,
            up=up,
            forward="auto" if forward.lstrip("-") == up else forward,
            origin=asset.origin if rule.origin == "auto" else rule.origin,
            scale=rule.scale,
            fit=rule.fit,
            reason=reason,
            rules=object_material_rules(index, rule),
        )

    def _by_reference(self, reference: str) -> Asset:
        if len(reference) > LONGEST_REFERENCE:  # too long to cache
            return self._find(reference)
        if reference not in self._found:
            if len(self._found) >= MOST_REFERENCES:
                self._found.clear()
            self._found[reference] = self._find(reference)
        return self._found[reference]

    def _find(self, reference: str) -> Asset:
        if not reference:
            return Asset(path=None, reason="no model_reference")
        named = f"model_reference {_quoted(reference)}"
        if not names_mesh(reference):
            return Asset(path=None, reason=f"{named} does not name a mesh file")
        path = self._finder.find(reference)
        if path is None:
            return Asset(path=None, reason=f"{named} {self._why_not_found(reference)}")
        asset = _asset_of_file(path, named)
        if asset.path is None:
            return asset
        mesh = self._finder.confined_file(asset.path)  # an asset's mesh may be a link
        if mesh is None:
            return Asset(path=None, reason=f"{named}: its mesh links out of the search folders")
        return replace(asset, path=mesh, roots=self._finder.roots)

    def _why_not_found(self, reference: str) -> str:
        outside = self._finder.find_outside(reference)
        if outside is None:
            return f"not found {self._places()}"
        return (
            f"lies outside of the trace's folder, at {_quoted(str(outside))}: a folder of "
            "scene.search lets it in"
        )

    def _places(self) -> str:
        places = ["beside the trace"] if self.trace_folder is not None else []
        if self._search:
            places.append("in " + ", ".join(str(folder) for folder in self._search))
        return " or ".join(places) + ("" if self._search else " (scene.search names no folder)")


def _asset_of_file(path: Path, named: str) -> Asset:
    """Return the asset of a mesh file or OpenMATERIAL 3D asset file, with its axes."""
    if path.suffix.lower() != ASSET_SUFFIX:
        return Asset(path=path, up=up_axis(path), reason=named)
    mesh = mesh_beside_asset(path)
    if mesh is None:
        return Asset(path=None, reason=f"{named}: no mesh file of the same name beside it")
    # OpenMATERIAL 3D: the origin is the bounding box's centre projected to the ground, x is forward
    return Asset(
        path=mesh,
        up=up_axis(mesh),
        forward="x",
        origin="ground",
        reason=named,
        asset_file=path,
    )


def _matches(
    match: Match, model_reference: str, type_name: str, subtype_name: str, object_id: int
) -> bool:
    return (
        (match.model_reference is None or fnmatchcase(model_reference, match.model_reference))
        and (match.type is None or _type(match.type) == _type(type_name))
        and (match.subtype is None or _type(match.subtype) == _type(subtype_name))
        and (match.id is None or object_id in match.id)
    )


def _type(name: str) -> str:
    """Return an OSI type in upper case without its prefix: ``CAR`` for ``TYPE_CAR`` and ``car``."""
    return name.upper().removeprefix("TYPE_")


def object_material_rules(index: int, rule: ObjectRule) -> tuple[Rule, ...]:
    """Return the material rules of ``rule``, the entry ``scene.objects[index]``."""
    return rules_of(rule.materials, key=f"scene.objects[{index}].materials")


def _rule_name(index: int, match: Match) -> str:
    given = {key: value for key, value in match if value is not None}
    if match.id is not None:
        given["id"] = match.id[0] if len(match.id) == 1 else list(match.id)
    return f"objects[{index}] ({', '.join(f'{key} {value}' for key, value in given.items())})"


def _quoted(reference: str, limit: int = 120) -> str:
    """Return text from a trace in quotes for a table: one line, no control characters, bounded."""
    text = "".join(c if c.isprintable() else "?" for c in reference)
    return f"'{text}'" if len(text) <= limit else f"'..{text[-limit:]}'"
