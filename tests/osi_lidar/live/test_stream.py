# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""From a source over loopback to files and subscribers: what a replay gives."""

import csv
import json
import re
import threading
from itertools import islice

import pytest

from osi_bridge import open_trace, write_trace
from osi_bridge.reassembly import PIECE_BYTES
from osi_lidar.live import sources
from osi_lidar.model import LidarModel
from osi_lidar.run.example_scene import street
from tests.builders.messages import Thing, framed, host, message, moving, truth_of
from tests.builders.worlds import SENSOR
from tests.commands import run
from tests.osi_lidar.live.streams import (
    PATIENCE_S,
    Peer,
    Process,
    answers,
    assert_whole,
    send,
    streaming,
    tiny,
    until,
)

GROUND_TRUTH = (
    "osc-validation/20240603T143803.535904Z_gt_370_3200_370_pmsf_dronetracker_119_cutout_"
    "ESMINIEXPORT.osi"
)
SENSOR_VIEW = "openmaterial3d/20250130T100644Z_sv_370_2112_700_scenario_example_two_vehicles.osi"
REAL_TRACES = {
    "GroundTruth of esmini": GROUND_TRUTH,
    "SensorView": SENSOR_VIEW,
    "mcap": "lichtblick/testBrakeAndIndicatorLights.mcap",
}
MESSAGES = 10
ONCE = ("--once", "--backlog", "queue")
MEANWHILE = 4
"""How many messages come while a slow model answers one."""


def cut(path, folder):
    """Return a trace of the first messages of another."""
    reader = open_trace(path)
    first = [raw.data for raw, _ in zip(reader, range(MESSAGES), strict=False)]
    short = folder / f"short{path.suffix}"
    write_trace(short, first, message_type=reader.message_type)
    return short


def results(out):
    """Return the bytes of all clouds, of the table and of the SensorData trace."""
    (sensor_data,) = out.glob("*_sd_*")
    clouds = {path.relative_to(out): path.read_bytes() for path in sorted(out.rglob("*.pcd"))}
    return clouds, (out / "frames.csv").read_bytes(), sensor_data.read_bytes()


def fallbacks(content):
    """Return what fell back, without the places that were searched: a stream has no folder."""
    return [(one["kind"], one["name"], one["used"], one["times"]) for one in content["fallbacks"]]


def assert_as_replayed(trace, out, *options):
    replayed = out.with_name("replayed")
    done = run("replay", trace, *options, "--out", replayed)
    assert done.exit_code == 0, done.output
    clouds, table, sensor_data = results(replayed)
    content = assert_whole(out)
    assert content["frames_traced"] == len(clouds) > 0
    assert results(out)[0] == clouds
    assert results(out)[1] == table
    assert results(out)[2] == sensor_data
    expected = json.loads((replayed / "run.json").read_text())
    for key in ("points", "rays_traced", "scene", "materials", "host_object_id"):
        assert content[key] == expected[key]
    assert fallbacks(content) == fallbacks(expected)
    return content


def played_into_stream(trace, out, *options, fresh=False):
    command = ("stream", "--listen", 0, *ONCE, "--out", out, *options)
    with Process(*command, fresh=fresh) as streamed:
        end = f"127.0.0.1:{streamed.port()}"
        command = ("play", trace, "--connect", end, "--speed", "max")
        with Process(*command, fresh=fresh) as player:
            assert player.wait() == 0
        assert streamed.wait() == 0
    return player, streamed


def test_the_demo_played_into_a_stream_gives_what_its_replay_gives(tmp_path):
    scenario = street()
    options = ("--config", scenario.config, "--sensor", "VLP-16")
    trace = cut(scenario.trace, tmp_path)
    player, streamed = played_into_stream(trace, tmp_path / "out", *options, fresh=True)
    content = assert_as_replayed(trace, tmp_path / "out", *options)
    assert content["frames_read"] == MESSAGES
    assert re.search(rf"{content['frames_read']} messages to 1 consumer\b", player.output)
    assert f"{content['frames_read']} received" in streamed.output
    assert content["input"]["message_type"] == "SensorView"


