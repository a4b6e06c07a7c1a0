# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Stages of a twin, each alone, with answers known by hand."""

import numpy as np
import pytest

from lidar_gap.twin.cloud_map import smooth, voxels
from lidar_gap.twin.reflectivity.albedo import ROUGH, SignalLaw, albedo, classes
from lidar_gap.twin.reflectivity.photon_counter import PhotonCounter


def ring(range_of_azimuth, step_deg=0.5, elevation_deg=0.0):
    azimuth = np.radians(np.arange(-60.0, 60.0, step_deg))
    range_m = range_of_azimuth(azimuth)
    up = np.radians(elevation_deg)
    return np.stack(
        (
            range_m * np.cos(up) * np.cos(azimuth),
            range_m * np.cos(up) * np.sin(azimuth),
            range_m * np.sin(up),
        ),
        axis=1,
    )


@pytest.mark.parametrize("step_deg", [0.1, 0.5, 1.5])
def test_points_of_a_wall_lie_off_jumps_at_any_angle(step_deg):
    """1/r is linear along a ring on a plane, also at 83 deg; the ends have one neighbour."""
    for tilt in (0.0, 0.4):
        wall = ring(lambda a, tilt=tilt: 10.0 / np.cos(a - tilt), step_deg)
        assert smooth(wall)[1:-1].all()


def test_both_sides_of_a_step_and_mixed_pixels_are_left_out():
    points = ring(lambda a: np.where(a < 0, 5.0, 8.0))
    between = len(points) // 2
    points[between] *= 6.5 / np.linalg.norm(points[between])
    kept = smooth(points)
    assert np.flatnonzero(~kept).tolist() == [between - 1, between, between + 1]


def test_a_point_alone_is_left_out():
    points = np.concatenate((ring(lambda a: 5.0 + 0 * a), [[-3.0, 0.0, 2.0]]))
    assert smooth(points).tolist() == [True] * (len(points) - 1) + [False]


def test_an_empty_cloud_has_no_smooth_points():
    assert smooth(np.empty((0, 3))).shape == (0,)


def test_voxels_hold_means_and_counts():
    points = np.array([[0.1, 0.1, 0.1], [0.3, 0.1, 0.1], [-0.1, 0.0, 0.0], [0.1, 0.1, 7.0]])
    found = voxels(points, 0.5)
    mean = found.mean_m[found.of_point]
    np.testing.assert_allclose(mean[:2], [[0.2, 0.1, 0.1]] * 2)
    np.testing.assert_allclose(mean[2:], points[2:])
    assert found.n_points[found.of_point].tolist() == [2, 2, 1, 1]


def test_gain_follows_range_incidence_and_near_field():
    law = SignalLaw(near_field=((2.0, 0.5), (4.0, 1.0)))
    gain = law.gain(np.array([2.0, 4.0, 10.0]), np.array([1.0, 0.5, 1.0]))
    np.testing.assert_allclose(gain, [0.5 / 4, 0.5 / 16, 1 / 100])
    rough = SignalLaw(incidence=ROUGH, range_exponent=0.0)
    np.testing.assert_allclose(rough.gain(np.array([9.0]), np.cos(np.radians([42.0]))), 0.88)


def test_albedo_is_the_median_of_all_returns_that_can_be_used():
    """Place 0: albedos of 2, 3 and 9; place 1: one return; place 2: none usable."""
    signal = np.array([8.0, 6.0, 9.0, 5.0, 7.0])
    gain = np.array([4.0, 2.0, 1.0, 10.0, 0.0])
    place = np.array([0, 0, 0, 1, 2])
    np.testing.assert_allclose(albedo(signal, gain, place), [3.0, 0.5, np.nan])


def test_a_dim_place_is_no_brighter_for_what_it_did_not_return():
    receiver, random = PhotonCounter(half=4.65, spread=0.4), np.random.default_rng(3)
    albedos = np.array([2.0, 4.0, 8.0, 20.0, 60.0])
    place = np.repeat(np.arange(5), 40_000)
    gain = random.uniform(0.6, 1.4, len(place))
    counted = random.poisson(albedos[place] * gain).astype(float)
    returned = counted >= 4.65 * np.exp(0.4 * random.standard_normal(len(place)))
    of_returns = counted[returned], gain[returned], place[returned]
    np.testing.assert_allclose(albedo(*of_returns, receiver)[1:], albedos[1:], rtol=0.06)
    assert (albedo(*of_returns)[:2] > 1.2 * albedos[:2]).all()


def test_classes_are_even_in_the_logarithm():
    value = np.exp(np.linspace(0.0, 3.0, 1001))
    number, centre = classes(value, 4)
    assert set(number) == {0, 1, 2, 3}
    np.testing.assert_allclose(np.diff(np.log(centre)), np.log(centre[-1] / centre[0]) / 3)
    assert np.abs(np.log(value / centre[number])).max() < 0.51
