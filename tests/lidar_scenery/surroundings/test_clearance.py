# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Boxes near triangles: exact answers, and those of points for many at once."""

import numpy as np
import pytest

from lidar_scenery.surroundings.clearance import LevelBoxes, Obstacles
from lidar_scenery.surroundings.kerbs import kerbs
from tests.lidar_scenery.surroundings.streets import road_triangles_m, straight_street, within

SQUARE = np.array([[[0.0, 0.0], [4.0, 0.0], [4.0, 4.0]], [[0.0, 0.0], [4.0, 4.0], [0.0, 4.0]]])


def _box(x, y, length=2.0, width=1.0, yaw=0.0):
    return LevelBoxes(np.array([[x, y]]), 0.5 * np.array([[length, width]]), np.array([yaw]))


@pytest.mark.parametrize(
    ("box", "margin_m", "clear"),
    [
        (_box(-2.0, 2.0), 0.9, True),  # its end is 1 m before the square
        (_box(-2.0, 2.0), 1.1, False),
        (_box(-2.0, 2.0, yaw=np.pi / 2), 1.4, True),  # turned, its side is 1.5 m before it
        (_box(-2.0, 2.0, yaw=np.pi / 2), 1.6, False),
        (_box(2.0, 2.0), 0.0, False),  # inside
        (_box(2.0, 2.0, length=100.0, width=100.0), 0.0, False),  # around it
        (_box(5.0, 5.0, length=0.2, width=0.2), 0.85, True),  # 0.9 m along either axis
    ],
)
def test_boxes_keep_a_margin_from_triangles(box, margin_m, clear):
    assert Obstacles(SQUARE).are_clear(box, margin_m).tolist() == [clear]


def test_triangles_larger_than_the_cells_and_without_area_count():
    large, thin = [[-5e3, 0.0], [5e3, 0.0], [5e3, 1.0]], [[0.0, 9.0], [8.0, 9.0], [8.0, 9.0]]
    obstacles = Obstacles(np.array([large, thin]))
    assert obstacles.are_clear(_box(1234.0, 1.0), 0.6).tolist() == [False]
    assert obstacles.are_clear(_box(4.0, 8.0), 0.6).tolist() == [False]
    assert obstacles.are_clear(_box(4.0, 6.0), 0.6).tolist() == [True]


def test_nothing_is_clear_of_nothing():
    assert Obstacles(np.empty((0, 3, 2))).are_clear(_box(0.0, 0.0), 5.0).all()


def test_no_box_that_is_clear_has_a_point_in_a_triangle():
    random = np.random.default_rng(1)
    triangles_m = random.uniform(-40, 40, (60, 1, 2)) + random.uniform(-6, 6, (60, 3, 2))
    n = 400
    boxes = LevelBoxes(
        random.uniform(-45, 45, (n, 2)), random.uniform(0.1, 3, (n, 2)), random.uniform(-9, 9, n)
    )
    clear = Obstacles(triangles_m).are_clear(boxes, 0.0)
    share = np.stack(np.meshgrid(*[np.linspace(-1, 1, 9)] * 2), axis=2).reshape(1, -1, 2)
    points_m = boxes.place_m[:, None] + (share * boxes.half_m[:, None]) @ boxes.axes
    meets = within(points_m.reshape(-1, 2), triangles_m).reshape(n, -1).any(axis=1)
    assert 50 < clear.sum() < n - 50
    assert not (clear & meets).any()
    assert (clear | meets).mean() > 0.95  # others touch between the points


def test_edges_of_pieces_of_a_street_are_two_long_lines_with_the_road_on_their_left():
    parts = straight_street(lengths=(40.0, 25.0, 35.0))
    lines = kerbs(parts, Obstacles(road_triangles_m(parts)))
    assert [line.length_m for line in lines] == pytest.approx([100.0, 100.0], abs=0.1)
    for line in lines:
        assert np.abs(line.points_m[:, 1]) == pytest.approx(3.0)
        assert line.outward[:, 1] == pytest.approx(np.sign(line.points_m[:, 1]))
        place_m, yaw_rad = line.beside(np.array([30.0]), np.array([2.0]))
        assert abs(place_m[0, 1]) == pytest.approx(5.0)
        assert np.cos(yaw_rad) == pytest.approx(np.sign(line.points_m[-1, 0] - 50.0))
