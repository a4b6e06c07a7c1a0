# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""A run that was cut and goes on gives the same bytes as one that was not."""

import csv
import json
import shutil
import signal
import sys

import pytest

from lidar_base.files.own_files import note
from lidar_base.process.background import MOST_WAITING
from osi_bridge import open_trace
from osi_lidar import OutputError
from osi_lidar.run.frame_source import FrameSource
from osi_lidar.run.replay import replay
from tests.builders.prepared import forking
from tests.osi_lidar.run.cluster_helpers import (
    OUTPUT,
    assert_alike,
    everything,
    few_config,
    replay_until_killed,
    run_config,
)

KINDS = ("none", "mcap", "osi")


@pytest.fixture(scope="module")
def cut_once(few, tmp_path_factory):
    """Return the folder of a run that was interrupted after 20 frames."""
    out = tmp_path_factory.mktemp("cut") / "out"
    interrupted(few[0], out, 20, few_config())
    return out


@pytest.fixture
def cut(cut_once, tmp_path):
    """Return a folder like that, to do something to."""
    return shutil.copytree(cut_once, tmp_path / "out")


def interrupted(trace, out, n_frames, chosen, **options):
    """Replay until so many frames are read."""
    return replay(
        FrameSource(trace),
        chosen,
        out,
        on_step=lambda progress: progress.frames_read < n_frames,
        **options,
    )


@pytest.mark.parametrize(
    "n_frames", [15, *(pytest.param(n, marks=pytest.mark.slow) for n in (1, 29))]
)
def test_a_run_that_was_interrupted_goes_on(whole, tmp_path, n_frames):
    trace, expected = whole
    out = tmp_path / "out"
    assert interrupted(trace, out, n_frames, run_config()).status == "interrupted"
    assert replay(FrameSource(trace), run_config(), out, go_on=True).status == "complete"
    assert_alike(out, expected)


def test_a_run_may_be_cut_many_times(few, tmp_path):
    """The first time there is no folder yet."""
    trace, expected = few
    out = tmp_path / "out"
    for n_frames in (1, 12, 12, 29):
        interrupted(trace, out, n_frames, few_config(), go_on=True)
    replay(FrameSource(trace), few_config(), out, go_on=True)
    assert_alike(out, expected)


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
def test_runs_that_were_killed_twice_go_on(few, tmp_path):
    """Runs of each kind of trace, one within another, so that one signal kills them all."""
    trace, expected = few
    for n_frames, kinds in ((11, KINDS), (20, KINDS[::-1])):
        process = forking().Process(
            target=replay_until_killed, args=(trace, tmp_path, n_frames, kinds)
        )
        process.start()
        process.join()
        assert process.exitcode == -signal.SIGKILL
        for kind in KINDS:
            out = tmp_path / kind
            assert not (out / "frames.csv").exists()
            rows = list(csv.DictReader((out / ".frames.csv.part").read_text().splitlines()))
            assert int(rows[-1]["frame"]) >= n_frames - MOST_WAITING - 3  # all but what it was at
    for kind in KINDS:
        chosen = few_config(output={**OUTPUT, "sensor_data": kind})
        replay(FrameSource(trace), chosen, tmp_path / kind, go_on=True)
        assert_alike_but_for_the_trace(tmp_path / kind, expected, kind)


def assert_alike_but_for_the_trace(out, whole, kind):
    """Assert that a run has given what one with an .osi trace has, and the same messages."""
    got, expected = everything(out), everything(whole)
    for each in (got, expected):
        made = each["run.json"]["made_with"]
        del made["configuration"]
        made.pop("frames_unknown", None)  # of processes that were killed
    got_name, name = got["run.json"].pop("sensor_data"), expected["run.json"].pop("sensor_data")
    messages = [raw.data for raw in open_trace(whole / name)]
    del expected[name]
    expected["run.json"]["config"]["output"]["sensor_data"] = kind
    if kind == "none":
        assert got_name is None
    else:
        assert got_name == name.replace(".osi", f".{kind}")
        assert [raw.data for raw in open_trace(out / got_name)] == messages
        del got[got_name]
    assert got == expected


@pytest.mark.parametrize("n_lost", [pytest.param(1, marks=pytest.mark.slow), 200])
def test_a_table_that_is_cut_anywhere_is_taken_as_far_as_it_is_whole(few, cut, n_lost):
    trace, expected = few
    table = (cut / "frames.csv").read_bytes()
    (cut / "frames.csv").unlink()
    (cut / ".frames.csv.part").write_bytes(table[:-n_lost])
    replay(FrameSource(trace), few_config(), cut, go_on=True)
    assert_alike(cut, expected)


