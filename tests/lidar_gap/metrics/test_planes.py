# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Thickness of planes: noise within the rings, bias between them."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lidar_gap.metrics.planes import fitted_plane, plane_thickness, ring_residuals_m
from tests.lidar_gap import loops

NORMAL = np.array([0.9, 0.2, -0.1]) / math.sqrt(0.86)


def exact(_ring, cos):
    return 0.0 * cos


def scan(n_rings=32, n_columns=400, *, off_m=exact, normal=NORMAL):
    """Return the columns of a scan of a plane 8 m away, whose ranges are off by a function."""
    elevation = np.radians(np.linspace(-12, 12, n_rings))
    azimuth = np.radians(np.linspace(-30, 30, n_columns))
    ring, column = (each.ravel() for each in np.indices((n_rings, n_columns)))
    el, az = elevation[ring], azimuth[column]
    beam = np.column_stack([np.cos(el) * np.cos(az), np.cos(el) * np.sin(az), np.sin(el)])
    cos = beam @ normal
    range_m = 8 / cos + off_m(ring, cos)
    return {
        "points_m": beam * range_m[:, None],
        "range_m": range_m,
        "azimuth_rad": az,
        "ring": ring.astype(np.int32),
    }


def test_exact_scan_of_a_tilted_plane_has_no_thickness():
    found = plane_thickness(**scan())
    assert found.plane.normal @ NORMAL * np.sign(found.plane.offset_m) == pytest.approx(1)
    assert abs(found.plane.offset_m) == pytest.approx(8)
    thickness = (found.sigma_m, found.within_rings_m, found.between_rings_m)
    assert thickness == pytest.approx((0, 0, 0), abs=1e-6)


def test_noise_and_bias_are_told_apart():
    generator = np.random.default_rng(8)
    # 25 mm of either sign in turn, which no plane can follow; along the normal, by the incidence
    found = plane_thickness(
        **scan(
            off_m=lambda ring, cos: (
                (generator.normal(0, 0.008, len(ring)) + np.where(ring % 2, 0.025, -0.025)) / cos
            )
        )
    )
    assert found.within_rings_m == pytest.approx(0.008, rel=0.03)
    assert found.between_rings_m == pytest.approx(0.025, rel=0.03)
    assert found.sigma_m == pytest.approx(math.hypot(0.008, 0.025), rel=0.03)


def test_outliers_do_not_tilt_the_plane():
    columns = scan()
    outliers = np.random.default_rng(4).random(len(columns["ring"])) < 0.1
    columns["points_m"] = columns["points_m"] * np.where(outliers, 0.8, 1)[:, None]
    plane, kept = fitted_plane(columns["points_m"])
    assert abs(plane.normal @ NORMAL) == pytest.approx(1)
    assert np.array_equal(kept, ~outliers)


def test_offset_of_a_ring_in_azimuth_does_not_matter():
    columns = scan()
    columns["azimuth_rad"] = columns["azimuth_rad"] + 0.07 * (columns["ring"] % 4)
    assert plane_thickness(**columns).within_rings_m == pytest.approx(0, abs=1e-6)


@given(st.integers(0, 2**32 - 1))
def test_residuals_within_rings_are_those_of_a_loop(seed):
    generator = np.random.default_rng(seed)
    # too little for outliers
    columns = scan(2, 25, off_m=lambda ring, _: generator.uniform(-0.004, 0.004, len(ring)))
    del columns["points_m"]
    found = ring_residuals_m(**columns)
    for each in range(2):
        rows = columns["ring"] == each
        expected = loops.in_ring_residuals(
            columns["range_m"][rows].tolist(), columns["azimuth_rad"][rows].tolist()
        )
        assert found[rows] == pytest.approx(expected, abs=1e-6)


@pytest.mark.long
@given(st.integers(0, 2**32 - 1))
def test_thickness_is_that_of_a_loop(seed):
    generator = np.random.default_rng(seed)
    columns = scan(5, 30, off_m=lambda ring, _: generator.uniform(-0.004, 0.004, len(ring)))
    found = plane_thickness(**columns)
    assert found.n == 150
    plane = (found.plane.normal.tolist(), found.plane.offset_m)
    expected = loops.thickness(plane, *(columns[name].tolist() for name in columns))
    thickness = (found.sigma_m, found.within_rings_m, found.between_rings_m)
    assert thickness == pytest.approx(expected, abs=1e-6)
    # no plane nearby fits better
    for _ in range(10):
        normal = found.plane.normal + generator.normal(0, 1e-3, 3)
        normal = (normal / np.linalg.norm(normal)).tolist()
        offset_m = found.plane.offset_m + generator.normal(0, 1e-3)
        assert found.sigma_m <= loops.root_mean_square(
            loops.distances(normal, offset_m, columns["points_m"].tolist())
        )


def test_rings_of_few_points_have_no_noise():
    columns = scan(4, 6)
    assert math.isnan(plane_thickness(**columns).within_rings_m)


def test_points_of_equal_ranges_do_not_make_the_others_outliers():
    # steps of 8 mm, as of Ouster's low data rate: more than half of the wall has one range
    columns = scan(4, 100, normal=np.array([1.0, 0, 0]))
    columns["ring"][:] = 0
    columns["range_m"] = np.full(400, 5.0)
    columns["range_m"][::4] += 0.008
    assert not np.isnan(
        ring_residuals_m(**{name: columns[name] for name in ("range_m", "azimuth_rad", "ring")})
    ).any()
