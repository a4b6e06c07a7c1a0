# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Trace files in: formats, message types, what is none."""

import gzip
import lzma
import os
from functools import partial
from unittest.mock import Mock

import pytest
from google.protobuf import text_format
from mcap.writer import CompressionType, Writer
from osi3.osi_sensordata_pb2 import SensorData
from osi3.osi_sensorview_pb2 import SensorView

from osi_bridge import (
    DamagedTrace,
    FrameDecoder,
    TraceError,
    mcap_channels,
    mcap_messages,
    open_trace,
    some_objects,
    write_trace,
)
from tests.builders.messages import framed
from tests.builders.refusals import one_line
from tests.osi_bridge.helpers import (
    MESSAGES,
    add_box,
    as_text,
    ground_truth,
    mcap_bytes,
    save,
    sensor_view,
)


def contents(path, **options):
    return [raw.data for raw in open_trace(path, **options)]


def test_osi_gives_bytes_numbers_and_offsets(tmp_path):
    path = save(tmp_path / "trace.osi", framed(MESSAGES))
    trace = open_trace(path)
    raw = list(trace)
    assert (trace.message_type, trace.count) == ("SensorView", 5)
    assert [r.data for r in raw] == MESSAGES
    assert [r.index for r in raw] == [0, 1, 2, 3, 4]
    assert [path.read_bytes()[r.offset + 4 :][: len(r.data)] for r in raw] == MESSAGES
    assert [r.data for r in trace] == MESSAGES  # a second pass


@pytest.mark.parametrize("suffix", [".osi", ".mcap"])
@pytest.mark.parametrize("packed", [".gz", ".xz"])
def test_compressed_traces_are_read(tmp_path, suffix, packed):
    plain = tmp_path / f"trace{suffix}"
    write_trace(plain, MESSAGES, message_type="SensorView")
    pack = {".gz": gzip.compress, ".xz": lzma.compress}[packed]
    path = save(tmp_path / f"trace{suffix}{packed}", pack(plain.read_bytes()))
    assert contents(path) == MESSAGES


@pytest.mark.parametrize("packed", ["", ".gz"])
def test_text_traces_are_read(tmp_path, packed):
    data = gzip.compress(as_text()) if packed else as_text()
    trace = open_trace(save(tmp_path / f"trace.txth{packed}", data))
    assert trace.message_type == "SensorView"
    assert trace.count is None
    assert [SensorView.FromString(r.data) for r in trace] == [
        SensorView.FromString(data) for data in MESSAGES
    ]


def test_text_of_ground_truth_and_sensor_data_is_told_apart(tmp_path):
    truth = text_format.MessageToString(ground_truth()).encode()
    assert open_trace(save(tmp_path / "a.txth", truth)).message_type == "GroundTruth"
    data = SensorData(sensor_view=[sensor_view()])
    data.timestamp.seconds = 1
    text = text_format.MessageToString(data).encode()
    assert open_trace(save(tmp_path / "b.txth", text)).message_type == "SensorData"


@pytest.mark.parametrize(
    "fields",
    [
        {"sensor_id": {"value": 4}},
        {"mounting_position": {"position": {"x": 1.0}}},
        {"moving_object_header": {"data_qualifier": 1}},
        {"sensor_id": {"value": 4}, "lane_header": {"data_qualifier": 1}},
    ],
)
def test_text_of_sensor_data_is_recognised_by_objects_and_any_field_of_its_own(tmp_path, fields):
    message = SensorData(moving_object=[{}], **fields)
    message.timestamp.seconds = 1
    text = text_format.MessageToString(message).encode()
    trace = open_trace(save(tmp_path / "a.txth", text * 2))
    assert trace.message_type == "SensorData"
    assert len(list(trace)) == 2


def big_view():
    view = sensor_view(10**9, cars=(0, 1, 2))
    view.host_vehicle_id.value = 0
    add_box(view.global_ground_truth, 50)
    return view


def bare(message):
    """Return the message with nothing but a timestamp."""
    stamped = type(message)()
    stamped.timestamp.CopyFrom(message.timestamp)
    return stamped


