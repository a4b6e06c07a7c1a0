# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The infrared materials of surfaces that no file describes: roads, their markings, shapes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lidar_scenery.shapes.looks import LOOKS
from material_mapping import Rule

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from lidar_base.unfollowed import NotFollowed
    from material_mapping import MaterialEntry
    from material_mapping.mapping.visual import Visual


class BuiltInSurfaces:
    """Rules that map visual materials of built-in surfaces to infrared materials.

    It has the interface of a source of materials, but no materials or files of its own. Rules of
    the user take precedence.
    """

    @property
    def names(self) -> Iterable[str]:
        """Empty: this source has no materials; its rules name built-in materials."""
        return ()

    @property
    def problems(self) -> Sequence[str]:
        """Empty: this source has no files, so no problems."""
        return ()

    @property
    def not_followed(self) -> Mapping[Path, tuple[NotFollowed, ...]]:
        """Empty: this source has no files."""
        return {}

    def get(self, name: str) -> MaterialEntry | None:  # noqa: ARG002  a source's interface
        """Return None, whatever the ``name`` of the material: this source has no materials."""
        return None

    def rule_for(self, visual: Visual) -> Rule | None:
        """Return the rule that gives a visual material its infrared material.

        ``visual`` (`Visual`) is the visual material; only its name counts. Return None if the name
        is not in `LOOKS`.
        """
        look = LOOKS.get(visual.name)
        return None if look is None else Rule("built-in", visual.name, look.infrared)


BUILT_IN = BuiltInSurfaces()
"""The only instance of `BuiltInSurfaces`."""
