# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Boxes of dust in the beam: what they take, and what they send back."""

import math

import numpy as np
import pytest

from lidar_scenery.weather.state import DustBox, Weather
from osi_lidar.scan.from_config import signal_scale_of
from tests.builders.beams import SIGMA_R_M, cloud_of, plate
from tests.builders.weather import DUST, SURFACE, model_in, of, scan_in

WALL = (plate(40.0), 50.0)
LN_20 = math.log(20.0)
DUST_SR = 40.0
"""Lidar ratio of dust: Omar et al., 2009."""


def box(x_m, length_m, visibility_m, **changes):
    """Return a box around (x, 0, 0), wider and higher than a beam."""
    return DustBox(
        center_m=(x_m, 0.0, 0.0),
        size_m=(length_m, 20.0, 20.0),
        visibility_m=visibility_m,
        **changes,
    )


def depth(length_m, visibility_m):
    """Return the optical depth of a way through dust, ln 20 over the visibility."""
    return LN_20 * length_m / visibility_m


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("dust")


def reported(folder, boxes, surfaces=(WALL,), **sensor):
    """Return points of one beam in dust."""
    points = scan_in(Weather(dust=tuple(boxes)), folder, surfaces, n=3, **sensor)
    assert len(points) % 3 == 0
    return points[: len(points) // 3]


@pytest.mark.parametrize(("length_m", "visibility_m"), [(2.0, 30.0), (5.0, 10.0), (1.0, 200.0)])
@pytest.mark.parametrize("yaw_rad", [0.0, math.radians(60.0)])
def test_a_wall_behind_dust_is_weaker_by_its_depth_there_and_back(
    folder, length_m, visibility_m, yaw_rad
):
    boxes = [box(15.0, length_m, visibility_m, yaw_rad=yaw_rad)]
    wall = of(SURFACE, reported(folder, boxes))
    chord_m = length_m / math.cos(yaw_rad)
    expected = 0.5 * math.exp(-2.0 * depth(chord_m, visibility_m))
    np.testing.assert_allclose(wall["reflectivity"], expected, rtol=1e-3)
    np.testing.assert_allclose(wall["range"], 40.0, atol=1e-3)


@pytest.mark.parametrize(("length_m", "visibility_m"), [(2.0, 30.0), (5.0, 10.0), (1.0, 1e4)])
def test_dust_sends_back_what_its_chord_scatters(folder, length_m, visibility_m):
    """pi alpha / S times the length l (1 - exp(-2 t)) / 2 t; what is too faint is not seen."""
    model = model_in(Weather(dust=(box(15.0, length_m, visibility_m),)), folder, [WALL], n=3)
    scale = signal_scale_of(model.config.sensors[0])
    t = depth(length_m, visibility_m)
    seen_m = length_m * (1.0 - math.exp(-2.0 * t)) / (2.0 * t)
    area = math.pi * t / length_m / DUST_SR * seen_m
    dust = of(DUST, cloud_of(model).points)
    assert bool(len(dust)) == (float(scale.snr(area, 15.0)) > scale.snr_at_limit)
    np.testing.assert_allclose(dust["reflectivity"], area, rtol=1e-3)


@pytest.mark.parametrize(
    ("near_m", "length_m", "visibility_m"),
    [
        (14.5, 1.0, 200.0),
        (14.0, 2.0, 30.0),
        (12.5, 5.0, 10.0),
        (12.5, 5.0, 1.0),
        (12.5, 5.0, 0.1),
        (5.0, 20.0, 15.0),
        (20.0, 3.0, 30.0),
        (40.0, 10.0, 60.0),
    ],
)
def test_the_echo_of_dust_is_the_maximum_of_its_waveform(folder, near_m, length_m, visibility_m):
    """By quadrature of exp(-2 alpha x) / r^2 and the pulse: height to 1 %, place and width to 1 cm.

    The width is that of the Gaussian with the bend of the maximum, and no more than that of the
    part of the chord that one sees.
    """
    alpha = LN_20 / visibility_m
    dust = (box(near_m + 0.5 * length_m, length_m, visibility_m),)
    model = model_in(Weather(dust=dust), folder, [(plate(100.0), 50.0)], n=3)
    scale = signal_scale_of(model.config.sensors[0])
    into = np.arange(0.001, min(length_m, 20.0 / alpha), 0.002)
    sent = math.pi * alpha / DUST_SR * np.exp(-2.0 * alpha * into) * 0.002
    sent *= scale.snr(1.0, near_m + into)
    x = np.arange(-1.0, min(length_m, 5.0), 0.01)
    signal = np.exp(-0.5 * np.square((x[:, None] - into) / SIGMA_R_M)) @ sent
    top = int(signal.argmax())
    found = of(DUST, cloud_of(model).points)
    assert len(found) == 3
    np.testing.assert_allclose(found["snr"], signal[top], rtol=0.01)
    np.testing.assert_allclose(found["range"], near_m + x[top], atol=0.01)
    t = depth(length_m, visibility_m)
    seen_m = length_m * (1.0 - math.exp(-2.0 * t)) / (2.0 * t)
    bend = np.polynomial.polynomial.polyfit(
        x[top - 5 : top + 6] - x[top], signal[top - 5 : top + 6], 2
    )
    sigma_m = math.sqrt(-0.5 * signal[top] / bend[2])
    sigma_m = min(sigma_m, math.hypot(SIGMA_R_M, seen_m / math.sqrt(12.0)))
    width_m = 2.0 * sigma_m * math.sqrt(2.0 * math.log(signal[top] / scale.threshold))
    np.testing.assert_allclose(found["width_m"], width_m, rtol=0.02)


def test_the_echo_of_boxes_that_touch_is_that_of_the_brightest(folder):
    """Behind 2 m of thin dust, 4 m of dust that is ten times as dense: by quadrature."""
    boxes = (box(16.0, 2.0, 300.0), box(19.0, 4.0, 30.0))
    model = model_in(Weather(dust=boxes), folder, [(plate(100.0), 50.0)], n=3)
    r = np.arange(15.00025, 21.0, 0.0005)
    alpha = LN_20 / np.where(r < 17.0, 300.0, 30.0)
    sent = math.pi * alpha / DUST_SR * np.exp(-2.0 * np.cumsum(alpha) * 0.0005) * 0.0005
    sent *= signal_scale_of(model.config.sensors[0]).snr(1.0, r)
    x = np.arange(14.0, 22.0, 0.01)
    signal = np.exp(-0.5 * np.square((x[:, None] - r) / SIGMA_R_M)) @ sent
    found = of(DUST, cloud_of(model).points)
    assert len(found) == 3
    np.testing.assert_allclose(found["snr"], signal.max(), rtol=0.01)
    np.testing.assert_allclose(found["range"], x[signal.argmax()], atol=0.01)


def test_dust_behind_dust_is_weaker(folder):
    near, far = box(10.0, 2.0, 20.0), box(20.0, 2.0, 20.0)
    alone = of(DUST, reported(folder, [far]))
    both = of(DUST, reported(folder, [near, far]))
    assert len(both) == 2
    passed = math.exp(-2.0 * depth(2.0, 20.0))
    np.testing.assert_allclose(both["reflectivity"][1], passed * alone["reflectivity"], rtol=1e-3)
    # 1/r^2 moves the nearer one towards its front
    assert both["range"][1] - both["range"][0] == pytest.approx(10.036, abs=2e-3)


def test_dust_ends_at_a_wall_within_it(folder):
    """Of a box from 38 to 42 m a wall at 40 m leaves 2 m."""
    points = reported(folder, [box(40.0, 4.0, 30.0)], pulse={"fwhm_ns": 0.5})
    expected = 0.5 * math.exp(-2.0 * depth(2.0, 30.0))
    np.testing.assert_allclose(points["reflectivity"].max(), expected, rtol=0.05)


@pytest.mark.parametrize("x_m", [45.0, -10.0], ids=["behind the wall", "behind the sensor"])
def test_dust_that_no_beam_passes_changes_nothing(folder, x_m):
    assert reported(folder, [box(x_m, 4.0, 5.0)]).tobytes() == reported(folder, []).tobytes()


def test_a_sensor_in_dust_sees_a_wall_through_what_is_left_of_it(folder):
    wall = of(SURFACE, reported(folder, [box(0.0, 8.0, 10.0)]))
    expected = 0.5 * math.exp(-2.0 * depth(4.0, 10.0))
    np.testing.assert_allclose(wall["reflectivity"], expected, rtol=1e-3)


def test_thick_dust_hides_a_wall(folder):
    """An optical depth of 15 leaves 1e-13 of the light, there and back."""
    points = reported(folder, [box(15.0, 5.0, 1.0)])
    assert len(of(SURFACE, points)) == 0
    assert len(of(DUST, points)) == 1


def test_more_boxes_than_a_beam_has_components_are_joined_and_all_weaken_it(folder):
    boxes = [box(2.0 + 2.5 * number, 1.0, 50.0) for number in range(12)]
    points = reported(folder, boxes)
    expected = 0.5 * math.exp(-2.0 * depth(12.0, 50.0))
    np.testing.assert_allclose(of(SURFACE, points)["reflectivity"], expected, rtol=1e-3)
    assert 1 < len(of(DUST, points)) < 12
