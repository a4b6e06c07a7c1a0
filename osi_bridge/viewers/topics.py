# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The topics of a run, in its file and in its live stream."""

from __future__ import annotations

TRANSFORMS = "/tf"
"""Topic of all transforms."""
OBJECTS = "/objects"
"""Topic of the objects as boxes."""
EDGES = "/objects/edges"
"""Topic of the boxes' edges as points, for viewers that draw no boxes."""


def points_topic(sensor: str) -> str:
    """Return the topic of a sensor's clouds."""
    return f"/{sensor}/points"


def image_topic(sensor: str) -> str:
    """Return the topic of a sensor's range images."""
    return f"/{sensor}/range_image"


def osi_topic(message_type: str, way: str) -> str:
    """Return the topic of OSI messages as OSI recommends it, such as "osi-lidar.OSMPSensorDataOut".

    ``message_type`` is "SensorView", "GroundTruth" or "SensorData". ``way`` is "In" for messages
    that the sensor model receives, "Out" for its answers.
    """
    return f"osi-lidar.OSMP{message_type}{way}"
