# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Patterns and switches of sensors, changed between two scans of a stream that goes on."""

import json
import logging
import signal
import sys
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import pytest
from osi3.osi_sensordata_pb2 import SensorData

from osi_bridge import FrameDecoder
from osi_lidar import LidarModel
from osi_lidar.config import load_config
from osi_lidar.config.patterns import texts
from osi_lidar.config.patterns.texts import pattern_of_text
from osi_lidar.live import changes, control
from osi_lidar.live.ports.guard import Guard
from osi_lidar.live.ports.policy import LINE_BYTES
from tests.builders.messages import Thing, framed, host, message
from tests.commands import run
from tests.osi_lidar.live.streams import (
    Peer,
    Process,
    assert_whole,
    streaming,
    tiny,
    until,
)

PAIRS = {"kind": "pairs", "azimuth_elevation_deg": [[0, -5], [1, -6], [2, -7]]}
SWEEP = {"kind": "raster", "azimuth_deg": [-20, 20], "elevation_deg": [-8, 1], "columns": 12,
         "rows": 4, "one_way": True}  # fmt: skip
FOLLOWED = b'{"sensor": "a", "rolling_shutter": true}\n'
SENSORS = "sensors:\n- {{name: a, pattern: {a}}}\n- {{name: b, pattern: {b}, max_range_m: {far}}}\n"
MESSAGES = [
    message([host(x_m=0.5 * n), Thing(2, (15.0, n - 3.0, 0.75))], time_s=0.1 * n) for n in range(4)
]


class Operator(Peer):
    """A client of the control port."""

    def ask(self, *commands):
        """Send commands, and return the answers to them, a line each."""
        lines = [
            each if isinstance(each, bytes) else json.dumps(each).encode() for each in commands
        ]
        self.socket.sendall(b"\n".join(lines) + b"\n")
        answers = self.socket.makefile("rb")
        return [json.loads(answers.readline()) for _ in commands]

    def all_that_comes(self):
        """Return what comes until the connection ends."""
        data = bytearray()
        with suppress(ConnectionError):
            while piece := self.socket.recv(65536):
                data += piece
        return bytes(data)

    def error(self, command):
        """Return the line by which a command is refused."""
        (answer,) = self.ask(command)
        assert answer.keys() == {"ok", "error"}
        assert answer["ok"] is False
        assert "\n" not in answer["error"]
        return answer["error"]


def ask_anew(live):
    """Have a command followed, and return how many were before."""
    with Operator(live.control_port) as operator:
        assert operator.ask({"sensor": "a", "rolling_shutter": True})[0]["ok"] is True
    return live.counters.changes


@contextmanager
def one_silent_and_one_followed():
    """Yield a stream, a client that says nothing, and one whose first command was followed."""
    with (
        streaming(tiny(), **LIVE) as live,
        Operator(live.control_port) as silent,
        Operator(live.control_port) as operator,
    ):
        assert operator.ask({"motion_blur": True})[0]["ok"] is True
        yield live, silent, operator


def two_sensors(folder, a=SWEEP, b=SWEEP, far=120, more=""):
    file = folder / "config.yaml"
    file.write_text(SENSORS.format(a=json.dumps(a), b=json.dumps(b), far=far) + more)
    return file


def source(pattern):
    return pattern_of_text(json.dumps(pattern), folder=Path(), period_s=0.1)


def expected(configuration, before_step, messages=MESSAGES):
    """Return the answers of a model in which something is done before some steps."""
    model, decoder, found = LidarModel(configuration), FrameDecoder("SensorView"), []
    for index, data in enumerate(messages):
        before_step.get(index, lambda _: None)(model.lidars)
        found.append(model.step(decoder.decode(data, index)).sensor_data)
    return found


def step_by_step(live, actions, messages=MESSAGES):
    """Return the answers to messages, with something done before some of them."""
    found = []
    with Peer(live.port) as simulator:
        for index, data in enumerate(messages):
            actions.get(index, lambda: None)()
            simulator.send(framed([data]))
            found.append(simulator.message())
    return found


LIVE = {"control": "127.0.0.1:0", "answer": "every", "backlog": None}


