# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Figures of scans from one place, beside those that the scans were made with."""

import itertools

import numpy as np
import pytest

from lidar_gap.calibrate.findings import Absent
from lidar_gap.calibrate.recording import record
from lidar_gap.reality.at_rest import Stack, find_repeats, find_returns, find_scatter
from lidar_gap.reality.boxes import MattBox, write_scene
from lidar_gap.reality.measuring import measure
from lidar_gap.reality.office import box
from lidar_gap.reality.simulated import scanned
from lidar_gap.reality.steps import find_elevations, find_mixed, find_signal
from lidar_gap.records import ScanCloud
from osi_lidar.sensors.presets import load_preset

N_SCAN, N_RING, N_COLUMN = 8, 40, 720


def stack(range_m, strength, *, photons=True):
    return Stack(range_m=range_m, strength=strength, counts_photons=photons)


def test_the_share_of_returns_is_that_of_the_draws_by_signal():
    rng = np.random.default_rng(1)
    mean = rng.uniform(3.0, 60.0, (N_RING, N_COLUMN))
    chance = np.clip(mean / 20.0, 0.0, 1.0)
    returned = rng.random((N_SCAN, N_RING, N_COLUMN)) < chance
    range_m = np.where(returned, 5.0, np.nan)
    found = find_returns(stack(range_m, np.where(returned, mean, np.nan)))[0]
    for label, value, low, high in zip(
        found.labels, found.values, found.low, found.high, strict=True
    ):
        least, most = map(float, label.split("-"))
        chosen = (mean >= least) & (mean < most) & returned.any(axis=0)
        assert value == pytest.approx(returned.mean(axis=0)[chosen].mean())
        assert low <= value <= high
        assert abs(value - min(0.5 * (least + most) / 20.0, 1.0)) < 0.08


def test_the_interval_of_a_share_holds_the_truth_in_19_of_20_recordings():
    held = 0
    for seed in range(100):
        rng = np.random.default_rng(seed)
        returned = rng.random((N_SCAN, 4, N_COLUMN)) < 0.8
        range_m = np.where(returned, 5.0, np.nan)
        (iou, *_) = find_repeats(stack(range_m, np.where(returned, 10.0, np.nan)))
        held += iou.low <= 0.64 / 0.96 <= iou.high  # both of two draws, over either
    assert 88 <= held <= 100


def test_repeats_tell_the_mean_change_and_the_correlation():
    rng = np.random.default_rng(2)
    place_m = rng.uniform(2.0, 20.0, (N_RING, N_COLUMN))
    bright = rng.uniform(10.0, 90.0, (N_RING, N_COLUMN))
    shape = N_SCAN, N_RING, N_COLUMN
    range_m = place_m + rng.normal(0.0, 0.01, shape)
    strength = bright + rng.normal(0.0, 5.0, shape)
    iou, change_m, correlation = find_repeats(stack(range_m, strength))
    assert iou.value == 1.0
    assert change_m.value == pytest.approx(0.01 * 2.0 / np.sqrt(np.pi), rel=0.02)
    variance = 80.0**2 / 12.0
    assert correlation.value == pytest.approx(variance / (variance + 25.0), abs=0.005)


def test_scatter_is_relative_to_the_strength():
    rng = np.random.default_rng(3)
    bright = 10.0 ** rng.uniform(0.0, 3.5, (N_RING, N_COLUMN))
    strength = bright * (1.0 + rng.normal(0.0, 0.05, (N_SCAN, N_RING, N_COLUMN)))
    (found,) = find_scatter(stack(np.full(strength.shape, 4.0), strength))
    known = np.isfinite(found.values)
    np.testing.assert_allclose(found.values[known], 0.05, rtol=0.03)
    assert known.all()


def test_mixed_pixels_are_counted_at_steps():
    range_m = np.full((1, N_RING, N_COLUMN), 4.0)
    range_m[:, :, 10:] = 6.0
    range_m[:, ::4, 10] = 5.0  # every fourth ring has a pixel between
    (found,) = find_mixed(stack(np.repeat(range_m, 3, axis=0), range_m))
    # both pixels beside a step count, and the one on it
    assert found.n == 3 * (2 * 30 + 3 * 10)
    assert found.value == pytest.approx(10 / 90)


def test_what_scans_do_not_tell_is_absent_with_the_reason():
    alone = np.full((1, N_RING, N_COLUMN), 4.0)
    for one in (*find_returns(stack(alone, alone)), *find_repeats(stack(alone, alone)),
                *find_scatter(stack(alone, alone)), *find_mixed(stack(alone, alone))):  # fmt: skip
        assert isinstance(one, Absent)
        assert one.reason
    same = np.repeat(alone, 5, axis=0)
    assert "photons" in find_returns(stack(same, same, photons=False))[0].reason
    assert isinstance(find_repeats(stack(same, same))[2], Absent)  # all strengths are equal


