# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Weather of OpenSCENARIO files."""

import math
from pathlib import Path

import pytest

from lidar_base.errors import ConfigurationError
from lidar_scenery.weather.sources.openscenario import WETNESS_MM, weather_of_scenario
from lidar_scenery.weather.state import CLEAR, Weather

ALL = """
<Weather temperature="271.5" atmosphericPressure="101000" fractionalCloudCover="fourOktas">
  <Sun azimuth="1.5707963267948966" elevation="0.5235987755982988" illuminance="40000"/>
  <Fog visualRange="150"/>
  <Precipitation precipitationType="rain" precipitationIntensity="4.5"/>
  <Wind direction="1.5707963267948966" speed="6"/>
  <DomeImage azimuthOffset="0"><DomeFile filepath="sky.jpg"/></DomeImage>
</Weather>
<RoadCondition frictionScaleFactor="0.7" wetness="wetWithPuddles"/>"""

RATE, KIND = "precipitationIntensity", "Precipitation precipitationType"


def action(inside, more=""):
    return (
        f'<GlobalAction><EnvironmentAction><Environment name="e">{inside}</Environment>'
        f"</EnvironmentAction></GlobalAction>{more}"
    )


def scenario(folder: Path, init="", story="", parameters=""):
    """Write a scenario with these actions, and return its path."""
    path = folder / "rain.xosc"
    path.write_text(
        f"""<?xml version="1.0" encoding="utf-8"?>
<OpenSCENARIO><FileHeader revMajor="1" revMinor="2"/>
<ParameterDeclarations>{parameters}</ParameterDeclarations>
<Storyboard><Init><Actions>{init}</Actions></Init>
<Story name="s"><Act name="a">{story}</Act></Story></Storyboard></OpenSCENARIO>""",
        encoding="utf-8",
    )
    return path


def of_weather(folder, inside, **more):
    """Return what a scenario says whose weather has this inside."""
    return weather_of_scenario(scenario(folder, action(f"<Weather>{inside}</Weather>"), **more))


def test_all_that_is_stated_is_read(tmp_path):
    weather = weather_of_scenario(scenario(tmp_path, action(ALL)))
    assert weather.rain_mm_h == 4.5
    assert weather.snow_mm_h == 0.0
    assert weather.visibility_m == 150.0
    assert weather.road_water_mm == 1.0  # https://github.com/esmini/esmini/issues/826
    assert weather.temperature_k == 271.5
    # the standard: "the target direction of the wind", 0 along x
    assert weather.wind_m_s == pytest.approx((0.0, 6.0), abs=1e-12)
    assert weather.ambient_lux == 40_000.0
    assert weather.sun.lux == 40_000.0
    # pi/2 is east, which is x; 30 degrees high
    assert weather.sun.direction == pytest.approx((math.sqrt(0.75), 0.0, 0.5), abs=1e-12)


def test_it_is_told_where_each_value_stands(tmp_path):
    weather = weather_of_scenario(scenario(tmp_path, action(ALL)))
    assert weather.sources == (
        ("scenario", "rain.xosc, line 4: environment of Init"),
        ("rain_mm_h", "rain.xosc: Precipitation rain 4.5 mm/h"),
        ("visibility_m", "rain.xosc: Fog visualRange 150 m"),
        ("road_water_mm", "rain.xosc: wetness wetWithPuddles -> 1 mm of water, an estimate"),
        ("temperature_k", "rain.xosc: 271.5 K"),
        ("wind_m_s", "rain.xosc: Wind of 6 m/s to 90 deg, counter-clockwise from x"),
        ("ambient_lux", "rain.xosc: Sun illuminance 40000 lx"),
        ("sun", "rain.xosc: Sun 90 deg clockwise from north, 30 deg high, 40000 lx"),
    )


@pytest.mark.parametrize(
    ("wetness", "film_mm"),
    [("dry", 0.0), ("moist", 0.1), ("wetWithPuddles", 1.0), ("lowFlooded", 10.0)]
    + [("highFlooded", 50.0)],
)
def test_wetness_is_the_film_of_water_proposed_for_esmini(tmp_path, wetness, film_mm):
    wet = action(f'<RoadCondition frictionScaleFactor="1" wetness="{wetness}"/>')
    assert weather_of_scenario(scenario(tmp_path, wet)).road_water_mm == film_mm


@pytest.mark.parametrize(
    ("inside", "expected"),
    [
        ('<Precipitation precipitationType="snow" precipitationIntensity="2"/>', (0.0, 2.0)),
        ('<Precipitation precipitationType="dry" precipitationIntensity="9"/>', (0.0, 0.0)),
        ('<Precipitation precipitationType="dry" intensity="0.8"/>', (0.0, 0.0)),
        ('<Precipitation precipitationType="rain" intensity="0"/>', (0.0, 0.0)),
    ],
)
def test_precipitation_is_of_the_kind_that_is_stated(tmp_path, inside, expected):
    weather = of_weather(tmp_path, inside)
    assert (weather.rain_mm_h, weather.snow_mm_h) == expected
    assert any(name.endswith("_mm_h") for name, _ in weather.sources)  # so it wins over messages


