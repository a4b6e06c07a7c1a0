# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Ambient light of points in closed form, when it is seen anew, and what is as without it."""

import math
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from lidar_scenery.weather.state import CLEAR, Weather, sun_at
from lidar_scenery.weather.sunlight import irradiance, white_radiance
from osi_lidar import LidarModel
from osi_lidar.config import WeatherSection, load_config
from osi_lidar.errors import ConfigurationError
from tests.builders.files import written
from tests.builders.meshes import quad
from tests.builders.messages import Thing, frames, host
from tests.builders.weather import FOG, scan_in
from tests.builders.worlds import config, model_before

NM = 905.0
IDEAL = {"range_limit": None}
PHYSICAL = {"fidelity": "physical", "noise": None, "beam": {"divergence_deg": 0.1}}
UP_RAD = math.radians(30.0)
BEHIND = sun_at(math.pi / 2, UP_RAD, 1e5)
"""The sun behind a sensor that looks along x, 30 degrees above the horizon."""
BEFORE = sun_at(-math.pi / 2, UP_RAD, 1e5)
SUNNY = Weather(sun=BEHIND, ambient_lux=1e5)
RULES = {"Wall*": "lambertian_80", "Dark*": "lambertian_20", "Light*": "lambertian_10"}
LIGHT = irradiance(1e5, 1e5, wavelength_nm=NM)


def points_before(folder, surfaces, weather=CLEAR, rules=None, define=None, **sensor):
    """Return the points of a scan that tells the ambient light."""
    rules = RULES if rules is None else rules
    model = model_before(
        folder, surfaces, rules=rules, define=define, **{"near_ir": True, **sensor}
    )
    model.world.sky.weather = weather
    return model.step(*frames([[]], host_id=None)).scans[0].cloud.points


def one_value(points):
    """Return the ambient light of points, which is the same of all [W/(m^2 sr nm)]."""
    assert len(points)
    assert points.dtype.names[-1] == "near_ir"
    assert_allclose(points["near_ir"], points["near_ir"][0], rtol=1e-6)
    return float(points["near_ir"][0])


@pytest.mark.parametrize("kind", [IDEAL, PHYSICAL])
@pytest.mark.parametrize("turn_deg", [0.0, 40.0])
def test_a_wall_sends_the_light_of_sun_and_sky_that_falls_on_it(tmp_path, kind, turn_deg):
    """Its normal is -x turned by 40 degrees, the sun -x lifted by 30."""
    points = points_before(tmp_path, [(quad(10.0, turn_deg), "Wall")], SUNNY, **kind)
    falls = math.cos(UP_RAD) * math.cos(math.radians(turn_deg))
    expected = 0.8 / math.pi * (LIGHT.sun * falls + LIGHT.sky)
    assert one_value(points) == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("kind", [IDEAL, PHYSICAL])
def test_a_wall_that_is_turned_away_has_the_light_of_the_sky(tmp_path, kind):
    weather = replace(SUNNY, sun=BEFORE)
    points = points_before(tmp_path, [(quad(10.0), "Wall")], weather, **kind)
    assert one_value(points) == pytest.approx(0.8 / math.pi * LIGHT.sky, rel=1e-6)


def test_the_side_that_the_sensor_sees_counts(tmp_path):
    """Of a floor that is seen from below, it is the lower one."""
    corners = [(1.0, -30.0, 5.0), (60.0, -30.0, 5.0), (60.0, 30.0, 5.0), (1.0, 30.0, 5.0)]
    weather = replace(SUNNY, sun=sun_at(0.0, math.pi / 2, 1e5))
    upwards = {"pattern": {"kind": "pairs", "azimuth_elevation_deg": [[0, 30]]}}
    below, above = (
        one_value(points_before(tmp_path, [(corners, "Wall")], weather, **upwards, mounting=place))
        for place in ({"z_m": 0.0}, {"z_m": 10.0, "pitch_deg": 60.0})
    )
    assert below == pytest.approx(0.8 / math.pi * LIGHT.sky, rel=1e-6)
    assert above == pytest.approx(0.8 * white_radiance(NM), rel=1e-6)


