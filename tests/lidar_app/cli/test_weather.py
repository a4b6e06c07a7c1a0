# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The option --weather of all commands that have it, and what `check` says of weather."""

import json
import zipfile

import numpy as np
import pytest
from osi3.osi_environment_pb2 import EnvironmentalConditions
from osi3.osi_sensorview_pb2 import SensorView

from lidar_app.cli.parts.completion import words_or_files
from lidar_app.cli.parts.options import TimedSetup
from lidar_app.cli.parts.weather import asked_weather
from osi_lidar.config.weather import configured_weather
from osi_lidar.errors import ConfigurationError, InputError
from tests.builders.files import written
from tests.builders.images import grey_png
from tests.builders.messages import framed, moving
from tests.builders.refusals import one_line
from tests.builders.scenarios import scenario
from tests.builders.worlds import SENSOR, config_file
from tests.commands import assert_one_line, report, run

RAIN = "rain_mm_h: 3\nfog: {visibility_m: 90}\n"


@pytest.fixture
def config(tmp_path):
    """Return a configuration with snow."""
    return config_file(tmp_path, f"{SENSOR}weather: {{snow_mm_h: 1}}\n")


@pytest.fixture
def keys(tmp_path):
    """Return a file with keys of weather."""
    path = tmp_path / "rain.yaml"
    path.write_text(RAIN)
    return path


@pytest.fixture
def trace(tmp_path):
    """Return a trace in fog and heavy rain."""
    views = [SensorView.FromString(each) for each in moving(2)]
    stated = views[0].global_ground_truth.environmental_conditions
    stated.precipitation = EnvironmentalConditions.PRECIPITATION_HEAVY
    stated.fog = EnvironmentalConditions.FOG_LIGHT
    path = tmp_path / "drive_sv_.osi"
    path.write_bytes(framed([each.SerializeToString() for each in views]))
    return path


def weather_in(config):
    """Return the weather that the report of a run has."""
    return report(config)["config"]["weather"]


def test_a_file_of_keys_takes_the_place_of_the_configured_weather(config, keys, trace):
    out = config.parent / "out"
    options = ("--config", config, "--weather", keys, "--out", out)
    assert run("replay", trace, *options).exit_code == 0
    stated = weather_in(config)
    assert (stated["rain_mm_h"], stated["snow_mm_h"]) == (3.0, None)
    assert stated["fog"] == {"visibility_m": 90.0, "patches": None}


@pytest.mark.parametrize(("word", "messages"), [("none", False), ("auto", True)])
def test_words_take_the_place_of_the_configured_weather(config, word, messages):
    out = config.parent / "out"
    result = run("scan", "-c", config, "--weather", word, "--out", out)
    assert result.exit_code == 0, result.output
    assert weather_in(config)["messages"] is messages
    assert weather_in(config)["snow_mm_h"] is None


def test_without_the_option_the_configuration_counts(config):
    assert run("scan", "-c", config, "--out", config.parent / "out").exit_code == 0
    assert weather_in(config)["snow_mm_h"] == 1.0


def test_a_scenario_is_named_from_where_the_command_runs(config, tmp_path, monkeypatch):
    (tmp_path / "scenarios").mkdir()
    file = scenario(tmp_path / "scenarios", fog_m=70.0)
    monkeypatch.chdir(tmp_path)
    setup = TimedSetup(config=config, weather="scenarios/rain.xosc")
    weather = setup.configuration().weather
    assert weather.scenario == file
    assert configured_weather(weather).visibility_m == 70.0


def test_a_file_of_keys_names_its_scenario_from_its_own_folder(tmp_path):
    (tmp_path / "below").mkdir()
    file = scenario(tmp_path / "below")
    keys = tmp_path / "below" / "keys.yml"
    keys.write_text("scenario: rain.xosc\n")
    assert asked_weather(str(keys)).scenario == file


def test_a_stream_and_its_rereading_take_the_option(config, keys):
    setup = TimedSetup(config=config, weather=str(keys))
    assert setup.configuration().weather.rain_mm_h == 3.0  # `stream` calls it to reread, too
    assert "--weather" in run("stream", "-h").output


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("wet", "--weather: got 'wet', expected auto, none, a file .yaml with keys or a scenario"),
        ("no.yaml", "--weather: no.yaml: no such file"),
        ("no.xosc", "no.xosc: no such file"),
        ("bad.yaml", "--weather: bad.yaml: rain: unknown key, did you mean 'rain_mm_h'?"),
        (
            "much.yaml",
            "--weather: much.yaml: rain_mm_h: must be less than or equal to 500, got 900",
        ),
        ("rain\nor snow", "--weather: got 'rain\\nor snow', expected auto, none"),
        ("list.yaml", "--weather: list.yaml: expected keys and values"),
        ("lost.yaml", "lost.xosc: no such file"),
        ("bad.xosc", "bad.xosc: line 1: Fog visualRange: got '0.0', expected 1 or more, in m"),
    ],
)
def test_bad_weather_is_told_in_one_line(config, tmp_path, monkeypatch, text, problem):
    monkeypatch.chdir(tmp_path)
    for name, content in (
        ("bad", "rain: 1"),
        ("much", "rain_mm_h: 900"),
        ("list", "[1]"),
        ("lost", "scenario: lost.xosc"),
    ):
        (tmp_path / f"{name}.yaml").write_text(content)
    scenario(tmp_path, fog_m=0.0, name="bad.xosc")
    with one_line((InputError, ConfigurationError), problem):
        asked_weather(text)
    for command in (("scan", "-c", config), ("check", "-c", config)):
        assert_one_line(run(*command, "--weather", text), 2, problem)


