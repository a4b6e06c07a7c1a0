# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""A function on items in processes: results in order, errors as they are, no endless wait."""

import multiprocessing
import os
import signal
import threading
import time

import pytest

from lidar_app.datasets.processes import in_order, number_of
from osi_bridge import DamagedTrace
from osi_lidar.errors import ClusterError
from tests.builders.refusals import damaged

DIED = "a worker process died, perhaps out of memory"
PATIENCE_S = 300  # a test that fails waits forever


def test_errors_come_from_processes_as_they_are(tmp_path):
    with pytest.raises(DamagedTrace, match="damaged at frame 3, byte 7: it is cut") as found:
        list(in_order(damaged, [tmp_path, tmp_path], 2))
    assert (found.value.file, found.value.offset) == (tmp_path, 7)


def test_a_process_that_dies_is_one_line():
    with pytest.raises(ClusterError, match=DIED):
        list(in_order(os._exit, [9, 9], 2))


def test_one_item_is_done_in_this_process():
    made = []
    assert list(in_order(made.append, [1], 8)) == [None]
    assert made == [1]
    assert number_of(1, 8) == 1


def _seen(file):
    """Wait until a file has content; return its text."""
    while not file.is_file() or not file.read_text(encoding="utf-8"):
        time.sleep(0.01)
    return file.read_text(encoding="utf-8")


def _fails_beside_work(item):
    """Raise an error for the item "first", once another one is at work; that one cleans up."""
    number, folder = item
    if number == "first":
        _seen(folder / "begun")
        damaged(folder)
    try:
        (folder / "begun").write_text("yes", encoding="utf-8")
        for _ in range(100 * PATIENCE_S):  # one long sleep misses a signal just before it
            time.sleep(0.01)
    finally:
        os.kill(os.getpid(), signal.SIGTERM)  # who is told twice cleans up all the same
        (folder / "cleaned").write_text("yes", encoding="utf-8")


@pytest.mark.timeout(PATIENCE_S)
def test_after_an_error_the_others_clean_up_and_end(tmp_path):
    with pytest.raises(DamagedTrace):
        list(in_order(_fails_beside_work, [("first", tmp_path), ("second", tmp_path)], 2))
    assert (tmp_path / "cleaned").is_file()


def _told_to_end(_):
    os.kill(os.getpid(), signal.SIGTERM)


@pytest.mark.timeout(PATIENCE_S)
def test_a_process_that_another_one_tells_to_end_has_died():
    with pytest.raises(ClusterError, match=DIED):
        list(in_order(_told_to_end, [1, 2, 3], 2))


def _kills_the_idle_one(item):
    """Kill the process that had the item "first", and has no more to do."""
    number, folder = item
    if number == "first":
        (folder / "process").write_text(str(os.getpid()), encoding="utf-8")
    else:
        idle = int(_seen(folder / "process"))
        time.sleep(0.2)  # it waits for another item
        os.kill(idle, signal.SIGKILL)
    return number


@pytest.mark.timeout(PATIENCE_S)
def test_a_process_that_has_no_more_to_do_may_die(tmp_path):
    items = [("first", tmp_path), ("second", tmp_path)]
    assert list(in_order(_kills_the_idle_one, items, 2)) == ["first", "second"]


def _number_and_process(number):
    time.sleep(0.3 * (number == 0))
    return number, os.getpid()


@pytest.mark.timeout(PATIENCE_S)
def test_results_come_in_order_of_the_items_of_any_number_of_processes():
    found = list(in_order(_number_and_process, range(7), 3))
    assert [number for number, _ in found] == list(range(7))
    processes = {process for _, process in found}
    assert len(processes) == 3
    assert os.getpid() not in processes


@pytest.mark.timeout(PATIENCE_S)
def test_the_first_error_is_told_of_several_and_its_cause_is_its_traceback():
    results = in_order(_is_late_and_fails, [0, 1, 2, 3], 2)
    assert next(results) == 0
    with pytest.raises(ValueError, match="item 1") as found:
        next(results)
    assert "_is_late_and_fails" in str(found.value.__cause__)


def _is_late_and_fails(number):
    time.sleep(0.3 * (number == 1))
    if number:
        raise ValueError(f"item {number}")
    return number


@pytest.mark.timeout(PATIENCE_S)
def test_ctrl_c_ends_the_processes(tmp_path):
    def interrupt():
        _seen(tmp_path / "begun")
        signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)

    threading.Thread(target=interrupt, daemon=True).start()
    with pytest.raises(KeyboardInterrupt):
        list(in_order(_fails_beside_work, [("other", tmp_path), ("other", tmp_path)], 2))
    assert (tmp_path / "cleaned").is_file()
    assert not multiprocessing.active_children()
