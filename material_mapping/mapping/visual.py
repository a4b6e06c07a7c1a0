# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Visual material of a mesh file, as far as the mapping needs it."""

from __future__ import annotations

from typing import Protocol


class Visual(Protocol):
    """Interface of a visual material, as mesh readers provide it."""

    @property
    def name(self) -> str:
        """Name in the mesh file; empty for a surface without a name."""

    @property
    def base_color(self) -> tuple[float, float, float] | None:
        """Red, green, blue as in the file, 0 to 1; None if the file states no colour."""

    @property
    def opacity(self) -> float:
        """Opacity: 0 clear, 1 opaque."""

    @property
    def metalness(self) -> float | None:
        """Metalness, 0 to 1; None if the file does not state it."""

    @property
    def roughness(self) -> float | None:
        """Roughness, 0 to 1; None if the file does not state it."""

    @property
    def transmission(self) -> float | None:
        """Share of the light that passes through, 0 to 1; None if the file does not state it."""

    @property
    def texture(self) -> str:
        """File name of the base colour's texture, without folders."""


def rgb_key(visual: Visual) -> str | None:
    """Return the base colour of the visual material ``visual`` as ``rgb:r;g;b``, each 0 to 255.

    None if the mesh file states no colour.
    """
    if visual.base_color is None:
        return None
    return "rgb:" + ";".join(str(round(255.0 * part)) for part in visual.base_color)
