# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""OSI messages: the things of a small world, and how a trace or a stream holds them."""

import struct

from osi3.osi_groundtruth_pb2 import GroundTruth
from osi3.osi_sensorview_pb2 import SensorView

from osi_bridge import FrameDecoder
from osi_bridge.bench import BoxObject as Thing
from osi_bridge.bench import ViewHead, sensor_view_message

HOST_ID = 1


def host(x_m=0.0, y_m=0.0, z_m=0.75, **changes):
    """Return a host vehicle whose rear axle is at (x - 1.2, y, z - 0.45)."""
    return Thing(HOST_ID, (x_m, y_m, z_m), **changes)


def ahead(object_id=2, reference="", y_m=0.0, x_m=10.0):
    """Return a cube of 2 m edges, by default straight ahead of the host."""
    size_m = (2.0, 2.0, 2.0)
    return Thing(object_id, (x_m, y_m, 0.75), dimension_m=size_m, model_reference=reference)


def message(things, time_s=0.0, host_id=HOST_ID, environment=""):
    """Return a serialised SensorView of these things."""
    time_ns = int(time_s) * 1_000_000_000 + round(1e9 * (time_s % 1.0))
    return sensor_view_message(things, time_ns, ViewHead(host_id, environment=environment))


def moving(n_frame=5):
    """Return messages in which a car drives ahead of the host."""
    return [
        message([host(), Thing(2, (15 + 0.1 * index, 0.0, 0.75))], time_s=0.1 * index)
        for index in range(n_frame)
    ]


def truth_of(view):
    """Return the GroundTruth inside a serialised SensorView, serialised."""
    truth = GroundTruth()
    truth.CopyFrom(SensorView.FromString(view).global_ground_truth)
    return truth.SerializeToString()


def framed(messages):
    """Return messages as a binary trace or a stream holds them: each behind its length."""
    return b"".join(struct.pack("<I", len(data)) + data for data in messages)


def frames(worlds, step_s=0.1, **options):
    """Return decoded frames, one per list of things."""
    decoder = FrameDecoder("SensorView")
    return [
        decoder.decode(message(things, time_s=step_s * index, **options), index)
        for index, things in enumerate(worlds)
    ]
