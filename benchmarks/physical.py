# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The physical step of the demo: 16 sub-rays per beam, echoes and a receiver.

python benchmarks/physical.py [--runs N]
"""

import subprocess
import sys
from pathlib import Path

import numpy as np
from bare import BareScan
from measure import THREADS, WARM_UP, Row, main, ratio_row, time_row
from scenes import AT_AN_INSTANT, street_model
from step import stages_of, timed_step

from osi_bridge import FrameDecoder

TITLE = "A physical step of the demo"
ABOUT = """\
The street with OS1-128 at 1024 columns, 131 072 beams of 16 sub-rays. It has its divergence and
window, all echoes, noise and false alarms; a step goes from OSI bytes to SensorData bytes.
The bare loop traces the same 2 097 152 sub-rays right after each step, from one origin and without
anything else. The ideal step has one ray per beam. Memory is the most that a new process has taken
after 20 messages."""
PHYSICAL = {**AT_AN_INSTANT, "fidelity": "physical", "returns": {"mode": "all"}}
STEPS_A_RUN = 3
"""Number of runs requested for each pass over the demo's messages."""
N_MEMORY = 20
"""Messages after which memory is measured."""


def steps(passes):
    """Return the times of physical steps, ideal steps and the bare loop [ms], by name."""
    physical, messages = street_model(PHYSICAL)
    ideal, _ = street_model(AT_AN_INSTANT)
    rows = []
    for _ in range(passes):
        decoders = FrameDecoder("SensorView"), FrameDecoder("SensorView")
        physical.restart()
        ideal.restart()
        for index, data in enumerate(messages):
            row = timed_step(physical, decoders[0], data, index)
            one = timed_step(ideal, decoders[1], data, index)
            if row is None or one is None:  # the host stands still
                continue
            lidar = physical.lidars[0]
            pose = physical.last_scans[lidar.name].end_pose
            rays = np.ascontiguousarray(lidar.shots.rays().direction.T)
            bare = BareScan(physical.world.scene, rays, pose, lidar.max_range_m)
            row["bare loop"] = bare.milliseconds(THREADS)
            row["ideal trace"], row["ideal step"] = one["trace"], one["step"]
            rows.append(row)
    rows = rows[WARM_UP:]
    return {name: [row[name] for row in rows] for name in rows[0]}


def memory_mib(kind):
    """Return the peak memory of a new process that runs one kind of step [MiB]."""
    done = subprocess.run(
        [sys.executable, __file__, "memory", kind], check=True, capture_output=True, text=True
    )
    return float(done.stdout)


def print_memory(kind):
    """Run some steps, and print the peak memory of this process [MiB]."""
    model, messages = street_model(PHYSICAL if kind == "physical" else AT_AN_INSTANT)
    decoder = FrameDecoder("SensorView")
    for index, data in enumerate(messages[:N_MEMORY]):
        model.step(decoder.decode(data, index))
    lines = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
    (peak,) = (line for line in lines if line.startswith("VmHWM"))
    print(int(peak.split()[1]) / 1024.0)


def measure(runs):
    """Return the rows of this topic's table."""
    times = steps(max(1, runs // STEPS_A_RUN))
    parts = [name for name in stages_of(times) if not name.startswith("ideal")]
    more_mib = memory_mib("physical") - memory_mib("ideal")
    return [
        ratio_row(
            "16 sub-rays traced / one ray per beam", times, "trace", "ideal trace", goal=12.0
        ),
        ratio_row("16 sub-rays traced / bare loop", times, "trace", "bare loop", goal=1.15),
        ratio_row("physical step / bare loop", times, "step", "bare loop", goal=1.6),
        *(time_row(f"of which {name}", times[name]) for name in parts),
        ratio_row("physical step / ideal step", times, "step", "ideal step"),
        Row(name="memory beside that of ideal steps", value=more_mib, unit="MiB", goal=120.0),
    ]


if __name__ == "__main__":
    if sys.argv[1:2] == ["memory"]:
        print_memory(sys.argv[2])
    else:
        main(TITLE, ABOUT, measure)
