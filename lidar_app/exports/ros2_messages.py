# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""ROS 2 messages without ROS: clouds as PointCloud2, and transforms.

Frames are ``map`` (the world of the trace), ``base_link`` (the centre of the host's rear axle) and
the names of the sensors, with x forward, y left and z up (REP 103, REP 105).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np

from lidar_app.exports.export_run import library
from lidar_app.exports.scan_points import VELOCITY, has
from lidar_base.fields import with_field
from osi_lidar.clouds.cloud import NEAR_IR
from osi_lidar.clouds.pcd import pose_row
from osi_lidar.errors import InputError
from osi_lidar.output.accumulation import matrix_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from numpy.typing import NDArray
    from rosbags.typesys.store import Typestore

    from lidar_app.exports.ros2_layouts import PointLayout
    from lidar_app.exports.scan_points import HasRow
    from osi_lidar.output.accumulation import Rows
    from osi_lidar.output.frame_table import FrameRow
    from osi_lidar.sensors.reports import Reports

MAP, BASE = "map", "base_link"
CLOUD, TRANSFORMS = "sensor_msgs/msg/PointCloud2", "tf2_msgs/msg/TFMessage"
CLOCK = "rosgraph_msgs/msg/Clock"
_TYPES = {"f4": 7, "u1": 2, "u2": 4, "u4": 6}  # numbers of sensor_msgs/msg/PointField
_MOST_SECONDS = 2**31


def message_types(extra: str) -> Typestore:
    """Return the ROS 2 message types of rosbags; the returned store also serialises messages.

    Parameters
    ----------
    extra : str
        The extra of osi-lidar that installs rosbags, for the error message.

    Raises
    ------
    OutputError
        If rosbags is not installed.
    """
    typesys = library("rosbags.typesys", extra)
    types: Typestore = typesys.get_typestore(typesys.Stores.ROS2_HUMBLE)
    return types


def ros_names(names: Iterable[str], where: object) -> dict[str, str]:
    """Return a name that ROS allows (letters, digits and _) for each sensor, by the sensor's name.

    Parameters
    ----------
    names : iterable of str
        The names of the sensors.
    where : object
        Folder or option with these sensors, for error messages.

    Raises
    ------
    InputError
        If two sensors would get the same name.
    """
    allowed = {name: re.sub(r"\W", "_", name, flags=re.ASCII) for name in names}
    allowed = {own: f"lidar_{name}" if name[0].isdigit() else name for own, name in allowed.items()}
    if len(set(allowed.values())) < len(allowed):
        raise InputError(f"{where}: sensors {', '.join(allowed)} would have equal names in ROS")
    return allowed


def cloud_rows(layout: PointLayout, scan: HasRow, points: Rows, reports: Reports) -> Rows:
    """Return points as a structured array (n_point,) with the fields of a layout.

    If the points have radial velocity or ambient light, these fields follow the others.

    Parameters
    ----------
    layout : PointLayout
        The layout, such as Velodyne's.
    scan : HasRow
        The scan, for its times.
    points : structured (n_point,)
        Points of the scan.
    reports : Reports
        Conversion of reflectivity to the intensity values of the sensor.
    """
    rows = layout.rows(scan, points, reports)
    for name in (VELOCITY, NEAR_IR):
        if has(points, name):
            rows = with_field(rows, name, points[name])
    return rows


def cloud_message(types: Typestore, rows: Rows, *, time_ns: int, frame: str) -> object:
    """Return points as a PointCloud2 message.

    Parameters
    ----------
    types : Typestore
        The types of messages, from `message_types`.
    rows : structured (n_point,)
        The points, from `cloud_rows`. The message shares their memory.
    time_ns : int
        The stamp: the begin of the scan. [ns]
    frame : str
        Name of the sensor's frame in ROS.

    Raises
    ------
    InputError
        If the time is too large for ROS.
    """
    fields: Any = rows.dtype.fields
    described = [
        types.types["sensor_msgs/msg/PointField"](
            name=name, offset=fields[name][1], datatype=_TYPES[fields[name][0].str[1:]], count=1
        )
        for name in rows.dtype.names or ()
    ]
    return types.types[CLOUD](
        header=_header(types, time_ns, frame),
        height=1,
        width=len(rows),
        fields=described,
        is_bigendian=False,
        point_step=rows.itemsize,
        row_step=rows.nbytes,
        data=rows.view(np.uint8),
        is_dense=True,
    )


def host_poses(
    rows: Iterable[FrameRow], mountings: Mapping[str, NDArray[np.float64]]
) -> dict[int, NDArray[np.float64]]:
    """Return the poses of the host at the begin and the end of each scan, in the order of times.

    Parameters
    ----------
    rows : iterable of FrameRow
        The scans' rows of frames.csv, with the poses of the sensors.
    mountings : mapping of str to float64 (4, 4)
        Pose of each sensor on the host, by the name of the sensor. [m]

    Returns
    -------
    dict of int to float64 (4, 4)
        map_from_base_link [m] by time [ns]; negative times become 0. Scans without poses are left
        out. If there are several poses at one time, the first is taken.
    """
    poses: dict[int, NDArray[np.float64]] = {}
    for row in rows:
        begin = max(row.begin_ns, 0), row.begin_pose
        for time_ns, pose in (begin, (row.end_ns, row.end_pose)):
            if pose is not None and time_ns not in poses:
                poses[time_ns] = matrix_of(pose) @ np.linalg.inv(mountings[row.sensor])
    return dict(sorted(poses.items()))


def transforms_message(
    types: Typestore, frame: str, poses: Iterable[tuple[int, str, NDArray[np.float64]]]
) -> object:
    """Return the poses of child frames in a parent frame as a TFMessage.

    Parameters
    ----------
    types : Typestore
        The types of messages, from `message_types`.
    frame : str
        Name of the parent frame.
    poses : iterable of (int, str, float64 (4, 4))
        Time [ns], name, and pose in the parent frame [m] of each child frame.

    Raises
    ------
    InputError
        If the time is too large for ROS.
    """
    of = types.types
    transforms = []
    for time_ns, child, pose in poses:
        x, y, z, qw, qx, qy, qz = pose_row(pose)
        placed = of["geometry_msgs/msg/Transform"](
            translation=of["geometry_msgs/msg/Vector3"](x=x, y=y, z=z),
            rotation=of["geometry_msgs/msg/Quaternion"](x=qx, y=qy, z=qz, w=qw),
        )
        stamped = of["geometry_msgs/msg/TransformStamped"]
        header = _header(types, time_ns, frame)
        transforms.append(stamped(header=header, child_frame_id=child, transform=placed))
    return of[TRANSFORMS](transforms=transforms)


def stamp(types: Typestore, time_ns: int) -> object:
    """Return a time as a ROS message, builtin_interfaces/msg/Time.

    Parameters
    ----------
    types : Typestore
        The types of messages, from `message_types`.
    time_ns : int
        The time. [ns]

    Raises
    ------
    InputError
        If the time does not fit into 32 bits of seconds.
    """
    seconds, rest_ns = divmod(time_ns, 1_000_000_000)
    if not -_MOST_SECONDS <= seconds < _MOST_SECONDS:
        raise InputError(
            f"time {seconds} s: expected less than 2**31 s, as ROS 2 counts in 32 bits"
        )
    return types.types["builtin_interfaces/msg/Time"](sec=seconds, nanosec=rest_ns)


def _header(types: Typestore, time_ns: int, frame: str) -> object:
    return types.types["std_msgs/msg/Header"](stamp=stamp(types, time_ns), frame_id=frame)
