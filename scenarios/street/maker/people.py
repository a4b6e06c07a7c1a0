# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The scenario's pedestrian: the built-in figure, in mid-stride."""

from lidar_scenery.shapes.figure import figure, upright
from lidar_scenery.shapes.solids import SolidModel

DIMENSION_M = (0.72, 0.58, 1.75)


def pedestrian() -> SolidModel:
    """Build a walking person who faces x, with the origin on the ground below the box's centre."""
    return figure(upright(stride=1.0, spread=0.0)).on_ground(DIMENSION_M)
