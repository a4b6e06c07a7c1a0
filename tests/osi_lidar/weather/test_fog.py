# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Fog's own echo in the beam, and what it does to the choice of the receiver."""

import math

import numpy as np
import pytest

from lidar_app.show.weather_report import WeatherReport
from lidar_scenery.weather.state import Weather
from osi_lidar.scan.from_config import signal_scale_of
from tests.builders.beams import LIMIT, SEES, SIGMA_R_M, cloud_of, plate
from tests.builders.weather import FOG, PUCK, SURFACE, model_in, of, scan_in

LN_20 = math.log(20.0)
FOG_SR = 18.5
"""Lidar ratio of fog at 905 nm, by Mie's series."""
N = 20_000


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("fog")


@pytest.mark.parametrize(
    ("near", "extinction", "place_m", "value"),
    [
        ("ramp", 0.03, 1.274, 0.3705),
        ("ramp", 0.2, 1.242, 0.2416),
        ("held", 0.06, 1.20, 0.00987),
        ("held", 0.2, 1.03, 0.00725),
    ],
)
def test_fog_has_an_echo_where_its_integral_is_largest(folder, near, extinction, place_m, value):
    """Place to 1 cm and signal to 1 % of pi beta times the integral (see test_soft_echo.py).

    The signal of a target is SNR_L R / R_min, where R_min = 0.1 (r / 60 m)^2 = (r / 190 m)^2.
    """
    near_range = {"near_range_m": 8.3}
    if near == "ramp":
        near_range = {"near_range_m": 0.0, "near_field": [[0.9, 1e-6], [1.0, 1.0]]}
    model = model_in(
        Weather(visibility_m=LN_20 / extinction),
        folder,
        receiver={**SEES, **near_range},
        range_limit=LIMIT,
        min_range_m=0.9 if near == "ramp" else 0.5,
        max_range_m=20.0,
        n=3,
    )
    points = cloud_of(model).points
    assert (points["origin"] == FOG).all()
    np.testing.assert_allclose(points["range"], place_m, atol=0.01)
    scale = signal_scale_of(model.config.sensors[0])
    signal = math.pi * extinction / FOG_SR * value * 36_000.0 * scale.snr_at_limit
    np.testing.assert_allclose(points["snr"], signal, rtol=0.01)


@pytest.mark.long
@pytest.mark.parametrize("visibility_m", [30.0, 100.0])
@pytest.mark.parametrize("end_m", [0.6, 0.8, 1.2, 2.0])
def test_fog_before_a_surface_in_half_of_the_beam_is_the_sum_of_both_halves(
    folder, end_m, visibility_m
):
    """By quadrature, behind the surface of half of the light: height to 1 %, place to 1 cm."""
    weather = Weather(visibility_m=visibility_m)
    edge = [(plate(end_m, 0.0, 30.0), 0.0)]
    model = model_in(weather, folder, edge, n=20, receiver={**SEES, "near_range_m": 8.3})
    fog = of(FOG, cloud_of(model).points)
    alpha = LN_20 / visibility_m
    r = np.arange(0.5005, 20.0, 0.001)
    sent = math.pi * alpha / FOG_SR * np.exp(-2.0 * alpha * r) * 0.001
    sent *= signal_scale_of(model.config.sensors[0]).snr(1.0, r) * np.where(r < end_m, 1.0, 0.5)
    x = np.arange(0.3, 4.0, 0.005)
    signal = np.exp(-0.5 * np.square((x[:, None] - r) / SIGMA_R_M)) @ sent
    assert len(fog) == 20
    np.testing.assert_allclose(fog["snr"], signal.max(), rtol=0.01)
    np.testing.assert_allclose(fog["range"], x[signal.argmax()], atol=0.01)


MODES = {
    "strongest": ({FOG}, {SURFACE}),
    "first": ({FOG}, {FOG}),
    "last": ({SURFACE}, {SURFACE}),
    "last_strongest": ({FOG, SURFACE}, {FOG, SURFACE}),
    "last_first": ({FOG, SURFACE}, {FOG, SURFACE}),
    "first_strongest": ({FOG, SURFACE}, {FOG, SURFACE}),
    "all": ({FOG, SURFACE}, {FOG, SURFACE}),
}
"""What is reported of a target that is weaker than the fog, and of one that is stronger. Of a pair
whose two echoes are the same, the second strongest takes the place of one."""
THIN = Weather(visibility_m=200.0)


