# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Ideal or physical: the option of the commands and the parameter of the FMU."""

import json

import pytest
from osi3.osi_sensordata_pb2 import SensorData

from fmu_src.exporter import build_fmu
from osi_bridge import open_trace
from osi_lidar import load_config
from osi_lidar.clouds.pcd import read_pcd
from osi_lidar.errors import InputError
from tests.builders.messages import moving
from tests.commands import assert_one_line, report, run
from tests.commands import replay as replay_with
from tests.fmu.driving import direct, parsed, running, step, without_times
from tests.osi_lidar.live.streams import Process

OF_A_RECEIVER = {"snr", "width_m", "origin"}
TYPOS = [
    ("physicl", "did you mean 'physical'?"),
    ("Ideal", "did you mean 'ideal'?"),
    ("", "expected ideal or physical"),
]
TWO_SENSORS = """\
sensors:
  - {name: a, preset: VLP-16, columns: 90, fidelity: physical}
  - {name: b, preset: VLP-16, columns: 90}
scene: {ground: 0.0}
"""


@pytest.fixture
def two(tmp_path):
    """Return a configuration of a physical sensor and an ideal one."""
    path = tmp_path / "two.yaml"
    path.write_text(TWO_SENSORS)
    return path


def fidelities(config):
    return [sensor["fidelity"] for sensor in report(config)["config"]["sensors"]]


def columns_of(out, sensor):
    return set(read_pcd(out / sensor / "000000.pcd").dtype.names)


@pytest.mark.parametrize("fidelity", [None, "ideal", "physical"])
def test_replay_takes_the_fidelity_of_all_sensors(trace, two, fidelity):
    option = () if fidelity is None else ("--fidelity", fidelity)
    result = replay_with(trace, two, *option)
    assert result.exit_code == 0, result.output
    expected = ["physical", "ideal"] if fidelity is None else [fidelity] * 2
    assert fidelities(two) == expected
    for sensor, kind in zip("ab", expected, strict=True):
        assert (columns_of(two.parent / "out", sensor) >= OF_A_RECEIVER) == (kind == "physical")


def test_without_a_configuration_a_known_sensor_is_physical(trace, tmp_path):
    options = ("--sensor", "OS1-16", "--fidelity", "physical", "--frames", "0:1")
    result = run("replay", trace, *options, "--out", tmp_path / "out")
    assert result.exit_code == 0, result.output
    (sensor,) = json.loads((tmp_path / "out" / "run.json").read_text())["config"]["sensors"]
    assert (sensor["name"], sensor["fidelity"]) == ("OS1-16", "physical")
    assert sensor["beam"]["divergence_deg"] == [0.13, 0.13]
    assert columns_of(tmp_path / "out", "OS1-16") >= OF_A_RECEIVER


def test_a_sensor_that_replaces_those_of_the_configuration_is_physical(trace, two):
    options = ("--sensor", "OS1-16", "--fidelity", "physical", "--frames", "0:1")
    assert replay_with(trace, two, *options).exit_code == 0
    assert fidelities(two) == ["physical"]
    assert columns_of(two.parent / "out", "OS1-16") >= OF_A_RECEIVER


def test_a_configuration_without_sensors_has_a_physical_default_sensor(trace, tmp_path):
    config = tmp_path / "config.yaml"
    config.write_text("seed: 3\n")
    result = replay_with(trace, config, "--fidelity", "physical", "--frames", "0:1")
    assert result.exit_code == 0, result.output
    assert fidelities(config) == ["physical"]


def test_a_sensor_that_is_not_known_has_a_receiver(trace, config):
    assert replay_with(trace, config, "--fidelity", "physical").exit_code == 0
    assert fidelities(config) == ["physical"]
    assert columns_of(config.parent / "out", "s") >= OF_A_RECEIVER


@pytest.mark.parametrize("fidelity", ["ideal", "physical"])
def test_scan_takes_a_fidelity(tmp_path, two, fidelity):
    out = tmp_path / "out"
    result = run("scan", "--config", two, "--fidelity", fidelity, "--out", out)
    assert result.exit_code == 0, result.output
    assert fidelities(two) == [fidelity] * 2
    assert (columns_of(out, "a") >= OF_A_RECEIVER) == (fidelity == "physical")


