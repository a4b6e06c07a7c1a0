# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Kerbs, rails, barriers and walls: their heights and the side on which they stand."""

import numpy as np
import pytest

from lidar_scenery.roads.from_osi import road_parts
from tests.lidar_scenery.roads.networks import lane, network, straight


def beside_a_lane(kind, *, y, **more):
    other = straight(2, 0.0, "NO_LINE")
    sides = ((1,), (2,)) if y > 0.0 else ((2,), (1,))
    return road_parts(network([straight(1, y, kind, **more), other], [lane(1, *sides)]))


def corners_of(parts, material):
    strips = [p for s in parts.strips if s.material == material for p in (s.left_m, s.right_m)]
    return np.concatenate([*strips, *(p.points_m for p in parts.patches if p.material == material)])


USUAL = {
    "CURB": ("kerb_stone", 0.12, 0.15),
    "BARRIER": ("barrier_concrete", 0.81, 0.61),
    "STRUCTURE": ("wall_concrete", 3.0, 0.3),
    "SOUND_BARRIER": ("wall_concrete", 3.0, 0.15),
    "GUARD_RAIL": ("rail_steel", 0.75, 0.138),
}


@pytest.mark.parametrize("y", [3.0, -3.0])
@pytest.mark.parametrize("kind", USUAL)
@pytest.mark.parametrize("height", [0.0, 0.5])
def test_what_stands_along_a_lane_stands_outside_of_it(kind, y, height):
    material, usual_m, thickness_m = USUAL[kind]
    parts = beside_a_lane(kind, y=y, height=height)
    points = corners_of(parts, material)
    away = (points[:, 1] - y) * np.sign(y)
    assert away.min() == pytest.approx(0.0, abs=1e-9)
    assert away.max() == pytest.approx(thickness_m, abs=1e-9)
    assert points[:, 2].max() == pytest.approx(height or usual_m)
    assert points[:, 2].min() == pytest.approx(-0.02)
    assert [note.used for note in parts.notes] == ([] if height else [f"{usual_m:g} m"])


@pytest.mark.parametrize("y", [3.0, -3.0])
def test_a_kerb_shows_its_front_to_the_road_and_its_top_upwards(y):
    strips = [s for s in beside_a_lane("CURB", y=y).strips if s.material == "kerb_stone"]
    normals = [np.cross(s.right_m[0] - s.left_m[0], s.left_m[1] - s.left_m[0]) for s in strips]
    fronts = [n / np.linalg.norm(n) for n in normals]
    np.testing.assert_allclose(
        sorted(n.round(9).tolist() for n in fronts),
        sorted([[0.0, 1.0, 0.0], [0.0, -1.0, 0.0], [0.0, 0.0, 1.0]]),
        atol=1e-9,
    )
    road, top = (
        next(s for s, n in zip(strips, fronts, strict=True) if n[k] ** 2 > 0.5) for k in (1, 2)
    )
    assert max(road.left_m[0, 2], road.right_m[0, 2]) == pytest.approx(0.12)
    assert top.area_m2 == pytest.approx(15.0)


@pytest.mark.parametrize("road_is_left", [True, False])
def test_between_a_road_and_a_pavement_a_kerb_stands_on_the_pavement(road_is_left):
    lines = [straight(1, 3.0, "NO_LINE"), straight(2, 0.0, "CURB"), straight(3, -3.0, "NO_LINE")]
    road, pavement = ((1,), (2,)), ((2,), (3,))
    if not road_is_left:
        road, pavement = pavement, road
    lanes = [lane(1, *road), lane(2, *pavement, kind="NONDRIVING", subtype="SIDEWALK")]
    sides = corners_of(road_parts(network(lines, lanes)), "kerb_stone")[:, 1]
    away = -sides if road_is_left else sides
    assert away.min() == pytest.approx(0.0, abs=1e-9)
    assert away.max() == pytest.approx(0.15, abs=1e-9)


def test_a_guard_rail_has_a_post_every_two_metres():
    (posts,) = beside_a_lane("GUARD_RAIL", y=3.0).patches
    assert len(posts.points_m) == 51 * 8
    assert np.unique(posts.points_m[:, 0].round(6)).size == 102
    tops = posts.points_m[:, 2].max()
    assert tops == pytest.approx(0.7)


def test_raised_dots_are_four_feet_apart():
    parts = road_parts(network([straight(1, 0.0, "BOTTS_DOTS", length=10.0)]))
    (dots,) = parts.patches
    assert dots.material == "marking_white"
    assert len(dots.points_m) == 9 * 16
    assert dots.points_m[:, 2].max() == pytest.approx(0.019)
    a, b, c = (dots.points_m[dots.triangles[:, k]] for k in range(3))
    outwards = (a + b + c) / 3 - dots.points_m[:, :].mean(axis=0)
    assert (np.cross(b - a, c - a)[:, 2] > 0.0).all()
    assert len(outwards) == 9 * 22
