# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The picture of weather in the README."""

from pathlib import Path

import numpy as np
import pytest

from lidar_app.show.weather_report import WeatherReport
from lidar_scenery.weather.state import Weather
from osi_lidar.clouds.origins import ORIGINS
from osi_lidar.config import Config
from tests.builders.extras import needs
from tests.scenarios.scripts import script

TOOL = Path(__file__).resolve().parents[2] / "tools" / "draw_weather.py"
N_BEAMS = 131_072


@pytest.mark.long
@needs("PIL", "matplotlib")
def test_its_panels_lie_one_below_the_other_and_show_what_their_words_say(tmp_path, monkeypatch):
    from PIL import Image

    tool, made = script(TOOL), []

    def scanned(weather, scan=tool.scanned):
        made.append(scan(weather))
        return made[-1]

    monkeypatch.setattr(tool, "scanned", scanned)
    tool.draw(tmp_path / "weather.webp")
    with Image.open(tmp_path / "weather.webp") as picture:
        assert picture.size == (tool.SIZE_PX[0], 3 * tool.SIZE_PX[1] + 2 * tool.GAP_PX)
    origins = [cloud.points["origin"] for cloud in made]
    dry, fog, rain = (np.bincount(each, minlength=len(ORIGINS)) for each in origins)
    into_sky = N_BEAMS - dry.sum()
    (sensor,) = Config(sensors=[tool.SENSOR]).sensors
    assert dry[ORIGINS.index("fog") :].sum() == 0
    # at least the beams into the sky report the fog, by the probability of the closed form
    probability = WeatherReport(sensor, Weather(visibility_m=100.0)).echoes["fog"].probability
    assert fog[ORIGINS.index("fog")] > 0.999 * probability * into_sky
    # and drops, within four standard deviations of Poisson's distribution
    expected = WeatherReport(sensor, Weather(rain_mm_h=25.0)).points_per_beam([0.0, 1e3])[0]
    assert rain[ORIGINS.index("rain")] > expected * into_sky - 4.0 * (expected * into_sky) ** 0.5
    assert rain[ORIGINS.index("ghost")] > dry[ORIGINS.index("ghost")]
    assert max(fog[0], rain[0]) < dry[0]
