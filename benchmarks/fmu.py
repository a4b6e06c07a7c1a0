# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""What the FMU adds: a step through FMI beside LidarModel.step, and the time to the first output.

A step through FMI is doStep alone, as a master calls it: the message lies in memory and its pointer
is set before; decoding it is part of the step. Beside it, the same message is decoded and given to
the model itself. Both run in turn, message after message of the demo scenario (OS1-128 at 1024
columns), in one process and each first in half of the pairs; only frames that trace are counted,
after the first ones have compiled the kernels. The first output is timed in new processes, with the
start of Python and all imports, and in one that has had an instance before.

    python benchmarks/fmu.py [--rounds N]
"""

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

import numba

from fmu_src.exporter import build_fmu
from osi_bridge import FrameDecoder, open_trace
from osi_lidar import LidarModel, load_config
from osi_lidar.run.bundled import street
from osi_lidar.run.fmu import Fmu

VIEW, DATA = "OSMPSensorViewIn", "OSMPSensorDataOut"
WARM_UP = 3
"""Pairs that are not counted."""
STARTS = 5


def timed(call):
    """Return what a call gives, and its milliseconds."""
    began = time.perf_counter()
    given = call()
    return given, 1e3 * (time.perf_counter() - began)


def pair(fmu, model, decoder, index, data):
    """Return the milliseconds of the FMU's and of the model's step, None if nothing was traced."""
    start_s = index * fmu.step_s
    calls = {
        "fmu": lambda: fmu.step(start_s, fmu.step_s),
        "direct": lambda: model.step(decoder.decode(data, index)),
    }
    fmu.put(VIEW, data)
    done = {name: timed(calls[name]) for name in sorted(calls, reverse=bool(index % 2))}
    return (done["fmu"][1], done["direct"][1]) if done["direct"][0].traced else None


def pairs(path, messages, scenario, rounds):
    """Return the milliseconds of both steps, for each frame that traces."""
    found = []
    for _ in range(rounds):
        model = LidarModel(load_config(scenario.config), trace_folder=scenario.trace.parent)
        decoder = FrameDecoder("SensorView", strict=True)
        with Fmu(path) as fmu:
            fmu.initialize()
            for index, data in enumerate(messages):
                found.append(pair(fmu, model, decoder, index, data))
    return [each for each in found if each is not None][WARM_UP:]


def first_output(path):
    """Unpack and instantiate an FMU, and run it until it has given its first output."""
    message = next(iter(open_trace(street().trace))).data
    with Fmu(path) as fmu:
        fmu.initialize()
        fmu.put(VIEW, message)
        fmu.step(0.0, fmu.step_s)
        fmu.message(DATA)


def first_output_of_new_process(path):
    """Return the milliseconds of a process from the start of Python to its end."""
    command = [sys.executable, __file__, "--first-output-of", path]
    return timed(lambda: subprocess.run(command, check=True))[1]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=3, help="passes over the trace")
    parser.add_argument("--first-output-of", metavar="FMU", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.first_output_of:
        first_output(arguments.first_output_of)
        return
    scenario = street()
    messages = [message.data for message in open_trace(scenario.trace)]
    with tempfile.TemporaryDirectory() as folder:
        path = build_fmu(config=scenario.config, out=Path(folder)).path
        found = pairs(path, messages, scenario, arguments.rounds)
        again = [timed(lambda: first_output(path))[1] for _ in range(STARTS)]
        new = [first_output_of_new_process(path) for _ in range(STARTS)]
    print(f"{len(found)} pairs of traced frames, {numba.get_num_threads()} threads; medians")
    print(f"  doStep of the FMU    {median(fmu for fmu, _ in found):8.2f} ms")
    print(f"  the model itself     {median(direct for _, direct in found):8.2f} ms")
    print(f"  ratio of the pairs   {median(fmu / direct for fmu, direct in found):8.3f}")
    print(f"  to the first output, kernels compiled before; of {STARTS}")
    print(f"    in a new process   {median(new) / 1e3:8.2f} s, from the start of Python")
    print(f"    in this process    {median(again) / 1e3:8.2f} s, from unpacking the FMU")


if __name__ == "__main__":
    main()
