# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The configuration of how far a sensor sees: curves, several curves, the lidar range equation."""

import json
import math

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from osi_lidar.config import Config, load_config
from osi_lidar.errors import ConfigurationError
from tests.builders.strategies import TARGETS
from tests.builders.worlds import config_file

RANGE = "sensors: [{preset: OS1-128, max_range_m: 110, range_limit: {%s}}]"
PIECES = "{until_percent: 20, fit: root2, pairs: [[10, 60], [20, 70]]}"
OPTICS = "transmit_power_w: 75, aperture_diameter_m: 0.02, efficiency: 0.5, detection_threshold_w: "
WIRE = "target: line, beam_divergence_deg: 0.1, target_width_m: 0.01"


@pytest.mark.parametrize(
    ("text", "limits_m"),
    [
        ("pairs: [[10, 60], [80, 120]], fit: linear", [60, 68.571, 110]),
        (f"pieces: [{PIECES}, {{pairs: [[20, 70], [80, 110]]}}]", [60, 70, 110]),
        ("equation: {pairs: [[10, 60]], target: point}", [60, 71.352, 100.908]),  # 60 R^(1/4)
        # exp(2 g 40) = 8 (60 / 100)^3; r^3 exp(2 g r) = 2 * 60^3 exp(2 g 60), solved by halving
        ("equation: {pairs: [[10, 60], [80, 100]], target: line}", [60, 71.677, 100]),
        # sqrt(75 * 0.02^2 * 0.5 / 4 / 1e-7 R)
        (f"equation: {{{OPTICS}1e-7}}", [61.237, 86.603, 110]),
        # (0.015 * 0.01 / (pi * 0.1 deg) / 1e-7 R)^(1/3)
        (f"equation: {{{OPTICS}1e-7, {WIRE}}}", [30.132, 37.963, 60.263]),
    ],
)
def test_range_limit_is_a_curve_several_curves_or_the_range_equation(tmp_path, text, limits_m):
    sensor = load_config(config_file(tmp_path, RANGE % text)).sensors[0]
    limit = sensor.range_limit.limit(max_range_m=sensor.max_range_m)
    assert limit.max_range_m([0.1, 0.2, 0.8]) == pytest.approx(limits_m, abs=2e-3)


@pytest.mark.parametrize("extinction_per_km", [0, 0.5, 20])
def test_extinction_of_the_air_is_per_kilometre(tmp_path, extinction_per_km):
    text = f"equation: {{{OPTICS}1e-8, extinction_per_km: {extinction_per_km}}}"
    limit = load_config(config_file(tmp_path, RANGE % text)).sensors[0].range_limit.limit()
    range_m = float(limit.max_range_m(0.1))
    # 75 W * 0.02^2 m^2 * 0.5 / 4 * 0.1 / r^2 * exp(-2 g r) = 1e-8 W
    power_w = 3.75e-4 / range_m**2 * math.exp(-2e-3 * extinction_per_km * range_m)
    assert power_w == pytest.approx(1e-8, rel=1e-9)


@pytest.mark.parametrize(
    "text",
    [
        "equation: {pairs: [[1, 30]]}",
        "pieces: [{until_percent: 1, pairs: [[0.2, 5], [1, 20]]}, {pairs: [[1, 20], [80, 110]]}]",
    ],
)
def test_dark_targets_beside_others_are_percent(tmp_path, text):
    assert load_config(config_file(tmp_path, RANGE % text)).sensors[0].range_limit is not None