@pytest.mark.parametrize(
    ("expected", "messages"),
    [
        ("SensorView", [sensor_view()]),
        ("SensorView", [big_view()]),
        ("GroundTruth", [ground_truth()]),
        ("GroundTruth", [big_view().global_ground_truth]),
        ("GroundTruth", [bare(ground_truth()), ground_truth(1)]),
        ("SensorView", [bare(sensor_view()), sensor_view(1)]),
        ("SensorData", [SensorData(timestamp=big_view().timestamp, sensor_view=[big_view()])]),
    ],
)
def test_message_type_is_told_from_the_content(tmp_path, expected, messages):
    data = framed([message.SerializeToString() for message in messages])
    assert open_trace(save(tmp_path / "trace.osi", data)).message_type == expected


def test_message_type_of_the_name_goes_before_the_content(tmp_path, caplog):
    name = "20240603T143803.535904Z_gt_370_3200_5_some_name.osi"
    trace = open_trace(save(tmp_path / name, framed(MESSAGES)))
    assert trace.message_type == "GroundTruth"
    assert "file name says GroundTruth, but the content looks like SensorView" in caplog.text
    assert open_trace(trace.path, message_type="SensorView").message_type == "SensorView"


@pytest.mark.parametrize(
    ("asked", "held", "message"),
    [
        ("SensorView", "GroundTruth", ground_truth()),
        ("GroundTruth", "SensorView", sensor_view()),
        ("GroundTruth", "SensorView", sensor_view(cars=())),
    ],
)
@pytest.mark.parametrize("suffix", [".osi", ".txth"])
def test_a_type_asked_for_against_clear_content_is_refused(tmp_path, suffix, asked, held, message):
    binary = framed([message.SerializeToString()] * 2)
    text = text_format.MessageToString(message).encode() * 2
    path = save(tmp_path / f"trace{suffix}", binary if suffix == ".osi" else text)
    problem = f"requested {asked}, but the content looks like {held}$"
    with pytest.raises(TraceError, match=problem) as caught:
        open_trace(path, message_type=asked)
    assert not isinstance(caught.value, DamagedTrace)
    assert open_trace(path, message_type=held).message_type == held


def test_a_type_asked_for_against_doubtful_content_is_taken_with_a_warning(tmp_path, caplog):
    field_of_a_newer_osi = b"\xf8\x3f\x01"  # number 1023, varint 1
    messages = [data + field_of_a_newer_osi for data in MESSAGES]
    path = save(tmp_path / "trace.osi", framed(messages))
    assert open_trace(path, message_type="GroundTruth").message_type == "GroundTruth"
    assert "requested GroundTruth, but the content looks like SensorView" in caplog.text


def test_text_of_another_type_than_the_name_says_is_refused(tmp_path):
    path = save(tmp_path / "20210818T150542Z_gt_380_7362_5_x.txth", as_text())
    problem = "the file name says GroundTruth, but the content looks like SensorView"
    with pytest.raises(TraceError, match=problem):
        open_trace(path)


def test_a_type_in_a_name_that_does_not_follow_the_rule_says_nothing(tmp_path):
    path = save(tmp_path / "my_gt_notes.osi", framed(MESSAGES))
    assert open_trace(path).message_type == "SensorView"


def test_messages_that_do_not_tell_their_type_need_it_given(tmp_path):
    path = save(tmp_path / "trace.osi", framed([bare(sensor_view()).SerializeToString()]))
    with pytest.raises(TraceError, match="the message type is not recognised"):
        open_trace(path)
    assert open_trace(path, message_type="GroundTruth").count == 1


