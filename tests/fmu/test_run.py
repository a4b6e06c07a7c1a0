# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""An FMU gives what a replay gives, at the times of its master, for as long as OSMP promises."""

import itertools
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from osi3.osi_sensorview_pb2 import SensorView

from fmu_src.inspection import read_info
from osi_bridge import open_trace, write_trace
from osi_lidar.config import default_config, load_config
from osi_lidar.errors import InputError
from osi_lidar.run.example_scene import street
from osi_lidar.run.fmu import Fmu, fmu_run
from osi_lidar.run.fmu.variables import FmuVariables
from osi_lidar.run.frame_source import FrameSource
from osi_lidar.run.replay import replay
from tests.builders.messages import Thing, host, message, moving, truth_of
from tests.builders.refusals import one_line
from tests.commands import assert_one_line, run
from tests.fmu.driving import (
    DATA,
    STEP_S,
    TRUTH,
    VIEW,
    direct,
    parsed,
    running,
    seconds,
    step,
    without_times,
)


@pytest.fixture(scope="session")
def replayed_demo(tmp_path_factory):
    """Return a trace of the demo where its cars meet, and what a replay answers to it."""
    scenario, folder = street(), tmp_path_factory.mktemp("replay")
    trace = folder / "part_sv_380_7362_8_street.osi"
    part = itertools.islice(open_trace(scenario.trace), 20, 28)
    write_trace(trace, [raw.data for raw in part], message_type="SensorView")
    report = replay(FrameSource(trace), load_config(scenario.config), folder / "out")
    answers = open_trace(folder / "out" / report.content["sensor_data"])
    return trace, [without_times(raw.data) for raw in answers]


def test_demo_scenario_is_the_same_as_its_replay(street_fmu, replayed_demo, tmp_path):
    trace, replayed = replayed_demo
    report = fmu_run(street_fmu, trace, tmp_path)
    assert report.valid == report.steps == len(replayed) == 8
    for ours, theirs in zip(open_trace(report.trace), replayed, strict=True):
        assert without_times(ours.data) == theirs


@pytest.mark.core
def test_real_trace_is_the_same_as_the_model_itself(default_fmu, real_data):
    (trace,) = real_data.glob("osi/openmsl/20240617T163554Z_sv_*_one_object.osi")
    messages = [raw.data for raw, _ in zip(open_trace(trace), range(5), strict=False)]
    with running(default_fmu) as fmu:
        answers = [step(fmu, data, index) for index, data in enumerate(messages)]
    expected = direct(default_config(), messages)
    assert [without_times(each) for each in answers] == [without_times(each) for each in expected]


@pytest.mark.core
def test_times_are_those_of_the_step_and_of_the_message(small_fmu):
    with running(small_fmu) as fmu:
        fmu.put(VIEW, message([host(), Thing(2, (15.0, 0.0, 0.75))], time_s=7.25))
        fmu.step(2.0, 0.375)
        data = parsed(fmu.message(DATA))
    assert seconds(data.timestamp) == 2.375
    assert seconds(data.last_measurement_time) == 7.25
    assert seconds(data.feature_data.lidar_sensor[0].header.measurement_time) == 7.25


@pytest.mark.core
def test_valid_and_count_say_what_the_message_holds(small_fmu):
    with running(small_fmu) as fmu:
        assert (fmu.get("valid"), fmu.get("count")) == (0, 0)
        data = parsed(step(fmu, moving()[0]))
        n_detections = len(data.feature_data.lidar_sensor[0].detection)
        assert n_detections > 0
        assert (fmu.get("valid"), fmu.get("count")) == (1, n_detections)


@pytest.mark.core
@pytest.mark.fmi2
def test_output_is_intact_until_the_second_step_after_it(small_fmu):
    with running(small_fmu) as fmu:
        pointers, copies = [], []
        for index, data in enumerate(moving(5)):
            step(fmu, data, index)
            pointers.append(fmu.pointer(DATA))
            copies.append(pointers[-1].read())
            for pointer, copy in zip(pointers[-2:], copies[-2:], strict=True):
                assert pointer.read() == copy
    assert len(set(copies)) == 5


@pytest.mark.fmi2
def test_getters_give_the_same_pointer_again_and_again(small_fmu):
    with running(small_fmu) as fmu:
        step(fmu, moving()[0])
        assert len({fmu.pointer(DATA) for _ in range(3)}) == 1
        parts = [fmu.get(f"{DATA}.{part}") for part in ("base.lo", "base.hi", "size")]
        assert parts == list(fmu.pointer(DATA))


def test_step_without_a_new_message_repeats_the_last_scan_at_the_new_time(small_fmu):
    first, second = moving(2)
    with running(small_fmu) as fmu:
        before = parsed(step(fmu, first))
        fmu.step(STEP_S, STEP_S)  # the pointer is not valid any more
        repeated = parsed(fmu.message(DATA))
        assert fmu.get("valid") == 1
        assert seconds(repeated.timestamp) == pytest.approx(2 * STEP_S)
        assert repeated.last_measurement_time == before.last_measurement_time
        after = parsed(step(fmu, second, 2))
    detections = [data.feature_data.lidar_sensor[0].detection for data in (before, repeated, after)]
    assert detections[0] == detections[1] != detections[2]


