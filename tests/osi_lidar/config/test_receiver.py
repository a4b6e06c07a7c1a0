# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The configuration of returns and receiver: what is understood, and what is refused."""

import json

import pytest

from osi_lidar.config import Config, Reception, ReturnSelection, load_config
from osi_lidar.errors import ConfigurationError
from tests.builders.refusals import one_line
from tests.builders.worlds import config_file


def loaded(folder, text, preset="preset: VLP-16"):
    return load_config(config_file(folder, f"sensors: [{{{preset}, {text}}}]"))


def test_keys_survive_json_and_load_again(tmp_path):
    config = loaded(
        tmp_path,
        "beam: {divergence_deg: [0.2, 0.1]}, pulse: {fwhm_ns: 4}, returns: {mode: all, max: 8}, "
        "receiver: {precision: [[12, 0.1], [100, 0.03]], saturation: 50}, noise: {sigma_dark_m: 0}",
    )
    again = Config.model_validate(json.loads(json.dumps(config.resolved())))
    assert again.sensors == config.sensors
    assert config.sensors[0].receiver.precision == ((12, 0.1), (100, 0.03))


@pytest.mark.parametrize(
    ("keys", "n_most"),
    [
        ({}, 1),
        ({"mode": "last"}, 1),
        ({"mode": "first", "max": 8}, 1),
        ({"mode": "last_strongest"}, 2),
        ({"mode": "first_strongest"}, 2),
        ({"mode": "last_first", "max": 1}, 2),
        ({"mode": "all"}, 3),
        ({"mode": "all", "max": 8}, 8),
    ],
)
def test_a_mode_has_a_greatest_number_of_echoes(keys, n_most):
    assert ReturnSelection(**keys).n_most == n_most


def test_without_noise_there_need_be_no_false_alarms():
    sharp = Reception(false_alarm_probability=0, amplitude_noise=False)
    assert sharp.false_alarm_probability == 0


