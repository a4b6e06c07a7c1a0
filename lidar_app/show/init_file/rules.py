# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The objects of a trace as rules of a configuration."""

from __future__ import annotations

import glob
from typing import TYPE_CHECKING, NamedTuple

from lidar_app.show.tables import enumeration
from osi_lidar.world.fallbacks import printable
from raycore.mesh.mesh_names import names_mesh

if TYPE_CHECKING:
    from collections.abc import Sequence

    from osi_bridge import ObjectGroup

MOST_IDS = 8
_EXAMPLES = {"PEDESTRIAN": "person", "BUS": "bus", "BICYCLE": "bicycle", "HEAVY_TRUCK": "truck"}


class StarterRule(NamedTuple):
    """A rule of a starter configuration that gives objects a mesh.

    Attributes
    ----------
    match : dict of str to object
        Condition of the rule: keys of an object, such as ``type``, and the values they must have.
    title : str
        Comment for the rule: number, types, size and OSI ids of the objects that it matches.
    """

    match: dict[str, object]
    title: str
    mesh: str
    """Example of a mesh file."""
    seen: bool
    """Whether a sensor may see the objects; False if all of them are hosts."""


def rules_of(groups: Sequence[ObjectGroup], hosts: Sequence[int]) -> list[StarterRule]:
    """Return rules for the mesh configuration of all objects of a trace.

    Objects with a model reference get one rule for each reference. Objects without a reference get
    one rule for each type and subtype. Objects without a type either are matched by their ids.
    Specific rules come before general ones, because the first match wins.

    Parameters
    ----------
    groups : sequence of ObjectGroup
        Objects of a trace, grouped by type and model reference.
    hosts : sequence of int
        OSI ids of the host vehicles. A rule that matches only hosts has ``seen`` False.
    """
    by_match: dict[tuple[tuple[str, object], ...], list[ObjectGroup]] = {}
    for group in groups:
        by_match.setdefault(tuple(_match(group).items()), []).append(group)
    ranked = sorted(by_match, key=lambda match: _rank(dict(match)))
    return [_rule(dict(match), by_match[match], hosts) for match in ranked]


def _rule(
    match: dict[str, object], groups: Sequence[ObjectGroup], hosts: Sequence[int]
) -> StarterRule:
    seen = any(not group.ids <= set(hosts) for group in groups)
    return StarterRule(match, _title(groups), _mesh(groups), seen)


def _match(group: ObjectGroup) -> dict[str, object]:
    if group.model_reference:
        return {"model_reference": glob.escape(group.model_reference)}
    names = {"type": group.type_name, "subtype": group.subtype_name}
    given: dict[str, object] = {
        key: name.removeprefix("TYPE_") for key, name in names.items() if name
    }
    return given or {"id": tuple(sorted(group.ids))}


def _rank(match: dict[str, object]) -> int:
    return ("model_reference" in match) * -3 + ("id" in match) * -2 + ("subtype" in match) * -1


def _title(groups: Sequence[ObjectGroup]) -> str:
    """Return a comment with number, types, size and ids of the objects of a rule."""
    ids = sorted({object_id for group in groups for object_id in group.ids})
    types = dict.fromkeys(
        " ".join(filter(None, (each.type_name, each.subtype_name))).replace("TYPE_", "")
        for each in groups
    )
    least = [min(each.least_m[side] for each in groups) for side in range(3)]
    most = [max(each.most_m[side] for each in groups) for side in range(3)]
    sides = (
        f"{low:.2f}" if f"{low:.2f}" == f"{high:.2f}" else f"{low:.2f}..{high:.2f}"
        for low, high in zip(least, most, strict=True)
    )
    noun = "object" if len(ids) == 1 else "objects"
    named = enumeration([str(each) for each in ids], MOST_IDS)
    return f"{len(ids)} {noun}: {', '.join(types)}, {' x '.join(sides)} m, OSI ids {named}"


def _mesh(groups: Sequence[ObjectGroup]) -> str:
    """Return an example mesh: the referenced file, else a file named after the type."""
    reference = groups[0].model_reference
    if names_mesh(reference):
        return f"models/{printable(reference.replace(chr(92), '/').rpartition('/')[2])}"
    names = (groups[0].subtype_name, groups[0].type_name)
    plain = next((name.removeprefix("TYPE_") for name in names if name), "object")
    return f"models/{_EXAMPLES.get(plain, plain.lower())}.glb"
