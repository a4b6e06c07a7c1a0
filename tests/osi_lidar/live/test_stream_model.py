# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""One message in, one answer out, whatever the message holds."""

import logging

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from osi3.osi_sensordata_pb2 import SensorData
from osi3.osi_sensorview_pb2 import SensorView

from osi_bridge import FrameDecoder
from osi_bridge.order import LATE_NS
from osi_lidar import LidarModel
from osi_lidar.config import Config
from osi_lidar.live.counters import Counters
from osi_lidar.live.stream_model import StreamModel, warm_up
from osi_lidar.output.run_folder import RunFolder
from tests.builders.messages import Thing, host, message, truth_of
from tests.osi_lidar.live.helpers import arrival, warnings

PATTERN = {"kind": "angles", "horizontal_deg": [0, 5], "vertical_deg": [0, -5]}
CONFIG = Config.model_validate({"sensors": [{"name": "front", "pattern": PATTERN}]})
HOUSE = Thing(9, (10.0, 0.0, 0.75), kind="stationary_object")
SIGN = Thing(10, (8.0, 0.0, 0.75), kind="stationary_object")


def view(time_s, *static, **options):
    """Return a message in which a car crosses, with these static objects."""
    car = Thing(2, (15.0, 5.0 - 20.0 * (time_s % 10.0), 0.75))
    return message([host(), car, *static], time_s=time_s, **options)


GOOD = [view(0.0, HOUSE), view(0.1), view(0.2), view(0.3)]


def without(data, *fields):
    """Return a SensorView message without some of its fields."""
    found = SensorView.FromString(data)
    for field in fields:
        found.ClearField(field)
        if field == "timestamp":
            found.global_ground_truth.ClearField(field)
    return found.SerializeToString()


class Live:
    """A stream_model, and how many messages of which connection it was given."""

    def __init__(self, message_type=None, host_id=None, folder=None):
        self.counters = Counters()
        self.stream_model = StreamModel(
            CONFIG,
            message_type=message_type,
            host_id=host_id,
            folder=folder,
            counters=self.counters,
        )
        self.connection = 1

    def steps(self, *messages):
        """Return the answers, None where a message has none; each is counted as one thing."""
        steps = []
        for data in messages:
            steps.append(self.stream_model.answer(arrival(data, connection=self.connection)))
            self.counters.received += 1
            self.counters.skipped = self.counters.dropped = 0
        counters = self.counters
        assert counters.received == counters.answered + counters.late + counters.rejected
        return steps

    def answers(self, *messages):
        """Return the answers as bytes."""
        return [None if step is None else step.sensor_data for step in self.steps(*messages)]


def modelled(messages, message_type="SensorView"):
    """Return what a model of its own answers."""
    model, decoder = LidarModel(CONFIG), FrameDecoder(message_type)
    return [model.step(decoder.decode(data, n)).sensor_data for n, data in enumerate(messages)]


def sensor_data(time_s=0.25):
    """Return a message of the kind that this model sends itself."""
    found = SensorData()
    for stamp in (found.timestamp, found.last_measurement_time):
        stamp.nanos = round(1e9 * time_s)
    found.version.version_major = 3
    header = found.feature_data.lidar_sensor.add().header
    header.cycle_counter, header.number_of_valid_detections = 1, 0
    return found.SerializeToString()


SENSOR_DATA = sensor_data()
BAD = {
    "no protobuf": b"\xff" * 50,
    "an empty message": b"",
    "SensorData": SENSOR_DATA,
    "GroundTruth": truth_of(view(0.25)),
    "no ground truth": without(view(0.25), "global_ground_truth"),
    "no timestamp": without(view(0.25, SIGN), "timestamp"),
    "no time that 64 bits hold": view(9.3e9, SIGN),
    "no time that 64 bits hold, before zero": view(-9.3e9, SIGN),
    "late": view(0.05, SIGN),
    "late, another host": view(0.05, host_id=2),
}


@pytest.mark.parametrize("message_type", ["SensorView", "GroundTruth"])
@pytest.mark.parametrize("asked", [True, False])
def test_the_first_message_tells_the_type_unless_it_is_asked_for(message_type, asked, caplog):
    caplog.set_level(logging.INFO, "osi_lidar.live")
    messages = GOOD if message_type == "SensorView" else list(map(truth_of, GOOD))
    live = Live(message_type if asked else None)
    assert live.answers(*messages) == modelled(messages, message_type)
    assert live.stream_model.taken_type == message_type
    assert caplog.text.count(f"messages are {message_type}") == 1


