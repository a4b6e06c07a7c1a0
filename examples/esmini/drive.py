# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Step an OpenSCENARIO scenario in esmini's library, and get the points of each step.

    osi-lidar stream --listen 127.0.0.1:48198 --answer every --config examples/esmini/lidar.yaml
    python examples/esmini/drive.py libesminiLib.so cut-in.xosc 127.0.0.1:48198 points.osi

Each step sends OSI GroundTruth and waits for SensorData. So no step is lost, however long a scan
takes, and a program that decides by the points can act before the next step. The answers are
written to `points.osi`.

The four functions are those of esmini's interface in C [1]_: SE_Init (no viewer, one thread, no
recording), SE_StepDT, SE_GetOSIGroundTruth, SE_GetQuitFlag. Static objects and lanes are in the
first message only, which osi-lidar keeps.

.. [1] https://github.com/esmini/esmini/blob/v3.6.0/EnvironmentSimulator/Libraries/esminiLib/esminiLib.hpp
"""

import ctypes
import socket
import sys
from collections.abc import Iterator
from pathlib import Path

from osi3.osi_sensordata_pb2 import SensorData

from osi_bridge import framed

STEP_S = 0.1
"""A scan of 10 Hz for each step. [s]"""


def load(library: str) -> ctypes.CDLL:
    """Load esmini's library, and declare the argument types of the called functions."""
    esmini = ctypes.CDLL(library)
    esmini.SE_Init.argtypes = [ctypes.c_char_p, *4 * [ctypes.c_int]]
    esmini.SE_StepDT.argtypes = [ctypes.c_double]
    esmini.SE_GetOSIGroundTruth.argtypes = [ctypes.POINTER(ctypes.c_int)]
    esmini.SE_GetOSIGroundTruth.restype = ctypes.c_void_p
    return esmini


def steps(esmini: ctypes.CDLL, scenario: str) -> Iterator[bytes]:
    """Yield the GroundTruth of each step until the scenario ends."""
    if esmini.SE_Init(scenario.encode(), 0, 0, 0, 0) != 0:
        raise SystemExit(f"{scenario}: esmini cannot run it, see its log")
    try:
        while esmini.SE_GetQuitFlag() == 0:
            size = ctypes.c_int(0)
            start = esmini.SE_GetOSIGroundTruth(ctypes.byref(size))
            if size.value:
                yield ctypes.string_at(start, size.value)
            if esmini.SE_StepDT(STEP_S) != 0:
                return
    finally:
        esmini.SE_Close()


def answers(messages: Iterator[bytes], host: str, port: int) -> Iterator[bytes]:
    """Send messages and yield the answer to each; an empty answer means no scan."""
    with socket.create_connection((host, port)) as connection:
        incoming = connection.makefile("rb")
        for message in messages:
            connection.sendall(framed(message))
            length = incoming.read(4)
            if len(length) < len(b"size"):
                raise SystemExit(
                    "osi-lidar stream has closed the connection before the scenario ended"
                )
            yield incoming.read(int.from_bytes(length, "little"))


def main(library: str, scenario: str, address: str, out: str) -> None:
    """Drive a scenario to its end, and write the answers as a trace."""
    host, _, port = address.rpartition(":")
    with Path(out).open("wb") as trace:
        for data in answers(steps(load(library), scenario), host, int(port)):
            if data:
                trace.write(framed(data))
                said = SensorData.FromString(data)
                time_s = said.timestamp.seconds + 1e-9 * said.timestamp.nanos
                n = sum(len(each.detection) for each in said.feature_data.lidar_sensor)
                print(f"{time_s:.2f} s  {n} detections", flush=True)


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except (OSError, ValueError) as problem:
        sys.exit(str(problem))
    except TypeError:
        sys.exit(__doc__)
