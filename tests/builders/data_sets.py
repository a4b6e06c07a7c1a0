# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Runs that data sets are made of: small drives past cars, a pedestrian, a tree and a wall."""

import numpy as np

from osi_bridge import write_trace
from osi_lidar.run.frame_source import FrameSource
from osi_lidar.run.replay import replay
from tests.builders.messages import SensorView, Thing, host, message
from tests.builders.runs import GRID
from tests.builders.worlds import config

SENSORS = (
    {"name": "front", "pattern": GRID, "mounting": {"x_m": 1.0, "z_m": 1.5}},
    {"name": "left", "pattern": GRID, "mounting": {"y_m": 0.8, "z_m": 1.2, "yaw_deg": 30.0}},
)
PEDESTRIAN, TREE, WALL = 50, 60, 61
N_FRAMES = 12
"""Messages of a drive, 0.1 s apart: three key frames of nuScenes."""


def drive(seed, n_frames=N_FRAMES):
    """Yield the messages of a drive: three cars, of which one drives, and what stands around."""
    draw = np.random.default_rng(seed)
    cars = [
        (2 + n, (draw.uniform(9, 35), (-1) ** n * draw.uniform(3, 6), 0.75), draw.uniform(-3, 3))
        for n in range(3)
    ]
    still = [
        Thing(PEDESTRIAN, (12.0, 0.5, 0.9), dimension_m=(0.5, 0.6, 1.8)),
        Thing(TREE, (20.0, 2.0, 2.0), dimension_m=(1.0, 1.0, 4.0), kind="stationary_object"),
        Thing(WALL, (14.0, 6.0, 1.0), dimension_m=(0.3, 6.0, 2.0), kind="stationary_object"),
    ]
    for n in range(n_frames):
        shift = 0.5 * n
        moved = [
            Thing(each, (x + shift * (each == 2), y, z), yaw_rad=yaw)
            for each, (x, y, z), yaw in cars
        ]
        yield typed(message([host(x_m=0.2 * n), *moved, *still], time_s=0.1 * n))


def typed(data):
    """Return a message whose pedestrian is one, and whose tree and wall are of their types."""
    view = SensorView.FromString(data)
    for each in view.global_ground_truth.moving_object:
        if each.id.value == PEDESTRIAN:
            each.type = each.TYPE_PEDESTRIAN
            each.ClearField("vehicle_classification")
    for each in view.global_ground_truth.stationary_object:
        kinds = each.classification
        kinds.type = kinds.TYPE_TREE if each.id.value == TREE else kinds.TYPE_WALL
    return view.SerializeToString()


def write_drives(folder, n=2, n_frames=3):
    """Write short drives into ``0.osi`` and so on."""
    folder.mkdir(parents=True)
    for seed in range(n):
        write_trace(folder / f"{seed}.osi", drive(seed, n_frames), message_type="SensorView")


def make_drives(folder, n=5, sensors=SENSORS, n_frames=N_FRAMES):
    """Replay drives into ``folder / "drive_0"`` and so on, their traces beside them."""
    write_drives(folder / "traces", n, n_frames)
    for seed in range(n):
        trace = FrameSource(folder / "traces" / f"{seed}.osi")
        replay(trace, config(sensors=list(sensors)), folder / f"drive_{seed}")
    return folder
