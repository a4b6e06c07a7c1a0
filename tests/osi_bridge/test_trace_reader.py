# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Trace files in: formats, message types, damage."""

import gzip
import lzma
import struct

import pytest
from google.protobuf import text_format
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mcap.writer import CompressionType, Writer
from osi3.osi_sensordata_pb2 import SensorData
from osi3.osi_sensorview_pb2 import SensorView

from osi_bridge import (
    DamagedTrace,
    FrameDecoder,
    TraceError,
    open_trace,
    read_frames,
    write_trace,
)
from tests.osi_bridge.helpers import add_box, ground_truth, sensor_view, views

MESSAGES = views()


def framed(messages=MESSAGES):
    return b"".join(struct.pack("<I", len(data)) + data for data in messages)


def as_text(messages=MESSAGES):
    parts = [text_format.MessageToString(SensorView.FromString(data)) for data in messages]
    return "".join(parts).encode()


def save(path, data):
    path.write_bytes(data)
    return path


def contents(path, **options):
    return [raw.data for raw in open_trace(path, **options)]


def until_damage(trace):
    """Return the messages before the damage, and the damage (None if there is none)."""
    messages = []
    try:
        messages.extend(raw.data for raw in trace)
    except DamagedTrace as damage:
        return messages, damage
    return messages, None


def test_osi_gives_bytes_numbers_and_offsets(tmp_path):
    path = save(tmp_path / "trace.osi", framed())
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


def test_damaged_text_gives_what_was_whole(tmp_path):
    path = save(tmp_path / "trace.txth", as_text()[:-30])
    messages, damage = until_damage(open_trace(path))
    assert len(messages) == 4
    assert damage.frame == 4
    assert path.read_bytes()[damage.offset :].startswith(b"timestamp")


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
    trace = open_trace(save(tmp_path / name, framed()))
    assert trace.message_type == "GroundTruth"
    assert "by its name GroundTruth, but it looks like SensorView" in caplog.text
    assert open_trace(trace.path, message_type="SensorView").message_type == "SensorView"


def test_a_type_in_a_name_that_does_not_follow_the_rule_says_nothing(tmp_path):
    path = save(tmp_path / "my_gt_notes.osi", framed())
    assert open_trace(path).message_type == "SensorView"


def test_messages_that_do_not_tell_their_type_need_it_given(tmp_path):
    path = save(tmp_path / "trace.osi", framed([bare(sensor_view()).SerializeToString()]))
    with pytest.raises(TraceError, match="do not tell their type"):
        open_trace(path)
    assert open_trace(path, message_type="GroundTruth").count == 1


@pytest.mark.parametrize(
    ("name", "data", "problem"),
    [
        ("empty.osi", b"", "the file is empty"),
        ("empty.mcap", b"", "the file is empty"),
        ("empty.txth", b"", "the file is empty"),
        ("empty.osi.gz", gzip.compress(b""), "the file is empty"),
        ("picture.osi", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "not an OSI trace: it starts with"),
        ("notes.osi", b"some text, long enough\n" * 9, "not an OSI trace: it starts with"),
        ("notes.mcap", b"some text, long enough\n", "not an MCAP file"),
        ("notes.txth", b"some text, long enough\n", "do not tell their type"),
        ("notes.osi.gz", b"some text, long enough\n", "not readable"),
        ("notes.osi.xz", b"some text, long enough\n", "not readable"),
        ("trace.bag", framed(), "not an OSI trace by its name"),
        ("trace", framed(), "not an OSI trace by its name"),
        ("garbage.osi", framed([b"\x00\x01\x02\x03" * 8]), "do not tell their type"),
        ("20210818T150542Z_sv_380_7362_1_x.osi", framed([b"\x0a\xff"]), "not an OSI SensorView"),
        ("20210818T150542Z_tu_380_7362_1_x.osi", framed(), "it holds TrafficUpdate"),
    ],
)
def test_what_is_no_trace_is_refused_in_one_line(tmp_path, name, data, problem):
    path = save(tmp_path / name, data)
    with pytest.raises(TraceError, match=problem) as caught:
        open_trace(path)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_missing_file_and_a_folder_are_refused(tmp_path):
    with pytest.raises(TraceError, match="no such file"):
        open_trace(tmp_path / "none.osi")
    (tmp_path / "folder.osi").mkdir()
    with pytest.raises(TraceError, match="is a folder"):
        open_trace(tmp_path / "folder.osi")
    with pytest.raises(TraceError, match="message type Lidar: expected one of SensorView"):
        open_trace(save(tmp_path / "trace.osi", framed()), message_type="Lidar")


def test_osi_cut_at_every_byte_gives_all_whole_frames_then_the_damage(tmp_path):
    whole = framed()
    ends = [len(framed(MESSAGES[:n])) for n in range(6)]
    for cut in range(1, len(whole)):
        path = save(tmp_path / "trace.osi", whole[:cut])
        n_whole = max(n for n, end in enumerate(ends) if end <= cut)
        if n_whole == 0:
            with pytest.raises(DamagedTrace, match="damaged at frame 0, byte 0"):
                open_trace(path)
            continue
        trace = open_trace(path)
        messages, damage = until_damage(trace)
        assert messages == MESSAGES[:n_whole]
        assert trace.count == n_whole
        if cut in ends:
            assert damage is None  # nothing tells that there was more
        else:
            assert (damage.frame, damage.offset) == (n_whole, ends[n_whole])


