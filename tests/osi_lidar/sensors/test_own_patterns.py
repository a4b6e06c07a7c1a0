# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Patterns of the user's own in a configuration: formulas, and functions of a Python file."""

import numpy as np
import pytest

from osi_lidar import LidarModel, load_config
from osi_lidar.config import named_paths
from osi_lidar.config.patterns.texts import pattern_of_text
from osi_lidar.errors import ConfigurationError
from raycore.pattern.curves import lissajous
from tests.builders.messages import frames
from tests.commands import assert_one_line, run
from tests.osi_lidar.sensors.one_pattern import config_of, source_of

EIGHT = (
    "{kind: formula, azimuth_deg: width * sin(2 * pi * f * t), elevation_deg: 10 * sin(4*pi*f*t), "
    "parameters: {width: 30, f: 40}, pulse_hz: 10000}"
)
ZIGZAG = """
from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass
class Mirror:
    wide_rad: float


def zigzag(start_s, duration_s, *, n=4, wide_rad=0.1):
    turn = np.where(np.arange(n) % 2, 1, -1)
    return np.arange(n) / n * duration_s, Mirror(wide_rad).wide_rad * turn + start_s, np.zeros(n)


def broken(start_s, duration_s):
    return 1 / 0


NUMBER = 5
"""


def test_a_formula_is_the_curve_that_it_says(tmp_path):
    beams = source_of(tmp_path, EIGHT).at(0.0)
    curve = lissajous(
        azimuth_span_rad=np.radians(60),
        elevation_span_rad=np.radians(20),
        azimuth_rate_hz=40,
        elevation_rate_hz=80,
        pulse_rate_hz=10000,
        period_s=0.1,
    )
    assert beams.n_beams == 1000
    np.testing.assert_array_equal(beams.time_s, curve.time_s)
    np.testing.assert_allclose(beams.azimuth_rad, curve.azimuth_rad, atol=1e-14)
    np.testing.assert_allclose(beams.elevation_rad, curve.elevation_rad, atol=1e-14)


def test_a_formula_repeats_unless_it_names_the_start_of_the_scan(tmp_path):
    source = source_of(tmp_path, EIGHT)
    assert source.at(0.0) is source.at(0.3)
    turning = "{kind: formula, azimuth_deg: -900 * (start_s + t), elevation_deg: 5, pulse_hz: 1000}"
    source = source_of(tmp_path, turning, rotation_rate_hz=20)
    beams = source.at(0.05)
    expected_deg = -900 * (0.05 + np.arange(50) / 1000)
    np.testing.assert_allclose(beams.azimuth_rad, np.radians(expected_deg), atol=1e-12)
    np.testing.assert_allclose(beams.elevation_rad, np.radians(5))
    assert source.at(0.4).azimuth_rad[0] == pytest.approx(0.0, abs=1e-12)  # a turn in 0.4 s


def test_a_formula_knows_the_duration_of_a_scan(tmp_path):
    pattern = "{kind: formula, azimuth_deg: 90 * t / period_s, elevation_deg: 0, pulse_hz: 1000}"
    beams = source_of(tmp_path, pattern, rotation_rate_hz=20).at(0.0)
    np.testing.assert_allclose(np.degrees(beams.azimuth_rad), np.arange(50) * 1.8, atol=1e-12)


def test_both_kinds_can_be_selected_while_a_model_runs(tmp_path):
    (tmp_path / "zigzag.py").write_text(ZIGZAG)
    model = LidarModel(load_config(config_of(tmp_path, EIGHT)))
    (lidar,) = model.lidars
    first, second, third = frames([[]] * 3, host_id=None)
    counts = {}
    for frame, text in (
        (first, EIGHT),
        (second, EIGHT.replace("10000", "500")),
        (third, "{kind: python, file: zigzag.py, function: zigzag, options: {n: 7}}"),
    ):
        lidar.use_pattern(pattern_of_text(text, folder=tmp_path, period_s=0.1))
        model.step(frame)
        counts[frame.index] = lidar.pattern.n_beams
    assert counts == {0: 1000, 1: 50, 2: 7}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (("* t)", "* x)"), ["pattern.azimuth_deg: column 26 of", "unknown name 'x' (known: t,"]),
        (("10 *", "10 ^"), ["pattern.elevation_deg: column 1 of", "expected **"]),
        (("width *", "200 * 1e308 *"), ["azimuth_deg", "at t = 0 s, expected a finite"]),
        (("10 *", "91 *"), ["sensor s: elevation_deg: '91 * sin(4*pi*f*t)'", "expected -90 to 90"]),
        (("width:", "t:"), ["pattern.parameters.t: already has a meaning in formulas"]),
        (("width:", "sin:"), ["pattern.parameters.sin: already has a meaning"]),
        (("width:", "2w:"), ["pattern.parameters.2w: not a name, expected letters"]),
        (("30", ".nan"), ["pattern.parameters.width", "nan"]),
        (("10000", "1"), ["1 pulses/s give no pulse in a scan of 0.1 s"]),
        (("10 * sin(4*pi*f*t)", "[1]"), ["pattern.elevation_deg: expected a text"]),
        (("10 * sin(4*pi*f*t)", "true"), ["pattern.elevation_deg: expected a text"]),
    ],
)
def test_a_formula_that_is_wrong_is_one_line(tmp_path, change, words):
    path = config_of(tmp_path, EIGHT.replace(*change))
    assert_one_line(run("check", "--config", path), 2, *words)


