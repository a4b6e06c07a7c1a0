# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""A run that was cut and goes on gives the same bytes as one that was not."""

import csv
import json
import os
import subprocess
import sys

import pytest

from osi_lidar import OutputError
from osi_lidar.output.background import MOST_WAITING
from osi_lidar.run.frame_source import FrameSource
from osi_lidar.run.replay import replay
from tests.osi_lidar.run.cluster_helpers import assert_alike, everything, run_config, write_run

KILLED = """
import os, signal, sys
from osi_lidar.run.frame_source import FrameSource
from osi_lidar.run.replay import replay
from tests.osi_lidar.run.cluster_helpers import run_config
trace, out, n_frames, kind = sys.argv[1:]
def kill(progress):
    if progress.frames_read == int(n_frames):
        os.kill(os.getpid(), signal.SIGKILL)
    return True
source, config = FrameSource(trace), run_config(output={"sensor_data": kind})
replay(source, config, __import__("pathlib").Path(out), go_on=True, on_step=kill)
"""


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    folder = tmp_path_factory.mktemp("whole")
    trace = write_run(folder)
    replay(FrameSource(trace), run_config(), folder / "out")
    return trace, folder / "out"


def interrupted(trace, out, n_frames, **options):
    """Replay until so many frames are read."""
    return replay(
        FrameSource(trace),
        run_config(),
        out,
        on_step=lambda progress: progress.frames_read < n_frames,
        **options,
    )


@pytest.mark.parametrize("n_frames", [1, 15, 29])
def test_a_run_that_was_interrupted_goes_on(whole, tmp_path, n_frames):
    trace, expected = whole
    out = tmp_path / "out"
    assert interrupted(trace, out, n_frames).status == "interrupted"
    assert replay(FrameSource(trace), run_config(), out, go_on=True).status == "complete"
    assert_alike(out, expected)


def test_a_run_may_be_cut_many_times(whole, tmp_path):
    trace, expected = whole
    out = tmp_path / "out"
    for n_frames in (3, 4, 12, 12, 25):
        interrupted(trace, out, n_frames, go_on=True)
    replay(FrameSource(trace), run_config(), out, go_on=True)
    assert_alike(out, expected)


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
@pytest.mark.parametrize("kind", ["osi", "mcap", "none"])
def test_a_run_that_was_killed_twice_goes_on(whole, tmp_path, kind):
    trace, _ = whole
    chosen = run_config(output={"sensor_data": kind})
    out, expected = tmp_path / "out", tmp_path / "expected"
    for n_frames in (11, 20):
        arguments = [sys.executable, "-c", KILLED, trace, out, str(n_frames), kind]
        assert subprocess.run(arguments, env=os.environ, check=False).returncode == -9
        assert not (out / "frames.csv").exists()
        rows = list(csv.DictReader((out / ".frames.csv.part").read_text().splitlines()))
        assert int(rows[-1]["frame"]) >= n_frames - MOST_WAITING - 3  # all but what it was at
    replay(FrameSource(trace), chosen, out, go_on=True)
    replay(FrameSource(trace), chosen, expected)
    got, wanted = everything(out), everything(expected)
    for files in (got, wanted):  # an MCAP file says when it was made
        for name in [name for name in files if name.endswith(".mcap")]:
            files[name] = len(files[name])
    assert got == wanted


@pytest.mark.parametrize("cut", [1, 200])
def test_a_table_that_is_cut_anywhere_is_taken_as_far_as_it_is_whole(whole, tmp_path, cut):
    trace, expected = whole
    out = tmp_path / "out"
    interrupted(trace, out, 20)
    table = (out / "frames.csv").read_bytes()
    (out / "frames.csv").unlink()
    (out / ".frames.csv.part").write_bytes(table[:-cut])
    replay(FrameSource(trace), run_config(), out, go_on=True)
    assert_alike(out, expected)


def test_a_cloud_that_is_missing_is_made_again(whole, tmp_path):
    trace, expected = whole
    out = tmp_path / "out"
    interrupted(trace, out, 20)
    (out / "turning" / "000007.pcd").unlink()
    replay(FrameSource(trace), run_config(), out, go_on=True)
    assert_alike(out, expected)


def test_files_that_a_killed_run_was_writing_are_removed(whole, tmp_path):
    trace, expected = whole
    out = tmp_path / "out"
    interrupted(trace, out, 20)
    for name in ("front/.000020.pcd", "turning/deskewed/.000020.pcd", ".run.json"):
        (out / f"{name}.4711.part").write_bytes(b"half")
    for name in (".interval-000", ".interval-012", ".stop"):  # it had several processes
        (out / f"{name}.part").write_bytes(b"half")
    replay(FrameSource(trace), run_config(), out, go_on=True)
    assert_alike(out, expected)


def test_what_is_whole_is_not_traced_again(whole, tmp_path):
    trace, _ = whole
    interrupted(trace, tmp_path / "out", 20)
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("front/*.pcd")}
    replay(FrameSource(trace), run_config(), tmp_path / "out", go_on=True)
    again = [path.name for path, then in before.items() if path.stat().st_mtime_ns != then]
    assert len(before) > 5
    assert again in ([], ["000019.pcd"])


@pytest.mark.parametrize("killed_early", [False, True])
def test_a_folder_in_which_nothing_has_begun_is_begun(whole, tmp_path, killed_early):
    trace, expected = whole
    if killed_early:
        (tmp_path / "out" / "front").mkdir(parents=True)
        (tmp_path / "out" / "..run.json.part.4711.part").write_text('{"vers')
    replay(FrameSource(trace), run_config(), tmp_path / "out", go_on=True)
    assert_alike(tmp_path / "out", expected)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda trace: (FrameSource(trace), run_config(seed=8)), "another config"),
        (lambda trace: (FrameSource(trace, frames=slice(0, 9)), run_config()), "another input"),
    ],
)
def test_another_run_is_not_mixed_in(whole, tmp_path, change, words):
    trace, _ = whole
    out = tmp_path / "out"
    interrupted(trace, out, 5)
    before = everything(out)
    source, chosen = change(trace)
    with pytest.raises(OutputError, match=words):
        replay(source, chosen, out, go_on=True)
    assert everything(out) == before


def test_a_run_that_is_complete_is_left_alone(whole):
    trace, out = whole
    before = everything(out)
    with pytest.raises(OutputError, match="the run is complete"):
        replay(FrameSource(trace), run_config(), out, go_on=True)
    assert everything(out) == before


def test_a_folder_without_a_run_is_refused(whole, tmp_path):
    (tmp_path / "theirs.txt").write_text("x")
    with pytest.raises(OutputError, match="no run that can be resumed"):
        replay(FrameSource(whole[0]), run_config(), tmp_path, go_on=True)
    (tmp_path / "run.json").write_text(json.dumps([1]))
    with pytest.raises(OutputError, match="no run that can be resumed"):
        replay(FrameSource(whole[0]), run_config(), tmp_path, go_on=True)


@pytest.mark.parametrize("output", [{"ground_truth": True}, {"motion": "text"}])
def test_what_only_a_whole_run_writes_is_refused_before_anything_is_written(
    whole, tmp_path, output
):
    with pytest.raises(
        OutputError, match=r"output\.(ground_truth|motion): cannot be written with --workers"
    ):
        replay(FrameSource(whole[0]), run_config(output=output), tmp_path / "out", go_on=True)
    assert not (tmp_path / "out").exists()
