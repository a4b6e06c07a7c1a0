# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Detection in noise: probabilities over range, false alarms, precision; and what stays the same.

Statistical tests hold at the 1 % level and have fixed seeds.
"""

import math
from dataclasses import replace

import numpy as np
import pytest

from material_mapping import RangeLimit
from material_mapping.detection_range.signal_scale import SignalScale
from tests.builders.beams import FAR, LIMIT, SIGMA_R_M, beams_at, cloud_of, plate, points_at
from tests.builders.messages import frames

K = 5.257
NOISY = {"near_range_m": 0.0}
QUIET = {**NOISY, "precision": []}
LINE = {"divergence_deg": 0.0}


def test_a_wall_fades_out_around_its_detection_range(tmp_path):
    n = 3000
    fades = {0.8: 0.998, 0.9: 0.891, 0.95: 0.715, 1.0: 0.5, 1.05: 0.313, 1.1: 0.181, 1.2: 0.054}
    for times, expected in fades.items():
        wall = [(plate(times * 60.0), 10)]
        points = points_at(tmp_path, wall, n=n, beam=LINE, receiver=NOISY, range_limit=LIMIT)
        seen = (points["origin"] == 0).mean() * len(points) / n
        assert abs(seen - expected) < 3.0 * math.sqrt(expected * (1 - expected) / n) + 1e-3


def test_the_probability_at_the_data_sheets_range_is_as_configured(tmp_path):
    n, receiver = 3000, {**NOISY, "probability_at_limit": 0.9}
    for times, expected in {0.9: 0.998, 1.0: 0.9, 1.1: 0.558, 1.2: 0.237}.items():
        wall = [(plate(times * 60.0), 10)]
        points = points_at(tmp_path, wall, n=n, beam=LINE, receiver=receiver, range_limit=LIMIT)
        seen = (points["origin"] == 0).sum() / n
        assert abs(seen - expected) < 3.0 * math.sqrt(expected * (1 - expected) / n) + 2e-3


@pytest.mark.parametrize("spread", [0.5, 0.9, 1.3])
def test_a_spread_signal_fades_out_softly(tmp_path, spread):
    n, receiver = 3000, {**NOISY, "signal_spread": spread}
    limit = RangeLimit.from_pairs([(10, 60), (40, 120)], fit="root2")
    scale = SignalScale(
        limit=limit, sigma_m=SIGMA_R_M, max_range_m=200.0, near_range_m=0.0, signal_spread=spread
    )
    for times in (0.5, 0.8, 1.0, 1.5):
        wall = [(plate(times * 60.0), 10)]
        points = points_at(tmp_path, wall, n=n, beam=LINE, receiver=receiver, range_limit=LIMIT)
        seen = points[points["origin"] == 0]
        expected = float(scale.detection_probability(scale.snr(0.1, times * 60.0)))
        assert abs(len(seen) / n - expected) < 3.0 * math.sqrt(expected * (1 - expected) / n) + 2e-3


def test_each_beam_has_a_gain_of_its_own_in_all_scans_which_its_reflectivity_is_free_of(tmp_path):
    receiver = {**NOISY, "signal_spread": 0.5}
    model = beams_at(tmp_path, [(plate(10.0), 10)], n=3000, beam=LINE, receiver=receiver,
                     range_limit=LIMIT)  # fmt: skip
    scans = [cloud_of(model, number).points.copy() for number in (1, 2)]
    seen = [scan[scan["origin"] == 0] for scan in scans]
    first, second = (points["snr"] for points in seen)
    assert np.log(first).std() == pytest.approx(0.5, rel=0.05)
    assert np.corrcoef(first, second)[0, 1] > 0.999
    # what is left is the noise of the observation
    assert seen[0]["reflectivity"].mean() == pytest.approx(0.1, rel=0.003)
    assert (seen[0]["reflectivity"] * first).std() > 10 * seen[0]["reflectivity"].std()


def test_shot_noise_grows_with_the_root_of_the_signal_and_is_new_in_every_scan(tmp_path):
    receiver = {**NOISY, "shot_noise": 0.4}
    for range_m in (30.0, 10.0):
        model = beams_at(tmp_path, [(plate(range_m), 10)], n=3000, beam=LINE, receiver=receiver,
                         range_limit=LIMIT)  # fmt: skip
        scans = [cloud_of(model, number).points.copy() for number in (1, 2)]
        first, second = (scan["snr"][scan["origin"] == 0] for scan in scans)
        expected = math.sqrt(1.0 + 0.4 * first.mean())
        assert first.std() == pytest.approx(expected, rel=0.05)
        assert abs(np.corrcoef(first, second)[0, 1]) < 0.06


@pytest.mark.parametrize(("share", "times"), [(0.3, 1.093), (0.5, 1.189), (0.8, 1.495)])
def test_without_sunlight_a_sensor_sees_farther(tmp_path, share, times):
    receiver = {**NOISY, "sunlight_share": share, "ambient_lux": 0.0}
    wall = [(plate(times * 60.0), 10)]
    points = points_at(tmp_path, wall, n=3000, beam=LINE, receiver=receiver, range_limit=LIMIT)
    assert (points["origin"] == 0).sum() / 3000 == pytest.approx(0.5, abs=0.03)


def test_an_empty_sky_has_as_many_points_as_the_false_alarms_allow(tmp_path):
    n = 131072
    model = beams_at(tmp_path, [(plate(-30.0), 50)], n=n, receiver=NOISY)
    counts, ranges = [], []
    for n_scans in range(1, 9):
        model.restart()
        points = cloud_of(model, n_scans).points
        assert (points["origin"] == 2).all()
        assert (points["snr"] >= K - 1e-3).all()
        assert (points["object_id"] == 0xFFFFFFFF).all()
        counts.append(len(points))
        ranges += points["range"].tolist()
    total = sum(counts)
    assert abs(total - 8 * 13.1) < 2.576 * math.sqrt(8 * 13.1)
    assert all(3 <= count <= 27 for count in counts)
    # Kolmogorov-Smirnov: uniform between the minimum and the maximum range
    share = (np.sort(ranges) - 0.5) / (200.0 - 0.5)
    off = np.abs(share - (np.arange(total) + 0.5) / total).max()
    assert off < 1.63 / math.sqrt(total)


@pytest.mark.parametrize("times", [10.0, 100.0])
def test_the_precision_of_a_range_is_the_pulse_over_the_signal(tmp_path, times):
    n, range_m = 4000, 60.0 * math.sqrt(9.0 * K / times)
    wall = [(plate(range_m), 90)]
    points = points_at(tmp_path, wall, n=n, beam=LINE, receiver=NOISY, range_limit=LIMIT)
    real = points[points["origin"] == 0]
    assert (real["range"] - range_m).std() == pytest.approx(SIGMA_R_M / times, rel=0.04)
    assert abs((real["range"] - range_m).mean()) < 3.0 * SIGMA_R_M / times / math.sqrt(n)


@pytest.mark.parametrize(
    ("range_m", "sigma_m"), [(30.0, 0.029), (60.0, 0.065), (15.0, 0.015), (110.0, 0.10)]
)
def test_a_makers_table_takes_the_place_of_the_pulses_precision(tmp_path, range_m, sigma_m):
    """The data sheet of the first OS1, with an 80 % target just seen at 120 m."""
    table = [[12, 0.10], [100, 0.03], [250, 0.015]]
    limit = {"equation": {"pairs": [[80, 120]]}}
    receiver = {**NOISY, "precision": table, "probability_at_limit": 0.88}
    wall = [(plate(range_m), 80)]
    points = points_at(tmp_path, wall, n=4000, beam=LINE, receiver=receiver, range_limit=limit)
    real = points[points["origin"] == 0]
    assert (real["range"] - range_m).std() == pytest.approx(sigma_m, rel=0.05)


def test_an_empty_table_leaves_ranges_exact(tmp_path):
    points = points_at(tmp_path, [(plate(30.0), 50)], beam=LINE, receiver=QUIET)
    np.testing.assert_allclose(points["range"][points["origin"] == 0], 30.0, atol=1e-6)


def test_two_scans_differ_in_noise_and_not_in_the_rays(tmp_path):
    model = beams_at(tmp_path, [(plate(30.0), 50)], n=1000, receiver=NOISY)
    first = cloud_of(model).points
    traced = model.n_rays_traced
    assert traced == 16_000
    second = cloud_of(model, 2).points
    assert model.n_rays_kept >= 16_000  # a world at rest is received again, not traced again
    assert not np.array_equal(first["range"], second["range"])
    assert first["range"].std() > 0


def test_without_noise_a_world_at_rest_is_not_scanned_again(tmp_path):
    model = beams_at(tmp_path, [(plate(30.0), 50)], n=10)
    assert not model.lidars[0].scans_differ
    noisy = beams_at(tmp_path, [(plate(30.0), 50)], n=10, receiver=NOISY)
    assert noisy.lidars[0].scans_differ


def test_the_footprint_of_a_beam_changes_with_the_seed_alone(tmp_path):
    def directions(seed):
        return (
            beams_at(tmp_path, [(plate(30.0), 50)], n=50, seed=seed)
            .lidars[0]
            .shots.rays()
            .direction
        )

    assert np.array_equal(directions(0), directions(0))
    assert not np.array_equal(directions(0), directions(1))


def test_false_alarms_change_no_other_echo(tmp_path):
    few = {**NOISY, "false_alarm_probability": 1e-4}
    wall = [(plate(30.0), 50)]
    with_sky = points_at(tmp_path, wall, n=5000, receiver=few, range_limit=FAR)
    real = with_sky[with_sky["origin"] == 0]
    assert len(real) == 5000
    alone = points_at(
        tmp_path, wall, n=5000, receiver=few, range_limit=FAR, noise={"drop_probability": 0.3}
    )
    kept = np.isin(real["column"], alone["column"])
    alone = alone[alone["origin"] == 0]
    assert np.array_equal(real[kept]["range"], alone["range"])
    assert 0.2 < 1.0 - len(alone) / 5000 < 0.4


def test_the_truth_of_an_echo_is_the_hit_that_sends_back_most(tmp_path):
    noise = {"range_sigma_m": 0.05, "azimuth_sigma_deg": 0.01, "line_of_sight": "readout"}
    surfaces = [(plate(30.0, right_m=0.0), 50), (plate(40.0), 50)]
    cloud = cloud_of(beams_at(tmp_path, surfaces, receiver=NOISY, noise=noise))
    real = cloud.points["origin"] == 0
    true_m = cloud.true_range_m[real]
    assert set(np.rint(true_m).tolist()) == {30, 40}
    np.testing.assert_allclose(cloud.true_xyz_m[real, 0], np.rint(true_m), atol=1e-4)
    assert np.abs(cloud.points["range"][real] - true_m).std() > 0.01


def test_several_echoes_of_a_beam_have_errors_of_their_own(tmp_path):
    surfaces = [(plate(30.0, right_m=0.0), 50), (plate(40.0), 50)]
    points = points_at(tmp_path, surfaces, noise={"range_sigma_m": 0.05})
    near, far = (points["range"][points["echo"] == number] for number in (0, 1))
    assert abs(np.corrcoef(near, far)[0, 1]) < 0.2
    assert near.std() == pytest.approx(0.05, rel=0.15)


def test_the_light_of_the_messages_counts_unless_the_configuration_states_one(tmp_path):
    wall = [(plate(60.0 * 1.189), 10)]
    seen = {}
    for name, light in (("own", {}), ("day", {"ambient_lux": 100_000.0})):
        receiver = {**NOISY, **light}
        model = beams_at(tmp_path, wall, n=3000, beam=LINE, receiver=receiver, range_limit=LIMIT)
        (frame,) = frames([[]], host_id=None)
        for lux in (None, 0.0):
            step = model.step(
                replace(frame, ambient_lux=lux, time_ns=frame.time_ns + (lux is None))
            )
            points = step.scans[0].cloud.points
            seen[name, lux] = (points["origin"] == 0).sum() / 3000
    by_day = seen["own", None]
    assert seen["day", None] == pytest.approx(by_day, abs=0.03)
    assert seen["day", 0.0] == pytest.approx(by_day, abs=0.03)
    assert seen["own", 0.0] == pytest.approx(0.5, abs=0.03)
    assert by_day < 0.2