@pytest.mark.parametrize(
    ("first", "told"),
    [
        (SENSOR_DATA, "it looks like a SensorData, expected SensorView or GroundTruth"),
        (b"\xff" * 50, "its type is not recognised, expected SensorView or GroundTruth"),
        (b"", "its type is not recognised, expected SensorView or GroundTruth"),
        (SensorData().SerializeToString(), "its type is not recognised"),
    ],
    ids=["SensorData", "no protobuf", "empty", "empty SensorData"],
)
def test_a_first_message_that_cannot_be_used_decides_nothing(first, told, caplog):
    live = Live()
    messages = list(map(truth_of, GOOD))
    assert live.answers(first, *messages) == [None, *modelled(messages, "GroundTruth")]
    assert live.counters.rejected == 1
    (line,) = warnings(caplog)
    assert line.startswith(f"message 0: {told}")


@pytest.mark.parametrize(
    ("asked", "sent", "looks"),
    [
        ("GroundTruth", GOOD[0], "looks like a SensorView, expected a GroundTruth message"),
        (
            "SensorView",
            truth_of(GOOD[0]),
            "looks like a GroundTruth, expected a SensorView message",
        ),
        ("SensorView", SENSOR_DATA, "looks like a SensorData, expected a SensorView message"),
    ],
    ids=["SensorView", "GroundTruth", "SensorData"],
)
def test_another_type_than_asked_for_is_refused(asked, sent, looks, caplog):
    live = Live(asked)
    assert live.answers(sent) == [None]
    assert live.counters.rejected == 1
    assert looks in warnings(caplog)[0]


@pytest.mark.parametrize("bad", BAD.values(), ids=BAD.keys())
def test_a_bad_message_in_mid_stream_is_skipped_and_leaves_no_trace(bad, caplog):
    live = Live()
    answers = live.answers(*GOOD[:3], bad, GOOD[3])
    expected = modelled(GOOD)
    assert answers == [*expected[:3], None, expected[3]]
    assert live.counters.rejected + live.counters.late == 1
    assert len([line for line in warnings(caplog) if line.endswith("skipped")]) == 1


def test_each_problem_is_told_once_and_counted_each_time(caplog):
    live = Live()
    bad = BAD["no ground truth"]
    live.steps(GOOD[0], bad, bad, bad, GOOD[1], bad, bad, BAD["no protobuf"])
    assert live.counters.rejected == 6
    assert len(warnings(caplog)) == 2


def test_a_flood_of_problems_is_told_on_one_screen(caplog):
    live = Live()
    live.steps(GOOD[0], *(b"\xff" * n for n in range(1, 20)))
    live = Live(host_id=10**6)
    live.steps(*(message([Thing(n, (0.0, 0.0, 0.0))], host_id=n) for n in range(1, 100)))
    assert live.counters.rejected == 99
    assert len(warnings(caplog)) < 50
    assert warnings(caplog)[-1] == "further problems with messages are counted, but not logged"


@pytest.mark.parametrize(
    ("back_ns", "late"),
    [(0, False), (1, True), (LATE_NS, True), (LATE_NS + 1, False), (100 * LATE_NS, False)],
)
def test_a_message_a_little_older_is_late_and_a_much_older_one_begins_another_run(back_ns, late):
    def at(time_ns):
        found = SensorView.FromString(view(0.0))
        seconds, nanos = divmod(time_ns, 10**9)
        for part in (found, found.global_ground_truth):
            part.timestamp.seconds, part.timestamp.nanos = seconds, nanos
        return found.SerializeToString()

    live = Live()
    live.steps(at(50 * LATE_NS), at(100 * LATE_NS))
    (step,) = live.steps(at(100 * LATE_NS - back_ns))
    assert (step is None) == late
    assert live.counters.late == late


@pytest.mark.parametrize("first_s", [10.0, 9.9])
def test_a_message_as_old_as_the_first_one_begins_another_run(first_s):
    """However short the run was. What came only once stays: it may not be the very first one."""
    live = Live()
    live.steps(view(10.0, HOUSE), view(10.1), view(10.2))
    answers = live.steps(view(first_s), view(10.1))
    assert [step.time_ns for step in answers] == [round(1e9 * first_s), 10_100_000_000]
    assert live.counters.late == 0
    assert {one.object_id for one in live.stream_model.model.world.objects.listed} == {
        2,
        HOUSE.object_id,
    }


