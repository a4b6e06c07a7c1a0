# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""A run without a level frame: the host rolls, pitches and turns, so do its lidar and a car."""

import math

import numpy as np

from osi_lidar.run.frame_source import FrameSource
from osi_lidar.run.replay import replay
from osi_lidar.scan.from_config import pose_matrix
from tests.builders.messages import Thing, host
from tests.builders.runs import write_worlds
from tests.builders.worlds import config

CAR, PLATE = 5, 6
"""OSI ids of the car, and of a plate that hides a part of it."""
CAR_RAD, SIZE_M = (-0.15, 0.2, 0.9), (4.0, 2.0, 1.5)
MOUNTING_DEG = (-7.0, 9.0, 5.0)
"""Roll, pitch and yaw of the lidar on the host."""
GRID = {
    "kind": "grid",
    "horizontal": {"min_deg": -20, "max_deg": 20, "step_deg": 0.5},
    "vertical": {"min_deg": -14, "max_deg": 14, "step_deg": 0.5},
}
N_FRAMES = 3


def host_pose(frame):
    """Return position [m] and roll, pitch, yaw [rad] of the host's box in a message."""
    return (0.5 * frame, 0.1 * frame, 0.75), (0.1 + 0.02 * frame, 0.06, 0.1 * frame)


def world_from_host(frame):
    """Return the pose of the rear axle: 1.2 m behind the middle of the box, and 0.45 m below."""
    return pose_matrix(*host_pose(frame)) @ pose_matrix((-1.2, 0.0, -0.45), (0.0, 0.0, 0.0))


def host_from_lidar():
    """Return the mounting of the lidar."""
    return pose_matrix((1.0, 0.2, 1.5), tuple(map(math.radians, MOUNTING_DEG)))


def world_from_lidar(frame):
    """Return the pose of the lidar at the end of a scan."""
    return world_from_host(frame) @ host_from_lidar()


def world_from_car(frame):
    """Return the pose of the middle of the car at the end of a scan."""
    return pose_matrix((15.0 + 0.3 * frame, 2.0, 0.4), CAR_RAD)


def points_in_world(points, frame):
    """Return points of the lidar's frame (n, 3) in the world. [m]"""
    pose = world_from_lidar(frame)
    return np.asarray(points, np.float64) @ pose[:3, :3].T + pose[:3, 3]


def make_tilted(folder, run=replay):
    """Replay the drive into ``folder / "run"``, the trace beside it; return the folder of the run.

    ``run`` replays it: `replay`, or a function with the same parameters.
    """
    worlds = []
    for frame in range(N_FRAMES):
        place_m, (roll, pitch, yaw) = host_pose(frame)
        itself = host(*place_m, roll_rad=roll, pitch_rad=pitch, yaw_rad=yaw)
        roll, pitch, yaw = CAR_RAD
        place_m = tuple(world_from_car(frame)[:3, 3].tolist())
        car = Thing(CAR, place_m, roll_rad=roll, pitch_rad=pitch, yaw_rad=yaw)
        plate = Thing(PLATE, (9.0, 1.9, 0.0), dimension_m=(0.1, 1.2, 3.0), kind="stationary_object")
        worlds.append([itself, car, plate])
    trace = write_worlds(folder / "drive.osi", worlds)
    roll, pitch, yaw = MOUNTING_DEG
    turned = {"roll_deg": roll, "pitch_deg": pitch, "yaw_deg": yaw}
    mounting = {"x_m": 1.0, "y_m": 0.2, "z_m": 1.5, **turned}
    sensors = [{"name": "front", "pattern": GRID, "mounting": mounting}]
    run(FrameSource(trace), config(sensors=sensors, scene={"ground": "none"}), folder / "run")
    return folder / "run"