def test_changes_hold_from_the_next_scan_on_as_in_the_model_and_are_recorded(tmp_path, caplog):
    caplog.set_level(logging.INFO, "osi_lidar.live")
    configuration, out = load_config(two_sensors(tmp_path)), tmp_path / "out"
    changes = {
        1: {"sensor": "a", "pattern": PAIRS},
        2: {"sensor": "b", "rolling_shutter": False, "motion_blur": False},
        3: {"sensor": "a", "pattern": None},
    }
    answers = []
    with (
        streaming(configuration, out=out, **LIVE) as live,
        Operator(live.control_port) as operator,
    ):
        found = step_by_step(
            live,
            {
                at: lambda c=command: answers.extend(operator.ask(c))
                for at, command in changes.items()
            },
        )
        live.end()
    original = LidarModel(configuration).lidars[0].pattern
    assert found == expected(
        configuration,
        {
            1: lambda lidars: lidars[0].use_pattern(source(PAIRS)),
            2: lambda lidars: lidars[1].timing.use_motion(rolling_shutter=False, motion_blur=False),
            3: lambda lidars: lidars[0].use_pattern(original),
        },
    )
    made = [
        {"ok": True, "after_message": at - 1, "changes": [command]}
        for at, command in changes.items()
    ]
    assert answers == made
    counters = assert_whole(out)["stream"]
    assert (counters["changes"], counters["changes_refused"]) == (3, 0)
    assert counters["last_changes"] == [
        {"after_message": at - 1, **command} for at, command in changes.items()
    ]
    assert "sensor b: rolling_shutter false, motion_blur false, after message 1" in caplog.text


def test_a_pattern_may_be_a_file_of_the_configurations_folder(tmp_path):
    configuration = load_config(two_sensors(tmp_path))
    (tmp_path / "three.yaml").write_text(json.dumps(PAIRS))
    (tmp_path / "angles.csv").write_text("0,-5\n1,-6\n")
    table = {"sensor": "b", "pattern": {"kind": "pairs", "file": "angles.csv"}}
    with (
        streaming(configuration, **LIVE) as live,
        Operator(live.control_port) as operator,
    ):
        answers = operator.ask({"sensor": "a", "pattern": "three.yaml"}, table)
        assert [each["ok"] for each in answers] == [True, True]
        assert [each["after_message"] for each in answers] == [None, None]
        (found,) = step_by_step(live, {}, MESSAGES[:1])
    sensors = SensorData.FromString(found).feature_data.lidar_sensor
    assert [len(sensor.detection) for sensor in sensors] == [3, 2]


@pytest.fixture(scope="module")
def refusing(tmp_path_factory):
    folder = tmp_path_factory.mktemp("inside") / "here"
    folder.mkdir()
    (folder.parent / "outside.yaml").write_text(json.dumps(PAIRS))
    slow = {"name": "slow", "pattern": SWEEP, "timing": "sensor_rate"}
    config = two_sensors(folder, more=f"- {json.dumps(slow)}\n")
    told = []
    handler = logging.Handler()
    handler.emit = lambda record: told.append(record.getMessage())
    logging.getLogger("osi_lidar.live.control").addHandler(handler)
    with streaming(load_config(config), **LIVE) as live, Operator(live.control_port) as operator:
        yield live, operator, told
    logging.getLogger("osi_lidar.live.control").removeHandler(handler)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (b"hello", "the line is not JSON: "),
        (b"\xff\xfe", "the line is not JSON: "),
        (b"9" * 5000, "the line is not JSON: "),
        (b"Host: localhost", "the line is not JSON: "),
        (b"[" * 100_000, "the line is not JSON: too many brackets"),
        (b"x" * (LINE_BYTES + 9), f"a line of more than {LINE_BYTES} bytes"),
        (b"x" * (3 * LINE_BYTES), f"a line of more than {LINE_BYTES} bytes"),
        (b"[1]", "expected an object such as {"),
    ],
)  # fmt: skip
def test_a_line_that_is_no_object_ends_the_connection_and_no_later_one_is_followed(
    refusing, line, words
):
    live, _, _ = refusing
    before = live.counters.changes
    with Operator(live.control_port) as client:
        client.send(line + b"\n" + FOLLOWED)
        (answer,) = map(json.loads, client.socket.makefile("rb").readlines())
        assert words in answer["error"]
    assert ask_anew(live) == before + 1


