# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Angles of points, and choices of them, held against numpy's."""

import numpy as np
import pytest

from osi_lidar.clouds.cloud import Cloud, point_type, spherical

BLOCK_AND_MORE = 2500


@pytest.fixture
def cloud():
    """Return points all around the sensor, with true values beside them."""
    random = np.random.default_rng(7)
    points = np.zeros(BLOCK_AND_MORE, point_type())
    for name in ("x", "y", "z"):
        points[name] = random.normal(0.0, 30.0, len(points))
    return Cloud(
        points=points,
        beam=np.arange(len(points), dtype=np.uint32),
        object_id=random.integers(0, 2**63, len(points), np.uint64),
        true_range_m=random.uniform(0.0, 100.0, len(points)).astype(np.float32),
        true_xyz_m=random.normal(0.0, 30.0, (len(points), 3)).astype(np.float32),
    )


def test_angles_are_those_of_the_c_library(cloud):
    x, y, z = (cloud.points[name].astype(np.float64) for name in ("x", "y", "z"))
    distance_m, azimuth_rad, elevation_rad = spherical(cloud.points)
    across = np.hypot(x, y)
    np.testing.assert_allclose(distance_m, np.hypot(across, z), rtol=1e-15)
    np.testing.assert_allclose(azimuth_rad, np.arctan2(y, x), rtol=2e-15)
    np.testing.assert_allclose(elevation_rad, np.arctan2(z, across), rtol=2e-15)


@pytest.mark.parametrize(
    "xyz",
    [
        (0, 0, 0), (1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1),
        (1, 1, 0), (-1, 1, 0), (-1, -1, 0), (1, -1, 0), (3, 0, 3), (1e-30, 1e-30, 1e30),
        (120, 1e-20, -1e-20), (1, 0.41421357, 0), (1, 0.41421354, 0),
    ],
)  # fmt: skip
def test_angles_along_the_axes_and_between_them_are_exact(xyz):
    points = np.zeros(1, point_type())
    points["x"], points["y"], points["z"] = xyz
    x, y, z = (float(points[name][0]) for name in ("x", "y", "z"))
    _, azimuth_rad, elevation_rad = spherical(points)
    assert azimuth_rad[0] == pytest.approx(np.arctan2(y, x), rel=5e-16, abs=0.0)
    assert elevation_rad[0] == pytest.approx(np.arctan2(z, np.hypot(x, y)), rel=5e-16, abs=0.0)


@pytest.mark.parametrize("share", [0.0, 0.01, 0.5, 0.99, 1.0])
def test_chosen_points_keep_their_order_and_all_columns(cloud, share):
    chosen = np.random.default_rng(3).random(len(cloud.points)) < share
    kept = cloud.rows(chosen)
    for name in ("points", "beam", "object_id", "true_range_m", "true_xyz_m"):
        np.testing.assert_array_equal(getattr(kept, name), getattr(cloud, name)[chosen])


def test_a_cloud_of_which_all_is_chosen_is_itself(cloud):
    assert cloud.rows(np.ones(len(cloud.points), bool)) is cloud
