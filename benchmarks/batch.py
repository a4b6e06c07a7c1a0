# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""A batch of small traces: time per job beside the run, two shards beside one, start, and kills.

    python benchmarks/batch.py FOLDER [--jobs N] [--kills N] [--truth]

The traces are 10 messages of two cars, and the sensor has 976 rays. Shards have one process and one
core each (Linux). `--kills N` kills a batch N times with SIGKILL, at random moments, and compares
all outputs with those of an undisturbed one.
"""

import argparse
import csv
import json
import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path
from statistics import mean, quantiles

import numpy as np
import pyarrow.parquet as pq

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.builders.batches import outputs
from tests.builders.messages import Thing, host
from tests.builders.runs import GRID, write_worlds

N_FRAMES = 10
N_ROWS = 10_000
LONGEST_S = 30.0


def write_inputs(folder, n_jobs):
    """Write traces and a configuration (as JSON, which is valid YAML)."""
    (folder / "traces").mkdir(parents=True, exist_ok=True)
    for number in range(n_jobs):
        worlds = [
            [host(x_m=0.5 * k), Thing(7, (12.0 + 0.01 * number, 1.0, 0.75)), Thing(8, (20, -3, 1))]
            for k in range(N_FRAMES)
        ]
        write_worlds(folder / "traces" / f"drive{number:05d}.osi", worlds)
    sensor = {"name": "front", "pattern": GRID, "mounting": {"z_m": 1.5}}
    (folder / "lidar.yaml").write_text(json.dumps({"sensors": [sensor]}))


def command(folder, out, *options, jobs="traces"):
    """Return the command line of a batch with one process."""
    words = ["batch", folder / jobs, "--config", folder / "lidar.yaml", "--out", folder / out]
    words += ["--workers", 1, "--quiet", *options]
    return [sys.executable, "-m", "osi_lidar", *map(str, words)]


def timed(*commands):
    """Run commands in parallel; return the wall time and the processor time of all. [s]"""
    began_s, worked_s = time.perf_counter(), of_processors()
    cores = sorted(os.sched_getaffinity(0))
    processes = []
    for core, each in zip(cores, commands, strict=False):
        os.sched_setaffinity(0, {core})  # inherited
        processes.append(subprocess.Popen(each))
    os.sched_setaffinity(0, cores)
    codes = [each.wait() for each in processes]
    if any(codes):
        sys.exit("a batch has failed")
    return time.perf_counter() - began_s, of_processors() - worked_s


def of_processors():
    """Return the processor time that ended child processes have used. [s]"""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def overheads(folder, out):
    """Return the time of each job less the time of its run, in the order of the table. [s]"""
    rows = pq.read_table(folder / out / "index.parquet").to_pylist()
    return [row["seconds"] - row["run_seconds"] for row in rows]


def start(folder):
    """Start a batch with a table of many rows; return the time to the first output, and memory.

    The time is in s. The memory is the most that the process has used, in MiB.
    """
    with (folder / "jobs.csv").open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerow(["trace", "seed", "weather.rain_mm_h"])
        table.writerows([["traces/drive00000.osi", n, 1.5] for n in range(N_ROWS)])
    began_s = time.perf_counter()
    process = subprocess.Popen(command(folder, "many", jobs="jobs.csv"))
    while not list((folder / "many").glob("*/run.json")):
        if process.poll() is not None or time.perf_counter() - began_s > 10 * LONGEST_S:
            sys.exit("the batch did not start")
        time.sleep(0.02)
    took_s = time.perf_counter() - began_s
    state = Path(f"/proc/{process.pid}/status")
    most_mb = [line.split()[1] for line in state.read_text().splitlines() if "VmHWM" in line]
    process.send_signal(signal.SIGINT)
    process.wait()
    return took_s, int(most_mb[0]) / 1024


def kill_and_go_on(folder, out, n_kills, *options):
    """Run a batch and kill it ``n_kills`` times at random moments; then let it finish.

    Returns the times of the last run, as `timed`.
    """
    moments = np.random.default_rng(n_kills).uniform(2.0, LONGEST_S, n_kills)
    for number in range(n_kills):
        process = subprocess.Popen(command(folder, out, *options))
        try:
            process.wait(moments[number])
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
    return timed(command(folder, out, *options))


def main():
    """Measure, and print a line for each figure."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--jobs", type=int, default=1000)
    parser.add_argument("--kills", type=int, default=0)
    parser.add_argument(
        "--truth", action="store_true", help="also write the ground truth of scans (batch --truth)"
    )
    asked = parser.parse_args()
    folder, options = asked.folder.absolute(), ["--truth"] if asked.truth else []
    write_inputs(folder, asked.jobs)
    one_s, one_worked_s = timed(command(folder, "one", *options))
    beside_s = overheads(folder, "one")
    print(f"one shard, {asked.jobs} jobs: {one_s:.1f} s, {one_s / asked.jobs:.4f} s a job")
    print(
        f"beside the run: mean {mean(beside_s):.4f} s, 99 % {quantiles(beside_s, n=100)[-1]:.4f} s"
    )
    again_s, _ = timed(command(folder, "one", *options))
    print(f"started again, all done: {again_s:.1f} s, {again_s / asked.jobs:.4f} s a job")
    two_s, two_worked_s = timed(
        *(command(folder, "two", "--shard", f"{n}/2", *options) for n in range(2))
    )
    share = two_worked_s / 2 / one_worked_s
    print(f"two shards: {two_s:.1f} s, {two_s / one_s:.2f} of one; of processors each {share:.2f}")
    took_s, most_mb = start(folder)
    print(f"{N_ROWS} rows: first outputs after {took_s:.1f} s, {most_mb:.0f} MB")
    same = outputs(folder / "one") == outputs(folder / "two")
    print(f"the bytes of two shards are those of one: {same}")
    if asked.kills:
        kill_and_go_on(folder, "killed", asked.kills, *options)
        same = outputs(folder / "one") == outputs(folder / "killed")
        print(f"after {asked.kills} kills they are, too: {same}")


if __name__ == "__main__":
    main()
