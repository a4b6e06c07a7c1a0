# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Light in OSI's environmental conditions: illuminance of the scene, and the sun."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from osi3.osi_environment_pb2 import EnvironmentalConditions

from osi_bridge.description.limits import MAX_ANGLE_RAD, MAX_LUX, are_within
from osi_bridge.records import Sun

if TYPE_CHECKING:
    from google.protobuf.message import Message

_LEVELS = EnvironmentalConditions.AmbientIllumination
LUX_OF_LEVEL = {
    _LEVELS.AMBIENT_ILLUMINATION_LEVEL1: 0.003,
    _LEVELS.AMBIENT_ILLUMINATION_LEVEL2: 0.1,
    _LEVELS.AMBIENT_ILLUMINATION_LEVEL3: 1.7,
    _LEVELS.AMBIENT_ILLUMINATION_LEVEL4: 5.5,
    _LEVELS.AMBIENT_ILLUMINATION_LEVEL5: 14.0,
    _LEVELS.AMBIENT_ILLUMINATION_LEVEL6: 90.0,
    _LEVELS.AMBIENT_ILLUMINATION_LEVEL7: 630.0,
    _LEVELS.AMBIENT_ILLUMINATION_LEVEL8: 3200.0,
    _LEVELS.AMBIENT_ILLUMINATION_LEVEL9: 35_000.0,
}
"""Illuminance of each OSI level: geometric mean of its interval; the last one is open. [lx]"""


def ambient_lux(truth: Message) -> float | None:
    """Return the illuminance of the scene that a GroundTruth states [lx]; None if it states none.

    It is the intensity of the sun if that is stated, and is 0 to 1e6 lx. Otherwise the level of
    ambient illumination gives the illuminance, see `LUX_OF_LEVEL`. ``truth`` is the decoded
    GroundTruth message.
    """
    conditions = truth.environmental_conditions
    if conditions.sun.HasField("intensity"):
        lux = float(conditions.sun.intensity)
        if 0.0 <= lux <= MAX_LUX:
            return lux
    return LUX_OF_LEVEL.get(conditions.ambient_illumination)


def sun_of(truth: Message) -> Sun | None:
    """Return the sun that a GroundTruth states; None if one of the sun's fields is not stated.

    ``truth`` is the decoded message. The result is also None if an angle is beyond 1e6 rad, or the
    intensity is negative or above 1e6 lx. OSI counts the azimuth counter-clockwise from north.
    North is taken to be the y axis of the world; ``proj_string``, which may state another
    direction, is not read.
    """
    sun = truth.environmental_conditions.sun
    if not all(sun.HasField(name) for name in ("azimuth", "elevation", "intensity")):
        return None
    azimuth_rad, elevation_rad, lux = sun.azimuth, sun.elevation, sun.intensity
    if not are_within((azimuth_rad, elevation_rad), MAX_ANGLE_RAD) or not 0.0 <= lux <= MAX_LUX:
        return None
    flat = math.cos(elevation_rad)
    return Sun(
        direction=(
            -flat * math.sin(azimuth_rad),
            flat * math.cos(azimuth_rad),
            math.sin(elevation_rad),
        ),
        lux=float(lux),
    )
