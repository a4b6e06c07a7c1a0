# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Initialization after OSMP: the request, what the master grants, and what comes before all."""

from functools import cache

import pytest
from osi3.osi_sensorviewconfiguration_pb2 import SensorViewConfiguration

from osi_bridge import encode_view_request
from osi_lidar.config import default_config
from osi_lidar.errors import InputError
from osi_lidar.model import LidarModel
from osi_lidar.run.fmu import Fmu
from tests.builders.messages import Thing, frames, host, message, truth_of
from tests.fmu.driving import parsed, running, step

REQUEST, GRANTED = "OSMPSensorViewInConfigRequest", "OSMPSensorViewInConfig"
TRUTH_INIT = "OSMPGroundTruthInit"
ASKED = encode_view_request(range_m=100.0, period_ns=10**8)
WALL = Thing(9, (20.0, 0.0, 1.5), dimension_m=(1.0, 30.0, 8.0), kind="stationary_object")


@cache
def answer():
    return LidarModel(default_config("VLP-16")).step(frames([[host()]])[0]).sensor_data


def requested(fmu):
    return SensorViewConfiguration.FromString(fmu.message(REQUEST))


def granted(**fields):
    return SensorViewConfiguration(**fields)


def refused(path, inputs, **parameters):
    """Return what the FMU logs when it refuses; freeing it afterwards must work."""
    log = []
    with pytest.raises(InputError), running(path, log, inputs, **parameters):
        pass
    return log[0]


@pytest.mark.core
def test_request_follows_the_parameters_until_initialization(default_fmu):
    with Fmu(default_fmu) as fmu:
        assert requested(fmu).range == 120.0  # OS1-128
        fmu.set("max_range_m", 80.0)
        assert requested(fmu).range == 80.0
        fmu.set("preset", "VLP-16")
        assert requested(fmu).update_cycle_time.nanos == 100_000_000  # 10 Hz
        assert requested(fmu).version.version_major == 3
        assert not requested(fmu).lidar_sensor_view_configuration  # ground truth is enough


@pytest.mark.core
def test_request_echoes_what_was_granted(small_fmu):
    data = granted(range=300.0).SerializeToString()
    with running(small_fmu, inputs={GRANTED: data}) as fmu:
        assert fmu.message(REQUEST) == data


def test_request_echoes_what_is_granted_before_the_end_of_initialization(small_fmu):
    data = granted(range=300.0).SerializeToString()
    with Fmu(small_fmu) as fmu:
        assert requested(fmu).range == 200.0
        fmu.put(GRANTED, data)
        assert fmu.message(REQUEST) == data
        fmu.set("max_range_m", 80.0)
        assert fmu.message(REQUEST) == data
        fmu.put(GRANTED, b"")
        assert requested(fmu).range == 80.0


@pytest.mark.parametrize(
    ("name", "data", "found", "expected"),
    [
        (GRANTED, message([host()]), "SensorView", "SensorViewConfiguration"),
        (GRANTED, truth_of(message([host()])), "GroundTruth", "SensorViewConfiguration"),
        (TRUTH_INIT, message([host(), WALL]), "SensorView", "GroundTruth"),
        (TRUTH_INIT, answer, "SensorData", "GroundTruth"),
        (TRUTH_INIT, ASKED, "SensorViewConfiguration", "GroundTruth"),
        (GRANTED, answer, "SensorData", "SensorViewConfiguration"),
    ],
)
def test_message_of_another_type_is_refused_by_name(small_fmu, name, data, found, expected):
    line = refused(small_fmu, {name: data() if callable(data) else data})
    assert line == f"{name}: looks like a {found}, expected a {expected} message"


def test_request_stays_where_nothing_was_granted(small_fmu):
    with running(small_fmu) as fmu:
        assert requested(fmu).range == 200.0  # of a pattern of one's own


def test_granted_range_that_is_too_short_is_a_warning(small_fmu):
    log = []
    with running(small_fmu, log, {GRANTED: granted(range=50.0).SerializeToString()}):
        assert any("range is 50 m" in line for line in log)


