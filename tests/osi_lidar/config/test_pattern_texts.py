# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Patterns outside of a configuration: as text, as file, and what is wrong with them."""

import json

import numpy as np
import pytest

from osi_lidar import LidarModel
from osi_lidar.config import load_config
from osi_lidar.config.patterns.texts import load_pattern, pattern_of_text
from osi_lidar.errors import ConfigurationError
from osi_lidar.scan.from_config import scan_pattern
from raycore.errors import PatternError
from tests.builders.messages import Thing, frames, host
from tests.builders.worlds import config

ROSETTE = {
    "kind": "rosette",
    "radius_deg": 10,
    "radial_hz": 70,
    "rotation_hz": 10,
    "pulse_hz": 1000,
}
RASTER = {
    "kind": "raster",
    "azimuth_deg": [-20, 20],
    "elevation_deg": [-2, 2],
    "columns": 9,
    "rows": 3,
}
TEXT = json.dumps(ROSETTE)
WALL = Thing(2, (20.0, 0.0, 0.0), dimension_m=(1.0, 40.0, 20.0))
PERIOD_S = 0.1


def source(text, folder):
    return pattern_of_text(text, folder=folder, period_s=PERIOD_S)


def test_a_text_or_a_file_means_what_it_means_in_a_configuration(tmp_path):
    (tmp_path / "rosette.yaml").write_text(TEXT)
    file = tmp_path / "config.yaml"
    file.write_text(f"sensors: [{{pattern: {TEXT}}}]")
    expected = scan_pattern(load_config(file).sensors[0])
    block = "\n".join(f"{key}: {value}" for key, value in ROSETTE.items())
    for text in (TEXT, block, "rosette.yaml", f" {tmp_path / 'rosette.yaml'}\n"):
        pattern = source(text, tmp_path).at(0.0)
        assert np.array_equal(pattern.direction, expected.direction)
        assert np.array_equal(pattern.time_s, expected.time_s)


def test_paths_are_relative_to_the_file_that_names_them(tmp_path):
    inner = tmp_path / "inner"
    inner.mkdir()
    (inner / "beams.csv").write_text("1,2\n3,4\n")
    (inner / "pairs.yaml").write_text("{kind: pairs, file: beams.csv}")
    for text in ("inner/pairs.yaml", "{kind: pairs, file: inner/beams.csv}"):
        assert source(text, tmp_path).at(0.0).n_beams == 2


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{kind: rosete}", ["pattern: got kind 'rosete', did you mean 'rosette'"]),
        (TEXT.replace("10,", "-10,", 1), ["pattern.radius_deg: must be greater than 0, got -10"]),
        (TEXT.replace("radius_deg", "radius"), ["pattern.radius: unknown key", "'radius_deg'"]),
        ("{kind: rosette", ["pattern:1:15: "]),
        ("{kind: a, kind: b}", ["pattern:1:11: key 'kind' is given twice"]),
        ("&a [*a]", ["pattern:1:1: an alias refers to a node"]),
        ("[1, 2]", ["pattern: expected keys and values or the path of a file, got '[1, 2]'"]),
        ("12", ["pattern: expected keys and values"]),
        ("nope.yaml", ["nope.yaml: no such file"]),
        (".", ["cannot be read"]),
        ("text.yaml", ["text.yaml: expected keys and values, got 'hello'"]),
        ("wrong.yaml", ["wrong.yaml: pattern: got kind 'x'"]),
        ("{kind: pairs, file: nope.csv}", ["nope.csv: "]),
        ("{kind: plugin, name: nope}", ["no package has an entry point 'nope'"]),
    ],
)
def test_what_is_wrong_is_one_line(tmp_path, text, words):
    (tmp_path / "text.yaml").write_text("hello")
    (tmp_path / "wrong.yaml").write_text("kind: x")
    with pytest.raises(ConfigurationError) as caught:
        source(text, tmp_path)
    assert "\n" not in str(caught.value)
    for word in words:
        assert word in str(caught.value)


def test_beams_that_do_not_fit_a_scan_are_refused_with_the_name_of_the_pattern(tmp_path):
    slow = TEXT.replace("1000", "1")
    with pytest.raises(PatternError, match=r"^pattern: "):
        source(slow, tmp_path)
    (tmp_path / "slow.yaml").write_text(slow)
    assert load_pattern(tmp_path / "slow.yaml")
    with pytest.raises(PatternError, match=r"slow\.yaml: "):
        source("slow.yaml", tmp_path)


def test_switches_of_motion_count_from_the_next_scan_on_and_back():
    resting = frames([[host(), WALL]] * 5)
    model = LidarModel(config(sensors=[{"name": "s", "pattern": RASTER}]))
    (lidar,) = model.lidars
    before, again = (model.step(frame).scans[0] for frame in resting[:2])
    assert (before.traced, again.traced) == (True, False)
    lidar.timing.use_motion(rolling_shutter=False, motion_blur=False)
    without, repeated = (model.step(frame).scans[0] for frame in resting[2:4])
    assert (without.traced, repeated.traced) == (True, False)
    assert "time_ns" in before.cloud.points.dtype.names
    assert "time_ns" not in without.cloud.points.dtype.names
    lidar.timing.use_motion(motion_blur=True)
    back = model.step(resting[4]).scans[0]
    assert back.traced
    assert np.array_equal(back.cloud.points, before.cloud.points)


@pytest.mark.parametrize("switch", ["rolling_shutter", "motion_blur"])
def test_a_switch_of_a_running_model_is_that_of_a_configuration(switch):
    driving = frames(
        [[host(x_m=0.5 * n), WALL, Thing(3, (12.0, 0.9 * n - 1.5, 1.5))] for n in range(4)]
    )
    switched = LidarModel(config(sensors=[{"name": "s", "pattern": RASTER}]))
    configured = LidarModel(config(sensors=[{"name": "s", "pattern": RASTER, switch: False}]))
    switched.step(driving[0])
    configured.step(driving[0])
    switched.lidars[0].timing.use_motion(**{switch: False})
    unswitched = LidarModel(config(sensors=[{"name": "s", "pattern": RASTER}]))
    unswitched.step(driving[0])
    for frame in driving[1:]:
        answer = configured.step(frame).sensor_data
        assert switched.step(frame).sensor_data == answer
        assert unswitched.step(frame).sensor_data != answer
