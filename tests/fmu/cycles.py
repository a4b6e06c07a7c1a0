# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Instantiate, run and free an FMU over and over; print the process's memory after each cycle.

python -m tests.fmu.cycles FMU TRACE CYCLES
"""

import gc
import os
import sys
from itertools import islice
from pathlib import Path

from osi_bridge import open_trace
from tests.fmu.driving import running, step

STEPS = 2


def resident_bytes():
    """Return the memory that the process holds; where Linux says it."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def main(fmu_file, trace, cycles):
    messages = [raw.data for raw in islice(open_trace(trace), STEPS)]
    for _ in range(int(cycles)):
        with running(fmu_file) as fmu:
            for index, data in enumerate(messages):
                assert step(fmu, data, index)
        gc.collect()
        sys.stdout.write(f"{resident_bytes()}\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
