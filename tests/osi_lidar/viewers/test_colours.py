# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Colours of points by their material, and by what they are where they have none."""

import numpy as np

from lidar_scenery.palette import WEATHER
from osi_lidar.clouds.origins import ORIGINS
from osi_lidar.scan.records import NO_MATERIAL
from osi_lidar.viewers.colours import RGBA, PointColours, rgb

CLOUD = [("x", "<f4"), ("material_id", "<u2"), ("origin", "u1")]


def test_points_keep_their_fields_and_get_colours_and_classes():
    fog = ORIGINS.index("fog")
    points = np.array([(1.5, 1, 0), (2.5, 0, 0), (3.5, NO_MATERIAL, 0), (4.5, 0, fog)], CLOUD)
    drawn = PointColours(["grass", "brick"]).drawn(points, np.array([70, 50, 0, 1], np.uint16))
    assert (drawn[["x", "material_id", "origin"]] == points).all()
    expected = [
        rgb("brick"),
        rgb("grass"),
        rgb("absorber"),
        tuple(bytes.fromhex(WEATHER["fog"][1:])),
    ]
    assert drawn[list(RGBA)].tolist() == [(*colour, 255) for colour in expected]
    assert drawn["label"].tolist() == [70, 50, 0, 1]
