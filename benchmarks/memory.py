# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Growth of memory over many steps: the crowd, with the resident memory read every 1000 steps.

python benchmarks/memory.py [--runs STEPS]
"""

import sys
import time
from itertools import islice

from measure import Row, figure, main
from scenes import AT_AN_INSTANT, VLP_16, crowd_messages, crowd_model
from sizes import resident_bytes

from osi_bridge import FrameDecoder

TITLE = "Memory over many steps"
ABOUT = """\
A VLP-16 in the crowd of 1000 cars that drive there and back; each step goes from the bytes of
GroundTruth to those of SensorData."""
N_OBJECT = 1000
N_MESSAGE = 100
FIRST = 1000
"""Step whose memory is compared with that of the last step; at most a tenth of all steps."""
MB = 1e-6


def measure(n_step):
    """Return the rows of this topic's table."""
    model, decoder = crowd_model({**VLP_16, **AT_AN_INSTANT}), FrameDecoder("GroundTruth")
    first, seen, began = min(FIRST, n_step // 10), {}, time.perf_counter()
    for number, data in enumerate(islice(crowd_messages(N_OBJECT, N_MESSAGE), n_step), start=1):
        model.step(decoder.decode(data, number - 1))
        if number in {first, n_step} or number % 1000 == 0:
            seen[number] = MB * resident_bytes()
        if number % 10_000 == 0:
            print(f"step {number}: {seen[number]:.1f} MB", file=sys.stderr, flush=True)
    taken_ms = 1e3 * (time.perf_counter() - began) / n_step
    return [
        Row(
            name=f"resident memory: step {figure(n_step)} minus step {figure(first)}",
            value=seen[n_step] - seen[first],
            unit="MB",
            goal=20.0,
            detail=f"{seen[first]:.1f} MB, {seen[n_step]:.1f} MB; "
            f"highest of {len(seen)} readings {max(seen.values()):.1f} MB",
        ),
        Row(name="  a step, on average", value=taken_ms, unit="ms"),
    ]


if __name__ == "__main__":
    main(TITLE, ABOUT, measure)
