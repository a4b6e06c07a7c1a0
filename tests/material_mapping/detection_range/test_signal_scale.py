# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""From the range limit to signal, noise, probability and precision: values by hand, Monte Carlo."""

import math
from dataclasses import replace

import numpy as np
import pytest

from material_mapping import RangeLimit, RangeLimitError
from material_mapping.detection_range.signal_scale import LEAST_ROOT, SignalScale
from tests.material_mapping.detection_range.test_least_reflectivity import LIMITS, OFFSETS

SIGMA_M = 5e-9 / (2.0 * math.sqrt(2.0 * math.log(2.0))) * 299_792_458.0 / 2.0  # 5 ns: 0.31828 m
SQUARE = RangeLimit.from_pairs([(10, 60), (40, 120)], fit="root2", max_range_m=200.0)
"""60 m at 10 %, and r ~ sqrt(R): no offset."""


def scale_of(limit=SQUARE, **values):
    return SignalScale(
        **{"limit": limit, "sigma_m": SIGMA_M, "max_range_m": 200.0, "near_range_m": 0.0, **values}
    )


# N_0 = r_max / (2 pi sigma_m) and k = sqrt(2 ln(N_0 / -ln(1 - P_fa)))
@pytest.mark.parametrize(
    ("fwhm_ns", "max_range_m", "n_0", "threshold"),
    [(5, 120.0, 60.0, 5.158), (5, 200.0, 100.0, 5.257), (10, 120.0, 30.0, 5.022)],
)
def test_threshold_for_one_false_alarm_in_10000(fwhm_ns, max_range_m, n_0, threshold):
    scale = scale_of(sigma_m=SIGMA_M * fwhm_ns / 5, max_range_m=max_range_m)
    assert scale.n_0 == pytest.approx(n_0, abs=0.02)
    assert scale.threshold == pytest.approx(threshold, abs=5e-4)
    assert scale.snr_at_limit == scale.threshold  # half of the targets at the limit
    none = math.exp(-scale.n_0 * math.exp(-(scale.threshold**2) / 2))
    assert 1.0 - none == pytest.approx(1e-4, rel=1e-9)


# P_d over range / range limit, clear air: SNR ~ r^-2, k = 5.257
FADE = [0.8, 0.9, 0.95, 1.0, 1.05, 1.1, 1.2, 1.3]


@pytest.mark.parametrize(
    ("at_limit", "expected"),
    [
        (0.5, [0.998, 0.891, 0.715, 0.5, 0.313, 0.181, 0.054, 0.016]),
        (0.9, [1.0, 0.998, 0.977, 0.9, 0.750, 0.558, 0.237, 0.083]),
    ],
)
def test_the_cloud_fades_out_around_the_range_limit(at_limit, expected):
    scale = scale_of(probability_at_limit=at_limit)
    assert scale.snr_at_limit == pytest.approx(
        scale.threshold + (1.2815516 if at_limit > 0.5 else 0)
    )
    for reflectivity in (0.1, 0.4):
        limit_m = 60.0 * math.sqrt(reflectivity / 0.1)
        snr = scale.snr(reflectivity, limit_m * np.array(FADE))
        assert scale.detection_probability(snr) == pytest.approx(expected, abs=6e-4)


@pytest.mark.parametrize("name", LIMITS)
def test_a_target_at_its_limit_is_seen_with_the_stated_probability(name):
    limit = LIMITS[name]
    scale = scale_of(limit, probability_at_limit=0.9, max_range_m=1000.0)
    reflectivity = np.array([0.3, 0.6, 0.7])
    range_m = replace(limit, cap_m=math.inf).max_range_m(reflectivity)
    rises = replace(limit, cap_m=math.inf).max_range_m(0.999 * reflectivity) < range_m
    probability = scale.detection_probability(scale.snr(reflectivity, range_m))
    assert probability[rises] == pytest.approx(0.9, abs=1e-8)
    assert np.all(probability >= 0.9 - 1e-8) or name == "constant"


@pytest.mark.parametrize("name", LIMITS)
def test_the_signal_at_a_range_limit_is_that_of_the_limit(name):
    limit = LIMITS[name]
    curve = replace(limit, cap_m=math.inf)
    scale = scale_of(limit, probability_at_limit=0.9, max_range_m=1000.0)
    darkest = limit.darkest if name in OFFSETS else 1e-9
    reflectivity = np.geomspace(darkest, 10.0, 300)
    range_m = curve.max_range_m(reflectivity)
    seen = np.isfinite(range_m) & (range_m > 0.0)
    snr = scale.snr(reflectivity[seen], range_m[seen])
    rises = (curve.max_range_m(reflectivity * (1.0 - 1e-6)) < range_m)[seen]
    assert snr[rises] == pytest.approx(scale.snr_at_limit, rel=1e-9)
    # where darker targets are seen as far, the signal is stronger
    assert np.all(snr >= scale.snr_at_limit * (1.0 - 1e-9))


