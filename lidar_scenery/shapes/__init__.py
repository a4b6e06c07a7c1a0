# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Parametric shapes of vehicles, people and roadside objects, made to a size.

Names are imported on first use.
"""

from typing import TYPE_CHECKING

from lidar_base.lazy_names import imported_on_use

if TYPE_CHECKING:
    from lidar_scenery.shapes.builder import PAINT as PAINT
    from lidar_scenery.shapes.catalogue import SHAPES as SHAPES
    from lidar_scenery.shapes.catalogue import ObjectType as ObjectType
    from lidar_scenery.shapes.catalogue import make_shape as make_shape
    from lidar_scenery.shapes.catalogue import standing_shape as standing_shape
    from lidar_scenery.shapes.catalogue import wanted_shape as wanted_shape
    from lidar_scenery.shapes.lights import LIGHTS as LIGHTS
    from lidar_scenery.shapes.paints import paint_of as paint_of
    from lidar_scenery.shapes.people import PEOPLE as PEOPLE
    from lidar_scenery.shapes.signs import SIGNS as SIGNS
    from lidar_scenery.shapes.vehicles import VEHICLES as VEHICLES

__getattr__ = imported_on_use(
    __name__,
    {
        "PAINT": "builder",
        "SHAPES": "catalogue",
        "ObjectType": "catalogue",
        "make_shape": "catalogue",
        "standing_shape": "catalogue",
        "wanted_shape": "catalogue",
        "LIGHTS": "lights",
        "paint_of": "paints",
        "PEOPLE": "people",
        "SIGNS": "signs",
        "VEHICLES": "vehicles",
    },
)
