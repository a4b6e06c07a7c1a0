# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Fields of points in ROS 2 messages, as Velodyne's driver and Autoware define them.

Sources: ros-drivers/velodyne, pointcloudXYZIRT.cpp; autowarefoundation/autoware_core,
autoware_point_types/types.hpp; tier4/nebula, "Nebula point cloud types". In both layouts, times of
points are relative to the stamp of the message.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from lidar_app.exports.scan_points import after_ns, echo_numbers, has, strength

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from lidar_app.exports.scan_points import HasRow
    from osi_lidar.output.accumulation import Rows
    from osi_lidar.sensors.reports import Reports

_XYZ = (("x", "<f4"), ("y", "<f4"), ("z", "<f4"))
XYZIRT = np.dtype([*_XYZ, ("intensity", "<f4"), ("ring", "<u2"), ("time", "<f4")])
"""x y z [m], intensity as in `Reports.byte`, ring (0 = top), time [s]; 22 bytes."""
TRUTH = (("label", "<u2"), ("instance", "<u2"))
"""Ground truth after the other fields: class and instance number, see `labels`."""
_ANGLES = (("azimuth", "<f4"), ("elevation", "<f4"), ("distance", "<f4"))
_OF_RETURN = (("intensity", "u1"), ("return_type", "u1"), ("channel", "<u2"))
XYZIRCAEDT = np.dtype([*_XYZ, *_OF_RETURN, *_ANGLES, ("time_stamp", "<u4")])
"""x y z [m], intensity as in `Reports.byte`, return_type as in `return_types`, channel (the ring),
azimuth, 0 to 2 pi, and elevation [rad], distance [m], time_stamp [ns]; 32 bytes."""
NOT_KNOWN, SINGLE_STRONGEST = 0, 1
STRONGEST_FIRST, STRONGEST_LAST, WEAK_FIRST, WEAK_LAST, ONLY = range(3, 8)  # for several echoes


class PointLayout(NamedTuple):
    """A layout of points in ROS 2 messages.

    Attributes
    ----------
    rows : callable
        Takes a scan, its points (n_point,), and the sensor's conversion to intensity values;
        returns a structured array (n_point,) with the fields of the layout.
    topic : str
        Usual topic of the layout, with {} for the name of the sensor.
    """

    rows: Callable[[HasRow, Rows, Reports], Rows]
    topic: str


def _velodyne(scan: HasRow, points: Rows, reports: Reports) -> Rows:
    rows = _with_shared(XYZIRT, points)
    rows["intensity"] = reports.byte(points["reflectivity"])
    rows["time"] = 1e-9 * after_ns(scan, points)
    return rows


def _autoware(scan: HasRow, points: Rows, reports: Reports) -> Rows:
    rows = _with_shared(XYZIRCAEDT, points)
    x, y, z = (points[axis].astype(np.float64) for axis in "xyz")
    across = np.hypot(x, y)
    rows["intensity"] = np.rint(reports.byte(points["reflectivity"]))
    rows["return_type"] = return_types(points)
    rows["channel"] = points["ring"]
    rows["azimuth"] = np.arctan2(y, x) % (2.0 * np.pi)
    rows["elevation"] = np.arctan2(z, across)
    rows["distance"] = np.hypot(across, z)
    rows["time_stamp"] = after_ns(scan, points)
    return rows


LAYOUTS = {
    "xyzirt": PointLayout(_velodyne, "/{}/points"),
    "autoware": PointLayout(_autoware, "/sensing/lidar/{}/pointcloud_raw_ex"),
}


def return_types(points: Rows) -> NDArray[np.uint8]:
    """Return Autoware's type of each return, uint8 (n_point,).

    Sensors that report one echo have SINGLE_STRONGEST. Sensors that report several echoes have ONLY
    if the beam has a single echo. The nearest of several echoes has STRONGEST_FIRST if it is the
    strongest of the beam, else WEAK_FIRST; the farthest has STRONGEST_LAST or WEAK_LAST. Echoes in
    between have NOT_KNOWN.

    Parameters
    ----------
    points : structured (n_point,)
        Points, in which echoes of a beam are adjacent. Without the fields echo and n_echoes, the
        sensor reports one echo. Else the fields ring and column, and snr or reflectivity (the
        strength), are needed, too.
    """
    if not has(points, "echo", "n_echoes"):
        return np.full(len(points), SINGLE_STRONGEST, np.uint8)
    number, count = echo_numbers(points)
    signal = strength(points)
    beam = _beams(points)
    strongest = np.full(beam[-1] + 1 if len(beam) else 0, -np.inf, np.float32)
    np.maximum.at(strongest, beam, signal)
    is_strongest = signal == strongest[beam]
    first = np.where(is_strongest, STRONGEST_FIRST, WEAK_FIRST)
    last = np.where(is_strongest, STRONGEST_LAST, WEAK_LAST)
    types = np.where(number == 0, first, np.where(number == count - 1, last, NOT_KNOWN))
    return np.where(count == 1, ONLY, types).astype(np.uint8)


def with_truth(rows: Rows, labels: NDArray[np.uint32]) -> Rows:
    """Return a copy of points with two more fields of ground truth, label and instance (uint16).

    Parameters
    ----------
    rows : structured (n_point,)
        The points.
    labels : uint32 (n_point,)
        Label of each point: the class in the lower 16 bits, and the number of the object in the
        upper 16 bits.
    """
    told = np.zeros(len(rows), [*rows.dtype.descr, *TRUTH])
    for name in rows.dtype.names or ():
        told[name] = rows[name]
    told["label"], told["instance"] = labels & 0xFFFF, labels >> 16
    return told


def _with_shared(row: np.dtype[Any], points: Rows) -> Rows:
    """Return new rows with x, y, z and ring copied; all other fields are 0."""
    rows = np.zeros(len(points), row)
    for name in set(row.names or ()) & {"x", "y", "z", "ring"}:
        rows[name] = points[name]
    return rows


def _beams(points: Rows) -> NDArray[np.intp]:
    """Return a beam index for each point; echoes of a beam must be adjacent."""
    is_new = np.ones(len(points), bool)
    before, after = points[:-1], points[1:]
    is_new[1:] = (after["ring"] != before["ring"]) | (after["column"] != before["column"])
    is_new[1:] |= after["echo"] <= before["echo"]
    return np.cumsum(is_new) - 1
