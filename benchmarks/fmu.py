# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Overhead of the FMU: a step through FMI against LidarModel.step, and the time to first output.

A step through FMI is doStep alone, as a master calls it: the message is in memory and its pointer
is set beforehand; decoding it is part of the step. For comparison, the same message is decoded and
passed to the model directly. The two alternate, message after message of the demo scenario (OS1-128
at 1024 columns), in one process; each goes first in half of the pairs. Only traced frames count,
after the first ones have compiled the kernels. The time to first output is measured in new
processes, including the start of Python and all imports, and in one that had an instance before.

    python benchmarks/fmu.py [--rounds N] [--wrapper pythonfmu]
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
from osi_lidar.run.example_scene import street
from osi_lidar.run.fmu import Fmu

VIEW, DATA = "OSMPSensorViewIn", "OSMPSensorDataOut"
WARM_UP = 3
"""Number of first pairs that are not counted."""
STARTS = 5


def timed(call):
    """Return the result of a call, and its time [ms]."""
    began = time.perf_counter()
    given = call()
    return given, 1e3 * (time.perf_counter() - began)


def pair(fmu, model, decoder, index, data):
    """Return the times of the FMU's step and the model's step [ms]; None if nothing was traced."""
    start_s = index * fmu.variables.step_s
    calls = {
        "fmu": lambda: fmu.step(start_s, fmu.variables.step_s),
        "direct": lambda: model.step(decoder.decode(data, index)),
    }
    fmu.put(VIEW, data)
    done = {name: timed(calls[name]) for name in sorted(calls, reverse=bool(index % 2))}
    return (done["fmu"][1], done["direct"][1]) if done["direct"][0].traced else None


def pairs(path, messages, scenario, rounds):
    """Return the times of the FMU's step and the model's step [ms], for each traced frame."""
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
    """Unpack and instantiate an FMU, and run it until its first output."""
    message = next(iter(open_trace(street().trace))).data
    with Fmu(path) as fmu:
        fmu.initialize()
        fmu.put(VIEW, message)
        fmu.step(0.0, fmu.variables.step_s)
        fmu.message(DATA)


def first_output_of_new_process(path):
    """Return the time of a new process that runs `first_output`, from start to end. [ms]"""
    command = [sys.executable, __file__, "--first-output-of", path]
    return timed(lambda: subprocess.run(command, check=True))[1]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=3, help="number of passes over the trace")
    parser.add_argument("--wrapper", default="native", choices=("native", "pythonfmu"))
    parser.add_argument("--first-output-of", metavar="FMU", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.first_output_of:
        first_output(arguments.first_output_of)
        return
    scenario = street()
    messages = [message.data for message in open_trace(scenario.trace)]
    versions = "both" if arguments.wrapper == "native" else "2"
    with tempfile.TemporaryDirectory() as folder:
        for built in build_fmu(
            config=scenario.config, out=Path(folder), fmi=versions, wrapper=arguments.wrapper
        ):
            print(f"FMI {built.fmi}, wrapper {arguments.wrapper}")
            measure(built.path, messages, scenario, arguments.rounds)


def measure(path, messages, scenario, rounds):
    """Measure one FMU, and print its figures."""
    found = pairs(path, messages, scenario, rounds)
    again = [timed(lambda: first_output(path))[1] for _ in range(STARTS)]
    new = [first_output_of_new_process(path) for _ in range(STARTS)]
    print(f"  {len(found)} pairs of traced frames, {numba.get_num_threads()} threads; medians")
    print(f"  doStep of the FMU    {median(fmu for fmu, _ in found):8.2f} ms")
    print(f"  the model directly   {median(direct for _, direct in found):8.2f} ms")
    print(f"  ratio of the pairs   {median(fmu / direct for fmu, direct in found):8.3f}")
    print(f"  time to first output, kernels compiled before; medians of {STARTS}")
    print(f"    in a new process   {median(new) / 1e3:8.2f} s, from the start of Python")
    print(f"    in this process    {median(again) / 1e3:8.2f} s, from unpacking the FMU")


if __name__ == "__main__":
    main()
