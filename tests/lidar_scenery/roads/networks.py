# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Lane networks for the tests."""

from __future__ import annotations

import numpy as np

from lidar_scenery.roads.meshing import triangles_of
from osi_bridge import BoundaryLine, Lane, LaneNetwork, PaintedMark


def line(own_id, points, kind="SOLID_LINE", *, width=0.15, height=0.0, dash=0, **more):
    points_m = np.array(points, np.float64)
    n = len(points_m)
    return BoundaryLine(
        id=own_id,
        points_m=points_m,
        width_m=np.full(n, width),
        height_m=np.full(n, height),
        dash=np.broadcast_to(np.array(dash, np.uint8), n),
        type_name=kind,
        **more,
    )


def straight(own_id, y, kind="SOLID_LINE", *, length=100.0, z=(0.0, 0.0), **more):
    return line(own_id, [(0.0, y, z[0]), (length, y, z[1])], kind, **more)


def lane(own_id, left, right, *, kind="DRIVING", subtype="NORMAL", **more):
    return Lane(
        id=own_id, type_name=kind, subtype_name=subtype, left_ids=left, right_ids=right, **more
    )


def network(lines=(), lanes=(), marks=(), **more):
    return LaneNetwork(
        boundaries={each.id: each for each in lines},
        lanes={each.id: each for each in lanes},
        markings={each.id: each for each in marks},
        **more,
    )


def mark(own_id=1, *, position=(0, 0, 0), orientation=(0, 0, 0), dimension=(0, 0, 0), outline=()):
    return PaintedMark(
        id=own_id,
        position_m=np.array(position, np.float64),
        orientation_rad=np.array(orientation, np.float64),
        dimension_m=np.array(dimension, np.float64),
        outline_m=np.array(outline, np.float64).reshape(-1, 2),
        type_name="GENERIC_SYMBOL",
        color_name="WHITE",
    )


def two_lanes(middle="DASHED_LINE", **more):
    """Two lanes of 3 m along the x axis, 100 m long."""
    lines = [straight(1, 3.0), straight(2, 0.0, middle, **more), straight(3, -3.0)]
    return network(lines, [lane(1, (1,), (2,)), lane(2, (2,), (3,))])


def road_heights(parts, points_m):
    """Return the height of the highest road triangle below or above points, NaN without one."""
    names, corners_m, faces, material = triangles_of(parts)
    road = np.array([name.startswith("road_") for name in names])[material]
    a, b, c = np.moveaxis(corners_m[faces[road]], 1, 0)
    heights = np.full(len(points_m), np.nan)
    for k, p in enumerate(points_m):
        normal = np.cross(b - a, c - a)
        shares = [
            (v - u)[:, 0] * (p - u)[:, 1] - (v - u)[:, 1] * (p - u)[:, 0]
            for u, v in ((a, b), (b, c), (c, a))
        ]
        inside = np.min(shares, axis=0) >= -1e-9
        if inside.any():
            z = (
                a[inside, 2]
                - ((p - a[inside])[:, :2] * normal[inside, :2]).sum(1) / normal[inside, 2]
            )
            heights[k] = z.max()
    return heights
