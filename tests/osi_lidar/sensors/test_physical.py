# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Figures of known sensors for ``fidelity: physical``, and what is unknown of them."""

from typing import get_args

import pytest

from osi_lidar.config import Beam, Noise, Pulse, Reception, ReturnSelection, Sensor
from osi_lidar.config.receiver import Mode
from osi_lidar.sensors.configured_sensors import ready_names, ready_sensor
from osi_lidar.sensors.physical import BeamFigures
from osi_lidar.sensors.presets import load_preset, preset_names
from tests.commands import run

SECTIONS = {
    "beam": Beam,
    "pulse": Pulse,
    "returns": ReturnSelection,
    "receiver": Reception,
    "noise": Noise,
}


@pytest.mark.parametrize("name", preset_names())
def test_every_figure_is_a_valid_key(name):
    preset = load_preset(name)
    figures = preset.physical()
    assert "receiver" in figures
    assert all(SECTIONS[section].model_validate(keys) for section, keys in figures.items())
    assert set(preset.return_modes) <= set(get_args(Mode))


@pytest.mark.parametrize("name", preset_names())
def test_modes_agree_with_the_number_of_returns(name):
    preset = load_preset(name)
    for mode in preset.return_modes:
        selection = ReturnSelection(mode=mode, max=preset.max_returns)
        assert selection.n_most <= preset.max_returns
    assert len(set(preset.return_modes)) == len(preset.return_modes)


@pytest.mark.parametrize("name", [*preset_names(), *ready_names()])
def test_what_is_unknown_is_a_key_with_one_line_of_reason(name):
    known = ready_sensor(name) or load_preset(name)
    for key, reason in known.unknown.items():
        section, _, inner = key.partition(".")
        assert not inner or inner in SECTIONS[section].model_fields
        assert section in Sensor.model_fields
        assert len(reason) > 10, "say where the figure was looked for"
        assert "\n" not in reason.strip()


@pytest.mark.parametrize("name", preset_names())
def test_a_section_without_a_figure_says_so(name):
    preset = load_preset(name)
    figures = preset.physical()
    for section in ("beam", "pulse"):
        assert (section in figures) == (section not in preset.unknown)
    if "returns" not in figures:
        assert "returns.mode" in preset.unknown
    if "precision" not in figures["receiver"]:
        assert "receiver.precision" in preset.unknown


@pytest.mark.parametrize(
    ("name", "divergence_deg", "kind", "pulse_ns", "modes"),
    [
        ("VLP-16", (0.18, 0.09), "e2", 4.5, "strongest last last_strongest"),  # Q1, E12
        ("VLP-32C", (0.18, 0.09), "e2", None, "strongest last last_strongest"),  # Q2
        ("VLS-128", (0.18, 0.09), "e2", None, "strongest last last_strongest"),  # Q3
        ("HDL-32E", (0.1719, 0.1719), "e2", None, ""),  # Q4: 0.003 rad
        ("HDL-64E", (0.1146, 0.1146), "e2", 5, ""),  # 2 mrad
        # fitted to recordings, benchmarks/real/desks.py
        ("Pandar64", (0.1, 0.1), "e2", 5.5, "strongest last last_strongest"),
        ("Pandar40P", (0.1, 0.1), "e2", 5.0, "strongest last last_strongest"),
        ("OS1-16", (0.13, 0.13), "fwhm", None, "strongest"),  # Q6
        ("OS1-128", (0.18, 0.18), "fwhm", None, "strongest"),  # Q7
        ("Ibeo-LUX-4L", (0.08, 0.784), "rectangle", 4.5, "all"),  # Q15, E16
    ],
)
def test_figures_are_those_of_the_sources(name, divergence_deg, kind, pulse_ns, modes):
    preset = load_preset(name)
    beam = preset.beam
    assert beam.divergence_deg == divergence_deg
    assert kind == (beam.width if beam.profile == "gaussian" else beam.profile)
    assert preset.pulse_fwhm_ns == pulse_ns
    assert " ".join(preset.return_modes) == modes


@pytest.mark.parametrize("name", ["AT128", "OS2-128", "Pandar128", "QT128"])
def test_beams_without_a_source_are_left_out(name):
    preset = load_preset(name)
    assert preset.beam is None
    assert "no beam" in preset.unknown["beam"]


@pytest.mark.parametrize(
    ("name", "separation_m"),  # T5b: the least of recordings; that of the VLS-128 is its manual's
    [("VLP-16", 1.19), ("Pandar64", 0.84), ("Pandar40P", 0.81), ("XT32", 0.4), ("OS0-128", 0.76),
     ("QT128", 0.64), ("VLS-128", 1.0)],
)  # fmt: skip
def test_echoes_are_as_far_apart_as_recorded(name, separation_m):
    assert load_preset(name).physical()["returns"]["min_separation_m"] == separation_m


@pytest.mark.parametrize("name", ["Pandar64", "Pandar40P", "XT32", "XT16", "QT64"])
def test_ranges_are_those_of_the_centre_where_recordings_have_points_between_surfaces(name):
    assert load_preset(name).physical()["returns"]["method"] == "centroid"


def test_figures_of_a_beam_have_a_source():
    with pytest.raises(ValueError, match="source"):
        BeamFigures(divergence_deg=(0.1, 0.1))


def test_the_command_shows_what_is_known_unknown_and_assumed():
    shown = " ".join(run("sensors", "VLP-16").output.split())
    for word in ("beam", "pulse", "return_modes", "beam.width", "unknown", "assumed", "near_range"):
        assert word in shown, word
    assert "false_alarm_probability" in run("sensors", "OS1-128", "--json").output
    assert "divergence_deg" in run("sensors", "Livox-Mid-70", "--json").output