def test_view_configuration_that_cannot_be_followed_fails_initialization(small_fmu):
    omitted = granted(omit_static_information=True).SerializeToString()
    assert "OSMPGroundTruthInit" in refused(small_fmu, {GRANTED: omitted})
    other = granted()
    other.version.version_major = 4
    assert "expected 3" in refused(small_fmu, {GRANTED: other.SerializeToString()})
    askew = granted()
    askew.mounting_position.position.x = float("nan")
    assert "nan" in refused(small_fmu, {GRANTED: askew.SerializeToString()})
    assert "not a SensorViewConfiguration" in refused(small_fmu, {GRANTED: b"\xff" * 9})


@pytest.mark.core
def test_static_objects_of_the_beginning_are_seen(small_fmu):
    truth = truth_of(message([host(), WALL]))
    inputs = {
        TRUTH_INIT: truth,
        GRANTED: granted(omit_static_information=True).SerializeToString(),
    }
    with running(small_fmu, inputs=inputs) as fmu:
        answers = [step(fmu, message([host()], time_s=0.1 * n), n) for n in range(3)]
    for answer in answers:
        detections = parsed(answer).feature_data.lidar_sensor[0].detection
        assert {d.object_id.value for d in detections} == {9}


def test_static_objects_of_the_beginning_give_way_to_those_of_a_message(small_fmu):
    truth = truth_of(message([host(), WALL]))
    other = Thing(10, (30.0, 0.0, 1.5), dimension_m=(1.0, 40.0, 8.0), kind="stationary_object")
    with running(small_fmu, inputs={TRUTH_INIT: truth}) as fmu:
        data = parsed(step(fmu, message([host(), other])))
    ids = {d.object_id.value for d in data.feature_data.lidar_sensor[0].detection}
    assert 10 in ids
    assert 9 not in ids


@pytest.mark.core
def test_bytes_that_are_no_ground_truth_fail_initialization(small_fmu):
    assert TRUTH_INIT in refused(small_fmu, {TRUTH_INIT: b"\xff" * 20})


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"config": "/nowhere/config.yaml"}, ["/nowhere/config.yaml", "no such file"]),
        ({"preset": "VLP16x"}, ["VLP16x", "did you mean"]),
        ({"columns": 7, "preset": "OS1-128"}, ["columns 7"]),
        ({"mounting_x_m": float("nan")}, ["nan"]),
        ({"mounting_yaw_deg": 999.0}, ["999"]),
        ({"min_range_m": 500.0}, ["min_range_m 500"]),
        ({"max_range_m": 0.1}, ["max_range_m 0.1"]),
        ({"seed": -1}, ["-1"]),
        ({"ground": "below 100%s"}, ["100%s"]),  # safe for printf
        ({"pattern": "{kind: roset}"}, ["roset", "did you mean"]),
        ({"pattern": "/nowhere/pattern.yaml"}, ["/nowhere/pattern.yaml", "no such file"]),
        ({"fidelity": "high"}, ["high", "physical"]),
        ({"log_level": "loud"}, ["loud", "warning"]),
        ({"pcd_folder": "/proc/no/such"}, ["/proc/no/such"]),
        ({"trace_folder": "/dev/null/x"}, ["/dev/null/x"]),
    ],
)
def test_line_of_a_refused_parameter_begins_with_its_name(small_fmu, parameters, words):
    line = refused(small_fmu, {}, **parameters)
    assert line.startswith(f"{next(iter(parameters))}: ")
    assert "sensors[0]" not in line
    for word in words:
        assert word in line


@pytest.mark.core
def test_instance_can_be_reset_and_used_after_a_refusal(small_fmu):
    with Fmu(small_fmu) as fmu:
        for _ in range(3):
            with pytest.raises(InputError):
                fmu.initialize({"config": "/nowhere/config.yaml"})
            fmu.reset()
        fmu.initialize()
        assert step(fmu, message([host(), WALL]))
