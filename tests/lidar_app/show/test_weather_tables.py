# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The command `weather` takes, tells and draws all that fills the air."""

from dataclasses import fields

import pytest

from lidar_app.cli.weather import Asked
from lidar_app.show.plots import weather as picture
from lidar_app.show.weather_report import WeatherReport
from lidar_app.show.weather_tables import weather_dict, weather_tables
from lidar_scenery.weather.state import CLEAR, Weather
from osi_lidar.config import default_config
from tests.builders.weather import FILLS_THE_AIR

OF_THE_SENSOR = {"config", "sensor"}


@pytest.fixture(scope="module")
def sensor():
    return default_config("VLP-16", fidelity="physical").sensors[0]


def rows_of(sensor, weather):
    """Return the rows of the first table, by their names."""
    return {row[0]: row[1] for row in weather_tables(WeatherReport(sensor, weather))[0].rows}


@pytest.mark.parametrize("name", FILLS_THE_AIR)
def test_what_fills_the_air_is_a_row_and_a_number(sensor, name):
    value = FILLS_THE_AIR[name]
    weather = Weather(**{name: value})
    told = [words for row, words in rows_of(sensor, weather).items() if row != "extinction"]
    assert any(f"{value:g} " in words for words in told)
    assert weather_dict(WeatherReport(sensor, weather))[name] == value


@pytest.mark.parametrize("name", FILLS_THE_AIR)
def test_what_fills_the_air_is_told_below_the_title_of_the_picture(
    sensor, tmp_path, monkeypatch, name
):
    told = []
    monkeypatch.setattr(picture, "headline", lambda *given: told.append(given[-1]))
    weather = Weather(**{name: FILLS_THE_AIR[name]})
    picture.weather_picture(WeatherReport(sensor, weather), tmp_path / "weather.png")
    assert f" {FILLS_THE_AIR[name]:g} " in told[0]


def test_what_fills_the_air_has_an_option():
    options = {each.name for each in fields(Asked)} - OF_THE_SENSOR
    weather = Asked(sensor="VLP-16", **dict.fromkeys(options, 7.0)).report().weather
    assert [name for name in FILLS_THE_AIR if getattr(weather, name) == getattr(CLEAR, name)] == []
