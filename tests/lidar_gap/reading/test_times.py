# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Units of the times of points, and columns that are not read."""

from pathlib import Path

import numpy as np
import pytest

from lidar_gap.reading import read_clouds
from lidar_gap.reading.columns import columns_not_read
from lidar_gap.reading.times import point_times
from osi_lidar.clouds.pcd import write_pcd
from tests.builders.extras import needs
from tests.builders.ros_bags import CLOUD, cloud_message, database

STAMP_S = 1_732_700_000.0
TENTHS = np.array([0.04, 0.0, 0.1])
"""Files list points ring after ring, too, so that the first one is not the earliest."""


@pytest.mark.parametrize(
    ("values", "stamp_s", "unit"),
    [
        (TENTHS, STAMP_S, "s"),  # Velodyne's driver: from the start of the frame
        (STAMP_S + TENTHS, STAMP_S, "s"),  # RoboSense
        (1e3 * (STAMP_S + TENTHS), STAMP_S, "ms"),
        (1e6 * (STAMP_S + TENTHS), STAMP_S, "us"),
        (1e9 * (STAMP_S + TENTHS), STAMP_S, "ns"),  # livox_ros_driver2
        (1e9 * (STAMP_S + TENTHS), None, "ns"),
        (1e9 * (STAMP_S + TENTHS), 0.0, "ns"),  # a message without a time
        (1e9 * (35.0 + TENTHS), 35.0, "ns"),  # a clock that starts with the vehicle
        (1e6 * TENTHS, STAMP_S, "us"),
        (1e9 * TENTHS, STAMP_S, "ns"),
        ((1e9 * TENTHS).astype(np.uint32), STAMP_S, "ns"),
        ((1e9 * (STAMP_S + TENTHS)).astype(np.uint64), None, "ns"),
        ((1e6 * (STAMP_S + TENTHS)).astype(np.uint64), None, "us"),
        (3600.0 * np.array([0.0, 0.4, 1.0]), None, "s"),  # a map of one hour (LAS)
    ],
)
def test_the_unit_of_times_is_told_from_their_size(values, stamp_s, unit):
    found = point_times("timestamp", values, stamp_s)
    assert found is not None
    scale = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}[unit]
    expected = (values - values.min()).astype(float) * scale
    np.testing.assert_allclose(found.since_s, expected, atol=1e-12)
    if not found.assumed:
        assert unit == ("s" if values.dtype.kind == "f" else "ns")
    else:
        assert found.assumed.startswith(f"column timestamp: times in {unit}, by ")


def test_times_that_are_not_finite_are_not_known():
    assert point_times("time", np.array([0.0, np.nan]), None) is None


@needs("rosbags")
def test_nanoseconds_of_livox_are_not_read_as_seconds(tmp_path: Path) -> None:
    kind = [*((axis, "<f4") for axis in "xyz"), ("tag", "u1"), ("timestamp", "<f8")]
    rows = np.zeros(3, [*kind, ("colour", "u1", 3)])
    rows["x"] = 1.0
    rows["timestamp"] = 1e9 * (STAMP_S + TENTHS)
    message = cloud_message(rows, stamp_ns=int(1e9 * STAMP_S))
    (cloud,) = read_clouds(database(tmp_path / "a.db3", "/livox", CLOUD, [(0, message)]))
    assert cloud.time_s is not None
    np.testing.assert_allclose(cloud.time_s, TENTHS, atol=1e-6)
    assert cloud.assumed == ("column timestamp: times in ns, by the time of the message",)
    listed = [each.what for each in cloud.not_followed]
    assert listed == ["column tag", "column colour of 3 values"]


def test_columns_that_are_not_read_are_listed(tmp_path: Path) -> None:
    names = ["X", "y", "z", "intensity", "i", "rgb", "normal_x", "echo", "t", "time"]
    listed = [each.what for each in columns_not_read(names)]
    assert listed == [f"column {name}" for name in ("i", "rgb", "normal_x", "echo", "time")]
    rows = np.ones(2, [*((axis, "<f4") for axis in "xyz"), ("label", "<u2")])
    write_pcd(tmp_path / "a.pcd", rows)
    np.save(tmp_path / "b.npy", rows)
    for name in ("a.pcd", "b.npy"):
        (cloud,) = read_clouds(tmp_path / name)
        assert [each.what for each in cloud.not_followed] == ["column label"]
