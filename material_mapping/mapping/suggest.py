# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Suggestions of infrared materials for visual ones, to be reviewed by the user.

Tags such as glass or red have evidence: the name of a visual material, the file names of its
texture and its mesh, its rendering values and its colour. Each rule (``data/words.yaml``) states
the tags that an infrared material requires, and a score; the rule with the best score wins. A
suggestion takes effect when the user copies it into a mapping table. A suggestion with a score of
`SURE` or more is also used without that if `MaterialMapping.guess` is set.
"""

from __future__ import annotations

import colorsys
import glob
import re
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import TYPE_CHECKING

import yaml

from material_mapping.mapping.words import Rule, knowledge, phrases_in

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from material_mapping.mapping.visual import Visual


DEFAULT_MATERIAL = "lambertian_50"
THRESHOLD = 0.3
"""Score below which a suggestion is commented out in a mapping table."""
SURE = 0.6
"""Score below which the user is asked to review a suggestion."""

_NAME, _TEXTURE, _MESH, _LOOKS, _COLOUR = 1.0, 0.9, 1.0, 0.9, 0.85  # weights, engineering estimates
_CONFLICT = 0.25  # fraction of the score lost to a contradiction as strong as the winner
_UNSET_GREYS = (0.588, 0.64, 0.8)  # defaults of 3ds Max, Blender up to 2.7, Blender from 2.8
_PLAIN_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?:[.-][A-Za-z0-9_]+)*")
_YAML_WORDS = frozenset(("null", "true", "false", "yes", "no", "on", "off", "y", "n"))
_LONG_KEY = 1000  # characters; YAML requires a mark before longer keys
_LOOK = "a person should look at this: "


@dataclass(frozen=True, slots=True, kw_only=True)
class Suggestion:
    """An infrared material proposed for a visual one.

    Attributes
    ----------
    visual_name : str
        Name of the visual material.
    material : str
        Built-in infrared material.
    score : float
        0 without any evidence, 1 with full evidence. [1]
    reason : str
        The evidence, in words.
    """

    visual_name: str
    material: str
    score: float
    reason: str


@dataclass(frozen=True, slots=True)
class _Evidence:
    """Strength of a piece of evidence (0..1), and its description."""

    weight: float
    words: str


def _evidence(visual: Visual, mesh: str) -> dict[str, _Evidence]:
    """Return the tags that a visual material and its mesh suggest, each with the best evidence."""
    found: dict[str, _Evidence] = {}
    named = *_from_names(visual), *_from_mesh(mesh), *_from_looks(visual)
    colours = knowledge().colours
    shown = () if any(tag in colours for tag, _ in named) else tuple(_from_colour(visual))
    for tag, evidence in (*named, *shown):
        if tag not in found or found[tag].weight < evidence.weight:
            found[tag] = evidence
    return found


def _from_names(visual: Visual) -> Iterator[tuple[str, _Evidence]]:
    sources = ("name", visual.name, _NAME), ("texture", PurePath(visual.texture).stem, _TEXTURE)
    for source, text, worth in sources:
        for meanings, words, weight in phrases_in(text):
            for tag in meanings:
                evidence = _Evidence(worth * weight, f"the {source} says {tag} ({words!r})")
                yield tag, evidence
                if tag in knowledge().contexts:
                    yield f"on {tag}", evidence


def _from_mesh(mesh: str) -> Iterator[tuple[str, _Evidence]]:
    stem = PurePath(mesh.replace("\\", "/")).stem
    for meanings, words, weight in phrases_in(stem):
        for tag in meanings & knowledge().contexts:
            yield f"on {tag}", _Evidence(_MESH * weight, f"the mesh says {tag} ({words!r})")


def _from_looks(visual: Visual) -> Iterator[tuple[str, _Evidence]]:
    for tag, limits in knowledge().looks.items():
        for value_name, (low, high) in limits.items():
            value = getattr(visual, value_name)
            if value is not None and low <= value <= high:
                yield tag, _Evidence(_LOOKS, f"it looks {tag} ({value_name} {value:.2g})")


def _from_colour(visual: Visual) -> Iterator[tuple[str, _Evidence]]:
    for tag in _colours(visual):
        yield tag, _Evidence(_COLOUR, f"it is shown {tag}")


def _colours(visual: Visual) -> Iterator[str]:
    """Yield the tags of an untextured material's base colour, with rough limits on purpose."""
    if visual.base_color is None or visual.texture:
        return
    red, green, blue = visual.base_color
    hue, saturation, value = colorsys.rgb_to_hsv(red, green, blue)
    if saturation < 0.05 and any(abs(value - grey) < 0.001 for grey in _UNSET_GREYS):
        return
    brightness = 0.2126 * red + 0.7152 * green + 0.0722 * blue
    if brightness < 0.2:
        yield "dark"
    elif brightness > 0.6:
        yield "pale"
    if value < 0.12:
        yield "black"
    elif saturation < 0.3:
        yield "white" if value > 0.85 else "silver" if (visual.metalness or 0.0) > 0.5 else "grey"
    else:
        yield _hue_name(360.0 * hue, value)


def _hue_name(hue_deg: float, value: float) -> str:
    if 14.0 <= hue_deg < 40.0:
        return "orange" if value > 0.65 else "brown"
    limits = ((14.0, "red"), (70.0, "yellow"), (165.0, "green"), (270.0, "blue"))
    return next((name for limit, name in limits if hue_deg < limit), "red")