def test_a_sweep_refuses_bad_weather_before_the_first_variant(config):
    vary = ("--vary", "seed=1,2", "--out", config.parent / "out")
    result = run("sweep", "-c", config, "--weather", "wet", *vary)
    assert_one_line(result, 2, "--weather: got 'wet'")


def test_an_fmu_is_built_with_weather(config, keys, tmp_path):
    file = scenario(tmp_path)
    image = written(tmp_path / "window.png", grey_png([[255, 0], [0, 255]]))
    keys.write_text(f"{RAIN}scenario: {file.name}\nwindow: {{transmission: window.png}}\n")
    result = run("fmu", "build", "-c", config, "--weather", keys, "--out", tmp_path / "fmu")
    assert result.exit_code == 0, result.output
    with zipfile.ZipFile(tmp_path / "fmu" / "OsiLidar.fmu") as fmu:
        (packed,) = [name for name in fmu.namelist() if name.endswith("rain.xosc")]
        assert fmu.read(packed) == file.read_bytes()
        (packed,) = [name for name in fmu.namelist() if name.endswith("window.png")]
        assert fmu.read(packed) == image.read_bytes()
        (told,) = [name for name in fmu.namelist() if name.endswith("config.yaml")]
        text = fmu.read(told).decode()
    assert "rain_mm_h: 3.0" in text
    assert str(tmp_path) not in text


def test_an_fmu_without_a_configuration_takes_no_weather(tmp_path):
    result = run("fmu", "build", "--weather", "none", "--out", tmp_path)
    assert_one_line(result, 2, "weather: can be packed only with a configuration")


def test_check_tells_who_states_the_weather(config, keys, trace):
    def rows(weather):
        shown = run("check", trace, "-c", config, "--weather", weather).output.splitlines()
        return [" ".join(line.replace("│", " ").split()) for line in shown]

    assert {"rain_mm_h 3 configuration", "visibility_m 90 configuration"} <= {*rows(keys)}
    said = rows("auto")
    assert any(row.startswith("rain_mm_h 16.6 OSI precipitation") for row in said)  # √(8.1 34)
    assert any(row.startswith("visibility_m 447.2 OSI fog LIGHT") for row in said)  # √(200 1000)
    assert "Weather" not in rows("none")


DUSTY = """
fog: {visibility_m: 100, patches: {size_m: 8, contrast: 0.6}}
wind_m_s: [2, 0]
dust: [{behind: vehicles, size_m: [12, 3, 2.5], visibility_m: 15}]
"""


def test_check_and_the_report_tell_values_of_several_parts(config, keys, trace):
    keys.write_text(DUSTY)
    shown = run("check", trace, "-c", config, "--weather", keys).output.splitlines()
    rows = [" ".join(line.replace("│", " ").split()) for line in shown]
    assert "fog_patches size_m 8, contrast 0.6 configuration" in rows
    assert "wind_m_s 2 0 configuration" in rows
    assert any(row.startswith("dust behind vehicles, ") for row in rows)
    stated = asked_weather(str(keys)).weather().content
    assert stated["fog_patches"]["value"] == {"size_m": 8.0, "contrast": 0.6}
    assert stated["wind_m_s"]["value"] == [2.0, 0.0]
    assert [each["behind"] for each in stated["dust"]["value"]] == ["vehicles"]


WINDOW = """
sensors:
  - {name: dirty, preset: VLP-16, fidelity: physical}
  - {name: ideal, preset: VLP-16}
  - {name: clean, preset: VLP-16, fidelity: physical}
weather: {window: {transmission: window.png, sensors: [dirty, ideal]}}
"""


def test_check_tells_what_windows_let_pass(tmp_path):
    """Black in a quarter of all azimuths; the mean is 0.75 of 0.8^2."""
    grey = np.full((2, 360), 204)
    grey[:, :90] = 0
    written(tmp_path / "window.png", grey_png(grey))
    config = config_file(tmp_path, WINDOW)
    shown = run("check", "-c", config).output.splitlines()
    rows = {" ".join(line.replace("│", " ").split()) for line in shown}
    assert "dirty 0 to 64 %, 48 % on average 25 % AVAILABLE_REDUCED" in rows
    assert "ideal all: the sensor is ideal 0 % AVAILABLE" in rows
    assert not any(row.startswith("clean") and "%" in row for row in rows)
    config.write_text(WINDOW.replace("ideal]", "rear]"))
    result = run("check", "-c", config)
    assert result.exit_code == 1
    assert "weather.window.sensors: there is no sensor 'rear'" in " ".join(result.stderr.split())


