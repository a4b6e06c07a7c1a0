# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Operators that take parts of the gap away."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lidar_gap.operators import applied
from lidar_gap.records import NO_POINT, Pair, RangeImage, ScanCloud
from osi_lidar.errors import InputError
from tests.builders.refusals import one_line

N_RINGS, N_COLUMNS = 50, 100


def cloud_of(name, pixel, range_m, **columns):
    """Return a cloud whose points stand in a row, so that x tells range and y tells the pixel."""
    points = np.column_stack([range_m, pixel, np.zeros(len(pixel))]).astype(np.float64)
    return ScanCloud(name=name, points_m=points, range_m=points[:, 0], **columns)


def image_of(cloud, pixel):
    """Return the image of a cloud whose points have these pixels, the nearest point in each."""
    n = N_RINGS * N_COLUMNS
    point, range_m = np.full(n, NO_POINT), np.full(n, np.nan)
    for row, each in enumerate(pixel):
        if each >= 0 and not cloud.range_m[row] >= range_m[each]:
            point[each], range_m[each] = row, cloud.range_m[row]
    shape = (N_RINGS, N_COLUMNS)
    return RangeImage(
        range_m=range_m.reshape(shape),
        point=point.reshape(shape),
        n_points=np.bincount(np.array(pixel)[np.array(pixel) >= 0], minlength=n)
        .reshape(shape)
        .astype(np.int32),
        pixel_of_point=np.array(pixel, np.int64),
        elevation_deg=np.linspace(10, -10, N_RINGS),
        azimuth_deg=np.arange(N_COLUMNS) * 3.6,
    )


def pair_of(real_pixel, real_m, sim_pixel, sim_m, **columns_of_real):
    real = cloud_of("real", real_pixel, real_m, **columns_of_real)
    sim = cloud_of("sim", sim_pixel, sim_m)
    return Pair(
        real=real,
        sim=sim,
        real_image=image_of(real, real_pixel),
        sim_image=image_of(sim, sim_pixel),
    )


def points_of(cloud):
    return sorted(map(tuple, cloud.points_m.tolist()))


@pytest.fixture
def overlapping():
    """Return 4000 real and 4500 simulated points that share 3500 pixels."""
    generator = np.random.default_rng(7)
    pixel = generator.permutation(N_RINGS * N_COLUMNS)
    real, sim = pixel[:4000], pixel[500:5000]
    return pair_of(real, generator.uniform(5, 90, 4000), sim, generator.uniform(5, 90, 4500))


def test_drop_keeps_what_reality_has_and_add_gives_what_it_lacks(overlapping):
    assert len(applied([], overlapping)) == 4500
    assert len(applied(["drop"], overlapping)) == 3500
    assert len(applied(["add"], overlapping)) == 4500 + 500


def test_all_operators_together_give_the_real_cloud(overlapping):
    together = applied(["drop", "add", "modify=0:inf"], overlapping)
    assert points_of(together) == points_of(overlapping.real)
    without_add = applied(["drop", "modify=0:inf"], overlapping)
    assert len(without_add) == 3500


PIXELS = st.lists(st.integers(-1, 30), min_size=1, max_size=20)
UNIQUE = st.lists(st.integers(0, 30), min_size=1, max_size=20, unique=True)


@given(UNIQUE, UNIQUE, st.integers(0, 2**32 - 1))
def test_that_holds_wherever_pixels_hold_at_most_one_point(real, sim, seed):
    generator = np.random.default_rng(seed)
    pair = pair_of(real, generator.uniform(1, 9, len(real)), sim, generator.uniform(1, 9, len(sim)))
    together = applied(["drop", "add", "modify=0:inf"], pair)
    assert points_of(together) == points_of(pair.real)


def test_of_several_points_in_a_pixel_the_nearest_are_exchanged_and_no_other_added():
    pair = pair_of([3, 3, 8], [5.0, 7.0, 4.0], [3, 3], [5.5, 6.5])
    together = applied(["drop", "add", "modify=0:inf"], pair)
    assert points_of(together) == [(4, 8, 0), (5, 3, 0), (6.5, 3, 0)]


