# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Velodyne calibrations against the formula of the ROS driver."""

import math

import numpy as np
import pytest

from osi_lidar.errors import ConfigurationError
from osi_lidar.sensors.calibration.reading import read_calibration
from tests.builders.refusals import one_line
from tests.osi_lidar.sensors.calibration.files import pattern_of, text, velodyne

LASERS = [
    {"vert_correction": -0.15, "rot_correction": -0.12, "vert_offset_correction": 0.195},
    {"vert_correction": 0.04, "rot_correction": 0.08, "horiz_offset_correction": 0.026},
    {
        "vert_correction": -0.3,
        "rot_correction": 0.0,
        "vert_offset_correction": 0.21,
        "horiz_offset_correction": -0.026,
    },
]
LEVEL = "{laser_id: 0, vert_correction: 0, rot_correction: 0"


def drivers_point(range_m, encoder_rad, laser):
    """Return a point as velodyne_pointcloud computes it (rawdata.cc, unpack), x forward."""
    vertical, turned = laser["vert_correction"], encoder_rad - laser["rot_correction"]
    up, across = laser.get("vert_offset_correction", 0), laser.get("horiz_offset_correction", 0)
    level = range_m * math.cos(vertical) - up * math.sin(vertical)
    right = level * math.sin(turned) - across * math.cos(turned)
    ahead = level * math.cos(turned) + across * math.sin(turned)
    return ahead, -right, range_m * math.sin(vertical) + up * math.cos(vertical)


@pytest.mark.parametrize("range_m", [1.0, 60.0])
def test_points_are_those_of_the_driver(tmp_path, range_m):
    pattern = pattern_of(velodyne(tmp_path, LASERS), columns=360)
    points = (pattern.origin_m + range_m * pattern.direction.astype(np.float64)).reshape(3, 360, 3)
    for ring, laser in enumerate([1, 0, 2]):  # from top to bottom
        for column in (0, 90, 200, 359):
            encoder = math.radians(column) - math.pi  # column 0 looks back, clockwise
            expected = drivers_point(range_m, encoder, LASERS[laser])
            np.testing.assert_allclose(points[ring, column], expected, atol=1e-6 * range_m)


def test_lasers_may_stand_in_any_order_and_go_by_their_id(tmp_path):
    first = read_calibration(velodyne(tmp_path, LASERS))
    turned = [{**laser, "laser_id": index} for index, laser in enumerate(LASERS)][::-1]
    file = text(tmp_path, f"lasers: {turned}\n", name="turned.yaml")
    np.testing.assert_array_equal(read_calibration(file).elevation_rad, first.elevation_rad)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("lasers: 5\n", "lasers: expected a list with the keys and values of each laser"),
        ("lasers: []\n", "laser_id: got 0 numbers"),
        ("lasers: [{laser_id: 0}]\n", "lasers[0]: vert_correction is missing"),
        ("lasers: [{vert_correction: 0.1}]\n", "lasers[0]: laser_id is missing"),
        ("lasers: [{laser_id: 1, vert_correction: 0}]\n", "laser_id: expected each of 0 to 0 once"),
        ("lasers: [{laser_id: 0, vert_correction: a}]\n", "vert_correction: expected a list of n"),
        ("lasers: [{laser_id: 0, vert_correction: .nan}]\n", "vert_correction: number 0 is nan"),
        (
            "lasers: [{laser_id: 0, vert_correction: -15, rot_correction: 0}]\n",
            "vert_correction: beyond pi / 2, expected radians",
        ),
        (
            "lasers: [{laser_id: 0, vert_correction: 0, rot_correction: 1.0e+308}]\n",
            "rot_correction: beyond 2 pi, expected radians",
        ),
        (
            "num_lasers: 2\nlasers: [{laser_id: 0}]\n",
            "lasers: got 1 entries, expected 2 as num_lasers says",
        ),
        (
            f"lasers: [{LEVEL}, vert_offset_correction: 195}}]\n",
            "beyond 10 m, expected metres",
        ),
        ("lasers: [{laser_id: 0\n", ":2:1: "),
    ],
)
def test_a_bad_calibration_is_one_line_with_the_key(tmp_path, content, words):
    file = text(tmp_path, content, name="bad.yaml")
    with one_line(ConfigurationError, words, start=str(file)):
        read_calibration(file)