def test_a_physical_stream_gives_what_its_replay_gives(trace, two):
    options = ("--config", two, "--fidelity", "physical")
    out = two.parent / "streamed"
    command = ("--listen", 0, "--once", "--backlog", "queue", "--out", out)
    with Process("stream", *command, *options) as streamed:
        end = f"127.0.0.1:{streamed.port()}"
        with Process("play", trace, "--connect", end, "--speed", "max") as player:
            assert player.wait() == 0
        assert streamed.wait() == 0
    assert replay_with(trace, two, "--fidelity", "physical").exit_code == 0
    content = json.loads((out / "run.json").read_text())
    assert content["config"] == report(two)["config"]
    replayed = two.parent / "out"
    clouds = sorted(path.relative_to(out) for path in out.rglob("*.pcd"))
    assert clouds == sorted(path.relative_to(replayed) for path in replayed.rglob("*.pcd"))
    assert len(clouds) == 10
    assert all((out / name).read_bytes() == (replayed / name).read_bytes() for name in clouds)


@pytest.mark.parametrize(("given", "hint"), TYPOS)
@pytest.mark.parametrize("command", ["replay", "scan", "stream"])
def test_a_typo_is_one_line_and_writes_nothing(trace, two, command, given, hint):
    out = two.parent / "out"
    arguments = {"replay": (trace,), "scan": (), "stream": ("--listen", 0, "--once")}[command]
    result = run(command, *arguments, "--config", two, "--fidelity", given, "--out", out)
    assert_one_line(result, 2, f"--fidelity: got {given!r}, expected ideal or physical", hint)
    assert not out.exists()


@pytest.fixture(scope="module")
def fmu_and_config(tmp_path_factory):
    folder = tmp_path_factory.mktemp("fidelity")
    path = folder / "two.yaml"
    path.write_text(TWO_SENSORS.replace(", fidelity: physical", ""))
    return build_fmu(config=path, out=folder)[0].path, path


@pytest.mark.parametrize("fidelity", ["ideal", "physical"])
def test_the_parameter_of_the_fmu_is_that_of_all_sensors(fmu_and_config, fidelity):
    fmu, path = fmu_and_config
    messages = moving()
    with running(fmu, fidelity=fidelity) as one:
        assert one.get("fidelity") == fidelity
        answers = [step(one, data, index) for index, data in enumerate(messages)]
    expected = direct(load_config(path, fidelity=fidelity), messages)
    assert list(map(without_times, answers)) == list(map(without_times, expected))
    for lidar in parsed(answers[0]).feature_data.lidar_sensor:
        has_error = {each.HasField("position_rmse") for each in lidar.detection}
        assert has_error == {fidelity == "physical"}


def test_an_fmu_of_a_physical_sensor_says_so(tmp_path):
    path = tmp_path / "one.yaml"
    path.write_text("sensors: [{preset: VLP-16, columns: 90, fidelity: physical}]\n")
    fmu, messages = build_fmu(config=path, out=tmp_path)[0].path, moving(2)
    with running(fmu) as one:
        assert one.get("fidelity") == "physical"
        answers = [step(one, data, index) for index, data in enumerate(messages)]
    expected = direct(load_config(path), messages)
    assert list(map(without_times, answers)) == list(map(without_times, expected))


@pytest.mark.parametrize("other", [{"preset": "OS1-16"}, {"columns": 45}, {"mounting_x_m": 1.5}])
def test_other_parameters_of_the_fmu_leave_the_fidelity(fmu_and_config, other):
    with running(fmu_and_config[0], fidelity="physical", **other) as one:
        data = parsed(step(one, moving()[0]))
    (lidar, *_) = data.feature_data.lidar_sensor
    assert all(each.HasField("position_rmse") for each in lidar.detection)
    assert len(lidar.detection)


def test_a_value_that_the_fmu_does_not_have_is_one_line(fmu_and_config, trace, tmp_path):
    log = []
    with pytest.raises(InputError), running(fmu_and_config[0], log, fidelity="physicl"):
        pass
    words = "fidelity: got 'physicl', expected one of ideal, physical"
    assert words in log[0], log
    assert "\n" not in log[0]
    out = tmp_path / "out"
    result = run("fmu", "run", fmu_and_config[0], trace, "--out", out, "--set", "fidelity=physicl")
    assert_one_line(result, 2, words)


def test_fmu_run_sets_the_parameter(fmu_and_config, trace, tmp_path):
    options = ("--set", "fidelity=physical", "--out", tmp_path / "out")
    result = run("fmu", "run", fmu_and_config[0], trace, *options)
    assert result.exit_code == 0, result.output
    (written,) = (tmp_path / "out").glob("*.osi")
    for raw in open_trace(written):
        (first, second) = SensorData.FromString(raw.data).feature_data.lidar_sensor
        assert all(each.HasField("position_rmse") for each in [*first.detection, *second.detection])
