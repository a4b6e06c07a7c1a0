# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The configuration of a sensor's errors: what is understood, and what is refused in one line."""

import json

import pytest

from osi_lidar.config import Config, load_config
from osi_lidar.errors import ConfigurationError
from tests.builders.refusals import one_line
from tests.builders.worlds import config_file

SENSOR = "sensors: [{preset: VLP-16, %s}]"


def loaded(folder, text):
    return load_config(config_file(folder, SENSOR % text))


def test_errors_survive_json_and_load_again(tmp_path):
    config = loaded(
        tmp_path,
        "noise: {range_sigma_m: 0.03, depth_table: [[0, 0, 0.1], [10, 0.5, 0]], line_of_sight: ray,"
        " depth_error_m: 0.1 * sin(d), depth_sigma_m: 0.01,"
        " distribution: laplace}, backfolding: true, detection: {pairs: [[20, 30], [30, 40]]}",
    )
    again = Config.model_validate(json.loads(json.dumps(config.resolved())))
    assert again.sensors == config.sensors
    assert config.sensors[0].noise.depth_table[1] == (10, 0.5, 0)


@pytest.mark.parametrize("pairs", [[[0, 50], [0, 120]], [[0.1, 50], [1.5, 120]]])
def test_low_reflectivities_that_are_percent_are_taken(tmp_path, pairs):
    sensor = loaded(tmp_path, f"detection: {{pairs: {pairs}}}").sensors[0]
    assert sensor.detection.pairs == tuple(map(tuple, pairs))


def test_a_sensor_has_no_errors_unless_told(tmp_path):
    sensor = loaded(tmp_path, "columns: 100").sensors[0]
    assert (sensor.noise, sensor.detection, sensor.backfolding) == (None, None, False)


def test_off_is_a_word_and_no_truth_value(tmp_path):
    sensor = loaded(tmp_path, "detection: {min_reflectivity: off}").sensors[0]
    assert sensor.detection.min_reflectivity == "off"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("noise: 0.1", "noise: expected keys and values, got 0.1"),
        ("noise: {range_sigma: 1}", "noise.range_sigma: unknown key, did you mean 'range_sigma_m'"),
        ("noise: {range_sigma_m: -1}", "noise.range_sigma_m: must be greater than or equal to 0"),
        ("noise: {range_sigma_m: 1e7}", "noise.range_sigma_m: must be less than or equal to 1000"),
        ("noise: {range_sigma_m: .nan}", "noise.range_sigma_m: expected a finite number"),
        ("noise: {range_sigma_m: much}", "noise.range_sigma_m: expected a number, got 'much'"),
        ("noise: {sigma_per_range: 2}", "noise.sigma_per_range: must be less than or equal to 1"),
        ("noise: {sigma_incidence_m: -1}", "noise.sigma_incidence_m: must be greater than or"),
        ("noise: {sigma_dark_m: .inf}", "noise.sigma_dark_m: expected a finite number, got inf"),
        ("noise: {range_bias_sigma_m: -1}", "noise.range_bias_sigma_m: must be greater than or"),
        ("noise: {range_bias_m: 0.1}", "noise.range_bias_m: expected a list, got 0.1"),
        ("noise: {range_bias_m: [.nan]}", "noise.range_bias_m[0]: expected a finite number"),
        ("noise: {distribution: gauss}", "noise.distribution: got 'gauss', did you mean 'gaussi"),
        ("noise: {tails: 0.3}", "noise.tails: must be less than or equal to 0.2"),
        (
            "noise: {tails: 0.1, distribution: laplace}",
            "noise.tails: needs distribution: gaussian, got laplace",
        ),
        ("noise: {depth_offset_m: 1e10}", "noise.depth_offset_m: must be less than or equal to"),
        ("noise: {depth_scale: -1}", "noise.depth_scale: must be greater than or equal to -0.9"),
        ("noise: {depth_table: 5}", "noise.depth_table: expected a list, got 5"),
        ("noise: {depth_table: [[0, 1]]}", "noise.depth_table[0][2]: is missing"),
        ("noise: {depth_table: [[0, 0, -1]]}", "noise.depth_table[0][2]: must be greater than"),
        ("noise: {depth_table: [[0, 0, 1, 2]]}", "noise.depth_table[0]: expected 3 entries, got 4"),
        (
            "noise: {depth_table: [[5, 0, 1], [5, 0, 2]]}",
            "noise.depth_table[1]: range 5 m after 5 m, expected increasing ranges",
        ),
        ("noise: {depth_error_m: 0.1 * x}", "noise.depth_error_m: column 7 of '0.1 * x': unknown"),
        ("noise: {depth_error_m: [1]}", "noise.depth_error_m: expected a text, got [1]"),
        (
            "noise: {depth_sigma_m: 0.05 - 1e-3 * d}",
            "noise.depth_sigma_m: '0.05 - 1e-3 * d' is -5.1e-05 at d = 50.051 m",
        ),
        (
            "noise: {depth_error_m: sqrt(50 - d)}",
            "noise.depth_error_m: 'sqrt(50 - d)' is nan at d = 50.0",
        ),
        (
            "noise: {reflectivity_table: [[0, 0.01]]}",
            "noise.reflectivity_table[0][0]: must be greater than 0",
        ),
        (
            "noise: {reflectivity_table: [[0.5, 0.01], [0.1, 0.02]]}",
            "noise.reflectivity_table[1]: reflectivity 0.1 after 0.5, expected increasing reflect",
        ),
        (
            "noise: {reflectivity_table: [[0.5, 0.01]]}, receiver: {}",
            "noise.reflectivity_table: adds to the range errors of receiver, expected",
        ),
        ("noise: {quantisation_m: 1.0e-300}", "noise.quantisation_m: is 1e-300 m, expected 0, or"),
        (
            "noise: {depth_error_m: 1.0e+30}",
            "noise.depth_error_m: '1e+30' is 1e+30 at d =",
        ),
        ("noise: {quantisation_m: -1}", "noise.quantisation_m: must be greater than or equal to 0"),
        ("noise: {azimuth_sigma_deg: 91}", "noise.azimuth_sigma_deg: must be less than or equal"),
        ("noise: {elevation_sigma_deg: x}", "noise.elevation_sigma_deg: expected a number"),
        ("noise: {line_of_sight: rays}", "noise.line_of_sight: got 'rays', did you mean 'ray'?"),
        ("noise: {drop_probability: 1.1}", "noise.drop_probability: must be less than or equal"),
        ("backfolding: 1", "backfolding: expected true or false, got 1"),
        ("detection: on", "detection: expected keys and values, got True"),
        ("detection: {min_reflectivity: on}", "detection.min_reflectivity: got True (allowed: co"),
        ("detection: {pairs: [[10, 50]]}", "detection.pairs: expected 2 or more entries, got 1"),
        (
            "detection: {pairs: [[50, 10], [120, 80]]}",
            "detection.pairs[1][0]: must be less than or equal to 100, got 120",
        ),
        (
            "detection: {pairs: [[10, 50], [80, 50]]}",
            "detection.pairs: 80 % at 50 m after 10 % at 50 m, expected a farther range and no",
        ),
        (
            "detection: {pairs: [[0.1, 50], [0.8, 120]]}",
            "detection.pairs: got reflectivities of 0.1 and 0.8 %, expected percent: did you mean ",
        ),
        ("detection: {pairs: [[0, 50], [1, 120]]}", "detection.pairs: got reflectivities of 0 an"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(tmp_path, text, line):
    with one_line(ConfigurationError, f": sensors[0].{line}"):
        loaded(tmp_path, text)
