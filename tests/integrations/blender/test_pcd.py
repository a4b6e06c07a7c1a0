# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The reader of PCD files: what osi-lidar writes comes back, anything else is refused."""

import numpy as np
import pytest

from osi_lidar import scan_trace
from tests.builders.blender_extension import REPOSITORY, part

pcd, errors = part("pcd"), part("errors")
(STREET,) = (REPOSITORY / "scenarios" / "street").glob("*.osi")
HEAD = (
    "# .PCD v0.7\nVERSION 0.7\nFIELDS x y z ring\nSIZE 4 4 4 2\nTYPE F F F U\nCOUNT 1 1 1 1\n"
    "WIDTH {n}\nHEIGHT 1\nVIEWPOINT 1 2 3 0.5 0.5 0.5 0.5\nPOINTS {n}\nDATA {kind}\n"
)


def test_clouds_of_osi_lidar_come_back(tmp_path):
    (cloud,) = scan_trace(STREET, sensor="VLP-16", frames=range(1))
    cloud.save(tmp_path / "cloud.pcd")
    found = pcd.read_pcd(tmp_path / "cloud.pcd")
    for name in cloud.points.dtype.names:
        assert np.array_equal(found.points[name], cloud.points[name])
    assert found.position_m == pytest.approx(cloud.world_from_sensor[:3, 3])


def test_clouds_of_one_point_come_back(tmp_path):
    file = tmp_path / "one.pcd"
    file.write_text(HEAD.format(n=1, kind="ascii") + "1.5 -2 0.25 7\n")
    found = pcd.read_pcd(file)
    assert found.points.tolist() == [(1.5, -2.0, 0.25, 7)]
    assert found.quaternion == (0.5, 0.5, 0.5, 0.5)


@pytest.mark.parametrize("kind", ["ascii", "binary"])
def test_clouds_without_points_come_back(tmp_path, kind):
    file = tmp_path / "none.pcd"
    file.write_text(HEAD.format(n=0, kind=kind))
    assert len(pcd.read_pcd(file).points) == 0


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("", "is not a PCD file: it has no line DATA"),
        ("FIELDS x\nDATA binary", "is not a PCD file: it has no line DATA"),
        (HEAD.format(n=2, kind="binary") + "short", "is a damaged PCD file"),
        (HEAD.format(n=2, kind="binary_compressed"), "is a damaged PCD file"),
        (HEAD.format(n="x", kind="binary"), "is a damaged PCD file"),
        (HEAD.format(n=-5, kind="binary"), "is a damaged PCD file"),
        (HEAD.format(n=2, kind="ascii") + "1 2 3 4\n", "is a damaged PCD file"),
        (HEAD.format(n=1, kind="ascii").replace("TYPE F ", "TYPE "), "is a damaged PCD file"),
        (HEAD.format(n=1, kind="ascii") + "1 2 3\n", "is a damaged PCD file"),
        (HEAD.format(n=1, kind="ascii").replace("TYPE F", "TYPE Z"), "is a damaged PCD file"),
        (HEAD.format(n=1, kind="ascii").replace("SIZE 4", "SIZE 3"), "is a damaged PCD file"),
        (HEAD.format(n=1, kind="ascii").replace("FIELDS", "FELDER"), "is a damaged PCD file"),
    ],
)
def test_damaged_files_are_refused_in_one_line(tmp_path, content, problem):
    file = tmp_path / "bad.pcd"
    file.write_text(content)
    with pytest.raises(errors.SceneError) as caught:
        pcd.read_pcd(file)
    assert str(caught.value).startswith(f"{file}: {problem}")
    assert "\n" not in str(caught.value)


def test_a_missing_file_is_refused_in_one_line(tmp_path):
    with pytest.raises(errors.SceneError, match="cannot be read: No such file"):
        pcd.read_pcd(tmp_path / "none.pcd")