@pytest.mark.parametrize(
    "kind",
    [
        "GroundTruth of esmini",
        *(pytest.param(k, marks=pytest.mark.slow) for k in ("SensorView", "mcap")),
    ],
)
def test_a_real_trace_played_into_a_stream_gives_what_its_replay_gives(real_data, tmp_path, kind):
    trace = cut(real_data / "osi" / REAL_TRACES[kind], tmp_path)
    played_into_stream(trace, tmp_path / "out", "--sensor", "VLP-16")
    content = assert_as_replayed(trace, tmp_path / "out", "--sensor", "VLP-16")
    assert content["frames_read"] == MESSAGES
    assert content["input"]["message_type"] == open_trace(trace).message_type


@pytest.mark.parametrize("packed", ["osi", "mcap"])
def test_a_stream_that_connects_to_a_player_gives_what_its_replay_gives(
    trace, config, tmp_path, packed
):
    config.write_text(SENSOR + f"output: {{sensor_data: {packed}, pcd: ascii}}\n")
    out = tmp_path / "out"
    with Process("play", trace, "--listen", 0, "--speed", "max") as player:
        command = ("--connect", player.port(), *ONCE, "--out", out, "--config", config)
        with Process("stream", *command) as streamed:
            assert streamed.wait() == 0
        assert player.wait() == 0
    if packed == "osi":
        assert_as_replayed(trace, out, "--config", config)
    else:
        assert_whole(out)
        (sensor_data,) = out.glob("*_sd_*")
        expected = answers(tiny(), moving())
        assert [raw.data for raw in open_trace(sensor_data)] == expected


def test_a_file_piped_into_the_port_as_it_is_gives_what_its_replay_gives(trace, config, tmp_path):
    out = tmp_path / "out"
    with Process("stream", "--listen", 0, *ONCE, "--out", out, "--config", config) as streamed:
        send(streamed.port(), trace.read_bytes())
        assert streamed.wait() == 0
    assert_as_replayed(trace, out, "--config", config)


def crowd(n_messages):
    """Return messages that take several datagrams each."""
    parked = [Thing(10 + i, (20.0 + i, 5.0, 1.0), kind="stationary_object") for i in range(300)]
    worlds = ([host(x_m=0.1 * i), Thing(2, (15.0, 0.0, 0.75))] for i in range(n_messages))
    return [message([*things, *parked], time_s=0.02 * i) for i, things in enumerate(worlds)]


class OneByOne:
    """A trace that gives a message when a stream is done with the one before it.

    Datagrams are lost where there is no room for them, which nobody is told.
    """

    def __init__(self, path, live):
        self._trace, self._live = open_trace(path), live
        self.message_type = self._trace.message_type

    def __iter__(self):
        for number, raw in enumerate(self._trace):
            yield raw
            self._live.until_done(number + 1)


@pytest.mark.parametrize("message_type", ["SensorView", "GroundTruth"])
def test_a_trace_played_over_udp_gives_what_its_replay_gives(
    tmp_path, config, monkeypatch, message_type
):
    messages = crowd(20)
    if message_type == "GroundTruth":
        messages = [truth_of(data) for data in messages]
    assert min(map(len, messages)) > 2 * PIECE_BYTES
    trace, out = tmp_path / "crowd.osi", tmp_path / "out"
    write_trace(trace, messages, message_type=message_type)
    with streaming(tiny(), source="udp://127.0.0.1:0", out=out) as live:
        monkeypatch.setattr("osi_bridge.open_trace", lambda path, **_: OneByOne(path, live))
        played = run("play", trace, "--connect", live.state.source, "--speed", "max")
        assert played.exit_code == 0, played.output
        monkeypatch.undo()
        live.end()
    assert re.search(rf"{len(messages)} messages to 1 consumer\b", played.output)
    content = assert_as_replayed(trace, out, "--config", config)
    assert content["frames_read"] == len(messages)
    assert {content["stream"][name] for name in ("gaps", "malformed", "repeated")} == {0}


