# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Heights of signals: above the road, on it and below, stated and not."""

import pytest

from tests.lidar_scenery.roads.opendrive.small_maps import TWO, read, road, signal


def made(folder, kind="205", **values):
    values = {"height": 0.9} | values
    return read(folder, road(TWO, more=signal(kind, **values)))


def reach_m(shape):
    """Return the lower and the upper edge of an upright shape."""
    middle, half = shape.world_from_object[2, 3], 0.5 * shape.dimension_m[2]
    return pytest.approx((middle - half, middle + half))


@pytest.mark.parametrize(
    ("z", "bottom", "top", "foot"),
    [  # zOffset is the height of the lower edge; the post ends where the plate does
        (2.2, 2.2, 3.1, 0.0),
        (0.3, 0.3, 1.2, 0.0),
        (0, 0.0, 0.9, 0.0),
        (-0.4, -0.4, 0.5, -0.4),
        (-1.5, -1.5, -0.6, -1.5),
    ],
)
def test_a_plate_stands_at_the_height_that_is_stated(tmp_path, z, bottom, top, foot):
    parts = made(tmp_path, zOffset=z)
    post, plate = parts.standing
    assert (bottom, top) == reach_m(plate)
    assert (foot, top) == reach_m(post)
    assert not parts.notes


@pytest.mark.parametrize("z", ["", None])
def test_a_height_that_is_not_stated_is_the_usual_one(tmp_path, z):
    parts = made(tmp_path, zOffset=z)
    assert reach_m(parts.standing[1]) == (2.0, 2.9)
    assert [note.reason for note in parts.notes] == ["its height is not stated"]


@pytest.mark.parametrize("size", ["0", "", None])
def test_a_height_of_0_beside_sizes_that_are_not_known_is_not_known(tmp_path, size):
    parts = made(tmp_path, zOffset=0, width=size, height=size)
    assert reach_m(parts.standing[1]) == (2.0, 2.6)
    reasons = [note.reason for note in parts.notes]
    assert "its zOffset of 0 is not used: its sizes are not stated either, or are 0" in reasons


def test_a_negative_height_is_stated_whatever_the_sizes(tmp_path):
    parts = made(tmp_path, zOffset=-1, width=0, height=0)
    assert reach_m(parts.standing[1]) == (-1.0, -0.4)
    assert [note.used for note in parts.notes] == ["usual width and height"]


@pytest.mark.parametrize(("z", "top"), [(0, 3.2), (-0.5, 2.7), (None, 3.2)])
def test_the_lamps_of_a_light_that_includes_its_post_are_at_its_top(tmp_path, z, top):
    light = made(tmp_path, "1000001", zOffset=z, height=3.2, dynamic="yes").standing[1]
    assert light.shape == "traffic_light"
    assert reach_m(light) == (top - 1.0, top)


@pytest.mark.parametrize("height", ["0", None])
def test_a_stop_line_without_a_height_is_paint(tmp_path, height):
    parts = made(tmp_path, "294", zOffset=0, t=0, width=3.5, height=height)
    assert not parts.standing
    assert parts.area_m2("marking_white") == pytest.approx(3.5 * 0.5)


@pytest.mark.parametrize(("value", "length"), [("-1", 4.0), ("0", 4.0), ("3", 3.0)])
def test_a_crosswalk_is_as_long_as_a_positive_value_says(tmp_path, value, length):
    parts = made(tmp_path, "1000003", zOffset=0, t=0, width=7, height=0.01, value=value)
    assert parts.area_m2("marking_white") == pytest.approx(7 * 0.5 * length)


def test_a_signal_beyond_the_road_is_left_out_and_named(tmp_path):
    parts = made(tmp_path, s=150)
    assert not parts.standing
    left_out = [note.reason for note in parts.notes if note.used == "nothing"]
    assert "more than 10 m beyond the end of the reference line" in left_out[0]


def test_a_signal_a_little_beyond_the_road_stands_straight_on(tmp_path):
    parts = made(tmp_path, s=102)
    assert parts.standing[1].world_from_object[0, 3] == pytest.approx(102.0, abs=0.1)
    assert parts.notes[0].name == "road 1, signal 9 (2 m)"


def test_a_board_is_named(tmp_path):
    text = signal("205", "<staticBoard><sign/></staticBoard>")
    parts = read(tmp_path, road(TWO, more=text))
    assert [note.reason for note in parts.notes] == ["<staticBoard> of signals is not read"]
