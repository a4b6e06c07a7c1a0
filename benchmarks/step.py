# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Time of a step, compared with tracing its rays by a bare rtcIntersect loop in C.

python benchmarks/step.py [--runs N]
"""

import os
import shutil
import tempfile
import time
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from statistics import median

import numpy as np
from bare import BareScan
from measure import THREADS, WARM_UP, alternate, main, ratio_row, time_row
from scenes import AT_AN_INSTANT, sensors, street_model, street_there_and_back

from osi_bridge import FrameDecoder
from osi_lidar import FrameSource, load_config, replay
from osi_lidar.run.example_scene import street

TITLE = "A whole step of the demo"
ABOUT = """\
From the bytes of an OSI message to the bytes of SensorData: the street with OS1-128 at 1024
columns. The demo has materials, incidence, range limit by reflectivity, object ids and normals.
Rolling shutter, motion blur and noise are off, except in the lines that name them or say
"everything". Only frames that are traced are counted; the bare loop traces the same rays right
after each of them.

Steps with files are whole runs of `osi_lidar.replay`, as made by `osi-lidar replay`: the host
drives there and back through the street, and the time per step is that from message 10 until the
folder is complete. Before each run, earlier files are flushed to disk, and as much memory as the
run will write is allocated and freed: a virtual machine has to ask its host for it, which can take
longer than the step. Two of the lines are also measured with files in memory (/dev/shm). The bare
loop traces as many scans after each run."""
NOT_OF_A_STEP = {"read", "write", "total"}
"""Entries of the model's clock that are not stages of a step."""
STEPS_A_RUN = 3
"""Number of runs requested for each pass over the demo's messages."""
IN_MEMORY = Path("/dev/shm")  # noqa: S108  file system in memory on Linux
WRITTEN_BY_A_RUN = 2**29  # upper bound [bytes]
COUNTED_FROM = 10
"""Message of a replay at which the clock starts."""
NOISE = {
    "range_sigma_m": 0.02,
    "range_bias_sigma_m": 0.01,
    "azimuth_sigma_deg": 0.01,
    "elevation_sigma_deg": 0.01,
    "drop_probability": 0.01,
}
IN_TIME = {"rolling_shutter": True, "motion_blur": True}
RANGE_NOISE = {name: NOISE[name] for name in ("range_sigma_m", "range_bias_sigma_m")}


def bare_scan(model, pose):
    """Return the rays of the model's first sensor at a pose, for the bare loop."""
    lidar = model.lidars[0]
    return BareScan(model.world.scene, lidar.pattern.direction, pose, lidar.max_range_m)


def timed_step(model, decoder, data, index):
    """Run a step; return its times, in total and by stage [ms]; None if nothing was traced."""
    before = model.clock.seconds()
    began = time.perf_counter()
    frame = decoder.decode(data, index)
    decoded = time.perf_counter()
    step = model.step(frame)
    done = time.perf_counter()
    after = model.clock.seconds()
    if not step.traced:
        return None
    parts = {"step": done - began, "decode": decoded - began}
    parts |= {stage: after[stage] - before[stage] for stage in after.keys() - NOT_OF_A_STEP}
    return {name: 1e3 * seconds for name, seconds in parts.items()}


def steps_in_memory(passes, changes):
    """Return lists of times [ms], by name: the traced steps, their stages, and the bare loop."""
    model, messages = street_model(changes)
    rows = []
    for _ in range(passes):
        model.restart()
        decoder = FrameDecoder("SensorView")
        for index, data in enumerate(messages):
            row = timed_step(model, decoder, data, index)
            if row is not None:
                scan = bare_scan(model, model.last_scans[model.lidars[0].name].end_pose)
                row["bare loop"] = scan.milliseconds(THREADS)
                rows.append(row)
    rows = rows[WARM_UP:]
    return {name: [row[name] for row in rows] for name in rows[0]}


def stages_of(times):
    """Return the names of the stages of a step, the slowest first."""
    stages = times.keys() - {"step", "bare loop"}
    return sorted(stages, key=lambda stage: -median(times[stage]))


def settle():
    """Flush all files to disk, and allocate and free as much memory as a run's files take."""
    os.sync()
    np.ones(WRITTEN_BY_A_RUN, np.uint8)


