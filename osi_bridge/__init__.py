# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""ASAM OSI input and output: decodes messages into records and encodes records into messages.

This is the only package that uses protobuf. Names are imported on first use.
"""

from typing import TYPE_CHECKING

from lidar_base.lazy_names import imported_on_use

if TYPE_CHECKING:
    from osi_bridge.description.bones import BONES as BONES
    from osi_bridge.description.bones import Bones as Bones
    from osi_bridge.description.bones import bones_of as bones_of
    from osi_bridge.description.conditions import Conditions as Conditions
    from osi_bridge.description.details import ObjectDetails as ObjectDetails
    from osi_bridge.description.lanes import BoundaryLine as BoundaryLine
    from osi_bridge.description.lanes import Lane as Lane
    from osi_bridge.description.lanes import LaneFault as LaneFault
    from osi_bridge.description.lanes import LaneNetwork as LaneNetwork
    from osi_bridge.description.lanes import PaintedMark as PaintedMark
    from osi_bridge.description.limits import MAX_TIME_S as MAX_TIME_S
    from osi_bridge.description.limits import checked_time_ns as checked_time_ns
    from osi_bridge.description.object_faults import object_faults as object_faults
    from osi_bridge.description.read_details import object_details as object_details
    from osi_bridge.description.unused_fields import NOT_SEARCHED as NOT_SEARCHED
    from osi_bridge.description.unused_fields import UnusedFields as UnusedFields
    from osi_bridge.description.wheel_motion import WheelMotion as WheelMotion
    from osi_bridge.description.wheel_motion import wheel_motions as wheel_motions
    from osi_bridge.detections import encode_detections as encode_detections
    from osi_bridge.errors import BrokenFraming as BrokenFraming
    from osi_bridge.errors import DamagedTrace as DamagedTrace
    from osi_bridge.errors import LateMessage as LateMessage
    from osi_bridge.errors import MissingTimestamp as MissingTimestamp
    from osi_bridge.errors import OsiError as OsiError
    from osi_bridge.errors import OsiInputError as OsiInputError
    from osi_bridge.errors import TraceError as TraceError
    from osi_bridge.errors import UnchosenSourceError as UnchosenSourceError
    from osi_bridge.errors import UndecodableMessage as UndecodableMessage
    from osi_bridge.errors import UnknownHost as UnknownHost
    from osi_bridge.framing import ConnectionReader as ConnectionReader
    from osi_bridge.framing import other_protocol as other_protocol
    from osi_bridge.framing import read_message as read_message
    from osi_bridge.ground_truth import FrameDecoder as FrameDecoder
    from osi_bridge.ground_truth import carrier_frame as carrier_frame
    from osi_bridge.ground_truth import empty_frame as empty_frame
    from osi_bridge.ground_truth import message_time_ns as message_time_ns
    from osi_bridge.length_prefix import frame_prefix as frame_prefix
    from osi_bridge.length_prefix import framed as framed
    from osi_bridge.lidar_sensor_view import NO_SIGNAL_DB as NO_SIGNAL_DB
    from osi_bridge.lidar_sensor_view import LidarView as LidarView
    from osi_bridge.lidar_sensor_view import Reflections as Reflections
    from osi_bridge.lidar_sensor_view import encode_sensor_view as encode_sensor_view
    from osi_bridge.message_types import guess_message_type as guess_message_type
    from osi_bridge.order import MessageOrder as MessageOrder
    from osi_bridge.order import Place as Place
    from osi_bridge.pointers import MESSAGE_PARTS as MESSAGE_PARTS
    from osi_bridge.pointers import NO_DATA as NO_DATA
    from osi_bridge.pointers import OutputBuffer as OutputBuffer
    from osi_bridge.pointers import Pointer as Pointer
    from osi_bridge.pointers import address_of as address_of
    from osi_bridge.reassembly import MessageAssembler as MessageAssembler
    from osi_bridge.reassembly import begins_message as begins_message
    from osi_bridge.reassembly import datagrams as datagrams
    from osi_bridge.records import NO_OBJECT as NO_OBJECT
    from osi_bridge.records import DetectionClass as DetectionClass
    from osi_bridge.records import Detections as Detections
    from osi_bridge.records import EchoFields as EchoFields
    from osi_bridge.records import Frame as Frame
    from osi_bridge.records import HostVehicle as HostVehicle
    from osi_bridge.records import MessageType as MessageType
    from osi_bridge.records import MountingPosition as MountingPosition
    from osi_bridge.records import ObjectKind as ObjectKind
    from osi_bridge.records import ObjectStates as ObjectStates
    from osi_bridge.records import SkippedObject as SkippedObject
    from osi_bridge.records import Sun as Sun
    from osi_bridge.rotation import orientation_from_rotation as orientation_from_rotation
    from osi_bridge.rotation import rotation_from_orientation as rotation_from_orientation
    from osi_bridge.sensor_data import DataQualifier as DataQualifier
    from osi_bridge.sensor_data import LidarBlock as LidarBlock
    from osi_bridge.sensor_data import encode_sensor_data as encode_sensor_data
    from osi_bridge.sensor_data import qualifier_of as qualifier_of
    from osi_bridge.traces.binary import RawMessage as RawMessage
    from osi_bridge.traces.contents import ObjectGroup as ObjectGroup
    from osi_bridge.traces.contents import TraceContents as TraceContents
    from osi_bridge.traces.contents import trace_contents as trace_contents
    from osi_bridge.traces.mcap import ChannelSummary as ChannelSummary
    from osi_bridge.traces.mcap import mcap_channels as mcap_channels
    from osi_bridge.traces.mcap import mcap_messages as mcap_messages
    from osi_bridge.traces.moving_boxes import MovingBox as MovingBox
    from osi_bridge.traces.moving_boxes import encode_ground_truth as encode_ground_truth
    from osi_bridge.traces.names import OSI_VERSION as OSI_VERSION
    from osi_bridge.traces.names import PROTOBUF_VERSION as PROTOBUF_VERSION
    from osi_bridge.traces.names import custom_name as custom_name
    from osi_bridge.traces.names import osi_trace_name as osi_trace_name
    from osi_bridge.traces.names import trace_start as trace_start
    from osi_bridge.traces.names import trace_stem as trace_stem
    from osi_bridge.traces.reader import TraceReader as TraceReader
    from osi_bridge.traces.reader import open_trace as open_trace
    from osi_bridge.traces.reader import read_frames as read_frames
    from osi_bridge.traces.reader import some_objects as some_objects
    from osi_bridge.traces.writer import TraceKind as TraceKind
    from osi_bridge.traces.writer import TraceWriter as TraceWriter
    from osi_bridge.traces.writer import open_trace_writer as open_trace_writer
    from osi_bridge.traces.writer import unfinished_trace as unfinished_trace
    from osi_bridge.traces.writer import write_trace as write_trace
    from osi_bridge.view_configuration import ViewConfiguration as ViewConfiguration
    from osi_bridge.view_configuration import decode_view_configuration as decode_view_configuration
    from osi_bridge.view_configuration import encode_view_request as encode_view_request
    from osi_bridge.viewers.clouds import POINT_CLOUD as POINT_CLOUD
    from osi_bridge.viewers.clouds import cloud_reader as cloud_reader
    from osi_bridge.viewers.frames import BB_CENTER_FRAME as BB_CENTER_FRAME
    from osi_bridge.viewers.frames import GLOBAL_FRAME as GLOBAL_FRAME
    from osi_bridge.viewers.frames import REAR_AXLE_FRAME as REAR_AXLE_FRAME
    from osi_bridge.viewers.frames import VIRTUAL_MOUNTING_FRAME as VIRTUAL_MOUNTING_FRAME
    from osi_bridge.viewers.frames import Transform as Transform
    from osi_bridge.viewers.layout import layout as layout
    from osi_bridge.viewers.messages import NO_SCHEMAS as NO_SCHEMAS
    from osi_bridge.viewers.messages import DrawnBoxes as DrawnBoxes
    from osi_bridge.viewers.messages import ViewerMessage as ViewerMessage
    from osi_bridge.viewers.messages import are_schemas_missing as are_schemas_missing
    from osi_bridge.viewers.messages import frame_transforms as frame_transforms
    from osi_bridge.viewers.messages import grey_image as grey_image
    from osi_bridge.viewers.messages import osi_message as osi_message
    from osi_bridge.viewers.messages import point_cloud as point_cloud
    from osi_bridge.viewers.messages import scene_update as scene_update
    from osi_bridge.viewers.messages import schema_bytes as schema_bytes
    from osi_bridge.viewers.range_image import MOST_COLUMNS as MOST_COLUMNS
    from osi_bridge.viewers.range_image import RangeImages as RangeImages
    from osi_bridge.viewers.static_content import StaticContent as StaticContent
    from osi_bridge.viewers.topics import EDGES as EDGES
    from osi_bridge.viewers.topics import OBJECTS as OBJECTS
    from osi_bridge.viewers.topics import TRANSFORMS as TRANSFORMS
    from osi_bridge.viewers.topics import image_topic as image_topic
    from osi_bridge.viewers.topics import osi_topic as osi_topic
    from osi_bridge.viewers.topics import points_topic as points_topic
    from osi_bridge.viewers.writer import ViewerFile as ViewerFile

_HOME = {
    "MessageAssembler": "reassembly",
    "begins_message": "reassembly",
    "datagrams": "reassembly",
    "BONES": "description.bones",
    "Bones": "description.bones",
    "bones_of": "description.bones",
    "WheelMotion": "description.wheel_motion",
    "wheel_motions": "description.wheel_motion",
    "encode_detections": "detections",
    "Conditions": "description.conditions",
    "NOT_SEARCHED": "description.unused_fields",
    "UnusedFields": "description.unused_fields",
    "ObjectDetails": "description.details",
    "MAX_TIME_S": "description.limits",
    "checked_time_ns": "description.limits",
    "object_faults": "description.object_faults",
    "object_details": "description.read_details",
    "BrokenFraming": "errors",
    "DamagedTrace": "errors",
    "LateMessage": "errors",
    "MissingTimestamp": "errors",
    "OsiError": "errors",
    "OsiInputError": "errors",
    "TraceError": "errors",
    "UndecodableMessage": "errors",
    "UnchosenSourceError": "errors",
    "UnknownHost": "errors",
    "ConnectionReader": "framing",
    "frame_prefix": "length_prefix",
    "framed": "length_prefix",
    "other_protocol": "framing",
    "read_message": "framing",
    "FrameDecoder": "ground_truth",
    "carrier_frame": "ground_truth",
    "empty_frame": "ground_truth",
    "message_time_ns": "ground_truth",
    "BoundaryLine": "description.lanes",
    "Lane": "description.lanes",
    "LaneFault": "description.lanes",
    "LaneNetwork": "description.lanes",
    "PaintedMark": "description.lanes",
    "MessageOrder": "order",
    "Place": "order",
    "NO_SIGNAL_DB": "lidar_sensor_view",
    "LidarView": "lidar_sensor_view",
    "Reflections": "lidar_sensor_view",
    "encode_sensor_view": "lidar_sensor_view",
    "guess_message_type": "message_types",
    "MESSAGE_PARTS": "pointers",
    "NO_DATA": "pointers",
    "OutputBuffer": "pointers",
    "Pointer": "pointers",
    "address_of": "pointers",
    "NO_OBJECT": "records",
    "DetectionClass": "records",
    "Detections": "records",
    "EchoFields": "records",
    "Frame": "records",
    "HostVehicle": "records",
    "MessageType": "records",
    "MountingPosition": "records",
    "ObjectKind": "records",
    "ObjectStates": "records",
    "SkippedObject": "records",
    "Sun": "records",
    "orientation_from_rotation": "rotation",
    "rotation_from_orientation": "rotation",
    "DataQualifier": "sensor_data",
    "LidarBlock": "sensor_data",
    "encode_sensor_data": "sensor_data",
    "qualifier_of": "sensor_data",
    "RawMessage": "traces.binary",
    "ObjectGroup": "traces.contents",
    "TraceContents": "traces.contents",
    "trace_contents": "traces.contents",
    "ChannelSummary": "traces.mcap",
    "mcap_channels": "traces.mcap",
    "mcap_messages": "traces.mcap",
    "MovingBox": "traces.moving_boxes",
    "encode_ground_truth": "traces.moving_boxes",
    "OSI_VERSION": "traces.names",
    "PROTOBUF_VERSION": "traces.names",
    "custom_name": "traces.names",
    "osi_trace_name": "traces.names",
    "trace_start": "traces.names",
    "trace_stem": "traces.names",
    "TraceReader": "traces.reader",
    "open_trace": "traces.reader",
    "read_frames": "traces.reader",
    "some_objects": "traces.reader",
    "TraceKind": "traces.writer",
    "TraceWriter": "traces.writer",
    "open_trace_writer": "traces.writer",
    "unfinished_trace": "traces.writer",
    "write_trace": "traces.writer",
    "ViewConfiguration": "view_configuration",
    "decode_view_configuration": "view_configuration",
    "encode_view_request": "view_configuration",
    "POINT_CLOUD": "viewers.clouds",
    "cloud_reader": "viewers.clouds",
    "BB_CENTER_FRAME": "viewers.frames",
    "GLOBAL_FRAME": "viewers.frames",
    "REAR_AXLE_FRAME": "viewers.frames",
    "VIRTUAL_MOUNTING_FRAME": "viewers.frames",
    "Transform": "viewers.frames",
    "layout": "viewers.layout",
    "DrawnBoxes": "viewers.messages",
    "NO_SCHEMAS": "viewers.messages",
    "ViewerMessage": "viewers.messages",
    "are_schemas_missing": "viewers.messages",
    "frame_transforms": "viewers.messages",
    "grey_image": "viewers.messages",
    "osi_message": "viewers.messages",
    "point_cloud": "viewers.messages",
    "scene_update": "viewers.messages",
    "schema_bytes": "viewers.messages",
    "MOST_COLUMNS": "viewers.range_image",
    "RangeImages": "viewers.range_image",
    "StaticContent": "viewers.static_content",
    "EDGES": "viewers.topics",
    "OBJECTS": "viewers.topics",
    "TRANSFORMS": "viewers.topics",
    "image_topic": "viewers.topics",
    "osi_topic": "viewers.topics",
    "points_topic": "viewers.topics",
    "ViewerFile": "viewers.writer",
}

__all__ = [*_HOME]  # noqa: PLE0604  the names are texts

__getattr__ = imported_on_use(__name__, _HOME)
