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
from tests.builders.beams import (
    FAR,
    LIMIT,
    SIGMA_R_M,
    beams_at,
    cloud_of,
    clouds_of,
    plate,
    points_at,
    tilted,
)
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
    n, receiver = 10_000, {**NOISY, "signal_spread": spread}
    limit = RangeLimit.from_pairs([(10, 60), (40, 120)], fit="root2")
    scale = SignalScale(
        limit=limit, sigma_m=SIGMA_R_M, max_range_m=200.0, near_range_m=0.0, signal_spread=spread
    )
    for times in (0.5, 0.8, 1.0, 1.5):
        wall = [(plate(times * 60.0), 10)]
        points = points_at(tmp_path, wall, n=n, beam=LINE, receiver=receiver, range_limit=LIMIT)
        seen = points[points["origin"] == 0]
        expected = float(scale.detection_probability(scale.snr(0.1, times * 60.0)))
        assert abs(len(seen) / n - expected) < 4.0 * math.sqrt(expected * (1 - expected) / n) + 2e-3


def scans_of(folder, range_m, n_scans=2, **receiver):
    """Return the points of a 10 % wall in some scans, by beam, and which beams return."""
    model = beams_at(folder, [(plate(range_m), 10)], n=3000, beam=LINE,
                     receiver={**QUIET, **receiver}, range_limit=LIMIT)  # fmt: skip
    scans, returned = [], np.zeros((n_scans, 3000), np.bool_)
    for scan, of_scan in zip(clouds_of(model, n_scans), returned, strict=True):
        scans.append(scan.points.copy())
        of_scan[scan.beam[scan.points["origin"] == 0]] = True
    return scans, returned


def test_a_threshold_of_the_pulse_is_new_in_every_scan_and_moves_no_signal(tmp_path):
    (first, _), returned = scans_of(tmp_path, 10.0, signal_spread=0.5)
    sharp, _ = scans_of(tmp_path, 10.0)
    assert returned.all()
    # the same draws, but for the signal at the limit, which is 3 % of a threshold larger
    seen = first["origin"] == 0
    np.testing.assert_allclose(
        first["reflectivity"][seen], sharp[0]["reflectivity"][seen], rtol=0.02
    )
    # at the limit half of the pulses return, each by a threshold of its own
    _, returned = scans_of(tmp_path, 60.0, signal_spread=0.5)
    assert returned.mean() == pytest.approx(0.5, abs=0.02)
    assert abs(np.corrcoef(*returned)[0, 1]) < 0.06


def test_thresholds_of_lasers_stay_in_all_scans(tmp_path):
    _, returned = scans_of(tmp_path, 60.0, n_scans=20, laser_spread=0.5)
    # all beams are of one laser here: its threshold decides for all of them, in every scan
    share = returned.mean(axis=1)
    assert share.std() < 0.03
    assert abs(share.mean() - 0.5) > 0.03


def test_what_is_reported_tells_what_the_threshold_decided_about(tmp_path):
    # a wall at 80 degrees makes echoes longer and lower: the sum tells nothing of that
    wall = [(tilted(30.0, 80.0), 60)]
    per_snr = {}
    for reported in ("sum", "peak"):
        points = points_at(tmp_path, wall, n=3000, receiver={**QUIET, "reported": reported},
                           range_limit=LIMIT)  # fmt: skip
        points = points[points["origin"] == 0]
        share = points["reflectivity"] / points["snr"]
        per_snr[reported] = share.mean()
        assert share.std() < 0.01 * share.mean() or reported == "sum"
    flat = points_at(tmp_path, [(plate(30.0), 10)], n=3000, receiver=QUIET, range_limit=LIMIT)
    of_wall = (flat["reflectivity"] / flat["snr"])[flat["origin"] == 0].mean()
    assert per_snr["peak"] == pytest.approx(of_wall, rel=0.01)
    assert per_snr["sum"] > 1.05 * of_wall


def test_shot_noise_grows_with_the_root_of_the_signal_and_is_new_in_every_scan(tmp_path):
    receiver = {**NOISY, "shot_noise": 0.4}
    for range_m in (30.0, 10.0):
        model = beams_at(tmp_path, [(plate(range_m), 10)], n=3000, beam=LINE, receiver=receiver,
                         range_limit=LIMIT)  # fmt: skip
        scans = [cloud.points.copy() for cloud in clouds_of(model, 2)]
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


@pytest.mark.long
def test_an_empty_sky_has_as_many_points_as_the_false_alarms_allow(tmp_path):
    n = 131072
    model = beams_at(tmp_path, [(plate(-30.0), 50)], n=n, receiver=NOISY)
    counts, ranges = [], []
    for cloud in clouds_of(model, 8):
        points = cloud.points
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
