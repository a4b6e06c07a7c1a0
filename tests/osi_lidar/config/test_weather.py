# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The section weather of a configuration, and its weather over that of the messages."""

import math

import pytest

from lidar_scenery.weather.sources.from_osi import weather_of
from lidar_scenery.weather.state import CLEAR, DropSizes, DustBox, DustTrail, Weather
from osi_bridge import Conditions
from osi_lidar.config import load_config
from osi_lidar.config.loading import revised_config
from osi_lidar.config.weather import configured_weather, resolved_weather
from osi_lidar.errors import ConfigurationError
from tests.builders.files import written
from tests.builders.images import png
from tests.builders.refusals import one_line
from tests.builders.scenarios import scenario
from tests.builders.worlds import SENSOR, config_file

RAINY = weather_of(
    Conditions(
        precipitation="HEAVY",
        fog="LIGHT",
        wind_speed_m_s=4.0,
        wind_origin_rad=0.0,
        surface_water_film_mm=0.5,
    )
)
BEHIND, SIZE = "{dust: [{behind", "size_m: [1, 1, 1], visibility_m: 9"
HEAVY_MM_H = math.sqrt(8.1 * 34.0)  # geometric mean of osi_environment.proto's interval


@pytest.fixture
def section(tmp_path):
    """Return what makes the section of a text of YAML."""

    def made(text):
        return load_config(config_file(tmp_path, f"{SENSOR}weather: {text}")).weather

    return made


@pytest.mark.parametrize("text", ["auto", "{}", "{spray: auto}"])
def test_auto_is_what_the_messages_say(section, text):
    assert resolved_weather(section(text), RAINY) == RAINY
    assert resolved_weather(section(text), RAINY).sources == RAINY.sources
    assert resolved_weather(section(text), None) == CLEAR


def test_without_a_section_the_messages_count(tmp_path):
    weather = load_config(config_file(tmp_path, SENSOR)).weather
    assert resolved_weather(weather, RAINY) == RAINY


def test_none_switches_all_weather_off(section):
    assert resolved_weather(section("none"), RAINY) == CLEAR
    assert resolved_weather(section("none"), RAINY).sources == ()


def test_the_messages_can_be_left_out_beside_keys(section):
    alone = section("{messages: false, rain_mm_h: 3}")
    assert resolved_weather(alone, RAINY) == Weather(rain_mm_h=3.0)


def test_every_key_reaches_the_weather(section):
    weather = configured_weather(
        section(
            "{rain_mm_h: 4, snow_mm_h: 1, fog: {visibility_m: 120}, spray: none, dust: [{center_m: "
            "[1, 2, 3], size_m: [4, 5, 6], yaw_deg: 90, visibility_m: 12}], road_water_mm: 0.3, "
            "snow_depth_mm: 20, temperature_k: 275, wind_m_s: [3, -4], sun: {azimuth_deg: 90, "
            "elevation_deg: 30, lux: 9e4}, drop_sizes: {law: gamma, shape: 2, median_mm: 1.1}, "
            "flakes: sekhon_srivastava, snow_density: 0.2}"
        )
    )
    sun = weather.sun
    assert sun.lux == 9e4
    # OSI: 90 degrees is west, -x; 30 degrees high
    assert sun.direction == pytest.approx((-math.sqrt(0.75), 0.0, 0.5), abs=1e-12)
    assert weather == Weather(
        rain_mm_h=4.0,
        snow_mm_h=1.0,
        visibility_m=120.0,
        spray=False,
        dust=(
            DustBox(
                center_m=(1.0, 2.0, 3.0),
                size_m=(4.0, 5.0, 6.0),
                yaw_rad=math.pi / 2,
                visibility_m=12.0,
            ),
        ),
        road_water_mm=0.3,
        snow_depth_mm=20.0,
        temperature_k=275.0,
        wind_m_s=(3.0, -4.0),
        ambient_lux=9e4,
        sun=sun,
        drop_sizes=DropSizes(
            law="gamma", gamma_shape=2.0, gamma_median_mm=1.1, flakes="sekhon_srivastava"
        ),
        snow_density=0.2,
    )
    assert {words for _, words in weather.sources} == {"configuration"}


def test_dust_may_stand_behind_vehicles_or_one_object(section):
    stated = "size_m: [3, 2, 1], visibility_m: 9"
    dust = configured_weather(
        section(
            f"{{dust: [{{behind: vehicles, {stated}}}, {{behind: 7, {stated}, above_km_h: 20}}]}}"
        )
    ).dust
    box = {"size_m": (3.0, 2.0, 1.0), "visibility_m": 9.0}
    assert dust == (
        DustTrail(behind="vehicles", **box),
        DustTrail(behind=7, above_km_h=20.0, **box),
    )