@pytest.mark.parametrize(
    ("name", "data", "problem"),
    [
        ("empty.osi", b"", "the file is empty"),
        ("empty.mcap", b"", "the file is empty"),
        ("empty.txth", b"", "the file is empty"),
        ("empty.osi.gz", gzip.compress(b"", mtime=0), "the file is empty"),
        ("short.osi", b"\x01\x00", "not an OSI trace: it starts with"),
        ("short.osi.gz", gzip.compress(b"\x01", mtime=0), "not an OSI trace: it starts with"),
        (
            "short.mcap.gz",
            b"\x1f",
            "not readable: it does not start with the magic bytes of a .gz file",
        ),
        (
            "picture.mcap.xz",
            b"\x89PNG\r\n",
            "not readable: it does not start with the magic bytes of a .xz file",
        ),
        (
            "picture.txth.gz",
            b"\x89PNG\r\n",
            "not readable: it does not start with the magic bytes of a .gz file",
        ),
        ("picture.osi", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "not an OSI trace: it starts with"),
        ("notes.osi", b"some text, long enough\n" * 9, "not an OSI trace: it starts with"),
        ("notes.mcap", b"some text, long enough\n", "not an MCAP file"),
        ("notes.txth", b"some text, long enough\n", "type is not recognised"),
        ("notes.osi.gz", b"some text, long enough\n", "not readable"),
        ("notes.osi.xz", b"some text, long enough\n", "not readable"),
        ("trace.bag", framed(MESSAGES), "file name has no suffix of an OSI trace"),
        ("trace", framed(MESSAGES), "file name has no suffix of an OSI trace"),
        ("zeros.osi", bytes(100), "not an OSI trace: it starts with"),
        ("notes.mcap.xz", lzma.compress(b"some text, long enough\n"), "not an MCAP file"),
        ("answers.osi", framed([SensorData().SerializeToString()]), "not an OSI trace"),
        ("garbage.osi", framed([b"\x00\x01\x02\x03" * 8]), "type is not recognised"),
        ("20210818T150542Z_sv_380_7362_1_x.osi", framed([b"\x0a\xff"]), "not an OSI SensorView"),
        ("20210818T150542Z_tu_380_7362_1_x.osi", framed(MESSAGES), "it contains TrafficUpdate"),
    ],
)
def test_what_is_no_trace_is_refused_in_one_line(tmp_path, name, data, problem):
    path = save(tmp_path / name, data)
    with pytest.raises(TraceError, match=problem) as caught:
        open_trace(path)
    assert not isinstance(caught.value, DamagedTrace)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_missing_file_and_a_folder_are_refused(tmp_path):
    with pytest.raises(TraceError, match="no such file"):
        open_trace(tmp_path / "none.osi")
    (tmp_path / "folder.osi").mkdir()
    with pytest.raises(TraceError, match="is a folder"):
        open_trace(tmp_path / "folder.osi")
    with pytest.raises(TraceError, match="message type Lidar: expected one of SensorView"):
        open_trace(save(tmp_path / "trace.osi", framed(MESSAGES)), message_type="Lidar")


def test_a_file_that_one_may_not_look_at_is_refused(tmp_path, monkeypatch):
    with pytest.raises(TraceError, match="cannot be read: File name too long"):
        open_trace(tmp_path / f"{'x' * 300}.osi")
    path = save(tmp_path / "trace.osi", framed(MESSAGES))

    def deny(*_, **__):
        raise PermissionError(13, "Permission denied")

    for look in ("stat", "open"):  # as in a folder that one may not enter
        monkeypatch.setattr(type(path), look, deny)
    monkeypatch.setattr(os, "stat", deny)
    with pytest.raises(TraceError, match=r"trace\.osi: cannot be read: Permission denied$"):
        open_trace(path)


def test_mcap_prefers_sensor_view_then_ground_truth(tmp_path):
    path = tmp_path / "trace.mcap"
    truth, data = ("t", "osi3.GroundTruth", "protobuf"), ("d", "osi3.SensorData", "protobuf")
    view = ("v", "osi3.SensorView", "protobuf")
    other = ("o", "foxglove.PointCloud", "protobuf")
    mcap_bytes(path, (other, data, truth, view))
    assert open_trace(path).message_type == "SensorView"
    assert open_trace(path, message_type="GroundTruth").message_type == "GroundTruth"
    mcap_bytes(path, (other, data, truth))
    trace = open_trace(path)
    assert (trace.message_type, trace.count) == ("GroundTruth", 5)
    assert len(list(trace)) == 5


def test_of_several_mcap_channels_of_a_type_one_has_to_be_chosen(tmp_path):
    path = tmp_path / "trace.mcap"
    kinds = {"/front": "SensorView", "/rear": "SensorView", "/truth": "GroundTruth"}
    mcap_bytes(path, [(topic, f"osi3.{kind}", "protobuf") for topic, kind in kinds.items()])
    listed = r"--source: /front \(5 messages, SensorView\); /rear \(5 messages, SensorView\)$"
    with pytest.raises(TraceError, match=f"has 2 sources; choose one by {listed}"):
        open_trace(path)
    with pytest.raises(TraceError, match=f"has no source '/left'; choose one of these by {listed}"):
        open_trace(path, source="/left")
    assert len(list(open_trace(path, source="/rear"))) == 5
    assert len(list(open_trace(path, source="rear"))) == 5
    assert open_trace(path, source="/truth").message_type == "GroundTruth"
    assert open_trace(path, message_type="GroundTruth").message_type == "GroundTruth"