def test_no_signal_is_infinite_where_a_fit_sees_everything():
    # root2 with a = 27.18 m, and R_min = 0.1 (r / 60)^2 within 60 m
    scale = scale_of(LIMITS["root2"])
    ratio = scale.snr(0.1, [30.0, 6.0]) / scale.snr_at_limit
    assert ratio == pytest.approx([4.0, 100.0], rel=1e-12)


def test_partial_targets_have_the_signal_of_their_share():
    # half of the beam on R = 0.5 at 30 and 40 m: 0.25 / 0.1 (60 / r)^2
    scale = scale_of()
    ratio = scale.snr(0.25, [30.0, 40.0]) / scale.threshold
    assert ratio == pytest.approx([10.0, 5.625], rel=1e-12)


def test_near_targets_give_no_stronger_echo():
    scale = scale_of(near_range_m=8.0)
    snr = scale.snr(0.1, [0.0, 1.0, 8.0, 16.0])
    assert snr == pytest.approx(scale.snr_at_limit * np.array([56.25, 56.25, 56.25, 14.0625]))
    assert scale_of().snr([0.1, 0.0], 0.0).tolist() == [math.inf, 0.0]
    assert scale.snr([0.0, -1.0, math.nan], 30.0).tolist() == [0.0, 0.0, 0.0]


# (1 - f + f E / 100 klx)^(-1/4)
@pytest.mark.parametrize(("share", "farther"), [(0.3, 1.093), (0.5, 1.189), (0.8, 1.495)])
def test_the_sensor_sees_farther_at_night(share, farther):
    night = scale_of(sunlight_share=share, ambient_lux=0.0)
    assert night.detection_range_m(0.1, 0.5) / 60.0 == pytest.approx(farther, abs=5e-4)
    assert night.threshold == scale_of().threshold  # in multiples of its own noise
    day = scale_of(sunlight_share=share)
    assert day.detection_range_m(0.1, 0.5) == pytest.approx(60.0, rel=1e-12)
    dim = scale_of(sunlight_share=share, ambient_lux=25_000.0)
    assert dim.noise == pytest.approx(math.sqrt(1 - 0.75 * share))


def test_detection_range_is_where_its_probability_is_reached():
    scale = scale_of(max_range_m=150.0)
    probabilities = np.array([0.9, 0.5, 0.1])
    range_m = scale.detection_range_m(np.array([[0.1], [0.4], [0.0]]), probabilities)
    found = scale.detection_probability(scale.snr([[0.1], [0.4]], range_m[:2]))
    assert found[0] == pytest.approx(probabilities, abs=1e-12)
    assert found[1] == pytest.approx(probabilities, abs=1e-12)
    assert range_m[2].tolist() == [0.0, 0.0, 0.0]  # nothing comes back
    assert scale.detection_range_m(0.8, 0.5) == 150.0  # the end of the window
    # at most sqrt(R / 0.1) 60 / 8 times the limit's signal comes back from within 8 m
    weak = scale_of(near_range_m=8.0).detection_range_m([0.1 / 57, 0.1 / 56], 0.5)
    assert weak[0] == 0.0
    assert weak[1] == pytest.approx(60 / math.sqrt(56), rel=1e-12)


# exp(-N_0 exp(-S^2 / 2)) for N_0 = 60
def test_noise_hardly_gives_a_strong_echo():
    exists = scale_of(max_range_m=120.0).existence_probability([4.0, 5.0, 6.0])
    assert exists[:2] == pytest.approx([0.980, 0.99978], abs=1e-4)
    assert 1.0 - exists[2] == pytest.approx(9e-7, rel=0.02)
    assert float(scale_of().existence_probability(0.0)) == pytest.approx(math.exp(-100), rel=0.02)


def test_range_error_of_a_maximum():
    scale = scale_of()
    assert scale.range_sigma([6.44, 100.0], SIGMA_M) == pytest.approx([0.0494, 0.0032], abs=5e-5)
    # twice as wide an echo of the same peak: 4 times
    assert scale.range_sigma(10.0, 2 * SIGMA_M) == pytest.approx(0.4 * SIGMA_M)
    assert scale.range_sigma(0.0, SIGMA_M) == math.inf


def test_ratio_of_a_target_over_range():
    # P_fa 1e-4 over 120 m, 90 % at the limit: SNR_L = 6.44; an 80 % target with r_L = 120 m
    limit = RangeLimit.from_pairs([(20, 60), (80, 120)], fit="root2")
    scale = scale_of(limit, max_range_m=120.0, probability_at_limit=0.9)
    assert scale.snr_at_limit == pytest.approx(6.44, abs=5e-4)
    snr = scale.snr(0.8, [19.3, 30.0, 60.0, 87.9, 120.0])
    assert snr == pytest.approx([250, 103, 25.8, 12, 6.44], rel=5e-3)