def test_dust_behind_nothing_stands_in_the_world(section):
    stated = "{dust: [{behind: null, center_m: [0, 0, 0], size_m: [1, 1, 1]}]}"
    (dust,) = configured_weather(section(stated)).dust
    assert dust.visibility_m == 30.0


def test_drops_may_have_a_table(section):
    sizes = configured_weather(section("{drop_sizes: {table: [[0.5, 900], [1, 90.5]]}}")).drop_sizes
    assert sizes == DropSizes(law="table", table=((0.5, 900.0), (1.0, 90.5)))
    plain = configured_weather(section("{drop_sizes: marshall_palmer}"))
    assert plain.drop_sizes == DropSizes()
    assert plain.sources == ()


def test_the_window_is_of_the_section(section):
    assert section("{window: {transmission: 0.7}}").window.transmission == 0.7
    assert section("{window: {transmission: 0}}").window.transmission == 0
    assert section("auto").window.transmission == 1.0


def test_the_image_of_a_window_lies_relative_to_the_configuration(section, tmp_path):
    image = written(tmp_path / "dirt.png", png([[0, 255], [255, 0]]))
    stated = section("{window: {transmission: dirt.png, drops: 0.1, sensors: [front]}}").window
    assert (stated.transmission, stated.drops, stated.sensors) == (image, 0.1, ("front",))


def test_an_illuminance_takes_precedence_over_that_of_the_sun(section):
    both = "{ambient_lux: 10, sun: {azimuth_deg: 0, elevation_deg: 5}}"
    weather = configured_weather(section(both))
    assert weather.ambient_lux == 10.0
    assert weather.sun.lux == 100_000.0


def test_the_configuration_wins_key_by_key(section):
    weather = resolved_weather(section("{fog: {visibility_m: 60}, spray: none}"), RAINY)
    assert weather == Weather(
        rain_mm_h=HEAVY_MM_H,
        visibility_m=60.0,
        spray=False,
        road_water_mm=0.5,
        wind_m_s=RAINY.wind_m_s,
    )
    told = dict(weather.sources)
    assert told["visibility_m"] == told["spray"] == "configuration"
    assert told["rain_mm_h"].startswith("OSI precipitation HEAVY")


@pytest.mark.parametrize(
    ("text", "rain_mm_h", "snow_mm_h"),
    [("{rain_mm_h: 0}", 0.0, 0.0), ("{snow_mm_h: 2}", 0.0, 2.0), ("{rain_mm_h: 1}", 1.0, 0.0)]
    + [("{rain_mm_h: 1, snow_mm_h: 2}", 1.0, 2.0)],
)
def test_configured_rain_or_snow_replaces_all_that_falls(section, text, rain_mm_h, snow_mm_h):
    for osi in (RAINY, weather_of(Conditions(precipitation="HEAVY", temperature_k=260.0))):
        weather = resolved_weather(section(text), osi)
        assert (weather.rain_mm_h, weather.snow_mm_h) == (rain_mm_h, snow_mm_h)


def test_a_configured_temperature_tells_rain_from_snow(section):
    cold = resolved_weather(section("{temperature_k: 270}"), RAINY)
    assert (cold.rain_mm_h, cold.snow_mm_h) == (0.0, HEAVY_MM_H)
    warm = section("{temperature_k: 280}")
    snowing = weather_of(Conditions(precipitation="HEAVY", temperature_k=260.0))
    assert resolved_weather(warm, snowing).rain_mm_h == HEAVY_MM_H


def test_a_scenario_stands_between_configuration_and_messages(section, tmp_path):
    scenario(tmp_path, fog_m=80.0, rain_mm_h=2.0)
    weather = resolved_weather(section("{scenario: rain.xosc, fog: {visibility_m: 50}}"), RAINY)
    assert weather.visibility_m == 50.0
    assert weather.rain_mm_h == 2.0
    assert weather.road_water_mm == 0.5
    told = dict(weather.sources)
    assert told["visibility_m"] == "configuration"
    assert told["rain_mm_h"] == "rain.xosc: Precipitation rain 2 mm/h"
    assert told["road_water_mm"].startswith("OSI")


def test_the_file_of_a_scenario_is_named_in_messages(section, tmp_path):
    with pytest.raises(ConfigurationError, match=r"weather\.scenario: no such file: '.*no\.xosc'"):
        section("{scenario: no.xosc}")
    scenario(tmp_path, fog_m=0.0)
    with pytest.raises(ConfigurationError, match=r"rain\.xosc: line 1: Fog visualRange: got '0.0'"):
        configured_weather(section("{scenario: rain.xosc}"))


