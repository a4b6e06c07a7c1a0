# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""A town of 239 roads, written for the test."""

import math

import pytest

from tests.lidar_scenery.roads.opendrive.small_maps import of, read
from tests.lidar_scenery.roads.opendrive.town import BLOCK_M, CROSSING_M, LANES, town


@pytest.mark.long
def test_a_town_is_read_whole(tmp_path):
    parts = read(tmp_path, town(6, 7))
    assert dict(parts.counts) == {
        "roads": 239,
        "lanes": 239 * 6,
        "markings": 239 * 3,
        "objects": 0,
        "signals": 0,
        "junctions": 0,
    }
    streets = (5 * 7 + 6 * 6) * (BLOCK_M - 2.0 * CROSSING_M)
    turns = 4 * 6 * 7 * 0.5 * math.pi * CROSSING_M
    width = 2.0 * sum(width for _, width in LANES)
    assert parts.area_m2("road_") == pytest.approx((streets + turns) * width, rel=1e-3)
    assert len(of(parts, "kerb_stone")) == 239 * 2
    assert not parts.notes