def test_a_function_of_a_file_is_asked_for_every_scan(tmp_path):
    (tmp_path / "zigzag.py").write_text(ZIGZAG)
    pattern = "{kind: python, file: zigzag.py, function: zigzag, options: {n: 6, wide_rad: 0.2}}"
    source = source_of(tmp_path, pattern)
    np.testing.assert_allclose(source.at(0.0).azimuth_rad, [-0.2, 0.2] * 3)
    np.testing.assert_allclose(source.at(0.5).azimuth_rad, [0.3, 0.7] * 3)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["config.yaml", "zigzag.py"]


def test_a_file_that_has_changed_is_read_anew(tmp_path):
    file = tmp_path / "zigzag.py"
    pattern = "{kind: python, file: zigzag.py, function: zigzag}"
    for n in (4, 5):
        file.write_text(ZIGZAG.replace("n=4", f"n={n}"))
        assert source_of(tmp_path, pattern).at(0.0).n_beams == n


def test_the_file_is_named_with_the_others_of_a_configuration(tmp_path):
    (tmp_path / "zigzag.py").write_text(ZIGZAG)
    pattern = "{kind: python, file: zigzag.py, function: zigzag}"
    config = load_config(config_of(tmp_path, pattern))
    assert dict(named_paths(config))["sensors[0].pattern.file"] == tmp_path / "zigzag.py"


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ("file: zigzag.py, function: zigzak", ["no function 'zigzak', did you mean 'zigzag'?"]),
        ("file: zigzag.py, function: foo", ["has no function 'foo' (its functions: zigzag, bro"]),
        ("file: zigzag.py, function: NUMBER", ["zigzag.py: 'NUMBER' is a int, expected a functi"]),
        ("file: zigzag.py, function: __loader__", ["has no function '__loader__'"]),
        ("file: zigzag.py, function: broken", ["zigzag.py: broken', scan at 0 s: raised ZeroDiv"]),
        ("file: zigzag.py, function: broken", ["division by zero (line 20)"]),
        ("file: zigzag.py, function: zigzag, options: {m: 1}", ["unexpected keyword argument 'm'"]),
        ("file: syntax.py, function: f", ["syntax.py: cannot be run: SyntaxError: ", "line 1"]),
        ("file: raising.py, function: f", ["raising.py: cannot be run: SystemExit: 3 (line 2)"]),
        ("file: binary.py, function: f", ["binary.py: cannot be run: "]),
        ("file: zigzag.py", ["pattern.function: is missing"]),
    ],
)
def test_a_file_that_cannot_be_used_is_one_line(tmp_path, keys, words):
    texts = {"zigzag": ZIGZAG, "syntax": "def f(:", "raising": "\nraise SystemExit(3)\n"}
    for name, text in texts.items():
        (tmp_path / f"{name}.py").write_text(text)
    (tmp_path / "binary.py").write_bytes(bytes(range(256)))
    path = config_of(tmp_path, f"{{kind: python, {keys}}}")
    assert_one_line(run("check", "--config", path), 2, *words)


def test_a_file_that_is_not_there_is_named_where_a_running_model_asks_for_it(tmp_path):
    text = "{kind: python, file: nope.py, function: f}"
    with pytest.raises(ConfigurationError, match=r"nope\.py: no such file$"):
        pattern_of_text(text, folder=tmp_path, period_s=0.1)
