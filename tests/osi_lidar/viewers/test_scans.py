# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Messages of several sensors' scans: each sensor's are as if it were alone."""

import numpy as np
import pytest

from osi_lidar.viewers.scans import SceneMessages

pytest.importorskip("foxglove_schemas_protobuf")
KINDS = [*((name, "<f4") for name in ("x", "y", "z", "range", "reflectivity"))]
KINDS += [("ring", "<u2"), ("column", "<u4"), ("object_id", "<u8"), ("material_id", "<u2")]


def turn(n_ring, n_column, rising, range_m):
    """Return a full turn of a sensor whose rings are counted from the bottom or the top."""
    ring, column = (each.ravel() for each in np.indices((n_ring, n_column)))
    azimuth = np.pi - 2.0 * np.pi * (column + 0.5) / n_column
    elevation = np.radians(ring if rising else -ring)
    points = np.zeros(len(ring), KINDS)
    points["ring"], points["column"], points["range"] = ring, column, range_m + ring
    points["x"] = points["range"] * np.cos(elevation) * np.cos(azimuth)
    points["y"] = points["range"] * np.cos(elevation) * np.sin(azimuth)
    points["z"] = points["range"] * np.sin(elevation)
    return points


def test_messages_of_a_sensor_are_those_of_the_sensor_alone():
    scans = {
        "high": [turn(4, 90, rising=False, range_m=each) for each in (5.0, 7.0)],
        "low": [turn(3, 60, rising=True, range_m=each) for each in (9.0, 4.0)],
    }
    together = SceneMessages(["glass"])
    alone = {sensor: SceneMessages(["glass"]) for sensor in scans}
    for number in range(2):
        for sensor, clouds in scans.items():
            given = sensor, clouds[number], 10**8 * number
            found = list(together.of_scan(*given))
            assert [topic for topic, _ in found] == [f"/{sensor}/points", f"/{sensor}/range_image"]
            assert found == list(alone[sensor].of_scan(*given))
