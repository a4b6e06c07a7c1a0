# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The sensor behind both versions of FMI: messages as bytes in, by address and size out."""

import ctypes
import logging
import re

import pytest
from osi3.osi_sensorview_pb2 import SensorView
from osi3.osi_sensorviewconfiguration_pb2 import SensorViewConfiguration

from fmu_src.log import NO_CARRIER
from fmu_src.sensor import OsmpLidar
from lidar_base.compiled import LAYERS
from osi_bridge import NO_DATA
from tests.builders.files import written
from tests.builders.messages import Thing, ahead, host, message, moving
from tests.builders.worlds import SENSOR
from tests.fmu.driving import DATA, STEP_S, VIEW, parsed

REQUEST, GRANTED = "OSMPSensorViewInConfigRequest", "OSMPSensorViewInConfig"
GOOD, BETTER = moving(2)


@pytest.fixture
def log():
    return []


@pytest.fixture
def sensor(tmp_path, log):
    """Return a sensor of four beams that is not initialized."""
    config = written(tmp_path / "small.yaml", SENSOR)
    lidar = OsmpLidar(
        instance_name="lidar",
        packed=config,
        start={},
        log=lambda level, text: log.append((level, text)),
    )
    yield lidar
    lidar.close()


def step(sensor, index=0):
    sensor.step(index * STEP_S, STEP_S)
    return sensor.pointer(DATA).read()


def test_message_given_as_bytes_is_answered(sensor):
    sensor.initialize()
    sensor.put(VIEW, GOOD)
    assert parsed(step(sensor)).feature_data.lidar_sensor[0].detection
    assert sensor.get("valid")


def test_memory_of_the_master_is_not_used_after_the_call(sensor):
    memory = bytearray(GOOD)
    sensor.initialize()
    sensor.put(VIEW, memory)
    memory[:] = bytes(len(memory))
    assert sensor.pointer(VIEW).read() == GOOD
    assert parsed(step(sensor)).feature_data.lidar_sensor[0].detection


def test_message_as_bytes_replaces_a_pointer_and_a_pointer_replaces_it(sensor):
    sensor.initialize()
    buffer = ctypes.create_string_buffer(b"\xff" * 20)
    for part, value in zip(("base.lo", "base.hi", "size"), (1, 1, 20), strict=True):
        sensor.set(f"{VIEW}.{part}", value)  # an address of nothing: must never be read
    sensor.put(VIEW, GOOD)
    assert step(sensor)
    address = ctypes.addressof(buffer)
    sensor.set(f"{VIEW}.base.lo", ctypes.c_int32(address).value)
    sensor.set(f"{VIEW}.base.hi", ctypes.c_int32(address >> 32).value)
    sensor.set(f"{VIEW}.size", 20)
    assert step(sensor, 1) == b""
    assert not sensor.get("valid")


def test_empty_bytes_mean_no_message(sensor, log):
    sensor.initialize()
    sensor.put(VIEW, GOOD)
    assert step(sensor)
    sensor.put(VIEW, b"")
    assert sensor.pointer(VIEW) == NO_DATA
    assert step(sensor, 1) == b""
    assert "no message" in log[-1][1]


def test_answers_stay_in_memory_until_the_second_step_after_theirs(sensor):
    sensor.initialize()
    sensor.put(VIEW, GOOD)
    data = step(sensor)
    pointer = sensor.pointer(DATA)
    sensor.put(VIEW, BETTER)
    assert step(sensor, 1) != data
    assert pointer.read() == data


def test_pointer_and_integers_of_a_message_are_the_same(sensor):
    sensor.initialize()
    sensor.put(VIEW, GOOD)
    step(sensor)
    for name in (VIEW, DATA, REQUEST):
        parts = [sensor.get(f"{name}.{part}") for part in ("base.lo", "base.hi", "size")]
        assert parts == list(sensor.pointer(name))


def test_request_can_be_read_before_initialization(sensor):
    request = SensorViewConfiguration.FromString(sensor.pointer(REQUEST).read())
    assert request.range == 200.0


def test_threads_and_their_layer_are_told_at_the_end_of_initialization(sensor, log):
    sensor.initialize()
    ((level, line),) = log
    assert level == logging.INFO
    assert re.fullmatch(rf"kernels run on \d+ threads? of ({'|'.join(LAYERS)})", line)


def test_what_a_replay_lists_is_told_once(sensor, log):
    sensor.initialize()
    things = [host(), ahead(reference="car.obj"), Thing(3, (float("nan"), 0.0, 0.0))]
    view = SensorView.FromString(message(things))
    view.version.Clear()
    view.version.version_major = 4
    for index in range(3):
        view.timestamp.seconds = index
        sensor.put(VIEW, view.SerializeToString())
        assert step(sensor, index)
    told = [text for level, text in log if level == logging.WARNING]
    assert len(told) == 3
    assert (
        sum("car.obj" in text and "used: small_car 2.00 x 2.00 x 2.00 m" in text for text in told)
        == 1
    )
    assert sum("base.position.x is nan; used: nothing" in text for text in told) == 1
    assert sum("message of OSI 4.0.0" in text for text in told) == 1
    assert [text for level, text in log if level == logging.INFO][1:] == [
        "ground plane at z = -0.25 m"
    ]


def test_vehicle_that_is_missing_is_told_once(sensor, log):
    sensor.initialize()
    for index in range(2):
        sensor.put(VIEW, message([], time_s=float(index)))
        assert step(sensor, index)
    assert [text for level, text in log if level == logging.WARNING] == [NO_CARRIER]


def test_vehicle_that_is_missing_later_is_told_then(sensor, log):
    sensor.initialize()
    for index, things in enumerate(([host()], [])):
        assert NO_CARRIER not in [text for _, text in log]
        sensor.put(VIEW, message(things, time_s=float(index)))
        assert step(sensor, index)
    assert NO_CARRIER in [text for _, text in log]


def test_step_that_is_refused_leaves_no_answer_of_the_one_before(sensor):
    sensor.set("sensor_view_out", True)
    sensor.initialize()
    sensor.put(VIEW, GOOD)
    assert step(sensor)
    outputs = DATA, "OSMPSensorViewOut"
    assert all(sensor.pointer(name).size for name in outputs)
    sensor.skip_step()
    assert [sensor.pointer(name) for name in outputs] == [NO_DATA] * 2
    assert (sensor.get("valid"), sensor.get("count")) == (False, 0)


def test_sensor_without_a_whole_scan_is_told_at_the_end_and_not_before(tmp_path, log):
    config = written(tmp_path / "slow.yaml", "sensors: [{preset: VLP-16, timing: sensor_rate}]\n")
    lidar = OsmpLidar(
        instance_name="lidar",
        packed=config,
        start={},
        log=lambda level, text: log.append((level, text)),
    )
    lidar.initialize()
    lidar.put(VIEW, GOOD)
    step(lidar)
    assert not [text for _, text in log if "no scan" in text]
    for _ in range(2):
        lidar.close()
    assert len([text for _, text in log if "no scan" in text]) == 1


def test_only_inputs_take_messages(sensor, log):
    sensor.put(DATA, GOOD)
    assert sensor.pointer(DATA) == NO_DATA
    assert log == [(logging.WARNING, f"{DATA}: is not an input message")]
