# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""What a master changes between steps: pattern and motion switches of the first sensor."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from fmpy import read_model_description

from fmu_src.errors import BuildError
from fmu_src.exporter import build_fmu
from fmu_src.tuning import tune
from osi_bridge import FrameDecoder
from osi_lidar.config import load_config
from osi_lidar.config.patterns.texts import pattern_of_text
from osi_lidar.errors import ConfigurationError, InputError
from osi_lidar.model import LidarModel
from osi_lidar.run.fmu import Fmu
from tests.builders.messages import Thing, host, message
from tests.builders.refusals import one_line
from tests.builders.worlds import RASTER, config_file
from tests.fmu.driving import (
    DATA,
    STEP_S,
    complaints,
    direct,
    parsed,
    running,
    step,
    without_times,
)

ROSETTE = json.dumps(
    {"kind": "rosette", "radius_deg": 9, "radial_hz": 33.3, "rotation_hz": 7, "pulse_hz": 500}
)
PAIRS = "{kind: pairs, azimuth_elevation_deg: [[0, -5], [1, -6], [2, -7]]}"
SENSORS = f"sensors: [{{name: a, pattern: {RASTER}}}, {{name: b, pattern: {RASTER}}}]\n"
FIRST, SECOND = 0, 1
ERROR = 3  # fmi2Error


def driving(n_messages=6):
    """Return messages in which the host drives towards a car that crosses."""
    return [
        message(
            [host(x_m=0.5 * n), Thing(2, (15.0, n - 3.0, 0.75))],
            time_s=STEP_S * n,
        )
        for n in range(n_messages)
    ]


MESSAGES = driving()


@pytest.fixture(scope="module")
def fmu_and_config(tmp_path_factory, way):
    folder = tmp_path_factory.mktemp("tuned")
    config = config_file(folder, SENSORS)
    return way.build(config=config, out=folder), config


@pytest.fixture
def fmu(fmu_and_config):
    return fmu_and_config[0]


@pytest.fixture
def model(fmu_and_config):
    return LidarModel(load_config(fmu_and_config[1]))


def answers_of(model, messages, before_step):
    """Return the answers of a model in which something is done before some steps."""
    decoder, answers = FrameDecoder("SensorView"), []
    for index, data in enumerate(messages):
        before_step.get(index, lambda: None)()
        answers.append(without_times(model.step(decoder.decode(data, index)).sensor_data))
    return answers


def source(text):
    return pattern_of_text(text, folder=Path(), period_s=0.1)


def detections(data, sensor=FIRST):
    return parsed(data).feature_data.lidar_sensor[sensor].detection


def test_description_says_what_is_tunable(fmu):
    variables = read_model_description(str(fmu)).modelVariables
    tunable = {each.name for each in variables if each.variability == "tunable"}
    assert tunable == {"pattern", "rolling_shutter", "motion_blur", "weather"}


def test_patterns_and_switches_between_steps_act_as_in_the_model(fmu, model):
    (lidar, _) = model.lidars
    original = lidar.pattern
    changes = {
        1: ("pattern", ROSETTE, lambda: lidar.use_pattern(source(ROSETTE))),
        2: ("pattern", PAIRS, lambda: lidar.use_pattern(source(PAIRS))),
        3: ("pattern", "", lambda: lidar.use_pattern(original)),
        4: ("rolling_shutter", False, lambda: lidar.timing.use_motion(rolling_shutter=False)),
        5: ("motion_blur", False, lambda: lidar.timing.use_motion(motion_blur=False)),
    }
    expected = answers_of(model, MESSAGES, {at: change for at, (*_, change) in changes.items()})
    log, answers = [], []
    with running(fmu, log) as one:
        for index, data in enumerate(MESSAGES):
            if index in changes:
                name, value, _ = changes[index]
                one.set(name, value)
                assert one.get(name) == value
            answers.append(without_times(step(one, data, index)))
    assert answers == expected
    assert len(set(answers)) == len(answers)
    assert complaints(log) == []


