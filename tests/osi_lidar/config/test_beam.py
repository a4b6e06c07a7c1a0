# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The configuration of a sensor's beam and pulse: what widths mean, and what is refused."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from osi_lidar.config import Beam, Pulse, load_config
from osi_lidar.config.beam import MAX_DIVERGENCE_DEG, MAX_WINDOW_M
from osi_lidar.errors import ConfigurationError
from tests.builders.worlds import config_file

WIDTHS_DEG = st.floats(0.0, MAX_DIVERGENCE_DEG)
WIDTHS_M = st.floats(0.0, MAX_WINDOW_M)


def loaded(folder, text):
    return load_config(config_file(folder, f"sensors: [{{preset: VLP-16, {text}}}]")).sensors[0]


def test_a_sensor_has_no_beam_and_no_pulse_unless_told(tmp_path):
    sensor = loaded(tmp_path, "columns: 100")
    assert (sensor.fidelity, sensor.beam, sensor.pulse) == ("ideal", None, None)


def test_kinds_of_width_are_told_apart():
    # OS1-128: 0.18° FWHM = 3.14 mrad = sigma 1.334 mrad = 0.306° at 1/e² (physics.md, U1)
    beam = Beam(divergence_deg=0.18)
    assert beam.sigma_rad == pytest.approx((1.334e-3, 1.334e-3), rel=3e-4)
    assert beam.full_width_rad == pytest.approx((3.1416e-3, 3.1416e-3), rel=1e-5)
    wide = Beam(divergence_deg=0.306, width="e2")
    assert wide.sigma_rad == pytest.approx(beam.sigma_rad, rel=2e-3)
    # HDL-64E: 2 mrad FWHM = 3.4 mrad at 1/e² (U1)
    narrow = Beam(divergence_deg=math.degrees(2e-3))
    at_e2 = Beam(divergence_deg=math.degrees(3.4e-3), width="e2")
    assert narrow.sigma_rad == pytest.approx(at_e2.sigma_rad, rel=1e-3)


def test_one_width_is_for_both_directions_and_the_window_is_measured_as_the_angle():
    beam = Beam(divergence_deg=[0.18, 0.09], width="e2", window_m=0.0127)
    assert beam.sigma_rad[0] == pytest.approx(2 * beam.sigma_rad[1])
    assert beam.window_sigma_m == (0.0127 / 4, 0.0127 / 4)


@pytest.mark.parametrize("profile", ["uniform", "rectangle"])
@pytest.mark.parametrize("width", ["fwhm", "e2"])
def test_profiles_with_edges_have_them_at_two_sigma_whatever_the_kind_of_width(profile, width):
    beam = Beam(divergence_deg=[0.08, 0.784], window_m=0.01, width=width, profile=profile)
    edges_rad = [2 * 2 * sigma_rad for sigma_rad in beam.sigma_rad]
    assert edges_rad == pytest.approx([math.radians(0.08), math.radians(0.784)])
    assert beam.full_width_rad == pytest.approx(edges_rad)
    assert beam.window_sigma_m == (0.0025, 0.0025)


@given(WIDTHS_DEG, WIDTHS_DEG, WIDTHS_M)
def test_a_full_width_at_half_maximum_comes_back(horizontal_deg, vertical_deg, window_m):
    beam = Beam(divergence_deg=[horizontal_deg, vertical_deg], window_m=window_m)
    expected = (math.radians(horizontal_deg), math.radians(vertical_deg))
    assert beam.full_width_rad == pytest.approx(expected, rel=1e-12)
    # half of the maximum is where exp(-x² / 2 sigma²) = 1/2, at half the width
    for width, sigma in zip(expected, beam.sigma_rad, strict=True):
        if sigma > 1e-100:
            assert math.exp(-((width / 2 / sigma) ** 2) / 2) == pytest.approx(0.5)


def test_a_beam_without_a_width_is_a_line():
    assert Beam().sigma_rad == Beam().window_sigma_m == (0.0, 0.0)


def test_the_pulse_of_5_ns_has_a_third_of_a_metre():
    assert Pulse().sigma_m == pytest.approx(0.3183, abs=5e-5)  # c 5 ns / 2.3548 / 2 (physics.md, 1)
    assert Pulse(fwhm_ns=10.0).sigma_m == pytest.approx(2 * Pulse().sigma_m)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("beam: 0.18", "beam: expected keys and values, got 0.18"),
        ("beam: {divergence: 1}", "beam.divergence: unknown key, did you mean 'divergence_deg'?"),
        (
            "beam: {divergence_deg: -0.1}",
            "beam.divergence_deg: must be greater than or equal to 0, got -0.1",
        ),
        (
            "beam: {divergence_deg: [0.1, -0.1]}",
            "beam.divergence_deg[1]: must be greater than or equal to 0, got -0.1",
        ),
        ("beam: {divergence_deg: 200}", "beam.divergence_deg: must be less than or equal to 20"),
        ("beam: {divergence_deg: [0.1]}", "beam.divergence_deg[1]: is missing"),
        ("beam: {divergence_deg: [1, 1, 1]}", "beam.divergence_deg: expected 2 entries, got 3"),
        ("beam: {divergence_deg: .nan}", "beam.divergence_deg: expected a finite number, got nan"),
        ("beam: {divergence_deg: narrow}", "beam.divergence_deg: expected a number, got 'narrow'"),
        ("beam: {divergence_deg: on}", "beam.divergence_deg: expected a number, got True"),
        ("beam: {window_m: -1}", "beam.window_m: must be greater than or equal to 0, got -1"),
        ("beam: {window_m: [12.7, 0.01]}", "beam.window_m[0]: must be less than or equal to 1"),
        ("beam: {width: fwmh}", "beam.width: got 'fwmh', did you mean 'fwhm'? (allowed: fwhm, e2)"),
        ("beam: {profile: gausian}", "beam.profile: got 'gausian', did you mean 'gaussian'?"),
        ("beam: {sub_rays: 17}", "beam.sub_rays: got 17 (allowed: 16, 32, 64, 128)"),
        ("beam: {sub_rays: -16}", "beam.sub_rays: got -16, did you mean '16'? (allowed: 16, 32"),
        ("pulse: {fwhm_ns: 0}", "pulse.fwhm_ns: must be greater than or equal to 0.01, got 0"),
        ("pulse: {fwhm_ns: -5}", "pulse.fwhm_ns: must be greater than or equal to 0.01, got -5"),
        ("pulse: {fwhm_ns: 5.0e-9}", "pulse.fwhm_ns: must be greater than or equal to 0.01, got"),
        ("pulse: 5", "pulse: expected keys and values, got 5"),
        ("fidelity: phisical", "fidelity: got 'phisical', did you mean 'physical'?"),
    ],
)
@pytest.mark.parametrize("fidelity", ["", "fidelity: physical, "])
def test_what_is_wrong_is_said_in_one_line(tmp_path, fidelity, text, line):
    if "fidelity" in text:
        fidelity = ""
    with pytest.raises(ConfigurationError) as caught:
        loaded(tmp_path, fidelity + text)
    assert f"config.yaml: sensors[0].{line}" in str(caught.value)
    assert "\n" not in str(caught.value)
    assert "more: " not in str(caught.value)
