# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""A trace with several channels of messages: commands ask which one, and read that one alone."""

import json

import pytest
from mcap.writer import Writer

from osi_bridge import TraceError
from osi_lidar import scan_trace
from osi_lidar.output.stored import open_run
from osi_lidar.output.stored.messages import input_messages
from tests.builders.messages import Thing, host, message
from tests.builders.worlds import SENSOR
from tests.commands import assert_one_line, report, run
from tests.commands import replay as replayed

FRONT, REAR = "/front/osi", "/rear/osi"
ASKED = ("has 2 sources", f"--source: {FRONT} (3 messages, SensorView); {REAR} (3 messages")


@pytest.fixture
def two(tmp_path):
    """Return an MCAP trace with two SensorView channels: a wall 10 m ahead, and 20 m ahead."""
    path = tmp_path / "two.mcap"
    with path.open("wb") as stream:
        writer = Writer(stream)
        writer.start()
        schema = writer.register_schema("osi3.SensorView", "protobuf", b"")
        channels = {x_m: writer.register_channel(topic, "protobuf", schema)
                    for x_m, topic in ((10.0, FRONT), (20.0, REAR))}  # fmt: skip
        for n in range(3):
            for x_m, channel in channels.items():
                wall = Thing(2, (x_m, 0.0, 0.75), dimension_m=(1.0, 4.0, 4.0))
                writer.add_message(channel, n, message([host(), wall], 0.1 * n), n)
        writer.finish()
    return path


@pytest.fixture
def config(tmp_path):
    path = tmp_path / "config.yaml"
    path.write_text(SENSOR)
    return path


def test_every_command_that_reads_a_trace_asks_for_the_source(two, config, tmp_path):
    for words in (
        ("replay", two, "--config", config, "--out", tmp_path / "out"),
        ("check", two, "--config", config),
        ("play", two, "--listen", "127.0.0.1:0"),
        ("config", "init", two, "--out", tmp_path / "new.yaml"),
        ("fmu", "run", tmp_path / "none.fmu", two),
    ):
        assert_one_line(run(*words), 2, two, *ASKED)
    assert not (tmp_path / "out").exists()


def test_info_lists_the_channels_and_tells_how_one_is_chosen(two):
    found = json.loads(run("info", two, "--json").stdout)
    assert [row["topic"] for row in found["channels"]] == [FRONT, REAR]
    assert all(words in found["messages"] for words in ASKED)
    assert "has 2 sources" in run("info", two).stdout
    chosen = json.loads(run("info", two, "--source", REAR, "--json").stdout)
    assert chosen["messages"] == 3
    assert_one_line(run("info", two, "--source", "/left"), 2, "has no source '/left'", FRONT)


@pytest.mark.parametrize(("source", "x_m"), [(FRONT, 10.0), (REAR, 20.0), ("rear/osi", 20.0)])
def test_the_chosen_source_alone_is_read(two, config, source, x_m):
    result = replayed(two, config, "--source", source)
    assert result.exit_code == 0, result.output
    assert report(config)["input"]["source"] == source
    first = next(input_messages(open_run(config.parent / "out")))
    assert first.frame.objects.position_m[1, 0] == x_m
    again = replayed(two, config, "--source", source, "--resume")
    assert_one_line(again, 2, "the run is complete")


def test_a_trace_in_one_call_takes_the_source(two):
    for source, x_m in ((FRONT, 10.0), (REAR, 20.0)):
        cloud = next(iter(scan_trace(two, sensor="VLP-16", source=source)))
        wall = cloud.points[cloud.object_id == 2]
        # The face of the wall is 0.5 m before its centre.
        assert wall["x"].min() == pytest.approx(x_m - 0.5 - cloud.world_from_sensor[0, 3], abs=1e-3)
    with pytest.raises(TraceError, match="has 2 sources"):
        scan_trace(two)


def test_check_follows_the_chosen_source(two, config):
    checked = run("check", two, "--config", config, "--source", REAR)
    assert checked.exit_code == 0, checked.output


def test_a_source_is_refused_where_a_trace_has_none(tmp_path, config):
    trace = tmp_path / "one.osi"
    trace.write_bytes(b"")
    assert_one_line(run("info", config, "--source", FRONT), 2, "--source: got '/front/osi'")
