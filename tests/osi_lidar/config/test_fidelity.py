# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""``fidelity: physical``: what is filled from the known sensor, and what the user's keys keep."""

import json

import pytest

from osi_lidar.config import (
    Beam,
    Config,
    Noise,
    Reception,
    Sensor,
    default_config,
    revised_config,
)
from osi_lidar.config.fidelity import SECTIONS
from osi_lidar.sensors.configured_sensors import ready_names
from osi_lidar.sensors.presets import load_preset, preset_names

ANGLES = {"min_deg": -5, "max_deg": 5, "step_deg": 1}
DESCRIBED = {"pattern": {"kind": "grid", "horizontal": ANGLES, "vertical": ANGLES}}


def physical(preset="VLP-16", **keys):
    return Sensor.model_validate({"preset": preset, "fidelity": "physical", **keys})


def test_ideal_fills_nothing():
    sensor = default_config("OS1-128").sensors[0]
    assert sensor.fidelity == "ideal"
    assert all(getattr(sensor, name) is None for name in SECTIONS)


def test_physical_takes_the_figures_of_the_preset():
    sensor = physical("OS1-128")
    assert (sensor.beam.divergence_deg, sensor.beam.window_m) == ((0.18, 0.18), (0.01, 0.01))
    assert (sensor.beam.width, sensor.beam.sub_rays) == ("fwhm", 16)
    assert sensor.receiver.precision[0] == (7.774, 0.029)
    assert (sensor.receiver.probability_at_limit, sensor.receiver.reported) == (0.9, "peak")
    assert sensor.returns.mode == "strongest"
    assert (sensor.noise.quantisation_m, sensor.noise.range_sigma_m) == (0.001, 0)
    assert sensor.pulse is None  # not known


def test_a_range_noise_for_all_signals_takes_the_place_of_the_precision():
    sensor = physical("Puck-HiRes")
    assert (sensor.noise.range_sigma_m, sensor.receiver.precision) == (0.008, ())
    assert sensor.pulse.fwhm_ns == 6.0


def test_a_measured_range_noise_takes_the_place_of_that_for_all_signals():
    sensor = physical("VLP-16")
    assert (sensor.noise.range_sigma_m, sensor.receiver.precision) == (0, ())
    assert sensor.noise.reflectivity_table[0] == (0.005, 0.0155)
    sensor = physical("HDL-64E")
    assert (sensor.noise.range_sigma_m, sensor.receiver.precision) == (0, ())
    assert sensor.noise.depth_table == ((20, 0, 0.0086), (25, 0, 0.015))
    assert sensor.noise.range_bias_sigma_m == 0.025


@pytest.mark.parametrize(
    "own", [{"range_sigma_m": 0.05}, {"reflectivity_table": [[0.1, 0.05]]}, {"depth_table": []}]
)
@pytest.mark.parametrize("name", ["VLP-16", "HDL-64E", "Puck-HiRes"])
def test_a_range_noise_of_ones_own_takes_the_place_of_the_known_one(name, own):
    figures = Noise.model_validate(load_preset(name).physical()["noise"])
    noise = physical(name, noise=own).noise
    for key in ("range_sigma_m", "depth_table", "reflectivity_table"):
        assert getattr(noise, key) == getattr(Noise.model_validate(own), key)
    assert noise.range_bias_sigma_m == figures.range_bias_sigma_m
    assert noise.quantisation_m == figures.quantisation_m


@pytest.mark.parametrize("precision", [None, [[10, 0.1]]])
def test_a_precision_of_ones_own_takes_the_place_of_the_noise_by_reflectivity(precision):
    noise = physical(receiver={"precision": precision}).noise
    assert (noise.reflectivity_table, noise.quantisation_m) == ((), 0.002)


def test_exact_ranges_of_the_receiver_keep_the_measured_scatter():
    assert physical(receiver={"precision": []}).noise == physical().noise