@pytest.mark.long
@given(PIXELS, PIXELS, st.integers(0, 2**32 - 1))
def test_order_of_operators_does_not_matter(real, sim, seed):
    generator = np.random.default_rng(seed)
    n_echoes = generator.integers(1, 3, len(real)).astype(np.uint8)
    pair = pair_of(
        real,
        generator.uniform(1, 9, len(real)),
        sim,
        generator.uniform(1, 9, len(sim)),
        n_echoes=n_echoes,
    )
    names = ["drop", "add", "echoes", "modify=0.5:2"]
    clouds = [points_of(applied(order, pair)) for order in itertools.permutations(names)]
    assert clouds == [clouds[0]] * len(clouds)


def test_points_without_a_pixel_are_dropped_and_added():
    pair = pair_of([-1, 1], [5.0, 6.0], [-1, 1], [7.0, 8.0])
    assert points_of(applied(["drop", "add"], pair)) == [(5, -1, 0), (8, 1, 0)]


def test_limits_of_modify_are_included():
    pair = pair_of([1, 2, 3], [5.0, 5.0, 5.0], [1, 2, 3], [5.25, 4.5, 6.0])
    found = applied(["modify=0.25:0.5"], pair)
    assert points_of(found) == [(5, 1, 0), (5, 2, 0), (6, 3, 0)]


def test_modify_can_be_limited_by_range():
    pair = pair_of([1, 2], [5.0, 20.0], [1, 2], [6.0, 22.0])
    assert points_of(applied(["modify-range=10:30"], pair)) == [(6, 1, 0), (20, 2, 0)]


def test_echoes_are_added_whatever_their_pixels_hold_but_none_twice():
    n_echoes = np.array([2, 2, 1, 1], np.uint8)
    pair = pair_of([1, 1, 2, 3], [5.0, 9.0, 6.0, 7.0], [1, 2], [5.5, 6.5], n_echoes=n_echoes)
    found = applied(["echoes"], pair)
    assert points_of(found) == [(5, 1, 0), (5.5, 1, 0), (6.5, 2, 0), (9, 1, 0)]
    together = applied(["echoes", "add", "drop", "modify=0:inf"], pair)
    assert points_of(together) == points_of(pair.real)


def test_result_has_the_columns_that_both_clouds_have():
    both = {"intensity": np.ones(2, np.float32), "ring": np.arange(2, dtype=np.int32)}
    real = cloud_of("real", [1, 2], [5.0, 6.0], **both, time_s=np.zeros(2))
    sim = cloud_of("sim", [1, 4], [5.5, 6.5], **both)
    images = {"real_image": image_of(real, [1, 2]), "sim_image": image_of(sim, [1, 4])}
    found = applied(["add"], Pair(real=real, sim=sim, **images))
    assert found.name == "sim"
    assert found.time_s is None
    assert found.ring.tolist() == [0, 1, 1]
    assert found.intensity.dtype == np.float32


@pytest.mark.parametrize(
    "name", ["fade", "modify", "modify=1", "modify=2:1", "modify=a:b", "modify=nan:1", "drop=1"]
)
def test_unknown_operators_and_limits_are_refused(overlapping, name):
    with one_line(InputError, name, match=r"expected"):
        applied([name], overlapping)


@pytest.mark.parametrize("limits", ["2:1", "-1:2"])
def test_limits_that_are_refused_are_told_their_bounds(overlapping, limits):
    with one_line(InputError, limits, match="in metres, from 0 on, the lower one first, such as"):
        applied([f"modify={limits}"], overlapping)


def test_echoes_need_a_cloud_that_tells_them(overlapping):
    with pytest.raises(InputError, match="real: does not state the number of echoes"):
        applied(["echoes"], overlapping)


def test_images_of_different_sizes_are_refused(overlapping):
    image = overlapping.sim_image
    smaller = RangeImage(
        range_m=image.range_m[:10],
        point=image.point[:10],
        n_points=image.n_points[:10],
        pixel_of_point=image.pixel_of_point,
        elevation_deg=image.elevation_deg[:10],
        azimuth_deg=image.azimuth_deg,
    )
    with pytest.raises(InputError, match=r"10 x 100 pixels, expected 50 x 100"):
        Pair(
            real=overlapping.real,
            sim=overlapping.sim,
            real_image=overlapping.real_image,
            sim_image=smaller,
        )
