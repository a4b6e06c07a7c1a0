# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""No call of either standard ends the process, whatever the order and the arguments."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.fmu.native.c_master import NATIVE, kinds, needs_cc

ROOT = Path(__file__).resolve().parents[3]
pytestmark = needs_cc


@kinds(NATIVE)
@pytest.mark.parametrize("n_calls", [300, pytest.param(10_000, marks=pytest.mark.slow)])
def test_random_calls_never_end_the_process(small_master, tmp_path, n_calls):
    master = small_master
    words = [master.fmi, master.library, master.resources, master.keys["token"], n_calls]
    command = [sys.executable, "-m", "tests.fmu.native.random_calls", *map(str, words)]
    done = subprocess.run(
        command,
        cwd=tmp_path,  # a random text may name a folder for output
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    )
    assert done.returncode == 0, done.stderr[-4000:]
    (line,) = done.stdout.splitlines()  # else a line of the log is not as it should be
    n_done, n_ok = map(int, re.match(r"(\d+) calls, (\d+) with", line).groups())
    assert n_done >= n_calls
    assert n_ok > n_done / 50  # not all are refused
    assert not [each for each in done.stderr.splitlines() if "internal error" in each]