@pytest.mark.parametrize("range_m", ["40000", "1e5", "INF"])
def test_fog_from_40_km_on_is_none(tmp_path, range_m):
    weather = of_weather(tmp_path, f'<Fog visualRange="{range_m}"/>')
    assert weather == CLEAR
    assert "none" in dict(weather.sources)["visibility_m"]


def test_the_bounding_box_of_fog_is_told_to_be_ignored(tmp_path):
    box = '<Fog visualRange="90"><BoundingBox/></Fog>'
    assert "bounding box is not read" in dict(of_weather(tmp_path, box).sources)["visibility_m"]


def test_what_an_environment_states_and_nobody_reads_is_listed(tmp_path):
    weather = weather_of_scenario(scenario(tmp_path, action(ALL)))
    assert [str(each) for each in weather.not_followed] == [
        "attribute fractionalCloudCover of <Weather> (line 5)"
    ]
    inside = (
        '<TimeOfDay animation="true" dateTime="x"/><Weather><Hail size="3"/>'
        '<Fog visualRange="90" height="2"><BoundingBox/></Fog></Weather>'
    )
    later = action('<Weather><Fog visualRange="9"/></Weather>')
    weather = weather_of_scenario(scenario(tmp_path, action(inside), story=later * 2))
    assert [str(each) for each in weather.not_followed] == [
        "<TimeOfDay> of <Environment> (line 4)",
        "<Hail> of <Weather> (line 4)",
        "attribute height of <Fog> (line 4)",
        "<BoundingBox> of <Fog> (line 4)",
        "another environment (2 times, first at line 5)",
    ]


@pytest.mark.parametrize(
    "inside",
    [
        '<Precipitation precipitationType="dry" precipitationIntensity="9" intensity="0.8"/>',
        '<Sun azimuth="0" elevation="0.5"/>',
        '<Sun azimuth="0" elevation="0.5" illuminance="9" intensity="9"/>',
        '<Fog visualRange="1e6"/>',
    ],
)
def test_what_is_read_where_it_counts_is_not_listed_elsewhere(tmp_path, inside):
    assert of_weather(tmp_path, inside).not_followed == ()


def test_version_1_0_calls_the_illuminance_intensity(tmp_path):
    weather = of_weather(tmp_path, '<Sun azimuth="0" elevation="0" intensity="500"/>')
    assert weather.sun.direction == pytest.approx((0.0, 1.0, 0.0))
    assert weather.ambient_lux == 500.0


def test_a_sun_without_illuminance_is_not_read(tmp_path):
    weather = of_weather(tmp_path, '<Sun azimuth="0" elevation="0.5"/>')
    assert weather == CLEAR
    assert ("Sun", "rain.xosc: Sun is not read: it has no illuminance") in weather.sources


def fog(range_m):
    return action(f'<Weather><Fog visualRange="{range_m}"/></Weather>')


def test_the_environment_of_init_is_in_force(tmp_path):
    weather = weather_of_scenario(scenario(tmp_path, fog(10), fog(20) + fog(30)))
    assert weather.visibility_m == 10.0
    assert dict(weather.sources)["scenario"] == (
        "rain.xosc, line 4: environment of Init; 2 others left out"
    )


def test_without_one_in_init_the_first_counts(tmp_path):
    weather = weather_of_scenario(scenario(tmp_path, "", fog(20) + fog(30)))
    assert weather.visibility_m == 20.0
    assert dict(weather.sources)["scenario"] == (
        "rain.xosc, line 5: first environment of the file; 1 other left out"
    )


def test_environments_with_only_a_time_of_day_are_passed_over(tmp_path):
    clock = action('<TimeOfDay animation="true" dateTime="2025-06-13T00:00:00"/>')
    weather = weather_of_scenario(scenario(tmp_path, clock, clock + fog(20)))
    assert weather.visibility_m == 20.0
    with pytest.raises(ConfigurationError, match="has no EnvironmentAction with Weather"):
        weather_of_scenario(scenario(tmp_path, clock))


def test_of_several_in_init_the_later_wins_value_by_value(tmp_path):
    cold = action('<Weather temperature="250"><Fog visualRange="70"/></Weather>')
    weather = weather_of_scenario(scenario(tmp_path, cold + fog(80)))
    assert weather == Weather(visibility_m=80.0, temperature_k=250.0)


def test_parameters_stand_for_values(tmp_path):
    declared = '<ParameterDeclaration name="v" parameterType="double" value="{}"/>'
    general = declared.format(60)
    assert of_weather(tmp_path, '<Fog visualRange="$v"/>', parameters=general).visibility_m == 60.0
    own = f"<ParameterDeclarations>{declared.format(61)}</ParameterDeclarations>"
    inner = action(own + '<Weather><Fog visualRange="$v"/></Weather>')
    assert weather_of_scenario(scenario(tmp_path, inner, parameters=general)).visibility_m == 61.0


