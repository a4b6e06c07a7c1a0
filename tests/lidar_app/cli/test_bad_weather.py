# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Broken files and options of weather are told in one line, without a traceback."""

import os

import pytest

from tests.builders.worlds import SENSOR, config_file
from tests.commands import assert_one_line, run

ENVIRONMENT = '<OpenSCENARIO><Environment name="e">{}</Environment></OpenSCENARIO>'


def scene(weather):
    """Return a scenario with the elements of Weather."""
    return ENVIRONMENT.format(f"<Weather>{weather}</Weather>")


FILES = {
    "empty.yaml": ("", "the file is empty"),
    "nothing.yaml": ("null\n", "the file is empty"),
    "number.yaml": ("5", "expected keys and values, got '5'"),
    "word.yaml": ("none", "expected keys and values, got 'none'"),
    "list.yaml": ("- rain_mm_h: 1", "expected keys and values, got a list"),
    "twice.yaml": ("rain_mm_h: 1\nrain_mm_h: 2", "key 'rain_mm_h' is given twice"),
    "tab.yaml": ("fog:\n\tvisibility_m: 3", "tab.yaml:2:1: found character '\\t'"),
    "open.yaml": ("fog: {visibility_m: 3", "expected ',' or '}'"),
    "bytes.yaml": (b"\xff\xfe\x00\x80", "not a text file (UTF-8)"),
    "zero.yaml": ("rain_mm_h: \0", "not a text file (UTF-8)"),
    "loop.yaml": ("a: &a [*a]", "an alias refers to a node that contains it"),
    "tag.yaml": ("!!python/object/apply:os.system [ls]", "could not determine a constructor"),
    "deep.yaml": ("[" * 2000, "no valid YAML"),
    "section.yaml": ("weather: {rain_mm_h: 1}", "weather: unknown key"),
    "text.yaml": ("rain_mm_h: '5'", "rain_mm_h: expected a number, got '5'"),
    "switch.yaml": ("rain_mm_h: true", "rain_mm_h: expected a number, got True"),
    "date.yaml": ("rain_mm_h: 2020-01-01", "rain_mm_h: expected a number"),
    "endless.yaml": ("fog: {visibility_m: .inf}", "fog.visibility_m: expected a finite number"),
    "digits.yaml": (f"rain_mm_h: {'9' * 400}", "the number is too large"),
    "two.yaml": ("rain_mm_h: 1\n---\nsnow_mm_h: 2", "but found another document"),
    "self.yaml": ("scenario: self.yaml", "self.yaml: is not XML: syntax error"),
    "folder.yaml": ("scenario: .", "cannot be read: Is a directory"),
    "pair.yaml": ("drop_sizes: {law: gamma, table: [[1, 1], [2, 1]]}", "drop_sizes.law: expected"),
    "dust.yaml": ("dust: [{center_m: [0, 0, 0], size_m: [0, 1, 1]}]", "dust[0].size_m[0]: must be"),
    "empty.xosc": ("", "is not XML: no element found"),
    "prose.xosc": ("rain", "is not XML: syntax error"),
    "half.xosc": ("<OpenSCENARIO><Storyboard>", "is not XML: no element found"),
    "road.xosc": ("<OpenDRIVE/>", "its root is <OpenDRIVE>, expected <OpenSCENARIO>"),
    "calm.xosc": ("<OpenSCENARIO/>", "has no EnvironmentAction with Weather or RoadCondition"),
    "entity.xosc": ('<!DOCTYPE x [<!ENTITY a "b">]><OpenSCENARIO/>', "has a document type"),
    "bytes.xosc": (b"\xff\xfe\x00\x80", "is not XML"),
    "code.xosc": ('<?xml version="1.0" encoding="utf-99"?><OpenSCENARIO/>', "unknown encoding"),
    "deep.xosc": (
        f"<OpenSCENARIO>{'<a>' * 3000}{'</a>' * 3000}</OpenSCENARIO>",
        "elements are nested more than",
    ),
    "nan.xosc": (scene('<Fog visualRange="nan"/>'), "Fog visualRange: got 'nan', expected 1 or"),
    "bare.xosc": (scene("<Fog/>"), "Fog visualRange: got '', expected 1 or more, in m"),
    "gale.xosc": (scene('<Wind speed="999" direction="0"/>'), "Wind speed: got '999', expected"),
    "name.xosc": (scene('<Fog visualRange="$x"/>'), "got $x, expected a declared parameter"),
    "sum.xosc": (scene('<Fog visualRange="${1+1}"/>'), "got ${1+1}, expected a declared"),
    "hail.xosc": (scene('<Precipitation precipitationType="hail"/>'), "got 'hail', expected dry"),
    "flood.xosc": (
        scene('<Precipitation precipitationType="rain" precipitationIntensity="1e9"/>'),
        "precipitationIntensity: got '1e9', expected 0 to 500, in mm/h",
    ),
    "sun.xosc": (
        scene('<Sun illuminance="1e9" azimuth="0" elevation="0"/>'),
        "Sun illuminance: got '1e9', expected 0 to 1e+06, in lx",
    ),
    "soggy.xosc": (
        ENVIRONMENT.format('<RoadCondition wetness="soggy"/>'),
        "RoadCondition wetness: got 'soggy', expected dry, moist",
    ),
}


