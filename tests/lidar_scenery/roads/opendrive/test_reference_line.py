# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Curves of reference lines against closed forms and numerical integrals."""

import numpy as np
import pytest
from scipy.integrate import quad

from lidar_scenery.roads.opendrive.cubics import Stations
from lidar_scenery.roads.opendrive.reference_line import Clothoid, LinePiece, Polynomial, plan_of


def end_of(curve, length=100.0, pose=(0.0, 0.0, 0.0)):
    """Return x, y and heading of the end of a piece."""
    return np.ravel(LinePiece(0.0, length, *pose, curve).plan(np.array([length])))


def test_a_line_goes_along_its_heading():
    expected = [3.0 + 80.0, 4.0 + 60.0, np.arctan2(3.0, 4.0)]
    assert end_of(Clothoid(), pose=(3.0, 4.0, np.arctan2(3, 4))) == pytest.approx(expected)


@pytest.mark.parametrize("curvature", [0.02, -0.02])
def test_an_arc_ends_on_its_circle(curvature):
    radius, turn = 1.0 / curvature, 100.0 * curvature
    expected = [radius * np.sin(turn), radius * (1.0 - np.cos(turn)), turn]
    assert end_of(Clothoid(curvature, curvature)) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize(
    ("first", "last"), [(0.0, 0.02), (0.02, -0.02), (-0.1, -0.01), (0.02, 0.02 + 1e-9), (0.0, 1e-7)]
)
def test_a_spiral_is_the_integral_of_its_heading(first, last):
    def heading(s):
        return first * s + 0.5 * (last - first) / 100.0 * s * s

    x = quad(lambda s: np.cos(heading(s)), 0.0, 100.0, limit=200)[0]
    y = quad(lambda s: np.sin(heading(s)), 0.0, 100.0, limit=200)[0]
    assert end_of(Clothoid(first, last)) == pytest.approx([x, y, heading(100.0)], abs=1e-6)


def test_a_polynomial_of_unit_range_ends_at_one():
    curve = Polynomial((0.0, 50.0, 0.0, -2.0), (0.0, 0.0, 12.0, -4.0), 1.0)
    x, y, heading = end_of(curve, length=curve.arc_lengths()[1][-1])
    assert (x, y) == pytest.approx((48.0, 8.0))
    assert heading == pytest.approx(np.arctan2(12.0, 44.0))


def test_stations_of_a_polynomial_are_arc_lengths():
    """A parabola v = u^2 / 100: its arc length is known (asinh)."""
    u = 60.0
    slope = 2.0 * u / 100.0
    length = 25.0 * (slope * np.hypot(1.0, slope) + np.arcsinh(slope))
    expected = [u, u * u / 100.0, np.arctan(slope)]
    assert end_of(Polynomial.of_height((0.0, 0.0, 0.01, 0.0), length), length) == pytest.approx(
        expected, abs=2e-4
    )
    whole = Polynomial((0.0, 1.0, 0.0, 0.0), (0.0, 0.0, 0.01, 0.0), 120.0)
    total = whole.arc_lengths()[1][-1]
    halfway = LinePiece(0.0, total, 0.0, 0.0, 0.0, whole).plan(np.array([length]))
    assert np.ravel(halfway) == pytest.approx(expected, abs=2e-3)


def test_pieces_follow_each_other():
    pieces = (LinePiece(0.0, 10.0, 0.0, 0.0, 0.0), LinePiece(10.0, 10.0, 10.0, 0.0, np.pi / 2.0))
    s = np.array([5.0, 10.0, 15.0, 25.0])
    plan = plan_of(pieces, Stations(s, s))
    assert plan.x_m == pytest.approx([5.0, 10.0, 10.0, 10.0])
    assert plan.y_m == pytest.approx([0.0, 0.0, 5.0, 15.0])
