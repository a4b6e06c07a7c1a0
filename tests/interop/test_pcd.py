# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Our point clouds, opened by other tools, have equal values in equal types."""

import functools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from osi_lidar.clouds.cloud import POINT, POINT_WITH_WIDE_ID
from osi_lidar.clouds.pcd import write_pcd
from tests.interop import pcd_readers

ENCODINGS = ("binary", "binary_compressed", "ascii")
NO_OBJECT = 2**64 - 1
# Where a reader that goes through signed, 32-bit or floating-point numbers would go astray.
WIDE_IDS = [0, 2**31, 2**32 - 1, 2**32, 2**53 + 1, 2**63 - 1, 2**63, 2**64 - 2, NO_OBJECT]
NARROW_IDS = [0, 1, 2**24 + 1, 2**31 - 1, 2**31, 2**32 - 2, 2**32 - 1]
# Numbers that ten decimals do not hold, and the ends of float32.
FLOATS = [0.0, -0.0, 1 / 3, -1e-7, 1.2345678e-12, 1.1754944e-38, 3.4028235e38, 199.99998]


@pytest.fixture(
    params=[
        "pypcd4",
        pytest.param("open3d", marks=pytest.mark.slow),
        pytest.param("pointcloudset", marks=pytest.mark.slow),
        pytest.param("pcl", marks=pytest.mark.slow),
    ]
)
def read(request):
    """Return a function from a PCD file to its columns."""
    if request.param == "pypcd4":
        return pcd_readers.read_with_pypcd4
    if request.param == "pcl":
        return functools.partial(pcd_readers.read_with_pcl, request.getfixturevalue("pcl_read"))
    elsewhere = request.getfixturevalue("elsewhere")
    return elsewhere(request.param, getattr(pcd_readers, f"read_with_{request.param}"))


def cloud(n, row=POINT):
    """Return rows as a scan gives them: rings in runs, few objects and materials."""
    rng = np.random.default_rng(5)
    points = np.zeros(n, row)
    for name in ("x", "y", "z", "normal_x", "normal_y", "normal_z"):
        points[name] = rng.normal(0.0, 10.0, n)
    for name in ("intensity", "reflectivity", "range"):
        points[name] = rng.uniform(0.0, 100.0, n)
    points["ring"] = np.arange(n) * 128 // max(n, 1)
    points["column"] = np.arange(n) % 2048
    ids = WIDE_IDS if row is POINT_WITH_WIDE_ID else NARROW_IDS
    points["object_id"] = np.resize(np.array(ids, row["object_id"]), n)
    points["material_id"] = np.resize([0, 3, 65535], n)
    points["x"][: len(FLOATS)] = FLOATS[:n]
    points["reflectivity"][-len(FLOATS) :] = FLOATS[:n]
    return points


def assert_equal(columns, points):
    assert set(columns) == set(points.dtype.names)
    for name in points.dtype.names:
        assert columns[name].dtype == points.dtype[name], name
        np.testing.assert_array_equal(columns[name], points[name], err_msg=name)


def data_line(path):
    (line,) = [line for line in path.read_bytes().split(b"\n") if line.startswith(b"DATA ")]
    return line.decode().removeprefix("DATA ")


@pytest.mark.parametrize("row", [POINT, POINT_WITH_WIDE_ID], ids=["32-bit ids", "64-bit ids"])
@pytest.mark.parametrize("encoding", ENCODINGS)
def test_all_thirteen_fields_are_equal(read, tmp_path, encoding, row):
    points = cloud(3000, row)
    write_pcd(tmp_path / "a.pcd", points, encoding)
    wide_text = encoding == "ascii" and row is POINT_WITH_WIDE_ID
    assert data_line(tmp_path / "a.pcd") == ("binary" if wide_text else encoding)
    columns = read(tmp_path / "a.pcd")
    assert len(columns) == 13
    assert_equal(columns, points)
    assert columns["object_id"].max() == np.iinfo(row["object_id"]).max


