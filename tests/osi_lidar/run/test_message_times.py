# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""A scan takes the sensor's own time, whatever the times, order and choice of the messages."""

import csv
import json

import numpy as np
import pytest
from osi3.osi_sensorview_pb2 import SensorView
from pypcd4 import PointCloud

from osi_bridge import FrameDecoder, open_trace, write_trace
from osi_lidar import LidarModel, load_config
from osi_lidar.run.frame_source import FrameSource
from osi_lidar.run.replay import replay
from osi_lidar.scan.timing import time_lines
from tests.builders.clouds import xyz
from tests.builders.messages import Thing, host, message
from tests.builders.worlds import config
from tests.commands import run

TRACE = "20260102T030405Z_sv_380_7362_40_walls.osi"
SPEED_M_S, TURN_S = 30.0, 0.1
WIDE = {"dimension_m": (0.2, 2000.0, 200.0), "kind": "stationary_object"}
BEHIND, AHEAD = Thing(10, (-30.0, 0.0, 0.0), **WIDE), Thing(9, (250.0, 0.0, 0.0), **WIDE)


def scanner(scene=None, **sensor):
    """Return a configuration of a VLP-16, which turns ten times a second."""
    one = {"preset": "VLP-16", "name": "front", "range_limit": None, "max_range_m": 300.0}
    mounted = {"columns": 360, "mounting": {"x_m": 1.2, "z_m": 0.45}}
    return config(sensors=[{**one, **mounted, **sensor}], scene={"ground": "none", **(scene or {})})


def driving(path, step_s, *, speed_m_s=SPEED_M_S, until_s=0.4, states=False):
    """Write a trace of a host that drives along x."""
    messages = []
    for n in range(round(until_s / step_s) + 1):
        data = message([host(x_m=speed_m_s * n * step_s), AHEAD, BEHIND], time_s=n * step_s)
        if states:
            view = SensorView.FromString(data)
            view.global_ground_truth.moving_object[0].base.velocity.x = speed_m_s
            data = view.SerializeToString()
        messages.append(data)
    write_trace(path / TRACE, messages, message_type="SensorView")
    return path / TRACE


def skew_m(points):
    """Return by how much the wall behind comes nearer during a turn; it is seen at both ends."""
    behind = points[points["object_id"] == 10]
    return np.ptp(xyz(behind)[:, 0])


def last_cloud(out):
    return PointCloud.from_path(max((out / "front").glob("*.pcd"))).pc_data


def decoder_frames(x_m, time_s):
    """Return decoded messages of a host at some places and times."""
    decoder = FrameDecoder("SensorView")
    return [
        decoder.decode(message([host(x_m=x), AHEAD, BEHIND], time_s=time), number)
        for number, (x, time) in enumerate(zip(x_m, time_s, strict=True))
    ]


@pytest.mark.parametrize("step_s", [0.01, 0.05, 0.1, 0.2])
@pytest.mark.parametrize("stride", [1, 2])
def test_a_turn_is_skewed_by_the_way_of_a_turn_at_any_message_rate(tmp_path, step_s, stride):
    trace = driving(tmp_path, step_s)
    source = FrameSource(trace, frames=slice(None, None, stride))
    report = replay(source, scanner(), tmp_path / "out")
    assert skew_m(last_cloud(tmp_path / "out")) == pytest.approx(SPEED_M_S * TURN_S, rel=0.02)
    time = report.content["time"]
    assert time["message_period_s"] == pytest.approx(step_s)
    sensor = time["sensors"]["front"]
    assert sensor["sensor_period_s"] == pytest.approx(TURN_S)
    assert sensor["beams_per_s"] / sensor["sensor_beams_per_s"] == pytest.approx(
        TURN_S / step_s, rel=1e-3
    )


@pytest.mark.parametrize("speed_m_s", [151.0, 300.0])
def test_fast_carriers_are_skewed_by_their_way(tmp_path, speed_m_s):
    replay(FrameSource(driving(tmp_path, 0.1, speed_m_s=speed_m_s)), scanner(), tmp_path / "out")
    assert skew_m(last_cloud(tmp_path / "out")) == pytest.approx(speed_m_s * TURN_S, rel=0.02)


@pytest.mark.parametrize(("states", "expected"), [(True, 15.0), (False, 0.0)])
def test_what_is_a_jump_depends_on_the_stated_velocity_and_is_listed(tmp_path, states, expected):
    trace = driving(tmp_path, 0.1, speed_m_s=150.0, states=states)
    wanted = scanner(scene={"teleport": {"speed_m_s": 100.0}})
    report = replay(FrameSource(trace), wanted, tmp_path / "out")
    assert skew_m(last_cloud(tmp_path / "out")) == pytest.approx(expected, abs=0.3)
    told = [each for each in report.fallbacks if each.used == "no motion"]
    assert len(told) == (not states)
    assert all("faster than scene.teleport allows: 100 m/s" in each.reason for each in told)


def test_before_the_first_message_the_sensor_rests_and_that_is_counted(tmp_path):
    """At the third message, 20 ms after the first, a turn has seen a fifth of its motion."""
    report = replay(FrameSource(driving(tmp_path, 0.01)), scanner(), tmp_path / "out")
    points = PointCloud.from_path(tmp_path / "out" / "front" / "000002.pcd").pc_data
    assert skew_m(points) == pytest.approx(SPEED_M_S * 0.02, rel=0.05)
    behind = points[points["object_id"] == 10]
    early = xyz(behind)[behind["time_ns"] < 0.079e9, 0]
    assert np.ptp(early) < 2e-3
    time = report.content["time"]
    assert time["sensors"]["front"]["began_before_messages"] == 10
    assert time_lines(time) == [
        "a message every 10 ms",
        (
            "front: every 10 ms a scan of 100 ms, 10 times the sensor's beams a second; "
            "10 began before what messages cover"
        ),
    ]


