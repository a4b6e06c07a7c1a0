# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Run jobs in the workers of a dask cluster, at most two at a time per worker."""

from __future__ import annotations

import time
import uuid
from concurrent.futures import CancelledError
from contextlib import suppress
from itertools import islice
from typing import TYPE_CHECKING

from lidar_app.batch.processes import Forwarding, WarnOnce
from lidar_app.batch.rows import JobAnswer, failed, waiting, write_row
from osi_lidar.errors import OsiLidarError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from distributed import Client, Future

    from lidar_app.batch.plan import BatchPlan
    from lidar_app.batch.rows import Take
    from lidar_app.batch.table import Job

_LOOK_S = 0.1
_AHEAD = 2  # jobs per worker: the one that runs, and the next


def in_cluster(
    client: Client,
    plan: BatchPlan,
    jobs: Iterable[Job],
    take: Take,
    going: Callable[[], bool],
) -> None:
    """Run jobs in the workers of a cluster; each worker must reach all inputs and outputs.

    Parameters
    ----------
    client : distributed.Client
        Client of a dask cluster, as from `osi_lidar.run.cluster.cluster`.
    plan, jobs : BatchPlan, iterable of Job
        The options that all jobs share, and the jobs. Dask repeats a job whose worker dies.
    take : callable
        Called with the `JobAnswer` of each finished job.
    going : callable
        Called often; returning False ends the batch. Jobs in progress are completed without `take`.
    """
    given = iter(jobs)
    running: dict[str, tuple[Job, Future]] = {}
    topic, warn_once = f"osi-lidar-{uuid.uuid4()}", WarnOnce()
    client.subscribe_topic(topic, lambda event: warn_once(event[1]))
    try:
        while going():
            room = _AHEAD * len(client.nthreads()) - len(running)
            for job in islice(given, max(room, 0)):
                future = client.submit(perform, job, plan, topic, pure=False)
                running[future.key] = job, future
            if not running:
                return
            ended = [key for key, (_, future) in running.items() if future.done()]
            for key in ended:
                _take(plan, *running.pop(key), take)
            if not ended:
                time.sleep(_LOOK_S)
    finally:
        client.cancel([future for _, future in running.values()])
        client.unsubscribe_topic(topic)


def perform(job: Job, plan: BatchPlan, topic: str) -> JobAnswer:
    """Run a job in the dask worker that calls this function, and return its outcome.

    `plan` has the options that all jobs of the batch share. Warnings about bundles that the job
    opens are published on the cluster's topic `topic`.
    """
    from distributed import get_worker

    from lidar_app.batch.work import worker_of
    from lidar_app.bundle import opening

    worker = get_worker()
    handler = Forwarding(lambda text: worker.log_event(topic, text))
    opening.logger.addHandler(handler)
    try:
        return worker_of(plan).perform(job)
    finally:
        opening.logger.removeHandler(handler)


def _take(plan: BatchPlan, job: Job, future: Future, take: Take) -> None:
    """Hand the row of a finished job to `take`; if the job's worker died, the job has failed."""
    try:
        answer: JobAnswer = future.result()
    except CancelledError:  # the scheduler is gone, which is no failure of the job
        raise
    except Exception as error:  # of the cluster; an error of the job is in its row
        words = "its worker died, perhaps because it ran out of memory"
        is_death = type(error).__name__ == "KilledWorker"
        row = failed(waiting(job, plan.options), words if is_death else error)
        with suppress(OsiLidarError):
            write_row(plan.out, row)
        answer = JobAnswer(row, is_new=True)
    take(answer)
