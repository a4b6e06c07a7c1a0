# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Drives FMUs as a master does."""

import weakref
from contextlib import contextmanager
from pathlib import Path

from osi3.osi_sensordata_pb2 import SensorData

from osi_bridge import FrameDecoder
from osi_lidar.model import LidarModel
from osi_lidar.run.fmu import Fmu

STEP_S = 0.1
OK = 0
EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "fmu"
MASTERS = ("openmcx", "omsimulator")
VIEW, TRUTH, DATA = "OSMPSensorViewIn", "OSMPGroundTruthIn", "OSMPSensorDataOut"


@contextmanager
def running(path, log=None, inputs=None, start_s=0.0, **parameters):
    """Give an initialized FMU; its log is collected in a list of texts.

    What it says of itself while it starts, such as its number of threads, is left out.
    """
    log, is_started = [] if log is None else log, False

    def note(status, text):
        if is_started or status != OK:
            log.append(text)

    with Fmu(path, on_log=note) as fmu:
        for prefix, data in (inputs or {}).items():
            fmu.put(prefix, data)
        fmu.initialize(parameters, start_s)
        is_started = True
        yield fmu


REMARKS = ("kernels run on ", "ground plane at ", "; used: ")


def complaints(log):
    """Return the lines of a log without remarks on threads, ground, and what replaced what."""
    return [line for line in log if not any(words in line for words in REMARKS)]


def ssd_of(master):
    """Return the example's system of player, lidar and recorder for a master."""
    return EXAMPLES / master / "SystemStructure.ssd"


_DONE: weakref.WeakKeyDictionary[Fmu, int] = weakref.WeakKeyDictionary()


def step(fmu, data, index=None, prefix=VIEW):
    """Give a message, do a step of that number or the next one, return the answer's bytes."""
    index = _DONE[fmu] = _DONE.get(fmu, -1) + 1 if index is None else index
    fmu.put(prefix, data)
    fmu.step(index * STEP_S, STEP_S)
    return fmu.message(DATA)


def direct(config, messages):
    """Return the answers of the model itself."""
    model, decoder = LidarModel(config), FrameDecoder("SensorView")
    return [model.step(decoder.decode(data, i)).sensor_data for i, data in enumerate(messages)]


def parsed(data):
    """Return SensorData; empty bytes are no message."""
    assert data
    return SensorData.FromString(data)


def without_times(data):
    """Return the bytes of SensorData but for the time that a master sets."""
    message = parsed(data)
    message.ClearField("timestamp")
    return message.SerializeToString(deterministic=True)


def seconds(timestamp):
    return timestamp.seconds + timestamp.nanos * 1e-9