def test_every_range_limit_survives_json_and_loads_again(tmp_path):
    texts = (
        "pairs: [[10, 60], [80, 120]]",
        f"pieces: [{PIECES}, {{pairs: [[20, 70], [80, 110]]}}]",
        "equation: {pairs: [[10, 60]]}",
        f"equation: {{{OPTICS}1e-7}}",
    )
    for text in texts:
        config = load_config(config_file(tmp_path, RANGE % text))
        again = Config.model_validate(json.loads(json.dumps(config.resolved())))
        assert again.sensors[0].range_limit == config.sensors[0].range_limit


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (RANGE % "", ": needs exactly one of pairs, pieces and equation"),
        (
            RANGE % "pairs: [[10, 60], [80, 120]], equation: {pairs: [[10, 60]]}",
            ": needs exactly one of pairs, pieces and equation",
        ),
        (
            RANGE % "fit: root2, equation: {pairs: [[10, 60]]}",
            ".fit: is for pairs, but the range limit has equation",
        ),
        (
            RANGE % "pairs: [[0.1, 60], [0.8, 120]]",
            ".pairs: got reflectivities of 0.1 and 0.8 %, expected percent: did you mean 10 and 8",
        ),
        (
            RANGE % "equation: {pairs: [[0.1, 60]]}",
            ".equation.pairs: got reflectivities of 0.1 %, expected percent: did you mean 10?",
        ),
        (
            RANGE % "pieces: [{until_percent: 0.2, pairs: [[0.1, 60], [0.2, 70]]},"
            " {pairs: [[0.2, 70], [1, 110]]}]",
            ".pieces: got reflectivities of 0.1 and 0.2 and 1 %, expected percent: did you mean 10",
        ),
        (RANGE % "pieces: []", ".pieces: expected 1 or more entries, got"),
        (
            RANGE % f"pieces: [{PIECES}]",
            ".pieces: range limit: piece 1: until_percent 20, but the last",
        ),
        (
            RANGE % f"pieces: [{PIECES}, {PIECES}, {PIECES}]",
            ".pieces: range limit: piece 2: until_percent 20, expected ab",
        ),
        (
            RANGE % f"pieces: [{PIECES}, {{pairs: [[20, 30], [80, 40]]}}]",
            ".pieces: range limit: piece 2: begins with 30 m at 20 %, but",
        ),
        (
            RANGE % f"pieces: [{PIECES}, {{pairs: [[80, 60], [80, 80]]}}]",
            ".pieces[1].pairs: range limit: two pairs for 80 %, expected",
        ),
        (
            RANGE % "pieces: [{until_percnt: 20, pairs: [[10, 60], [20, 70]]}]",
            ".pieces[0].until_percnt: unknown key, did you mean 'until_pe",
        ),
        (RANGE % "equation: {}", ".equation.pairs: is missing"),
        (
            RANGE % "equation: 5",
            ".equation: expected keys and values, got 5",
        ),
        (
            RANGE % "equation: {transmit_power_w: 75, aperture_diameter_m: 0.02, efficiency: 1}",
            ".equation.detection_threshold_w: is missing",
        ),
        (
            RANGE % f"equation: {{{OPTICS}0}}",
            ".equation.detection_threshold_w: must be greater than 0, got",
        ),
        (
            RANGE % f"equation: {{{OPTICS}1e-7, target: line}}",
            ".equation.beam_divergence_deg: target line needs this",
        ),
        (
            RANGE % f"equation: {{{OPTICS}1e-7, target_area_m2: 1}}",
            ".equation.target_area_m2: target extended does not have this",
        ),
        (
            RANGE % "equation: {pairs: [[10, 60]], efficiency: 0.5}",
            ".equation.efficiency: unknown key (allowed: pairs, target, ",
        ),
        (
            RANGE % "equation: {pairs: [[10, 60], [80, 50]]}",
            ".equation.pairs: range equation: 50 m at 80 % is not more th",
        ),
        (
            RANGE % "equation: {pairs: [[10, 60]], target: poit}",
            ".equation.target: got 'poit', did you mean 'point'? (allowed",
        ),
    ],
)
def test_a_range_limit_that_cannot_be_is_refused_in_one_line(tmp_path, text, line):
    file = config_file(tmp_path, text)
    with pytest.raises(ConfigurationError) as caught:
        load_config(file)
    message = str(caught.value)
    assert message.startswith(f"{file}: sensors[0].range_limit{line}")
    assert "\n" not in message
    assert "more: " not in message


FITS = st.sampled_from(["linear", "root2", "root3", "root4", "log", "table"])
OPTICS_KEYS = ["transmit_power_w", "aperture_diameter_m", "efficiency", "detection_threshold_w"]
NUMBERS = st.one_of(st.floats(0.0), st.floats(1.0, 200.0), st.just(0.5))
PAIRS = st.lists(st.tuples(NUMBERS, NUMBERS).map(list), max_size=3)
CURVE = {"pairs": PAIRS, "fit": FITS}
PIECE = st.fixed_dictionaries(CURVE, optional={"until_percent": NUMBERS})
AIR = {"target": TARGETS, "extinction_per_km": NUMBERS}
SIZES = dict.fromkeys(["beam_divergence_deg", "target_width_m", "target_area_m2"], NUMBERS)
FITTED = st.fixed_dictionaries({"pairs": PAIRS}, optional=AIR)
OF_OPTICS = st.fixed_dictionaries(dict.fromkeys(OPTICS_KEYS, NUMBERS), optional=AIR | SIZES)
ANYTHING = NUMBERS | PAIRS | PIECE | FITTED | OF_OPTICS | st.text(max_size=3)
LIMITS = st.one_of(
    st.fixed_dictionaries(CURVE),
    st.fixed_dictionaries({"pieces": st.lists(PIECE, max_size=3)}),
    st.fixed_dictionaries({"equation": FITTED | OF_OPTICS}),
    st.dictionaries(st.sampled_from(["pairs", "fit", "pieces", "equation", "target"]), ANYTHING),
)
HUGE = dict.fromkeys(OPTICS_KEYS, 1e300) | {"efficiency": 1.0}
TINY = dict.fromkeys(OPTICS_KEYS, 1e-300)
CHECKS = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow]


@pytest.mark.long
@given(LIMITS)
@example({"equation": HUGE})
@example({"equation": TINY})
@example({"equation": {"pairs": [[1e-9, 1e-9], [1e9, 1e9]], "extinction_per_km": 1e300}})
@example({"pieces": [{"until_percent": 1e300, "pairs": [[1, 1], [2, 1e300]]}, {"pairs": []}]})
@settings(max_examples=200, deadline=None, suppress_health_check=CHECKS)
def test_whatever_a_range_limit_is_it_loads_or_gives_one_line(tmp_path, data):
    sensor = {"preset": "OS1-128", "range_limit": data}
    file = config_file(tmp_path, json.dumps({"sensors": [sensor]}))
    try:
        limit = load_config(file).sensors[0].range_limit
    except ConfigurationError as error:
        assert len(str(error).splitlines()) == 1  # noqa: PT017
    else:
        assert 0.0 <= limit.limit(max_range_m=200.0).max_range_m(0.5) <= 200.0
