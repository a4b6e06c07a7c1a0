# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Changes of sensors without a stream: what counts as configured after the file is read again."""

import pytest

from osi_lidar import LidarModel
from osi_lidar.live.changes import Changes
from tests.builders.messages import Thing, frames, host
from tests.builders.worlds import config

CAR = Thing(2, (12.0, 0.0, 0.75))
PATTERNS = [
    {"kind": "pairs", "azimuth_elevation_deg": [[0, -5 - number], [number, -6]]}
    for number in range(4)
]


def of_patterns(*patterns):
    """Return the configuration of a sensor for each pattern."""
    sensors = [
        {"name": name, "pattern": pattern} for name, pattern in zip("ab", patterns, strict=True)
    ]
    return config(sensors=sensors)


def points_of(model):
    """Return the points that each sensor has of a car, as bytes."""
    (frame,) = frames([[host(), CAR]])
    return {scan.sensor: scan.cloud.points.tobytes() for scan in model.step(frame).scans}


@pytest.mark.parametrize("sensor", ["a", "b"])
def test_the_configured_pattern_is_the_one_that_was_read_last(sensor):
    """A sensor goes back to it from any other, after each of several readings of the file."""
    files = [of_patterns(*PATTERNS[n : n + 2]) for n in range(3)]
    for number in range(1, len(files) + 1):
        read = iter(files[1:number])
        model = LidarModel(files[0])
        changes = Changes(model, lambda read=read: next(read))
        for _ in range(number - 1):
            changes.apply({"reload": True})
        changes.apply({"sensor": sensor, "pattern": PATTERNS[3]})
        changes.apply({"sensor": sensor, "pattern": None})
        assert points_of(model) == points_of(LidarModel(files[number - 1]))
