# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Robust fits find offsets, factors, shifts and turns that were put into points, in noise."""

import math

import numpy as np
import pytest

from lidar_app.conformance.causes.fits import BOTH, SHIFT, YAW, fit_ranges, fit_rigid
from osi_bridge import orientation_from_rotation, rotation_from_orientation

WALLS = np.array([(1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.6, -0.8, 0.0), (-1.0, 0.0, 0.0), (0, 0, -1)])
AWAY_M = np.array([10.0, 6.0, 12.0, 15.0, 2.0])
"""A room: normals of its walls and floor, from the inside out, and their distances."""


def planes(points_m):
    """Return the planes that rays from the origin through points meet first."""
    along = points_m / np.linalg.norm(points_m, axis=1)[:, None]
    speed = along @ WALLS.T
    with np.errstate(divide="ignore"):
        range_m = np.where(speed > 0.0, AWAY_M / speed, np.inf)
    met = np.argmin(range_m, axis=1)
    return WALLS[met], AWAY_M[met]


def room(n=600):
    """Return points on the walls of the room."""
    direction = np.random.default_rng(2).normal(size=(n, 3)) * (1.0, 1.0, 0.3)
    direction /= np.linalg.norm(direction, axis=1)[:, None]
    normal, distance_m = planes(direction)
    return direction * (distance_m / np.einsum("ni,ni->n", normal, direction))[:, None]


def spoiled(points_m, sigma_m=0.02, share=0.2):
    """Return points with noise, some of which are anywhere."""
    draw = np.random.default_rng(3)
    points_m = points_m + draw.normal(0.0, sigma_m, points_m.shape)
    wild = draw.random(len(points_m)) < share
    points_m[wild] = draw.uniform(-10.0, 10.0, (np.count_nonzero(wild), 3))
    return points_m


@pytest.mark.parametrize("shift_m", [(1.36, 0.0, 0.0), (-0.3, 0.5, 0.2), (0.0, 0.0, 0.0)])
def test_a_shift_is_found_in_noise_and_beside_points_that_are_anywhere(shift_m):
    fit = fit_rigid(spoiled(room() + shift_m), planes, SHIFT)
    np.testing.assert_allclose(fit.shift_m, shift_m, atol=0.01)
    np.testing.assert_array_equal(fit.turn, np.eye(3))


@pytest.mark.parametrize("yaw_deg", [2.0, -7.0])
def test_a_turn_about_the_vertical_is_found(yaw_deg):
    turn = rotation_from_orientation((0.0, 0.0, math.radians(yaw_deg)))
    fit = fit_rigid(spoiled(room() @ turn.T), planes, YAW)
    assert math.degrees(orientation_from_rotation(fit.turn)[2]) == pytest.approx(yaw_deg, abs=0.05)


def test_a_large_turn_is_found_from_a_start_near_it():
    turn = rotation_from_orientation((0.0, 0.0, math.radians(100.0)))
    fit = fit_rigid(spoiled(room() @ turn.T), planes, YAW, math.radians(90.0))
    assert math.degrees(orientation_from_rotation(fit.turn)[2]) == pytest.approx(100.0, abs=0.05)


def test_a_shift_and_a_turn_are_found_together():
    angles = math.radians(1.0), math.radians(-2.0), math.radians(3.0)
    turn, shift_m = rotation_from_orientation(angles), (0.4, -0.2, 0.1)
    came_m = room() @ turn.T + shift_m
    fit = fit_rigid(spoiled(came_m), planes, BOTH)
    np.testing.assert_allclose(orientation_from_rotation(fit.turn), angles, atol=2e-3)
    np.testing.assert_allclose(fit.shift_m, shift_m, atol=0.02)
    exact = fit_rigid(came_m, planes, BOTH)
    np.testing.assert_allclose(exact.undone(came_m), room(), atol=1e-6)


@pytest.mark.parametrize(
    ("offset_m", "scale"), [(0.02, 1.0), (-1.5, 1.0), (0.0, 1000.0), (0.0, 0.97)]
)
def test_offset_and_factor_of_ranges_are_told_apart(offset_m, scale):
    draw = np.random.default_rng(4)
    told_m = draw.uniform(2.0, 80.0, 500)
    came_m = scale * told_m + offset_m + draw.normal(0.0, 0.003, 500)
    came_m[::7] = draw.uniform(1.0, 90.0, len(came_m[::7]))
    fit = fit_ranges(came_m, told_m)
    assert fit.offset_m == pytest.approx(offset_m, abs=2e-3)
    assert fit.scale == pytest.approx(scale, rel=2e-3)
    assert fit.after_m < 0.3 * fit.before_m