def test_other_sensors_keep_their_patterns(fmu):
    with running(fmu) as one, running(fmu, pattern=PAIRS) as tuned:
        plain, changed = (step(each, MESSAGES[0]) for each in (one, tuned))
    assert detections(plain, SECOND) == detections(changed, SECOND)
    assert detections(plain) == detections(plain, SECOND)
    assert len(detections(changed)) == 3


def test_set_before_initialization_they_hold_from_the_first_step_on(fmu, model):
    (lidar, _) = model.lidars
    lidar.use_pattern(source(ROSETTE))
    lidar.timing.use_motion(motion_blur=False)
    expected = answers_of(model, MESSAGES, {})
    with running(fmu, pattern=ROSETTE, motion_blur=False) as one:
        answers = [without_times(step(one, data, index)) for index, data in enumerate(MESSAGES)]
    assert answers == expected


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{kind: roset}", "pattern: got kind 'roset', did you mean 'rosette'"),
        (ROSETTE.replace("500", "-5"), "pattern.pulse_hz: must be greater than 0, got -5"),
        (ROSETTE.replace("500", "1"), "pattern: "),
        ("{kind: rosette", "pattern:1:15: "),
        ("nope.yaml", "nope.yaml: no such file"),
        ("{kind: pairs, file: nope.csv}", "nope.csv: "),
        ("100% of \n %s: [", "pattern:2:4: mapping values"),
    ],
)
def test_wrong_pattern_is_one_error_in_the_log_and_the_old_one_stays(fmu, model, text, words):
    (lidar, _) = model.lidars
    expected = answers_of(model, MESSAGES[:3], {1: lambda: lidar.use_pattern(source(PAIRS))})
    log = []
    with running(fmu, log) as one:
        answers = [step(one, MESSAGES[0])]
        one.set("pattern", PAIRS)
        answers.append(step(one, MESSAGES[1], 1))
        one.set("pattern", text)
        assert one.get("pattern") == PAIRS
        answers.append(step(one, MESSAGES[2], 2))
    (line,) = complaints(log)
    assert line.startswith("pattern is unchanged: ")
    assert words in line
    assert list(map(without_times, answers)) == expected


def test_wrong_pattern_has_the_status_of_an_error(fmu):
    found = []
    with Fmu(fmu, on_log=lambda status, text: found.append((status, text))) as one:
        one.initialize()
        found.clear()
        one.set("pattern", "nope.yaml")
    status, text = found[-1]
    assert status == ERROR
    assert "nope.yaml" in text


def test_wrong_pattern_at_the_start_fails_the_initialization(fmu):
    log = []
    with pytest.raises(InputError), running(fmu, log, pattern="{kind: roset}"):
        pass
    assert "pattern: got kind 'roset'" in log[0], log


def test_a_change_waits_for_the_next_message(fmu):
    with running(fmu) as one:
        before = detections(step(one, MESSAGES[0]))
        one.set("pattern", PAIRS)
        one.step(STEP_S, STEP_S)
        assert detections(one.message(DATA)) == before
        assert len(detections(step(one, MESSAGES[1], 2))) == 3


def test_pattern_files_travel_beside_the_configuration(tmp_path):
    home, out = tmp_path / "home", tmp_path / "out"
    (home / "tables").mkdir(parents=True)
    config_file(home, SENSORS)
    (home / "tables" / "beams.csv").write_text("0,-5\n1,-6\n2,-7\n")
    (home / "pairs.yaml").write_text("{kind: pairs, file: tables/beams.csv}")
    (home / "rosette.yaml").write_text(ROSETTE)
    repository = Path(__file__).resolve().parents[2]
    command = [sys.executable, repository / "build_fmu.py", "--config", home / "config.yaml"]
    command += ["--out", out, "--pattern", home / "pairs.yaml", "--pattern", home / "rosette.yaml"]
    built = subprocess.run(command, cwd=repository, capture_output=True, text=True, check=True)
    assert "rosette.yaml" in built.stdout
    expected = direct(load_config(home / "config.yaml"), MESSAGES[:1])
    home.rename(tmp_path / "gone")
    with running(out / "OsiLidar.fmu", pattern="pairs.yaml") as one:
        assert len(detections(step(one, MESSAGES[0]))) == 3
        one.set("pattern", "rosette.yaml")
        assert len(detections(step(one, MESSAGES[1], 1))) > 3
    with running(out / "OsiLidar.fmu") as one:
        assert without_times(step(one, MESSAGES[0])) == without_times(expected[0])