def test_a_host_asked_for_is_waited_for(caplog):
    live = Live(host_id=2)
    lonely = message([host()], time_s=0.0)
    assert live.answers(lonely, lonely) == [None, None]
    assert live.counters.rejected == 2
    (line,) = warnings(caplog)
    assert "host vehicle 2 is not a moving object" in line
    assert None not in live.answers(view(0.1), view(0.2))
    assert live.stream_model.progress.host_object_id == 2


@pytest.mark.parametrize("asked", [None, "SensorView"])
def test_a_new_connection_is_answered_as_by_a_new_model(asked):
    """Also when it sends another type, or begins earlier, or does not repeat the static objects."""
    live = Live(asked)
    for messages, message_type in (
        (GOOD, "SensorView"),
        (GOOD[1:], "SensorView"),
        (list(map(truth_of, GOOD)), "GroundTruth"),
        (GOOD, "SensorView"),
    ):
        if asked in (None, message_type):
            assert live.answers(*messages) == modelled(messages, message_type)
            live.connection += 1
    assert live.stream_model.model.scene_counts.commits >= 4


def test_a_connection_that_sends_nothing_good_does_not_change_the_next_one():
    live = Live()
    live.steps(*GOOD)
    live.connection = 2
    assert live.answers(*list(BAD.values())[:3]) == 3 * [None]
    live.connection = 3
    assert live.answers(*GOOD) == modelled(GOOD)


def test_a_failing_disk_ends_the_files_and_not_the_answers(tmp_path, caplog):
    folder = RunFolder(tmp_path / "out", CONFIG, custom_name="stream")
    folder.open()
    live = Live(folder=folder)
    answers = []
    for n, data in enumerate(GOOD):
        (step,) = live.steps(data)
        answers.append(step.sensor_data)
        live.stream_model.write(step)
        if n == 0:
            live.stream_model.flush()
            clouds = tmp_path / "out" / "front"
            clouds.rename(tmp_path / "elsewhere")
            clouds.write_text("a file in the place of the folder")
    live.stream_model.flush()
    assert answers == modelled(GOOD)
    assert [file.name for file in (tmp_path / "elsewhere").iterdir()] == ["000000.pcd"]
    assert live.stream_model.write_error is not None
    (line,) = [line for line in warnings(caplog) if "no more files are written" in line]
    assert str(clouds) in line
    folder.finish({})


def test_warming_up_needs_nothing_of_the_scene(tmp_path):
    """Its meshes may be large, or missing: the model itself tells that."""
    entry = {"mesh": tmp_path / "missing.obj"}
    warm_up(Config.model_validate({**CONFIG.model_dump(), "scene": {"environment": [entry]}}))


def test_no_bytes_raise_and_the_next_good_message_is_answered():
    live, expected = Live(), modelled(GOOD[:1])

    @settings(deadline=None, max_examples=30)
    @given(st.data())
    def check(data):
        live.connection += 1
        assert live.answers(GOOD[0]) == expected
        changed = bytearray(GOOD[1])
        for _ in range(data.draw(st.integers(1, 5))):
            at = data.draw(st.integers(0, len(changed)))
            new = data.draw(st.binary(max_size=8))  # of the same length it breaks less of protobuf
            changed[at : at + data.draw(st.sampled_from([len(new), len(new), 0, 8]))] = new
        live.steps(bytes(changed))
        live.connection += 1
        assert live.answers(GOOD[0]) == expected

    check()


def test_what_nobody_foresaw_is_told_as_a_sentence(monkeypatch, caplog):
    def step(_model, _frame):
        raise OverflowError("int too big\nto convert")

    live = Live()
    monkeypatch.setattr(LidarModel, "step", step)
    assert live.steps(GOOD[0]) == [None]
    assert warnings(caplog) == [
        "message 0: it could not be processed: int too big to convert (OverflowError); skipped"
    ]


def test_a_viewer_that_fails_does_not_end_the_stream(caplog):
    class Failing:
        def show(self, _moment):
            raise ValueError("no picture of that")

    for _ in range(2):
        StreamModel.show(live := Live().stream_model, Failing(), None)
    assert live.write_error is None
    assert "a message is not shown: it could not be processed: no picture of that" in caplog.text
