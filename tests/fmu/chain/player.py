# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""An FMU that plays a trace: one SensorView per step, then nothing."""

import ctypes
import struct
from pathlib import Path

from pythonfmu import Fmi2Causality, Fmi2Initial, Fmi2Slave, Fmi2Variability, Integer, String

PARTS = ("lo", "hi", "size")


class Player(Fmi2Slave):
    """Gives out messages by pointer, after OSMP: each is intact for one more step."""

    def __init__(self, **options):
        super().__init__(**options)
        self.trace = ""
        self.lo = self.hi = self.size = 0
        self._messages = []
        self._kept = []
        parameter = {"causality": Fmi2Causality.parameter, "variability": Fmi2Variability.fixed}
        self.register_variable(String("trace", **parameter))
        for part in PARTS:
            self.register_variable(
                Integer(
                    f"OSMPSensorViewOut.{part if part == 'size' else f'base.{part}'}",
                    causality=Fmi2Causality.output,
                    variability=Fmi2Variability.discrete,
                    initial=Fmi2Initial.exact,
                    getter=lambda part=part: getattr(self, part),
                )
            )

    def exit_initialization_mode(self):
        data = Path(self.trace).read_bytes()
        while data:
            (size,) = struct.unpack_from("<I", data)
            self._messages.append(data[4 : 4 + size])
            data = data[4 + size :]

    def do_step(self, current_time, step_size):
        data = self._messages.pop(0) if self._messages else b""
        self._kept = [*self._kept[-1:], ctypes.create_string_buffer(data, max(len(data), 1))]
        address = ctypes.addressof(self._kept[-1]) if data else 0
        self.lo, self.hi = struct.unpack("<ii", struct.pack("<Q", address))
        self.size = len(data)
        return True
