# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Road surfaces, markings and roadside objects, from OSI lanes and OpenDRIVE maps.

Names are imported on first use.
"""

from typing import TYPE_CHECKING

from lidar_base.lazy_names import imported_on_use

if TYPE_CHECKING:
    from lidar_scenery.roads.from_osi import lane_areas as lane_areas
    from lidar_scenery.roads.from_osi import road_parts as road_parts
    from lidar_scenery.roads.listed import not_listed as not_listed
    from lidar_scenery.roads.meshing import road_meshes as road_meshes
    from lidar_scenery.roads.opendrive import map_header as map_header
    from lidar_scenery.roads.opendrive import map_shift_m as map_shift_m
    from lidar_scenery.roads.opendrive import read_map as read_map
    from lidar_scenery.roads.parts import RoadParts as RoadParts
    from lidar_scenery.roads.rules import MarkingRules as MarkingRules
    from lidar_scenery.roads.terrain import Ground as Ground
    from lidar_scenery.roads.terrain import ground_below as ground_below

__getattr__ = imported_on_use(
    __name__,
    {
        "lane_areas": "from_osi",
        "road_parts": "from_osi",
        "not_listed": "listed",
        "road_meshes": "meshing",
        "map_header": "opendrive",
        "map_shift_m": "opendrive",
        "read_map": "opendrive",
        "RoadParts": "parts",
        "MarkingRules": "rules",
        "Ground": "terrain",
        "ground_below": "terrain",
    },
)
