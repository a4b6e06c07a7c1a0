# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Run a function on items in processes of this machine; results come in order."""

from __future__ import annotations

import logging
import multiprocessing
import signal
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from lidar_base.process.threads import set_up_process
from osi_lidar.errors import ClusterError
from osi_lidar.run.cluster import cores, working_alone

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

Item = TypeVar("Item")
Result = TypeVar("Result")


class _State:
    """State of a process: whether it must end."""

    ends = False


def number_of(n_items: int, workers: int | None = None) -> int:
    """Return the number of processes to use: `workers`, else one for each core of this machine.

    It is at least 1, and at most `n_items`.
    """
    return max(min(workers or cores(), n_items), 1)


def in_order(
    work: Callable[[Item], Result], items: Sequence[Item], workers: int | None = None
) -> Iterator[Result]:
    """Call a function on each item, in worker processes; yield the results in order of the items.

    With one worker or one item, the function runs in this process.

    Parameters
    ----------
    work : callable
        A function at module level that takes an item.
    items : sequence
        The items.
    workers : int, optional
        Number of processes; default: one for each core.

    Raises
    ------
    ClusterError
        If a worker process dies. Exceptions of the function are raised as they are.
    """
    n = number_of(len(items), workers)
    if n == 1:
        yield from map(work, items)
        return
    with _processes(n) as pool:
        yield from pool.map(partial(_call, work, max(cores() // n, 1)), items)


@contextmanager
def _processes(n: int) -> Iterator[ProcessPoolExecutor]:
    """Yield a pool of processes; an error in the block ends their work."""
    before = set(multiprocessing.active_children())
    context = multiprocessing.get_context("spawn")  # threads of kernels do not survive a fork
    pool = ProcessPoolExecutor(n, mp_context=context, initializer=_begin)
    try:
        yield pool
    except BrokenProcessPool:
        raise ClusterError(
            "a worker process died, perhaps out of memory; --workers 1 needs the least memory"
        ) from None
    except BaseException:
        for process in set(multiprocessing.active_children()) - before:
            process.terminate()
        raise
    finally:
        pool.shutdown(cancel_futures=True)


def _begin() -> None:
    """Set up a worker process: it ignores Ctrl-C; the main process sends SIGTERM instead."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, _end)
    logging.getLogger().addHandler(logging.NullHandler())  # run.json tells what matters
    set_up_process()


def _end(*_: object) -> None:
    _State.ends = True
    raise SystemExit


def _call(work: Callable[[Item], Result], threads: int, item: Item) -> Result:
    if _State.ends:
        raise SystemExit
    with working_alone(threads):
        return work(item)
