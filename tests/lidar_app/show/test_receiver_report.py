# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Where a receiver detects what, as the report of ranges says: tables, numbers, pictures."""

import json
import math

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from matplotlib.image import imread

from lidar_app.show.plots.ranges import range_picture
from lidar_app.show.range_report import SHOWN_PERCENT, range_dict, range_report
from material_mapping import RangeLimitError
from osi_lidar.config.beam import Pulse
from osi_lidar.config.receiver import Reception
from osi_lidar.errors import ConfigurationError
from osi_lidar.scan.from_config import signal_scale_of
from tests.commands import assert_one_line, run
from tests.lidar_app.show.helpers import sensor_of
from tests.osi_lidar.config.test_range_limit import LIMITS

# r = 60 m sqrt(R / 10 %); k = 5.2565 for 1e-4 false alarms over 200 m with 5 ns. A target has the
# SNR 5.2565 (r_L / r)^2, and is detected with probability 0.9 where that is k + 1.2816, with 0.1
# where it is k - 1.2816: at r_L sqrt(5.2565 / 6.5381) = 0.8967 r_L, and 1.1500 r_L
SQUARE = {"pairs": [[10, 60], [40, 120]], "fit": "root2"}
FADE = [0.89665, 1.0, 1.15002]


def receiver_of(**keys):
    return sensor_of(SQUARE, max_range_m=200, receiver=keys)


def test_a_receiver_is_shown_with_threshold_signal_and_ranges_of_detection():
    report = range_report(receiver_of())
    shown = range_dict(report)["receiver"]
    json.dumps(shown, allow_nan=False)
    assert (shown["threshold_snr"], shown["limit_snr"]) == pytest.approx((5.2565, 5.2565), abs=1e-4)
    assert (shown["false_alarm_probability"], shown["probability_at_limit"]) == (1e-4, 0.5)
    assert (shown["probabilities"], shown["relative_noise"]) == ([0.9, 0.5, 0.1], 1.0)
    by_percent = {each["reflectivity_percent"]: each["range_m"] for each in shown["detection"]}
    assert list(by_percent) == list(SHOWN_PERCENT)
    assert by_percent[10.0] == pytest.approx(60 * np.array(FADE), rel=1e-4)
    assert by_percent[80.0] == pytest.approx(
        [60 * math.sqrt(8) * 0.89665, 60 * math.sqrt(8), 195.17], rel=1e-4
    )
    assert by_percent[100.0] == pytest.approx([170.13, 189.74, 200.0], rel=1e-4)  # max_range_m


def test_a_sensor_without_receiver_or_without_noise_has_a_sharp_limit():
    assert range_dict(range_report(sensor_of(SQUARE)))["receiver"] is None
    sharp = receiver_of(amplitude_noise=False, false_alarm_probability=0)
    assert range_report(sharp).scale is None
    # its signal still has a scale, with the threshold of the default as its unit
    assert signal_scale_of(sharp).threshold == pytest.approx(5.2565, abs=1e-4)


def test_the_signal_scale_of_a_sensor_is_that_of_its_sections():
    receiver = Reception(
        false_alarm_probability=1e-3,
        probability_at_limit=0.9,
        near_range_m=2.0,
        sunlight_share=0.25,
        ambient_lux=0.0,
    )
    pulse = Pulse(fwhm_ns=10.0)
    sensor = sensor_of(SQUARE, max_range_m=150, receiver=receiver, pulse=pulse)
    scale = signal_scale_of(sensor)
    assert scale.limit.max_range_m([0.1, 5.0]).tolist() == pytest.approx([60.0, 150.0])
    assert (scale.sigma_m, scale.max_range_m) == (pulse.sigma_m, 150.0)
    assert (scale.near_range_m, scale.noise) == (2.0, math.sqrt(0.75))
    n_0 = 150.0 / (2.0 * math.pi * pulse.sigma_m)
    assert scale.threshold == pytest.approx(math.sqrt(2 * math.log(n_0 / -math.log(0.999))))
    assert scale.snr_at_limit == pytest.approx(scale.threshold + 1.2815516)
    plain = signal_scale_of(sensor_of(SQUARE))
    assert (plain.sigma_m, plain.near_range_m, plain.noise) == (Pulse().sigma_m, 8.0, 1.0)


def test_a_receiver_that_leaves_no_signal_names_the_sensor(tmp_path):
    # N_0 = 100 m / (2 pi 63.7 m) = 0.25, k = sqrt(2 ln(0.25 / 0.223)) = 0.47, and 2.3 less
    receiver = "{false_alarm_probability: 0.2, probability_at_limit: 0.01}"
    path = tmp_path / "config.yaml"
    path.write_text(
        "sensors: [{preset: VLP-16, name: odd, max_range_m: 100, pulse: {fwhm_ns: 1000},"
        f" receiver: {receiver}}}]"
    )
    words = ("sensor odd: signal scale: got probability_at_limit 0.01, which noise alone",)
    assert_one_line(run("show", "range", "-c", path), 2, *words)


def test_tables_say_where_a_receiver_detects(tmp_path):
    path = tmp_path / "config.yaml"
    path.write_text(
        "sensors: [{preset: OS1-128, name: a, min_range_m: 21, max_range_m: 200, receiver:"
        " {ambient_lux: 0}, range_limit: {pairs: [[10, 60], [40, 120]], fit: root2}}]"
    )
    output = " ".join(run("show", "range", "-c", path).output.replace("│", " ").split())
    for words in (
        "5.257 times the noise; noise alone reaches it in 0.0001 of the beams",
        "5.257 times the noise at 100 klx; noise is 0.707 times as strong",
        "detected with probability 0.5",
        "90 % detected",
        "1 % nowhere 22.56 m 25.95 m",  # 60 m / sqrt(10) 2^(1/4), as above
        "max_range_m",
    ):
        assert words in output


@pytest.mark.long
@pytest.mark.parametrize(
    "limit", [None, {"pairs": [[n, 9 * n] for n in range(1, 30)], "fit": "table"}]
)
def test_the_picture_has_a_second_row_for_a_receiver(tmp_path, limit):
    sensors = (sensor_of(limit, receiver={}), sensor_of(limit))
    picture = range_picture([range_report(each) for each in sensors], tmp_path / "x.png")
    assert imread(picture).shape == (3 * 560, 1500, 4)


@given(LIMITS)
@settings(max_examples=100, deadline=None, suppress_health_check=[*HealthCheck])
def test_whatever_limit_loads_has_a_signal_scale(data):
    try:
        report = range_report(sensor_of(data, receiver={}))
    except (ValueError, ConfigurationError, RangeLimitError):  # 0 m up to the brightest one
        return
    shown = range_dict(report)["receiver"]
    json.dumps(shown, allow_nan=False)
    ranges_m = np.array([each["range_m"] for each in shown["detection"]])
    assert np.all(np.diff(ranges_m, axis=0) >= 0.0)  # brighter targets are detected farther away
    assert np.all(np.diff(ranges_m, axis=1) >= 0.0)
    _, root = report.scale.kernel_table()
    assert np.all(np.diff(root) >= -1e-9 * root[1:])