def test_scans_without_a_pixel_that_returns_twice_say_so():
    """As of a sensor whose scans take even and odd columns in turn."""
    in_turn = np.full((2, N_RING, N_COLUMN), 4.0)
    in_turn[0, :, ::2] = in_turn[1, :, 1::2] = np.nan
    iou, *others = find_repeats(stack(in_turn, in_turn))
    assert iou.value == 0.0
    assert [each.reason for each in others] == ["no pixel returns twice within 0.15 m"] * 2
    nothing = np.full((2, N_RING, N_COLUMN), np.nan)
    reasons = {each.reason for each in find_repeats(stack(nothing, nothing))}
    assert reasons == {"no pixel returns"}


def test_elevations_have_the_number_of_points_of_their_laser():
    rng = np.random.default_rng(5)
    ring = np.repeat(np.array([0, 1, 2], np.int32), [500, 1500, 1000])
    azimuth, range_m = rng.uniform(-3.0, 3.0, len(ring)), rng.uniform(3.0, 9.0, len(ring))
    up = np.radians([-10.0, 0.0, 10.0])[ring]
    points_m = range_m[:, None] * np.column_stack(
        [np.cos(up) * np.cos(azimuth), np.cos(up) * np.sin(azimuth), np.sin(up)]
    )
    recording = record([ScanCloud(name="a", points_m=points_m, range_m=range_m, ring=ring)])
    found = find_elevations(recording, 3)
    assert found.values == pytest.approx([10.0, 0.0, -10.0], abs=1e-6)
    assert found.n.tolist() == [1000, 1500, 500]


def cloud(range_m, code, signal):
    """Return a cloud of a ring, at the same elevation."""
    n = len(range_m)
    azimuth = 2.0 * np.pi * np.arange(n) / n
    points_m = range_m[:, None] * np.column_stack([np.cos(azimuth), np.sin(azimuth), np.zeros(n)])
    return ScanCloud(
        name="a", points_m=points_m, range_m=range_m, intensity=code, signal=signal,
        ring=np.zeros(n, np.int32), column=np.arange(n, dtype=np.int32),
    )  # fmt: skip


def test_the_signal_of_a_white_target_is_found_whatever_it_was_measured_on():
    rng = np.random.default_rng(4)
    range_m, code = rng.uniform(1.0, 60.0, 40_000), rng.uniform(1.0, 200.0, 40_000)
    signal = 1.4e5 * np.minimum(range_m / 12.0, 1.0) * code / 100.0 / range_m**2
    (found,) = find_signal(record([cloud(range_m, code, signal)]))
    for label, value in zip(found.labels, found.values, strict=True):
        least, most = map(float, label.split("-"))
        if np.isfinite(value):
            middle = min(0.5 * (least + most) / 12.0, 1.0)
            assert value == pytest.approx(1.4e5 * middle, rel=0.12)
    assert np.isfinite(found.values).sum() >= 10


@pytest.mark.long
def test_a_simulated_sensor_is_measured_as_it_is_configured(tmp_path):
    """A VLP-16 between walls of 8 and 60 %: it has the noise and the elevations of the preset,
    and tells two returns apart."""
    walls = [
        *(box((5.0, side, -3.0), (5.2, side + 0.5, 3.0), "dark") for side in range(-5, 5)),
        box((-8.0, -9.0, -6.0), (-7.8, 9.0, 6.0), "metal"),
        MattBox(box((9.0, -20.0, -9.0), (9.2, 20.0, 9.0), "white").corners_m, 60.0),
    ]
    sensor = {"preset": "VLP-16", "fidelity": "physical", "returns": {"mode": "last_strongest"}}
    clouds = scanned(write_scene(tmp_path, walls, sensor), load_preset("VLP-16"), 4)
    found = measure(clouds, "VLP-16")
    noise_m = dict(zip(*(getattr(found["temporal_sigma_by_reflectivity_m"], name)
                         for name in ("labels", "values")), strict=True))  # fmt: skip
    assert 0.004 < noise_m["40-80"] < 0.012
    assert found["second_return_share"].value > 0.01
    np.testing.assert_allclose(found["elevation_deg"].values, range(15, -16, -2), atol=0.01)
    assert found["repeat_iou"].value > 0.98


def test_all_draws_repeat(tmp_path):
    walls = [box((5.0, -9.0, -3.0), (5.2, 9.0, 3.0), "dark")]
    config = write_scene(tmp_path, walls, {"preset": "VLP-16", "fidelity": "physical"})
    first, again = (scanned(config, load_preset("VLP-16"), 3) for _ in range(2))
    for one, other in zip(first, again, strict=True):
        np.testing.assert_array_equal(one.range_m, other.range_m)
    assert any(
        len(one) != len(other) or (one.range_m != other.range_m).any()
        for one, other in itertools.pairwise(first)
    )
