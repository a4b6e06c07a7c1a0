# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""What killed processes have left is removed, what others may still be writing is not."""

import os
import signal
import subprocess
import sys

import pytest

from lidar_base.files.unfinished import (
    OLD_S,
    UNFINISHED,
    left_behind,
    machine,
    remove_left,
    unfinished_name,
)


def left_by(process, start, *, of=None, name="a.txt"):
    return f".{name}.{of or machine()}-{process}-{start}.part"


@pytest.fixture
def ended():
    """Return the number of a process that has ended."""
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


def test_what_a_killed_process_was_writing_is_removed(tmp_path):
    code = (
        "import sys, time; from pathlib import Path\n"
        "from lidar_base.files.whole_files import replacing\n"
        f"with replacing(Path({str(tmp_path / 'a.txt')!r})) as part:\n"
        "    part.write_text('half'); print(part, flush=True); time.sleep(60)\n"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as process:
        process.stdout.readline()
        remove_left(tmp_path, "a.txt")
        (left,) = tmp_path.iterdir()  # it is alive
        process.send_signal(signal.SIGKILL)
    remove_left(tmp_path, "b.txt")
    assert left.exists()
    remove_left(tmp_path, "a.txt")
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(sys.platform != "linux", reason="needs the times of processes")
def test_a_number_that_is_used_again_does_not_save_what_is_left(tmp_path):
    (tmp_path / left_by(os.getpid(), 7)).touch()  # another process had our number
    (tmp_path / unfinished_name("a.txt")).touch()
    remove_left(tmp_path)
    assert [each.name for each in tmp_path.iterdir()] == [unfinished_name("a.txt")]


def test_another_machine_or_container_is_not_taken_for_this_one(tmp_path, ended):
    path = tmp_path / left_by(ended, 7, of="0123abcd")
    (path / "deep").mkdir(parents=True)
    (path / "deep" / "file").touch()
    assert not list(left_behind(tmp_path))
    long_ago = path.stat().st_mtime - OLD_S - 60
    os.utime(path, (long_ago, long_ago))
    assert not list(left_behind(tmp_path))  # something in it is new
    for each in (path / "deep" / "file", path / "deep", path):
        os.utime(each, (long_ago, long_ago))
    assert list(left_behind(tmp_path)) == [path]


def test_links_and_names_of_people_are_left_alone(tmp_path, ended):
    (tmp_path / "precious").mkdir()
    (tmp_path / "precious" / "thesis.txt").touch()
    (tmp_path / left_by(ended, 7)).symlink_to(tmp_path / "precious")
    for name in ("notes.part", ".notes.part", f".notes.{ended}.part", f".a.host.{ended}.part"):
        (tmp_path / name).touch()
    before = sorted(tmp_path.rglob("*"))
    remove_left(tmp_path)
    assert sorted(tmp_path.rglob("*")) == before


def test_the_name_that_is_written_is_told():
    for name in ("a.txt", ".osi-lidar.files", "a\nb", "a.b-1-2.part"):
        assert UNFINISHED.fullmatch(unfinished_name(name))["name"] == name
