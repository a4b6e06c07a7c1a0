# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""OpenDRIVE maps, read into road parts."""

from lidar_scenery.roads.opendrive.header import MapHeader, map_header, map_shift_m
from lidar_scenery.roads.opendrive.reader import read_map

__all__ = ["MapHeader", "map_header", "map_shift_m", "read_map"]
