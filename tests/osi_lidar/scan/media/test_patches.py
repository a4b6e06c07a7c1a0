# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Patches of fog: statistics of the field, what a beam loses in them, and where they are seen."""

import math

import numpy as np
import pytest

from osi_lidar.scan.media.patches.field import SHAPE, PatchyFog, echo_ranges, relative_extinction
from osi_lidar.scan.media.patches.sight_kernels import (
    Line,
    brightest,
    integral,
    line_of,
    past_patches,
    relative_at,
)

SIZE_M, CONTRAST, EXTINCTION = 10.0, 0.6, 0.03
AT_REST = np.zeros(1, np.uint32)
X_AXIS, ORIGIN = np.array([1.0, 0.0, 0.0], np.float32), np.zeros(3, np.float32)


@pytest.fixture(scope="module")
def relative():
    return relative_extinction(CONTRAST, seed=3)


def seen(relative, pose=None, *, size_m=SIZE_M, wind_m_s=(0.0, 0.0), time_s=0.0, echo=()):
    """Return fog as a sensor sees it from a pose, by default that of the world."""
    fog = PatchyFog(
        relative, size_m, EXTINCTION, np.arange(float(len(echo))), np.array(echo, float)
    )
    pose = np.eye(4) if pose is None else pose
    return fog.seen_from(pose[None], AT_REST, wind_m_s, round(1e9 * time_s))


def at(position_m, yaw_rad=0.0):
    pose = np.eye(4)
    cosine, sine = math.cos(yaw_rad), math.sin(yaw_rad)
    pose[:2, :2] = [[cosine, -sine], [sine, cosine]]
    pose[:3, 3] = position_m
    return pose


def along(patches, ranges_m, axis=X_AXIS):
    """Return the relative extinction along the first beam."""
    line = line_of(patches, np.uint64(0), axis, ORIGIN)
    return np.array([relative_at(patches.relative, line, float(each)) for each in ranges_m])


def lines(n, seed=0):
    """Return beams of random places and directions, in cells."""
    draws = np.random.default_rng(seed)
    for _ in range(n):
        along = draws.normal(size=3)
        along *= 4.0 / SIZE_M / np.linalg.norm(along)
        yield Line(tuple(draws.uniform(-500.0, 500.0, 3)), tuple(along))


def test_the_mean_over_the_world_is_that_of_the_visibility(relative):
    """Exactly on the grid, and of places between its cells to what 20 000 of them scatter by."""
    assert relative.dtype == np.float32
    assert relative.mean(dtype=np.float64) == pytest.approx(1.0, abs=1e-6)
    between = [relative_at(relative, line, 0.0) for line in lines(20_000)]
    deviation = math.sqrt(math.expm1(CONTRAST**2))  # of a log-normal number of mean 1
    assert np.mean(between) == pytest.approx(1.0, abs=4.0 * deviation / math.sqrt(20_000))


@pytest.mark.parametrize("contrast", [0.2, 0.6, 1.0])
def test_the_logarithm_has_the_contrast_and_a_normal_distribution(contrast):
    logarithm = np.log(relative_extinction(contrast, seed=1).astype(np.float64))
    assert logarithm.std() == pytest.approx(contrast, rel=1e-4)
    assert logarithm.mean() == pytest.approx(-0.5 * contrast**2, abs=0.15 * contrast)
    normal = (logarithm - logarithm.mean()) / contrast
    for share, quantile in ((0.1587, -1.0), (0.5, 0.0), (0.8413, 1.0)):
        assert np.quantile(normal, share) == pytest.approx(quantile, abs=0.1)


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_the_covariance_of_the_logarithm_is_gaussian(axis):
    """s^2 exp(-d^2 / 2 l^2) at distances of l/4 to 2 l, as the mean of 4 fields."""
    fields = [np.log(relative_extinction(CONTRAST, seed).astype(np.float64)) for seed in range(4)]
    for cells in (1, 2, 4, 6, 8):
        products = [
            ((field - field.mean()) * np.roll(field - field.mean(), cells, axis)).mean()
            for field in fields
        ]
        expected = math.exp(-0.5 * (cells / 4.0) ** 2)
        assert np.mean(products) / CONTRAST**2 == pytest.approx(expected, abs=0.06)


@pytest.mark.parametrize("range_m", [0.5, 3.0, 10.0, 40.0, 120.0, 400.0])
def test_the_optical_depth_is_that_of_a_thousand_steps(relative, range_m):
    """1 % rms in ln T, up to 40 sizes."""
    steps_m = (np.arange(1000) + 0.5) * 1e-3 * range_m
    errors = []
    for line in lines(30, seed=int(range_m)):
        exact = np.mean([relative_at(relative, line, each) for each in steps_m])
        errors.append(integral(relative, line, range_m, SIZE_M / 3.0) / (exact * range_m) - 1.0)
    assert np.sqrt(np.mean(np.square(errors))) < 0.01


def test_light_that_is_left_is_that_of_the_depth_over_that_of_even_fog(relative):
    patches = seen(relative)
    line = line_of(patches, np.uint64(0), X_AXIS, ORIGIN)
    depth_m = integral(patches.relative, line, 30.0, patches.step_m)
    expected = math.exp(-2.0 * EXTINCTION * (depth_m - 30.0))
    assert past_patches(patches, line, 30.0) == pytest.approx(expected, rel=1e-8)