def suggest(visual: Visual, mesh: str = "") -> Suggestion:
    """Suggest an infrared material for a visual one.

    Parameters
    ----------
    visual : Visual
        The visual material.
    mesh : str
        File name of the mesh that it is on.

    Returns
    -------
    Suggestion
        The material of the rule (`words.Rule`) with the best score; a contradicting rule lowers
        this score. If no rule has evidence for all of its tags, it is `DEFAULT_MATERIAL` with a
        score of 0.
    """
    evidence = _evidence(visual, mesh)
    ranked = _ranked(evidence)
    if not ranked:
        reason = "no evidence in name, texture, mesh or looks; the default"
        return Suggestion(
            visual_name=visual.name, material=DEFAULT_MATERIAL, score=0.0, reason=reason
        )
    score, best = ranked[0]
    reason = ", ".join(dict.fromkeys(evidence[tag].words for tag in sorted(best.needs)))
    rivals = (pair for pair in ranked[1:] if _contradicts(pair[1], best))
    rival_score, rival = next(rivals, (0.0, None))
    if rival is not None and rival_score >= THRESHOLD:
        others = sorted((rival.needs - best.needs) & knowledge().substances)
        words = ", ".join(dict.fromkeys(evidence[tag].words for tag in others))
        reason += f"; but {words}, which may be {rival.material}"
        score *= 1.0 - _CONFLICT * rival_score / score
    return Suggestion(
        visual_name=visual.name, material=best.material, score=round(score, 2), reason=reason
    )


def _ranked(evidence: dict[str, _Evidence]) -> list[tuple[float, Rule]]:
    """Return pairs (score, rule) for the rules whose tags all have evidence, best first."""
    scored = (
        (rule.score * min(evidence[tag].weight for tag in rule.needs), rule)
        for rule in knowledge().rules
        if rule.needs <= evidence.keys()
    )
    return sorted(scored, key=lambda pair: (-pair[0], -len(pair[1].needs)))


def _contradicts(rule: Rule, best: Rule) -> bool:
    """Return whether a rule contradicts the best rule.

    It does if it suggests another material and needs a substance that the best rule does not.
    Objects, colours and places do not contradict: a sign post of steel is steel.
    """
    ignored = (rule.needs - best.needs) & knowledge().substances
    return rule.material != best.material and bool(ignored)


def suggest_all(visuals: Iterable[tuple[str, Visual]]) -> list[Suggestion]:
    """Suggest an infrared material for each distinct name of the visual materials.

    Parameters
    ----------
    visuals : iterable of (str, Visual)
        File name of the mesh, and a visual material of it.

    Returns
    -------
    list of Suggestion
        One for each name (regardless of case, as in mapping tables), in order of first appearance.
        Visual materials that share a name may differ in appearance or mesh, and get suggestions of
        their own. The one with the highest score is returned. Its score is halved if another one
        proposes a different material with a score of at least `THRESHOLD`.
    """
    by_name: dict[str, list[Suggestion]] = {}
    for mesh, visual in visuals:
        by_name.setdefault(visual.name.lower(), []).append(suggest(visual, mesh))
    return [_agreed(each) for each in by_name.values()]


def _agreed(suggestions: list[Suggestion]) -> Suggestion:
    best = max(suggestions, key=lambda each: each.score)
    others = (
        each.material
        for each in suggestions
        if each.material != best.material and each.score >= THRESHOLD
    )
    named = ", ".join(dict.fromkeys(others))
    if not named:
        return best
    reason = f"{best.reason}; but elsewhere the same name may be {named}"
    return replace(best, score=round(best.score / 2.0, 2), reason=reason)


def mapping_text(
    suggestions: Iterable[Suggestion], *, threshold: float = THRESHOLD, sure: float = SURE
) -> str:
    """Return a mapping table of suggestions, for the user to edit.

    Parameters
    ----------
    suggestions : iterable of Suggestion
        Each visual name once, as `suggest_all` gives them.
    threshold : float
        Score below which a line is commented out. [1]
    sure : float
        Score below which a line asks for a review. [1]

    Returns
    -------
    str
        YAML that `load_mapping` reads, highest scores first.
    """
    lines = [
        "# Suggested infrared materials: visual material, infrared material, score and reason.",
        "# Review them (`osi-lidar materials` lists all). Lines that begin with # are not rules.",
        "materials:",
    ]
    for each in sorted(suggestions, key=lambda one: (-one.score, one.visual_name)):
        key, look = _key(each.visual_name), "" if each.score >= sure else _LOOK
        start = f"{key}:" if len(key) < _LONG_KEY else f"? {key}\n:"
        line = f"{start} {each.material}  # {each.score:.2f}: {look}{_one_line(each.reason)}"
        margin = "  " if each.score >= threshold else "  # "
        lines += [margin + part for part in line.split("\n")]
    return "\n".join(lines) + "\n"


def _key(name: str) -> str:
    """Return a name as a key of a mapping table that matches this name only."""
    pattern = glob.escape(name)
    if _PLAIN_KEY.fullmatch(pattern) and pattern.lower() not in _YAML_WORDS:
        return pattern
    return str(yaml.safe_dump(pattern, default_style='"', width=10**9, allow_unicode=True)).strip()


def _one_line(text: str) -> str:
    return "".join(sign if sign.isprintable() else " " for sign in text)
