# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Traffic signs: a retroreflective sheet on an aluminium plate, on a post of galvanised steel."""

from dataclasses import dataclass

import numpy as np

from lidar_scenery.shapes.roadside.sign_faces import plate, regular
from lidar_scenery.shapes.solids import Array, SolidModel, tube

POST_RADIUS_M = 0.03


@dataclass(frozen=True, kw_only=True)
class Sign:
    """The plate of a sign; it faces x and stands on the ground at the origin."""

    colour: str
    corners: int
    first_corner_rad: float
    radius_m: float
    centre_m: float

    @property
    def dimension_m(self) -> tuple[float, float, float]:
        """Length, width and height of plate and post together."""
        outline = self._outline(0.0)
        width, top = float(np.ptp(outline[:, 1])), float(outline[:, 2].max())
        return (0.08, round(width, 2), round(top, 2))

    def _outline(self, x: float, size: float = 1.0) -> Array:
        y, z = regular(self.corners, self.first_corner_rad).T
        return np.stack(
            [0 * y + x, self.radius_m * size * y, self.centre_m + self.radius_m * size * z], axis=1
        )

    def model(self) -> SolidModel:
        """Build the sign, with the origin on the ground below the centre of its box."""
        model = SolidModel()
        model.group = "plate"
        sheets = (f"Sign_Retroreflective_{self.colour}", "Sign_Retroreflective_White")
        plate(model, self._outline(0.04), self._outline(0.04, 0.8), sheets, 0.012)
        model.group = "post"
        top = self.centre_m + 0.5 * self.radius_m
        model.add("Sign_Post_Steel", tube([(-0.01, 0, 0), (-0.01, 0, top)], POST_RADIUS_M))
        return model.on_ground(self.dimension_m)


SIGNS = {
    "sign_speed_30": Sign(
        colour="Red", corners=20, first_corner_rad=0.0, radius_m=0.3, centre_m=2.3
    ),
    "sign_crossing": Sign(
        colour="Blue", corners=4, first_corner_rad=np.pi / 4, radius_m=0.424, centre_m=2.4
    ),
    "sign_give_way": Sign(
        colour="Red", corners=3, first_corner_rad=-np.pi / 2, radius_m=0.52, centre_m=2.4
    ),
}
