# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Patches of fog in the beam: what is seen through them, and what they show of themselves."""

import math
from dataclasses import replace

import numpy as np
import pytest

from lidar_scenery.weather.state import FogPatches, Weather
from osi_lidar.scan.from_config import signal_scale_of
from osi_lidar.scan.media.patches.field import PatchyFog, relative_extinction
from osi_lidar.scan.media.patches.sight_kernels import line_of, past_patches, relative_at
from tests.builders.beams import LIMIT, SIGMA_R_M, cloud_of, plate
from tests.builders.messages import frames
from tests.builders.weather import FOG, PUCK, SURFACE, model_in, of, scan_in

LN_20 = math.log(20.0)
FOG_SR = 18.5
SIZE_M, CONTRAST = 6.0, 0.6
EVEN = Weather(visibility_m=60.0)
PATCHY = replace(EVEN, fog_patches=FogPatches(size_m=SIZE_M, contrast=CONTRAST))
AROUND_DEG = [[azimuth_deg, 10.0] for azimuth_deg in range(-180, 180, 6)]
AROUND = {"pattern": {"kind": "pairs", "azimuth_elevation_deg": AROUND_DEG}}
SEED = 6
"""A seed whose sensor stands in thin fog, so that some beams see denser fog farther away."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("patches")


@pytest.fixture(scope="module")
def patches():
    """Return the patches as a sensor at the origin sees them."""
    fog = PatchyFog(relative_extinction(CONTRAST, SEED), SIZE_M, LN_20 / EVEN.visibility_m)
    return fog.seen_from(np.eye(4)[None], np.zeros(1, np.uint32), (0.0, 0.0), 0)


def line_to(patches, azimuth_deg, elevation_deg):
    azimuth, elevation = math.radians(azimuth_deg), math.radians(elevation_deg)
    flat = math.cos(elevation)
    axis = flat * math.cos(azimuth), flat * math.sin(azimuth), math.sin(elevation)
    return line_of(patches, np.uint64(0), np.array(axis), np.zeros(3))


@pytest.mark.parametrize("beam", [None, {"divergence_deg": 0.2, "width": "e2"}])
@pytest.mark.parametrize("wall_m", [8.1, 30.1])
def test_a_wall_is_as_bright_as_the_patches_before_it_let_it_be(folder, patches, wall_m, beam):
    wall = [(plate(wall_m), 80.0)]
    even, patchy = (
        of(SURFACE, scan_in(weather, folder, wall, n=1, beam=beam, seed=SEED))
        for weather in (EVEN, PATCHY)
    )
    passed = past_patches(patches, line_to(patches, 0.0, 0.0), wall_m)
    assert abs(passed - 1.0) > 0.03
    np.testing.assert_allclose(patchy["reflectivity"], passed * even["reflectivity"], rtol=1e-4)
    np.testing.assert_allclose(patchy["snr"], passed * even["snr"], rtol=1e-4)
    np.testing.assert_array_equal(patchy["range"], even["range"])


def test_without_contrast_fog_is_even_and_with_little_nearly(folder):
    wall = [(plate(20.0), 80.0)]
    even = scan_in(EVEN, folder, wall, **PUCK)
    none = scan_in(replace(EVEN, fog_patches=FogPatches(size_m=3.0)), folder, wall, **PUCK)
    assert none.tobytes() == even.tobytes()
    little = FogPatches(size_m=SIZE_M, contrast=1e-7)
    nearly = scan_in(replace(EVEN, fog_patches=little), folder, wall, **PUCK)
    np.testing.assert_array_equal(nearly["origin"], even["origin"])
    np.testing.assert_allclose(nearly["snr"], even["snr"], rtol=1e-3)
    np.testing.assert_allclose(nearly["range"], even["range"], atol=0.02)
    wall = even["origin"] == SURFACE
    np.testing.assert_allclose(nearly["range"][wall], even["range"][wall], rtol=1e-6)
    np.testing.assert_allclose(nearly["reflectivity"][wall], even["reflectivity"][wall], rtol=1e-5)


def by_quadrature(line, patches, scale, near_m):
    """Return height and place of the maximum of the integral over the pulse, on steps of 2 cm."""
    alpha, step_m = LN_20 / EVEN.visibility_m, 0.02
    range_m = np.arange(0.5 + step_m / 2.0, 45.0, step_m)
    m = np.array([relative_at(patches.relative, line, float(each)) for each in range_m])
    depth = alpha * (0.5 * (m[0] + 1.0) * 0.5 + step_m * (np.cumsum(m) - 0.5 * m))
    sent = math.pi * alpha * m / FOG_SR * np.exp(-2.0 * depth) * step_m
    sent *= scale.snr(1.0, np.maximum(range_m, near_m))
    reach = np.arange(-300, 301) * step_m / SIGMA_R_M
    signal = np.convolve(sent, np.exp(-0.5 * reach**2))[300:-300]
    return float(signal.max()), float(range_m[signal.argmax()])


def test_the_echo_of_fog_is_of_the_brightest_patch(folder, patches):
    """By quadrature: height to 3 %, place to 0.4 m, where one maximum stands out."""
    model = model_in(
        PATCHY, folder, **{**PUCK, **AROUND, "returns": {"mode": "strongest"}}, seed=SEED
    )
    points = cloud_of(model).points
    scale = signal_scale_of(model.config.sensors[0])
    direction = np.stack([points[axis] for axis in "xyz"], 1) / points["range"][:, None]
    heights, off_m = [], []
    for beam, point in zip(direction, points, strict=True):
        azimuth_deg = math.degrees(math.atan2(beam[1], beam[0]))
        line = line_to(patches, azimuth_deg, math.degrees(math.asin(beam[2])))
        height, place_m = by_quadrature(line, patches, scale, 8.3)
        heights.append(float(point["snr"]) / height)
        off_m.append(abs(float(point["range"]) - place_m))
    assert len(points) > 20
    assert (points["origin"] == FOG).all()
    np.testing.assert_allclose(heights, 1.0, atol=0.03)
    assert np.mean(np.array(off_m) < 0.4) > 0.9


def test_fog_clutter_is_no_sphere(folder):
    """In even fog all echoes stand at one range."""
    one = {**PUCK, **AROUND, "returns": {"mode": "strongest"}, "seed": SEED}
    even, patchy = (scan_in(weather, folder, **one)["range"] for weather in (EVEN, PATCHY))
    assert np.ptp(even) < 1e-3
    assert np.ptp(patchy) > 2.0


def test_a_wall_hides_the_fog_behind_it(folder):
    """A wall 3 m away; beams beside it, or the part of a beam that passes it, see farther."""
    around = {**PUCK, **AROUND, "range_limit": LIMIT, "seed": SEED}
    wall = [(plate(3.0, -30.0, 0.0), 10.0)]
    fog = of(FOG, scan_in(PATCHY, folder, wall, **around))
    before = (fog["y"] < 0.0) & (fog["x"] > 0.3)
    assert before.any()
    assert fog["x"][before].max() < 3.0
    assert fog["range"].max() > 4.0


def test_patches_drift_with_the_wind_and_rest_without(folder):
    """In a world at rest: a new scan for each message, or the one scan again."""
    for wind_m_s, traced in (((0.0, 0.0), [True, False]), ((5.0, 0.0), [True, True])):
        weather = replace(PATCHY, wind_m_s=wind_m_s)
        model = model_in(weather, folder, **{**PUCK, **AROUND})
        scans = [model.step(frame).scans[0] for frame in frames([[]] * 2, host_id=None)]
        assert [scan.traced for scan in scans] == traced
        same = scans[0].cloud.points.tobytes() == scans[1].cloud.points.tobytes()
        assert same == (not traced[1])


def test_an_ideal_sensor_sees_no_patches(folder):
    plain = {"beam": None, "receiver": None, "returns": None, "pulse": None}
    wall = [(plate(20.0), 80.0)]
    clear, patchy = (scan_in(weather, folder, wall, **plain) for weather in (Weather(), PATCHY))
    assert patchy.tobytes() == clear.tobytes()
