# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Memory of a small model beside busy cores: resident memory every 250 steps.

    python benchmarks/soak.py [--layer omp|tbb|workqueue] [--steps N] [--busy N]

Some threading layers take memory only where other programs keep the cores busy, so this program
starts endless loops beside the model. It fails if memory grows by more than 5 MB after step 500.
"""

import argparse
import subprocess
import sys
from contextlib import contextmanager
from itertools import islice

import numba
from scenes import VLP_16, crowd_messages, crowd_model
from sizes import resident_bytes

from lidar_base.compiled import LAYERS
from lidar_base.process.threads import set_up_process, threads_in_words
from osi_bridge import FrameDecoder

STEPS = 6000
BUSY = 8
EVERY, SETTLED = 250, 500
MOST_GROWTH_MB = 5.0
N_OBJECT, N_MESSAGE = 20, 50


@contextmanager
def busy_loops(number):
    """Keep ``number`` cores busy within the block (or all, if there are fewer)."""
    command = [sys.executable, "-c", "while True: pass"]
    loops = [subprocess.Popen(command) for _ in range(number)]
    try:
        yield
    finally:
        for each in loops:
            each.kill()
            each.wait()


def soak(steps):
    """Run the steps, print the resident memory, and return its growth after step 500. [MB]"""
    model, decoder = crowd_model(VLP_16), FrameDecoder("GroundTruth")
    print(f"{threads_in_words()}, {steps} steps", flush=True)
    seen_mb = {}
    for number, data in enumerate(islice(crowd_messages(N_OBJECT, N_MESSAGE), steps), start=1):
        model.step(decoder.decode(data, number - 1))
        if number % EVERY == 0 or number == steps:
            seen_mb[number] = 1e-6 * resident_bytes()
            print(f"step {number}: {seen_mb[number]:.1f} MB", flush=True)
    return seen_mb[steps] - seen_mb[SETTLED]


def main():
    """Run the soak test; fail if memory grows too much."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--layer", choices=LAYERS, help="threading layer of numba; default: as osi-lidar chooses"
    )
    parser.add_argument("--steps", type=int, default=STEPS, help="number of steps, more than 500")
    parser.add_argument(
        "--busy", type=int, default=BUSY, help="number of busy loops that run beside the model"
    )
    arguments = parser.parse_args()
    if arguments.steps <= SETTLED:
        parser.error(f"--steps: got {arguments.steps}, expected more than {SETTLED}")
    if arguments.layer:
        numba.config.THREADING_LAYER = arguments.layer  # before the first kernel runs
    set_up_process()
    with busy_loops(arguments.busy):
        growth_mb = soak(arguments.steps)
    print(f"growth after step {SETTLED}: {growth_mb:.1f} MB, at most {MOST_GROWTH_MB:g} MB")
    sys.exit(int(growth_mb > MOST_GROWTH_MB))


if __name__ == "__main__":
    main()
