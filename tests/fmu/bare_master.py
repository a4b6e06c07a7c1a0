# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""A master that has nothing but FMPy: drives an FMU with SensorView messages from files.

python bare_master.py FMU MESSAGES ANSWERS

MESSAGES and ANSWERS are folders, with one file per step. Prints as JSON: seconds from unpacking to
the first answer, how many kernels were compiled as none was kept, and which files
some modules came from.
"""

import ctypes
import json
import os
import sys
import tempfile
import time
from pathlib import Path

from fmpy import extract, read_model_description
from fmpy.fmi2 import FMU2Slave
from fmpy.fmi3 import FMU3Slave

STEP_S = 0.1
VIEW, DATA = "OSMPSensorViewIn", "OSMPSensorDataOut"
PARTS = ("base.lo", "base.hi", "size")
SHOWN = ("numpy", "numba", "osi_lidar")
WITH_KERNELS = ("osi_lidar", "osi_bridge", "raycore", "material_mapping", "lidar_base")


class Pointers:
    """An FMU of FMI 2.0: a message is three integers."""

    def __init__(self, reference, arguments):
        self._inputs = [reference[f"{VIEW}.{part}"] for part in PARTS]
        self._outputs = [reference[f"{DATA}.{part}"] for part in PARTS]
        self.slave = FMU2Slave(**arguments)
        self.slave.instantiate()
        self.slave.setupExperiment()
        self.slave.enterInitializationMode()

    def step(self, data, time_s):
        buffer = ctypes.create_string_buffer(data, len(data))
        address = ctypes.addressof(buffer)
        halves = [ctypes.c_int32(half).value for half in (address & 0xFFFFFFFF, address >> 32)]
        self.slave.setInteger(self._inputs, [*halves, len(data)])
        self.slave.doStep(time_s, STEP_S)
        low, high, size = self.slave.getInteger(self._outputs)
        return ctypes.string_at((high & 0xFFFFFFFF) << 32 | (low & 0xFFFFFFFF), size)


class Binaries:
    """An FMU of FMI 3.0: a message is a binary variable."""

    def __init__(self, reference, arguments):
        self._input, self._output = reference[VIEW], reference[DATA]
        self.slave = FMU3Slave(**arguments)
        self.slave.instantiate()
        self.slave.enterInitializationMode()

    def step(self, data, time_s):
        self.slave.setBinary([self._input], [data])
        self.slave.doStep(time_s, STEP_S)
        return self.slave.getBinary([self._output])[0]


def main(fmu, messages, answers):
    began = time.perf_counter()
    description = read_model_description(fmu)
    reference = {each.name: each.valueReference for each in description.modelVariables}
    with tempfile.TemporaryDirectory() as folder:
        extract(fmu, folder)
        arguments = {
            "guid": description.guid,
            "unzipDirectory": folder,
            "modelIdentifier": description.coSimulation.modelIdentifier,
            "instanceName": "lidar",
        }
        driven = (Binaries if VIEW in reference else Pointers)(reference, arguments)
        driven.slave.exitInitializationMode()
        first_s = None
        for index, file in enumerate(sorted(Path(messages).iterdir())):
            answer = driven.step(file.read_bytes(), index * STEP_S)
            first_s = first_s or time.perf_counter() - began
            Path(answers, file.name).write_bytes(answer)
        driven.slave.terminate()
        driven.slave.freeInstance()
    report = {"first_s": first_s, "compiled": len(compiled())}
    sys.stdout.write(json.dumps(report | {name: sys.modules[name].__file__ for name in SHOWN}))


def compiled():
    """Return the kernels that were compiled in this process."""
    return {
        kernel
        for name, module in list(sys.modules.items())
        if name.split(".")[0] in WITH_KERNELS
        for kernel in vars(module).values()
        if hasattr(kernel, "py_func") and kernel.stats.cache_misses
    }


if __name__ == "__main__":
    main(*sys.argv[1:])
    if "pythonfmu" in sys.modules:
        sys.stdout.flush()
        # its library ends the interpreter, which this process has ended by then: it may abort
        os._exit(0)
