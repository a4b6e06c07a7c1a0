# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""What a mesh file says about how its materials look, and what the readers of it share.

A lidar does not see colours, but they and the names tell what a surface is made of. So nothing
here is ever an error: what is absent or makes no sense stays unset.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_FOLDERS = re.compile(r".*[/\\]", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class VisualMaterial:
    """A material as its mesh file states it; None or "" where the file states nothing."""

    name: str
    base_color: tuple[float, float, float] | None = None
    """Red, green, blue as in the file, 0..1; with a texture, what the texture is multiplied by."""
    opacity: float = 1.0
    """0..1; 0 lets all light by."""
    metalness: float | None = None
    """0..1"""
    roughness: float | None = None
    """0..1"""
    transmission: float | None = None
    """Share of the light that goes through, as through glass, 0..1."""
    texture: str = ""
    """File name of the base colour's texture, without its folder."""


def first_of_each_name(materials: Iterable[VisualMaterial]) -> dict[str, VisualMaterial]:
    """Return materials by name; of several with one name, the first."""
    by_name: dict[str, VisualMaterial] = {}
    for material in materials:
        by_name.setdefault(material.name, material)
    return by_name


def fraction(value: object) -> float | None:
    """Return a number or its text, clamped to 0..1; None for anything else and if not finite."""
    if not isinstance(value, (str, int, float)):
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return min(max(0.0, number), 1.0) if math.isfinite(number) else None


def rgb(values: object) -> tuple[float, float, float] | None:
    """Return the first three of a sequence as fractions; None unless all of them are."""
    if not isinstance(values, (list, tuple)) or len(values) < 3:
        return None
    red, green, blue = (fraction(value) for value in values[:3])
    return None if red is None or green is None or blue is None else (red, green, blue)


def visible(opacity: float) -> float:
    """Return an opacity to a millionth, but 1 in place of 0.

    Nobody models what cannot be seen: where a format states transparency, several exporters
    (MeshLab among them) have the two ends the wrong way round.
    """
    return round(opacity, 6) or 1.0


def file_name(path: str) -> str:
    """Return the last part of a path of any system, without quotation marks around the path."""
    return _FOLDERS.sub("", path.strip().strip('"'))