def test_keys_of_ones_own_win_one_by_one():
    sensor = physical(
        beam={"sub_rays": 64},
        returns={"mode": "last"},
        receiver={"precision": None, "ambient_lux": 0},
        noise={"quantisation_m": 0, "drop_probability": 0.1},
    )
    assert (sensor.beam.sub_rays, sensor.beam.width) == (64, "e2")
    assert sensor.beam.divergence_deg == (0.18, 0.09)
    assert sensor.returns.mode == "last"
    assert (sensor.receiver.precision, sensor.receiver.ambient_lux) == (None, 0)
    noise = sensor.noise
    assert (noise.quantisation_m, noise.drop_probability) == (0, 0.1)


def test_errors_of_ones_own_lasers_take_the_place_of_the_presets():
    noise = physical("HDL-64E", noise={"range_bias_m": [0.01] * 64}).noise
    assert (noise.range_bias_sigma_m, noise.quantisation_m) == (0.0, 0.002)


def test_a_divergence_of_ones_own_is_not_measured_as_that_of_the_preset():
    assert physical(beam={"divergence_deg": 0.5}).beam.width == "fwhm"
    assert physical(beam={"divergence_deg": 0.5, "width": "e2"}).beam.width == "e2"
    assert physical(beam={"window_m": 0.01}).beam.width == "e2"


def test_models_are_completed_as_mappings_are():
    sensor = physical(beam=Beam(sub_rays=32), receiver=Reception(ambient_lux=5.0))
    assert (sensor.beam.sub_rays, sensor.beam.divergence_deg) == (32, (0.18, 0.09))
    assert (sensor.receiver.ambient_lux, sensor.receiver.precision) == (5.0, ())


@pytest.mark.parametrize("name", SECTIONS)
def test_null_leaves_a_section_out(name):
    sensor = physical(**{name: None})
    assert getattr(sensor, name) is None
    assert all(getattr(sensor, other) is not None for other in SECTIONS if other != name)


@pytest.mark.parametrize("keys", [{"preset": "AT128"}, DESCRIBED])
def test_without_a_known_beam_only_the_receiver_is_switched_on(keys):
    sensor = Sensor.model_validate({"fidelity": "physical", **keys})
    assert sensor.receiver == Reception()
    assert (sensor.beam, sensor.pulse, sensor.noise) == (None, None, None)


def test_ready_sensors_bring_their_own_figures_and_those_of_their_preset():
    livox = physical("Livox-Avia")
    assert (livox.beam.divergence_deg, livox.pulse.fwhm_ns) == ((0.03, 0.28), 4.0)
    assert (livox.returns.mode, livox.returns.n_most) == ("all", 3)
    rotating = physical("BlenSor-Rotating")  # an HDL-64E with noise of its own
    assert rotating.beam == physical("HDL-64E").beam
    assert (rotating.noise.range_sigma_m, rotating.noise.quantisation_m) == (0.01, 0.002)
    assert (rotating.noise.depth_table, rotating.noise.range_bias_sigma_m) == ((), 0.078)


@pytest.mark.parametrize("name", [*preset_names(), *ready_names()])
def test_every_known_sensor_is_valid_when_physical_and_survives_json(name):
    config = Config.model_validate({"sensors": [{"preset": name, "fidelity": "physical"}]})
    assert config.sensors[0].receiver is not None
    again = Config.model_validate(json.loads(json.dumps(config.resolved())))
    assert again.sensors == config.sensors
    assert again.resolved() == config.resolved()


def test_a_resolved_configuration_can_still_be_made_physical():
    ideal = default_config("OS1-128")
    again = revised_config(ideal, {("sensors", 0, "fidelity"): "physical"}).sensors[0]
    assert again.beam == physical("OS1-128").beam
    out = revised_config(
        ideal, {("sensors", 0, "fidelity"): "physical", ("sensors", 0, "beam"): None}
    )
    assert out.sensors[0].beam is None
    assert revised_config(out, {("seed",): 7}).sensors[0].beam is None
