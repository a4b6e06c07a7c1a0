# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""How long a step takes, beside tracing its rays with a bare rtcIntersect16 loop in C.

A step is all from OSI bytes to SensorData bytes and an uncompressed PCD file on disk. Both run in
turn, frame after frame of the demo scenario (OS1-128 at 1024 columns), in one process; only
frames that trace are counted, after the first ones have compiled the kernels.

    python benchmarks/step.py [--rounds N]
"""

import argparse
import ctypes
import subprocess
import tempfile
import time
from pathlib import Path
from statistics import median

import numba
import numpy as np

from osi_bridge import FrameDecoder, open_trace
from osi_lidar import LidarModel, load_config
from osi_lidar.bundled import street
from osi_lidar.memory import keep_memory
from osi_lidar.pcd import write_pcd
from raycore.embree import function_address

STAGES = ("decode", "update", "trace", "respond", "encode", "pcd")
WARM_UP = 3
"""Traced frames that are not counted."""


def bare_loop(folder):
    """Compile the C loop and return its function."""
    library = Path(folder) / "bare_loop.so"
    source = Path(__file__).with_name("bare_loop.c")
    command = ["cc", "-O3", "-march=native", "-shared", "-fPIC", "-fopenmp", "-o", library, source]
    subprocess.run(command, check=True)
    function = ctypes.CDLL(str(library)).bare_trace
    function.restype = ctypes.c_long
    function.argtypes = [ctypes.c_void_p] * 4 + [ctypes.c_float, ctypes.c_long, ctypes.c_int]
    function.argtypes += [ctypes.c_void_p]
    return function


def time_bare(function, model, n_threads):
    """Trace the rays of the model's last scan with the bare loop; return milliseconds."""
    lidar = model.lidars[0]
    pose = model.world.scene.anchor_from_world(model.last_pose(lidar.name))
    origin = pose[:3, 3].astype(np.float32)
    # einsum, not @: the threads of a BLAS library would still be spinning when the clock starts
    direction = np.einsum("ij,kj->ik", lidar.pattern.direction, pose[:3, :3]).astype(np.float32)
    ranges = np.empty(len(direction), np.float32)
    arguments = (
        function_address("rtcIntersect16"),
        model.world.scene.handle,
        origin.ctypes.data,
        direction.ctypes.data,
        lidar.max_range_m,
        len(direction),
        n_threads,
        ranges.ctypes.data,
    )
    began = time.perf_counter()
    function(*arguments)
    return 1e3 * (time.perf_counter() - began)


def time_step(model, decoder, message, index, cloud_file):
    """Run a step; return its milliseconds by stage, or None if nothing was traced."""
    before = model.clock.seconds()
    began = time.perf_counter()
    frame = decoder.decode(message, index)
    decoded = time.perf_counter()
    step = model.step(frame)
    stepped = time.perf_counter()
    after = model.clock.seconds()
    if not step.traced:
        return None
    write_pcd(cloud_file, step.scans[0].cloud.points)
    done = time.perf_counter()
    stages = {stage: after[stage] - before[stage] for stage in STAGES[1:-1]}
    stages |= {"decode": decoded - began, "pcd": done - stepped, "step": done - began}
    return {stage: 1e3 * seconds for stage, seconds in stages.items()}


def run(rounds):
    """Return rows of milliseconds, one per traced frame."""
    scenario = street()
    messages = [message.data for message in open_trace(scenario.trace)]
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        function = bare_loop(folder)
        model = LidarModel(load_config(scenario.config), trace_folder=scenario.trace.parent)
        for _ in range(rounds):
            decoder = FrameDecoder("SensorView")
            for index, message in enumerate(messages):
                cloud_file = Path(folder) / f"{len(rows):06d}.pcd"  # as a run: new files only
                row = time_step(model, decoder, message, index, cloud_file)
                if row is not None:
                    row["bare"] = time_bare(function, model, numba.get_num_threads())
                    row["bare, one thread"] = time_bare(function, model, 1)
                    rows.append(row)
    return rows[WARM_UP:]


def main():
    keep_memory()  # as the command line does
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=3, help="passes over the trace")
    rows = run(parser.parse_args().rounds)
    print(f"{len(rows)} traced frames, {numba.get_num_threads()} threads; medians")
    for stage in (*STAGES, "step", "bare", "bare, one thread"):
        print(f"  {stage:18s} {median(row[stage] for row in rows):8.2f} ms")
    for bare in ("bare", "bare, one thread"):
        ratio = median(row["step"] / row[bare] for row in rows)
        print(f"  step / {bare:18s} {ratio:5.2f}")


if __name__ == "__main__":
    main()
