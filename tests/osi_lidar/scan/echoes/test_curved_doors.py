# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Ghosts in the curved door of a car that moves and turns, beside rays in the plane by hand."""

import json
import math

import numpy as np

from osi_lidar import LidarModel
from osi_lidar.clouds.origins import ORIGINS
from tests.builders.beams import SEES
from tests.builders.messages import Thing, frames, host
from tests.builders.worlds import AT_ORIGIN, config

GHOST = ORIGINS.index("ghost")
STEP_S, SIGMA_RAD = 0.1, 1e-5
RADIUS_M, HALF_RAD, N_FACETS, HIGH_M = 6.0, 0.25, 24, 1.0
DOOR, BOX = 7, 8
BOX_M = (2.0, 6.0, 4.0)


def outline():
    """Return the corners of the door seen from above, which bulges to -y, (n, 2) [m]."""
    angle = np.linspace(-HALF_RAD, HALF_RAD, N_FACETS + 1)
    corners = np.stack([RADIUS_M * np.sin(angle), -RADIUS_M * np.cos(angle)], axis=1)
    return corners - 0.5 * (corners.min(axis=0) + corners.max(axis=0))


def write_door(path):
    corners = [f"v {x!r} {y!r} {z!r}" for x, y in outline().tolist() for z in (-HIGH_M, HIGH_M)]
    faces = [f"f {2 * k + 1} {2 * k + 3} {2 * k + 4} {2 * k + 2}" for k in range(N_FACETS)]
    path.write_text("\n".join([*corners, "usemtl Lack", *faces]) + "\n")
    return path


def moved(first, velocity_m_s, yaw_rad, turns_rad_s, time_s):
    """Return the place and the heading of a body at a time."""
    return np.array(first) + np.array(velocity_m_s) * time_s, yaw_rad + turns_rad_s * time_s


def door_at(time_s):
    return moved((10.0, 0.5), (4.0, -3.0), math.radians(-50.0), 0.8, time_s)


def box_at(time_s):
    return moved((11.0, -9.0), (-6.0, 5.0), 0.3, -0.5, time_s)


def in_world(corners, pose):
    place, yaw = pose
    c, s = math.cos(yaw), math.sin(yaw)
    return corners @ np.array([[c, s], [-s, c]]) + place


def first_met(start, way, corners):
    """Return range, place and unit normal of the nearest piece of an outline on a ray."""
    begin, along = corners[:-1], np.diff(corners, axis=0)
    across = way[0] * along[:, 1] - way[1] * along[:, 0]
    off = begin - start
    range_m = (off[:, 0] * along[:, 1] - off[:, 1] * along[:, 0]) / across
    part = (off[:, 0] * way[1] - off[:, 1] * way[0]) / across
    range_m = np.where((part >= 0.0) & (part <= 1.0) & (range_m > 1e-3), range_m, np.inf)
    k = int(range_m.argmin())
    normal = np.array([-along[k, 1], along[k, 0]]) / np.linalg.norm(along[k])
    return range_m[k], start + range_m[k] * way, normal


def ghost_m(azimuth_rad, time_s):
    """Return the length of the way to the box by the door, out leg and second leg [m]."""
    way = np.array([math.cos(azimuth_rad), math.sin(azimuth_rad)])
    out_m, place, normal = first_met(np.zeros(2), way, in_world(outline(), door_at(time_s)))
    half = np.array(BOX_M[:2]) / 2.0
    square = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1), (-1, -1)]) * half
    after = way - 2.0 * (way @ normal) * normal
    return out_m + first_met(place, after, in_world(square, box_at(time_s)))[0]


def last_scan(folder):
    """Return a model and the last scan of it, whose level beams fire one after another."""
    flat = {"reflectance": [[0, 0.5], [90, 0.5]], "wavelength_nm": 905}
    lack = {**flat, "gloss": {"roughness": 0.002, "n": 1.5}}
    mapping = {"define": {"flat": flat, "lack": lack}, "materials": {"Lack": "lack", "*": "flat"}}
    (folder / "map.yaml").write_text(json.dumps(mapping))
    beams = np.stack([np.linspace(0, 0.0999, 400), np.linspace(7, -7, 400), np.zeros(400)], axis=1)
    np.savetxt(folder / "beams.csv", beams, fmt="%.9f", delimiter=",")
    sensor = {
        "name": "front",
        "pattern": {"kind": "table", "file": str(folder / "beams.csv")},
        "mounting": AT_ORIGIN,
        "fidelity": "physical",
        "noise": None,
        "max_range_m": 200.0,
        "range_limit": {"equation": {"pairs": [[10, 20_000]]}},
        "beam": {"divergence_deg": math.degrees(4.0 * SIGMA_RAD), "width": "e2"},
        "receiver": SEES,
        "returns": {"mode": "all", "max": 8},
    }
    door = {"match": {"id": DOOR}, "mesh": str(write_door(folder / "door.obj")), "up": "z"}
    model = LidarModel(
        config(
            sensors=[sensor],
            scene={"ground": "none", "objects": [{**door, "forward": "x"}]},
            materials={"mapping": str(folder / "map.yaml")},
        )
    )
    door_m = (*np.ptp(outline(), axis=0).tolist(), 2.0 * HIGH_M)
    worlds = []
    for k in range(3):
        both = ((DOOR, door_at, door_m), (BOX, box_at, BOX_M))
        poses = [(object_id, *at(STEP_S * k), size) for object_id, at, size in both]
        things = [
            Thing(i, (x, y, 0.0), yaw_rad=yaw, dimension_m=size) for i, (x, y), yaw, size in poses
        ]
        worlds.append([host(x_m=1.2, z_m=0.45), *things])  # its rear axle is at the origin
    steps = [model.step(frame) for frame in frames(worlds, STEP_S)]
    return model, steps[-1].scans[0]


def test_a_ghost_stands_where_the_facet_that_is_hit_sends_the_light(tmp_path):
    """Its range is that of both legs, each at the time of its beam; it is what the door shows."""
    model, scan = last_scan(tmp_path)
    points, pattern = scan.cloud.points, model.lidars[0].pattern
    ghosts = np.flatnonzero(points["origin"] == GHOST)
    beams = scan.cloud.beam[ghosts]
    times = STEP_S + pattern.time_s[beams]
    expected = np.array([*map(ghost_m, pattern.azimuth_rad[beams], times)])
    assert len(ghosts) > 50
    assert np.ptp(expected) > 1.0
    # the ray that looks is the first of the beam's, so that it may pass the edge of a facet
    off_m = np.abs(points["range"][ghosts] - expected)
    assert np.median(off_m) < 3e-4
    assert (off_m < 5e-3).mean() > 0.98
    assert (points["object_id"][ghosts] == BOX).all()
    places = np.stack([points[axis][ghosts] for axis in "xyz"], axis=1)
    np.testing.assert_allclose(
        places, points["range"][ghosts, None] * pattern.direction[beams], atol=1e-5
    )
