# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""How threads wait, and which give way."""

import os
import subprocess
import sys

import pytest

from osi_lidar.output.background import Background
from osi_lidar.threads import LESS_URGENT, LOOKS

SLEEPS_SOON = """
import os
from osi_lidar.threads import sleep_soon
before = dict(os.environ)
sleep_soon()
assert dict(os.environ) == before
import numpy as np
from osi_lidar.response import point_type, spherical
spherical(np.zeros(9, point_type()))
"""
linux = pytest.mark.skipif(sys.platform != "linux", reason="GNU OpenMP and niceness of threads")


def settings_of(**chosen):
    """Return what GNU OpenMP says of its settings, in a process of its own."""
    environment = {name: value for name, value in os.environ.items() if name != "GOMP_SPINCOUNT"}
    environment |= {"OMP_DISPLAY_ENV": "verbose", **chosen}
    done = subprocess.run(
        [sys.executable, "-c", SLEEPS_SOON],
        env=environment,
        capture_output=True,
        check=True,
        text=True,
    )
    return [line.strip() for line in done.stderr.splitlines() if "GOMP_SPINCOUNT" in line]


@linux
def test_waiting_threads_sleep_soon_and_the_environment_stays_as_it_was():
    assert settings_of() == [f"GOMP_SPINCOUNT = '{LOOKS}'"]


@linux
def test_what_the_environment_says_of_waiting_holds():
    assert settings_of(GOMP_SPINCOUNT="77") == ["GOMP_SPINCOUNT = '77'"]


@linux
def test_work_in_the_background_gives_way():
    nice = []
    work = Background(lambda _item: nice.append(os.getpriority(os.PRIO_PROCESS, 0)))
    work.give(1)
    work.close()
    assert nice == [min(os.getpriority(os.PRIO_PROCESS, 0) + LESS_URGENT, 19)]
