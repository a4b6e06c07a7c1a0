# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Spray of vehicles, from the messages to the points."""

import numpy as np
import pytest

from lidar_scenery.weather.bodies import BodyKind
from osi_lidar import LidarModel
from osi_lidar.config.weather import WeatherSection
from osi_lidar.world.sky import Sky
from tests.builders.beams import BEAM, FAR, SEES
from tests.builders.weather import SPRAY, decoded, of, passing
from tests.builders.worlds import config

WET = {"road_water_mm": 1.0}
GRID = {
    "kind": "grid",
    "horizontal": {"min_deg": -6, "max_deg": 6, "step_deg": 0.5},
    "vertical": {"min_deg": -4, "max_deg": 2, "step_deg": 0.5},
}
SENSOR = {
    "name": "front",
    "pattern": GRID,
    "mounting": {"x_m": 2.0, "z_m": 1.2},
    "beam": BEAM,
    "range_limit": FAR,
    "returns": {"mode": "all", "max": 8},
    "receiver": SEES,
}


def model_of(weather, **sensor):
    """Return a model of one sensor in configured weather."""
    one = {key: value for key, value in {**SENSOR, **sensor}.items() if value is not None}
    return LidarModel(config(sensors=[one], weather=weather))


def points_of(model, messages):
    """Return the points of the last message; those before are only heard."""
    *earlier, last = decoded(messages)
    for frame in earlier:
        model.follow(frame, {})
    return model.step(last).scans[0].cloud.points


def bodies_of(sky, messages):
    """Return the bodies at the time of the last message."""
    for frame in decoded(messages):
        sky.hear(frame)
    return sky.bodies(frame.time_ns)


def sky_in(**weather):
    return Sky(WeatherSection(**weather), 0)


def test_a_car_at_100_km_h_on_a_wet_road_is_followed_by_spray():
    points = points_of(model_of(WET), passing(11))
    spray = of(SPRAY, points)
    assert len(spray) > 20
    assert (spray["range"] < 5.0 + 100.0 / 3.6).all()  # behind the car
    assert (spray["object_id"] == np.iinfo(spray["object_id"].dtype).max).all()
    assert (spray["reflectivity"] < 0.1).all()  # pi 0.02 / 18.5 a metre, over 28 m


@pytest.mark.parametrize(
    ("weather", "km_h"),
    [({**WET, "spray": "none"}, 100.0), ({"road_water_mm": 0.0}, 100.0), (WET, 49.0)],
    ids=["none", "dry", "slow"],
)
def test_without_spray_there_is_none(weather, km_h):
    assert not len(of(SPRAY, points_of(model_of(weather), passing(11, km_h=km_h))))


def test_an_ideal_sensor_sees_no_spray():
    ideal = {"beam": None, "returns": None, "receiver": None}
    wet = points_of(model_of(WET, **ideal), passing(11))
    dry = points_of(model_of({"messages": False}, **ideal), passing(11))
    assert wet.tobytes() == dry.tobytes()


def test_in_a_second_150_clusters_are_born():
    """10 (0.2 + 0.1) (100 - 50) a second, none of which is gone within it: +- 4 deviations."""
    bodies = bodies_of(sky_in(road_water_mm=1.0), passing(11))
    assert (bodies.kind == BodyKind.SPRAY).all()
    assert abs(len(bodies) - 150) < 4.0 * 150**0.5


def test_a_run_that_starts_in_the_middle_agrees_after_four_time_constants():
    """0.26 s on average on 0.1 mm at 80 km/h, with a deviation of 0.2 s: all are gone in 4.5 s."""
    weather, messages = {"road_water_mm": 0.1}, passing(80, km_h=80.0, from_m=-145.0)
    whole, late = (
        points_of(model_of(weather), messages),
        points_of(model_of(weather), messages[30:]),
    )
    assert len(of(SPRAY, whole)) > 5
    assert whole.tobytes() == late.tobytes()


def test_spray_outlives_the_water():
    """Where the road has dried, no cluster is born, and those in the air stay."""
    sky, frames = sky_in(messages=True), decoded(passing(21))
    wet, dry = sky_in(road_water_mm=1.0).weather, sky.weather
    for index, frame in enumerate(frames):
        sky.weather = wet if index <= 10 else dry
        sky.hear(frame)
        if index == 10:
            before = sky.bodies(frame.time_ns)
    after = sky.bodies(frames[-1].time_ns)
    assert 0 < len(after) <= len(before)
    assert after.weight.max() < np.exp(-1.0 / 2.2)  # 1 s old, of 1.2 s +- 0.2 s


def test_no_spray_is_thrown_up_while_the_road_is_dry():
    sky, frames = sky_in(messages=True), decoded(passing(5))
    wet = sky_in(road_water_mm=1.0).weather
    for index, frame in enumerate(frames):
        sky.weather = wet if index in (0, 4) else sky_in().weather
        sky.hear(frame)
    ages = frames[4].time_ns - sky._spray._clusters.born_ns
    assert len(ages) > 0
    assert (ages <= 100_000_000).all()  # since the message before


def test_a_new_run_on_a_dry_road_has_no_spray_of_the_run_before():
    sky = sky_in(messages=True)
    sky.weather = sky_in(road_water_mm=1.0).weather
    assert len(bodies_of(sky, passing(11, start_s=20.0)))
    sky.weather = sky_in().weather
    assert not len(bodies_of(sky, passing(2, start_s=20.5, step_s=0.05)))
