# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Scans of two stated points, without a model that traces them."""

import numpy as np

from osi_bridge import NO_OBJECT
from osi_lidar.clouds.cloud import Cloud, point_type
from osi_lidar.scan.step import Scan

WIDE_ID = 2**64 - 2
"""An id that a double cannot hold."""


def scan_of(true_xyz_m=None, *, begin_ns=1_000, end_ns=5_000, time_ns=None, n=2, **columns):
    """Return a scan of points that are reported at (1, 2, 2), 3 m away, and (0, 0, -1).

    Further columns are fields of the points by name, such as reflectivity.
    """
    points = np.zeros(n, point_type("<u8", timed=time_ns is not None))
    for axis, values in zip("xyz", ((1, 0), (2, 0), (2, -1)), strict=True):
        points[axis] = values[:n]
    points["range"] = (3, 1)[:n]
    points["material_id"] = (2, 0)[:n]
    if time_ns is not None:
        points["time_ns"] = time_ns
    for name, values in columns.items():
        points[name] = values
    true = None if true_xyz_m is None else np.array(true_xyz_m, np.float32)
    cloud = Cloud(
        points=points,
        beam=np.arange(n, dtype=np.uint32),
        object_id=np.array([WIDE_ID, NO_OBJECT], np.uint64)[:n],
        true_xyz_m=true,
        true_range_m=None if true is None else np.linalg.norm(true, axis=1),
    )
    return Scan(
        sensor="front",
        number=7,
        cloud_number=7,
        begin_ns=begin_ns,
        end_ns=end_ns,
        traced=True,
        cloud=cloud,
        world_from_sensor=np.eye(4),
        world_from_sensor_at_begin=np.eye(4),
    )