def test_weather_shows_how_far_a_sensor_sees_through_its_window(tmp_path):
    """Its range falls with 1/r^2: half of the light one way leaves half of it, to the step."""
    sensor = "{name: s, pattern: {kind: pairs, azimuth_elevation_deg: [[0, 0]]}, max_range_m: 200, "
    sensor += "range_limit: {equation: {pairs: [[10, 60]]}}, fidelity: physical, receiver: {}}"
    grey = written(tmp_path / "window.png", grey_png([[0, 51], [102, 128]]))  # 128: 0.502

    def rows(window):
        config = config_file(tmp_path, f"sensors: [{sensor}]\nweather: {{window: {window}}}\n")
        result = run("weather", "-c", config, "--json")
        assert result.exit_code == 0, result.output
        found = json.loads(result.output)
        return found["window_transmission"], found["range_m"]

    transmission, ranges = rows(f"{{transmission: {grey.name}}}")
    assert transmission == pytest.approx(128 / 255)
    for row in ranges:
        if row["clear"] < 199.0:
            assert row["weather"] == pytest.approx(transmission * row["clear"], abs=0.3)
    assert rows("{transmission: 0.5, sensors: [s]}")[0] == 0.5
    assert rows("{drops: 0.5}")[1] == rows("{}")[1]
    assert rows("{transmission: 0.5, film_mm: 1}")[0] == pytest.approx(0.505, abs=1e-3)


IDEAL = "sensors: [{name: a, preset: VLP-16, columns: 20}]\n"


@pytest.mark.parametrize("stated", ["", "weather: auto\n", "weather: none\n", "weather: {}\n"])
def test_weather_that_no_sensor_sees_is_told(tmp_path, trace, stated):
    line = "weather is stated, but all sensors are ideal and see none"
    silent = config_file(tmp_path, IDEAL + stated)
    assert line not in run("check", "-c", silent).output
    config = config_file(tmp_path, IDEAL + "weather: {window: {film_mm: 1}}\n")
    for command in (
        ("check", trace),
        ("replay", trace, "--frames", "0:1", "--out", tmp_path / "o"),
    ):
        assert line in " ".join(run(*command, "-c", config).output.split())
    lit = IDEAL.replace("columns: 20", "columns: 20, near_ir: true") + "weather: {LIGHT}\n"
    only_light = line.replace("none", "only its light")
    for light, expected in (
        ("ambient_lux: 1000", []),
        ("rain_mm_h: 5", [line]),
        ("ambient_lux: 1000, rain_mm_h: 5", [only_light]),
    ):
        told = run("check", "-c", config_file(tmp_path, lit.replace("LIGHT", light))).output
        told = " ".join(told.split())
        assert [each for each in (line, only_light) if each in told] == expected


def test_a_wet_road_at_a_wavelength_without_data_is_told_in_one_line(tmp_path):
    sensors = "sensors: [{name: a, preset: VLP-16, columns: 20, FIDELITYwavelength_nm: 2000}]\n"
    problem = (
        "weather: a wet road cannot be modelled for this sensor: liquid water: no value at 2000 nm"
    )
    wet = sensors + "weather: {road_water_mm: 1}\n"
    config = config_file(tmp_path, wet.replace("FIDELITY", "fidelity: physical, "))
    assert_one_line(run("check", "-c", config), 1, problem)
    assert run("check", "-c", config_file(tmp_path, wet.replace("FIDELITY", ""))).exit_code == 0


def test_check_tells_a_scenario_that_cannot_be_used(config, tmp_path):
    scenario(tmp_path, fog_m=0.0)
    config.write_text(f"{SENSOR}weather: {{scenario: rain.xosc}}\n")
    result = run("check", "-c", config)
    assert result.exit_code == 1
    assert "rain.xosc: line 1: Fog visualRange: got '0.0'" in " ".join(result.stderr.split())


def test_words_and_files_are_completed(tmp_path, monkeypatch):
    for name in ("a.yaml", "a.xosc", "a.txt"):
        (tmp_path / name).touch()
    (tmp_path / "alone").mkdir()
    (tmp_path / "alone" / "b.xosc").touch()
    monkeypatch.chdir(tmp_path)
    complete = words_or_files(("auto", "none"), (".yaml", ".xosc"))
    assert complete("a") == ["auto", "a.xosc", "a.yaml", "alone/"]
    assert complete("alone/") == ["alone/b.xosc"]
    assert complete(f"{tmp_path}/alone/b") == [f"{tmp_path}/alone/b.xosc"]
    assert complete("nowhere/") == []


def test_the_report_of_a_run_is_json_with_all_of_the_weather(config, keys):
    out = config.parent / "out"
    assert run("scan", "-c", config, "--weather", keys, "--out", out).exit_code == 0
    stated = json.loads((out / "run.json").read_text())["config"]["weather"]
    assert stated["drop_sizes"] == "marshall_palmer"
    window = {"transmission": 1.0, "drops": 0.0, "film_mm": 0.0, "sensors": None}
    assert stated["window"] == window
