# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Sampled surfaces of maps, for tests that look below the strips."""

from lidar_scenery.roads.opendrive.allowance import Allowance
from lidar_scenery.roads.opendrive.header import content_of, root_of
from lidar_scenery.roads.opendrive.parse import road_of
from lidar_scenery.roads.opendrive.sections import section_surface


def surfaces_of(path):
    """Return the sampled lane sections of each road of a map, by the road's id."""
    content = content_of(path)
    elements = root_of(path, content).all("road")
    roads = [road_of(element, Allowance(len(content))) for element in elements]
    return {
        road.name: [section_surface(road, s) for s in road.sections if s.left or s.right]
        for road in roads
    }
