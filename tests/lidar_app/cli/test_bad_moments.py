# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""What goes wrong late or beside the point: full disks, hosts that never come, odd commands."""

import subprocess
import sys

import pytest

from tests.builders.files import PCD
from tests.builders.meshes import CUBE
from tests.builders.messages import Thing, framed, host, message, moving
from tests.builders.worlds import SENSOR
from tests.commands import assert_one_line, replay, report, run

COMMAND = [sys.executable, "-m", "osi_lidar"]


def shell(*arguments):
    """Run the command in a process of its own; return it with its output."""
    command = [str(argument) for argument in arguments]
    return subprocess.run([*COMMAND, *command], capture_output=True, text=True, check=False)


def test_a_folder_in_the_way_of_a_result_is_named(trace, config):
    (config.parent / "out" / "frames.csv").mkdir(parents=True)
    assert_one_line(
        replay(trace, config, "--overwrite"), 2, "not all files could be completed", "frames.csv"
    )
    assert not list((config.parent / "out").rglob("*.part"))


@pytest.mark.parametrize("worlds", [[[]], [[], [Thing(2, (9.0, 0, 1))]]])
def test_a_host_asked_for_that_is_not_there_is_told(trace, config, worlds):
    trace.write_bytes(framed([message(things) for things in worlds]))
    assert_one_line(replay(trace, config, "--host", 1), 2, "host vehicle 1")


def test_a_declared_host_that_cannot_be_used_at_first_is_taken_when_it_can(trace, config):
    broken = [Thing(1, (float("nan"), 0, 1)), Thing(2, (9.0, 0, 1))]
    trace.write_bytes(framed([message(broken), *moving()[1:]]))
    assert replay(trace, config).exit_code == 0
    assert report(config)["host_object_id"] == 1


def test_a_trace_without_any_host_says_where_the_sensors_are(trace, config):
    trace.write_bytes(framed([message([], host_id=None)]))
    done = shell("replay", trace, "--config", config, "--out", config.parent / "out")
    assert done.returncode == 0
    assert done.stderr.strip() == (
        f"osi-lidar: warning: {trace}: no moving object to carry the sensors: "
        "mountings are world poses"
    )


@pytest.mark.parametrize("command", ["check", "replay"])
def test_a_configured_mesh_that_does_not_open_is_told_before_anything_is_written(
    trace, config, command
):
    (config.parent / "bad.obj").write_text("v 0 0 0\n")
    config.write_text(SENSOR + "scene: {objects: [{match: {id: 3}, mesh: bad.obj}]}")
    if command == "check":
        assert_one_line(run("check", "--config", config), 1, "bad.obj")
    else:
        assert_one_line(replay(trace, config), 2, "bad.obj")
    assert not (config.parent / "out").exists()


def test_check_names_a_missing_file_of_angles(config):
    config.write_text("sensors: [{pattern: {kind: pairs, file: no.csv}}]")
    assert_one_line(run("check", "--config", config), 1, "pattern.file: no such file")


def test_check_shows_rules_that_match_no_object(trace, config):
    (config.parent / "cube.obj").write_text(CUBE)
    config.write_text(SENSOR + "scene: {objects: [{match: {subtype: CARR}, mesh: cube.obj}]}")
    assert "CARR" in run("check", "--config", config, trace).output


def test_control_characters_of_a_trace_do_not_reach_the_terminal(trace, config):
    trace.write_bytes(framed([message([host()], environment="\x1b]0;x\x07a.obj")]))
    assert "\x1b]" not in replay(trace, config).output


@pytest.mark.parametrize(
    "arguments",
    [["replay"], ["replay", "x", "--sensr", "a"], ["scan", "--config"], ["repaly"]],
)
def test_a_slip_on_the_command_line_is_one_line(arguments):
    done = shell(*arguments)
    assert done.returncode == 2
    assert len(done.stderr.strip().splitlines()) == 1
    assert done.stderr.startswith("osi-lidar: ")


def test_no_command_shows_the_help():
    done = shell()
    assert done.returncode == 0
    assert "replay" in done.stdout


def test_an_empty_name_is_no_sensor():
    assert_one_line(run("sensors", ""), 2, "unknown sensor")


def test_a_picture_does_not_take_the_place_of_its_cloud(tmp_path):
    cloud = tmp_path / "cloud.png"  # a cloud is known by its beginning
    cloud.write_text(PCD + "1 2 3\n4 5 6\n7 8 9\n")
    assert_one_line(run("preview", cloud, "--out", cloud), 2, "overwrite the cloud")
    assert cloud.read_text().startswith("VERSION")


def test_a_cloud_that_claims_more_points_than_memory_is_refused(tmp_path):
    cloud = tmp_path / "cloud.pcd"
    cloud.write_text(PCD.replace("POINTS 3", "POINTS 99999999999").replace("ascii", "binary"))
    assert_one_line(
        run("preview", cloud), 2, "is cut short: got 0 points, the header states 99999999999"
    )


def test_who_stops_reading_ends_the_listing_quietly():
    command = f"{sys.executable} -m osi_lidar materials | head -1"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)  # noqa: S602
    assert done.stderr == ""
