# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Trace files out: whole, with the right name, or not there."""

from datetime import datetime, timedelta, timezone
from pathlib import Path

import numpy as np
import pytest
from mcap.reader import make_reader
from osi3trace.osi_trace import OSITrace

from lidar_base.files.unfinished import unfinished_name
from osi_bridge import (
    OSI_VERSION,
    PROTOBUF_VERSION,
    MountingPosition,
    TraceError,
    custom_name,
    encode_sensor_data,
    open_trace,
    open_trace_writer,
    osi_trace_name,
    trace_start,
    trace_stem,
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


@pytest.mark.parametrize(
    ("name", "start", "custom"),
    [
        ("20210818T150542Z_sv_370_3200_99_highway_a.osi", START, "highway_a"),
        ("20210818T150542Z_gt_370_3200_99_highway.mcap.xz", START, "highway"),
        # Tools write fractions of a second, and leave out the custom name.
        ("20210818T150542.535904Z_sv_370_3200_99_cutout.txth.gz", START, "cutout"),
        ("20210818T150542Z_sv_370_3200_99.osi", START, "20210818T150542Z_sv_370_3200_99"),
        # No such month, no such type, no rule at all.
        ("20211318T150542Z_sv_370_3200_99_x.osi", None, "x"),
        ("20210818T150542Z_zz_370_3200_99_x.osi", None, "20210818T150542Z_zz_370_3200_99_x"),
        (
            "my_20210818T150542Z_sv_370_3200_9_x.osi",
            None,
            "my_20210818T150542Z_sv_370_3200_9_x",
        ),
        ("my.street.osi.gz", None, "my.street"),
        ("notes", None, "notes"),
    ],
)
def test_start_and_custom_name_come_from_the_file_name(name, start, custom):
    assert trace_start(name) == start
    assert custom_name(name) == custom


def test_a_trace_is_called_by_its_whole_name_without_endings():
    names = ("20210818T150542.535904Z_sv_x.OSI.gz", "my.street.mcap", "notes.txt")
    assert [trace_stem(name) for name in names] == [
        "20210818T150542.535904Z_sv_x", "my.street", "notes.txt"
    ]  # fmt: skip


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


@pytest.mark.parametrize("time_ns", [-1, 2**62 * 10**9])
def test_times_that_mcap_cannot_hold_are_written_as_the_nearest_it_can(tmp_path, time_ns):
    with open_trace_writer(tmp_path, "mcap", custom_name="roof") as writer:
        writer.write(DATA[0], time_ns)
        path = writer.close()
    with path.open("rb") as stream:
        ((_, _, message),) = make_reader(stream).iter_messages()
    assert message.log_time == min(max(time_ns, 0), 2**64 - 1)


@pytest.fixture
def full_disk(tmp_path):
    """Let what is written to the temporary file of a trace in this folder find a full disk."""
    if not Path("/dev/full").exists():
        pytest.skip("needs /dev/full")
    for kind in ("osi", "mcap"):
        (tmp_path / unfinished_name(f"unfinished.{kind}")).symlink_to("/dev/full")
    return tmp_path


@pytest.mark.parametrize("kind", ["osi", "mcap"])
@pytest.mark.parametrize("n_bytes", [10, 10_000_000])  # fails at the end; at once
def test_a_full_disk_leaves_no_file_and_one_error_with_the_name(full_disk, kind, n_bytes):
    writer = open_trace_writer(full_disk, kind, custom_name="roof", start=START)
    left = full_disk / unfinished_name(f"unfinished.{kind}")
    refused = rf"20210818T150542Z_sd_\d+_\d+_\d_roof\.{kind}: cannot be written: No space left on"
    # Random, because zeros would be compressed to less than what is written at once.
    data = np.random.default_rng(1).bytes(n_bytes)
    if n_bytes > 10:
        with pytest.raises(TraceError, match=refused):
            writer.write(data, 0)
        writer.n_messages = 1  # as if one had been written before
    else:
        writer.write(data, 0)
    with pytest.raises(TraceError, match=refused):
        writer.close()
    assert not left.is_symlink()
    assert writer.close() is None


def test_an_exception_is_not_hidden_by_a_full_disk(full_disk):
    def fail():
        with open_trace_writer(full_disk, "osi", custom_name="roof") as writer:
            writer.write(DATA[0], 0)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail()


def test_a_trace_that_cannot_get_its_name_leaves_no_file(tmp_path):
    (tmp_path / "trace.osi" / "taken").mkdir(parents=True)
    with pytest.raises(TraceError, match=r"trace\.osi: cannot be written: "):
        write_trace(tmp_path / "trace.osi", views(1), message_type="SensorView")
    assert [path.name for path in tmp_path.iterdir()] == ["trace.osi"]


def test_what_cannot_be_written_is_refused_in_one_line(tmp_path):
    with pytest.raises(TraceError, match=r"unknown format, expected \.osi or \.mcap"):
        write_trace(tmp_path / "trace.bag", views(1), message_type="SensorView")
    with pytest.raises(TraceError, match="cannot be written: No such file or directory"):
        open_trace_writer(tmp_path / "none", "osi", custom_name="roof")


def test_a_trace_that_a_killed_process_has_left_is_removed_by_the_next(tmp_path, of_a_dead_process):
    left = tmp_path / f".unfinished.osi.{of_a_dead_process}.part"
    left.write_bytes(b"half")
    with open_trace_writer(tmp_path, "osi", custom_name="roof") as writer:
        assert not left.exists()
        writer.write(b"", 0)


def test_a_file_of_the_name_and_part_stays(tmp_path):
    other = tmp_path / "trace.osi.part"
    other.write_text("mine")
    write_trace(tmp_path / "trace.osi", views(1), message_type="SensorView")
    assert other.read_text() == "mine"
