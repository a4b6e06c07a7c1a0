# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The infrared materials of a run: their resolver, and their fallbacks."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import material_mapping
from material_mapping import (
    MaterialError,
    MaterialMapping,
    MaterialResolver,
    UnknownMaterialError,
    WavelengthError,
    builtin_materials,
    load_mapping,
)
from material_mapping.texture import Texture
from osi_lidar.errors import ConfigurationError
from osi_lidar.world.assets.resolver import object_material_rules
from osi_lidar.world.fallbacks import Fallback, printable

if TYPE_CHECKING:
    from osi_lidar.config import Config
    from osi_lidar.world.assets.resolver import AssetResolver


def material_resolver(config: Config) -> MaterialResolver:
    """Return a configuration's resolver, which gives each visual material an infrared material.

    ``config`` is the configuration: its materials, its object rules, and its sensors' wavelengths.

    Raises
    ------
    ConfigurationError
        If the mapping table, a database or the texture cannot be used. Also if the default, the
        mapping table or an object rule names a material that is unknown, or has no data at a
        sensor's wavelength.
    """
    where, mapping = str(config.file or "configuration"), MaterialMapping()
    wanted = config.materials
    try:
        if wanted.mapping is not None:
            mapping = load_mapping(wanted.mapping)
        resolver = MaterialResolver(
            builtin_materials(),
            replace(mapping, guess=wanted.guess, texture=_texture(config)),
            wanted.default,
            databases=[
                material_mapping.open_database(**each.arguments()) for each in wanted.databases
            ],
            wavelengths_nm=tuple(dict.fromkeys(sensor.wavelength_nm for sensor in config.sensors)),
        )
        for number, rule in enumerate(config.scene.objects):
            for one in object_material_rules(number, rule):
                resolver.check(one, file=where)
    except (UnknownMaterialError, WavelengthError) as error:
        raise ConfigurationError(f"{where}: materials.default: {error}") from error
    except MaterialError as error:
        raise ConfigurationError(str(error)) from error
    return resolver


def _texture(config: Config) -> Texture | None:
    """Return the texture of materials that do not state a texture."""
    stated = config.materials.texture
    try:
        return None if stated is None else Texture.of(stated)
    except MaterialError as error:
        raise ConfigurationError(f"{config.file or 'configuration'}: materials.{error}") from None


def unused_rules(materials: MaterialResolver, assets: AssetResolver) -> tuple[str, ...]:
    """Return a text for each material rule that was applied to no material so far.

    ``materials`` has the rules of the mapping table, ``assets`` the object rules. The rules of the
    mapping table count, and rules inside object rules that name a mesh or matched an object. A text
    is the key of a rule, with the nearest material name if the rule matches no name.
    """
    return (*materials.unused_rules, *materials.unused(assets.material_rules))


def intensity_words(materials: MaterialResolver) -> str:
    """Return a text on how far to trust intensities: materials are stated, or some are guessed."""
    n_all, n_unsaid = len(materials.resolved), len(materials.without_rule)
    if not n_unsaid:
        return f"stated: every material ({n_all})"
    which = "no material is" if n_unsaid == n_all else f"{n_unsaid} of {n_all} materials are not"
    return f"a guess: {which} stated; such places are up to 3 times too bright or too dark"


def material_fallbacks(materials: MaterialResolver) -> list[Fallback]:
    """Return a `Fallback` for each visual material that was guessed or got the default.

    Others concern infrared materials that have values for another wavelength only, and unusable
    files in databases.
    """
    found = [
        Fallback(
            "material",
            printable(each.visual_name) or "(none)",
            each.material,
            "; ".join(map(printable, [str(each.rule), *each.problems])),
        )
        for each in materials.guessed
    ]
    found += [
        Fallback(
            "material",
            printable(each.visual_name) or "(none)",
            each.material,
            "; ".join(map(printable, each.problems)) or "no rule matches it",
        )
        for each in materials.unmapped
    ]
    found += [
        Fallback("material", name, f"its values at {taken:g} nm", f"not known at {wanted:g} nm")
        for name, wanted, taken in materials.stand_ins
    ]
    found += [
        Fallback("material", "database", "the rest of its folder", printable(problem))
        for database in materials.databases
        for problem in database.problems
    ]
    return found
