# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""What a twin does not know of its places, as a texture: its reach, and its strength."""

from dataclasses import replace

import numpy as np
import pytest

from lidar_gap.twin.reflectivity.all_beams import SentBeams
from lidar_gap.twin.reflectivity.censored import PlaceAlbedos
from lidar_gap.twin.reflectivity.residual import Residual, class_textures, residual
from material_mapping.texture import Texture

WIDE_M = 0.15
STEP_M = 0.01
N_FRAME, N_LINE = 40, 4000


def frames_of(texture, *, gain=400.0):
    """Beams along a line of a wall, from frame to frame over another part of the texture."""
    at_m = np.arange(N_LINE) * STEP_M
    points_m = np.zeros((N_FRAME, N_LINE, 3))
    points_m[..., 0], points_m[..., 1] = at_m, 100.0 * np.arange(N_FRAME)[:, None]
    points_m = points_m.reshape(-1, 3)
    random = np.random.default_rng(3)
    counted = random.poisson(gain * texture.gains(points_m)).astype(float)
    n_beam = len(points_m)
    beams = SentBeams(
        point=np.arange(n_beam),
        gain=np.full(n_beam, gain),
        counted=counted,
        frame=np.repeat(np.arange(N_FRAME), N_LINE),
        ring=np.zeros(n_beam, np.int64),
        n_ring=1,
    )
    return beams, points_m


@pytest.mark.parametrize("shares", [(0.6, 0.4, 0.0), (0.2, 0.3, 0.5), (1.0, 0.0, 0.0)])
def test_shares_of_a_known_texture_are_found(shares):
    lengths_m = (WIDE_M / 3, 2 * WIDE_M, 10 * WIDE_M)
    pairs = tuple((each, m) for each, m in zip(shares, lengths_m, strict=True) if each)
    beams, points_m = frames_of(Texture(spread=0.4, scales=pairs))
    expected = np.full(len(points_m), np.log(400.0) - 0.08)  # the mean of ln g is -s^2 / 2
    found = residual(beams, expected, points_m, WIDE_M)
    np.testing.assert_allclose(found.lengths_m, lengths_m)
    np.testing.assert_allclose(found.shares, shares, atol=0.12)
    assert sum(found.shares) == pytest.approx(1.0)


def test_beams_that_share_nothing_have_the_shortest_length():
    beams, points_m = frames_of(Texture(spread=0.0, scales=((1.0, 1.0),)))
    off = 0.3 * np.random.default_rng(4).standard_normal(len(points_m))
    found = residual(beams, np.log(400.0) + off, points_m, WIDE_M)
    assert found.shares[0] > 0.97
    names = ("point", "gain", "counted", "frame", "ring")
    few = replace(beams, **{name: getattr(beams, name)[:50] for name in names})
    assert residual(few, np.full(50, 6.0), points_m, WIDE_M).shares == (1.0, 0.0, 0.0)


def test_a_class_whose_places_are_less_sure_has_more_texture():
    """s^2 of views is 0.09; the places of the second class add 0.16, with the middle length."""
    places = PlaceAlbedos(
        place_m=np.zeros((3, 3)),
        albedo=np.array([1.0, 10.0, 11.0]),
        log_sigma=np.array([0.0, 0.4, 0.4]),
        n_beams=np.array([5, 10, 20]),
        n_returns=np.array([5, 10, 20]),
        scatter=0.3,
        laser_gain=np.ones(1),
    )
    of_views = Residual(shares=(0.5, 0.0, 0.5), lengths_m=(0.05, 0.3, 1.5))
    first, second, none = class_textures(places, of_views, np.array([1.0, 10.0, 100.0]))
    assert first.spread == none.spread == 0.3
    assert first.scales == ((0.5, 0.05), (0.5, 1.5))
    assert second.spread == 0.5
    np.testing.assert_allclose(second.scales, ((0.18, 0.05), (0.64, 0.3), (0.18, 1.5)))
