# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Assignment of an infrared material to every visual material, with its reason."""

from __future__ import annotations

from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Protocol

from lidar_base.near_match import near_match
from material_mapping.bands import band_between
from material_mapping.entry import DEFAULT_WAVELENGTH_NM
from material_mapping.errors import (
    MappingError,
    MaterialError,
    UnknownMaterialError,
    UnmappedMaterialError,
)
from material_mapping.mapping.suggest import SURE, suggest
from material_mapping.mapping.visual import rgb_key
from material_mapping.table import MaterialTable

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from lidar_base.unfollowed import NotFollowed
    from material_mapping.entry import MaterialEntry
    from material_mapping.mapping.rules import MaterialMapping, Rule
    from material_mapping.mapping.visual import Visual

SYNTHETIC_RULES: Mapping[str, str | None] = MappingProxyType(
    {"ground": "asphalt_worn", "box": None}
)
"""Infrared material of the ground and of boxes without a mesh, by name; None: the default one."""

GUESS = "guess: "
"""Start of `ResolvedMaterial.rule` of a guessed material; the evidence follows, in words."""
ALIKE_NM = 100.0
"""Wavelengths at most this far apart count as equal, if no absorption band is between. [nm]"""


class Source(Protocol):
    """A source of infrared materials other than the built-in ones."""

    @property
    def names(self) -> Iterable[str]:
        """Names of all materials of this source."""

    @property
    def problems(self) -> Sequence[str]:
        """Problems in the source's files that do not prevent its use; one line each."""

    @property
    def not_followed(self) -> Mapping[Path, tuple[NotFollowed, ...]]:
        """Contents that are ignored, for each file that was read so far."""

    def get(self, name: str) -> MaterialEntry | None:
        """Return a material, or None if no material has this name; may raise MaterialError."""

    def rule_for(self, visual: Visual) -> Rule | None:
        """Return the rule for a visual material from this source's own mapping, or None."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ResolvedMaterial:
    """How one visual material was resolved.

    Attributes
    ----------
    visual_name, mesh, material : str
        Names of the visual material, its mesh file (empty: no mesh), and the infrared material.
    rule : str or None
        The rule that matched, ``"built-in"`` for a synthetic surface, ``"guess: .."`` with the
        evidence for a guess, None for the default.
    problems : tuple of str
        Matching rules whose material cannot be used; one line each.
    """

    visual_name: str
    mesh: str
    material: str
    rule: str | None
    problems: tuple[str, ...] = ()

    @property
    def is_guessed(self) -> bool:
        """Whether the material was guessed from name and appearance, because no rule matched."""
        return self.rule is not None and self.rule.startswith(GUESS)


class MaterialResolver:
    """Assigns an infrared material to every visual material, and records each assignment.

    A material's id is its row in `MaterialTable`s: first the built-in materials in the order of
    their file, then the mapping table's, then others in the order of their first use.

    Parameters
    ----------
    builtin : mapping of str to MaterialEntry
        Materials besides the mapping's and the databases', normally `builtin_materials()`.
    mapping : MaterialMapping
        The user's rules.
    default : str or None
        Infrared material for visual names without a usable rule that are not guessed. With None,
        a name without a usable rule is an error.
    databases : sequence of Source
        Sources searched for names before the built-in materials, and for rules after the mapping.
    wavelengths_nm : sequence of float
        Wavelengths of the sensors, at which every material must be known.

    Attributes
    ----------
    databases : tuple of Source
        The sources, including their lists of problems and of ignored contents.
    entries : mapping of str to MaterialEntry
        All materials that have an id, in the order of their ids.

    Raises
    ------
    UnknownMaterialError
        `default` is not a known material.
    MaterialError
        The material of a rule is not known, or it or `default` has no data at a wavelength.
    """

    def __init__(
        self,
        builtin: Mapping[str, MaterialEntry],
        mapping: MaterialMapping,
        default: str | None,
        *,
        databases: Sequence[Source] = (),
        wavelengths_nm: Sequence[float] = (DEFAULT_WAVELENGTH_NM,),
    ) -> None:
        self._entries: dict[str, MaterialEntry] = {**builtin, **mapping.defined}
        self.entries: Mapping[str, MaterialEntry] = MappingProxyType(self._entries)
        self._own = frozenset(mapping.defined)
        self._mapping = mapping
        self._default = default
        self.databases = tuple(databases)
        self._wavelengths_nm = tuple(wavelengths_nm)
        self._ids = {name: row for row, name in enumerate(self._entries)}
        self._taken: set[str] = set()
        self._least_passing: dict[int, float] = {}
        self._most_passing: dict[int, float] = {}
        self._mirrors: set[int] = set()
        self._resolved: dict[tuple[object, ...], ResolvedMaterial] = {}
        self._tables: dict[tuple[float, int], MaterialTable] = {}
        if default is not None:
            self._take(default)
        for rule in mapping.rules:
            self.check(rule, file=mapping.file)

    @property
    def wavelengths_nm(self) -> tuple[float, ...]:
        """The wavelengths of the sensors [nm], for which `table` can be called."""
        return self._wavelengths_nm

    def check(self, rule: Rule, *, file: str) -> None:
        """Check that the infrared material of a user's rule is known, and give it an id (a row).

        Raise MappingError, with ``file`` as the faulty file, if it is unknown or cannot be used.
        """
        try:
            self._take(rule.material)
        except UnknownMaterialError:
            hint = near_match(rule.material, self._names()) or ", see `osi-lidar materials`"
            message = f"unknown infrared material {rule.material!r}{hint}"
            raise MappingError(message, file=file, key=rule.key) from None
        except MaterialError as error:
            raise MappingError(str(error), file=file, key=rule.key) from None

    def material_id(
        self,
        visual: Visual,
        *,
        mesh: str = "",
        own: tuple[Rule, ...] = (),
        asset: Source | None = None,
        remark: str = "",
    ) -> int:
        """Return the id of the infrared material for a visual material: its row in `table`.

        Raise UnmappedMaterialError if no usable rule matches the material, and there is no default.

        Parameters
        ----------
        visual : Visual
            The material, as its mesh file describes it.
        mesh : str
            Name of the mesh file.
        own : tuple of Rule
            Rules of the object that carries the material; they take precedence over all others.
        asset : Source, optional
            Materials and rules that come with the mesh; the user's take precedence over them.
        remark : str
            Why the mesh has no ``asset``; recorded in `resolved` if no usable rule matches.
        """
        key = (visual.name, visual.base_color, visual.texture, mesh, own, asset)
        if key not in self._resolved:
            self._resolved[key] = self._resolve(visual, mesh, own, asset, remark)
        return self._ids[self._resolved[key].material]

    def table(self, wavelength_nm: float) -> MaterialTable:
        """Return a table at a sensor's `wavelength_nm` of all materials that have an id so far."""
        key = wavelength_nm, len(self._entries)
        if key not in self._tables:
            rows = self._entries.values()
            self._tables[key] = MaterialTable.build(rows, wavelength_nm, self._mapping.texture)
        return self._tables[key]

    def lets_all_pass(self, material_id: int) -> bool:
        """Return whether material `material_id` passes all light at all angles, for all sensors."""
        return self._least_passing[material_id] == 1.0

    def lets_some_pass(self, material_id: int) -> bool:
        """Return whether material `material_id` lets rays pass at some angle, for some sensor."""
        return self._most_passing[material_id] > 0.0

    def mirrors_some(self, material_id: int) -> bool:
        """Return whether `material_id` mirrors rays of some ideal sensor; False for glass."""
        return material_id in self._mirrors

    @property
    def resolved(self) -> tuple[ResolvedMaterial, ...]:
        """All visual materials resolved so far, each once, in the order of their first use."""
        return tuple(dict.fromkeys(self._resolved.values()))

    @property
    def unmapped(self) -> tuple[ResolvedMaterial, ...]:
        """Visual materials that got the default: no usable rule matched, nothing was guessed.

        Boxes for missing meshes are left out. Each name occurs once, with its last mesh.
        """
        by_name = {each.visual_name: each for each in self.resolved if each.rule is None}
        return tuple(by_name.values())

    @property
    def guessed(self) -> tuple[ResolvedMaterial, ...]:
        """Visual materials guessed from name and appearance; each name once, with its last mesh."""
        by_name = {each.visual_name: each for each in self.resolved if each.is_guessed}
        return tuple(by_name.values())

    @property
    def without_rule(self) -> tuple[ResolvedMaterial, ...]:
        """Visual materials without a usable rule: `guessed`, `unmapped`, boxes for missing meshes.

        Without a default material in the configuration, each of them would be an error.
        """
        boxes = (each for each in self.resolved if each.rule == "built-in")
        on_default = (each for each in boxes if SYNTHETIC_RULES.get(each.visual_name, "") is None)
        return (*self.guessed, *self.unmapped, *on_default)

    @property
    def unused_rules(self) -> tuple[str, ...]:
        """Keys of mapping rules that gave no material so far, some with the nearest name in use."""
        return self.unused(self._mapping.rules)

    def unused(self, rules: Iterable[Rule]) -> tuple[str, ...]:
        """Return the keys of the given rules that decided no visual material so far.

        If a rule matches no visual name so far, a hint at the closest name follows its key.
        """
        used = {each.rule for each in self._resolved.values()}
        names = {each.visual_name for each in self._resolved.values()}
        unused = (rule for rule in rules if rule.key not in used)
        return tuple(
            rule.key + ("" if rule.matches(*names) else near_match(rule.pattern, names))
            for rule in unused
        )

    @property
    def stand_ins(self) -> tuple[tuple[str, float, float], ...]:
        """Used materials without data near a sensor's wavelength, whose data are from another one.

        Each is (name, sensor's wavelength, wavelength of the data) [nm]. The two wavelengths are
        more than 100 nm apart, or an absorption band is between them.
        """
        used = dict.fromkeys(each.material for each in self._resolved.values())
        return tuple(
            (name, wanted, taken)
            for name in used
            for wanted in dict.fromkeys(self._wavelengths_nm)
            if _differ(wanted, taken := self._entries[name].known_at_nm(wanted))
        )

    def _resolve(
        self,
        visual: Visual,
        mesh: str,
        own: tuple[Rule, ...],
        asset: Source | None,
        remark: str,
    ) -> ResolvedMaterial:
        problems: list[str] = []

        def done(material: str, rule: str | None) -> ResolvedMaterial:
            return ResolvedMaterial(
                visual_name=visual.name,
                mesh=mesh,
                material=material,
                rule=rule,
                problems=tuple(problems),
            )

        rule = next((one for one in own if one.matches(visual.name, rgb_key(visual))), None)
        rule = rule or self._mapping.rule_for(visual, mesh)
        if rule is not None:
            return done(rule.material, rule.key)
        sources = [*([asset] if asset is not None else []), *self.databases]
        for source in sources:
            found = source.rule_for(visual)
            if found is None:
                continue
            try:
                material = self._take(found.material, source)
            except MaterialError as error:
                problems.append(f"{found.key}: {error}")
                continue
            return done(material, found.key)
        if visual.name in SYNTHETIC_RULES:
            surface = SYNTHETIC_RULES[visual.name] or self._default
            if surface is not None:
                return done(self._take(surface), "built-in")
            problems.append("it stands for objects without a mesh")
        if remark:
            problems.append(remark)
        if self._default is None:
            raise UnmappedMaterialError(visual.name, mesh, problems)
        guess = self._guessed(visual, mesh)
        return done(self._default, None) if guess is None else done(*guess)

    def _guessed(self, visual: Visual, mesh: str) -> tuple[str, str] | None:
        """Return the suggested material and the reason, or None if the score is below `SURE`."""
        if not self._mapping.guess:
            return None
        proposed = suggest(visual, mesh)
        if proposed.score < SURE:
            return None
        try:
            return self._take(proposed.material), f"{GUESS}{proposed.reason}"
        except MaterialError:  # not known at a sensor's wavelength
            return None

    def _take(self, name: str, source: Source | None = None) -> str:
        """Give a material a row of the tables if all wavelengths are known; return its name.

        Set `source` if a rule of that source names the material: its own material then takes
        precedence over others of the same name.
        """
        entry = None if source is None or name in self._own else source.get(name)
        if entry is not None and (source not in self.databases or self._find(name) is not entry):
            name = self._free_name(entry)
            entry = replace(entry, name=name)
        if name in self._taken:
            return name
        entry = self._find(name) if entry is None else entry
        passing, mirrors = [], False
        for wavelength_nm in self._wavelengths_nm:
            entry.known_at_nm(wavelength_nm)
            entry.reflectivity(wavelength_nm)
            passing.append(entry.transmittance(wavelength_nm))
            mirrors |= bool(entry.mirrored(wavelength_nm).any())
        self._entries[name] = entry
        row = self._ids.setdefault(name, len(self._ids))
        self._least_passing[row] = min(float(share.min()) for share in passing)
        self._most_passing[row] = max(float(share.max()) for share in passing)
        if mirrors:
            self._mirrors.add(row)
        self._tables.clear()
        self._taken.add(name)
        return name

    def _free_name(self, entry: MaterialEntry) -> str:
        """Return the name of an entry, numbered if a row of another origin already has it."""
        name, number = entry.name, 2
        while name in self._entries and self._entries[name].database != entry.database:
            name, number = f"{entry.name} ({number})", number + 1
        return name

    def _find(self, name: str) -> MaterialEntry:
        if name not in self._own:
            for source in self.databases:
                entry = source.get(name)
                if entry is not None:
                    return entry
        if name not in self._entries:
            raise UnknownMaterialError(name, self._names())
        return self._entries[name]

    def _names(self) -> list[str]:
        return [*self._entries, *(name for source in self.databases for name in source.names)]


def _differ(wanted_nm: float, taken_nm: float) -> bool:
    """Return whether values at one wavelength [nm] may differ much from those at another."""
    far = abs(wanted_nm - taken_nm) > ALIKE_NM
    return far or band_between(wanted_nm, taken_nm) is not None
