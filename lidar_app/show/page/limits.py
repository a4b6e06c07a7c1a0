# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Size limits of a page."""

from __future__ import annotations

import math
from dataclasses import dataclass

from osi_lidar.errors import InputError

MEGABYTE = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class PageLimits:
    """Size limits of a page.

    Attributes
    ----------
    page_mb : float
        Greatest size of the page; frames of a run are left out to keep it. [MB]
    scene_mb : float
        Greatest size of the scene, at most half of `page_mb`; coordinates are rounded to keep it.
        0: no scene. [MB]

    Raises
    ------
    InputError
        If a size is out of range.
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
        """Greatest size of the scene [bytes]."""
        return MEGABYTE * min(self.scene_mb, self.page_mb / 2)


DEFAULT_LIMITS = PageLimits()