@pytest.mark.parametrize("row", [POINT, POINT_WITH_WIDE_ID], ids=["32-bit ids", "64-bit ids"])
@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("n", [1, 2])
def test_the_smallest_clouds_are_equal(read, tmp_path, encoding, row, n):
    points = cloud(n, row)
    write_pcd(tmp_path / "a.pcd", points, encoding)
    assert_equal(read(tmp_path / "a.pcd"), points)


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_the_pose_of_the_sensor_changes_no_point(read, tmp_path, encoding):
    points = cloud(100)
    pose = np.array([[0, -1, 0, 1e-9], [1, 0, 0, 5.4e6 + 1 / 3], [0, 0, 1, -1e-7], [0, 0, 0, 1.0]])
    write_pcd(tmp_path / "a.pcd", points, encoding, world_from_sensor=pose)
    header = (tmp_path / "a.pcd").read_bytes().split(b"DATA")[0].decode()
    (line,) = [line for line in header.splitlines() if line.startswith("VIEWPOINT ")]
    x, y, z, *quaternion = map(float, line.split()[1:])
    np.testing.assert_allclose((x, y, z), pose[:3, 3], atol=1e-9)
    np.testing.assert_allclose(quaternion, [0.5**0.5, 0, 0, 0.5**0.5], atol=1e-12)
    assert_equal(read(tmp_path / "a.pcd"), points)


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_a_cloud_without_points_is_read_as_such(request, read, tmp_path, encoding):
    points = cloud(0)
    write_pcd(tmp_path / "a.pcd", points, encoding)
    columns = read(tmp_path / "a.pcd")
    if columns:
        assert_equal(columns, points)
    else:
        assert "open3d" in request.node.name  # its cloud has no fields then


def rows_of_points(row, largest_id):
    short, floats = st.integers(0, 2**16 - 1), st.floats(allow_nan=False, width=32)
    integers = (short, st.integers(0, 2**32 - 1), st.integers(0, largest_id), short)
    return hnp.arrays(row, st.integers(0, 5), elements=st.tuples(*[floats] * 9, *integers))


@settings(deadline=None, max_examples=50)
@given(
    points=rows_of_points(POINT, 2**32 - 1) | rows_of_points(POINT_WITH_WIDE_ID, NO_OBJECT),
    encoding=st.sampled_from(ENCODINGS),
)
def test_any_cloud_comes_back_bit_for_bit(tmp_path_factory, points, encoding):
    path = tmp_path_factory.mktemp("any") / "a.pcd"
    write_pcd(path, points, encoding)
    columns = pcd_readers.read_with_pypcd4(path)
    for name in points.dtype.names:
        assert columns[name].tobytes() == points[name].tobytes()


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_every_cloud_of_a_run_is_equal(read, runs, encoding):
    run = runs[encoding]
    expected = {
        run.folder / scan.sensor / f"{step.index:06d}.pcd": scan.cloud.points
        for step in run.steps
        for scan in step.scans
        if scan.traced
    }
    assert sorted(expected) == sorted(run.folder.glob("*/*.pcd"))
    assert len(expected) == 2 * 4  # two sensors; the fourth of five frames changes nothing
    for path, points in expected.items():
        assert len(points) > 1000
        assert_equal(read(path), points)


@pytest.mark.slow
@pytest.mark.parametrize("encoding", ENCODINGS)
def test_open3ds_classic_reader_gets_points_and_normals(elsewhere, tmp_path, encoding):
    points = cloud(500)
    write_pcd(tmp_path / "a.pcd", points, encoding)
    columns = elsewhere("open3d", pcd_readers.read_with_open3d_classic)(tmp_path / "a.pcd")
    # text goes to double there, so that nine digits have to be rounded to float32 first
    for vector, names in (("points", "x y z"), ("normals", "normal_x normal_y normal_z")):
        expected = np.stack([points[name] for name in names.split()], axis=1)
        np.testing.assert_array_equal(columns[vector].astype(np.float32), expected)
