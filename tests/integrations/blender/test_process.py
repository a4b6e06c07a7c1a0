# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""osi-lidar as a program: how it is found, and what is said when it fails."""

import subprocess
import sys

import pytest

from osi_lidar.version import __version__
from tests.builders.blender_extension import part

process, errors = part("process"), part("errors")


def program(folder, text):
    """Write a program that stands in for osi-lidar, and return its path."""
    file = folder / "stand-in"
    file.write_text(f"#!/bin/sh\n{text}\n")
    file.chmod(0o755)
    return str(file)


@pytest.mark.long
def test_a_python_runs_the_module_and_none_of_the_working_folder(tmp_path):
    for name in ("osi_lidar.py", "runpy.py"):
        (tmp_path / name).write_text("raise SystemExit(7)\n")
    command = [*process.program(sys.executable), "--version"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, __version__ in done.stdout) == (0, True)


def test_a_command_is_run_as_it_is(tmp_path):
    command = program(tmp_path, "true")
    assert process.program(f" {command} ") == [command]


@pytest.mark.parametrize("command", ["", "  ", "no-such-osi-lidar", "/no/such/folder/osi-lidar"])
def test_no_program_is_told_in_one_line(command):
    with pytest.raises(errors.SceneError) as caught:
        process.program(command)
    assert str(caught.value) == (
        f"osi-lidar: {command.strip()!r} is not a program, expected the path of osi-lidar, or of "
        "the Python it is installed for, in the preferences of the extension"
    )


def test_arguments_are_those_of_replay(tmp_path):
    command = program(tmp_path, 'echo "$@"')
    replay = process.Replay(command, tmp_path)
    assert replay.result() == tmp_path / "run"
    assert (tmp_path / "replay.log").read_text().split() == [
        *("replay", str(tmp_path / "trace.osi"), "--config", str(tmp_path / "lidar.yaml")),
        *("--out", str(tmp_path / "run"), "--overwrite", "--quiet"),
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("echo first; echo 'lidar.yaml: unknown sensor' >&2; echo; exit 2",
         "osi-lidar: lidar.yaml: unknown sensor"),
        ("echo 'osi-lidar: interrupted'; exit 130", "osi-lidar: interrupted"),
        ("exit 3", "osi-lidar: ended with exit code 3"),
    ],
)  # fmt: skip
def test_the_last_line_of_a_failure_is_told(tmp_path, text, said):
    replay = process.Replay(program(tmp_path, text), tmp_path)
    with pytest.raises(errors.SceneError) as caught:
        replay.result()
    assert str(caught.value) == said


def test_a_file_that_is_no_program_of_this_machine_is_told_in_one_line(tmp_path):
    file = tmp_path / "broken"
    file.write_bytes(b"\x7fELF")
    file.chmod(0o755)
    with pytest.raises(errors.SceneError, match="cannot be started: Exec format error"):
        process.Replay(str(file), tmp_path)


def test_a_scan_can_be_stopped(tmp_path):
    replay = process.Replay(program(tmp_path, "exec cat /dev/zero > /dev/null"), tmp_path)
    assert not replay.is_done()
    replay.stop()
    assert replay.is_done()
