# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Objects with moving parts: wheels that roll and steer, people who walk.

Names are imported on first use.
"""

from typing import TYPE_CHECKING

from lidar_base.lazy_names import imported_on_use

if TYPE_CHECKING:
    from lidar_scenery.articulation.animals import walking_animal as walking_animal
    from lidar_scenery.articulation.cyclists import cyclist as cyclist
    from lidar_scenery.articulation.cyclists import riding_model as riding_model
    from lidar_scenery.articulation.human.people import walking_person as walking_person
    from lidar_scenery.articulation.human.posed import limbs_of as limbs_of
    from lidar_scenery.articulation.human.posed import posed_person as posed_person
    from lidar_scenery.articulation.human.posed import posed_skin as posed_skin
    from lidar_scenery.articulation.human.skinned import skinned_person as skinned_person
    from lidar_scenery.articulation.mesh_wheels import vehicle_of_mesh as vehicle_of_mesh
    from lidar_scenery.articulation.wheels import WheeledVehicle as WheeledVehicle
    from lidar_scenery.articulation.wheels import wheeled_vehicle as wheeled_vehicle

__getattr__ = imported_on_use(
    __name__,
    {
        "walking_animal": "animals",
        "cyclist": "cyclists",
        "riding_model": "cyclists",
        "walking_person": "human.people",
        "limbs_of": "human.posed",
        "posed_person": "human.posed",
        "posed_skin": "human.posed",
        "skinned_person": "human.skinned",
        "vehicle_of_mesh": "mesh_wheels",
        "WheeledVehicle": "wheels",
        "wheeled_vehicle": "wheels",
    },
)
