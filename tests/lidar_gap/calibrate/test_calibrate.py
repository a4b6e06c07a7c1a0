# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""A calibration finds the truth of a simulated unit, and its intervals hold it."""

from dataclasses import replace

import numpy as np
import pytest

from lidar_gap.calibrate import Absent, Figure, calibrate
from osi_lidar.errors import InputError
from osi_lidar.sensors.presets import load_preset
from tests.builders.recordings import N_COLUMN, N_LASER, PERCENT, lasers

pytestmark = pytest.mark.long  # the recording that most of them share


def truth(key):
    return np.array([laser[key] for laser in lasers()])


def holds(series, values):
    """Return the share of intervals that hold the truth."""
    return np.mean((series.low <= values) & (values <= series.high))


@pytest.mark.parametrize(
    ("name", "key", "tolerance"),
    [
        ("elevation_deg", "vert_correction", 0.01),
        ("azimuth_offset_deg", "rot_correction", 0.01),
        ("up_m", "vert_offset_correction", 1e-3),
        ("left_m", "horiz_offset_correction", 1e-3),
    ],
)
def test_angles_and_origins_of_each_laser_are_found(found, name, key, tolerance):
    series = found.findings[name]
    values = np.degrees(truth(key)) if name.endswith("_deg") else truth(key)
    np.testing.assert_allclose(series.values, values, rtol=0, atol=tolerance)
    assert holds(series, values) == 1.0


def test_lasers_with_origins_of_their_own_share_none(found):
    assert isinstance(found.findings["beam_origin_radius_m"], Absent)


def test_turn_has_its_rate_and_columns(found):
    rate, columns = found.findings["rotation_rate_hz"], found.findings["columns"]
    assert (rate.value, columns.value) == pytest.approx((10.0, N_COLUMN), rel=1e-6)


def test_step_of_the_ranges_is_found_exactly(found, noise):
    assert found.findings["quantisation_m"].value == noise["quantisation_m"]


def test_noise_over_reflectivity_follows_the_law(found, noise):
    # sigma² = range_sigma² + sigma_dark² 0.1 / R (docs/explanation/errors.md)
    series = found.findings["temporal_sigma_by_reflectivity_m"]
    seen = 0
    for label, sigma_m in zip(series.labels, series.values, strict=True):
        low, high = map(float, label.split("-"))
        inside = [each / 100 for each in PERCENT.values() if low <= each < high]
        if len(inside) == 1 and np.isfinite(sigma_m):
            dark_m2 = noise["sigma_dark_m"] ** 2 * 0.1 / inside[0]
            assert sigma_m == pytest.approx(np.sqrt(noise["range_sigma_m"] ** 2 + dark_m2), rel=0.1)
            seen += 1
    assert seen >= 3


@pytest.mark.parametrize("key", ["range_sigma_m", "sigma_dark_m", "drop_probability"])
def test_keys_of_the_noise_are_found_and_their_intervals_hold_them(found, noise, key):
    figure = found.findings[key]
    assert figure.value == pytest.approx(noise[key], rel=0.1)
    assert figure.low <= noise[key] <= figure.high


def test_scatter_within_rings_equals_that_between_scans(found):
    within, between = (found.findings[f"{kind}_sigma_m"].value for kind in ("in_ring", "temporal"))
    assert within == pytest.approx(between, rel=0.05)


def test_bias_of_each_laser_is_found(scans, found):
    clouds, truths = scans
    error_m = np.concatenate([each.points["range"] - each.true_range_m for each in truths])
    ring = np.concatenate([each.ring for each in clouds])
    values = np.array([error_m[ring == number].mean() for number in range(N_LASER)])
    values -= values.mean()
    series = found.findings["laser_bias_m"]
    assert np.corrcoef(series.values, values)[0, 1] > 0.99
    np.testing.assert_allclose(series.values, values, rtol=0, atol=1.5e-3)
    spread = found.findings["range_bias_sigma_m"]
    assert spread.value == pytest.approx(np.std(values, ddof=1), rel=0.05)


def test_nothing_flickers_but_what_is_dropped(found, noise):
    # a pixel returns in all of 12 scans with (1 - p)^12
    expected = 1.0 - (1.0 - noise["drop_probability"]) ** 12
    flicker = found.findings["flicker_share"]
    assert flicker.low <= expected <= flicker.high
    assert found.findings["false_alarm_share"].value == 0.0


def test_calibration_repeats(scans):
    first, again = (calibrate(scans[0][:2]) for _ in range(2))
    figures = {name: each for name, each in first.findings.items() if isinstance(each, Figure)}
    assert len(figures) > 5
    assert {name: again.findings[name] for name in figures} == figures


def test_single_scan_says_what_it_needs(scans):
    found = calibrate(scans[0][:1])
    assert found.findings["temporal_sigma_m"].reason == "needs two scans at rest"
    assert found.findings["in_ring_sigma_m"].value == pytest.approx(0.0083, rel=0.15)


def test_plain_clouds_give_elevations_and_columns(scans):
    plain = [
        replace(each, azimuth_deg=None, column=None, time_s=None, intensity=None)
        for each in scans[0][:4]
    ]
    found = calibrate(plain, load_preset("VLP-16"))
    elevation_deg = np.degrees(truth("vert_correction"))
    # beams that pass the axis 2 cm beside it bend a little
    np.testing.assert_allclose(found.beams.elevation_deg, elevation_deg, rtol=0, atol=0.05)
    assert isinstance(found.findings["azimuth_offset_deg"], Absent)
    assert found.findings["columns"].value == pytest.approx(N_COLUMN, abs=1.0)
    assert found.findings["rotation_rate_hz"].fitted_on.endswith("firing cycle")


def test_hardly_any_point_is_refused(scans):
    few = scans[0][0].rows(np.arange(20))
    with pytest.raises(InputError, match="got 20 points, expected at least 1000"):
        calibrate([few])
