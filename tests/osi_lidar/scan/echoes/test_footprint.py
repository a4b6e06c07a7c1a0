# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Energy and place of what a beam of known width meets, beside closed forms."""

import math

import numpy as np
import pytest

from raycore.pattern.footprint import Footprint
from tests.builders.beams import (
    LIMIT,
    SIGMA_R_M,
    SIGMA_RAD,
    beams_at,
    plate,
    points_at,
    tilted,
)
from tests.builders.beams import cloud_of as cloud

N = 400
ONE_BEAM, BIAS = 0.039, 0.0035
"""rms error of an edge within one beam of 16 sub-rays, and that of the mean over beams."""
TOLERANCE = 4.0 * ONE_BEAM / math.sqrt(N) + BIAS


def share_left_of(distance_in_sigma):
    """Return the fraction of a Gaussian beam on one side of an edge."""
    return 0.5 * (1.0 + math.erf(distance_in_sigma / math.sqrt(2.0)))


def mean_reflectivity(points, near_m, n=N):
    """Return what the beams report of the surface at a range, in the mean over all n beams."""
    there = abs(points["range"] - near_m) < 0.5
    return points["reflectivity"][there].sum() / n


def test_a_wall_across_the_beam_is_that_of_a_single_ray(tmp_path):
    single = points_at(tmp_path, [(plate(30.0), 50)], beam=None, receiver=None, returns=None)
    wide = points_at(tmp_path, [(plate(30.0), 50)])
    assert len(single) == len(wide) == N
    for name in ("x", "y", "z", "range", "reflectivity"):
        # the mean range of a wall is longer by half of the variance of the beam's angles
        shift_m = 30.0 * SIGMA_RAD**2 if name in ("x", "range") else 0.0
        np.testing.assert_allclose(wide[name] - shift_m, single[name], rtol=0, atol=1e-5)


def test_no_divergence_and_no_noise_is_the_sharp_limit_bit_for_bit(tmp_path):
    line = {"divergence_deg": 0.0}
    single = points_at(tmp_path, [(tilted(30.0, 40.0), 50)], beam=None, receiver=None, returns=None)
    other = points_at(tmp_path, [(tilted(30.0, 40.0), 50)], beam=line, returns={"mode": "first"})
    for name in single.dtype.names:
        assert single[name].tobytes() == other[name].tobytes(), name


@pytest.mark.parametrize("edge_in_sigma", [0.0, 0.5, 1.0, 2.0, -1.0])
def test_a_half_plane_sends_back_its_share_of_the_beam(tmp_path, edge_in_sigma):
    edge_m = edge_in_sigma * SIGMA_RAD * 30.0
    surfaces = [(plate(30.0, right_m=edge_m), 50), (plate(40.0), 50)]
    points = points_at(tmp_path, surfaces)
    share = share_left_of(edge_in_sigma)
    assert mean_reflectivity(points, 30.0) == pytest.approx(0.5 * share, abs=0.5 * TOLERANCE)
    assert mean_reflectivity(points, 40.0) == pytest.approx(0.5 * (1 - share), abs=0.5 * TOLERANCE)


def test_two_halves_give_two_echoes_with_the_signal_of_each(tmp_path):
    surfaces = [(plate(30.0, right_m=0.0), 50), (plate(40.0), 50)]
    points = points_at(tmp_path, surfaces, range_limit=LIMIT)
    near, far = points[points["echo"] == 0], points[points["echo"] == 1]
    assert len(near) == len(far) == N
    assert (points["n_echoes"] == 2).all()
    np.testing.assert_allclose(near["range"], 30.0, atol=1e-3)
    np.testing.assert_allclose(far["range"], 40.0, atol=1e-3)
    np.testing.assert_allclose(points["reflectivity"], 0.25, rtol=1e-5)
    k = 5.257
    np.testing.assert_allclose(near["snr"], 10.0 * k, rtol=1e-3)
    np.testing.assert_allclose(far["snr"], 5.625 * k, rtol=1e-3)


@pytest.mark.parametrize(
    ("width_m", "range_m"), [(0.002, 24.31), (0.005, 32.98), (0.010, 41.53), (0.020, 52.26)]
)
def test_a_wire_sends_back_its_strip_of_the_beam(tmp_path, width_m, range_m):
    wire = plate(range_m, -width_m / 2, width_m / 2)
    points = points_at(tmp_path, [(wire, 50)], n=6000)
    expected = 0.5 * math.erf(width_m / (2.0 * math.sqrt(2.0) * SIGMA_RAD * range_m))
    assert 0.1 * (range_m / 60.0) ** 2 == pytest.approx(expected, rel=2e-3)  # its farthest range
    assert mean_reflectivity(points, range_m, 6000) == pytest.approx(expected, rel=0.06)


