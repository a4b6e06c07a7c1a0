# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Fixtures that every test folder uses."""

import gc
import os
import signal
import subprocess
import sys
from collections.abc import Generator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import typer.testing
from hypothesis import HealthCheck, settings
from numba.core.event import register
from typer.main import get_command

from lidar_base.files.unfinished import machine
from lidar_base.process.threads import LOOKS
from tests.bounds import BOUNDS_S, StoppedClock, kind_of
from tests.builders.files import written
from tests.builders.messages import framed, moving
from tests.builders.threads import kernel_threads
from tests.builders.worlds import SENSOR

REPOSITORY = Path(__file__).resolve().parents[1]

# of this process and those that tests start: threads that wait for a kernel sleep soon, so that
# tests side by side do not keep the cores from each other; OpenMP reads it when it is loaded
os.environ.setdefault("GOMP_SPINCOUNT", str(LOOKS))

# a suite that nohup starts from a shell ignores interrupts, as would all processes of its tests
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# no test fails because the machine is busy
settings.register_profile("osi-lidar", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("osi-lidar")

# all commands with their options, which take longer to build than most tests of one
typer.testing._get_command = cache(get_command)

register("numba:compiler_lock", StoppedClock())


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Take no garbage while tests are collected, and leave what they hold out of each later search.

    That halves the time of collecting, and what the process needs to end.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        gc.freeze()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Bound every test by its kind; a bound of its own goes first."""
    for item in items:
        item.add_marker(pytest.mark.timeout(BOUNDS_S[kind_of(item)]))


@pytest.fixture(scope="session", autouse=True)
def _caches_of_their_own(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Let no test, nor a process that one starts, use the caches of the user."""
    os.environ["OSI_LIDAR_CACHE"] = str(tmp_path_factory.mktemp("osi-lidar-cache"))


@pytest.fixture(scope="session", autouse=True)
def _threads_of_its_own() -> Generator[None, object, None]:
    """Share the cores among the processes that run tests side by side.

    Two threads for each core would wait for each other at the end of every kernel. A test of
    threads says how many it uses.
    """
    n_processes = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    with kernel_threads(max(1, (os.cpu_count() or 1) // n_processes)):
        yield


@pytest.fixture(scope="session")
def real_data() -> Path:
    """Return the folder of real traces, meshes and scans; skip where it is absent."""
    folder = Path(os.environ.get("OSI_LIDAR_DATA", REPOSITORY.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip(f"real data not found at {folder} (set OSI_LIDAR_DATA)")
    return folder.resolve()


@pytest.fixture
def config(tmp_path: Path) -> Path:
    """Return the file of a small configuration."""
    return written(tmp_path / "config.yaml", SENSOR)


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    """Return the file of a short trace."""
    return written(tmp_path / "trace.osi", framed(moving()))


@pytest.fixture
def of_a_dead_process() -> str:
    """Return what marks the unfinished files of a process that has ended."""
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return f"{machine()}-{process.pid}-7"


@pytest.fixture
def memory() -> Generator[Any, None, None]:
    """Give the files in the memory of this process: a bucket, empty before and after."""
    fsspec = pytest.importorskip("fsspec", reason="fsspec is not installed")
    files = fsspec.filesystem("memory")
    files.store.clear()
    yield files
    files.store.clear()