@pytest.mark.parametrize(
    ("request_line", "name"),
    [(f"{word} / HTTP/1.1", "HTTP") for word in ("GET", "POST", "PUT", "OPTIONS", "HEAD")]
    + [("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", "TLS")],
)
def test_what_a_browser_sends_ends_the_connection_without_an_answer(refusing, request_line, name):
    live, _, told = refusing
    before = live.counters.changes
    with Operator(live.control_port) as browser:
        browser.send(request_line.encode("latin-1") + b"\r\nHost: localhost\r\n\r\n" + FOLLOWED)
        assert browser.all_that_comes() == b""
    assert ask_anew(live) == before + 1
    assert any(f"the client speaks {name}" in text for text in told)


@pytest.mark.parametrize(
    "pattern",
    [
        {"kind": "grid", "horizontal": {"min_deg": -150, "max_deg": 149.9, "step_deg": 0.1},
         "vertical": {"min_deg": -45, "max_deg": 44.9, "step_deg": 0.03}},
        {**SWEEP, "columns": 100_000, "rows": 11},
        {"kind": "camera", "width": 3000, "height": 3000, "horizontal_fov_deg": 40},
        {"kind": "rosette", "radius_deg": 9, "radial_hz": 33, "rotation_hz": 7, "pulse_hz": 1e8},
        {"kind": "line", "step_deg": 1e-4},
        {"kind": "risley", "prisms": [{"wedge_deg": 5, "rate_hz": 9}], "pulse_hz": 6e6,
         "incident_deg": [[0, 0], [0, 1]]},
        {"kind": "formula", "azimuth_deg": "t", "elevation_deg": "0", "pulse_hz": 2e7},
    ],
    ids=lambda pattern: pattern["kind"],
)  # fmt: skip
def test_a_command_cannot_ask_for_more_beams_than_any_sensor_has(refusing, monkeypatch, pattern):
    operator = refusing[1]
    monkeypatch.setattr(texts, "_check_number", refused_at_once(texts))
    error = operator.error({"sensor": "a", "pattern": pattern})
    assert "beams, expected at most 9" in error  # a million, less those of the other sensors


def refused_at_once(module):
    """Return the check of a number of beams, which must not find that they are made already."""
    check = module._check_number

    def first(n_beams, most_beams):
        check(n_beams, most_beams)
        assert n_beams < most_beams, "the beams were made"

    return first


def test_the_bound_of_beams_is_that_of_all_sensors_together(tmp_path, monkeypatch):
    monkeypatch.setattr(changes, "MOST_BEAMS", 100)
    with (
        streaming(load_config(two_sensors(tmp_path)), **LIVE) as live,
        Operator(live.control_port) as operator,
    ):
        many = {**SWEEP, "columns": 13}  # 52 beams, beside 48 of the other sensor
        assert operator.ask({"sensor": "a", "pattern": many})[0]["ok"] is True
        assert "52 beams, expected at most 48" in operator.error({"sensor": "b", "pattern": many})


def test_two_controllers_are_both_told_and_the_last_command_holds(tmp_path):
    with (
        streaming(load_config(two_sensors(tmp_path)), **LIVE) as live,
        Operator(live.control_port) as one,
        Operator(live.control_port) as other,
    ):
        n_command = 20
        commands = {
            one: {"sensor": "a", "pattern": PAIRS, "rolling_shutter": True, "motion_blur": True},
            other: {
                "sensor": "a",
                "pattern": SWEEP,
                "rolling_shutter": False,
                "motion_blur": False,
            },
        }
        for client, command in commands.items():
            client.send(n_command * (json.dumps(command).encode() + b"\n"))
        answers = {client: client.socket.makefile("rb") for client in commands}
        for client, command in commands.items():
            for _ in range(n_command):
                answer = json.loads(answers[client].readline())
                assert answer == {"ok": True, "after_message": None, "changes": [command]}
        last = live.state.changes[-1]["pattern"]
        timing = live.state.stream_model.model.lidars[0].timing
        held = timing._motion_blur, timing._source.at(0.0).n_beams
        assert held == ((True, 3) if last == PAIRS else (False, 48))


def test_a_token_is_asked_for_in_the_first_line(tmp_path):
    guard = Guard(token="open sesame!")  # noqa: S106  of this test
    follow = {"sensor": "a", "rolling_shutter": True}
    with streaming(load_config(two_sensors(tmp_path)), guard=guard, **LIVE) as live:
        for first in (follow, follow | {"token": "guess"}, follow | {"token": None}, {"token": 1}):
            with Operator(live.control_port) as stranger:
                stranger.send(json.dumps(first).encode() + b"\n" + FOLLOWED)
                (answer,) = map(json.loads, stranger.socket.makefile("rb").readlines())
                assert answer["error"] == "the first line has to have the token"
        assert live.counters.changes == 0
        for first in ({"token": guard.token}, {"token": guard.token, **follow}):
            with Operator(live.control_port) as owner:
                assert [each["ok"] for each in owner.ask(first, follow)] == [True, True]


