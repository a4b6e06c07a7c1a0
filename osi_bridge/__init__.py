# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""ASAM OSI in and out: bytes to records and back. The only package that knows protobuf."""

from osi_bridge.datagrams import MessageAssembler, datagrams
from osi_bridge.detections import encode_detections
from osi_bridge.errors import (
    BrokenFraming,
    DamagedTrace,
    MissingTimestamp,
    OsiError,
    OsiInputError,
    TraceError,
    UndecodableMessage,
    UnknownHost,
)
from osi_bridge.framing import ConnectionReader, frame_prefix, framed, read_message
from osi_bridge.ground_truth import FrameDecoder, empty_frame, message_time_ns
from osi_bridge.lidar_sensor_view import (
    NO_SIGNAL_DB,
    LidarView,
    Reflections,
    encode_sensor_view,
)
from osi_bridge.message_types import guess_message_type
from osi_bridge.pointers import MESSAGE_PARTS, NO_DATA, OutputBuffer, Pointer, address_of
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
from osi_bridge.sensor_data import LidarBlock, encode_sensor_data
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
from osi_bridge.view_configuration import (
    ViewConfiguration,
    decode_view_configuration,
    encode_view_request,
)

__all__ = [
    "MESSAGE_PARTS",
    "NO_DATA",
    "NO_OBJECT",
    "NO_SIGNAL_DB",
    "OSI_VERSION",
    "PROTOBUF_VERSION",
    "BrokenFraming",
    "ConnectionReader",
    "DamagedTrace",
    "Detections",
    "Frame",
    "FrameDecoder",
    "HostVehicle",
    "LidarBlock",
    "LidarView",
    "MessageAssembler",
    "MessageType",
    "MissingTimestamp",
    "MountingPosition",
    "ObjectKind",
    "ObjectStates",
    "OsiError",
    "OsiInputError",
    "OutputBuffer",
    "Pointer",
    "RawMessage",
    "Reflections",
    "SkippedObject",
    "TraceError",
    "TraceKind",
    "TraceReader",
    "TraceWriter",
    "UndecodableMessage",
    "UnknownHost",
    "ViewConfiguration",
    "address_of",
    "custom_name",
    "datagrams",
    "decode_view_configuration",
    "empty_frame",
    "encode_detections",
    "encode_sensor_data",
    "encode_sensor_view",
    "encode_view_request",
    "frame_prefix",
    "framed",
    "guess_message_type",
    "message_time_ns",
    "open_trace",
    "open_trace_writer",
    "osi_trace_name",
    "read_frames",
    "read_message",
    "rotation_from_orientation",
    "trace_start",
    "write_trace",
]
