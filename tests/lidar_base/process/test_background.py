# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Results are written beside the tracing: the same bytes, in the same order, or one error."""

import csv
import errno
import gc
import io
import json
import threading
import time
import weakref
from functools import partial

import pytest

from lidar_base.process.background import MOST_WAITING, Background
from osi_lidar import OutputError
from osi_lidar.output import point_clouds, run_folder
from osi_lidar.output.frame_table import FrameTable
from osi_lidar.output.run_folder import RunFolder
from osi_lidar.run.frame_source import FrameSource
from osi_lidar.run.journal import Journal
from osi_lidar.run.replay import replay
from osi_lidar.run.report import Progress
from tests.builders.messages import Thing, frames, host
from tests.builders.runs import write_worlds
from tests.builders.worlds import config, steps
from tests.osi_lidar.live.streams import PATIENCE_S, until
from tests.osi_lidar.run.cluster_helpers import everything

N_FRAMES = 12
SOON_S = 15
"""Where a thread that keeps its error lets others wait for ever; these tests take milliseconds."""


class Gate:
    """Work that waits until it is let go, and notes what it has done."""

    def __init__(self, failing=None):
        self.open, self.done, self.failing = threading.Event(), [], failing

    def __call__(self, item):
        assert self.open.wait(PATIENCE_S)
        if item == self.failing:
            raise OSError("no room")
        self.done.append(item)


def test_items_are_done_in_their_order_on_one_other_thread():
    threads = set()
    done = []
    background = Background(lambda item: (threads.add(threading.get_ident()), done.append(item)))
    for item in range(100):
        background.give(item)
    background.close()
    assert done == list(range(100))
    assert len(threads) == 1
    assert threading.get_ident() not in threads


def test_who_gives_too_much_waits_for_room():
    gate, given = Gate(), []
    background = Background(gate)

    def give_all():
        for item in range(MOST_WAITING + 4):
            background.give(item)
            given.append(item)

    giver = threading.Thread(target=give_all, daemon=True)
    giver.start()
    until(lambda: len(given) == MOST_WAITING + 1, "there is no room")
    time.sleep(0.05)
    assert len(given) == MOST_WAITING + 1
    gate.open.set()
    giver.join(PATIENCE_S)
    background.close()
    assert gate.done == given == list(range(MOST_WAITING + 4))


@pytest.mark.timeout(SOON_S)
def test_an_error_ends_the_work_and_is_raised_where_the_next_item_is_given():
    gate = Gate(failing=1)
    background = Background(gate)
    for item in range(3):
        background.give(item)
    gate.open.set()
    until(lambda: background.undone == (1, 2), "the work has ended")
    for _ in range(MOST_WAITING + 3):
        with pytest.raises(OSError, match="no room"):
            background.give(9)
    background.flush()  # it is told already
    background.close()
    assert gate.done == [0]
    assert background.undone == (1, 2)


@pytest.mark.parametrize("end", [Background.flush, Background.close])
def test_an_error_of_the_last_item_is_raised_at_the_end_and_once(end):
    gate = Gate(failing=0)
    gate.open.set()
    background = Background(gate)
    background.give(0)
    with pytest.raises(OSError, match="no room"):
        end(background)
    background.close()


@pytest.mark.timeout(SOON_S)
def test_who_waits_for_room_is_told_of_an_error_next_time():
    gate = Gate(failing=0)
    background = Background(gate)
    for item in range(MOST_WAITING + 1):
        background.give(item)
    giver = threading.Thread(target=background.give, args=(7,), daemon=True)
    giver.start()
    gate.open.set()
    giver.join(PATIENCE_S)
    assert not giver.is_alive()
    with pytest.raises(OSError, match="no room"):
        background.close()
    assert background.undone in ((0, 1, 2, 7), (0, 1, 2))


