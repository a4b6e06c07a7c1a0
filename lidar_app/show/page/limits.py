# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""How large a page may be."""

from __future__ import annotations

import math
from dataclasses import dataclass

from osi_lidar.errors import InputError

MEGABYTE = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class PageLimits:
    """How large a page may be.

    Attributes
    ----------
    page_mb : float
        Largest size; frames of a run are left out to keep it. [MB]
    scene_mb : float
        Largest size of the scene, which is rounded to keep it; at most half of the page. 0 leaves
        it out. [MB]

    Raises
    ------
    InputError
        If a size is none.
    """

    page_mb: float = 100.0
    scene_mb: float = 10.0

    def __post_init__(self) -> None:
        if not 0 < self.page_mb < math.inf:
            raise InputError(f"--max-mb: got {self.page_mb:g}, expected a positive number")
        if not 0 <= self.scene_mb < math.inf:
            raise InputError(
                f"--scene-mb: got {self.scene_mb:g}, expected a positive number, or 0 for no scene"
            )

    @property
    def scene_bytes(self) -> float:
        """Largest size of the scene."""
        return MEGABYTE * min(self.scene_mb, self.page_mb / 2)


DEFAULT_LIMITS = PageLimits()