@pytest.mark.parametrize("name", LIMITS)
def test_kernel_table_gives_the_ratio(name):
    scale = scale_of(
        LIMITS[name], near_range_m=5.0, sunlight_share=0.8, ambient_lux=1e3, max_range_m=150.0
    )
    step_m, root = scale.kernel_table()
    assert (step_m, root.shape, root.dtype) == (150.0 / 4096, (4097,), np.float64)
    range_m = step_m * np.arange(4097)
    assert 0.3 / root**2 == pytest.approx(scale.snr(0.3, range_m), rel=1e-12)
    assert root[0] == root[int(5.0 / step_m)]


def test_kernel_table_is_exact_between_its_rows_for_a_signal_that_falls_with_range_squared():
    step_m, root = scale_of().kernel_table(7)
    range_m = np.array([3.0, 40.0, 77.7, 199.0])
    drawn = np.interp(range_m, step_m * np.arange(8), root)
    assert 0.1 / drawn**2 == pytest.approx(scale_of().snr(0.1, range_m), rel=1e-9)
    assert root[0] == LEAST_ROOT  # instead of 0: a kernel divides by it
    far = scale_of(RangeLimit.from_pairs([(1e-9, 1e-9), (1e-7, 1e-8)], fit="root2"))
    assert far.kernel_table(4)[1].max() <= 1.0 / LEAST_ROOT


def matched_noise(rng, shape, step_m):
    """Return noise of rms 1 along the last axis, whose autocorrelation is exp(-x^2 / 2 sigma^2).

    White noise behind a Gaussian of rms sigma / sqrt(2), drawn in frequencies; it is periodic.
    """
    frequency = np.fft.rfftfreq(shape[1], step_m)
    gain = np.exp(-((math.pi * frequency * SIGMA_M) ** 2))  # of exp(-x^2 / sigma^2)
    parts = rng.standard_normal((2, shape[0], len(frequency))) * gain
    parts[..., 0] *= math.sqrt(2.0)  # it has no imaginary part
    noise = np.fft.irfft(parts[0] + 1j * parts[1], n=shape[1], axis=1)
    return noise / math.sqrt(np.mean(noise**2))


@pytest.mark.long
def test_simulated_noise_reaches_the_threshold_as_often_as_false_alarms_are_stated():
    scale = scale_of(max_range_m=120.0, false_alarm_probability=0.05)
    rng = np.random.Generator(np.random.Philox(14))
    n_windows = 4000
    noise = matched_noise(rng, (n_windows, 1600), 120.0 / 1600)
    alarms = int(np.count_nonzero(noise.max(axis=1) >= scale.threshold))
    # 200 expected, 14 rms; crossings come in clumps and peaks lie between samples: some 5 % less
    assert 0.95 * 200 - 4 * 14 < alarms < 200 + 4 * 14


@pytest.mark.parametrize("snr", [10.0, 20.0])
def test_simulated_maxima_lie_as_far_off_as_the_range_error_says(snr):
    rng = np.random.Generator(np.random.Philox(9))
    step_m, n, n_draws = SIGMA_M / 8, 128, 10_000
    x_m = step_m * (np.arange(n) - n // 2)
    signal = snr * np.exp(-(x_m**2) / (2 * SIGMA_M**2)) + matched_noise(rng, (n_draws, n), step_m)
    top = signal.argmax(axis=1)
    before, at, after = (signal[np.arange(n_draws), top + k] for k in (-1, 0, 1))
    found_m = x_m[top] + step_m * 0.5 * (before - after) / (before - 2 * at + after)
    sigma_m = float(np.std(found_m))
    # rms of 10000 draws: 0.7 % (1 sigma); terms of 1 / SNR^2 are neglected
    assert sigma_m == pytest.approx(float(scale_of().range_sigma(snr, SIGMA_M)), rel=0.03)


def test_simulated_echoes_are_detected_as_often_as_stated():
    rng = np.random.Generator(np.random.Philox(5))
    scale = scale_of(probability_at_limit=0.9)
    observed = float(scale.snr(0.1, 60.0)) + rng.standard_normal(100_000)
    detected = np.count_nonzero(observed >= scale.threshold) / 100_000
    assert detected == pytest.approx(0.9, abs=4 * math.sqrt(0.9 * 0.1 / 100_000))


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"sigma_m": 0.0}, "sigma_m is 0, expected above 0"),
        ({"max_range_m": math.inf}, "max_range_m is inf, expected above 0"),
        ({"false_alarm_probability": 0.0}, "false_alarm_probability is 0, expected above 0"),
        ({"false_alarm_probability": math.nan}, "false_alarm_probability is nan"),
        ({"probability_at_limit": 1.0}, "probability_at_limit is 1, expected above 0 and below 1"),
        ({"near_range_m": -1.0}, "near_range_m is -1, expected 0 or more"),
        ({"sunlight_share": 1.5}, "sunlight_share is 1.5, expected 0 to 1"),
        ({"ambient_lux": -1.0}, "ambient_lux is -1, expected 0 or more"),
        ({"ambient_lux": 0.0, "sunlight_share": 1.0}, "leave no noise"),
        # N_0 = 1: at most 1 - exp(-1) = 0.632
        (
            {"max_range_m": 2 * math.pi * SIGMA_M, "false_alarm_probability": 0.7},
            "false_alarm_probability is 0.7, expected less than 0.632",
        ),
        # k = sqrt(2 ln(100 / ln 2)) = 3.15, and 3.3 rms less at the limit
        (
            {"false_alarm_probability": 0.5, "probability_at_limit": 0.0005},
            "got probability_at_limit 0.0005, which noise alone reaches with a threshold of",
        ),
    ],
)
def test_values_that_leave_no_scale_are_refused_with_what_was_expected(values, words):
    with pytest.raises(RangeLimitError) as caught:
        scale_of(**values)
    assert words in str(caught.value)
    assert str(caught.value).startswith("signal scale: ")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("shot_noise", [0.0, 0.4])