def test_a_configuration_survives_being_written_and_read_again(tmp_path):
    config = load_config(
        config_file(
            tmp_path,
            f"{SENSOR}weather: {{rain_mm_h: 3, drop_sizes: {{law: gamma}}, dust: [{{center_m: "
            "[0, 0, 0], size_m: [1, 1, 1]}, {behind: 3, size_m: [1, 1, 1], visibility_m: 9}]}",
        )
    )
    again = revised_config(config, {("weather", "rain_mm_h"): 5.0})
    assert configured_weather(config.weather).rain_mm_h == 3.0
    assert configured_weather(again.weather).rain_mm_h == 5.0
    assert again.weather.drop_sizes == config.weather.drop_sizes
    same = revised_config(config, {})
    assert configured_weather(same.weather).sources == configured_weather(config.weather).sources


def test_a_key_is_changed_in_weather_that_is_auto(tmp_path):
    changes = {("weather", "rain_mm_h"): 5.0}
    for text in ("", "weather: auto", "weather: {}"):
        config = load_config(config_file(tmp_path, SENSOR + text), changes=changes)
        assert config.weather.rain_mm_h == 5.0
    with pytest.raises(ConfigurationError, match="weather has no key 'rain_mm_h'"):
        load_config(config_file(tmp_path, f"{SENSOR}weather: none"), changes=changes)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("wet", "weather: got 'wet', expected auto, none, or keys and values"),
        ("[1]", "weather: expected keys and values, got [1]"),
        ("{rain: 5}", "weather.rain: unknown key, did you mean 'rain_mm_h'?"),
        ("{rain_mm_h: -1}", "weather.rain_mm_h: must be greater than or equal to 0, got -1"),
        ("{rain_mm_h: 501}", "weather.rain_mm_h: must be less than or equal to 500, got 501"),
        ("{snow_mm_h: .nan}", "weather.snow_mm_h: expected a finite number, got nan"),
        ("{fog: 50}", "weather.fog: expected keys and values, got 50"),
        ("{fog: {}}", "weather.fog.visibility_m: is missing"),
        ("{fog: {visibility_m: 0.5}}", "weather.fog.visibility_m: must be greater than or equal"),
        ("{spray: some}", "weather.spray: got 'some' (allowed: auto, none)"),
        ("{dust: [{size_m: [1, 1, 1]}]}", "weather.dust[0].center_m: is missing"),
        ("{dust: [{center_m: [1, 1], size_m: [1, 1, 1]}]}", "weather.dust[0].center_m[2]: is miss"),
        ("{dust: [{center_m: [1, 1, 1], size_m: [1, 1, 0]}]}", "weather.dust[0].size_m[2]: must"),
        (
            f"{BEHIND}: cars, {SIZE}}}]}}",
            "weather.dust[0].behind: got 'cars', expected vehicles or",
        ),
        (
            f"{BEHIND}: '7', {SIZE}}}]}}",
            "weather.dust[0].behind: got '7', expected vehicles or an OSI",
        ),
        (f"{BEHIND}: -1, {SIZE}}}]}}", "weather.dust[0].behind: must be greater than or equal to"),
        (f"{BEHIND}: 1.5, {SIZE}}}]}}", "weather.dust[0].behind: expected a whole number, got 1.5"),
        (f"{BEHIND}: true, {SIZE}}}]}}", "weather.dust[0].behind: expected a whole number, got"),
        (
            f"{BEHIND}: 4, size_m: [1, 1, 1]}}]}}",
            "weather.dust[0].visibility_m: is missing, expected metres",
        ),
        (
            f"{BEHIND}: 4, {SIZE}, center_m: [1, 1, 1]}}]}}",
            "weather.dust[0].center_m: is not allowed with behind, which places the box",
        ),
        (
            f"{BEHIND}: 4, {SIZE}, yaw_deg: 5}}]}}",
            "weather.dust[0].yaw_deg: is not allowed with behind, which places the box",
        ),
        (
            f"{BEHIND}: 4, {SIZE}, above_km_h: -1}}]}}",
            "weather.dust[0].above_km_h: must be greater than or equal to 0, got -1",
        ),
        (
            f"{{dust: [{{center_m: [1, 1, 1], {SIZE}, above_km_h: 5}}]}}",
            "weather.dust[0].above_km_h: is for dust with behind, got",
        ),
        ("{road_water_mm: 101}", "weather.road_water_mm: must be less than or equal to 100"),
        ("{snow_depth_mm: 5001}", "weather.snow_depth_mm: must be less than or equal to 5000"),
        ("{temperature_k: 20}", "weather.temperature_k: must be greater than or equal to 180"),
        ("{temperature_k: 341}", "weather.temperature_k: must be less than or equal to 340"),
        ("{wind_m_s: 5}", "weather.wind_m_s: expected a list, got 5"),
        ("{wind_m_s: [80, 80]}", "weather.wind_m_s: got 113.1 m/s, expected at most 100 m/s"),
        ("{sun: {azimuth_deg: 1}}", "weather.sun.elevation_deg: is missing"),
        ("{sun: {azimuth_deg: 0, elevation_deg: 91}}", "weather.sun.elevation_deg: must be less"),
        ("{ambient_lux: -1}", "weather.ambient_lux: must be greater than or equal to 0"),
        ("{drop_sizes: gama}", "weather.drop_sizes: got 'gama'"),
        ("{drop_sizes: {shape: 1}}", "weather.drop_sizes.law: expected either law: gamma or a tab"),
        ("{drop_sizes: {law: gamma, table: [[1, 1], [2, 1]]}}", "weather.drop_sizes.law: expected"),
        ("{drop_sizes: {table: [[2, 1], [1, 1]]}}", "weather.drop_sizes.table: expected diameters"),
        ("{drop_sizes: {table: [[1, 1]]}}", "weather.drop_sizes.table: expected 2 or more entries"),
        (
            "{drop_sizes: {table: [[1, 0], [2, 0]]}}",
            "weather.drop_sizes.table: expected a row with",
        ),
        ("{flakes: round}", "weather.flakes: got 'round' (allowed: gunn_marshall, sekhon"),
        ("{snow_density: 1}", "weather.snow_density: must be less than or equal to 0.917, got 1"),
        ("{window: {transmission: -0.1}}", "weather.window.transmission: must be greater than or"),
        ("{window: {transmission: 1.1}}", "weather.window.transmission: must be less than or"),
        ("{window: {transmission: [1]}}", "weather.window.transmission: expected a number, got"),
        ("{window: {transmission: true}}", "weather.window.transmission: expected a number, got"),
        ("{window: {transmission: ''}}", "weather.window.transmission: expected a path, got ''"),
        ("{window: {transmission: no.png}}", "weather.window.transmission: no such file: '/"),
        ("{window: {drops: 2}}", "weather.window.drops: must be less than or equal to 1, got 2"),
        ("{fog: {visibility_m: 9, patches: {}}}", "weather.fog.patches.contrast: is missing"),
        (
            "{fog: {visibility_m: 9, patches: 1}}",
            "weather.fog.patches: expected keys and values, got 1",
        ),
        (
            "{fog: {visibility_m: 9, patches: {contrast: 1.1}}}",
            "weather.fog.patches.contrast: must be less than or equal to 1, got 1.1",
        ),
        (
            "{fog: {visibility_m: 9, patches: {contrast: -0.1}}}",
            "weather.fog.patches.contrast: must be greater than or equal to 0, got -0.1",
        ),
        (
            "{fog: {visibility_m: 9, patches: {contrast: .nan}}}",
            "weather.fog.patches.contrast: ",
        ),
        (
            "{fog: {visibility_m: 9, patches: {size_m: 1, contrast: 0.5}}}",
            "weather.fog.patches.size_m: must be greater than or equal to 2, got 1",
        ),
        (
            "{fog: {visibility_m: 9, patches: {contrast: 0.5, seed: 1}}}",
            "weather.fog.patches.seed: unknown key",
        ),
        ("{window: {film_mm: -1}}", "weather.window.film_mm: must be greater than or equal to 0"),
        ("{window: {film_mm: 5.1}}", "weather.window.film_mm: must be less than or equal to 5, "),
        ("{window: {film_mm: '1'}}", "weather.window.film_mm: expected a number, got '1'"),
        ("{window: {sensors: front}}", "weather.window.sensors: expected a list, got 'front'"),
        ("{window: {sensors: []}}", "weather.window.sensors: expected 1 or more entries, got 0"),
        ("{window: {dirt: 1}}", "weather.window.dirt: unknown key (allowed: transmission, drops"),
        ("{messages: maybe}", "weather.messages: expected true or false, got 'maybe'"),
    ],
)
def test_a_bad_value_is_told_in_one_line(tmp_path, text, problem):
    file = config_file(tmp_path, f"{SENSOR}weather: {text}")
    with one_line(ConfigurationError, start=f"{file}: {problem}"):
        load_config(file)
