# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The example for esmini, with stand-ins for its library and for its UDP sender."""

import ctypes
import runpy
import socket
from pathlib import Path
from types import SimpleNamespace as Part

import pytest
from osi3.osi_groundtruth_pb2 import GroundTruth
from osi3.osi_object_pb2 import MovingObject

from osi_lidar.config import load_config
from tests.osi_lidar.live.streams import Peer, answers, port_of, streaming, until

FOLDER = Path(__file__).resolve().parents[2] / "examples" / "esmini"
DRIVE = Part(**runpy.run_path(str(FOLDER / "drive.py")))
N_STEPS, STEP_NS = 3, 100_000_000
N_SIGNS = 150
PIECE_BYTES = 8192


def truth(step):
    """Return what esmini says of a step: static objects and the host's id with the first only."""
    message = GroundTruth()
    message.timestamp.nanos = step * STEP_NS
    for number, x_m in ((0, 1.0 * step), (1, 20.0 + 0.8 * step)):
        car = message.moving_object.add(type=MovingObject.TYPE_VEHICLE, model_reference="car.osgb")
        car.id.value = number
        car.base.position.x, car.base.position.z = x_m, 0.75
        car.base.velocity.x = 10.0 - 2.0 * number
        car.base.dimension.length, car.base.dimension.width, car.base.dimension.height = 5, 2, 1.5
    if step == 0:
        message.host_vehicle_id.value = 0
        for number in range(N_SIGNS):
            box = message.stationary_object.add()
            box.id.value = 100 + number
            box.base.position.x, box.base.position.y, box.base.position.z = 5.0 * number, 8.0, 1.0
            box.base.dimension.length = box.base.dimension.width = 0.5
            box.base.dimension.height = 2.0
    return message.SerializeToString()


TRUTHS = [truth(step) for step in range(N_STEPS)]


class Esmini:
    """The functions of esmini's library that the example calls, over messages made here."""

    def __init__(self):
        self.step, self.closed = 0, False
        self.SE_Init, self.SE_GetQuitFlag = self._init, self._quit_flag
        self.SE_GetOSIGroundTruth, self.SE_StepDT = self._ground_truth, self._step
        self.SE_Close = self._close

    def _init(self, scenario, *flags):
        assert flags == (0, 0, 0, 0)
        return 0 if scenario == b"cut-in.xosc" else -1

    def _quit_flag(self):
        return int(self.step >= N_STEPS)

    def _ground_truth(self, size):
        data = TRUTHS[self.step]
        size._obj.value = len(data)
        self._kept = ctypes.create_string_buffer(data, len(data))
        return ctypes.addressof(self._kept)

    def _step(self, step_s):
        assert step_s == pytest.approx(1e-9 * STEP_NS)
        self.step += 1
        return 0

    def _close(self):
        self.closed = True


class Datagram(ctypes.Structure):
    """`osi_udp_buf` of esmini's OSIReporter.cpp."""

    _fields_ = (
        ("counter", ctypes.c_int),
        ("datasize", ctypes.c_uint),
        ("data", ctypes.c_ubyte * PIECE_BYTES),
    )


def as_esmini_sends(data):
    """Yield datagrams as the loop in OSIReporter::UpdateOSIGroundTruth sends them."""
    sent, counter = 0, 1
    while sent < len(data):
        piece = data[sent : sent + PIECE_BYTES]
        last = sent + len(piece) >= len(data)
        datagram = Datagram(-counter if last else counter, len(piece))
        ctypes.memmove(datagram.data, piece, len(piece))
        yield bytes(datagram)[: ctypes.sizeof(Datagram) - (PIECE_BYTES - len(piece))]
        sent, counter = sent + len(piece), counter + 1


def test_each_step_of_the_library_has_the_points_of_its_own_time():
    configuration = load_config(FOLDER / "lidar.yaml")
    esmini = Esmini()
    with streaming(configuration, answer="every", backlog=None) as live:
        said = list(DRIVE.answers(DRIVE.steps(esmini, "cut-in.xosc"), "127.0.0.1", live.port))
    assert esmini.closed
    assert said == answers(configuration, TRUTHS, "GroundTruth")


def test_a_scenario_that_esmini_refuses_is_one_line():
    with pytest.raises(SystemExit, match=r"^none\.xosc: esmini cannot run it, see its log$"):
        next(DRIVE.steps(Esmini(), "none.xosc"))


def test_messages_over_udp_give_the_same_points():
    configuration = load_config(FOLDER / "lidar.yaml")
    assert len(TRUTHS[0]) > PIECE_BYTES
    with (
        streaming(configuration, source="udp://127.0.0.1:0", publish="127.0.0.1:0") as live,
        Peer(live.publish_port) as subscriber,
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as esmini,
    ):
        until(lambda: live.counters.subscribers == 1, "the subscriber is known")
        for data in TRUTHS:
            for datagram in as_esmini_sends(data):
                esmini.sendto(datagram, ("127.0.0.1", port_of(live.state.source)))
        said = [subscriber.message() for _ in TRUTHS]
    assert said == answers(configuration, TRUTHS, "GroundTruth")
