# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Clouds of x, y and z whose rows are ring after ring."""

from dataclasses import replace

import numpy as np

from lidar_gap.calibrate.noise import find_noise
from lidar_gap.calibrate.recording import record
from lidar_gap.calibrate.samples import temporal
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


def numbered(name):
    """Return that cloud with its laser numbers."""
    ring = np.repeat(np.arange(len(ELEVATION_DEG), dtype=np.int32), N_COLUMN)
    return replace(in_order(name), ring=ring)


def test_clouds_without_a_point_are_left_out_and_told(caplog):
    whole = [numbered(f"{number:06d}.pcd") for number in range(3)]
    empty = replace(whole[1].rows(np.arange(0)), name="empty.pcd")
    within = replace(whole[1], name="within.pcd", range_m=np.full(len(whole[1]), 0.04))
    recording = record([whole[0], empty, within, *whole[1:]])
    assert recording.n_frame == 3
    assert recording.at_rest
    (told,) = caplog.messages
    assert told.endswith("no usable point: 2 of 5 clouds, the first is empty.pcd")


def test_a_frame_without_a_nearest_echo_is_not_compared():
    clouds = [
        replace(numbered(f"{number}.pcd"), echo=np.full(8 * N_COLUMN, number == 1, np.uint8))
        for number in range(4)
    ]
    assert record(clouds).at_rest
    assert not record(clouds[:2]).at_rest


def test_scans_of_a_few_points_have_no_temporal_noise():
    few = numbered("b.pcd").rows(np.arange(4))
    recording = record([numbered("a.pcd"), few])
    assert recording.at_rest
    assert len(temporal(recording).row) == 0
    reason = {each.name: getattr(each, "reason", "") for each in find_noise(recording, 0.0)}
    assert reason["temporal_sigma_m"] == "too few points on smooth surfaces"