def test_the_field_is_fixed_in_the_world(relative):
    """(20, 0) is 20 m ahead of the origin, and 15 m to the right of (20, 15)."""
    ahead = along(seen(relative), [20.0])
    right = along(seen(relative, at((20.0, 15.0, 0.0), math.radians(-90.0))), [15.0])
    np.testing.assert_allclose(right, ahead, rtol=1e-5)


def test_the_field_drifts_with_the_wind(relative):
    """At (x + w t, t) it is what it was at (x, 0), also far from the origin and late."""
    ranges_m, wind_m_s, time_s = np.arange(0.0, 60.0, 1.0), (3.0, -2.0), 1.7e9
    begin_m = (654_321.0, 5_400_123.0, 300.0)
    moved_m = (begin_m[0] + 3.0 * 12.5, begin_m[1] - 2.0 * 12.5, begin_m[2])
    for start_s in (0.0, time_s):
        first = along(seen(relative, at(begin_m), wind_m_s=wind_m_s, time_s=start_s), ranges_m)
        later = seen(relative, at(moved_m), wind_m_s=wind_m_s, time_s=start_s + 12.5)
        np.testing.assert_allclose(along(later, ranges_m), first, rtol=1e-4)
    here = seen(relative, at(begin_m), wind_m_s=wind_m_s, time_s=start_s + 12.5)
    assert np.abs(along(here, ranges_m) / first - 1.0).max() > 0.2


def test_from_each_pose_of_a_scan_the_field_is_as_if_it_were_the_only_one(relative):
    """A sensor drives and turns during the scan, while the wind blows."""
    fog, wind_m_s, time_ns = PatchyFog(relative, SIZE_M, EXTINCTION), (3.0, -2.0), 12_500_000_000
    poses = np.array([at((700.0 * n, -9.0 * n, 2.0), 0.3 * n) for n in range(3)])
    ranges_m = np.arange(0.0, 60.0, 1.0)
    moving = fog.seen_from(poses, np.array([2, 0, 1], np.uint32), wind_m_s, time_ns)
    for beam, pose in enumerate((2, 0, 1)):
        line = line_of(moving, np.uint64(beam), X_AXIS, ORIGIN)
        found = [relative_at(relative, line, each) for each in ranges_m]
        alone = seen(relative, poses[pose], wind_m_s=wind_m_s, time_s=12.5)
        np.testing.assert_allclose(found, along(alone, ranges_m), rtol=1e-9)


def test_the_field_repeats_after_32_sizes_along_x_and_y_and_8_along_z(relative):
    ranges_m = np.arange(0.0, 60.0, 1.0)
    first = along(seen(relative), ranges_m)
    extent_m = np.array(SHAPE) / 4.0 * SIZE_M
    np.testing.assert_allclose(along(seen(relative, at(extent_m)), ranges_m), first, rtol=1e-5)
    np.testing.assert_array_equal(extent_m, [320.0, 320.0, 80.0])


def test_each_seed_has_its_own_field(relative):
    np.testing.assert_array_equal(relative_extinction(CONTRAST, seed=3), relative)
    other = relative_extinction(CONTRAST, seed=4)
    assert abs(np.corrcoef(other.ravel(), relative.ravel())[0, 1]) < 0.2


def test_the_brightest_fog_is_where_density_and_light_that_is_left_are_highest(relative):
    """Rows of 1 m: by the definition on all of them, refined by less than half a row."""
    echo = np.exp(-0.1 * np.arange(32.0))
    patches = seen(relative, echo=echo)
    for line in lines(50):
        m = np.array([relative_at(patches.relative, line, float(i)) for i in range(32)])
        more_m = np.concatenate([[0.0], np.cumsum(0.5 * (m[1:] + m[:-1]) - 1.0)])
        signal = echo * m * np.exp(-2.0 * EXTINCTION * more_m)
        signal[:3] = 0.0  # nearer than 2.5 m
        height, place_m = brightest(patches, line, 2.5, 100.0)
        assert height >= signal.max() * (1.0 - 1e-6)
        assert height < 1.05 * signal.max()
        assert abs(place_m - signal.argmax()) <= 0.5
    assert brightest(patches, line, 2.5, 2.9) == (0.0, 0.0)
    assert brightest(seen(relative), line, 2.5, 100.0) == (0.0, 0.0)


def test_the_top_of_a_parabola_is_found_between_its_rows_but_not_before_the_first_one():
    echo = 1.0 - 0.01 * np.square(np.arange(32.0) - 12.3)
    patches = seen(np.ones(SHAPE, np.float32), echo=np.maximum(echo, 0.0))
    (line,) = lines(1)
    assert brightest(patches, line, 2.5, 100.0) == pytest.approx((1.0, 12.3))
    assert brightest(patches, line, 12.5, 100.0) == pytest.approx((echo[13], 13.0))


@pytest.mark.parametrize("size_m", [2.0, 10.0, 200.0])
@pytest.mark.parametrize("end_m", [0.5, 1.3, 5.0, 40.0, 150.0])
def test_the_echo_is_looked_for_from_before_the_top_of_even_fog_to_where_none_is_seen(
    size_m, end_m
):
    ranges_m = echo_ranges(0.5, 1.3, end_m, size_m)
    steps_m = np.diff(ranges_m)
    assert len(ranges_m) <= 32
    assert 1.3 in ranges_m
    assert ranges_m[0] >= 0.5
    assert ranges_m[-1] >= end_m
    assert (steps_m > 0.0).all()
    assert steps_m.max() <= max(size_m / 6.0, end_m / 18.0, 0.2) + 1e-9
