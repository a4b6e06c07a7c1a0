# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""An FMU that parses the SensorData which it is given by pointer, and writes it to a trace."""

import ctypes
import struct
from pathlib import Path

from osi3.osi_sensordata_pb2 import SensorData
from pythonfmu import Fmi2Causality, Fmi2Initial, Fmi2Slave, Fmi2Variability, Integer, String

PARTS = ("lo", "hi", "size")


class Recorder(Fmi2Slave):
    """Fails in the step in which a message cannot be parsed."""

    def __init__(self, **options):
        super().__init__(**options)
        self.trace = ""
        self.lo = self.hi = self.size = self.received = 0
        parameter = {"causality": Fmi2Causality.parameter, "variability": Fmi2Variability.fixed}
        self.register_variable(String("trace", **parameter))
        for part in PARTS:
            self.register_variable(
                Integer(
                    f"OSMPSensorDataIn.{part if part == 'size' else f'base.{part}'}",
                    causality=Fmi2Causality.input,
                    variability=Fmi2Variability.discrete,
                    getter=lambda part=part: getattr(self, part),
                    setter=lambda value, part=part: setattr(self, part, value),
                )
            )
        output = {"causality": Fmi2Causality.output, "variability": Fmi2Variability.discrete}
        self.register_variable(Integer("received", initial=Fmi2Initial.exact, **output))

    def do_step(self, current_time, step_size):
        (address,) = struct.unpack("<Q", struct.pack("<ii", self.lo, self.hi))
        if address and self.size:
            data = ctypes.string_at(address, self.size)
            SensorData.FromString(data)
            with Path(self.trace).open("ab") as file:
                file.write(struct.pack("<I", len(data)) + data)
            self.received += 1
        return True