def as_bright_as_fog_m(folder, reflectivity):
    """Return the range at which a target is as bright as the fog's echo."""
    fog = scan_in(THIN, folder, range_limit=LIMIT, n=1)
    scale = signal_scale_of(model_in(THIN, folder, range_limit=LIMIT, n=1).config.sensors[0])
    range_m = np.linspace(1.0, 60.0, 10_000)
    signal = scale.snr(reflectivity, range_m) * np.exp(-2.0 * LN_20 / 200.0 * range_m)
    return float(np.interp(-fog["snr"][0], -signal, range_m))


@pytest.mark.parametrize("mode", MODES)
def test_a_receiver_chooses_between_fog_and_target(folder, mode):
    """r exp(alpha r) hides a target of 80 % at 64.5 m; the fog is brighter from a fifth of that."""
    equal_m, returns = as_bright_as_fog_m(folder, 0.8), {"mode": mode}
    assert equal_m < 16.0
    for weaker, share in ((0, 1.03), (1, 0.97)):
        wall = [(plate(share * equal_m), 80.0)]
        points = scan_in(THIN, folder, wall, range_limit=LIMIT, n=3, returns=returns)
        assert set(points["origin"].tolist()) == MODES[mode][weaker]


def test_the_last_echo_is_of_the_target_as_far_as_it_is_seen_at_all(folder):
    for off_m, origin in ((-0.02, SURFACE), (0.02, FOG)):
        wall = [(plate(64.54 + off_m), 80.0)]
        points = scan_in(THIN, folder, wall, range_limit=LIMIT, n=3, returns={"mode": "last"})
        assert (points["origin"] == origin).all()


NOISY = {**PUCK, "receiver": {"near_range_m": 8.3}, "returns": {"mode": "strongest"}}


@pytest.mark.parametrize("visibility_m", [90.0, 100.0, 110.0])
def test_as_many_beams_report_fog_as_its_signal_is_detected(folder, visibility_m):
    """A binomial number of beams, within four standard deviations (0.006 %)."""
    weather = Weather(visibility_m=visibility_m)
    model = model_in(weather, folder, n=N, **NOISY)
    share = WeatherReport(model.config.sensors[0], weather).echoes["fog"].probability
    assert 0.05 < share < 0.95
    found = len(of(FOG, cloud_of(model).points))
    assert abs(found - share * N) < 4.0 * math.sqrt(N * share * (1.0 - share))


def test_fog_of_a_hundred_metres_is_just_seen(folder):
    """Signal 0.915 of the threshold: pi 0.02996 / 18.5 times 0.01064 / m times (130 m)^2.

    Phi(S - k) is known to 0.03, as the signal is to 1 %.
    """
    model = model_in(Weather(visibility_m=100.0), folder, n=N, **NOISY)
    k = signal_scale_of(model.config.sensors[0]).threshold
    signal = math.pi * LN_20 / 100.0 / FOG_SR * 0.01064 * 130.0**2 * k
    expected = 0.5 * math.erfc((k - signal) / math.sqrt(2.0))
    assert len(of(FOG, cloud_of(model).points)) / N == pytest.approx(expected, abs=0.03)


def test_haze_has_no_echo_that_is_seen(folder):
    points = scan_in(Weather(visibility_m=3000.0), folder, n=N, **NOISY)
    assert not len(of(FOG, points))


@pytest.mark.parametrize("receiver", [{}, SEES], ids=["noise", "sharp"])
def test_the_thickest_fog_hides_all_but_itself(folder, receiver):
    """Through 300 m of visibility 1 m e^-1800 of the light comes back, which is 0 to a computer."""
    sensor = {"max_range_m": 300.0, "range_limit": LIMIT, "receiver": receiver, "n": 50}
    points = scan_in(Weather(visibility_m=1.0), folder, [(plate(250.0), 50.0)], **sensor)
    assert len(of(SURFACE, points)) == 0
    assert len(of(FOG, points)) == 50
    assert np.isfinite(points["reflectivity"]).all()
