# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Ctrl-C reaches a master in Python as an exception, and its FMU still works."""

import select
import signal
import subprocess
import sys
import time

import pytest

from tests.fmu.native.c_master import NATIVE, needs_cc

N_ROUNDS = 15
MOST_LOST = 2  # Python itself loses one that comes while it deletes an object with a callback
pytestmark = needs_cc


@pytest.mark.parametrize("kind", NATIVE)
def test_interrupt_of_a_master_in_python_is_a_keyboard_interrupt(kind, small_fmus):
    command = [sys.executable, "-m", "tests.fmu.native.interrupted"]
    with subprocess.Popen(
        [*command, str(small_fmus(kind)), str(N_ROUNDS)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        lost = 0
        for index in range(N_ROUNDS):
            assert process.stdout.readline() == "steps\n"
            time.sleep(0.02 + 0.0014 * index)  # at other places of a step
            process.send_signal(signal.SIGINT)
            while not select.select([process.stdout], [], [], 5.0)[0] and lost < MOST_LOST:
                lost += 1
                process.send_signal(signal.SIGINT)
            assert process.stdout.readline() == "interrupted\n"
        rest, problems = process.communicate(timeout=60)
    assert (process.returncode, rest) == (0, "end\n"), problems
