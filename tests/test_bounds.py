# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""No test waits for ever, and one that hangs says where."""

import re
import signal
import subprocess
import sys

import pytest
from numba import njit

from lidar_base.dispatchers.own_way import heard
from tests.bounds import BOUNDS_S, TESTS, WITH_PROCESSES, kind_of

HANGS = """
import threading
import pytest

@pytest.mark.timeout(0.5)
def test_hangs():
    threading.Event().wait()

def test_goes_on():
    pass
"""


def test_every_test_has_the_bound_of_its_kind(request):
    for item in request.session.items:
        bounds = [mark.args[0] for mark in item.iter_markers("timeout")]
        assert BOUNDS_S[kind_of(item)] in bounds, item.nodeid
        assert 0 < bounds[0] <= BOUNDS_S["slow"], item.nodeid


def test_clock_of_this_test_runs():
    left_s, _ = signal.getitimer(signal.ITIMER_REAL)
    assert 0 < left_s <= BOUNDS_S["process"]  # this file starts one


def test_clock_stands_while_a_kernel_is_compiled():
    seen_s = []

    def caller():
        return called()

    called = njit(lambda: 1.0)
    with heard(lambda: seen_s.append(signal.getitimer(signal.ITIMER_REAL)[0])):
        njit(caller)()
    assert seen_s == [0.0, 0.0]
    assert signal.getitimer(signal.ITIMER_REAL)[0] > 0


@pytest.mark.long
@pytest.mark.parametrize("workers", ["-n0", "-n1"])
def test_test_that_hangs_fails_with_its_stack_and_the_next_runs(workers, tmp_path):
    file = tmp_path / "test_hanging.py"
    file.write_text(HANGS, encoding="utf-8")
    options = ["-q", workers, "-p", "no:cacheprovider", "-c", TESTS.parent / "pyproject.toml"]
    command = [sys.executable, "-m", "pytest", *options, "--rootdir", tmp_path, file]
    run = subprocess.run(command, check=False, capture_output=True, text=True)
    assert "1 failed, 1 passed" in run.stdout
    assert "Timeout (>0.5s)" in run.stdout
    assert re.search(r"^> +threading.Event\(\).wait\(\)", run.stdout, re.MULTILINE)


def test_make_quick_leaves_out_what_starts_processes():
    makefile = (TESTS.parent / "Makefile").read_text(encoding="utf-8")
    (told,) = re.findall(r"^NOT_QUICK := (.*?[^\\])$", makefile, re.MULTILINE | re.DOTALL)
    assert re.findall(r"tests/(\S+)", told) == list(WITH_PROCESSES)
    assert all((TESTS / name).exists() for name in WITH_PROCESSES)
