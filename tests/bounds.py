# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""How long the body of a test may take, by its kind: a test that hangs fails, with its stack."""

import signal
import threading
from functools import cache
from pathlib import Path

import pytest
from numba.core.event import Event, Listener

TESTS = Path(__file__).parent

BOUNDS_S = {"slow": 1800, "process": 900, "unit": 300}
"""Six times and more what the longest unit test (47 s) and test with processes (81 s) took at low
priority beside six busy processes on two cores; alone these are 15 and 30 s.

The longest patience that a test has with a process of its own, 500 s, is shorter, and says more.
"""

WITH_PROCESSES = (
    "fmu", "interop", "lidar_app/batch", "lidar_app/cli", "lidar_app/conformance",
    "lidar_app/datasets", "osi_lidar/live", "osi_lidar/run",
    "raycore/mesh/usd", "scenarios", "test_benchmarks.py", "test_docs.py", "test_gallery.py",
    "test_notebooks.py", "test_packaging.py",
)  # fmt: skip
"""Tests that start processes or servers, or build FMUs, packages, pages and whole scenes.

``make quick`` leaves them out.
"""


def kind_of(item: pytest.Item) -> str:
    """Return the kind of a test, a key of `BOUNDS_S`."""
    if item.get_closest_marker("slow"):
        return "slow"
    starts_some = "subprocess" in vars(item.getparent(pytest.Module).obj)
    return "process" if starts_some or is_with_processes(item.path) else "unit"


@cache
def is_with_processes(file: Path) -> bool:
    """Return whether a file, or its folder, is one of `WITH_PROCESSES`."""
    return any(file.is_relative_to(TESTS / name) for name in WITH_PROCESSES)


class StoppedClock(Listener):
    """Stops the clock of a test while its thread compiles a kernel, or waits for who compiles it.

    Compiled kernels are kept, so which test compiles one is chance, and no fault of the test.
    """

    def __init__(self) -> None:
        self._depth = 0
        self._left_s = 0.0

    def on_start(self, _event: Event) -> None:
        if threading.current_thread() is threading.main_thread():
            if not self._depth:
                self._left_s, _ = signal.setitimer(signal.ITIMER_REAL, 0.0)
            self._depth += 1

    def on_end(self, _event: Event) -> None:
        if threading.current_thread() is threading.main_thread():
            self._depth -= 1
            if not self._depth:
                signal.setitimer(signal.ITIMER_REAL, self._left_s)
