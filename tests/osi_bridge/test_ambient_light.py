# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Ambient light of OSI messages."""

import math

import pytest
from osi3.osi_groundtruth_pb2 import GroundTruth

from osi_bridge import FrameDecoder
from osi_bridge.ambient_light import ambient_lux


def truth(level=None, sun_lux=None):
    """Return a GroundTruth with these environmental conditions."""
    made = GroundTruth()
    made.timestamp.seconds = 1
    if level is not None:
        made.environmental_conditions.ambient_illumination = level
    if sun_lux is not None:
        made.environmental_conditions.sun.intensity = sun_lux
    return made


@pytest.mark.parametrize(
    ("level", "sun_lux", "expected"),
    [
        (None, None, None),
        (0, None, None),  # unknown
        (1, None, None),  # other
        (2, None, 0.003),
        (10, None, 35_000.0),
        (10, 120_000.0, 120_000.0),
        (None, 0.0, 0.0),
        (5, -1.0, 5.5),
        (5, math.nan, 5.5),
        (None, math.inf, None),
    ],
)
def test_the_suns_intensity_wins_over_the_level(level, sun_lux, expected):
    assert ambient_lux(truth(level, sun_lux)) == expected


def test_a_message_without_light_keeps_that_of_an_earlier_one():
    decoder = FrameDecoder("GroundTruth")
    stated = [
        decoder.decode(truth(sun_lux=lux).SerializeToString(), number).ambient_lux
        for number, lux in enumerate([None, 50_000.0, None, 10.0])
    ]
    assert stated == [None, 50_000.0, 50_000.0, 10.0]
