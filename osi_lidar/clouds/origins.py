# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Origins of points: what the light of an echo has met, and what others make of it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lidar_scenery.classes import FALSE_ALARM, WEATHER
from lidar_scenery.palette import WEATHER as COLOURS


class PointOrigin(NamedTuple):
    """An origin of points.

    Attributes
    ----------
    name : str
        As tables and labels say.
    detection_class : str
        What SensorData says of its points, a member of `osi_bridge.DetectionClass`.
    point_class : str or None
        Class of its points in data sets; None: their surface's.
    colour : str or None
        Colour of its points, #rrggbb; None if they have their material's.
    is_of_air : bool
        Whether the air has made it, and no surface or noise.
    """

    name: str
    detection_class: str
    point_class: str | None = None
    colour: str | None = None
    is_of_air: bool = False


def _of_air(name: str) -> PointOrigin:
    return PointOrigin(name, "CLUTTER", WEATHER, COLOURS[name], is_of_air=True)


TABLE = (
    PointOrigin("surface", "UNKNOWN"),
    PointOrigin("ghost", "INVALID"),  # a surface seen in a mirror
    PointOrigin("false_alarm", "INVALID", FALSE_ALARM),  # noise
    *map(_of_air, ("fog", "rain", "snow", "spray", "dust")),
)
"""All origins; a point's ``origin`` is a row."""
ORIGINS = tuple(each.name for each in TABLE)
"""Their names."""
IS_OF_AIR = np.array([each.is_of_air for each in TABLE])
"""Whether the air has made them, bool (n_origin,)."""
