# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Radii and places of the sub-rays of a beam, beside closed forms."""

import math

import numpy as np
import pytest

from raycore.pattern.footprint import Footprint
from raycore.pattern.footprint_kernels import GAUSSIAN, RECTANGLE, UNIFORM, fill_fans, radius_at

SIGMA_RAD, WINDOW_M = (2e-3, 1e-3), (0.01, 0.02)
OUTERMOST = math.sqrt(2.0 * math.log(128.0))
"""Radius in sigma beyond which half of the last stratum lies, 1 / 128 of a Gaussian beam."""


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.9, 0.99])
def test_a_circle_holds_its_share_of_a_round_beam(share):
    assert 1.0 - math.exp(-0.5 * radius_at(share, GAUSSIAN) ** 2) == pytest.approx(share, abs=1e-9)
    assert (radius_at(share, UNIFORM) / 2.0) ** 2 == pytest.approx(share)  # even up to 2 sigma


@pytest.mark.parametrize("share", [127 / 128, 0.999, 1.0])
def test_a_gaussian_beam_ends_in_the_middle_of_its_last_stratum(share):
    assert radius_at(share, GAUSSIAN) == pytest.approx(OUTERMOST)


@pytest.mark.parametrize(
    ("profile", "farthest"), [("gaussian", OUTERMOST), ("uniform", 2.0), ("rectangle", 2.0)]
)
def test_sub_rays_fill_their_profile_and_do_not_leave_it(profile, farthest):
    along, left, up = Footprint(sigma_rad=SIGMA_RAD, profile=profile).fans().transpose(1, 0, 2)[:3]
    h, v = left / along / SIGMA_RAD[0], up / along / SIGMA_RAD[1]
    out = np.maximum(abs(h), abs(v)) if profile == "rectangle" else np.hypot(h, v)
    assert 0.98 * farthest < out.max() <= farthest * (1.0 + 1e-6)


def fan(profile):
    """Return the fan of a point to the left, one above and one in the tail, after a left turn."""
    points = np.array(
        [[(1, 0, 31), (0, 1, 15)]], np.float32
    )  # the circle of 31 + 1 64ths holds half
    fans = np.empty((1, 5, 3), np.float32)
    tail, turn = np.array([[1.0, 0.0, 3.0]]), np.array([[0.0, 1.0]])
    within, partner = np.ones(1), np.array([1, 0])
    fill_fans(points, partner, tail, SIGMA_RAD, WINDOW_M, profile, 1.0, turn, within, fans)
    return fans[0]


@pytest.mark.parametrize(
    ("profile", "half", "quarter"),  # radii of the circles with a half and a quarter of the energy
    [
        (GAUSSIAN, math.sqrt(2.0 * math.log(2.0)), math.sqrt(2.0 * math.log(4 / 3))),
        (UNIFORM, math.sqrt(2.0), 1.0),
        # the normal distribution of each axis as an even one between -2 and 2
        (
            RECTANGLE,
            2.0 * math.erf(math.sqrt(math.log(2.0))),
            2.0 * math.erf(math.log(4 / 3) ** 0.5),
        ),
    ],
)
def test_a_fan_turns_its_points_and_starts_them_at_their_partners(profile, half, quarter):
    along, left, up, start_left, start_up = fan(profile)
    np.testing.assert_allclose(left / along, [0.0, -quarter * 2e-3, 0.0], atol=1e-8)
    np.testing.assert_allclose(up / along, [half * 1e-3, 0.0, 3e-3], atol=1e-8)
    np.testing.assert_allclose(along**2 + left**2 + up**2, 1.0, rtol=1e-6)
    # a sub-ray of the tail starts at right angles to its direction
    np.testing.assert_allclose(start_left, [-quarter * 0.01, 0.0, -0.03], atol=1e-8)
    np.testing.assert_allclose(start_up, [0.0, half * 0.02, 0.0], atol=1e-8)


def test_variants_of_a_set_follow_each_other_each_turned_and_shifted():
    points = np.array([[(1, 0, 31)], [(0, 1, 31)]], np.float32)  # a set to the left, one above
    turn, within = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0]]), np.array([1.0, 1.0, 0.0])
    fans = np.empty((6, 5, 1), np.float32)
    tail, partner = np.zeros((0, 3)), np.zeros(1, np.int64)
    fill_fans(points, partner, tail, (1e-3, 1e-3), WINDOW_M, UNIFORM, 1.0, turn, within, fans)
    far, near = 2.0 * math.sqrt(32 / 64), 2.0 * math.sqrt(31 / 64)  # ends of the ring in sigma
    places = [(far, 0), (0, far), (-near, 0), (0, far), (-far, 0), (0, -near)]
    np.testing.assert_allclose(fans[:, 1:3, 0] / fans[:, :1, 0], np.array(places) * 1e-3, atol=1e-8)
