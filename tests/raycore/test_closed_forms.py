# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Closed forms beside numbers worked out by hand."""

import numpy as np
from numpy.testing import assert_allclose

from raycore.closed_forms import range_to_plane, range_to_sphere

AHEAD, SLOPING, BACK, ALONG = (1, 0, 0), (0.8, 0.6, 0), (-1, 0, 0), (0, 1, 0)


def test_a_plane_is_met_from_both_sides_and_not_by_rays_away_from_it_or_along_it():
    wall = {"point_m": (12, 5, 7), "normal": (-2, 0, 0)}
    found = range_to_plane((0, 0, 0), [AHEAD, SLOPING, BACK, ALONG], **wall)
    assert_allclose(found, [12, 15, np.inf, np.inf])
    assert_allclose(range_to_plane([(20, 0, 0), (4, 1, 1)], [BACK, SLOPING], **wall), [8, 10])


def test_each_ray_may_have_a_plane_of_its_own():
    normal = [(1, 0, 0), (0, 1, 0)]
    found = range_to_plane((0, 0, 0), [SLOPING, SLOPING], point_m=(4, 6, 0), normal=normal)
    assert_allclose(found, [5, 10])


def test_a_sphere_is_met_where_a_ray_enters_it():
    """The centre is 10 m ahead; beside it by 3 m, a sphere of 5 m begins 4 m before it."""
    ball = {"centre_m": (10, 0, 0), "radius_m": 5.0}
    origin_m = [(0, 0, 0), (0, 3, 0), (0, 5.1, 0), (0, 0, 0), (20, 0, 0)]
    found = range_to_sphere(origin_m, [AHEAD, AHEAD, AHEAD, BACK, BACK], **ball)
    assert_allclose(found, [5, 6, np.inf, np.inf, 5])
