# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Trace files out: whole, with the right name, or not there."""

from datetime import datetime, timedelta, timezone

import pytest
from mcap.reader import make_reader
from osi3trace.osi_trace import OSITrace

from osi_bridge import (
    OSI_VERSION,
    PROTOBUF_VERSION,
    MountingPosition,
    TraceError,
    encode_sensor_data,
    open_trace,
    open_trace_writer,
    osi_trace_name,
    write_trace,
)
from tests.osi_bridge.helpers import views

START = datetime(2021, 8, 18, 15, 5, 42, tzinfo=timezone.utc)
TIMES_NS = [0, 100_000_000, 200_000_000]


def sensor_data(time_ns):
    return encode_sensor_data(
        time_ns=time_ns,
        last_measurement_time_ns=time_ns,
        sensors=[],
        mounting=MountingPosition(position_m=(1.0, 0.0, 1.9)),
    )


DATA = [sensor_data(time_ns) for time_ns in TIMES_NS]


def test_names_follow_osis_rule():
    osi = "".join(map(str, OSI_VERSION))
    protobuf = PROTOBUF_VERSION.replace(".", "")
    name = osi_trace_name(START, "SensorData", 1523, "highway", ".osi")
    assert name == f"20210818T150542Z_sd_{osi}_{protobuf}_1523_highway.osi"
    summer = START.astimezone(timezone(timedelta(hours=2)))
    assert osi_trace_name(summer, "SensorView", 1, "a b/c", ".mcap").startswith("20210818T150542Z")
    assert osi_trace_name(summer, "SensorView", 1, "a b/c", ".mcap").endswith("_1_a-b-c.mcap")


@pytest.mark.parametrize("kind", ["osi", "mcap"])
def test_what_is_written_is_read_back_here_and_by_osi_python(tmp_path, kind):
    with open_trace_writer(tmp_path, kind, custom_name="roof", start=START) as writer:
        for data, time_ns in zip(DATA, TIMES_NS, strict=True):
            writer.write(memoryview(data), time_ns)
        path = writer.close()
    assert path == tmp_path / osi_trace_name(START, "SensorData", 3, "roof", f".{kind}")
    assert list(tmp_path.iterdir()) == [path]
    trace = open_trace(path)
    assert (trace.message_type, trace.count) == ("SensorData", 3)
    assert [raw.data for raw in trace] == DATA
    reader = OSITrace(str(path), "SensorData")
    assert [message.timestamp.nanos for message in reader] == TIMES_NS
    reader.close()


def test_mcap_carries_what_osi_asks_for(tmp_path):
    with open_trace_writer(tmp_path, "mcap", custom_name="roof") as writer:
        for data, time_ns in zip(DATA, TIMES_NS, strict=True):
            writer.write(data, time_ns)
        path = writer.close()
    osi = ".".join(map(str, OSI_VERSION))
    with path.open("rb") as stream:
        reader = make_reader(stream)
        summary = reader.get_summary()
        (channel,), (schema,) = summary.channels.values(), summary.schemas.values()
        (metadata,) = reader.iter_metadata()
        times = [(m.log_time, m.publish_time) for _, _, m in reader.iter_messages()]
    assert len(summary.chunk_indexes) == 1
    assert (schema.name, schema.encoding) == ("osi3.SensorData", "protobuf")
    assert (channel.topic, channel.message_encoding) == ("osi-lidar.OSMPSensorDataOut", "protobuf")
    prefix = "net.asam.osi.trace.channel."
    assert channel.metadata[prefix + "osi_version"] == osi
    assert channel.metadata[prefix + "protobuf_version"] == PROTOBUF_VERSION
    assert metadata.name == "net.asam.osi.trace"
    assert metadata.metadata["version"] == osi
    for bound in ("min", "max"):
        assert metadata.metadata[f"{bound}_osi_version"] == osi
        assert metadata.metadata[f"{bound}_protobuf_version"] == PROTOBUF_VERSION
    assert times == [(time_ns, time_ns) for time_ns in TIMES_NS]


@pytest.mark.parametrize("kind", ["osi", "mcap"])
def test_an_exception_leaves_no_file(tmp_path, kind):
    def fail():
        with open_trace_writer(tmp_path, kind, custom_name="roof") as writer:
            writer.write(DATA[0], 0)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("kind", ["osi", "mcap"])
def test_an_interrupted_trace_can_be_finished_with_what_is_whole(tmp_path, kind):
    writer = open_trace_writer(tmp_path, kind, custom_name="roof", start=START)
    writer.write(DATA[0], 0)
    writer.write(DATA[1], 1)
    if kind == "osi":
        writer._format.stream.write(b"\x00\x01\x00")  # half a message
    path = writer.close()
    assert path.name.split("_")[4] == "2"
    assert [raw.data for raw in open_trace(path)] == DATA[:2]
    assert writer.close() is None


def test_a_trace_without_messages_leaves_no_file(tmp_path):
    writer = open_trace_writer(tmp_path, "osi", custom_name="roof")
    assert writer.close() is None
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("suffix", [".osi", ".mcap"])
def test_write_trace_makes_a_trace_of_this_name(tmp_path, suffix):
    path = tmp_path / f"street{suffix}"
    assert write_trace(path, views(4), message_type="SensorView") == 4
    assert [raw.data for raw in open_trace(path)] == views(4)
    assert list(tmp_path.iterdir()) == [path]


def test_what_cannot_be_written_is_refused_in_one_line(tmp_path):
    with pytest.raises(TraceError, match=r"cannot be written, expected \.osi or \.mcap"):
        write_trace(tmp_path / "trace.bag", views(1), message_type="SensorView")
    with pytest.raises(TraceError, match="cannot be written: No such file or directory"):
        open_trace_writer(tmp_path / "none", "osi", custom_name="roof")