@pytest.mark.parametrize(
    ("names", "error", "words"),
    [
        (["nope.yaml"], ConfigurationError, "nope.yaml: no such file"),
        (["pairs.yaml", "other/pairs.yaml"], BuildError, "another file of this name"),
        (["config.yaml"], BuildError, "another file of this name"),
        (["wrong.yaml"], ConfigurationError, "wrong.yaml: pattern: got kind 'x'"),
        (["slow.yaml"], BuildError, "slow.yaml: "),
        (["lost.yaml"], ConfigurationError, "nope.csv"),
        (["a:b.yaml"], BuildError, "must not have ':'"),
    ],
)
def test_pattern_files_that_cannot_travel_are_one_line(tmp_path, names, error, words):
    (tmp_path / "other").mkdir()
    config_file(tmp_path, SENSORS)
    for name in ("pairs.yaml", "other/pairs.yaml", "a:b.yaml"):
        (tmp_path / name).write_text(PAIRS)
    (tmp_path / "wrong.yaml").write_text("kind: x")
    (tmp_path / "slow.yaml").write_text(ROSETTE.replace("500", "1"))
    (tmp_path / "lost.yaml").write_text("{kind: pairs, file: nope.csv}")
    patterns = [tmp_path / name for name in names]
    with one_line(error, words):
        build_fmu(config=tmp_path / "config.yaml", patterns=patterns, out=tmp_path / "out")


def test_pattern_files_need_a_configuration(tmp_path):
    with pytest.raises(BuildError, match="only together with a configuration"):
        build_fmu(patterns=[tmp_path / "pairs.yaml"], out=tmp_path)


PHYSICAL = (
    f"sensors: [{{name: a, fidelity: physical, pattern: {RASTER}, beam: {{divergence_deg: 0.2}}, "
    "range_limit: {equation: {pairs: [[10, 20]]}}, receiver: {amplitude_noise: false}}]\n"
)
FOG = "{fog: {visibility_m: 20}}"
BLIND = "{window: {transmission: 0.01}}"


def test_weather_between_steps_acts_as_in_the_model(tmp_path, way):
    config = config_file(tmp_path, PHYSICAL)
    fmu, texts = way.build(config=config, out=tmp_path / "fmu"), ("", FOG, "none", BLIND, "")
    model = LidarModel(load_config(config))
    expected = answers_of(
        model,
        MESSAGES[:5],
        {n: lambda text=text: tune(model, "weather", text) for n, text in enumerate(texts)},
    )
    answers = []
    with running(fmu) as one:
        for index, text in enumerate(texts):
            one.set("weather", text)
            answers.append(without_times(step(one, MESSAGES[index], index)))
    assert answers == expected
    clear, fog, blind = (
        {round(each.position.distance) for each in detections(answers[n])} for n in (0, 1, 3)
    )
    assert fog == {1}  # its own echo, which is stronger than the street's
    assert max(clear) > 3
    assert not blind


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{rain_mm_h: -1}", "weather: rain_mm_h: must be"),
        ("{fogg: 3}", "weather: fogg: "),
        ("drizzle", "weather: got 'drizzle', expected auto, none"),
        ("nope.xosc", "nope.xosc"),
    ],
)
def test_wrong_weather_is_one_error_in_the_log_and_the_old_one_stays(fmu, text, words):
    log = []
    with running(fmu, log) as one:
        one.set("weather", FOG)
        one.set("weather", text)
        assert one.get("weather") == FOG
    (line,) = complaints(log)
    assert line.startswith("weather is unchanged: ")
    assert words in line
