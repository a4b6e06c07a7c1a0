# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The example scenario that is part of the package."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from osi_lidar.errors import InputError

_PACKAGE = Path(__file__).parents[1]
_PLACES = (_PACKAGE / "scenarios" / "street", _PACKAGE.parent / "scenarios" / "street")
"""Folders of the scenario, in an installed wheel and in the repository."""


class Scenario(NamedTuple):
    """A scenario to replay: the Path ``config`` of its configuration file, and an OSI trace.

    ``trace``, a Path, is the trace with the messages; ``picture_frame`` is the index of a message.
    """

    config: Path
    trace: Path
    picture_frame: int
    """The frame that shows the scenario best."""


def street() -> Scenario:
    """Return the files of the street scene: two cars pass each other, and a pedestrian walks.

    Raises
    ------
    InputError
        If the installation does not contain the scene.
    """
    for folder in _PLACES:
        for trace in sorted(folder.glob("*_sv_*.osi")):
            return Scenario(folder / "config.yaml", trace, picture_frame=32)
    raise InputError(f"the bundled scenario is missing: looked in {_PLACES[0]}, {_PLACES[1]}")
