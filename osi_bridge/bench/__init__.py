# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Messages as another tool would write and read them: field by field, with protobuf's classes.

Benches and tests use this package; the model itself has faster readers and writers.
"""

from osi_bridge.bench.answers import Answer, AnsweredScan, decode_answer
from osi_bridge.bench.messages import (
    PEDESTRIAN,
    VEHICLE,
    BoxObject,
    StatedWeather,
    ViewHead,
    sensor_view_message,
)

__all__ = [
    "PEDESTRIAN",
    "VEHICLE",
    "Answer",
    "AnsweredScan",
    "BoxObject",
    "StatedWeather",
    "ViewHead",
    "decode_answer",
    "sensor_view_message",
]