@pytest.mark.parametrize("spread", [0.0, 0.1, 0.5, 0.9, 1.5])
def test_echoes_are_detected_as_often_as_drawn_ones_with_drawn_thresholds(spread, shot_noise):
    scale = scale_of(signal_spread=spread, shot_noise=shot_noise)
    random = np.random.default_rng(4)
    threshold = scale.threshold * np.exp(spread * random.standard_normal(400_000))
    noise = random.standard_normal(400_000)
    for snr in (1.0, 3.0, 6.0, 12.0, 40.0):
        observed = snr + np.sqrt(1.0 + shot_noise * snr) * noise
        seen = (observed >= threshold).mean()
        assert float(scale.detection_probability(snr)) == pytest.approx(seen, abs=0.003)


@pytest.mark.parametrize("at_limit", [0.1, 0.5, 0.9])
def test_a_spread_signal_keeps_the_probability_at_the_range_limit(at_limit):
    scale = scale_of(signal_spread=0.8, shot_noise=0.4, probability_at_limit=at_limit)
    found = scale.detection_probability(scale.snr(0.1, 60.0))
    assert float(found) == pytest.approx(at_limit, abs=1e-9)
    reach_m = scale.detection_range_m(0.1, [0.9, 0.5, 0.1])
    seen = scale.detection_probability([float(scale.snr(0.1, each)) for each in reach_m])
    assert seen == pytest.approx([0.9, 0.5, 0.1], abs=1e-6)


def test_a_spread_of_almost_nothing_is_none():
    sharp, soft = scale_of(), scale_of(signal_spread=1e-6)
    assert soft.snr_at_limit == pytest.approx(sharp.snr_at_limit, rel=1e-5)
    snr = np.array([3.0, 5.0, 7.0])
    assert soft.detection_probability(snr) == pytest.approx(
        sharp.detection_probability(snr), abs=1e-5
    )


def test_near_field_takes_its_share_of_the_signal():
    rows = ((2.25, 0.22), (3.25, 0.77), (4.0, 1.0))
    whole, near = scale_of(), scale_of(near_field=rows)
    at_m = np.array([1.0, 2.25, 2.75, 3.25, 4.0, 10.0])
    share = near.snr(0.5, at_m) / whole.snr(0.5, at_m)
    assert share == pytest.approx([0.22, 0.22, 0.495, 0.77, 1.0, 1.0])
    step_m, root = near.kernel_table()
    row = round(2.25 / step_m)
    assert 0.5 / root[row] ** 2 == pytest.approx(float(near.snr(0.5, row * step_m)), rel=1e-6)


def test_what_is_just_seen_is_found_where_near_targets_have_more_than_the_far_ones():
    near = scale_of(near_field=((2.0, 0.1), (8.0, 1.6), (60.0, 1.0)))
    for reflectivity in (0.001, 0.02, 0.1, 0.5):
        at_m = float(near.detection_range_m(reflectivity, 0.5))
        found = near.detection_probability(near.snr(reflectivity, [at_m, 1.01 * at_m]))
        assert found[0] == pytest.approx(0.5, abs=1e-6)
        assert found[1] < 0.5
    assert near.detection_range_m([0.0, 1e9], 0.5).tolist() == [0.0, near.max_range_m]
