# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The assemblies of built-in shapes."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from lidar_scenery.articulation.wheels import wheeled_vehicle
from lidar_scenery.shapes.vehicles import VEHICLES
from osi_bridge import wheel_motions

if TYPE_CHECKING:
    from lidar_scenery.articulation.records import Assembly
    from lidar_scenery.shapes.catalogue import Wanted
    from osi_bridge import Frame


@lru_cache(maxsize=256)
def assembly_of(wanted: Wanted) -> Assembly | None:
    """Return the assembly of a built-in shape, None for one whose parts do not move."""
    return wheeled_vehicle(wanted) if wanted.name in VEHICLES else None


def states_parts(frame: Frame, row: int) -> bool:
    """Return whether a message states how a moving object's parts stand, if it does not move."""
    return any(any(wheel.orientation_rad or ()) for wheel in wheel_motions(frame, row))
