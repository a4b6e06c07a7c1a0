# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Streets for the tests of surroundings, and overlaps found point by point."""

from __future__ import annotations

import numpy as np

from lidar_scenery import roads
from lidar_scenery.roads.meshing import triangles_of
from lidar_scenery.surroundings import Surroundings
from osi_bridge import ObjectStates
from tests.lidar_scenery.roads.networks import lane, line, network


def arc(radius_m, n=60, turn_rad=np.pi / 2):
    """Return points of an arc around the origin."""
    at = np.linspace(0.0, turn_rad, n)
    return np.stack([radius_m * np.cos(at), radius_m * np.sin(at), 0 * at], axis=1)


def bent_street():
    """Two lanes of 3 m around a quarter of a circle of 60 m."""
    lines = [line(k, arc(57.0 + 3.0 * k)) for k in range(3)]
    return roads.road_parts(network(lines, [lane(1, (0,), (1,)), lane(2, (1,), (2,))]))


def straight_street(*, lengths=(100.0,), width=3.0, **more):
    """Two lanes along x, in pieces of some lengths one after the other."""
    lines, lanes, start = [], [], 0.0
    for k, length in enumerate(lengths):
        for side, y in enumerate((width, 0.0, -width)):
            ends = [(start, y, 0.0), (start + length, y, 0.0)]
            lines.append(line(10 * k + side, ends))
        lanes += [lane(10 * k + s, (10 * k + s,), (10 * k + s + 1,)) for s in (0, 1)]
        start += length
    return roads.road_parts(network(lines, lanes, **more))


def objects(*rows):
    """Return objects of rows (id, kind, x, y, yaw, length, width)."""
    n = len(rows)
    table = np.array([row[2:] for row in rows], np.float64).reshape(n, 5)
    zeros = np.zeros(n)
    return ObjectStates(
        object_id=np.array([row[0] for row in rows], np.uint64),
        kind=np.array([row[1] for row in rows], np.uint8),
        type_name=("TYPE_OTHER",) * n,
        subtype_name=("",) * n,
        model_reference=("",) * n,
        position_m=np.column_stack([table[:, :2], zeros]),
        orientation_rad=np.column_stack([zeros, zeros, table[:, 2]]),
        dimension_m=np.column_stack([table[:, 3:5], zeros + 2.0]),
        rear_axle_from_center_m=np.full((n, 3), np.nan),
    )


NOTHING = objects()


def beside(parts, *, seed=0, swept_m=None, listed=NOTHING):
    """Return what stands beside a street."""
    wish = Surroundings(seed=seed, swept_m=swept_m)
    return wish.beside(parts, roads.ground_below(parts), listed)


def samples_m(placed, step_m=0.2):
    """Return points all over the boxes of placed things, and the thing of each."""
    points, owner = [], []
    for k, each in enumerate(placed.standing):
        length, width, _ = each.dimension_m
        u = np.linspace(-0.5, 0.5, int(length / step_m) + 2) * length
        v = np.linspace(-0.5, 0.5, int(width / step_m) + 2) * width
        local = np.stack(np.meshgrid(u, v), axis=2).reshape(-1, 2)
        pose = each.world_from_object
        points.append(local @ pose[:2, :2].T + pose[:2, 3])
        owner += [k] * len(local)
    return np.concatenate(points), np.array(owner)


def within(points_m, triangles_m):
    """Return which points lie in any triangle."""
    found = np.zeros(len(points_m), bool)
    for a, b, c in triangles_m:
        turns = [
            (v - u)[0] * (points_m[:, 1] - u[1]) - (v - u)[1] * (points_m[:, 0] - u[0])
            for u, v in ((a, b), (b, c), (c, a))
        ]
        found |= (np.min(turns, axis=0) >= 0) | (np.max(turns, axis=0) <= 0)
    return found


def road_triangles_m(parts):
    """Return all triangles of lanes, seen from above."""
    names, points_m, faces, material = triangles_of(parts)
    road = np.array([name.startswith("road_") for name in names])[material]
    return points_m[faces[road]][:, :, :2]
