# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Water on the road, lane by lane: places of the films, and further rows of look-up tables.

Names are imported on first use.
"""

from typing import TYPE_CHECKING

from lidar_base.lazy_names import imported_on_use

if TYPE_CHECKING:
    from lidar_scenery.weather.lanes.water import LaneWater as LaneWater
    from lidar_scenery.weather.lanes.water import lane_water as lane_water

__getattr__ = imported_on_use(__name__, {"LaneWater": "water", "lane_water": "water"})