def test_the_owner_gets_in_beside_silent_and_greedy_clients():
    with streaming(tiny(), **LIVE) as live, ExitStack() as stack:
        for _ in range(80):
            stack.enter_context(Peer(live.control_port)).send(b'{"motion')
        with Operator(live.control_port) as operator:
            assert operator.ask({"motion_blur": True})[0]["ok"] is True


def test_who_says_nothing_is_closed(monkeypatch):
    monkeypatch.setattr(control, "REQUEST_S", 0.05)
    with one_silent_and_one_followed() as (_, silent, operator):
        assert silent.all_that_comes() == b""
        assert operator.ask({"motion_blur": True})[0]["ok"] is True  # known: may be silent
        operator.send(b'{"motion')
        assert operator.all_that_comes() == b""


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ({}, "sensor: got null, expected one of: a, b, slow"),
        ({"sensor": "a"}, "got a command without a change, expected one of pattern"),
        ({"sensor": "aa", "pattern": PAIRS}, "sensor: got \"aa\", did you mean 'a'"),
        ({"sensor": 1, "pattern": PAIRS}, "sensor: got 1, expected one of"),
        ({"sensor": "a", "patern": PAIRS}, "'patern': unknown key, did you mean 'pattern'"),
        ({"sensor": "a", "motion_blur": 1}, "motion_blur: expected true or false, got 1"),
        ({"sensor": "a", "pattern": 5}, "pattern: expected keys and values or the path"),
        ({"sensor": "a", "pattern": {"kind": "roset"}}, "pattern: got kind 'roset', did you mean"),
        ({"sensor": "a", "pattern": "no.yaml"}, "no.yaml: no such file"),
        ({"sensor": "a", "pattern": "../outside.yaml"}, "expected a file inside the folder"),
        ({"sensor": "a", "pattern": {"kind": "pairs", "file": "/etc/passwd"}}, "pattern.file: "),
        ({"sensor": "a", "pattern": {"kind": "plugin", "name": "x"}}, "kind plugin runs Python"),
        ({"sensor": "slow", "pattern": {"kind": "line", "azimuth_deg": 0}}, "pattern."),
        ({"reload": 1}, "reload: expected"),
        ({"reload": True, "sensor": "a"}, "reload: expected"),
    ],
)  # fmt: skip
def test_a_bad_command_is_one_clear_line_and_the_next_is_followed(refusing, command, words):
    live, operator, _ = refusing
    before = live.counters.changes
    assert words in operator.error(command)
    (answer,) = operator.ask({"sensor": "a", "rolling_shutter": True})
    assert answer["ok"] is True
    assert live.counters.changes == before + 1


def test_a_bad_command_changes_nothing_of_it(refusing):
    live, operator, _ = refusing
    lidar = live.state.stream_model.model.lidars[0]
    before = lidar.timing._source, lidar.timing._motion_blur
    command = {"sensor": "a", "motion_blur": False, "pattern": {"kind": "pairs"}}
    assert "pattern: needs exactly one of" in operator.error(command)
    assert (lidar.timing._source, lidar.timing._motion_blur) == before


def test_a_pattern_of_another_duration_is_refused_before_it_could_spoil_a_message(refusing):
    live, operator, _ = refusing
    lidar = live.state.stream_model.model.lidars[2]
    lidar.timing._fixed_s, fixed_s = 0.05, lidar.timing._fixed_s
    try:
        assert "expected 0.05 s as at the start (timing: sensor_rate)" in operator.error(
            {"sensor": "slow", "pattern": {**SWEEP, "rows": 3}}
        )
    finally:
        lidar.timing._fixed_s = fixed_s


def test_an_exception_is_a_line_too(refusing, monkeypatch):
    live, operator, _ = refusing
    monkeypatch.setattr(type(live.state.stream_model.model.lidars[0].timing), "check", None)
    assert "TypeError" in operator.error({"sensor": "a", "rolling_shutter": True})


