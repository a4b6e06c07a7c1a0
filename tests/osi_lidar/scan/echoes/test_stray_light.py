# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Retroreflectors bloom into beams beside them as the halo says."""

import numpy as np
import pytest
from pydantic import ValidationError

from osi_lidar.clouds.origins import ORIGINS
from tests.builders.beams import SEES, points_at
from tests.builders.meshes import quad

GHOST = ORIGINS.index("ghost")
SIGN_M, SHARE, WIDTH_DEG, PERCENT = 20.0, 1e-4, 0.5, 22_000.0
OFF_DEG = np.array([0.0, 0.5, 1.0, 2.0, 4.0])
HALO = {**SEES, "stray_light": {"share": SHARE, "width_deg": WIDTH_DEG}}
LINES = {"pattern": {"kind": "pairs", "azimuth_elevation_deg": [[off, 0.0] for off in OFF_DEG]}}


def sign():
    """Return a small retroreflector, which the first beam alone meets."""
    return [(quad(SIGN_M, 0.0, 0.05), PERCENT)]


@pytest.mark.parametrize("beam", [None, {"divergence_deg": 0.01}])
def test_beams_beside_a_sign_see_it_as_the_halo_says(tmp_path, beam):
    points = points_at(tmp_path, sign(), receiver=HALO, beam=beam, **LINES)
    assert (points["origin"] == np.array([0, *[GHOST] * 4])[: len(points)]).all()
    expected = PERCENT / 100.0 * SHARE * np.exp(-OFF_DEG / WIDTH_DEG)
    assert points["reflectivity"][1:] == pytest.approx(expected[1 : len(points)], rel=1e-4)
    assert points["range"] == pytest.approx(SIGN_M, abs=1e-3)
    # 600 m at 10 %: the faintest that is seen at 20 m
    assert len(points) == 1 + (expected[1:] > 0.1 * (SIGN_M / 600.0) ** 2).sum()


def test_a_sign_blooms_alike_however_many_beams_meet_it(tmp_path):
    fine = [[off, 0.0] for off in (*np.linspace(-0.1, 0.0, 5), 1.0)]
    pattern = {"kind": "pairs", "azimuth_elevation_deg": fine}
    points = points_at(tmp_path, sign(), receiver=HALO, beam=None, pattern=pattern)
    expected = PERCENT / 100.0 * SHARE * np.exp(-1.0 / WIDTH_DEG)
    assert points["origin"].tolist() == [0] * 5 + [GHOST]
    assert points["reflectivity"][-1] == pytest.approx(expected, rel=1e-4)


def test_without_a_share_nothing_blooms(tmp_path):
    assert len(points_at(tmp_path, sign(), receiver=SEES, beam=None, **LINES)) == 1


def test_beams_that_see_no_halo_have_the_echoes_that_they_had(tmp_path):
    wall = (quad(SIGN_M + 10.0, 0.0, 5.0), 20.0)
    beam = {"divergence_deg": 0.2}
    without, bloomed = (
        points_at(tmp_path, [*sign(), wall], receiver=receiver, beam=beam, **LINES)
        for receiver in (SEES, HALO)
    )
    assert (bloomed["origin"] == GHOST).any()
    kept = bloomed[~np.isin(bloomed["column"], bloomed["column"][bloomed["origin"] == GHOST])]
    assert len(kept) > 1
    assert np.array_equal(kept, without[np.isin(without["column"], kept["column"])])


def test_walls_do_not_bloom(tmp_path):
    wall = [(quad(SIGN_M, 0.0, 5.0), 90.0)]
    points = points_at(tmp_path, wall, receiver=HALO, beam=None, **LINES)
    assert (points["origin"] != GHOST).all()


@pytest.mark.parametrize("halo", [{"share": 1e-4}, {"width_deg": 1.0}, {"share": 0.5}])
def test_a_halo_needs_share_and_width(tmp_path, halo):
    with pytest.raises(ValidationError, match="stray_light"):
        points_at(tmp_path, sign(), receiver={**SEES, "stray_light": halo}, **LINES)
