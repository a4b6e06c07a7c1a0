# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Run a function on items in processes of this machine; results come in order.

Each process has a pipe of its own. The pools of the standard library share queues between all
processes, and wait forever if one of these ends while it holds the lock of a queue.
"""

from __future__ import annotations

import logging
import multiprocessing
import signal
import traceback
from contextlib import contextmanager, suppress
from multiprocessing.connection import wait
from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar, cast

from lidar_base.process.threads import set_up_process
from osi_lidar.errors import ClusterError
from osi_lidar.run.cluster import cores, working_alone

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from multiprocessing.connection import Connection

Item = TypeVar("Item")
Result = TypeVar("Result")
_END_S = 60.0


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
    left = enumerate(items)
    done: dict[int, _Outcome] = {}
    with _crew(n, work) as crew:
        busy = [each for each in crew if each.takes_one_of(left)]
        for number in range(len(items)):
            while number not in done:
                ready = wait([each.connection for each in busy])
                for worker in [each for each in busy if each.connection in ready]:
                    done[worker.number] = worker.outcome()
                    if not worker.takes_one_of(left):
                        busy.remove(worker)
            yield cast("Result", done.pop(number).result())


class _Outcome(NamedTuple):
    """What became of an item: the result of the function, or its exception and traceback."""

    value: object
    error: Exception | None = None
    trace: str = ""

    def result(self) -> object:
        """Return the result, or raise the exception; its cause is its traceback, as text."""
        if self.error is not None:
            raise self.error from _InWorkerError(self.trace)
        return self.value


class _InWorkerError(Exception):
    """Traceback of an exception in a worker process."""


class _Worker(Generic[Item]):
    """A process that calls a function on each item that it is sent."""

    def __init__(self, work: Callable[[Item], object], threads: int) -> None:
        context = multiprocessing.get_context("spawn")  # threads of kernels do not survive a fork
        self.connection, other = context.Pipe()
        self.process = context.Process(target=_serve, args=(other, work, threads))
        self.process.start()
        other.close()
        self.number = -1

    def takes_one_of(self, left: Iterator[tuple[int, Item]]) -> bool:
        """Send the next item to the process, and keep its number; return False if none is left."""
        for self.number, item in left:
            with suppress(OSError):  # the process has died: `outcome` notices
                self.connection.send(item)
            return True
        return False

    def outcome(self) -> _Outcome:
        """Return what became of the item, once the connection has it."""
        try:
            return _Outcome(*self.connection.recv())
        except (EOFError, OSError):
            raise ClusterError(
                "a worker process died, perhaps out of memory; --workers 1 needs the least memory"
            ) from None


@contextmanager
def _crew(n: int, work: Callable[[Item], object]) -> Iterator[list[_Worker[Item]]]:
    """Yield worker processes; an error in the block ends their work, and the end of it ends them.

    A process that has not ended a minute later is killed.
    """
    crew: list[_Worker[Item]] = []
    try:
        while len(crew) < n:
            crew.append(_Worker(work, max(cores() // n, 1)))
        yield crew
    except BaseException:
        for each in crew:
            each.process.terminate()
        raise
    finally:
        for each in crew:
            each.connection.close()
        for each in crew:
            each.process.join(_END_S)
            each.process.kill()


def _serve(connection: Connection, work: Callable[[Item], object], threads: int) -> None:
    """Answer items until the connection closes: the main function of a worker process.

    It ignores Ctrl-C; the main process sends SIGTERM instead.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, _end)
    logging.getLogger().addHandler(logging.NullHandler())  # run.json tells what matters
    set_up_process()
    with suppress(EOFError, OSError):
        while True:
            connection.send(tuple(_outcome_of(work, connection.recv(), threads)))


def _end(*_: object) -> None:
    """Exit this process by SystemExit, so that the function removes its unfinished files.

    A second SIGTERM must not interrupt that: it is ignored.
    """
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    raise SystemExit


def _outcome_of(work: Callable[[Item], object], item: Item, threads: int) -> _Outcome:
    try:
        with working_alone(threads):
            return _Outcome(work(item))
    except Exception as error:  # noqa: BLE001  it is raised in the main process
        return _Outcome(None, error, traceback.format_exc())
