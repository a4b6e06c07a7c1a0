# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""People and animals, made to a size: adults and children who stand, walk or sit."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from lidar_scenery.shapes.animals import make_animal
from lidar_scenery.shapes.figure import HEIGHT_M, figure, seated, upright
from lidar_scenery.shapes.fitting import made_to_size

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lidar_scenery.shapes.builder import Builder, Size
    from lidar_scenery.shapes.solids import SolidModel
    from osi_bridge.description.details import ObjectDetails

__all__ = ["PEOPLE", "proportions"]

CHILD_M = 1.4
"""Height of a person below which the head is larger than an adult's, as a child's is. [m]"""
WALKING_M_S = 0.3
"""Speed above which a person walks. [m/s]"""
_TODDLER_M, _TODDLER_HEAD = 0.8, 1.55  # at this height a head is a fifth of it
_WALKING, _STRIDE, _SPREAD = 0.4, 1.35, (-0.15, 0.8)  # least stride; greatest; arms


def _make_person(size: Size, details: ObjectDetails) -> SolidModel:
    """Return a person who fills a box: its length sets the stride, its width spreads the arms."""
    length = size[0] * HEIGHT_M / size[2]
    spread, head = proportions(size)
    least = _WALKING if details.speed_m_s > WALKING_M_S else 0.0
    stride = np.clip((length - 0.32) / 0.45, least, _STRIDE)
    return figure(upright(stride=float(stride), spread=spread, head=head))


def proportions(size: Size) -> tuple[float, float]:
    """Return (spread, head) of a person who fills a box of a size (length, width, height) [m].

    `spread` is how far the arms are from the body: 0 if they hang down. It grows with the box's
    width over its height. `head` is the size of the head relative to an adult's; it is larger for
    children. [1]
    """
    spread = np.clip((size[1] * HEIGHT_M / size[2] - 0.6) / 0.55, *_SPREAD)
    youth = np.clip((CHILD_M - size[2]) / (CHILD_M - _TODDLER_M), 0.0, 1.0)
    return float(spread), float(1.0 + (_TODDLER_HEAD - 1.0) * youth)


def _make_seated(size: Size, details: ObjectDetails) -> SolidModel:
    del size, details  # one pose
    hips = (-0.25, 0.0, 0.5)
    feet = ((0.22, 0.1, 0.1), (0.22, -0.1, 0.1))
    hands = ((0.12, 0.17, 0.66), (0.12, -0.17, 0.66))
    return figure(seated(hips, feet, hands, lean_rad=-0.12))


PEOPLE: Mapping[str, Builder] = MappingProxyType(
    {
        "pedestrian": made_to_size(
            _make_person,
            "person: a child below 1.4 m, walking above 0.3 m/s",
            usual_m=(0.5, 0.6, 1.75),
            least_m=(0.15, 0.25, 0.5),
            most_m=(1.2, 1.2, 2.3),
        ),
        "seated_person": made_to_size(
            _make_seated,
            "person who sits",
            usual_m=(0.8, 0.55, 1.35),
            least_m=(0.5, 0.4, 0.8),
            most_m=(1.2, 0.8, 1.6),
        ),
        "animal": made_to_size(
            make_animal,
            "animal with four legs",
            usual_m=(1.0, 0.32, 0.75),
            least_m=(0.25, 0.1, 0.2),
            most_m=(3.0, 1.0, 2.4),
        ),
    }
)
"""Builders of people and animals, by the name of the shape."""
