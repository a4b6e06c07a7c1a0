# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The ground below and beside roads."""

import numpy as np
import pytest

from lidar_scenery.roads.from_osi import road_parts
from lidar_scenery.roads.parts import RoadParts
from lidar_scenery.roads.terrain import MOST_CELLS, ground_below
from tests.lidar_scenery.roads.networks import lane, line, network, two_lanes


def hill(z, *, y=0.0, first=1):
    """A crowned road along x, its heights z(x)."""
    x = np.linspace(0.0, 400.0, 41)
    lines = [
        line(first + k, np.stack([x, 0 * x + y + side, z(x) - 0.1 * abs(side)], 1), "NO_LINE")
        for k, side in enumerate((4.0, 0.0, -4.0))
    ]
    return lines, [lane(first + k, (first + k,), (first + k + 1,)) for k in (0, 1)]


def ground_heights(ground, points_m):
    """Return the height of the field at points."""
    field = ground.patch.points_m[:-8]
    x, y = np.unique(field[:, 0]), np.unique(field[:, 1])
    height = field[:, 2].reshape(len(x), len(y))
    place = (points_m[:, :2] - [x[0], y[0]]) / (x[1] - x[0])
    i, j = np.floor(place).astype(int).T
    u, v = (place - np.floor(place)).T
    a, b, c, d = height[i, j], height[i + 1, j], height[i + 1, j + 1], height[i, j + 1]
    return np.where(u >= v, a + u * (b - a) + v * (c - b), a + u * (c - d) + v * (d - a))


def surface_points(parts):
    share = np.linspace(0.0, 1.0, 9)[:, None]
    for strip in (s for s in parts.strips if s.material.startswith("road_")):
        for k in range(len(strip.left_m) - 1):
            a, c = (
                side[k] + share * (side[k + 1] - side[k]) for side in (strip.left_m, strip.right_m)
            )
            yield from (a + part * (c - a) for part in (0.0, 0.2, 0.5, 0.9, 1.0))


def test_flat_roads_lie_on_a_plane():
    ground = ground_below(road_parts(two_lanes()))
    assert ground.level_m == pytest.approx(-0.01)
    assert ground.patch is None


def test_no_roads_have_no_ground():
    assert ground_below(RoadParts()) is None


def test_the_ground_follows_a_hill_one_centimetre_below():
    lines, lanes = hill(lambda x: 10.0 * np.sin(x / 100.0))
    parts = road_parts(network(lines, lanes))
    ground = ground_below(parts)
    points = np.concatenate(list(surface_points(parts)))
    gap = points[:, 2] - ground_heights(ground, points)
    assert gap.min() > 0.005
    assert np.median(gap) < 0.1
    assert gap.max() < 0.6  # below the crown, which the ground does not follow
    edge = np.abs(np.abs(points[:, 1]) - 4.0) < 1e-9
    assert np.median(gap[edge]) < 0.05


def test_the_ground_is_level_far_away():
    lines, lanes = hill(lambda x: 0.02 * x)
    ground = ground_below(road_parts(network(lines, lanes)))
    x, y, z = ground.patch.points_m.T
    assert ground.level_m == pytest.approx(-0.41)
    far = (np.abs(y) > 204.0) | (x < -200.0) | (x > 600.0)
    np.testing.assert_allclose(z[far], ground.level_m, atol=1e-9)
    assert np.abs(x).max() > 3000.0
    a, b, c = (ground.patch.points_m[ground.patch.triangles[:, k]] for k in range(3))
    assert (np.cross(b - a, c - a)[:, 2] > 0.0).all()
    assert ground.patch.material == "ground_grass"


@pytest.mark.parametrize(
    ("away_m", "share"), [(50.0, 0.84375), (100.0, 0.5), (150.0, 0.15625), (210.0, 0.0)]
)
def test_the_ground_fades_into_its_level_over_200_metres(away_m, share):
    """Smoothly, as f^2 (3 - 2 f) for the share f of the way that is left."""
    lines = [
        line(1, [(0, 4, 0), (400, 4, 8)], "NO_LINE"),
        line(2, [(0, -4, 0), (400, -4, 8)], "NO_LINE"),
    ]
    ground = ground_below(road_parts(network(lines, [lane(1, (1,), (2,))])))
    assert ground.level_m == pytest.approx(-0.01)
    for y in (4.0 + away_m, -4.0 - away_m):  # half way along, where the road is 4 m high
        (height_m,) = ground.height_m(np.array([[200.0, y]]))
        # distances count from the cells of the road, which reach up to 2 m beyond its edge
        assert height_m == pytest.approx(-0.01 + 4.0 * share, abs=0.07)


def test_below_a_bridge_the_ground_is_that_of_the_lower_road():
    low_lines, low_lanes = hill(lambda x: 0.0 * x)
    high = [
        line(10 + k, np.array([[200.0 + s, -100, 6], [200.0 + s, 100, 6]]), "NO_LINE")
        for k, s in enumerate((-4.0, 4.0))
    ]
    parts = road_parts(network([*low_lines, *high], [*low_lanes, lane(10, (10,), (11,))]))
    ground = ground_below(parts)
    points = np.concatenate(list(surface_points(parts)))
    gap = points[:, 2] - ground_heights(ground, points)
    assert gap.min() > 0.005
    assert ground_heights(ground, np.array([[200.0, 0.0, 0.0]]))[0] < -0.005
    assert ground_heights(ground, np.array([[200.0, 60.0, 0.0]]))[0] > 5.9


def test_the_field_of_a_large_world_has_larger_cells():
    lines = [
        line(1, [(0, 2, 0), (5e3, 2, 100)], "NO_LINE"),
        line(2, [(0, -2, 0), (5e3, -2, 100)], "NO_LINE"),
    ]
    ground = ground_below(road_parts(network(lines, [lane(1, (1,), (2,))])))
    assert len(ground.patch.points_m) < 1.2 * MOST_CELLS