@pytest.mark.parametrize("name", [".tables", "*_sd_*.osi"])
def test_tables_and_messages_that_are_cut_are_taken_as_far_as_they_are_whole(few, cut, name):
    """Clouds and rows of all 20 frames are there; those of the first ones are not made again."""
    trace, expected = few
    (file,) = cut.glob(name)
    data = file.read_bytes()
    file.write_bytes(data[: len(data) // 2])
    clouds = [cut / "noisy" / f"{number:06d}.pcd" for number in (3, 16)]
    before = [cloud.stat().st_mtime_ns for cloud in clouds]
    replay(FrameSource(trace), few_config(), cut, go_on=True)
    assert_alike(cut, expected)
    again = [cloud.stat().st_mtime_ns != then for cloud, then in zip(clouds, before, strict=True)]
    assert again == [False, True]


def test_an_mcap_trace_that_is_cut_is_taken_as_far_as_it_is_whole(few, tmp_path):
    trace, expected = few
    chosen = few_config(output={**OUTPUT, "sensor_data": "mcap"})
    interrupted(trace, tmp_path / "out", 20, chosen)
    (file,) = (tmp_path / "out").glob("*_sd_*.mcap")
    data = file.read_bytes()
    file.write_bytes(data[: len(data) // 2])
    replay(FrameSource(trace), chosen, tmp_path / "out", go_on=True)
    assert_alike_but_for_the_trace(tmp_path / "out", expected, "mcap")


@pytest.mark.parametrize("name", [".tables", "*_sd_*.osi", "frames.csv"])
def test_a_file_that_is_gone_is_made_again(few, cut, name):
    trace, expected = few
    (file,) = cut.glob(name)
    file.unlink()
    replay(FrameSource(trace), few_config(), cut, go_on=True)
    assert_alike(cut, expected)


def test_a_run_that_was_killed_while_it_was_resumed_keeps_the_longer_files(few, cut):
    """It had set aside the files of 20 frames, and copied a few of these frames."""
    trace, expected = few
    (messages,) = cut.glob("*_sd_*.osi")
    names = {
        "frames.csv": (".earlier.csv", ".frames.csv.part"),
        messages.name: (".earlier.osi", messages.name),
        ".tables": (".earlier.tables", ".tables"),
    }
    for name, (aside, begun) in names.items():
        data = (cut / name).read_bytes()
        (cut / name).unlink()
        (cut / aside).write_bytes(data)
        (cut / begun).write_bytes(data[: len(data) // 4])
    cloud = cut / "noisy" / "000016.pcd"
    before = cloud.stat().st_mtime_ns
    replay(FrameSource(trace), few_config(), cut, go_on=True)
    assert_alike(cut, expected)
    assert cloud.stat().st_mtime_ns == before


def test_a_cloud_that_is_missing_is_made_again(few, cut):
    trace, expected = few
    (cut / "turning" / "000007.pcd").unlink()
    replay(FrameSource(trace), few_config(), cut, go_on=True)
    assert_alike(cut, expected)


def test_files_that_a_killed_run_was_writing_are_removed_and_what_is_whole_stays(
    few, cut, of_a_dead_process
):
    trace, expected = few
    before = {path: path.stat().st_mtime_ns for path in cut.rglob("noisy/*.pcd")}
    for name in ("noisy/.000020.pcd", "turning/deskewed/.000020.pcd", ".run.json"):
        (cut / f"{name}.{of_a_dead_process}.part").write_bytes(b"half")
    for name in (".interval-000", ".interval-012", ".stop"):  # it had several processes
        (cut / f"{name}.{of_a_dead_process}.part").write_bytes(b"half")
    replay(FrameSource(trace), few_config(), cut, go_on=True)
    assert_alike(cut, expected)
    again = [path.name for path, then in before.items() if path.stat().st_mtime_ns != then]
    assert len(before) > 5
    assert again in ([], ["000019.pcd"])  # what is whole is not traced again


def test_a_folder_in_which_nothing_has_begun_is_begun(few, tmp_path, of_a_dead_process):
    trace, expected = few
    out = tmp_path / "out"
    (out / "noisy").mkdir(parents=True)
    note(out, ["run.json"], "run")
    (out / f"..run.json.part.{of_a_dead_process}.part").write_text('{"vers')  # it was killed early
    replay(FrameSource(trace), few_config(), out, go_on=True)
    assert_alike(out, expected)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (
            lambda trace: (FrameSource(trace), few_config(seed=8)),
            r"another config \(seed\)",
        ),
        (
            lambda trace: (FrameSource(trace, frames=slice(0, 9)), few_config()),
            r"another input \(frames\)",
        ),
    ],
)
def test_another_run_is_not_mixed_in(few, cut, change, words):
    before = everything(cut)
    source, chosen = change(few[0])
    with pytest.raises(OutputError, match=words):
        replay(source, chosen, cut, go_on=True)
    assert everything(cut) == before


def test_a_run_that_is_complete_is_left_alone(few):
    trace, out = few
    before = everything(out)
    with pytest.raises(OutputError, match="the run is complete"):
        replay(FrameSource(trace), few_config(), out, go_on=True)
    assert everything(out) == before


def test_a_folder_without_a_run_is_refused(few, tmp_path):
    (tmp_path / "theirs.txt").write_text("x")
    with pytest.raises(OutputError, match="contains no run to resume"):
        replay(FrameSource(few[0]), few_config(), tmp_path, go_on=True)
    (tmp_path / "run.json").write_text(json.dumps([1]))
    with pytest.raises(OutputError, match="contains no run to resume"):
        replay(FrameSource(few[0]), few_config(), tmp_path, go_on=True)
