# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Sampled surfaces of maps, for tests that look below the strips."""

from lidar_scenery.roads.opendrive.allowance import Allowance
from lidar_scenery.roads.opendrive.header import open_map, parts_of
from lidar_scenery.roads.opendrive.parse import road_of
from lidar_scenery.roads.opendrive.sections import section_surface


def roads_of(path):
    """Return the elements of the roads of a map."""
    with open_map(path) as stream:
        return [road for root in parts_of(path, stream) for road in root.all("road")]


def surfaces_of(path):
    """Return the sampled lane sections of each road of a map, by the road's id."""
    allowance = Allowance()
    allowance.grow_to(path.stat().st_size)
    roads = [road_of(element, allowance) for element in roads_of(path)]
    return {
        road.name: [section_surface(road, s) for s in road.sections if s.left or s.right]
        for road in roads
    }
