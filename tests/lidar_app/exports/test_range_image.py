# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Range images of clouds whose pixels are known by hand."""

import numpy as np

from osi_bridge import MOST_COLUMNS, RangeImages

POINT = [(name, "<f4") for name in ("x", "y", "z", "range")]
POINT += [("ring", "<u2"), ("column", "<u4")]


def cloud(azimuth_deg, elevation_deg, range_m, ring, column):
    """Return points in these directions."""
    arrays = np.broadcast_arrays(azimuth_deg, elevation_deg, range_m, ring, column)
    azimuth, elevation, distance, rings, columns = (np.ravel(each) for each in arrays)
    points = np.zeros(len(distance), POINT)
    a, e = np.deg2rad(azimuth), np.deg2rad(elevation)
    points["x"] = distance * np.cos(e) * np.cos(a)
    points["y"] = distance * np.cos(e) * np.sin(a)
    points["z"], points["range"] = distance * np.sin(e), distance
    points["ring"], points["column"] = rings, columns
    return points


def turning(*, offsets_deg=(0.0,), n_column=90):
    """Return a full turn clockwise; rings from the top, each ahead by an angle of its own.

    The range is 5 m to the left, 10 m to the right.
    """
    ring, column = np.indices((len(offsets_deg), n_column))
    azimuth_deg = 180.0 - 360.0 * column / n_column + np.take(offsets_deg, ring)
    range_m = np.where(np.sin(np.deg2rad(azimuth_deg)) > 0, 5.0, 10.0)
    return cloud(azimuth_deg, 2.0 - ring, range_m, ring, column)


def test_left_is_left_and_the_front_is_in_the_middle():
    image = RangeImages().image(turning(offsets_deg=(-1.0, -1.0)))
    assert image.shape == (2, 90)
    assert (image[:, 1:44] == 500).all()
    assert (image[:, 46:89] == 1000).all()


def test_rings_that_fire_apart_are_drawn_one_above_the_other():
    # by 3 columns (4 deg each) and a half: without the shift, the edge would be a zigzag
    image = RangeImages().image(turning(offsets_deg=(-1.0, 13.0, -1.0, 13.0)))
    edges = [np.flatnonzero(np.diff(row.astype(int)) == 500) for row in image]
    assert np.ptp(np.concatenate([edge[:1] for edge in edges])) <= 1


def test_the_upper_ring_is_at_the_top_however_rings_are_counted():
    points = turning(offsets_deg=(-1.0, -1.0, -1.0))
    points["range"] = 1.0 + points["ring"]
    downwards = RangeImages().image(points)
    points["ring"] = 2 - points["ring"]
    upwards = RangeImages().image(points)
    assert downwards[:, 5].tolist() == upwards[:, 5].tolist() == [100, 200, 300]


def test_the_nearest_of_several_echoes_is_drawn():
    points = turning(offsets_deg=(-1.0, -1.0))
    behind = points.copy()
    behind["range"] += 3.0
    both = RangeImages().image(np.concatenate([points, behind]))
    assert np.array_equal(both, RangeImages().image(points))


def test_images_of_a_sensor_never_shrink():
    images, points = RangeImages(), turning(offsets_deg=(-1.0, -1.0, -1.0))
    whole = images.image(points)
    part = images.image(points[points["ring"] < 2][10:20])
    assert part.shape == whole.shape
    assert np.count_nonzero(part) == 10


def test_uneven_azimuths_keep_the_columns_of_the_cloud():
    ring, column = np.indices((4, 40))
    azimuth_deg = np.rad2deg(np.arctan((19.5 - column) / 10))  # a camera's columns
    image = RangeImages().image(cloud(azimuth_deg, 2.0 - ring, 1.0 + column, ring, column))
    assert image[0].tolist() == [100 * (1 + each) for each in range(40)]


def test_a_range_beyond_the_grey_values_is_the_largest_one():
    points = turning(offsets_deg=(-1.0, -1.0))
    points["range"] = 1000.0
    assert RangeImages().image(points).max() == 65535


def test_clouds_without_rows_and_columns_have_no_image():
    assert RangeImages().image(turning()[:0]) is None
    assert RangeImages().image(turning()) is None  # a single ring
    assert RangeImages().image(turning(offsets_deg=(0, 0))[["x", "y", "z", "range"]]) is None
    endless = turning(offsets_deg=(0.0, 0.0))
    endless["column"] = np.arange(len(endless)) * MOST_COLUMNS
    endless["x"] = np.random.default_rng(1).normal(size=len(endless))
    assert RangeImages().image(endless) is None
