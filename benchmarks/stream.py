# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Latency of an answer over TCP: last byte of a message in to first byte of SensorData out.

`osi-lidar stream` runs in a separate process. This program sends it the demo's messages, each after
the answer to the previous one, and alternately calls LidarModel.step with the same messages. Only
traced frames are counted, after the first ones have compiled the kernels.

    python benchmarks/stream.py [--rounds N] [--sensor NAME]
"""

import argparse
import re
import socket
import struct
import subprocess
import sys
import time
from statistics import median, quantiles

from lidar_base.process.threads import set_up_process
from osi_bridge import FrameDecoder, framed, open_trace
from osi_lidar import LidarModel, load_config
from osi_lidar.run.example_scene import street

STAGES = ("trace", "step", "decode and step", "first byte", "last byte")
WARM_UP = 6
PAUSE_S = 0.03
"""Pause before each step here and each message there, as at a real rate: no thread pool is still
spinning, and both start with caches and processor in the state after a wait. [s]"""


def start(config, sensor):
    """Start a stream; return the process, a socket to send to, and one to receive from."""
    command = [sys.executable, "-m", "osi_lidar", "stream", "--listen", "0", "--publish", "0"]
    command += ["--backlog", "queue", "--once", "--config", str(config)]
    command += ["--sensor", sensor] if sensor else []
    process = subprocess.Popen(
        command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True
    )
    ports = {}
    while len(ports) < 2:
        line = process.stderr.readline()
        found = re.search(r"(SensorData|listening) at \S+:(\d+)", line)
        if not found:
            sys.exit(f"the stream did not start: {line}")
        ports[found[1]] = int(found[2])
    source = socket.create_connection(("127.0.0.1", ports["listening"]))
    source.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return process, source, socket.create_connection(("127.0.0.1", ports["SensorData"]))


def receive(connection, size):
    """Return exactly ``size`` bytes from a connection."""
    pieces = []
    while size:
        pieces.append(connection.recv(min(size, 2**20)))
        if not pieces[-1]:
            sys.exit("the stream has ended")
        size -= len(pieces[-1])
    return b"".join(pieces)


def time_answer(source, answers, message):
    """Send a message; return the times to the answer's first and last byte [ms], and its size.

    The size is in bytes.
    """
    source.sendall(framed(message))
    began = time.perf_counter()
    first = receive(answers, 1)
    first_byte = time.perf_counter()
    (size,) = struct.unpack("<I", first + receive(answers, 3))
    receive(answers, size)
    return 1e3 * (first_byte - began), 1e3 * (time.perf_counter() - began), size


def timed(function, *arguments):
    """Call a function; return its result, and the time that it takes. [ms]"""
    began = time.perf_counter()
    result = function(*arguments)
    return result, 1e3 * (time.perf_counter() - began)


def run(rounds, sensor):
    """Return a dict for each traced frame: times of the model and the stream [ms], and bytes."""
    scenario = street()
    messages = [message.data for message in open_trace(scenario.trace)]
    model = LidarModel(load_config(scenario.config, sensor=sensor))
    process, source, answers = start(scenario.config, sensor)
    rows = []
    for _ in range(rounds):
        model.restart()
        decoder = FrameDecoder("SensorView")
        for index, message in enumerate(messages):
            frame, decode_ms = timed(decoder.decode, message, index)
            before = model.clock.seconds()
            time.sleep(PAUSE_S)
            step, step_ms = timed(model.step, frame)
            after = model.clock.seconds()
            time.sleep(PAUSE_S)
            first_ms, last_ms, size = time_answer(source, answers, message)
            time.sleep(PAUSE_S)
            if step.traced:
                rows.append(
                    {
                        "trace": 1e3 * (after["trace"] - before["trace"]),
                        "step": step_ms,
                        "decode and step": decode_ms + step_ms,
                        "first byte": first_ms,
                        "last byte": last_ms,
                        "bytes": size,
                    }
                )
    source.close()
    process.wait()
    return rows[WARM_UP:]


def main():
    set_up_process()  # as the command line does
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=3, help="number of passes over the trace")
    parser.add_argument("--sensor", help="known sensor that replaces the sensor of the scenario")
    arguments = parser.parse_args()
    rows = run(arguments.rounds, arguments.sensor)
    print(
        f"{len(rows)} traced frames, SensorData of {median(r['bytes'] for r in rows) / 1e6:.1f} MB"
    )
    print(f"  {'':18s} {'median':>9s} {'p99':>9s}")
    for stage in STAGES:
        times = [row[stage] for row in rows]
        print(f"  {stage:18s} {median(times):6.2f} ms {quantiles(times, n=100)[98]:6.2f} ms")
    step_ms = median(row["step"] for row in rows)
    for stage in STAGES[2:]:
        print(f"  {stage + ' / step':18s} {median(row[stage] for row in rows) / step_ms:6.2f}")


if __name__ == "__main__":
    main()
