# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Bodies of buses and trams: their cross-section, and the room that they leave for wheels."""

import numpy as np
import pytest

from lidar_scenery.shapes.builder import PAINT
from lidar_scenery.shapes.solids import SolidModel
from lidar_scenery.shapes.vehicles.coach import Coach, add_coach
from lidar_scenery.shapes.vehicles.wheels import Axle

AXLES = tuple(Axle(x_m=x, radius_m=0.4, width_m=0.2, outer_m=0.96) for x in (-2.0, 1.5))


def walls_of(axles=()):
    """Return the corners of walls and roof of a coach 8 m long, 2 m wide and 3 m high, (n, 3)."""
    coach = Coach(
        x_m=(-4.0, 4.0), half_width_m=1.0, floor_m=0.3, sill_m=0.45, belt_m=1.2, head_m=2.4,
        roof_m=3.0, axles=axles, side_windows=((-0.5, 0.5),),
    )  # fmt: skip
    model = SolidModel()
    add_coach(model, coach)
    return np.concatenate([*model.groups["body", PAINT], *model.groups["body", "Glass_Tinted"]])


def test_a_cross_section_is_upright_below_the_windows_and_bulges_above_them():
    points = walls_of()
    side = points[(np.abs(points[:, 0] - 0.5) < 1e-9) & (points[:, 1] > -1e-9), 1:]
    levels = np.unique(side.round(6), axis=0)
    levels = levels[np.lexsort((-levels[:, 0], levels[:, 1]))]  # upwards, and inwards on the roof
    assert levels[0].tolist() == [1.0, 0.3]
    assert levels[-1].tolist() == [0.0, 3.0]
    assert (levels[levels[:, 1] < 1.3, 0] == 1.0).all()
    steps = np.diff(levels, axis=0)
    assert (steps[:, 0] <= 0.0).all()  # further in, the higher
    turns = steps[:-1, 0] * steps[1:, 1] - steps[:-1, 1] * steps[1:, 0]
    assert (turns > -1e-9).all()


@pytest.mark.parametrize("axle", AXLES)
def test_walls_end_at_the_arches_around_wheels(axle):
    points = walls_of(AXLES)
    away_m = np.hypot(points[:, 0] - axle.x_m, points[:, 2] - axle.radius_m)
    above = points[:, 2] > axle.radius_m
    assert away_m[above].min() == pytest.approx(0.4 + 0.055, abs=1e-4)  # a gap of 5.5 cm
    low = points[:, 2] < axle.radius_m
    assert np.abs(points[low, 0] - axle.x_m).min() >= 0.4


def test_between_wheels_walls_reach_down_to_the_floor():
    points = walls_of(AXLES)
    between = points[np.abs(points[:, 0]) < 1.0]
    assert between[:, 2].min() == 0.3
    assert walls_of()[:, 2].min() == 0.3
