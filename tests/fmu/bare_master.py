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

STEP_S = 0.1
PARTS = ("base.lo", "base.hi", "size")
SHOWN = ("numpy", "numba", "osi_lidar")
WITH_KERNELS = ("osi_lidar", "osi_bridge", "raycore", "material_mapping", "lidar_base")


def main(fmu, messages, answers):
    began = time.perf_counter()
    description = read_model_description(fmu)
    reference = {each.name: each.valueReference for each in description.modelVariables}
    inputs = [reference[f"OSMPSensorViewIn.{part}"] for part in PARTS]
    outputs = [reference[f"OSMPSensorDataOut.{part}"] for part in PARTS]
    with tempfile.TemporaryDirectory() as folder:
        extract(fmu, folder)
        slave = FMU2Slave(
            guid=description.guid,
            unzipDirectory=folder,
            modelIdentifier=description.coSimulation.modelIdentifier,
            instanceName="lidar",
        )
        slave.instantiate()
        slave.setupExperiment()
        slave.enterInitializationMode()
        slave.exitInitializationMode()
        first_s = None
        for index, file in enumerate(sorted(Path(messages).iterdir())):
            data = file.read_bytes()
            buffer = ctypes.create_string_buffer(data, len(data))
            address = ctypes.addressof(buffer)
            halves = [address & 0xFFFFFFFF, address >> 32]
            slave.setInteger(inputs, [ctypes.c_int32(half).value for half in halves] + [len(data)])
            slave.doStep(index * STEP_S, STEP_S)
            low, high, size = slave.getInteger(outputs)
            address = (high & 0xFFFFFFFF) << 32 | (low & 0xFFFFFFFF)
            Path(answers, file.name).write_bytes(ctypes.string_at(address, size))
            first_s = first_s or time.perf_counter() - began
        slave.terminate()
        slave.freeInstance()
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
    sys.stdout.flush()
    # pythonfmu's library ends the interpreter, which this process has ended by then: it may abort
    os._exit(0)
