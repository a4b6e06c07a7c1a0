# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The lower edge of a car's body: at its clearance, and above the wheels."""

import numpy as np
import pytest

from lidar_scenery.shapes.builder import PAINT
from lidar_scenery.shapes.vehicles import VEHICLES
from osi_bridge.description.details import ObjectDetails, Wheel

RADIUS_M, CLEARANCE_M, AXLES_M = 0.3, 0.17, (-1.2, 1.1)
CARS = ["small_car", "compact_car", "medium_car", "luxury_car", "suv", "delivery_van"]


def built(name):
    """Return the corners of painted and of black parts of a car's body above ground, (n, 3)."""
    size = VEHICLES[name].usual_m
    wheels = tuple(
        Wheel(center_m=(x, y, RADIUS_M - size[2] / 2), radius_m=RADIUS_M, width_m=0.2)
        for x in AXLES_M
        for y in (-0.7, 0.7)
    )
    model = VEHICLES[name].build(size, ObjectDetails(wheels=wheels, ground_clearance_m=CLEARANCE_M))
    parts = [model.groups["body", material] for material in (PAINT, "Plastic_Black")]
    return [np.concatenate(polygons) + (0.0, 0.0, size[2] / 2) for polygons in parts]


@pytest.mark.parametrize("name", CARS)
def test_a_body_is_open_around_its_wheels(name):
    for points in built(name):
        for x_m in AXLES_M:
            away_m = np.hypot(points[:, 0] - x_m, points[:, 2] - RADIUS_M)
            assert away_m.min() > RADIUS_M


@pytest.mark.parametrize("name", CARS)
def test_between_its_wheels_a_body_reaches_down_to_its_clearance(name):
    _, black = built(name)
    between = black[np.abs(black[:, 0]) < 0.7]
    assert between[:, 2].min() == pytest.approx(CLEARANCE_M, abs=0.01)
