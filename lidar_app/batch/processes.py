# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Run jobs in processes of this machine. A process that dies is replaced; its job fails."""

from __future__ import annotations

import logging
import multiprocessing
import signal
import threading
from collections import deque
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from typing import TYPE_CHECKING

from lidar_app.batch.rows import JobAnswer, failed, waiting, write_row
from osi_lidar.errors import OsiLidarError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from multiprocessing.context import SpawnProcess

    from lidar_app.batch.plan import BatchPlan
    from lidar_app.batch.rows import Take
    from lidar_app.batch.table import Job

logger = logging.getLogger(__name__)
_LOOK_S = 0.2
_END_S = 20.0
_CLAIM, _ANSWER, _WARNING = "claim", "answer", "warning"


def in_processes(
    plan: BatchPlan,
    jobs: Iterable[Job],
    n_processes: int,
    take: Take,
    going: Callable[[], bool],
) -> None:
    """Run jobs in processes of this machine.

    A process that dies is replaced, and the job that it was running has failed. If the process
    ended by SIGTERM or with exit code 0, the job is queued again instead.

    Parameters
    ----------
    plan : BatchPlan
        Options that all jobs share.
    jobs : iterable of Job
        The jobs. A process gets the next one when it is free.
    n_processes : int
        Largest number of processes; there are never more processes than jobs.
    take : callable
        Called with each `JobAnswer`. An answer without an outcome means that another process is
        making the same outputs; the job is then tried again.
    going : callable
        Called several times a second; returning False ends the batch. Files of unfinished jobs
        stay, so that the next batch can resume them.
    """
    crew = _Crew(plan, deque(jobs), take)
    try:
        for _ in range(min(n_processes, len(crew.jobs))):
            crew.members.append(_Member(plan))
        while crew.hand_out() and going():
            crew.listen()
    finally:
        crew.dismiss()


class Forwarding(logging.Handler):
    """Log handler that sends records of a worker to the process that hands out jobs.

    Parameters
    ----------
    send : callable
        Sends a text to the process that hands out jobs.
    """

    def __init__(self, send: Callable[[str], object]) -> None:
        super().__init__()
        self._send = send

    def emit(self, record: logging.LogRecord) -> None:
        """Send the text of a record; do nothing if the connection is closed by the batch's end."""
        with suppress(OSError):
            self._send(record.getMessage())


class WarnOnce:
    """Callable that logs each text as a warning once, even if several workers send it."""

    def __init__(self) -> None:
        self._logged: set[str] = set()

    def __call__(self, text: str) -> None:
        """Log a text as a warning, unless it has been logged before."""
        if text not in self._logged:
            self._logged.add(text)
            logger.warning("%s", text)


class _Member:
    """A worker process, its connection, and its present job."""

    def __init__(self, plan: BatchPlan) -> None:
        context = multiprocessing.get_context("spawn")  # threads of kernels do not survive a fork
        self.connection, other = context.Pipe()
        self.process: SpawnProcess = context.Process(target=work_for, args=(other, plan))
        self.process.start()
        other.close()
        self.job: Job | None = None
        self.claimed: str | None = None


@dataclass(slots=True)
class _Crew:
    """The worker processes, the queued jobs, and jobs whose outputs another process is making."""

    plan: BatchPlan
    jobs: deque[Job]
    take: Take
    members: list[_Member] = field(default_factory=list)
    held: list[Job] = field(default_factory=list)
    warn_once: WarnOnce = field(default_factory=WarnOnce)

    def hand_out(self) -> bool:
        """Give each free process a job; return whether any process has a job."""
        for member in self.members:
            if member.job is None and self.jobs:
                member.job = self.jobs.popleft()
                with suppress(OSError):  # the process has died: `listen` notices
                    member.connection.send(member.job)
        return any(member.job is not None for member in self.members)

    def listen(self) -> None:
        """Wait a moment for messages of the processes, and handle them."""
        speaking = wait([each.connection for each in self.members], timeout=_LOOK_S)
        for member in [each for each in self.members if each.connection in speaking]:
            try:
                kind, *said = member.connection.recv()
            except (EOFError, OSError):
                self._bury(member)
                continue
            if kind == _CLAIM:
                is_free = all(other.claimed != said[0] for other in self.members)
                member.claimed = said[0] if is_free else None
                with suppress(OSError):
                    member.connection.send(is_free)
            elif kind == _WARNING:
                self.warn_once(said[0])
            else:
                self._take(member, said[0])

    def dismiss(self) -> None:
        """Close all connections, so that processes end after their step; kill them after 20 s."""
        for member in self.members:
            member.connection.close()
        for member in self.members:
            member.process.join(_END_S)
            member.process.kill()

    def _take(self, member: _Member, answer: JobAnswer) -> None:
        """Handle an answer; if it has no row, hold the job back until another job has ended."""
        if answer.outcome is None and member.job is not None:
            self.held.append(member.job)
        self.take(answer)
        self._free(member)

    def _free(self, member: _Member) -> None:
        """Mark a process as free; if it had claimed outputs, queue the held jobs again."""
        member.job = None
        if member.claimed is not None or not any(each.job for each in self.members):
            self.jobs.extendleft(reversed(self.held))
            self.held.clear()
        member.claimed = None

    def _bury(self, member: _Member) -> None:
        """Replace an ended process; after a crash, its job has failed, else it is queued again."""
        member.process.join()
        code = member.process.exitcode or 0
        how = signal.Signals(-code).name if code < 0 else f"exit code {code}"
        if member.job is not None and code in (0, -signal.SIGTERM):
            self.jobs.appendleft(member.job)
        elif member.job is not None:
            row = failed(
                waiting(member.job, self.plan.options),
                f"its process died ({how}), perhaps because it ran out of memory",
            )
            with suppress(OsiLidarError):
                write_row(self.plan.out, row)
            self.take(JobAnswer(row, is_new=True))
        self._free(member)
        member.connection.close()
        self.members[self.members.index(member)] = _Member(self.plan)


def work_for(connection: Connection, plan: BatchPlan) -> None:
    """Run jobs that arrive through a connection, until it closes or SIGTERM arrives.

    This is the main function of a worker process. `connection` leads to the process that hands out
    jobs; each `JobAnswer` is sent back through it. `plan` has the options that all jobs share.
    """
    stop_requested = threading.Event()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the process that hands out jobs
    signal.signal(signal.SIGTERM, lambda *_: stop_requested.set())  # schedulers send it to all
    logging.getLogger().addHandler(logging.NullHandler())  # rows and run.json tell what matters
    from lidar_app.batch.work import worker_of
    from lidar_app.bundle import opening
    from lidar_base.process.threads import set_up_process

    set_up_process()
    from lidar_base.compiled import COMPILING, when_compiling

    opening.logger.addHandler(Forwarding(lambda text: connection.send((_WARNING, text))))
    worker = worker_of(plan)

    def claim(name: str) -> bool:
        try:
            connection.send((_CLAIM, name))
            return bool(connection.recv())
        except (EOFError, OSError):  # the batch has ended
            return False

    def going() -> bool:
        return not (stop_requested.is_set() or connection.poll())

    def compiles() -> None:
        with suppress(OSError):
            connection.send((_WARNING, COMPILING))

    with suppress(EOFError, OSError), when_compiling(compiles):
        while not stop_requested.is_set():
            if connection.poll(_LOOK_S):
                answer = worker.perform(connection.recv(), claim=claim, going=going)
                if answer.outcome is None and stop_requested.is_set():
                    return
                connection.send((_ANSWER, answer))
