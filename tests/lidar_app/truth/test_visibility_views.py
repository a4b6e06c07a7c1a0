# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Intervals of direction in which boxes are seen: nothing of a box is outside of them."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lidar_app.truth.visibility_views import Margin, views_of
from tests.raycore.helpers import pose, random_rotation

NO_MARGIN = Margin(beside_m=0.0, angle_rad=0.0)


def box_at(x_m, y_m, z_m=0.0, half_m=1.0):
    """Return the corners of a cube, (1, 2, 3)."""
    return np.array([[x_m, y_m, z_m]])[None] + half_m * np.array([[[-1.0]], [[1.0]]]).reshape(
        1, 2, 1
    )


@given(seed=st.integers(0, 10_000), n_pose=st.sampled_from([1, 3, 40]))
def test_all_that_rays_see_of_a_box_is_within_its_view(seed, n_pose):
    rng = np.random.default_rng(seed)
    low_m = rng.uniform(-20, 20, (6, 3))
    bounds_m = np.stack([low_m, low_m + rng.uniform(0.1, 15, (6, 3))], axis=1)
    first, way_m = pose(rng.uniform(-1, 1, 3), random_rotation(rng)), rng.uniform(-2, 2, 3)
    poses = np.repeat(first[None], n_pose, axis=0)
    poses[:, :3, 3] += np.linspace(0, 1, n_pose)[:, None] * way_m
    margin = Margin(beside_m=0.2, angle_rad=0.01)
    views = views_of(bounds_m, poses, margin)
    share = rng.uniform(0, 1, (200, 1, 3))
    at_m = bounds_m[:, 0] + share * (bounds_m[:, 1] - bounds_m[:, 0])
    beside_m = rng.normal(size=(200, 6, 3))
    beside_m *= 0.2 / np.linalg.norm(beside_m, axis=2, keepdims=True)
    which = poses[rng.integers(0, n_pose, 200)]
    seen_m = np.einsum("rnj,rji->rni", at_m - which[:, None, :3, 3], which[:, :3, :3]) - beside_m
    azimuth_rad = np.arctan2(seen_m[..., 1], seen_m[..., 0])
    elevation_rad = np.arctan2(seen_m[..., 2], np.linalg.norm(seen_m[..., :2], axis=2))
    aside_rad = np.abs((azimuth_rad - views.azimuth_rad + math.pi) % (2 * math.pi) - math.pi)
    assert (aside_rad <= views.half_rad).all()
    assert (elevation_rad >= views.low_rad).all()
    assert (elevation_rad <= views.high_rad).all()
    assert (np.linalg.norm(seen_m, axis=2) >= views.nearest_m - 1e-9).all()


@pytest.mark.parametrize(
    ("other", "meet"),
    [((10.0, 2.5), False), ((10.0, 1.5), True), ((-10.0, 0.0), False), ((30.0, 0.0), True)],
)
def test_boxes_overlap_where_one_direction_meets_both(other, meet):
    both = np.concatenate([box_at(10.0, 0.0), box_at(*other)])
    overlaps = views_of(both, np.eye(4)[None], NO_MARGIN).overlaps()
    assert overlaps.tolist() == [[True, meet], [meet, True]]


def test_boxes_on_both_sides_of_the_direction_backwards_overlap():
    both = np.concatenate([box_at(-10.0, 0.5), box_at(-20.0, -0.5)])
    assert views_of(both, np.eye(4)[None], NO_MARGIN).overlaps().all()


def test_a_box_around_the_sensor_overlaps_all_others():
    both = np.concatenate([box_at(0.0, 0.0, half_m=3.0), box_at(-10.0, 5.0)])
    assert views_of(both, np.eye(4)[None], NO_MARGIN).overlaps().all()


def test_boxes_one_above_the_other_are_apart():
    both = np.concatenate([box_at(10.0, 0.0, 0.0), box_at(10.0, 0.0, 5.0)])
    assert not views_of(both, np.eye(4)[None], NO_MARGIN).overlaps()[0, 1]