@pytest.mark.parametrize(
    ("diameter_m", "range_m"), [(0.01, 21.71), (0.02, 30.60), (0.05, 47.89), (0.10, 66.54)]
)
def test_a_disc_sends_back_its_circle_of_the_beam(tmp_path, diameter_m, range_m):
    radius = diameter_m / 2.0
    corners = [
        [(range_m, 0.0, 0.0), *((range_m, radius * math.cos(a), radius * math.sin(a)) for a in arc)]
        for arc in (np.array([i, i + 1, i + 2]) * math.pi / 32 for i in range(0, 64, 2))
    ]
    points = points_at(tmp_path, [(quadrangle, 50) for quadrangle in corners], n=6000)
    expected = 0.5 * (1.0 - math.exp(-((diameter_m / (SIGMA_RAD * range_m)) ** 2) / 8.0))
    assert 0.1 * (range_m / 60.0) ** 2 == pytest.approx(expected, rel=2e-3)
    assert mean_reflectivity(points, range_m, 6000) == pytest.approx(expected, rel=0.06)


def test_half_a_beam_is_seen_as_far_as_half_the_reflectivity(tmp_path):
    reach_m = 60.0 * math.sqrt(5.0) / math.sqrt(2.0)
    for factor, n_seen in ((0.999, N), (1.001, 0)):
        half = plate(factor * reach_m, right_m=0.0)
        assert len(points_at(tmp_path, [(half, 50)], range_limit=LIMIT)) == n_seen


@pytest.mark.parametrize("profile", ["gaussian", "uniform", "rectangle"])
@pytest.mark.parametrize("n_sub", [16, 32, 64, 128])
def test_the_hits_on_a_far_wall_have_the_widths_of_beam_and_window(tmp_path, profile, n_sub):
    sigma_m, n = 0.003, 2000
    beam = {
        "divergence_deg": [math.degrees(4e-3), math.degrees(2e-3)],
        "width": "e2",
        "window_m": [4 * sigma_m, 2 * sigma_m],
        "profile": profile,
        "sub_rays": n_sub,
    }
    model = beams_at(tmp_path, [(plate(50.0), 50)], n=n, beam=beam)
    cloud(model)
    scanned = model.last_scans["front"].scanned
    shots, hits = scanned.shots.rays(), scanned.paths.hits
    places = shots.origin_m.T + hits.range_m * shots.direction
    variance = 4.0 / 3.0 if profile == "rectangle" else 1.0
    for axis, (angle, window_m) in ((1, (1e-3, sigma_m)), (2, (0.5e-3, 0.5 * sigma_m))):
        expected = variance * ((50.0 * angle) ** 2 + window_m**2)
        assert places[axis].var() == pytest.approx(expected, rel=0.02)
        assert abs(places[axis].mean()) < 1e-5
    assert abs(np.corrcoef(places[1], places[2])[0, 1]) < 0.01


def places_of(n_sub, n, seed=3):
    """Return where the sub-rays of n beams are, in sigma, (n, n_sub, 2)."""
    fans = Footprint(sigma_rad=(SIGMA_RAD, SIGMA_RAD), n_points=n_sub).fans()
    chosen = fans[np.random.default_rng(seed).integers(len(fans), size=n)]
    return chosen[:, 1:3].transpose(0, 2, 1) / chosen[:, 0, :, None] / SIGMA_RAD


@pytest.mark.parametrize("n_sub", [16, 32, 64, 128])
def test_edges_through_a_beam_are_as_exact_as_the_number_of_sub_rays_allows(n_sub):
    n = 20000
    random = np.random.default_rng(5)
    angle, edge = random.uniform(0, 2 * np.pi, n), random.uniform(-2, 2, n)
    normal = np.stack([np.cos(angle), np.sin(angle)])
    across = np.einsum("nsk,kn->ns", places_of(n_sub, n), normal)
    wrong = (across < edge[:, None]).mean(axis=1) - [share_left_of(one) for one in edge]
    assert np.sqrt((wrong**2).mean()) < {16: 0.039, 32: 0.023, 64: 0.014, 128: 0.0085}[n_sub]
    assert abs(wrong.mean()) < 4.0 * wrong.std() / math.sqrt(n)


