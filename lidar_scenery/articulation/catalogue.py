# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The assemblies of built-in shapes."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

from lidar_scenery.articulation.animals import walking_animal
from lidar_scenery.articulation.cyclists import cyclist, riding_model
from lidar_scenery.articulation.people import walking_person
from lidar_scenery.articulation.posed import limbs_of, posed_person
from lidar_scenery.articulation.wheels import wheeled_vehicle
from lidar_scenery.shapes.people import PEOPLE
from lidar_scenery.shapes.vehicles import VEHICLES
from osi_bridge import ObjectDetails, bones_of, wheel_motions

if TYPE_CHECKING:
    from lidar_scenery.articulation.posed import LimbBuild
    from lidar_scenery.articulation.records import Assembly
    from lidar_scenery.shapes.catalogue import Wanted
    from osi_bridge import Frame


def assembly_of(wanted: Wanted, frame: Frame, row: int) -> Assembly | None:
    """Return the assembly of a moving object's shape, None for one whose parts do not move.

    Equal objects share one assembly. If the message states bones of a person, the limbs have the
    lengths of these.
    """
    bones = bones_of(frame, row) if wanted.name == "pedestrian" else None
    if wanted.name in PEOPLE:
        wanted = replace(wanted, details=ObjectDetails())  # they stand and walk alike
    return _made(wanted, None if bones is None else limbs_of(bones))


@lru_cache(maxsize=4096)
def _made(wanted: Wanted, limbs: LimbBuild | None) -> Assembly | None:
    size = wanted.dimension_m
    if wanted.name == "pedestrian":
        return walking_person(size) if limbs is None else posed_person(size, limbs)
    if wanted.name == "animal":
        return walking_animal(size)
    if wanted.name not in VEHICLES:
        return None
    riding = riding_model(size, wanted.details) if wanted.name == "bicycle" else None
    vehicle = wheeled_vehicle(wanted, riding)
    if riding is None or vehicle is None:
        return vehicle
    return cyclist(size, wanted.details, vehicle)


def states_parts(frame: Frame, row: int) -> bool:
    """Return whether a message states the poses of a moving object's parts, as bones or wheels."""
    if bones_of(frame, row) is not None:
        return True
    return any(any(wheel.orientation_rad or ()) for wheel in wheel_motions(frame, row))
