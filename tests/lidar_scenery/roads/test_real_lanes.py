# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Roads of real traces, against the closed areas of the maps that they were driven on."""

import numpy as np
import pytest

from lidar_scenery.roads.from_osi import road_parts
from lidar_scenery.roads.meshing import road_meshes
from osi_bridge import FrameDecoder, open_trace


def parts_of(path):
    trace = open_trace(path)
    frame = FrameDecoder(trace.message_type).decode(next(iter(trace)).data, 0)
    return None if frame.lanes is None else road_parts(frame.lanes)


@pytest.mark.parametrize(
    ("name", "road_m2", "marking_m2"),
    [("acc-test", 10_750.0, 140.16), ("highway_merge", 21_234.5, 76.8)],
)
def test_areas_are_those_of_the_map(real_data, name, road_m2, marking_m2):
    parts = parts_of(real_data / "osi/omega-prime" / f"{name}.osi")
    assert parts.area_m2("road_") == pytest.approx(road_m2, rel=1e-4)
    assert parts.area_m2("marking_") == pytest.approx(marking_m2, rel=1e-3)
    assert parts.notes == ()


def test_dashes_are_at_the_stations_of_the_map(real_data):
    parts = parts_of(real_data / "osi/omega-prime/acc-test.osi")
    dashes = [s for s in parts.strips if s.material == "marking_white" and np.ptp(s.left_m) < 500]
    middle = [s.left_m[[0, -1], 0] for s in dashes if abs(s.left_m[0, 1] - 0.06) < 1e-9]
    expected = np.arange(42)[:, None] * 12.0 + [0.0, 4.0]
    np.testing.assert_allclose(np.sort(middle, axis=0), expected, atol=1e-3)


@pytest.mark.parametrize("folder", ["lichtblick", "omega-prime", "openmaterial3d"])
def test_every_trace_gives_a_road(real_data, folder):
    for path in sorted((real_data / "osi" / folder).iterdir()):
        if path.suffix in {".osi", ".mcap"} and path.stem != "only_osi_topic":
            parts = parts_of(path)
            assert parts.area_m2("road_") > 500.0
            assert road_meshes(parts)