def test_a_catalog_of_environments_gives_its_first_one(tmp_path):
    path = tmp_path / "environments.xosc"
    environment = '<Environment name="{}"><Weather><Fog visualRange="{}"/></Weather></Environment>'
    entries = environment.format("a", 5) + environment.format("b", 6)
    path.write_text(f'<OpenSCENARIO><Catalog name="c">{entries}</Catalog></OpenSCENARIO>')
    assert weather_of_scenario(path).visibility_m == 5.0


@pytest.mark.parametrize(
    ("inside", "problem"),
    [
        ('<Fog visualRange="0.5"/>', "Fog visualRange: got '0.5', expected 1 or more, in m"),
        ('<Fog visualRange="thick"/>', "Fog visualRange: got 'thick', expected 1 or more, in m"),
        ("<Fog/>", "Fog visualRange: got '', expected 1 or more, in m"),
        ('<Fog visualRange="a&#10;b"/>', "Fog visualRange: got 'a b', expected 1 or more, in m"),
        ('<Fog visualRange="nan"/>', "Fog visualRange: got 'nan', expected 1 or more, in m"),
        ('<Fog visualRange="$v"/>', "Fog visualRange: got $v, expected a declared parameter"),
        (
            '<Fog visualRange="${2 * $v}"/>',
            "Fog visualRange: got ${2 * $v}, expected a declared parameter",
        ),
        (
            '<Precipitation precipitationType="rain" precipitationIntensity="501"/>',
            "Precipitation precipitationIntensity: got '501', expected 0 to 500, in mm/h",
        ),
        (
            '<Precipitation precipitationType="rain" intensity="0.5"/>',
            (
                "Precipitation intensity: got 0.5, a relative intensity without a rate, "
                f"expected {RATE} in mm/h"
            ),
        ),
        (
            '<Precipitation precipitationType="hail" precipitationIntensity="1"/>',
            "Precipitation precipitationType: got 'hail', expected dry, rain, snow",
        ),
        (
            '<Precipitation precipitationType="Snow" precipitationIntensity="1"/>',
            f"{KIND}: got 'Snow', expected dry, rain, snow, did you mean 'snow'?",
        ),
        (
            '<Wind direction="270" speed="3"/>',
            "Wind direction: got '270', expected -6.3 to 6.3, in rad",
        ),
        ('<Wind direction="1" speed="-3"/>', "Wind speed: got '-3', expected 0 to 150, in m/s"),
        (
            '<Sun azimuth="x" elevation="0" intensity="1"/>',
            "Sun azimuth: got 'x', expected -6.3 to 6.3, in rad",
        ),
        (
            '<Sun azimuth="0" elevation="0" illuminance="-1"/>',
            "Sun illuminance: got '-1', expected 0 to 1e+06, in lx",
        ),
    ],
)
def test_a_bad_value_is_told_in_one_line(tmp_path, inside, problem):
    with pytest.raises(ConfigurationError) as caught:
        of_weather(tmp_path, inside)
    assert str(caught.value) == f"{tmp_path / 'rain.xosc'}: line 4: {problem}"


def test_a_bad_temperature_or_wetness_is_told_in_one_line(tmp_path):
    for inside, problem in (
        ('<Weather temperature="20"/>', "Weather temperature: got '20', expected 170 to 340, in K"),
        (
            '<RoadCondition wetness="wet"/>',
            f"RoadCondition wetness: got 'wet', expected {', '.join(WETNESS_MM)}",
        ),
    ):
        with pytest.raises(ConfigurationError) as caught:
            weather_of_scenario(scenario(tmp_path, action(inside)))
        assert str(caught.value) == f"{tmp_path / 'rain.xosc'}: line 4: {problem}"


def test_a_reference_to_a_catalog_is_refused(tmp_path):
    reference = '<CatalogReference catalogName="c" entryName="e"/>'
    init = f"<EnvironmentAction>{reference}</EnvironmentAction>"
    with pytest.raises(ConfigurationError) as caught:
        weather_of_scenario(scenario(tmp_path, init))
    assert str(caught.value).endswith(
        "line 4: CatalogReference catalogName: got 'c', expected an Environment; give the "
        "catalog's file"
    )


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (None, "no such file"),
        ("", "is not XML: no element found: line 1, column 0"),
        ("<OpenDRIVE/>", "its root is <OpenDRIVE>, expected <OpenSCENARIO>"),
        ("<OpenSCENARIO/>", "has no EnvironmentAction with Weather or RoadCondition"),
        (
            "<!DOCTYPE a><OpenSCENARIO/>",
            "line 1: has a document type (DOCTYPE), which is not allowed; remove it",
        ),
    ],
)
def test_a_file_that_is_no_scenario_with_weather_is_told_in_one_line(tmp_path, content, problem):
    path = tmp_path / "a.xosc"
    if content is not None:
        path.write_text(content)
    with pytest.raises(ConfigurationError) as caught:
        weather_of_scenario(path)
    assert str(caught.value) == f"{path}: {problem}"