def test_work_goes_on_after_a_flush():
    gate = Gate()
    gate.open.set()
    background = Background(gate)
    for item in range(3):
        background.give(item)
        background.flush()
        assert gate.done[-1] == item
    background.close()


def test_nothing_is_kept_of_an_item_that_is_done():
    class Item:
        pass

    background, item = Background(lambda _: None), Item()
    gone = weakref.ref(item)
    background.give(item)
    del item
    background.close()
    gc.collect()
    assert gone() is None


def test_the_thread_of_what_nobody_closes_ends_by_itself():
    threads = []
    background = Background(lambda _: threads.append(threading.current_thread()))
    background.give(0)
    background.flush()
    del background
    gc.collect()
    threads[0].join(PATIENCE_S)
    assert not threads[0].is_alive()


@pytest.fixture
def trace(tmp_path):
    worlds = [[host(), Thing(2, (15.0 + i // 2, 0.0, 0.75))] for i in range(N_FRAMES)]
    return write_worlds(tmp_path / "20260102T030405Z_sv_380_7362_12_moving.osi", worlds)


class AtOnce(Background):
    """Does all work where it is given."""

    def give(self, item):
        self._work(item)


OUTPUTS = [
    {"pcd": "binary"},
    {"pcd": "binary_compressed", "motion": "text"},
    {"pcd": "ascii", "ground_truth": True},
]


@pytest.mark.long
@pytest.mark.parametrize("output", OUTPUTS)
def test_results_are_those_of_writing_at_once(trace, tmp_path, monkeypatch, output):
    if "ground_truth" in output:
        pytest.importorskip("pyarrow")
    chosen = config(output=output)
    report = replay(FrameSource(trace), chosen, tmp_path / "behind")
    monkeypatch.setattr(run_folder, "Background", AtOnce)
    expected = replay(FrameSource(trace), chosen, tmp_path / "at_once")
    got, wanted = everything(tmp_path / "behind"), everything(tmp_path / "at_once")
    assert got == wanted
    assert len(got) > N_FRAMES // 2
    assert report.content["points"] == expected.content["points"]


def test_a_row_is_written_when_its_clouds_are_there(trace, tmp_path, monkeypatch):
    write, add, seen = point_clouds.write_pcd, RunFolder.add, []

    def slowly(*arguments, **pose):
        time.sleep(0.02)
        write(*arguments, **pose)

    def after_clouds(folder, rows, *arguments):
        seen.extend((folder.path / row[5]).is_file() for row in rows)
        add(folder, rows, *arguments)

    monkeypatch.setattr(point_clouds, "write_pcd", slowly)
    monkeypatch.setattr(RunFolder, "add", after_clouds)
    replay(FrameSource(trace), config(), tmp_path / "out")
    assert seen == N_FRAMES * [True]


@pytest.mark.long
@pytest.mark.parametrize("n_clouds", [0, 1, 3, N_FRAMES // 2 - 1])
@pytest.mark.parametrize("delay_s", [0.0, 0.05], ids=["at once", "slowly"])
def test_a_cloud_that_cannot_be_written_ends_a_run_whose_counters_add_up(
    trace, tmp_path, monkeypatch, n_clouds, delay_s
):
    write, written = point_clouds.write_pcd, []

    def until_the_disk_is_full(path, *arguments, **pose):
        time.sleep(delay_s)
        if len(written) == n_clouds:
            raise OutputError(f"{path}: cannot be written: No space left on device")
        write(path, *arguments, **pose)
        written.append(path.name)

    monkeypatch.setattr(point_clouds, "write_pcd", until_the_disk_is_full)
    out = tmp_path / "out"
    with pytest.raises(OutputError, match=f"{2 * n_clouds:06d}.pcd: cannot be written: No space"):
        replay(FrameSource(trace), config(), out)
    assert sorted(path.name for path in (out / "front").iterdir()) == written
    content = json.loads((out / "run.json").read_text())
    with (out / "frames.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert (content["status"], content["complete"]) == ("failed", False)
    assert content["frames_read"] == len(rows) == 2 * n_clouds
    assert content["frames_traced"] == sum(row["traced"] == "1" for row in rows) == n_clouds
    assert content["points"] == sum(int(row["points"]) for row in rows if row["traced"] == "1")
    assert not list(out.rglob("*.part"))


@pytest.mark.parametrize("n_written", range(7))
def test_counts_without_the_steps_that_are_not_written_are_those_before_them(n_written):
    worlds = [[host(), Thing(2, (20.0 + k // 3, 0.0, 0.75))] for k in range(6)]
    (_, done), answered = steps(worlds), frames(worlds)
    assert [step.traced for step in done] == [True, False, False] * 2
    every, written = Progress(), Progress()
    for n, (frame, step) in enumerate(zip(answered, done, strict=True)):
        every.count(frame, step)
        if n < n_written:
            written.count(frame, step)
    every.take_back(done[n_written:])
    for name in ("frames_read", "frames_traced", "points"):
        assert getattr(every, name) == getattr(written, name)


class FullDisk(io.BytesIO):
    def write(self, _data):
        raise OSError(errno.ENOSPC, "No space left on device")


def test_a_row_that_cannot_be_written_ends_a_run(trace, tmp_path, monkeypatch):
    add, rows_of_steps = FrameTable.add, []

    def fails_once(table, rows):
        rows_of_steps.append(rows)
        (FullDisk().write if len(rows_of_steps) == 3 else partial(add, table))(rows)

    monkeypatch.setattr(FrameTable, "add", fails_once)
    with pytest.raises(OutputError, match="out: cannot be written: No space left on device"):
        replay(FrameSource(trace), config(), tmp_path / "out")


def test_a_journal_that_cannot_be_written_tells_its_worker(tmp_path):
    a_config = config(output={"pcd": "none"})
    _, (step,) = steps([[host()]], a_config)
    journal = Journal(FullDisk(), tmp_path, a_config)
    with pytest.raises(OSError, match="No space"), journal:
        journal.write(step)
    assert journal.unwritten == (step,)


def test_an_interrupt_while_much_waits_leaves_all_that_was_answered(trace, tmp_path, monkeypatch):
    write = point_clouds.write_pcd

    def slowly(*arguments, **pose):
        time.sleep(0.05)
        write(*arguments, **pose)

    def interrupt(progress):
        if progress.frames_read == 7:
            raise KeyboardInterrupt
        return True

    monkeypatch.setattr(point_clouds, "write_pcd", slowly)
    out = tmp_path / "out"
    with pytest.raises(KeyboardInterrupt):
        replay(FrameSource(trace), config(), out, on_step=interrupt)
    content = json.loads((out / "run.json").read_text())
    assert (content["status"], content["frames_read"]) == ("interrupted", 7)
    assert len((out / "frames.csv").read_text().splitlines()) == 1 + 7
    assert sorted(path.stem for path in (out / "front").iterdir()) == [
        f"{n:06d}" for n in range(0, 7, 2)
    ]
    assert not list(out.rglob("*.part"))


def test_answers_do_not_wait_for_the_disk(trace, tmp_path, monkeypatch):
    """The first frames are answered while the first cloud is still being written."""
    gate, read, write = threading.Event(), [], point_clouds.write_pcd

    def blocked(*arguments, **pose):
        assert gate.wait(PATIENCE_S)
        write(*arguments, **pose)

    def look(progress):
        read.append(gate.is_set())
        if progress.frames_read == MOST_WAITING + 1:
            gate.set()
        return True

    monkeypatch.setattr(point_clouds, "write_pcd", blocked)
    replay(FrameSource(trace), config(), tmp_path / "out", on_step=look)
    assert read == (MOST_WAITING + 1) * [False] + (N_FRAMES - MOST_WAITING - 1) * [True]
