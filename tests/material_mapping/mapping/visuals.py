# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Visual materials without a mesh file."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Named:
    """A `material_mapping.mapping.visual.Visual` of which only the name must be given."""

    name: str
    base_color: tuple[float, float, float] | None = None
    opacity: float = 1.0
    metalness: float | None = None
    roughness: float | None = None
    transmission: float | None = None
    texture: str = ""