def test_twice_the_albedo_gives_twice_the_light_and_the_range_nothing(tmp_path):
    found = {
        (name, x_m): one_value(points_before(tmp_path, [(quad(x_m), name)], SUNNY))
        for name in ("Dark", "Light")
        for x_m in (3.0, 20.0, 150.0)
    }
    assert found["Dark", 20.0] == pytest.approx(2.0 * found["Light", 20.0], rel=1e-6)
    assert found["Dark", 3.0] == found["Dark", 20.0] == found["Dark", 150.0]


@pytest.mark.parametrize(
    ("reflectance", "albedo"),
    [
        ([[0, 0.9], [5, 0.3], [45, 0.2], [90, 0.0]], 0.2 / math.cos(math.pi / 4)),  # gloss at 0 deg
        ([[0, 9.0], [90, 9.0]], 1.0),  # no surface sends more than it gets
    ],
)
def test_the_albedo_is_that_beside_the_gloss(tmp_path, reflectance, albedo):
    kind = "retroreflective" if reflectance[0][1] > 1.0 else "general"
    define = {"odd": {"reflectance": reflectance, "wavelength_nm": 905, "class": kind}}
    rules = {"Wall*": "odd"}
    points = points_before(tmp_path, [(quad(10.0), "Wall")], SUNNY, rules=rules, define=define)
    expected = albedo / math.pi * (LIGHT.sun * math.cos(UP_RAD) + LIGHT.sky)
    assert one_value(points) == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize(
    ("weather", "lux"),
    [
        (CLEAR, 1e5),  # nobody states any light
        (Weather(ambient_lux=2e4), 2e4),
        (Weather(ambient_lux=5.0, sun=sun_at(0.0, -0.1, 1e5)), 5.0),  # it has set
    ],
)
def test_without_a_sun_all_light_is_of_the_sky(tmp_path, weather, lux):
    points = points_before(tmp_path, [(quad(10.0), "Wall")], weather)
    sky = irradiance(lux, wavelength_nm=NM).sky
    assert one_value(points) == pytest.approx(0.8 / math.pi * sky, rel=1e-6)


def test_a_sensor_that_is_mounted_askew_sees_the_same_sun(tmp_path):
    askew = {"z_m": 1.0, "yaw_deg": 30.0, "pitch_deg": -10.0, "roll_deg": 20.0}
    pattern = {"kind": "pairs", "azimuth_elevation_deg": [[-30, 0], [-25, 3], [20, -4]]}
    walls = [(quad(10.0, -50.0, 5.0), "Wall")]
    points = points_before(tmp_path, walls, SUNNY, pattern=pattern, mounting=askew)
    falls = np.cos(UP_RAD) * np.cos(np.radians(50.0))
    assert one_value(points) == pytest.approx(
        0.8 / math.pi * (LIGHT.sun * falls + LIGHT.sky), rel=1e-5
    )


def test_a_sensor_that_turns_sees_the_sun_at_rest():
    """With a rolling shutter the sun has another direction in the frame of each beam."""
    sensor = {"name": "top", "preset": "VLP-16", "mounting": {"z_m": 2.0}, "near_ir": True}
    model = LidarModel(config(sensors=[sensor]))
    model.world.sky.weather = replace(SUNNY, sun=sun_at(0.0, 1.0, 1e5))
    turning = [[host()], [host(yaw_rad=0.5)]]
    points = [model.step(each) for each in frames(turning)][-1].scans[0].cloud.points
    ground = points[points["object_id"] == np.iinfo(points["object_id"].dtype).max]
    assert len(ground) > 1000
    assert np.ptp(ground["near_ir"]) < 1e-6 * ground["near_ir"].max()


