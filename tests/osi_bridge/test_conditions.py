# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Weather of OSI messages as they state it."""

import math

import pytest
from osi3.osi_environment_pb2 import EnvironmentalConditions
from osi3.osi_groundtruth_pb2 import GroundTruth
from osi3.osi_sensorview_pb2 import SensorView

from osi_bridge import Conditions, FrameDecoder

CLOUDS = EnvironmentalConditions.CloudLayer


def truth(films_mm=(), **stated):
    """Return a GroundTruth with these conditions, and a lane for each film of water."""
    made = GroundTruth()
    made.timestamp.seconds = 1
    for name, value in stated.items():
        holder, _, field = name.rpartition("__")
        message = made.environmental_conditions
        setattr(getattr(message, holder) if holder else message, field, value)
    for number, film_mm in enumerate(films_mm):
        lane = made.lane.add()
        lane.id.value = number
        if film_mm is not None:
            lane.classification.road_condition.surface_water_film = film_mm
    return made


def conditions_of(*messages):
    """Return the conditions of messages, decoded in this order."""
    decoder = FrameDecoder("GroundTruth")
    return [
        decoder.decode(each.SerializeToString(), number).conditions
        for number, each in enumerate(messages)
    ]


def test_all_that_is_stated_is_read():
    stated = truth(
        films_mm=(0.1, None, 2.5, 1.0),
        precipitation=EnvironmentalConditions.PRECIPITATION_HEAVY,
        fog=EnvironmentalConditions.FOG_MIST,
        temperature=271.5,
        relative_humidity=93.0,
        atmospheric_pressure=98_000.0,
        wind__speed=7.5,
        wind__origin_direction=1.25,
        clouds__fractional_cloud_cover=CLOUDS.FRACTIONAL_CLOUD_COVER_SKY_OBSCURED,
    )
    assert conditions_of(stated) == [
        Conditions(
            precipitation="HEAVY",
            fog="MIST",
            temperature_k=271.5,
            relative_humidity_percent=93.0,
            atmospheric_pressure_pa=98_000.0,
            wind_speed_m_s=7.5,
            wind_origin_rad=1.25,
            cloud_cover="SKY_OBSCURED",
            surface_water_film_mm=2.5,
        )
    ]


def test_a_sensor_view_states_the_conditions_of_its_ground_truth():
    view = SensorView()
    view.timestamp.seconds = 1
    view.global_ground_truth.CopyFrom(truth(fog=EnvironmentalConditions.FOG_DENSE))
    frame = FrameDecoder("SensorView").decode(view.SerializeToString(), 0)
    assert frame.conditions == Conditions(fog="DENSE")


def test_messages_without_weather_have_no_conditions():
    lit = truth(films_mm=[None])
    lit.environmental_conditions.sun.intensity = 5.0
    assert conditions_of(truth(), lit) == [None, None]


def test_what_osi_calls_unknown_is_stated():
    unknown = truth(precipitation=EnvironmentalConditions.PRECIPITATION_UNKNOWN, fog=1)
    assert conditions_of(unknown) == [Conditions(precipitation="UNKNOWN", fog="OTHER")]


@pytest.mark.parametrize(
    ("field", "values"),
    [
        # the ranges of osi_environment.proto; 20 K is a temperature in degrees Celsius
        ("temperature", (169.9, 340.1, 20.0, math.nan, math.inf)),
        ("relative_humidity", (-0.1, 100.1, math.nan)),
        ("atmospheric_pressure", (79_999.0, 120_001.0, 1013.0, -math.inf)),
        ("wind__speed", (-0.1, 150.1, math.nan)),
        ("wind__origin_direction", (math.nan, math.inf, 1e7)),
    ],
)
def test_impossible_numbers_count_as_not_stated(field, values):
    for value in values:
        assert conditions_of(truth(**{field: value})) == [None]


def test_impossible_films_of_water_count_as_not_stated():
    films = [(-0.1,), (math.nan,), (math.inf,), (1000.1,)]
    assert conditions_of(*(truth(film) for film in films)) == [None] * 4
    mixed, dry = truth((-1.0, 0.5, math.nan)), truth((0.0, 0.0))
    assert [each.surface_water_film_mm for each in conditions_of(mixed, dry)] == [0.5, 0.0]


def test_each_value_stays_until_a_later_message_states_another_one():
    messages = [
        truth((1.0,), fog=EnvironmentalConditions.FOG_LIGHT, temperature=280.0),
        truth(),
        truth(temperature=281.0),
        truth((0.2,), fog=EnvironmentalConditions.FOG_EXCELLENT_VISIBILITY, temperature=5.0),
        truth((None,)),
    ]
    first = Conditions(fog="LIGHT", temperature_k=280.0, surface_water_film_mm=1.0)
    last = Conditions(fog="EXCELLENT_VISIBILITY", temperature_k=281.0, surface_water_film_mm=0.2)
    assert conditions_of(*messages) == [
        first,
        first,
        Conditions(fog="LIGHT", temperature_k=281.0, surface_water_film_mm=1.0),
        last,
        last,
    ]


def test_conditions_are_the_same_object_as_long_as_nothing_changes():
    stated = truth((1.0,), wind__speed=3.0)
    again = truth((1.0,), wind__speed=3.0)
    again.environmental_conditions.sun.intensity = 1e5
    first, second, third = conditions_of(stated, stated, again)
    assert first is second
    assert first is third


def test_a_ground_truth_before_all_messages_states_conditions_too():
    decoder = FrameDecoder("GroundTruth")
    decoder.prime(truth((0.7,), wind__speed=2.0).SerializeToString())
    frame = decoder.decode(truth().SerializeToString(), 0)
    assert frame.conditions == Conditions(wind_speed_m_s=2.0, surface_water_film_mm=0.7)