def test_a_stream_that_could_answer_nothing_says_so(config):
    with Process("stream", "--listen", 0, *ONCE, "--config", config) as streamed:
        send(streamed.port(), framed([b"\xff\xff", b"\xff"]))
        assert streamed.wait() == 2
    assert "osi-lidar: none of 2 messages could be answered" in streamed.lines


def test_each_connection_gives_what_a_model_of_its_own_gives():
    messages = [moving(4), [truth_of(data) for data in moving(3)], moving(2)]
    types = ("SensorView", "GroundTruth", "SensorView")
    expected = [
        answer
        for each, message_type in zip(messages, types, strict=True)
        for answer in answers(tiny(), each, message_type)
    ]
    with (
        streaming(tiny(), publish="127.0.0.1:0") as live,
        Peer(live.publish_port) as subscriber,
    ):
        until(lambda: live.counters.subscribers, "the subscriber is there")
        for each in messages:
            send(live.port, framed(each))
        live.until_done(len(expected))
        live.end()
        assert subscriber.messages() == expected


def test_a_second_source_does_not_disturb_the_first(caplog, monkeypatch):
    monkeypatch.setattr(sources.ListeningSource, "grace_s", 0.01)
    messages = moving(4)
    with (
        streaming(tiny(), publish="127.0.0.1:0") as live,
        Peer(live.publish_port) as subscriber,
        Peer(live.port) as first,
    ):
        until(lambda: live.counters.subscribers, "the subscriber is there")
        first.send(framed(messages[:2]))
        live.until_done(2)
        for _ in range(3):
            with Peer(live.port) as second:
                second.send(framed(messages))
                second.until_hung_up()
        first.send(framed(messages[2:]))
        first.finish()
        send(live.port, framed(messages))
        live.until_done(8)
        counters = live.end()["stream"]
        assert subscriber.messages() == answers(tiny(), messages) * 2
    assert (counters["connections"], counters["connections_refused"]) == (2, 1)
    refusals = [r for r in caplog.records if "refused: another source" in r.getMessage()]
    assert len(refusals) == 1


def test_latest_keeps_up_with_a_source_that_is_faster_than_the_model(tmp_path, monkeypatch):
    """Several messages come while one is answered: what is traced next is the newest of them."""
    step, coming = LidarModel.step, iter(moving(1 + 50 * MEANWHILE))

    def slow_step(*arguments, **options):
        batch = list(islice(coming, MEANWHILE))
        before = live.counters.received
        source.send(framed(batch))
        until(lambda: live.counters.received == before + len(batch), "they have come")
        if not batch:
            done.set()
        return step(*arguments, **options)

    out, done = tmp_path / "out", threading.Event()
    with streaming(tiny(), backlog="latest", once=True, out=out) as live:
        until(lambda: live.state.stream_model, "the model is ready")
        monkeypatch.setattr(LidarModel, "step", slow_step)
        with Peer(live.port) as source:
            source.send(framed([next(coming)]))
            assert done.wait(PATIENCE_S)
            source.finish()
        content = live.joined()
    counters = assert_whole(out)["stream"]
    assert (counters["answered"], counters["skipped"]) == (51, 50 * (MEANWHILE - 1))
    assert content["frames_traced"] == counters["answered"]
    with (out / "frames.csv").open() as file:
        frames = [int(row["frame"]) for row in csv.DictReader(file)]
    assert frames == list(range(0, 1 + 50 * MEANWHILE, MEANWHILE))
    assert 0.0 < counters["latency_ms"]["median"] <= counters["latency_ms"]["max"]


@pytest.mark.parametrize("backlog", ["latest", "queue", "queue:1", "queue:3"])
def test_a_message_is_counted_once_whatever_the_backlog(backlog):
    with streaming(tiny(), backlog=backlog) as live:
        for n_messages in (50, 1, 30):
            send(live.port, framed(moving(n_messages)))
        live.until_done(81)
        counters = live.end()["stream"]
    assert counters["received"] == 81
    assert counters["answered"] + counters["skipped"] == 81
    assert counters["skipped"] == 0 or backlog == "latest"