@pytest.mark.parametrize("kind", [IDEAL, PHYSICAL])
def test_beside_a_sensor_that_turns_an_upright_wall_has_the_same_light_everywhere(kind):
    sensor = {"name": "top", "preset": "VLP-16", "mounting": {"z_m": 2.0}, "near_ir": True, **kind}
    model = LidarModel(config(sensors=[sensor], scene={"ground": "none"}))
    model.world.sky.weather = SUNNY
    wall = Thing(9, (15.0, 0.0, 0.0), dimension_m=(0.2, 40.0, 60.0), kind="stationary_object")
    turning = [[host(), wall], [host(yaw_rad=0.5), wall]]
    points = [model.step(each) for each in frames(turning)][-1].scans[0].cloud.points
    assert len(points) > 1000
    assert one_value(points) > 0.0


def test_points_of_the_air_have_none(tmp_path):
    points = scan_in(
        replace(SUNNY, visibility_m=30.0), tmp_path, n_scans=1, near_ir=True, min_range_m=0.5
    )
    fog = points["origin"] == FOG
    assert fog.any()
    assert not points["near_ir"][fog].any()


@pytest.mark.parametrize("kind", [IDEAL, PHYSICAL])
def test_light_that_changes_is_seen_anew_and_other_scans_repeat(tmp_path, kind):
    model = model_before(tmp_path, [(quad(10.0), "Wall")], rules=RULES, near_ir=True, **kind)
    (frame,) = frames([[]], host_id=None)
    seen = {}
    for time_ns, lux in enumerate((1e5, 1e5, 2e4)):
        scan = model.step(replace(frame, ambient_lux=lux, time_ns=frame.time_ns + time_ns)).scans[0]
        seen[time_ns] = scan.traced, one_value(scan.cloud.points)
    assert [seen[k][0] for k in range(3)] == [True, kind is PHYSICAL, True]
    assert seen[1] == (seen[1][0], seen[0][1])
    assert seen[2][1] == pytest.approx(0.2 * seen[0][1])


@pytest.mark.parametrize("kind", [IDEAL, PHYSICAL])
def test_configured_light_comes_before_that_of_messages(tmp_path, kind):
    model = model_before(tmp_path, [(quad(10.0), "Wall")], rules=RULES, near_ir=True, **kind)
    (frame,) = frames([[]], host_id=None)
    told = model.step(replace(frame, sun=BEFORE, ambient_lux=1e5)).scans[0].cloud.points
    assert one_value(told) == pytest.approx(0.8 / math.pi * LIGHT.sky, rel=1e-6)
    sun = {"azimuth_deg": 90.0, "elevation_deg": 30.0}
    model.world.sky.use(WeatherSection.model_validate({"sun": sun}))
    configured = model.step(replace(frame, sun=BEFORE, ambient_lux=1e5)).scans[0].cloud.points
    expected = 0.8 / math.pi * (LIGHT.sun * math.cos(UP_RAD) + LIGHT.sky)
    assert one_value(configured) == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("kind", [{}, {"fidelity": "physical"}, {"deskew": True}])
def test_all_else_is_as_without_it(kind):
    sensor = {"name": "top", "preset": "VLP-16", "mounting": {"z_m": 2.0}, **kind}
    lit, plain = (
        LidarModel(config(sensors=[{**sensor, **light}])).step(*frames([[host()]]))
        for light in ({"near_ir": True}, {"near_ir": False})
    )
    points, others = lit.scans[0].cloud.points, plain.scans[0].cloud.points
    assert points.dtype.names == (*others.dtype.names, "near_ir")
    for name in others.dtype.names:
        assert_array_equal(points[name], others[name])
    assert lit.sensor_data == plain.sensor_data
    deskewed = lit.scans[0].deskewed
    assert deskewed is None or "near_ir" in deskewed.dtype.names


@pytest.mark.parametrize(
    ("keys", "told"),
    [
        ("near_ir: 3", "near_ir: expected true or false, got 3"),
        ("near_ir: true, wavelength_nm: 532", "needs wavelength_nm of 700 to 1700, got 532"),
    ],
)
def test_what_cannot_be_is_refused_in_one_line(tmp_path, keys, told):
    file = written(tmp_path / "config.yaml", f"sensors: [{{preset: VLP-16, {keys}}}]\n")
    with pytest.raises(ConfigurationError) as refused:
        load_config(file)
    assert told in str(refused.value)
    assert "\n" not in str(refused.value)
