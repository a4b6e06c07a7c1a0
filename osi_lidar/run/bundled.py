# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The scenario that comes with the package."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from osi_lidar.errors import InputError

_PACKAGE = Path(__file__).parents[1]
_PLACES = (_PACKAGE / "scenarios" / "street", _PACKAGE.parent / "scenarios" / "street")
"""In an installed wheel, and in the repository."""


class Scenario(NamedTuple):
    """A world to replay."""

    config: Path
    trace: Path
    picture_frame: int
    """A frame that shows what the scenario is about."""


def street() -> Scenario:
    """Return the street scene: two cars pass each other, a pedestrian walks.

    Raises
    ------
    InputError
        If the installation lacks it.
    """
    for folder in _PLACES:
        for trace in sorted(folder.glob("*_sv_*.osi")):
            return Scenario(folder / "config.yaml", trace, picture_frame=32)
    raise InputError(f"the bundled scenario is not there: looked in {_PLACES[0]}, {_PLACES[1]}")
