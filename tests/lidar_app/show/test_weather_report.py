# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""What closed forms say of known sensors in weather is what their model reports, noise included.

Numbers of beams are binomial, those of drops Poisson: each within four standard deviations, which
fails by chance once in 16 000 numbers.
"""

import math

import numpy as np
import pytest

from lidar_app.show.weather_report import (
    PLATES_M,
    PLATES_PERCENT,
    WeatherReport,
    half_visibilities,
)
from lidar_scenery.weather.state import Weather
from osi_lidar.config import default_config
from osi_lidar.scan.from_config import signal_scale_of
from osi_lidar.scan.media.soft_echo import SoftEcho
from osi_lidar.sensors.presets import load_preset
from tests.builders.beams import LIMIT, SEES, cloud_of, plate
from tests.builders.weather import FILLS_THE_AIR, FOG, RAIN, SNOW, SURFACE, model_in, of

N = 20_000
PRESETS = ("VLP-16", "VLP-32C", "OS1-128")
EDGES_M = (0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 60.0)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("report")


def like(name):
    """Return the keys of a sensor with all of a preset but its beams.

    They are of one laser, so the spread of lasers is drawn for each pulse here.
    """
    sensor, preset = preset_sensor(name), load_preset(name)
    pairs = [list(pair) for pair in preset.range_pairs]
    if preset.near_field:  # whose signal falls with 1/r² from the darkest pair on
        (percent, range_m), _ = pairs
        pairs = [[percent, range_m], [4 * percent, 2 * range_m]]
    sections = {
        key: None if getattr(sensor, key) is None else getattr(sensor, key).model_dump(mode="json")
        for key in ("beam", "pulse", "returns", "receiver")
    }
    spreads = (sections["receiver"].pop(key) for key in ("signal_spread", "laser_spread"))
    sections["receiver"]["signal_spread"] = math.hypot(*spreads)
    plain = {key: getattr(sensor, key) for key in ("wavelength_nm", "min_range_m", "max_range_m")}
    return {**plain, **sections, "range_limit": {"pairs": pairs, "fit": preset.range_fit}}


def preset_sensor(name):
    return default_config(name, fidelity="physical").sensors[0]


def points_of(folder, name, weather, surfaces=(), *, n=N, **changes):
    """Return the points of n beams of a known sensor."""
    keys = like(name)
    keys["returns"] = {**keys["returns"], **changes}
    return cloud_of(model_in(weather, folder, surfaces, n=n, **keys)).points


def assert_share(found, n, share):
    """Assert that a binomial number of n is not surprising; a false alarm may hide 1e-4 of them."""
    alarms = 1e-4 * n
    tolerance = alarms + 4.0 * math.sqrt(n * share * (1.0 - share) + alarms)
    assert abs(found - share * n) <= tolerance


@pytest.mark.parametrize("name", PRESETS)
def test_the_sensor_of_the_tests_is_the_known_one(folder, name):
    (own,) = model_in(Weather(), folder, n=1, **like(name)).config.sensors
    mine, known = signal_scale_of(own), signal_scale_of(preset_sensor(name))
    assert (mine.threshold, mine.snr_at_limit) == (known.threshold, known.snr_at_limit)
    np.testing.assert_array_equal(mine.kernel_table()[1], known.kernel_table()[1])


@pytest.mark.long
@pytest.mark.parametrize("name", PRESETS)
@pytest.mark.parametrize(
    ("visibility_m", "percent", "range_m"),
    [(30.0, 10.0, 10.0), (30.0, 80.0, 15.0), (60.0, 10.0, 15.0), (60.0, 30.0, 20.0),
     (100.0, 10.0, 20.0)],
)  # fmt: skip
def test_as_many_beams_report_a_plate_in_fog(folder, name, visibility_m, percent, range_m):
    weather = Weather(visibility_m=visibility_m)
    seen = WeatherReport(preset_sensor(name), weather)
    points = points_of(folder, name, weather, [(plate(range_m), percent)])
    share = seen.reported(percent / 100.0, range_m)
    assert_share(len(of(SURFACE, points)), N, share)


@pytest.mark.parametrize("name", PRESETS)
@pytest.mark.parametrize("mode", ["first", "last"])
def test_a_first_echo_is_of_the_fog_and_a_last_one_of_the_plate(folder, name, mode):
    weather, keys = Weather(visibility_m=80.0), like(name)
    keys["returns"] = {**keys["returns"], "mode": mode}
    model = model_in(weather, folder, [(plate(20.0), 20.0)], n=N, **keys)
    share = WeatherReport(model.config.sensors[0], weather).reported(0.2, 20.0)
    assert_share(len(of(SURFACE, cloud_of(model).points)), N, share)


@pytest.mark.long
@pytest.mark.parametrize("mode", ["first", "strongest", "last"])
@pytest.mark.parametrize(
    ("name", "visibility_m", "range_m"),
    [("VLP-16", 20.0, 1.5), ("VLP-16", 20.0, 2.5), ("VLP-16", 80.0, 2.0), ("OS1-128", 20.0, 1.8),
     ("OS1-128", 80.0, 4.0), ("OS1-128", 80.0, 6.0)],
)  # fmt: skip
def test_only_fog_before_a_near_plate_hides_it(folder, name, visibility_m, range_m, mode):
    weather, keys = Weather(visibility_m=visibility_m), like(name)
    keys["returns"] = {**keys["returns"], "mode": mode}
    model = model_in(weather, folder, [(plate(range_m), 20.0)], n=N, **keys)
    share = WeatherReport(model.config.sensors[0], weather).reported(0.2, range_m)
    assert_share(len(of(SURFACE, cloud_of(model).points)), N, share)


def test_echoes_too_near_to_each_other_for_a_receiver_are_decided_by_strength(folder):
    """A receiver that needs no time to recover: a dim plate behind the fog, and a bright one."""
    weather, keys = Weather(visibility_m=40.0), like("OS1-128")
    keys["returns"] = {**keys["returns"], "mode": "first", "min_separation_m": 9.0}
    for percent, range_m in ((3.0, 11.0), (80.0, 11.0), (80.0, 16.0)):
        model = model_in(weather, folder, [(plate(range_m), percent)], n=N, **keys)
        share = WeatherReport(model.config.sensors[0], weather).reported(percent / 100, range_m)
        assert_share(len(of(SURFACE, cloud_of(model).points)), N, share)


@pytest.mark.parametrize("name", PRESETS)
@pytest.mark.parametrize("visibility_m", [40.0, 90.0, 150.0])
def test_as_many_beams_into_the_sky_report_fog(folder, name, visibility_m):
    weather = Weather(visibility_m=visibility_m)
    share = WeatherReport(preset_sensor(name), weather).echoes["fog"].probability
    assert_share(len(of(FOG, points_of(folder, name, weather))), N, share)


@pytest.mark.parametrize(
    ("mode", "origin"), [("strongest", {SURFACE}), ("first", {FOG}), ("last", {SURFACE})]
)
def test_without_noise_a_plate_is_reported_or_not(folder, mode, origin):
    """A plate that is brighter than the fog, which is seen, too."""
    weather, one = Weather(visibility_m=200.0), {"range_limit": LIMIT, "receiver": SEES}
    wall = [(plate(8.0), 80.0)]
    model = model_in(weather, folder, wall, n=3, returns={"mode": mode}, **one)
    reported = WeatherReport(model.config.sensors[0], weather).reported(0.8, 8.0)
    assert set(cloud_of(model).points["origin"].tolist()) == origin
    assert reported == (SURFACE in origin)


@pytest.mark.parametrize("name", FILLS_THE_AIR)
def test_a_plate_is_hidden_by_all_that_has_an_echo_of_its_own(folder, name):
    """A receiver without noise reports the first echo. The beam is a line, which sees no drops."""
    weather = Weather(**{name: FILLS_THE_AIR[name]})
    line = {"beam": None, "range_limit": LIMIT, "receiver": SEES, "returns": {"mode": "first"}}
    model = model_in(weather, folder, [(plate(8.0), 80.0)], n=1, **line)
    seen = WeatherReport(model.config.sensors[0], weather)
    has_echo = any(isinstance(each, SoftEcho) for each in seen.air)
    assert any(echo.snr > 0.0 for echo in seen.echoes.values()) == has_echo
    (origin,) = cloud_of(model).points["origin"].tolist()
    assert (origin != SURFACE) == has_echo
    assert seen.reported(0.8, 8.0) == (origin == SURFACE)


@pytest.mark.parametrize(("range_m", "share"), [(1.9, 0.0), (2.1, 1.0), (8.9, 1.0), (9.1, 0.0)])
def test_a_plate_is_reported_only_between_the_ranges_of_the_receiver(folder, range_m, share):
    bounds = {"min_range_m": 2.0, "max_range_m": 9.0, "range_limit": LIMIT, "receiver": SEES}
    weather = Weather(visibility_m=1000.0)
    model = model_in(weather, folder, [(plate(range_m), 80.0)], n=3, **bounds)
    assert len(of(SURFACE, cloud_of(model).points)) == 3 * share
    assert WeatherReport(model.config.sensors[0], weather).reported(0.8, range_m) == share


@pytest.mark.parametrize("name", ["VLP-16", "OS1-128", "OS1-16"])
@pytest.mark.parametrize("reflectivity", [0.05, 0.5])
def test_no_target_beyond_the_half_range_is_seen_and_few_ranges_are_looked_at(
    monkeypatch, name, reflectivity
):
    """Where targets are too faint, they are passed over at once."""
    seen = WeatherReport(
        default_config(name, fidelity="physical").sensors[0], Weather(visibility_m=80.0)
    )
    asked, reported = [], seen.reported

    def counted(percent, range_m):
        asked.append(range_m)
        return reported(percent, range_m)

    monkeypatch.setattr(seen, "reported", counted)
    far_m = seen.half_range_m(reflectivity)
    assert len(asked) < 0.1 * len(seen.range_m)
    assert reported(reflectivity, far_m) >= 0.5
    beyond_m = seen.range_m[seen.range_m > far_m][::5].tolist()
    assert max(reported(reflectivity, each) for each in beyond_m) < 0.5


@pytest.mark.long
def test_at_the_half_visibility_half_of_the_beams_report_a_plate(folder):
    halves, n = half_visibilities(preset_sensor("VLP-16")), 4000
    assert (np.diff(halves, axis=0) < 0.0).all()  # a brighter plate is seen in thicker fog
    assert (np.diff(halves, axis=1) > 0.0).all()
    for percent, row in zip(PLATES_PERCENT, halves, strict=True):
        for range_m, visibility_m in zip(PLATES_M, row, strict=True):
            weather, wall = Weather(visibility_m=float(visibility_m)), [(plate(range_m), percent)]
            found = len(of(SURFACE, points_of(folder, "VLP-16", weather, wall, n=n)))
            assert_share(found, n, 0.5)


FALLING = [
    (Weather(rain_mm_h=10.0), RAIN),
    (Weather(rain_mm_h=50.0), RAIN),
    (Weather(snow_mm_h=1.0), SNOW),
]


@pytest.mark.long
@pytest.mark.parametrize("name", PRESETS)
@pytest.mark.parametrize(("weather", "origin"), FALLING, ids=["10", "50", "snow"])
def test_drops_make_as_many_points_at_each_range(folder, name, weather, origin):
    """All returns, so that drops of one beam are all reported.

    Chi-square over bins with more than 5 expected drops, at the level of 0.01 % or stricter.
    """
    n = 100_000
    expected = n * WeatherReport(_with_all(name), weather).points_per_beam(EDGES_M)
    points = of(origin, points_of(folder, name, weather, n=n, mode="all", max=8))
    got = np.histogram(points["range"], EDGES_M)[0]
    assert abs(got.sum() - expected.sum()) < 4.0 * math.sqrt(expected.sum()) + 1.0
    some = expected[1:] > 5.0  # the first bin ends at the least range of the sensors
    chi_square = ((got[1:][some] - expected[1:][some]) ** 2 / expected[1:][some]).sum()
    assert chi_square < 25.7  # 5 degrees of freedom at most


def _with_all(name):
    sensor = preset_sensor(name)
    return sensor.model_copy(update={"returns": sensor.returns.model_copy(update={"mode": "all"})})


@pytest.mark.long
@pytest.mark.parametrize("name", PRESETS)
@pytest.mark.parametrize(("weather", "origin"), [*FALLING, (Weather(snow_mm_h=5.0), SNOW)])
def test_a_sensor_of_one_return_reports_one_drop_of_a_beam(folder, name, weather, origin):
    """1 - exp(-m) of m: 0.26 where a VLP-32C sees 0.30 flakes a beam."""
    n = 50_000
    seen = WeatherReport(preset_sensor(name), weather)
    share = float(seen.points_per_beam((0.0, 200.0)).sum())
    assert_share(len(of(origin, points_of(folder, name, weather, n=n))), n, share)