@pytest.mark.parametrize("compression", list(CompressionType))
def test_mcap_cut_at_every_byte_gives_all_whole_frames_then_the_damage(tmp_path, compression):
    whole = mcap_bytes(tmp_path / "whole.mcap", compression=compression)
    path = tmp_path / "trace.mcap"
    numbers = {0}
    for cut in range(1, len(whole)):
        path.write_bytes(whole[:cut])
        try:
            trace = open_trace(path)
        except TraceError:
            assert numbers == {0}
            continue
        messages, damage = until_damage(trace)
        assert messages == MESSAGES[: len(messages)]
        assert damage.frame == len(messages) >= max(numbers)
        assert damage.offset <= cut
        numbers.add(len(messages))
    assert max(numbers) == len(MESSAGES)
    if compression is CompressionType.NONE:
        assert numbers == {0, 1, 2, 3, 4, 5}  # a chunk that is cut short gives what is there


@pytest.mark.parametrize(("suffix", "pack"), [(".gz", gzip.compress), (".xz", lzma.compress)])
def test_a_compressed_trace_cut_short_gives_whole_frames_then_the_damage(tmp_path, suffix, pack):
    messages = views(200)
    packed = pack(framed(messages))
    for cut in range(1, len(packed), 7):
        path = save(tmp_path / f"trace.osi{suffix}", packed[:cut])
        try:
            got, damage = until_damage(open_trace(path))
        except TraceError:
            continue  # not even one message
        assert got == messages[: len(got)]
        assert damage.frame == len(got)
        assert damage.offset == len(framed(got))


def test_a_length_of_3_gb_is_damage_not_memory(tmp_path):
    data = framed(MESSAGES[:2]) + struct.pack("<I", 3 * 10**9) + MESSAGES[2]
    messages, damage = until_damage(open_trace(save(tmp_path / "trace.osi", data)))
    assert messages == MESSAGES[:2]
    assert "a message of 3000000000 bytes" in damage.reason


def test_a_message_that_cannot_be_decoded_is_damage(tmp_path):
    broken = [*MESSAGES[:3], b"\xff" * 40, *MESSAGES[4:]]
    path = save(tmp_path / "trace.osi", framed(broken))
    frames = read_frames(open_trace(path), FrameDecoder("SensorView"))
    assert [next(frames).index for _ in range(3)] == [0, 1, 2]
    with pytest.raises(DamagedTrace, match=r"damaged at frame 3, byte \d+: not a SensorView") as e:
        next(frames)
    assert e.value.offset == len(framed(MESSAGES[:3]))


@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    suffix=st.sampled_from([".osi", ".mcap", ".osi.gz", ".osi.xz", ".txth"]),
    place=st.floats(0, 1, exclude_max=True),
    value=st.integers(0, 255),
)
def test_a_changed_byte_never_raises_anything_but_our_errors(tmp_path, suffix, place, value):
    data = {
        ".osi": framed,
        ".mcap": lambda: mcap_bytes(tmp_path / "whole.mcap"),
        ".osi.gz": lambda: gzip.compress(framed()),
        ".osi.xz": lambda: lzma.compress(framed()),
        ".txth": as_text,
    }[suffix]()
    changed = bytearray(data)
    changed[int(place * len(data))] = value
    path = save(tmp_path / f"trace{suffix}", bytes(changed))
    try:
        until_damage(open_trace(path))
    except TraceError as error:
        assert "\n" not in str(error)  # noqa: PT017


def mcap_bytes(path, channels=(("a", "osi3.SensorView", "protobuf"),), **options):
    """Write an MCAP file whose channels all carry the same messages."""
    with path.open("wb") as stream:
        writer = Writer(stream, **options)
        writer.start()
        ids = []
        for topic, schema, encoding in channels:
            schema_id = writer.register_schema(schema, encoding, b"")
            ids.append(writer.register_channel(topic, encoding, schema_id))
        for n, data in enumerate(MESSAGES):
            for channel_id in ids:
                writer.add_message(channel_id, n, data, n)
        writer.finish()
    return path.read_bytes()


def test_mcap_prefers_sensor_view_then_ground_truth(tmp_path, caplog):
    path = tmp_path / "trace.mcap"
    truth, data = ("t", "osi3.GroundTruth", "protobuf"), ("d", "osi3.SensorData", "protobuf")
    view, more = ("v", "osi3.SensorView", "protobuf"), ("w", "osi3.SensorView", "protobuf")
    other = ("o", "foxglove.PointCloud", "protobuf")
    mcap_bytes(path, (other, data, truth, view))
    assert open_trace(path).message_type == "SensorView"
    assert open_trace(path, message_type="GroundTruth").message_type == "GroundTruth"
    mcap_bytes(path, (other, data, truth))
    trace = open_trace(path)
    assert (trace.message_type, trace.count) == ("GroundTruth", 5)
    assert len(list(trace)) == 5
    mcap_bytes(path, (view, more))
    assert not caplog.messages
    assert len(contents(path)) == 5
    assert caplog.messages == [f"{path}: reading channel v, not w"]


def test_mcap_in_another_encoding_is_refused_in_one_line(tmp_path):
    path = tmp_path / "trace.mcap"
    mcap_bytes(path, (("/gt", "osi_3_msgs/osi_GroundTruth", "ros1"),))
    with pytest.raises(TraceError, match=r"it holds /gt .* in protobuf encoding") as caught:
        open_trace(path)
    assert "\n" not in str(caught.value)
    mcap_bytes(path, ())
    with pytest.raises(TraceError, match="it holds no channel"):
        open_trace(path)


@pytest.mark.parametrize("options", [{"use_chunking": False}, {"compression": CompressionType.LZ4}])
def test_mcap_without_chunks_and_with_other_compression_is_read(tmp_path, options):
    path = tmp_path / "trace.mcap"
    mcap_bytes(path, **options)
    assert contents(path) == MESSAGES
