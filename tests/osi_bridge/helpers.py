# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""OSI messages and trace files for the tests."""

from __future__ import annotations

import math
from typing import Any

from google.protobuf import text_format
from mcap.writer import Writer
from osi3.osi_groundtruth_pb2 import GroundTruth
from osi3.osi_object_pb2 import MovingObject
from osi3.osi_sensorview_pb2 import SensorView

from osi_bridge import FrameDecoder


def put_base(base: Any, position=(0.0, 0.0, 0.75), dimension=(4.0, 2.0, 1.5), yaw=0.0) -> None:
    base.position.x, base.position.y, base.position.z = position
    base.orientation.yaw = yaw
    base.dimension.length, base.dimension.width, base.dimension.height = dimension


def add_car(truth: GroundTruth, object_id: int, **base) -> MovingObject:
    car = truth.moving_object.add()
    car.id.value = object_id
    car.type = MovingObject.TYPE_VEHICLE
    car.vehicle_classification.type = MovingObject.VehicleClassification.TYPE_CAR
    put_base(car.base, **base)
    return car


def add_box(truth: GroundTruth, object_id: int, **base) -> None:
    box = truth.stationary_object.add()
    box.id.value = object_id
    put_base(box.base, **base)


def ground_truth(time_ns: int = 0, cars=(7,)) -> GroundTruth:
    truth = GroundTruth()
    truth.timestamp.seconds, truth.timestamp.nanos = divmod(time_ns, 10**9)
    for n, object_id in enumerate(cars):
        add_car(truth, object_id, position=(10.0 * n, 0.0, 0.75), yaw=math.pi / 8 * n)
    return truth


def sensor_view(time_ns: int = 0, cars=(7,)) -> SensorView:
    view = SensorView()
    view.timestamp.seconds, view.timestamp.nanos = divmod(time_ns, 10**9)
    view.global_ground_truth.CopyFrom(ground_truth(time_ns, cars))
    return view


def views(n: int = 5) -> list[bytes]:
    """Small SensorView messages, 100 ms apart."""
    return [sensor_view(100_000_000 * k).SerializeToString() for k in range(n)]


MESSAGES = views()


def as_text(messages=MESSAGES):
    parts = [text_format.MessageToString(SensorView.FromString(data)) for data in messages]
    return "".join(parts).encode()


def save(path, data):
    path.write_bytes(data)
    return path


def mcap_bytes(path, channels=(("a", "osi3.SensorView", "protobuf"),), **options):
    """Write an MCAP file whose channels all carry the same messages."""
    with path.open("wb") as stream:
        writer = Writer(stream, **options)
        writer.start()
        ids = []
        for topic, schema, encoding in channels:
            schema_id = writer.register_schema(schema, encoding, b"")
            ids.append(writer.register_channel(topic, encoding, schema_id))
        for n, data in enumerate(MESSAGES):
            for channel_id in ids:
                writer.add_message(channel_id, n, data, n)
        writer.finish()
    return path.read_bytes()


def decode(*messages, host_id=None, message_type="GroundTruth"):
    decoder = FrameDecoder(message_type, host_id)
    return [decoder.decode(m.SerializeToString(), i) for i, m in enumerate(messages)]


def field_of(path):
    """Return the descriptor of a field, by a path of `osi_bridge.description.fields_read`."""
    names = path.split(".")
    is_of_view = names[0] == "SensorView"
    kind = SensorView.DESCRIPTOR if is_of_view else GroundTruth.DESCRIPTOR
    for name in names[is_of_view:]:
        field = kind.fields_by_name[name]
        kind = field.message_type
    return field
