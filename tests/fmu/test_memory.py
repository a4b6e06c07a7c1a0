# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Freed instances give their memory back."""

import subprocess
import sys

import pytest

from osi_lidar.run.example_scene import street

CYCLES, SETTLED = 200, 20
MOST_GROWTH_BYTES = 20e6


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("build", ["default_fmu", "street_fmu"])
def test_two_hundred_instances_need_no_more_memory_than_twenty(build, request):
    fmu = request.getfixturevalue(build)
    command = [sys.executable, "-m", "tests.fmu.cycles", str(fmu), str(street().trace), str(CYCLES)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    sizes = [int(line) for line in done.stdout.split()]
    assert len(sizes) == CYCLES
    assert sizes[-1] - sizes[SETTLED - 1] < MOST_GROWTH_BYTES