class Replay:
    """Runs of `replay`, each into a new folder that is deleted afterwards.

    Parameters
    ----------
    trace : Path
        The messages.
    changes : dict
        Changes to the demo's configuration.
    folder : Path
        Parent folder of the runs.
    """

    def __init__(self, trace, changes, folder):
        scenario = street()
        changes = {**changes, ("scene", "search"): [str(scenario.trace.parent)]}
        self._config = load_config(scenario.config, changes=changes)
        self._trace, self._folder = trace, folder
        self._began = 0.0
        self._n_steps = 0

    def milliseconds(self, number):
        """Run once; return the time per step [ms]."""
        out = self._folder / f"run_{number}"
        settle()
        report = replay(FrameSource(self._trace), self._config, out, on_step=self._on_step)
        done = time.perf_counter()
        n_steps = report.content["frames_read"] - COUNTED_FROM
        if report.status != "complete" or report.content["frames_unchanged"]:
            raise RuntimeError("a replay reused old clouds, expected each message to be traced")
        shutil.rmtree(out)
        return 1e3 * (done - self._began) / n_steps

    def _on_step(self, progress):
        if progress.frames_read == COUNTED_FROM:
            self._began = time.perf_counter()
        return True


def bare_run(scans, _number):
    """Trace scans with the bare loop, one after the other; return the median time [ms]."""
    return median(scan.milliseconds(THREADS) for scan in scans)


@contextmanager
def memory_folder():
    """Yield a temporary folder in memory; None on systems without such a file system."""
    if not IN_MEMORY.is_dir():
        yield None
        return
    with tempfile.TemporaryDirectory(dir=IN_MEMORY) as folder:
        yield Path(folder)


def scans_along(trace):
    """Return the rays of every fourth scan of a trace, in the scene of the last scan."""
    model, _ = street_model(AT_AN_INSTANT)
    poses = []
    for frame in FrameSource(trace):
        model.step(frame)
        poses.append(model.last_scans[model.lidars[0].name].end_pose)
    return [bare_scan(model, pose) for pose in poses[1::4]]


def replays(runs, folder, in_memory):
    """Return the rows about steps that write files, on disk and in memory."""
    trace = street_there_and_back(folder)
    files = {("output", "sensor_data"): "none"}
    compressed = {("output", "pcd"): "binary_compressed", **files}
    kinds = {
        "with PCD": {**sensors(AT_AN_INSTANT), **files},
        "with PCD and SensorData": sensors(AT_AN_INSTANT),
        "with range noise": {**sensors({**IN_TIME, "noise": RANGE_NOISE}), **compressed},
        "with everything": {**sensors({**IN_TIME, "noise": NOISE}), **compressed},
    }
    calls = {name: Replay(trace, changes, folder).milliseconds for name, changes in kinds.items()}
    calls |= {
        f"{name} in memory": Replay(trace, kinds[name], in_memory).milliseconds
        for name in ("with PCD", "with everything")
        if in_memory is not None
    }
    calls["bare loop"] = partial(bare_run, scans_along(trace))
    times = alternate(calls, runs=runs, warm_up=1)
    row = partial(ratio_row, times=times, to="bare loop")
    of_memory = [
        row(f"{name} / bare loop", of=name) for name in calls if name.endswith("in memory")
    ]
    return [
        row("with an uncompressed PCD on disk / bare loop", of="with PCD", goal=2.2),
        row("with PCD and SensorData on disk / bare loop", of="with PCD and SensorData"),
        row(
            "with rolling shutter, motion blur, range noise and compressed PCD / bare loop",
            of="with range noise",
            goal=4.0,
        ),
        row(
            "the same with errors of direction and dropouts as well / bare loop",
            of="with everything",
            goal=4.0,
        ),
        *of_memory,
    ]


def measure(runs):
    """Return the rows of this topic's table."""
    passes = -(-runs // STEPS_A_RUN)
    times, in_time = (steps_in_memory(passes, each) for each in (AT_AN_INSTANT, IN_TIME))
    whole = ratio_row(
        "OSI bytes to SensorData bytes / bare loop", times, "step", "bare loop", goal=1.8
    )
    stages = [time_row(f"  of which {name}", times[name]) for name in stages_of(times)]
    moving = ratio_row(
        "the same with rolling shutter and motion blur / bare loop", in_time, "step", "bare loop"
    )
    with tempfile.TemporaryDirectory() as folder, memory_folder() as in_memory:
        return [whole, *stages, moving, *replays(runs, Path(folder), in_memory)]


if __name__ == "__main__":
    main(TITLE, ABOUT, measure)