def test_no_precision_is_that_of_the_pulse_and_an_empty_table_is_none_at_all(tmp_path):
    receiver = loaded(tmp_path, "receiver: {precision: []}").sensors[0].receiver
    assert (Reception().precision, receiver.precision) == (None, ())


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (
            "returns: {mode: stongest}",
            "returns.mode: got 'stongest', did you mean 'strongest'? (allowed: strongest, last,",
        ),
        ("returns: {mode: dual}", "returns.mode: got 'dual' (allowed: strongest, last, first,"),
        ("returns: {mode: on}", "returns.mode: got True (allowed: strongest"),
        ("returns: {max: 0}", "returns.max: must be greater than or equal to 1, got 0"),
        ("returns: {max: 9}", "returns.max: must be less than or equal to 8, got 9"),
        ("returns: {max: 2.5}", "returns.max: expected a whole number, got 2.5"),
        ("returns: {min_separation_m: -1}", "returns.min_separation_m: must be greater than or eq"),
        ("returns: {method: edge}", "returns.method: got 'edge'"),
        ("returns: {strongest_by: snr}", "returns.strongest_by: got 'snr' (allowed: signal, refl"),
        ("returns: {order: strenght}", "returns.order: got 'strenght', did you mean 'strength'?"),
        ("returns: strongest", "returns: expected keys and values, got 'strongest'"),
        ("reciever: {}", "reciever: unknown key, did you mean 'receiver'?"),
        ("receiver: {ambient_lx: 1}", "receiver.ambient_lx: unknown key, did you mean 'ambient_lu"),
        (
            "receiver: {sun_glare: true, amplitude_noise: false}",
            "receiver.sun_glare: needs amplitude_noise: true",
        ),
        ("returns: {reset: treshold}", "returns.reset: got 'treshold', did you mean 'threshold'?"),
        ("receiver: {ambient_lux: -1}", "receiver.ambient_lux: must be greater than or equal to 0"),
        (
            "receiver: {false_alarm_probability: 0.6}",
            "receiver.false_alarm_probability: must be less than or equal to 0.5, got 0.6",
        ),
        (
            "receiver: {false_alarm_probability: 0}",
            "receiver.false_alarm_probability: must be greater than 0 with amplitude_noise: true",
        ),
        (
            "receiver: {probability_at_limit: 1}",
            "receiver.probability_at_limit: must be less than or equal to 0.99, got 1",
        ),
        ("receiver: {near_range_m: -8}", "receiver.near_range_m: must be greater than or equal to"),
        ("receiver: {signal_spread: 3}", "receiver.signal_spread: must be less than or equal to 2"),
        (
            "receiver: {near_field: [[2, 10.1]]}",
            "receiver.near_field[0][1]: must be less than or eq",
        ),
        ("receiver: {near_range_m: 1.0e+30}", "receiver.near_range_m: must be less than or eq"),
        ("receiver: {near_field: [[2, 0]]}", "receiver.near_field[0][1]: must be greater than or"),
        (
            "receiver: {near_field: [[2, 0.5], [2, 1]]}",
            "receiver.near_field[1]: got range 2 m after 2 m, expected increasing ranges",
        ),
        ("receiver: {sunlight_share: 50}", "receiver.sunlight_share: must be less than or equal t"),
        ("receiver: {saturation: 0}", "receiver.saturation: must be greater than 0, got 0"),
        ("receiver: {walk_residual: 2}", "receiver.walk_residual: must be less than or equal to 1"),
        ("receiver: {amplitude_noise: 0}", "receiver.amplitude_noise: expected true or false, got"),
        ("receiver: {precision: 0.03}", "receiver.precision: expected a list, got 0.03"),
        ("receiver: {precision: [12, 0.1]}", "receiver.precision[0]: expected a list, got 12"),
        ("receiver: {precision: [[12]]}", "receiver.precision[0][1]: is missing"),
        ("receiver: {precision: [[0, 0.1]]}", "receiver.precision[0][0]: must be greater than 0"),
        ("receiver: {precision: [[12, 0]]}", "receiver.precision[0][1]: must be greater than 0"),
        (
            "receiver: {precision: [[12, 0.1], [12, 0.05]]}",
            "receiver.precision[1]: got signal-to-noise ratio 12 after 12, expected increasing",
        ),
        (
            "receiver: {precision: [[12, 0.1], [100, 0.03], [50, 0.02]]}",
            "receiver.precision[2]: got signal-to-noise ratio 50 after 100, expected increasing",
        ),
        (
            "receiver: {precision: [[12, 0.03], [100, 0.1]]}",
            "receiver.precision[1]: got sigma 0.1 m after 0.03 m, expected one that does not",
        ),
        (
            "receiver: {}, noise: {sigma_dark_m: 0.01}",
            "noise.sigma_dark_m: not allowed with receiver, whose range errors already grow",
        ),
        (
            "noise: {sigma_incidence_m: 0.01}, receiver: {precision: []}",
            "noise.sigma_incidence_m: not allowed with receiver, whose range errors already grow",
        ),
        (
            "noise: {sigma_dark_m: 0.01}, fidelity: physical",
            "noise.sigma_dark_m: not allowed with receiver",
        ),
    ],
)
def test_what_is_wrong_is_said_in_one_line(tmp_path, text, line):
    with one_line(ConfigurationError, f"config.yaml: sensors[0].{line}"):
        loaded(tmp_path, text)


@pytest.mark.parametrize("text", ["fidelity: ideal", "fidelity: physical, receiver: null"])
def test_errors_of_their_own_stay_allowed_without_a_receiver(tmp_path, text):
    noise = "noise: {sigma_dark_m: 0.01, sigma_incidence_m: 0.02}"
    sensor = loaded(tmp_path, f"{noise}, {text}").sensors[0]
    assert (sensor.receiver, sensor.noise.sigma_dark_m) == (None, 0.01)


def test_a_near_range_of_ones_own_takes_the_place_of_a_known_sensors_near_field(tmp_path):
    known = "preset: OS0-64, fidelity: physical"
    assert loaded(tmp_path, "receiver: {}", known).sensors[0].receiver.near_field
    own = loaded(tmp_path, "receiver: {near_range_m: 3}", known).sensors[0].receiver
    assert (own.near_field, own.near_range_m) == ((), 3)