def test_a_camera_keeps_its_pattern_while_its_depth_images_are_written(tmp_path):
    pattern = {"kind": "camera", "width": 4, "height": 3, "horizontal_fov_deg": 40}
    sensors = [{"name": "camera", "pattern": pattern}]
    configuration = tiny(sensors=sensors, output={"depth": "npy"})
    with (
        streaming(configuration, **LIVE, out=tmp_path / "out") as live,
        Operator(live.control_port) as operator,
    ):
        assert "while its depth images are written" in operator.error({"pattern": PAIRS})
        assert operator.ask({"motion_blur": False})[0]["ok"] is True


def test_where_there_is_no_room_the_one_silent_longest_is_closed(monkeypatch):
    monkeypatch.setattr(control, "MOST_CONTROLLERS", 2)
    with one_silent_and_one_followed() as (live, silent, operator):
        with Operator(live.control_port) as another:
            assert silent.all_that_comes() == b""
            assert another.ask({"motion_blur": True})[0]["ok"] is True
        assert operator.ask({"motion_blur": True})[0]["ok"] is True


def test_a_last_line_without_its_end_is_followed_and_blank_lines_are_not():
    with streaming(tiny(), **LIVE) as live, Peer(live.control_port) as client:
        client.send(b'\n \r\n{"motion_blur": false}')
        client.socket.shutdown(1)
        (line,) = client.socket.makefile("rb").readlines()
        assert json.loads(line)["ok"] is True


def test_the_file_is_read_again_on_request(tmp_path, caplog):
    caplog.set_level(logging.INFO, "osi_lidar.live")
    configuration = load_config(two_sensors(tmp_path))
    with streaming(configuration, **LIVE) as live:

        def reread(**changes):
            two_sensors(tmp_path, **changes)
            before = live.counters.changes + live.counters.changes_refused
            live.reread.request()
            until(lambda: live.counters.changes + live.counters.changes_refused > before, "read")

        found = step_by_step(
            live,
            {
                1: lambda: reread(b=PAIRS),
                2: lambda: reread(b={"kind": "roset"}),
                3: lambda: reread(a=PAIRS, b=SWEEP, far=5),
            },
        )
        counters = live.end()["stream"]
    original = LidarModel(configuration).lidars[1].pattern

    def third(lidars):
        lidars[0].use_pattern(source(PAIRS))
        lidars[1].use_pattern(original)

    assert found == expected(
        configuration, {1: lambda lidars: lidars[1].use_pattern(source(PAIRS)), 3: third}
    )
    assert (counters["changes"], counters["changes_refused"]) == (4, 1)
    assert counters["last_changes"][-1]["needs_restart"] == ["max_range_m"]
    (line,) = [one.getMessage() for one in caplog.records if one.levelno == logging.WARNING]
    assert "read again, and the sensors stay as they are: " in line
    assert "did you mean 'rosette'" in line


def test_sensors_that_come_or_go_and_presets_need_a_restart(tmp_path):
    file = two_sensors(tmp_path)
    with (
        streaming(load_config(file), **LIVE) as live,
        Operator(live.control_port) as operator,
    ):
        two_sensors(tmp_path, more="- {preset: VLP-16}\n")
        assert "now has the sensors a, b, VLP-16, expected a, b" in operator.error({"reload": True})
        file.write_text("sensors: [{name: a, preset: VLP-16}, {name: b, preset: VLP-16}]")
        assert "cannot change from a preset to a pattern" in operator.error({"reload": True})
    with streaming(tiny(), **LIVE) as live, Operator(live.control_port) as operator:
        assert operator.error({"reload": True}).startswith(
            "reload: the stream was started without a conf"
        )


@pytest.mark.skipif(sys.platform == "win32", reason="signals as POSIX has them")
def test_a_signal_has_the_command_read_its_file_again(config):
    options = ("--listen", 0, "--control", 0, "--config", config)
    with Process("stream", *options) as streamed:
        streamed.line("control at 127.0.0.1")
        streamed.signal(signal.SIGUSR1)
        streamed.line(r"sensor .*: pattern .*after message -")
        config.write_text("sensors: 5")
        streamed.signal(signal.SIGUSR1)
        streamed.line(r"the sensors stay as they are: .*config.yaml: sensors: expected a list")
        streamed.signal(signal.SIGTERM)
        assert streamed.wait() == 0


def test_without_the_option_nothing_listens():
    with streaming(tiny()) as live:
        assert live.state.control == ""
    assert "--control" in run("stream", "--help").output
