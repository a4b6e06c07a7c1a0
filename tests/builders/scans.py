# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Scans of a room by a sensor with rings and columns, by a closed form."""

from dataclasses import replace

import numpy as np

from lidar_gap.layout import Layout
from lidar_gap.records import Pair, ScanCloud
from lidar_gap.rings import range_image

N_RINGS, N_COLUMNS = 16, 360
ROOM_M = {"-x": 6.0, "+x": 10.0, "-y": 8.0, "+y": 5.0, "-z": 2.0, "+z": 3.0}
"""Distance of each side of the room from the sensor."""


def layout_of(n_columns=N_COLUMNS):
    """Return 16 rings from 15 to -15 deg, and columns of a full turn, clockwise from behind."""
    return Layout(
        elevation_deg=np.linspace(15, -15, N_RINGS),
        azimuth_offset_deg=np.zeros(N_RINGS),
        phase=np.zeros(N_RINGS),
        origin_m=np.zeros((N_RINGS, 3)),
        n_column=n_columns,
        step_deg=360 / n_columns,
        first_azimuth_deg=180.0 - 180 / n_columns,
        ring_number=np.arange(N_RINGS, dtype=np.int32),
    )


def room_scan(name="room", *, room_m=None, sigma_m=0.0, seed=0, n_columns=N_COLUMNS):
    """Return a scan of a room, with all columns of the record but times."""
    layout = layout_of(n_columns)
    direction = layout.beams()[1].reshape(-1, 3)
    sides_m = np.array(list({**ROOM_M, **(room_m or {})}.values())).reshape(3, 2)
    with np.errstate(divide="ignore"):
        distance_m = np.where(direction > 0, sides_m[:, 1], sides_m[:, 0]) / np.abs(direction)
    axis = distance_m.argmin(axis=1)
    rows = np.arange(len(direction))
    normal = np.zeros(direction.shape, np.float32)
    normal[rows, axis] = -np.sign(direction[rows, axis])
    noise_m = sigma_m * np.random.default_rng(seed).standard_normal(len(rows))
    range_m = distance_m.min(axis=1) + noise_m
    ring, column = np.divmod(rows, n_columns)
    return ScanCloud(
        name=name,
        points_m=direction * range_m[:, np.newaxis],
        range_m=range_m,
        intensity=np.linspace(0, 100, len(rows), dtype=np.float32),
        ring=ring.astype(np.int32),
        column=column.astype(np.int32),
        echo=np.zeros(len(rows), np.uint8),
        n_echoes=np.ones(len(rows), np.uint8),
        normal=normal,
    )


def pair_of(real, sim, n_columns=N_COLUMNS):
    """Return two clouds with their images."""
    layout = layout_of(n_columns)
    return Pair(
        real=real,
        sim=sim,
        real_image=range_image(real, layout),
        sim_image=range_image(sim, layout),
    )


def without(cloud, *columns):
    """Return a cloud that lacks some columns."""
    return replace(cloud, **dict.fromkeys(columns))


def farther(cloud, by_m):
    """Return a cloud whose points are farther along their beams."""
    factor = (cloud.range_m + by_m) / cloud.range_m
    return replace(
        cloud, points_m=cloud.points_m * factor[:, np.newaxis], range_m=cloud.range_m + by_m
    )
