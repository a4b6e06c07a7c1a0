# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Clouds of x, y and z whose rows are ring after ring."""

from dataclasses import replace

import numpy as np

from lidar_gap.calibrate.recording import record
from lidar_gap.records import ScanCloud

ELEVATION_DEG = np.array([2.0, 0.0, -2.0, -4.0, -6.0, -8.0, -10.0, -12.0])
N_COLUMN = 720


def in_order(name):
    """Return a cloud in a round room, row after row of rings from the top, as KITTI's files."""
    elevation, azimuth = np.meshgrid(
        np.radians(ELEVATION_DEG),
        -2 * np.pi * (np.arange(N_COLUMN) + 0.5) / N_COLUMN,
        indexing="ij",
    )
    across = np.cos(elevation)
    along = np.stack([across * np.cos(azimuth), across * np.sin(azimuth), np.sin(elevation)], -1)
    points_m = (8.0 / across[..., None] * along).reshape(-1, 3)
    return ScanCloud(name=name, points_m=points_m, range_m=np.linalg.norm(points_m, axis=1))


def test_a_cloud_that_is_cut_off_is_left_out_and_told(caplog):
    whole = [in_order(f"{number:06d}.pcd") for number in range(3)]
    cut = replace(whole[1].rows(np.arange(5 * N_COLUMN)), name="cut.pcd")
    recording = record([whole[0], cut, whole[2]])
    assert (recording.n_frame, recording.n_ring) == (2, len(ELEVATION_DEG))
    (told,) = caplog.messages
    assert "1 of 3 clouds, the first is cut.pcd" in told
    assert "8 rings" in told


def test_clouds_that_are_all_whole_are_all_taken(caplog):
    recording = record([in_order("a.pcd"), in_order("b.pcd")])
    assert (recording.n_frame, recording.n_ring) == (2, len(ELEVATION_DEG))
    assert not caplog.messages
