# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Weather of OSI's conditions, in physical units."""

import math
from itertools import zip_longest

import pytest
from osi3.osi_environment_pb2 import EnvironmentalConditions

from lidar_scenery.weather.sources.from_osi import at_temperature, weather_of
from lidar_scenery.weather.sources.layers import layered
from lidar_scenery.weather.state import CLEAR, Weather
from osi_bridge import Conditions
from tests.builders.lanes import with_films
from tests.builders.messages import message
from tests.builders.weather import decoded


def of(**stated):
    return weather_of(Conditions(**stated))


@pytest.mark.parametrize(
    ("name", "rate_mm_h"),
    [  # geometric means of the intervals of osi_environment.proto, to two digits
        ("NONE", 0.0),
        ("VERY_LIGHT", 0.22),
        ("LIGHT", 0.97),
        ("MODERATE", 3.9),
        ("HEAVY", 16.6),
        ("VERY_HEAVY", 71.0),
        ("EXTREME", 150.0),  # 149 mm/h and more
        ("UNKNOWN", 0.0),
        ("OTHER", 0.0),
    ],
)
def test_precipitation_is_the_geometric_mean_of_its_interval(name, rate_mm_h):
    weather = of(precipitation=name)
    assert weather.rain_mm_h == pytest.approx(rate_mm_h, rel=0.02)
    assert weather.snow_mm_h == 0.0


@pytest.mark.parametrize(
    ("name", "visibility_m"),
    [  # geometric means of the intervals of osi_environment.proto; DENSE begins at 0: its middle
        ("EXCELLENT_VISIBILITY", math.inf),
        ("GOOD_VISIBILITY", 20_000.0),
        ("MODERATE_VISIBILITY", 6325.0),
        ("POOR_VISIBILITY", 2828.0),
        ("MIST", 1414.0),
        ("LIGHT", 447.0),
        ("THICK", 100.0),
        ("DENSE", 25.0),
        ("UNKNOWN", math.inf),
        ("OTHER", math.inf),
    ],
)
def test_visibility_is_the_geometric_mean_of_its_interval(name, visibility_m):
    assert of(fog=name).visibility_m == pytest.approx(visibility_m, rel=5e-4)


def test_every_name_of_osi_has_a_meaning():
    rates = [each.name for each in EnvironmentalConditions.Precipitation.DESCRIPTOR.values]
    fogs = [each.name for each in EnvironmentalConditions.Fog.DESCRIPTOR.values]
    for rate, fog in zip_longest(rates, fogs, fillvalue="OTHER"):
        of(precipitation=rate.removeprefix("PRECIPITATION_"), fog=fog.removeprefix("FOG_"))


def test_precipitation_is_snow_below_one_degree_where_a_temperature_is_stated():
    kinds = {
        temperature_k: of(precipitation="HEAVY", temperature_k=temperature_k)
        for temperature_k in (274.14, 274.15)
    }
    rate_mm_h = math.sqrt(8.1 * 34.0)
    assert (kinds[274.14].snow_mm_h, kinds[274.14].rain_mm_h) == (rate_mm_h, 0.0)
    assert (kinds[274.15].snow_mm_h, kinds[274.15].rain_mm_h) == (0.0, rate_mm_h)


@pytest.mark.parametrize(
    ("origin_deg", "velocity"),
    [  # osi_environment.proto: 0 north (y), 90 west, 180 south, 270 east
        (0, (0, -1)),
        (90, (1, 0)),
        (180, (0, 1)),
        (270, (-1, 0)),
    ],
)
def test_the_wind_blows_away_from_where_it_comes(origin_deg, velocity):
    weather = of(wind_speed_m_s=8.0, wind_origin_rad=math.radians(origin_deg))
    assert weather.wind_m_s == pytest.approx([8.0 * part for part in velocity], abs=1e-12)


@pytest.mark.parametrize("film_mm", [0.1, 1.0, 10.0, 50.0])  # what esmini states for wetness
def test_films_of_water_are_read_as_they_are(film_mm):
    assert of(surface_water_film_mm=film_mm).road_water_mm == film_mm


def test_lanes_that_differ_have_films_of_their_own():
    frame = decoded([with_films(message([], host_id=None), [0.5, None, 2.0])])[0]
    weather = weather_of(frame.conditions, frame.lanes)
    assert (weather.road_water_mm, weather.lane_water.film_mm.tolist()) == (2.0, [0.5, 2.0])
    words = "OSI surface_water_film of 2 lanes: 0.5 to 2 mm; other roads as the wettest lane"
    assert weather.sources == (("road_water_mm", words),)
    configured = Weather(road_water_mm=1.0, sources=(("road_water_mm", "configuration"),))
    assert layered(configured, weather) == Weather(road_water_mm=1.0)


def test_weather_that_is_not_stated_is_clear():
    assert weather_of(None) is CLEAR
    nothing = of(precipitation="NONE", fog="EXCELLENT_VISIBILITY", cloud_cover="EIGHT_OKTAS")
    assert nothing == CLEAR
    assert nothing.sources == ()
    assert of(wind_speed_m_s=0.0, surface_water_film_mm=0.0) == CLEAR


def test_it_is_told_where_each_value_comes_from():
    weather = of(
        precipitation="LIGHT",
        fog="LIGHT",
        temperature_k=270.0,
        wind_speed_m_s=5.0,
        wind_origin_rad=math.pi / 2,
        surface_water_film_mm=0.5,
    )
    mean = "the geometric mean of"
    assert [f"{name}: {words}" for name, words in weather.sources] == [
        f"snow_mm_h: OSI precipitation LIGHT -> 0.975 mm/h, {mean} 0.5..1.9 mm/h; snow at 270 K",
        f"visibility_m: OSI fog LIGHT -> visibility 447 m, {mean} 200..1000 m",
        "road_water_mm: OSI surface_water_film -> 0.5 mm, as on the wettest lane",
        "temperature_k: OSI temperature 270 K",
        "wind_m_s: OSI wind of 5 m/s from 90 deg, counter-clockwise from north",
    ]
    assert "(haze)" in dict(of(fog="MIST").sources)["visibility_m"]


@pytest.mark.parametrize("name", ["UNKNOWN", "OTHER"])
def test_what_is_unsaid_is_told(name):
    weather = of(precipitation=name, fog=name, wind_speed_m_s=3.0)
    assert weather == CLEAR
    assert weather.sources == (
        ("rain_mm_h", f"OSI precipitation {name} -> none, for want of a rate"),
        ("visibility_m", f"OSI fog {name} -> none, for want of a visibility"),
        ("wind_m_s", "OSI wind of 3 m/s -> none, for want of a direction"),
    )


def test_a_temperature_stated_elsewhere_turns_rain_to_snow_and_back():
    rain = of(precipitation="LIGHT", fog="MIST")
    snow = at_temperature(rain, 260.0)
    assert (snow.rain_mm_h, snow.snow_mm_h) == (0.0, rain.rain_mm_h)
    assert [name for name, _ in snow.sources] == ["snow_mm_h", "visibility_m"]
    assert at_temperature(snow, 280.0) == rain
    assert dict(at_temperature(snow, 280.0).sources)["rain_mm_h"].endswith("mm/h; rain at 280 K")
    assert at_temperature(rain, 280.0) is rain
    assert at_temperature(CLEAR, 260.0) is CLEAR
