# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Ambient light and sun of OSI messages."""

import math

import pytest
from osi3.osi_groundtruth_pb2 import GroundTruth

from osi_bridge import FrameDecoder
from osi_bridge.ambient_light import ambient_lux, sun_of


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


def sunny(azimuth_deg=0.0, elevation_deg=0.0, lux=1e5):
    """Return a GroundTruth with a sun; None leaves a field out."""
    made = truth()
    sun = made.environmental_conditions.sun
    if azimuth_deg is not None:
        sun.azimuth = math.radians(azimuth_deg)
    if elevation_deg is not None:
        sun.elevation = math.radians(elevation_deg)
    if lux is not None:
        sun.intensity = lux
    return made


@pytest.mark.parametrize(
    ("azimuth_deg", "elevation_deg", "direction"),
    [
        (0, 0, (0, 1, 0)),  # OSI: 0 is north, along y
        (90, 0, (-1, 0, 0)),  # west
        (270, 0, (1, 0, 0)),  # east, along x
        (180, 60, (0, -0.5, math.sqrt(0.75))),
        (10, 90, (0, 0, 1)),
    ],
)
def test_the_suns_azimuth_counts_from_north_counter_clockwise(
    azimuth_deg, elevation_deg, direction
):
    sun = sun_of(sunny(azimuth_deg, elevation_deg))
    assert sun.direction == pytest.approx(direction, abs=1e-12)
    assert sun.lux == 1e5


@pytest.mark.parametrize(
    "fields",
    [(None, 1, 1), (1, None, 1), (1, 1, None), (1, 1, -1.0), (math.nan, 1, 1), (1, math.inf, 1)],
)
def test_a_sun_without_all_its_fields_is_none(fields):
    assert sun_of(sunny(*fields)) is None
    assert sun_of(truth()) is None


def test_a_message_without_a_sun_keeps_that_of_an_earlier_one():
    decoder = FrameDecoder("GroundTruth")
    messages = [truth(), sunny(lux=5.0), truth(), sunny(lux=0.0)]
    suns = [decoder.decode(each.SerializeToString(), n).sun for n, each in enumerate(messages)]
    assert suns[0] is None
    assert [sun.lux for sun in suns[1:]] == [5.0, 5.0, 0.0]
