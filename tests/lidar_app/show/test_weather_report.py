# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""How far a sensor sees in weather by closed forms, beside what the model reports."""

import numpy as np

from lidar_app.show.weather_report import SeenWeather
from lidar_scenery.weather.state import Weather
from osi_lidar.scan.records import ORIGINS
from tests.builders.beams import beams_at, cloud_of, plate

N = 131_072
EDGES_M = (0.5, 1.0, 2.0, 4.0, 8.0, 16.0)


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
    seen = SeenWeather(model.config.sensors[0], Weather(rain_mm_h=50.0), 0.7)
    expected = N * seen.points_per_beam(EDGES_M)
    assert expected.sum() > 300.0
    chi_square = ((np.histogram(drops, EDGES_M)[0] - expected) ** 2 / expected).sum()
    assert chi_square < 20.5
