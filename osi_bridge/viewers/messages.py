# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Messages for viewers, serialised: point clouds, transforms and images in Foxglove's schemas.

The schemas come from the package foxglove-schemas-protobuf, which the extra ``viewers`` installs.
"""

from __future__ import annotations

import importlib.util
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from google.protobuf.descriptor_pb2 import FileDescriptorSet

from osi_bridge.message_types import MESSAGE_CLASSES

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from google.protobuf.message import Message
    from numpy.typing import NDArray

    from osi_bridge.records import MessageType
    from osi_bridge.viewers.frames import Transform

NO_SCHEMAS = "foxglove-schemas-protobuf is not installed: pip install 'osi-lidar[viewers]'"
_LAST_NS = 2**32 * 1_000_000_000 - 1
_FOXGLOVE, _OSI = "foxglove.", "osi3."
_NUMERIC_TYPES = {  # type numbers of foxglove.PackedElementField, which has no 64-bit integers
    "u1": "UINT8",
    "i1": "INT8",
    "u2": "UINT16",
    "i2": "INT16",
    "u4": "UINT32",
    "i4": "INT32",
    "f4": "FLOAT32",
    "f8": "FLOAT64",
}


class ViewerMessage(NamedTuple):
    """A serialised message for a viewer, and its type.

    Attributes
    ----------
    schema : str
        Full name of its protobuf type, such as "foxglove.PointCloud" or "osi3.SensorView".
    data : bytes
        The serialised message.
    """

    schema: str
    data: bytes


class DrawnBoxes(NamedTuple):
    """Boxes of objects, in a coordinate frame.

    Attributes
    ----------
    object_id : sequence of int (n,)
        OSI ids.
    kind : sequence of str (n,)
        Name of each object's class, as for the labels of points, such as "car".
    poses : float64 (n, 7)
        Centre x y z [m] and the unit quaternion qw qx qy qz.
    size_m : float64 (n, 3)
        Length, width, height. [m]
    colours : uint8 (n, 4)
        Red, green, blue and alpha, 0 to 255.
    """

    object_id: Sequence[int]
    kind: Sequence[str]
    poses: NDArray[np.float64]
    size_m: NDArray[np.float64]
    colours: NDArray[np.uint8]


def are_schemas_missing() -> bool:
    """Return whether the package foxglove-schemas-protobuf is not installed."""
    return importlib.util.find_spec("foxglove_schemas_protobuf") is None


def osi_message(message_type: MessageType, data: bytes) -> ViewerMessage:
    """Return a serialised OSI message, unchanged, together with the full name of its type.

    ``message_type`` is "SensorView", "GroundTruth" or "SensorData", and becomes "osi3.SensorView"
    and so on. ``data`` is the serialised message.
    """
    return ViewerMessage(_OSI + message_type, data)


def point_cloud(points: NDArray[Any], *, frame: str, time_ns: int) -> ViewerMessage:
    """Return points as a serialised foxglove.PointCloud message.

    Parameters
    ----------
    points : structured (n_point,)
        Rows with x, y, z [m]. All fields are kept; 64-bit integers become float64, which is exact
        up to 2**53.
    frame : str
        Name of the coordinate frame of the points.
    time_ns : int
        Time at which the pose of this frame is valid. [ns]
    """
    cloud = _new("PointCloud")
    numeric_type = _class("PackedElementField").DESCRIPTOR.fields_by_name["type"].enum_type
    points = np.ascontiguousarray(_without_wide_integers(points))
    for name, (kind, offset, *_) in (points.dtype.fields or {}).items():
        number = numeric_type.values_by_name[_NUMERIC_TYPES[kind.str[1:]]].number
        cloud.fields.add(name=name, offset=offset, type=number)
    cloud.timestamp.FromNanoseconds(_clamped_ns(time_ns))
    cloud.frame_id = frame
    cloud.pose.position.SetInParent()
    cloud.pose.orientation.w = 1.0
    cloud.point_stride = points.dtype.itemsize
    cloud.data = points.tobytes()
    return _serialised(cloud)


def _without_wide_integers(points: NDArray[Any]) -> NDArray[Any]:
    """Return points whose 64-bit integers are float64, in rows of the same size."""
    fields: Mapping[str, Any] = points.dtype.fields or {}
    wide = [name for name, (kind, *_) in fields.items() if kind.kind in "iu" and kind.itemsize == 8]
    if not wide:
        return points
    kind = np.dtype([(name, "<f8" if name in wide else fields[name][0]) for name in fields])
    return points.astype(kind)


def frame_transforms(transforms: Iterable[Transform]) -> ViewerMessage:
    """Return a serialised foxglove.FrameTransforms message.

    ``transforms`` are poses of coordinate frames in their parent frames. Each becomes one entry.
    """
    message = _new("FrameTransforms")
    for each in transforms:
        one = message.transforms.add(parent_frame_id=each.parent, child_frame_id=each.child)
        one.timestamp.FromNanoseconds(_clamped_ns(each.time_ns))
        x, y, z, qw, qx, qy, qz = map(float, each.pose)
        one.translation.x, one.translation.y, one.translation.z = x, y, z
        one.rotation.x, one.rotation.y, one.rotation.z, one.rotation.w = qx, qy, qz, qw
    return _serialised(message)


def scene_update(boxes: DrawnBoxes, *, frame: str, time_ns: int) -> ViewerMessage:
    """Return a serialised foxglove.SceneUpdate message with all current boxes of objects.

    The message removes the boxes of earlier messages, so no box needs a lifetime.

    Parameters
    ----------
    boxes : DrawnBoxes
        The boxes.
    frame : str
        Name of the coordinate frame of the boxes.
    time_ns : int
        Time at which the pose of this frame is valid. [ns]
    """
    message = _new("SceneUpdate")
    removed = message.deletions.add()
    removed.type = removed.ALL
    removed.timestamp.FromNanoseconds(_clamped_ns(time_ns))
    for number, kind, pose, size, colour in zip(*boxes, strict=True):
        entity = message.entities.add(id=str(number), frame_id=frame, frame_locked=True)
        entity.timestamp.FromNanoseconds(_clamped_ns(time_ns))
        entity.lifetime.SetInParent()
        entity.metadata.add(key="class", value=kind)
        cube = entity.cubes.add()
        at, turn = cube.pose.position, cube.pose.orientation
        at.x, at.y, at.z, turn.w, turn.x, turn.y, turn.z = pose.tolist()
        cube.size.x, cube.size.y, cube.size.z = size.tolist()
        shade = cube.color
        shade.r, shade.g, shade.b, shade.a = (colour / 255.0).tolist()
    return _serialised(message)


def grey_image(pixels: NDArray[np.uint16], *, frame: str, time_ns: int) -> ViewerMessage:
    """Return a serialised foxglove.RawImage message with 16 bits per pixel (mono16).

    Parameters
    ----------
    pixels : uint16 (height, width)
        The image, with the top row first.
    frame : str
        Name of the coordinate frame of the sensor that the image comes from.
    time_ns : int
        Time of the image. [ns]
    """
    image = _new("RawImage")
    image.timestamp.FromNanoseconds(_clamped_ns(time_ns))
    image.frame_id = frame
    image.height, image.width = pixels.shape
    image.encoding = "mono16"
    image.step = 2 * image.width
    image.data = pixels.astype("<u2").tobytes()
    return _serialised(image)


def schema_bytes(schema: str) -> bytes:
    """Return a serialised FileDescriptorSet with a message type and all types that it needs.

    `schema` is the full name of the type, such as "foxglove.PointCloud" or "osi3.SensorView".
    """
    described, seen = FileDescriptorSet(), set()

    def add(file: Any) -> None:  # noqa: ANN401  protobuf has no types
        if file.name not in seen:
            seen.add(file.name)
            for needed in file.dependencies:
                add(needed)
            file.CopyToProto(described.file.add())

    package, _, name = schema.rpartition(".")
    kind = _class(name) if package + "." == _FOXGLOVE else MESSAGE_CLASSES[name]
    add(kind.DESCRIPTOR.file)
    data: bytes = described.SerializeToString()
    return data


def _clamped_ns(time_ns: int) -> int:
    """Return a time [ns], limited to what viewers support: seconds since 1970 in 32 bits."""
    return min(max(time_ns, 0), _LAST_NS)


def _class(name: str) -> Any:  # noqa: ANN401
    return getattr(import_module(f"foxglove_schemas_protobuf.{name}_pb2"), name)


def _new(name: str) -> Any:  # noqa: ANN401
    return _class(name)()


def _serialised(message: Message) -> ViewerMessage:
    return ViewerMessage(message.DESCRIPTOR.full_name, message.SerializeToString())