@pytest.mark.parametrize("name", FILES)
def test_a_broken_file_is_told_in_one_line(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    content, problem = FILES[name]
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    config_file(tmp_path, SENSOR)
    result = run("scan", "-c", "config.yaml", "--weather", name, "--out", "out")
    assert_one_line(result, 2, problem)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("name", ["pipe.yaml", "pipe.xosc"])
@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_a_pipe_is_no_file(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    os.mkfifo(tmp_path / name)
    config_file(tmp_path, SENSOR)
    result = run("check", "-c", "config.yaml", "--weather", name)
    assert_one_line(result, 2, f"{name}: is a pipe, expected a file")


def test_no_name_is_no_weather(tmp_path):
    config = config_file(tmp_path, SENSOR)
    assert_one_line(run("check", "-c", config, "--weather", ""), 2, "--weather: got '', expected")


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ((), "weather: got nothing, expected a configuration or --sensor NAME"),
        (("--sensor", "VPL-16"), "unknown sensor 'VPL-16'"),
        (("--sensor", ""), "unknown sensor ''"),
        (("-c", "lost.yaml"), "lost.yaml: no such file"),
        (("-c", "."), ".: cannot be read: Is a directory"),
        (
            ("-c", "ideal.yaml"),
            "sensor s is ideal, so weather has no effect; set fidelity: physical",
        ),
        (("-c", "roof.yaml", "--sensor", "VLP-16"), "roof.yaml has no sensor 'VLP-16'"),
        (("-c", "roof.yaml", "--sensor", "left"), "sensor left is ideal, so weather has no effect"),
        (("--sensor", "VLP-16", "--plot", "rain.txt"), "expected the name of a picture"),
    ],
    ids=str,
)
def test_the_command_tells_what_it_cannot_use_in_one_line(tmp_path, monkeypatch, options, problem):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ideal.yaml").write_text(SENSOR)
    (tmp_path / "roof.yaml").write_text(
        "sensors: [{name: roof, preset: VLP-16, fidelity: physical}, {name: left, preset: VLP-16}]"
    )
    result = run("weather", *options, "--fog", "100")
    assert_one_line(result, 2, problem)
    assert not result.stdout  # it is told before the work, not behind it


@pytest.mark.parametrize(
    ("option", "value"),
    [
        (option, value)
        for option in ("--rain", "--snow", "--fog")
        for value in ("-1", "nan", "1e", "much")
    ]
    + [("--rain", "501"), ("--snow", "inf"), ("--fog", "0.9"), ("--fog", "0")],
)
def test_the_command_takes_no_weather_that_cannot_be(option, value):
    result = run("weather", "--sensor", "VLP-16", option, value)
    assert result.exit_code == 2
    assert isinstance(result.exception, SystemExit)
    assert f"Invalid value for '{option}'" in result.stderr
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize("options", [("--fog", "1"), ("--fog", "inf"), ("--rain", "1e-300")])
def test_the_command_takes_the_ends_of_weather(options):
    result = run("weather", "--sensor", "VLP-16", *options, "--json")
    assert result.exit_code == 0
    assert "NaN" not in result.stdout
    assert "Infinity" not in result.stdout


def test_the_command_tells_where_beams_are_lines():
    drops = run("weather", "--sensor", "AT128", "--rain", "10").stdout
    assert "the beams are lines" in " ".join(drops.split())
    assert "the beams are lines" not in run("weather", "--sensor", "AT128", "--fog", "90").stdout
    assert "the beams are lines" not in run("weather", "--sensor", "VLP-16", "--rain", "9").stdout
