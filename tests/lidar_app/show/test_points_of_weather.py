# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""What `osi-lidar weather` says of a sensor."""

import numpy as np
import pytest

from lidar_app.show.weather_report import WeatherReport
from lidar_scenery.weather.state import Weather
from osi_lidar.clouds.origins import ORIGINS
from osi_lidar.config import default_config
from tests.builders.beams import beams_at, cloud_of, plate

N = 131_072
EDGES_M = (0.5, 1.0, 2.0, 4.0, 8.0, 16.0)


@pytest.mark.long
@pytest.mark.parametrize("name", ["VLP-16", "OS0-128"])  # without and with a spread of gains
def test_points_of_rain_are_the_drawn_drops_times_their_probability(name):
    """Monte Carlo: 20 000 signals of drops that are just visible or brighter, at one range.

    A signal exceeds the least one a times with the probability H(d sqrt(a)) / H(d). The mean of
    20 000 probabilities has a standard error below 0.5 / sqrt(20 000) = 0.0035. Between 1000
    signals probabilities are interpolated.
    """
    seen = WeatherReport(
        default_config(name, fidelity="physical").sensors[0], Weather(rain_mm_h=10.0)
    )
    drops, row = seen.air.drops, int(np.searchsorted(seen.range_m, 3.0))
    sizes = drops.low + drops.step * np.arange(drops.tail.shape[1])
    tail, least = drops.tail[0], drops.least[0, row]
    wanted = np.interp(least, sizes, tail) + np.log(np.random.default_rng(1).random(20_000))
    larger = np.interp(-wanted, -tail, sizes) - least
    signal = drops.snr * np.exp(2.0 * np.maximum(larger, 0.0))
    some = np.geomspace(signal.min(), signal.max(), 1000)
    detected = np.interp(signal, some, seen.scale.detection_probability(some))
    edges_m = seen.range_m[row - 1 : row + 2]
    points = seen.points_per_beam(edges_m).sum()
    drawn = drops.number[0, row + 1] - drops.number[0, row - 1]
    assert points / drawn == pytest.approx(detected.mean(), abs=4 * 0.0035)


def test_drops_seen_through_a_window_are_as_many_as_the_closed_form_has(tmp_path):
    """Chi-square over five bins of range, at the level of 0.1 %: 20.5 for 5 degrees of freedom."""
    sensor = {
        "beam": {
            "divergence_deg": np.degrees([3.0e-3, 1.5e-3]).tolist(),
            "window_m": [12.8e-3, 9.6e-3],
            "width": "e2",
        },
        "range_limit": {"equation": {"pairs": [[100, 130]]}},
        "receiver": {"near_range_m": 8.3},
        "max_range_m": 60.0,
    }
    weather = {"rain_mm_h": 50.0, "window": {"transmission": 0.7}}
    model = beams_at(tmp_path, [(plate(190.0), 1.0)], weather=weather, n=N, **sensor)
    points = cloud_of(model).points
    drops = points["range"][points["origin"] == ORIGINS.index("rain")]
    seen = WeatherReport(model.config.sensors[0], Weather(rain_mm_h=50.0), 0.7)
    expected = N * seen.points_per_beam(EDGES_M)
    assert expected.sum() > 300.0
    chi_square = ((np.histogram(drops, EDGES_M)[0] - expected) ** 2 / expected).sum()
    assert chi_square < 20.5
