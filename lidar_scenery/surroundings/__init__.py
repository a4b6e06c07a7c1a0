# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Surroundings of roads: invented houses, trees and lamps where a trace or a map lists nothing.

Names are imported on first use.
"""

from typing import TYPE_CHECKING

from lidar_base.lazy_names import imported_on_use

if TYPE_CHECKING:
    from lidar_scenery.surroundings.footprints import swept_footprints as swept_footprints
    from lidar_scenery.surroundings.placing import Roadside as Roadside
    from lidar_scenery.surroundings.placing import Surroundings as Surroundings

__getattr__ = imported_on_use(
    __name__,
    {
        "swept_footprints": "footprints",
        "Roadside": "placing",
        "Surroundings": "placing",
    },
)
