# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Parallel worker processes: a dask cluster on this machine or across machines."""

from __future__ import annotations

import logging
import os
import threading
from concurrent.futures import CancelledError
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any

import numba

from lidar_base.process.interrupts import without_interrupts
from lidar_base.process.threads import set_up_process
from osi_lidar.errors import ClusterError
from osi_lidar.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterator

    from distributed import Client

_ONE_AT_A_TIME = threading.Lock()


def cores() -> int:
    """Return the number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@contextmanager
def cluster(
    *, workers: int | None = None, scheduler: str | None = None, timeout_s: float = 15.0
) -> Iterator[Any]:
    """Yield a client of a dask cluster whose workers all run this version of osi-lidar.

    Parameters
    ----------
    workers : int, optional
        Number of processes of a local cluster; default: one for each core.
    scheduler : str, optional
        Address of an existing cluster, such as ``tcp://host:8786``; default: a local cluster,
        which ends with the block.
    timeout_s : float
        How long to wait for the scheduler, and then for its first worker. [s]

    Raises
    ------
    ClusterError
        If dask is not installed, there is no cluster at the address, its workers run another
        version, or its scheduler goes during the block.
    """
    try:
        from distributed import Client, LocalCluster  # noqa: PLC0415  an extra
    except ImportError:
        raise ClusterError(
            "dask.distributed is not installed: pip install 'osi-lidar[cluster]'"
        ) from None
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    with ExitStack() as stack:
        address: Any = scheduler
        if scheduler is None:
            with without_interrupts():  # the workers inherit it: Ctrl-C is for this process alone
                address = stack.enter_context(
                    LocalCluster(
                        n_workers=workers or cores(),
                        threads_per_worker=1,
                        memory_limit=None,
                        dashboard_address="127.0.0.1:0",  # any port
                        silence_logs=logging.CRITICAL,
                    )
                )
        try:
            client = stack.enter_context(Client(address, timeout=timeout_s))
        except (OSError, ValueError) as error:
            raise ClusterError(f"--scheduler: no dask scheduler at {scheduler}: {error}") from error
        _check_workers(client, scheduler, timeout_s)
        try:
            yield client
        except (CancelledError, OSError) as error:
            if getattr(error, "errno", None) is not None:  # of a file
                raise
            where = scheduler or "local cluster"
            raise ClusterError(
                f"{where}: lost the connection to the dask scheduler; finished jobs are kept"
            ) from error


def n_workers(client: Client) -> int:
    """Return the number of workers of the dask cluster to which ``client`` is connected."""
    return len(client.nthreads())


@contextmanager
def working_alone(threads: int | None) -> Iterator[None]:
    """Run the ``with`` block with a limited number of threads, one such block at a time.

    Parameters
    ----------
    threads : int or None
        Largest number of threads of the block. None: no limit, for a worker of a cluster that
        osi-lidar has not started; the settings of its process stay as they are.
    """
    with _ONE_AT_A_TIME:
        if threads is not None:
            set_up_process()
        before = numba.get_num_threads()
        if threads is not None:
            numba.set_num_threads(min(threads, before))
        try:
            yield
        finally:
            numba.set_num_threads(before)


def version() -> str:
    """Return the version of osi-lidar; a worker that calls this returns its own version."""
    return __version__


def _check_workers(client: Client, scheduler: str | None, timeout_s: float) -> None:
    """Check that the cluster has workers, and that all of them run this version."""
    try:
        client.wait_for_workers(1, timeout=timeout_s)
        found = set(client.run(version).values())
    except TimeoutError:
        where = scheduler or "local cluster"
        raise ClusterError(f"{where}: no dask worker within {timeout_s:g} s") from None
    except Exception as error:  # any error of the import there
        problem = f"{type(error).__name__}: {error}"
        raise ClusterError(f"{scheduler}: osi-lidar cannot be imported there: {problem}") from error
    if found != {version()}:
        raise ClusterError(
            f"{scheduler}: its workers have osi-lidar {', '.join(sorted(found))}, "
            f"expected {version()}"
        )