def test_mcap_channels_of_one_topic_are_told_by_their_numbers(tmp_path):
    path = tmp_path / "trace.mcap"
    mcap_bytes(path, (("/osi", "osi3.SensorView", "protobuf"),) * 2)
    # The writer of the library numbers channels of the same topic from 1.
    with pytest.raises(TraceError, match=r"has 2 sources.*: /osi#1 \(.*\); /osi#2 \("):
        open_trace(path)
    assert open_trace(path, source="/osi#2").count == 5
    with pytest.raises(TraceError, match="has 2 sources with the name '/osi'"):
        open_trace(path, source="/osi")


def test_a_trace_in_another_format_has_one_source(tmp_path):
    path = save(tmp_path / "trace.osi", framed(MESSAGES))
    with pytest.raises(TraceError, match="has a single source; leave out --source"):
        open_trace(path, source="/a")


def test_mcap_in_another_encoding_is_refused_in_one_line(tmp_path):
    path = tmp_path / "trace.mcap"
    mcap_bytes(path, (("/gt", "osi_3_msgs/osi_GroundTruth", "ros1"),))
    with one_line(TraceError, match=r"it contains /gt .* in protobuf encoding"):
        open_trace(path)
    mcap_bytes(path, ())
    with pytest.raises(TraceError, match="it contains no channel"):
        open_trace(path)


# packages whose names come before and after osi3, and another whose name begins so
@pytest.mark.parametrize("package", ["acme.", "osi4.", "osi3.draft.", ""])
def test_mcap_messages_of_another_package_are_not_osi(tmp_path, package):
    path = tmp_path / "trace.mcap"
    mcap_bytes(path, (("/gt", f"{package}GroundTruth", "protobuf"),))
    with one_line(TraceError, match=rf"it contains /gt \({package}GroundTruth, protobuf\)"):
        open_trace(path)


def test_mcap_messages_without_a_schema_are_not_osi(tmp_path):
    path = tmp_path / "trace.mcap"
    with path.open("wb") as stream:
        writer = Writer(stream)
        writer.start()
        writer.register_channel("/gt", "protobuf", 0)
        writer.finish()
    with one_line(TraceError, match=r"it contains /gt \(no schema, protobuf\), expected"):
        open_trace(path)


@pytest.mark.parametrize("options", [{"use_chunking": False}, {"compression": CompressionType.LZ4}])
def test_mcap_without_chunks_and_with_other_compression_is_read(tmp_path, options):
    path = tmp_path / "trace.mcap"
    mcap_bytes(path, **options)
    assert contents(path) == MESSAGES


def test_objects_of_some_messages_come_from_all_of_a_trace(tmp_path):
    cars = [ground_truth(k * 10**8, cars=(70, k)).SerializeToString() for k in range(10)]
    trace = open_trace(save(tmp_path / "t_gt_.osi", framed(cars)), message_type="GroundTruth")
    read = list(some_objects(trace, FrameDecoder("GroundTruth"), 4))
    assert [time_ns for time_ns, _ in read] == [0, 3 * 10**8, 6 * 10**8, 9 * 10**8]
    assert [objects.object_id.tolist() for _, objects in read][1] == [70, 3]
    cut = save(tmp_path / "cut.osi", framed(cars)[:-3])
    damaged = open_trace(cut, message_type="GroundTruth")
    assert len(list(some_objects(damaged, FrameDecoder("GroundTruth"), 100))) == 9


@pytest.mark.parametrize("most", [1, 3])
def test_objects_of_all_messages_are_decoded_if_their_number_is_not_known(tmp_path, most):
    trace = open_trace(save(tmp_path / "trace.txth", as_text()))
    assert trace.count is None
    read = some_objects(trace, FrameDecoder(trace.message_type), most)
    assert [time_ns for time_ns, _ in read] == [k * 10**8 for k in range(5)]


@pytest.mark.parametrize("read", [mcap_channels, partial(mcap_messages, channel=Mock(id=1))])
def test_an_mcap_file_that_is_absent_or_a_folder_is_refused_in_one_line(tmp_path, read):
    with one_line(TraceError, match=r"a\.mcap: no such file$"):
        read(tmp_path / "a.mcap")
    with one_line(TraceError, match="is a folder, expected a trace file"):
        read(tmp_path)