def test_a_pattern_without_a_rate_takes_the_time_between_messages(tmp_path):
    grid = {"pattern": {"kind": "line", "layers_deg": [0.0], "step_deg": 1.0}}
    trace = driving(tmp_path, 0.05)
    report = replay(FrameSource(trace), config(sensors=[{"name": "front", **grid}]), tmp_path / "a")
    (sensor,) = report.content["time"]["sensors"].values()
    assert (sensor["sensor_period_s"], sensor["scan_takes_s"]) == (None, pytest.approx(0.05))
    own = config(sensors=[{"name": "front", "rotation_rate_hz": 5, **grid}])
    report = replay(FrameSource(trace), own, tmp_path / "b")
    (sensor,) = report.content["time"]["sensors"].values()
    assert sensor["sensor_period_s"] == sensor["scan_takes_s"] == pytest.approx(0.2)


@pytest.mark.parametrize("timing", ["per_message", "sensor_rate"])
@pytest.mark.parametrize("sections", [{}, {"noise": {"range_sigma_m": 0.02}}])
def test_cutting_by_hand_gives_the_same_bytes(tmp_path, timing, sections):
    trace = driving(tmp_path, 0.03)
    wanted = scanner(timing=timing, **sections)
    replay(FrameSource(trace), wanted, tmp_path / "whole")
    clouds = {file.name: file.read_bytes() for file in (tmp_path / "whole" / "front").iterdir()}
    (whole,) = (list(open_trace(file)) for file in (tmp_path / "whole").glob("*.osi"))
    for begin, end in ((0, 3), (3, 9), (9, 14)):
        out = tmp_path / f"{begin}"
        report = replay(FrameSource(trace, frames=slice(begin, end)), wanted, out)
        assert report.record.frames_read == end - begin
        for file in (out / "front").iterdir():
            assert file.read_bytes() == clouds.pop(file.name)
        (part,) = (list(open_trace(file)) for file in out.glob("*.osi"))
        assert [raw.data for raw in part] == [raw.data for raw in whole[begin:end]]
    assert not clouds


def test_a_message_of_the_same_time_takes_the_place_of_the_one_before():
    model, expected = LidarModel(scanner()), LidarModel(scanner())
    repeated = decoder_frames((0.0, 3.0, 99.0, 6.0), (0.0, 0.1, 0.2, 0.2))
    straight = decoder_frames((0.0, 3.0, 6.0), (0.0, 0.1, 0.2))
    got, plain = ([each.step(frame) for frame in source][-1].scans[0].cloud.points
                  for each, source in ((model, repeated), (expected, straight)))  # fmt: skip
    assert (got == plain).all()
    (told,) = [each for each in model.fallbacks if each.kind == "message"]
    assert told.name == "repeated"


def test_a_late_message_is_left_out_and_listed(tmp_path):
    """Also where it carries what only the first message should carry."""
    time_s = (1.0, 1.1, 1.05, 1.2)
    things = [[host(x_m=30.0 * each), BEHIND] if n != 3 else [host(x_m=36.0)] for n, each in
              enumerate(time_s)]  # fmt: skip
    messages = [message(each, time_s=time) for each, time in zip(things, time_s, strict=True)]
    write_trace(tmp_path / TRACE, messages, message_type="SensorView")
    report = replay(FrameSource(tmp_path / TRACE), scanner(), tmp_path / "out")
    rows = list(csv.DictReader((tmp_path / "out" / "frames.csv").read_text().splitlines()))
    assert [row["frame"] for row in rows] == ["0", "1", "3"]
    (told,) = [each for each in report.fallbacks if each.kind == "message"]
    assert (told.name, told.used, told.times) == ("late", "nothing", 1)


def test_the_key_is_read_from_a_file(tmp_path):
    file = tmp_path / "config.yaml"
    file.write_text("sensors: [{preset: VLP-16}]\nscene: {teleport: {speed_m_s: 50}}\n")
    assert load_config(file).scene.teleport.turn_deg_s == 720.0


def test_messages_faster_than_the_sensor_are_warned_of_and_an_option_ends_it(tmp_path):
    """At 30 Hz a sensor of 10 Hz gives three times its points."""
    trace, out = driving(tmp_path, 1 / 30), tmp_path / "out"
    options = (trace, "--sensor", "VLP-16", "--out", out)
    for command in (("replay", *options, "--overwrite"), ("check", *options[:3])):
        result = run(*command)
        assert result.exit_code == 0, result.output
        words = " ".join(result.stderr.split())
        assert "VLP-16: a message every 33.33 ms, a scan of 100 ms with each: 3 times" in words
        assert "--timing sensor_rate" in words
        own = run(*command, "--timing", "sensor_rate")
        assert own.exit_code == 0, own.output
        assert "times the sensor's points" not in own.stderr
    record = json.loads((out / "run.json").read_text())
    assert record["time"]["sensors"]["VLP-16"]["scan_every_s"] == pytest.approx(0.1)


def test_messages_at_the_rate_of_the_sensor_are_not_warned_of(tmp_path):
    result = run("replay", driving(tmp_path, 0.1), "--sensor", "VLP-16", "--out", tmp_path / "out")
    assert result.exit_code == 0
    assert "--timing" not in result.output