def test_static_objects_of_the_first_message_hold_when_it_is_given_twice(small_fmu):
    wall = Thing(9, (20.0, 0.0, 1.5), dimension_m=(1.0, 30.0, 8.0), kind="stationary_object")
    messages = [message([host(), wall]), message([host(x_m=1.0)], time_s=0.1)]
    with running(small_fmu) as fmu:
        answers = [step(fmu, messages[i], n) for n, i in enumerate((0, 0, 1))]
    ids = [d.object_id.value for d in parsed(answers[2]).feature_data.lidar_sensor[0].detection]
    assert 9 in ids


@pytest.mark.core
def test_ground_truth_alone_is_enough(small_fmu):
    data = moving()[0]
    with running(small_fmu) as fmu:
        from_view = parsed(step(fmu, data))
    with running(small_fmu) as fmu:
        from_truth = parsed(step(fmu, truth_of(data), prefix=TRUTH))
    assert from_view.feature_data == from_truth.feature_data


def test_sensor_view_goes_before_ground_truth(small_fmu):
    near, far = moving(5)[0], message([host(), Thing(2, (30.0, 0.0, 0.75))])
    with running(small_fmu) as fmu:
        alone = parsed(step(fmu, near))
    with running(small_fmu) as fmu:
        fmu.put(TRUTH, truth_of(far))
        both = parsed(step(fmu, near))
        fmu.put(VIEW, b"")
        truth = parsed(step(fmu, truth_of(far), 1, prefix=TRUTH))
    assert both.feature_data == alone.feature_data
    assert (
        truth.feature_data.lidar_sensor[0].detection != alone.feature_data.lidar_sensor[0].detection
    )


@pytest.mark.core
def test_parameters_change_the_sensor(default_fmu):
    messages = moving(1)
    parameters = {"preset": "VLP-16", "mounting_x_m": 1.5, "max_range_m": 40.0, "ground": "none"}
    with running(default_fmu, **parameters) as fmu:
        data = parsed(step(fmu, messages[0]))
    (lidar,) = data.feature_data.lidar_sensor
    assert lidar.header.mounting_position.position.x == 1.5
    assert lidar.header.mounting_position.position.z == 1.9
    assert {d.object_id.value for d in lidar.detection} == {2}  # no ground, the car alone
    assert max(d.position.distance for d in lidar.detection) < 40.0


def test_second_sensor_of_the_configuration_is_a_second_lidar_sensor(default_fmu, tmp_path):
    config = tmp_path / "two.yaml"
    sensors = (f"{{preset: VLP-16, mounting: {{x_m: {x_m}}}}}" for x_m in (1.0, 2.0))
    config.write_text(f"sensors: [{', '.join(sensors)}]\n")
    with running(default_fmu, config=str(config)) as fmu:
        data = parsed(step(fmu, moving()[0]))
    headers = [lidar.header for lidar in data.feature_data.lidar_sensor]
    assert [header.mounting_position.position.x for header in headers] == [1.0, 2.0]


def test_all_parameters_set_to_their_start_values_change_nothing(small_fmu, tmp_path):
    config = tmp_path / "own.yaml"
    config.write_text("sensors: [{preset: VLP-16, mounting: {x_m: 1.25}}]\n")
    start = read_info(small_fmu).parameters
    with running(small_fmu, **{**start, "config": str(config)}) as fmu:
        data = parsed(step(fmu, moving()[0]))
    (lidar,) = data.feature_data.lidar_sensor
    assert lidar.header.mounting_position.position.x == 1.25


@pytest.mark.core
def test_files_are_written_where_they_are_asked_for(small_fmu, tmp_path):
    folders = {"pcd_folder": str(tmp_path / "pcd"), "trace_folder": str(tmp_path / "trace")}
    with running(small_fmu, **folders) as fmu:
        answers = [step(fmu, data, index) for index, data in enumerate(moving(3))]
        fmu.terminate()
    assert sorted(p.name for p in (tmp_path / "pcd" / "lidar" / "s").iterdir()) == [
        f"{index:06d}.pcd" for index in range(3)
    ]
    (trace,) = (tmp_path / "trace" / "lidar").iterdir()
    assert [raw.data for raw in open_trace(trace)] == answers


