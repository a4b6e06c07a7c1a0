# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""What a master tunes, seen in the model itself: which sensors it is for."""

import json

import pytest

from fmu_src.tuning import tune
from osi_lidar import LidarModel
from tests.builders.messages import Thing, frames, host
from tests.builders.worlds import config, raster

PATTERN = raster(24, 6, elevation_deg=(-4, 1))
PHYSICAL = {
    "fidelity": "physical",
    "beam": {"divergence_deg": 0.2},
    "range_limit": {"equation": {"pairs": [[10, 60]]}},
}
SENSORS = [
    {"name": "first", "pattern": PATTERN, **PHYSICAL},
    {"name": "ideal", "pattern": PATTERN},
    {"name": "long", "pattern": PATTERN, **PHYSICAL, "wavelength_nm": 1550},
    {"name": "last", "pattern": PATTERN, **PHYSICAL},
]
WEATHERS = [
    {"window": {"transmission": 0.3}},
    {"window": {"film_mm": 0.2, "sensors": ["long", "ideal"]}},
    {"window": {"drops": 0.5}},
    {"fog": {"visibility_m": 60}},
    {"rain_mm_h": 30},
]
SEED = 5


def chosen(**sections):
    """Return the configuration of the sensors, with a seed that is not the default."""
    return config(sensors=SENSORS, seed=SEED, **sections)


def points_of(model):
    """Return the points that each sensor has of a car that crosses, as bytes."""
    worlds = [[host(x_m=0.5 * n), Thing(2, (15.0, n + 1.0, 0.75))] for n in range(3)]
    step = [model.step(frame) for frame in frames(worlds)][-1]
    return {scan.sensor: scan.cloud.points.tobytes() for scan in step.scans}


@pytest.mark.parametrize("weather", WEATHERS, ids=json.dumps)
def test_weather_acts_on_every_sensor_as_if_it_were_configured(weather):
    expected = points_of(LidarModel(chosen(weather=weather)))
    plain = points_of(LidarModel(chosen()))
    model = LidarModel(chosen())
    tune(model, "weather", json.dumps(weather))
    assert points_of(model) == expected
    meant = weather.get("window", {}).get("sensors", ["first", "long", "last"])
    changed = {name for name in plain if plain[name] != expected[name]}
    assert changed >= set(meant) - {"ideal"}


@pytest.mark.parametrize("first", WEATHERS, ids=json.dumps)
def test_the_configured_weather_comes_back_with_an_empty_text(first):
    weather = {"window": {"transmission": 0.5}}
    expected = points_of(LidarModel(chosen(weather=weather)))
    model = LidarModel(chosen(weather=weather))
    tune(model, "weather", json.dumps(first))
    tune(model, "weather", "")
    assert points_of(model) == expected


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("pattern", "{kind: pairs, azimuth_elevation_deg: [[0, -2], [1, -2]]}"),
        ("rolling_shutter", False),
        ("motion_blur", False),
    ],
)
def test_all_else_is_of_the_first_sensor_alone(name, value):
    model, untouched = (LidarModel(chosen()) for _ in range(2))
    tune(model, name, value)
    before, after = (points_of(each) for each in (untouched, model))
    assert {sensor for sensor in before if before[sensor] != after[sensor]} == {"first"}