def test_over_many_beams_every_edge_and_every_disc_is_exact():
    places = places_of(16, 60000).reshape(-1, 2)
    edges = np.linspace(-3, 3, 61)
    found = np.searchsorted(np.sort(places[:, 0]), edges) / len(places)
    assert np.abs(found - [share_left_of(edge) for edge in edges]).max() < BIAS
    radii = np.linspace(0.05, 3, 60)
    found = np.searchsorted(np.sort(np.hypot(*places.T)), radii) / len(places)
    assert np.abs(found - (1.0 - np.exp(-(radii**2) / 2.0))).max() < BIAS


def test_reflectivities_of_a_beam_add_up_to_what_its_sub_rays_met(tmp_path):
    surfaces = [(plate(30.0, right_m=0.01), 80), (plate(31.4), 30), (plate(29.0, 0.015), 10)]
    model = beams_at(tmp_path, surfaces)
    points = cloud(model).points
    returns = model.lidars[0].executor.returns_of(model.last_scans["front"].scanned.echoes)
    expected = np.bincount(returns.beam, returns.strength, minlength=N)
    found = np.bincount(points["column"], points["reflectivity"], minlength=N)
    np.testing.assert_allclose(found, expected, rtol=1e-5)
    assert points["n_echoes"].max() > 1


@pytest.mark.parametrize(
    ("turn_deg", "fwhm_m", "flat"),
    [(0, 0.7495, 1.0), (45, 0.7528, 0.9956), (60, 0.7594, 0.9869), (75, 0.7945, 0.9433),
     (85, 1.1017, 0.6803)],
)  # fmt: skip
def test_a_tilted_wall_is_one_echo_that_is_wider_and_lower(tmp_path, turn_deg, fwhm_m, flat):
    k = 5.257
    model = beams_at(tmp_path, [(tilted(30.0, turn_deg), 50)], range_limit=LIMIT)
    points = cloud(model).points
    assert len(points) == N
    facing = points["snr"] / (5.0 * 4.0 * k)  # 50 % at half of the range of 10 %
    np.testing.assert_allclose(facing.mean(), flat, rtol=0.01)
    sigma_m = points["width_m"] / (2.0 * np.sqrt(2.0 * np.log(points["snr"] / k)))
    np.testing.assert_allclose(2.3548 * sigma_m.mean(), fwhm_m, rtol=0.01)
    np.testing.assert_allclose(points["reflectivity"], 0.5, rtol=1e-5)


@pytest.mark.parametrize(
    ("range_m", "turn_deg", "bias_m"), [(50.0, 80.0, -5.63e-3), (20.0, 84.3, -7.11e-3)]
)
def test_the_mean_range_of_a_tilted_wall_is_shorter_by_its_curvature(
    tmp_path, range_m, turn_deg, bias_m
):
    sigma_rad = 1.334e-3
    expected = range_m * sigma_rad**2 * (1.0 - 2.0 * math.tan(math.radians(turn_deg)) ** 2)
    assert expected == pytest.approx(bias_m, rel=0.01)
    beam = {"divergence_deg": math.degrees(4.0 * sigma_rad), "width": "e2"}
    wall = tilted(range_m, turn_deg)
    points = points_at(tmp_path, [(wall, "lambertian_80")], n=4000, beam=beam)
    assert points["range"].mean() - range_m == pytest.approx(expected, rel=0.05)
    facing = math.cos(math.radians(turn_deg))
    np.testing.assert_allclose(points["reflectivity"].mean(), 0.8 * facing, rtol=1e-3)


def test_grazing_ground_is_one_echo_per_beam(tmp_path):
    elevations = np.degrees(-np.arctan(2.0 / np.linspace(10, 100, 200)))
    pattern = {"kind": "pairs", "azimuth_elevation_deg": [[0, float(one)] for one in elevations]}
    ground = [
        (-500.0, -500.0, -2.0),
        (500.0, -500.0, -2.0),
        (500.0, 500.0, -2.0),
        (-500.0, 500.0, -2.0),
    ]
    beam = {"divergence_deg": 0.18}
    points = points_at(tmp_path, [(ground, 50)], n=200, pattern=pattern, beam=beam)
    assert (points["n_echoes"] == 1).all()
    assert len(points) == 200


def test_the_widths_of_echoes_are_those_between_their_crossings_of_the_threshold(tmp_path):
    for times, width_m in ((2, 0.749), (5, 1.142), (10, 1.366), (100, 1.932)):
        range_m = 60.0 * math.sqrt(5.0 / times)
        points = points_at(tmp_path, [(plate(range_m), 50)], range_limit=LIMIT, n=5)
        np.testing.assert_allclose(points["width_m"], width_m, atol=2e-3)
        assert 2 * SIGMA_R_M * math.sqrt(2 * math.log(times)) == pytest.approx(width_m, abs=1e-3)
