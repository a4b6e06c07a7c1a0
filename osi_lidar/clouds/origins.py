# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Origins of points: what the light of an echo has hit, and how outputs classify such points."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lidar_scenery.classes import FALSE_ALARM, WEATHER
from lidar_scenery.palette import WEATHER as COLOURS


class PointOrigin(NamedTuple):
    """An origin of points, such as a surface, noise or rain.

    Attributes
    ----------
    name : str
        Name in tables and labels.
    detection_class : str
        Class of such points in SensorData, a member of `osi_bridge.DetectionClass`.
    point_class : str or None
        Class of such points in data sets; None: the class of the surface that the point is on.
    colour : str or None
        Colour of such points, #rrggbb; None: the colour of the point's material.
    is_of_air : bool
        Whether such points come from something in the air (fog, rain, snow, spray, dust).
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
"""All origins; a point's ``origin`` is an index into them."""
ORIGINS = tuple(each.name for each in TABLE)
"""Names of the origins, in the order of ``TABLE``."""
IS_OF_AIR = np.array([each.is_of_air for each in TABLE])
"""Whether an origin is something in the air, bool (n_origin,)."""
