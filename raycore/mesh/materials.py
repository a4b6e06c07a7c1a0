# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Visual materials: the appearance that a mesh file gives its materials.

A lidar does not measure colours, but colours and names hint at the material of a surface. So
nothing here raises an error: a value that is absent or invalid stays unset.
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
    """A material as its mesh file states it; None or "" for values that the file does not state.

    Attributes
    ----------
    name : str
        Name of the material; "" for faces without a material.
    base_color : (float, float, float) or None
        Red, green, blue as in the file, 0..1; with a texture, the factor that multiplies it.
    opacity : float
        0..1; at 0, all light passes. It is 1 if not stated.
    metalness : float or None
        Metalness as in glTF: 0 for a dielectric, 1 for a metal.
    roughness : float or None
        Roughness as in glTF: 0 for a mirror-smooth surface, 1 for a matt one.
    transmission : float or None
        Fraction of the light that passes through, as through glass, 0..1.
    texture : str
        File name of the base colour's texture, without its folder.
    """

    name: str
    base_color: tuple[float, float, float] | None = None
    opacity: float = 1.0
    metalness: float | None = None
    roughness: float | None = None
    transmission: float | None = None
    texture: str = ""


def first_of_each_name(materials: Iterable[VisualMaterial]) -> dict[str, VisualMaterial]:
    """Return materials by name; the first one if several of ``materials`` share a name."""
    by_name: dict[str, VisualMaterial] = {}
    for material in materials:
        by_name.setdefault(material.name, material)
    return by_name


def fraction(value: object) -> float | None:
    """Return a finite number, given as a number or as text, clamped to 0..1; None for all else.

    ``value`` may be of any type. A NaN, an infinite number or other text gives None.
    """
    if not isinstance(value, (str, int, float)):
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return min(max(0.0, number), 1.0) if math.isfinite(number) else None


def rgb(values: object) -> tuple[float, float, float] | None:
    """Return red, green and blue: the first three values of a list or tuple, clamped to 0..1.

    ``values`` may be of any type. None if it is no list or tuple, if there are fewer than three
    values, or if one of the three is not a finite number (or text with such a number).
    """
    if not isinstance(values, (list, tuple)) or len(values) < 3:
        return None
    red, green, blue = (fraction(value) for value in values[:3])
    return None if red is None or green is None or blue is None else (red, green, blue)


def visible(opacity: float) -> float:
    """Return an opacity rounded to a millionth, with 0 replaced by 1.

    An opacity of 0 is taken for an error: in formats that state transparency, several exporters
    (MeshLab among them) write 0 for 1, and nobody models invisible surfaces.
    """
    return round(opacity, 6) or 1.0


def file_name(path: str) -> str:
    """Return the last part of a path of any operating system, without enclosing quotation marks."""
    return _FOLDERS.sub("", path.strip().strip('"'))
