# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The memory of a process of our own."""

import platform
import subprocess
import sys

import pytest

FAULTS = """
import resource
import numpy as np
from osi_lidar.memory import keep_memory
def faults_of_other_arrays():
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    [np.ones(2**20) for _ in range(4)]
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before
keep_memory()
print(max([faults_of_other_arrays() for _ in range(20)][5:]))
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="the setting is glibc's")
def test_a_process_of_ours_asks_once_for_the_memory_of_arrays_that_come_and_go():
    """Four arrays are 8192 pages, which would be asked for in each turn without the setting."""
    done = subprocess.run([sys.executable, "-c", FAULTS], capture_output=True, check=True)
    assert int(done.stdout) < 100
