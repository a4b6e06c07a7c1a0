# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Rain and snow in the beam: which drops are there does not depend on what is behind them."""

import math

import numpy as np
import pytest

from lidar_app.show.weather_report import WeatherReport
from lidar_scenery.weather.state import DustBox, Weather
from tests.builders.beams import FAR, cloud_of, plate
from tests.builders.weather import PUCK, RAIN, SHORT_PULSE, SNOW, model_in, of, scan_in

HALF = [(plate(5.0, right_m=0.0), 50.0)]
"""A plate in one half of the beams."""
RAINY = Weather(rain_mm_h=50.0)
N = 60_000


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("drops")


def drops_of(folder, surfaces, weather=RAINY, **sensor):
    """Return the drops nearer than 4.5 m."""
    chosen = {"n": N, **PUCK, **SHORT_PULSE, **sensor}
    drops = of(RAIN, scan_in(weather, folder, surfaces, **chosen))
    return drops[drops["range"] < 4.5]


def test_surfaces_do_not_change_the_drops_before_them(folder):
    open_air, walled = drops_of(folder, ()), drops_of(folder, [(plate(5.0), 50.0)])
    assert len(open_air) > 400
    for column in ("range", "snr", "column"):
        np.testing.assert_array_equal(walled[column], open_air[column])


def test_a_second_look_does_not_change_drops(folder):
    once = drops_of(folder, HALF)
    twice = drops_of(folder, HALF, beam={**PUCK["beam"], "refine": True})
    assert len(once) > 400
    for column in ("range", "snr", "column"):
        np.testing.assert_array_equal(twice[column], once[column])


def test_drops_behind_dust_are_weaker_by_its_depth_there_and_back(folder):
    box = DustBox(center_m=(1.0, 0.0, 0.0), size_m=(1.0, 20.0, 20.0), visibility_m=60.0)
    open_air, dusty = (
        drops_of(folder, (), Weather(rain_mm_h=50.0, dust=dust)) for dust in ((), (box,))
    )
    before, found = (
        {(drop["column"], drop["range"]): drop["snr"] for drop in each if drop["range"] > 2.0}
        for each in (open_air, dusty)
    )
    same = before.keys() & found.keys()
    assert len(same) > 100
    passed = [found[each] / before[each] for each in same]
    np.testing.assert_allclose(passed, math.exp(-2.0 * math.log(20.0) / 60.0), rtol=1e-3)


def test_drops_are_as_many_as_reach_past_the_edge_of_a_plate(folder):
    """Behind the plate in half of the beam there is half the rain: 0.5 within four deviations."""
    sensor = {"n": N, **PUCK, **SHORT_PULSE}
    far = [of(RAIN, scan_in(RAINY, folder, surfaces, **sensor))["range"] for surfaces in (HALF, ())]
    behind, open_air = (int((each > 5.0).sum()) for each in far)
    assert open_air > 100
    assert abs(behind - 0.5 * open_air) < 4.0 * (0.25 * open_air) ** 0.5


@pytest.mark.parametrize("weather", [RAINY, Weather(snow_mm_h=20.0)])
def test_a_beam_that_is_a_line_sees_no_drops(folder, weather):
    points = scan_in(weather, folder, n=N, **{**PUCK, "beam": None})
    assert len(points) == 0


def test_of_many_drops_the_nearest_are_reported(folder):
    """The nearest of a Poisson process is within r with the probability 1 - exp(-L(r)).

    Kolmogorov and Smirnov's test over the beams, at the level of 0.1 %.
    """
    weather, n = Weather(snow_mm_h=71.0), 4000
    sensor = {**PUCK, **SHORT_PULSE, "range_limit": FAR, "max_range_m": 30.0, "n": n}
    model = model_in(weather, folder, **sensor)
    drops = WeatherReport(model.config.sensors[0], weather).air.drops
    expected = np.asarray(drops.number)[1]
    assert expected[-1] > 4.0  # there are more than are drawn
    points = of(SNOW, cloud_of(model).points)
    nearest_m = np.sort(points["range"][points["echo"] == 0])
    within = -np.expm1(-np.interp(nearest_m, drops.step_m * np.arange(len(expected)), expected))
    assert np.abs(np.arange(1, len(within) + 1) / n - within).max() * n**0.5 < 1.95