def test_sensor_view_out_has_one_reflection_for_every_ray(small_fmu):
    data = moving()[0]
    with running(small_fmu, sensor_view_out=True) as fmu:
        answer = parsed(step(fmu, data))
        view = SensorView.FromString(fmu.message("OSMPSensorViewOut"))
    (lidar,) = view.lidar_sensor_view
    assert len(lidar.reflection) == len(lidar.view_configuration.directions) == 4
    found = {d.beam_id.value: d for d in answer.feature_data.lidar_sensor[0].detection}
    assert 0 < len(found) < 4
    for ray, reflection in enumerate(lidar.reflection):
        if ray in found:
            one = found[ray]
            distance_m = 0.5 * 299_792_458.0 * reflection.time_of_flight
            assert distance_m == pytest.approx(one.position.distance, rel=1e-12)
            gain = one.reflectivity / (np.pi * one.position.distance**2)
            assert reflection.signal_strength == pytest.approx(10 * np.log10(gain), rel=1e-6)
            assert reflection.object_id.value == one.object_id.value
        else:
            assert (reflection.signal_strength, reflection.time_of_flight) == (-300.0, 0.0)
            assert reflection.object_id.value == 2**64 - 1
    view.ClearField("lidar_sensor_view")
    assert view == SensorView.FromString(data)


def test_sensor_view_out_is_empty_unless_asked_for(small_fmu):
    with running(small_fmu) as fmu:
        step(fmu, moving()[0])
        assert fmu.message("OSMPSensorViewOut") == b""
        if fmu.fmi == 2:
            assert tuple(fmu.pointer("OSMPSensorViewOut")) == (0, 0, 0)


def test_command_drives_an_fmu_and_writes_its_answers(small_fmu, trace, tmp_path):
    result = run("fmu", "run", small_fmu, trace, "--out", tmp_path / "out", "--set", "seed=3")
    assert result.exit_code == 0, result.output
    assert "5, 5 of them with an answer" in result.output
    (written,) = (tmp_path / "out").glob("*.osi")
    assert sum(1 for _ in open_trace(written)) == 5


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--set", "no_such=1"], ["no variable no_such"]),
        (["--set", "OSMPGroundTruthInit=x"], ["OSMPGroundTruthInit"]),
        (["--set", "seed"], ["NAME=VALUE"]),
        (["--set", "seed=many"], ["seed: got 'many', expected a value of type Int"]),
        (["--set", "motion_blur=maybe"], ["motion_blur: got 'maybe', expected true or false"]),
    ],
)
def test_command_tells_in_one_line_what_is_wrong(small_fmu, trace, tmp_path, options, words):
    assert_one_line(
        run("fmu", "run", small_fmu, trace, "--out", tmp_path / "out", *options), 2, *words
    )


@pytest.mark.native  # pythonfmu does not say whether the master logs: a refusal is on stderr, too
def test_command_tells_once_why_the_fmu_refuses(small_fmu, trace, tmp_path):
    options = ["--out", tmp_path / "out", "--set", "preset=VLP16x"]
    result = run("fmu", "run", small_fmu, trace, *options)
    assert_one_line(result, 2, "VLP16x", "did you mean")


@pytest.mark.parametrize("given", [True, "True", "true", "1"])
def test_a_switch_is_set_by_the_words_that_people_write(small_fmu, given):
    with Fmu(small_fmu) as fmu:
        for value, expected in ((given, True), ("False", False)):
            fmu.set("motion_blur", value)
            assert fmu.get("motion_blur") == expected


def test_a_run_that_is_interrupted_ends_with_a_whole_trace(small_fmu, trace, tmp_path):
    report = fmu_run(small_fmu, trace, tmp_path / "out", on_step=lambda done: done.steps < 3)
    assert report.interrupted
    assert report.valid == 3
    assert [path.name for path in (tmp_path / "out").iterdir()] == [report.trace.name]
    assert sum(1 for _ in open_trace(report.trace)) == 3


def test_command_refuses_what_is_no_fmu(trace, tmp_path):
    file = tmp_path / "x.fmu"
    file.write_bytes(b"no zip")
    assert_one_line(run("fmu", "run", file, trace, "--out", tmp_path / "out"), 2, "x.fmu")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("seed", float("inf")),
        ("seed", float("nan")),
        ("seed", 2**64),  # FMPy would cut off bits
        pytest.param("max_range_m", 10**400, id="max_range_m"),
    ],
)
def test_a_value_that_its_type_cannot_hold_is_refused_in_one_line(small_fmu, name, value):
    with (
        Fmu(small_fmu) as fmu,
        one_line(InputError, start=f"{name}: got ", match="a value of type"),
    ):
        fmu.set(name, value)


@pytest.mark.parametrize(
    ("stated", "step_s"),
    [("0.05", 0.05), (None, 0.1), ("NaN", 0.1), ("INF", 0.1), ("-1", 0.1), ("a", 0.1)],
)
def test_a_step_of_an_fmu_that_cannot_be_one_is_0_1_s(stated, step_s):
    experiment = SimpleNamespace(stepSize=stated)
    description = SimpleNamespace(modelVariables=[], defaultExperiment=experiment)
    assert FmuVariables(Path("a.fmu"), description, 2).step_s == step_s
