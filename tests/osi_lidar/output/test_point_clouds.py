# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""PCD files and numpy files of a scan: which there are, where, and with which points."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from osi_lidar.clouds.npy import read_points
from osi_lidar.clouds.pcd import read_pcd
from osi_lidar.config import Output
from osi_lidar.output.numpy_clouds import NumpyClouds
from osi_lidar.output.point_clouds import PointClouds, cloud_name, sensor_folders, write_clouds
from osi_lidar.output.writer import Destination
from tests.builders.stated_scans import scan_of
from tests.builders.worlds import config

TRUE_M = [(2.0, 2.0, 1.0), (0.0, -3.0, 4.0)]


def scan(**changes):
    """Return a scan of two points with errors."""
    return replace(scan_of(TRUE_M), **changes)


def deskewed():
    """Return the points of the scan, 10 m farther ahead."""
    points = scan().cloud.points.copy()
    points["x"] += 10.0
    return points


@pytest.fixture
def folder(tmp_path):
    """Return a folder with all folders of the sensor front."""
    for name in ("deskewed", "clean"):
        (tmp_path / "front" / name).mkdir(parents=True)
    return tmp_path


def files(folder):
    """Return the names of all files below a folder, sorted."""
    paths = (path for path in folder.rglob("*") if path.is_file())
    return sorted(path.relative_to(folder).as_posix() for path in paths)


def x_of(points):
    return points["x"].tolist()


def test_a_scan_has_a_cloud_and_others_if_they_are_wanted(folder):
    assert write_clouds(folder, scan(), Output()) == "front/000007.pcd"
    assert files(folder) == ["front/000007.pcd"]
    write_clouds(folder, scan(deskewed=deskewed()), Output(clean=True))
    names = ["front/000007.pcd", "front/clean/000007.pcd", "front/deskewed/000007.pcd"]
    assert files(folder) == names
    as_reported, clean, still = (read_pcd(folder / name) for name in names)
    assert x_of(as_reported) == [1.0, 0.0]
    assert x_of(clean) == [2.0, 0.0]
    assert clean["range"].tolist() == [3.0, 5.0]
    assert x_of(still) == [11.0, 10.0]


@pytest.mark.parametrize(
    ("pcd", "data"), [("binary_compressed", "binary_compressed"), ("none", "binary")]
)
def test_clouds_have_the_pose_and_the_encoding(folder, pcd, data):
    pose = np.eye(4)
    pose[:3, 3] = 5.0, 6.0, 7.0
    write_clouds(folder, scan(world_from_sensor=pose), Output(pcd=pcd))
    content = (folder / "front" / "000007.pcd").read_bytes()
    assert b"\nVIEWPOINT 5.0 6.0 7.0 1.0 0.0 0.0 0.0\n" in content
    assert f"\nDATA {data}\n".encode() in content


@pytest.mark.parametrize(
    ("writer", "read", "suffix"),
    [(PointClouds, read_pcd, "pcd"), (NumpyClouds, read_points, "points.npy")],
)
def test_each_scan_that_was_traced_has_its_files(folder, writer, read, suffix):
    output = Output(ground_truth=True)
    scans = [scan(deskewed=deskewed()), scan(number=8, traced=False)]
    wanted = config(output=output.model_dump(exclude_unset=True))
    writer(Destination(folder=folder), wanted).write_scans(SimpleNamespace(scans=scans))
    names = [f"front/000007.{suffix}", f"front/deskewed/000007.{suffix}"]
    assert files(folder) == names
    with_truth, still = (read(folder / name) for name in names)
    assert x_of(with_truth) == [1.0, 0.0]
    assert with_truth["true_x"].tolist() == [2.0, 0.0]
    assert x_of(still) == [11.0, 10.0]


def test_clouds_are_in_the_folders_of_their_sensors():
    assert cloud_name("roof", 12) == "roof/000012.pcd"
    (plain,) = config().sensors
    assert sensor_folders(plain, Output()) == ["front"]
    turning = plain.model_copy(update={"deskew": True})
    assert sensor_folders(turning, Output(clean=True)) == [
        "front",
        "front/deskewed",
        "front/clean",
    ]
