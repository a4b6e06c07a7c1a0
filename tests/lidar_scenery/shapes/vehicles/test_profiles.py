# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Profiles of cars describe bodies without dents that fill their boxes."""

from itertools import pairwise

import numpy as np
import pytest

from lidar_scenery.shapes.solids import curve
from lidar_scenery.shapes.vehicles import profiles

CARS = {
    "small": profiles.SMALL_CAR,
    "compact": profiles.COMPACT_CAR,
    "medium": profiles.MEDIUM_CAR,
    "luxury": profiles.LUXURY_CAR,
    "suv": profiles.SUV,
    "van": profiles.DELIVERY_VAN,
}
CURVES = ("top", "belt", "half_width")


@pytest.mark.parametrize("car", CARS)
@pytest.mark.parametrize("name", CURVES)
def test_curves_reach_from_the_rear_to_the_front(car, name):
    x, _ = np.transpose(getattr(CARS[car], name))
    assert (x[0], x[-1]) == (-CARS[car].size_m[0] / 2, CARS[car].size_m[0] / 2)
    assert (np.diff(x) > 0.0).all()


@pytest.mark.parametrize("car", CARS)
@pytest.mark.parametrize("name", ["belt", "half_width"])
def test_outlines_bulge_and_have_no_dent(car, name):
    knots = getattr(CARS[car], name)
    slopes = [(b - a) / (x - w) for (w, a), (x, b) in pairwise(knots)]
    assert (np.diff(slopes) <= 1e-9).all()


@pytest.mark.parametrize("car", CARS)
def test_a_body_is_as_wide_and_high_as_its_box(car):
    length, width, height = CARS[car].size_m
    assert max(z for _, z in CARS[car].top) == height
    assert max(y for _, y in CARS[car].half_width) == pytest.approx(width / 2, abs=0.02)
    assert min(y for _, y in CARS[car].half_width) > width / 4
    x = np.linspace(-length / 2, length / 2, 200)
    top, belt = (np.array(curve(x, knots)) for knots in (CARS[car].top, CARS[car].belt))
    assert (top - belt > 0.03).all()
    assert belt.min() > CARS[car].sill_m + CARS[car].axles[0].radius_m
