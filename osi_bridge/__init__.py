# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""ASAM OSI in and out: bytes to records and back. The only package that knows protobuf."""

from osi_bridge.errors import (
    DamagedTrace,
    MissingTimestamp,
    OsiError,
    OsiInputError,
    TraceError,
    UndecodableMessage,
    UnknownHost,
)
from osi_bridge.ground_truth import FrameDecoder, empty_frame
from osi_bridge.records import (
    NO_OBJECT,
    Detections,
    Frame,
    HostVehicle,
    MessageType,
    MountingPosition,
    ObjectKind,
    ObjectStates,
    SkippedObject,
)
from osi_bridge.rotation import rotation_from_orientation
from osi_bridge.sensor_data import LidarBlock, encode_detections, encode_sensor_data
from osi_bridge.trace_binary import RawMessage
from osi_bridge.trace_names import (
    OSI_VERSION,
    PROTOBUF_VERSION,
    custom_name,
    osi_trace_name,
    trace_start,
)
from osi_bridge.trace_reader import TraceReader, open_trace, read_frames
from osi_bridge.trace_writer import TraceKind, TraceWriter, open_trace_writer, write_trace

__all__ = [
    "NO_OBJECT",
    "OSI_VERSION",
    "PROTOBUF_VERSION",
    "DamagedTrace",
    "Detections",
    "Frame",
    "FrameDecoder",
    "HostVehicle",
    "LidarBlock",
    "MessageType",
    "MissingTimestamp",
    "MountingPosition",
    "ObjectKind",
    "ObjectStates",
    "OsiError",
    "OsiInputError",
    "RawMessage",
    "SkippedObject",
    "TraceError",
    "TraceKind",
    "TraceReader",
    "TraceWriter",
    "UndecodableMessage",
    "UnknownHost",
    "custom_name",
    "empty_frame",
    "encode_detections",
    "encode_sensor_data",
    "open_trace",
    "open_trace_writer",
    "osi_trace_name",
    "read_frames",
    "rotation_from_orientation",
    "trace_start",
    "write_trace",
]
