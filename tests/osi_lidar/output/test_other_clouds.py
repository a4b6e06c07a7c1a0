# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Clouds in other files: numpy, BlenSor's evd, and clean ones beside the noisy."""

import struct

import numpy as np
import pytest
from pypcd4 import PointCloud

from fmu_src.files import OutputFiles
from lidar_app.show.preview import preview
from lidar_base.files.own_files import LIST
from lidar_gap.reading import read_clouds
from osi_bridge import NO_OBJECT
from osi_lidar import LidarModel, load_config
from osi_lidar.clouds.npy import read_points
from osi_lidar.errors import ConfigurationError, InputError, OutputError
from osi_lidar.output.evd import EVD_POINT, evd_rows
from osi_lidar.run.frame_source import FrameSource
from osi_lidar.run.replay import replay
from tests.builders.messages import Thing, frames, host
from tests.builders.runs import write_worlds
from tests.builders.stated_scans import WIDE_ID, scan_of
from tests.builders.worlds import config, write_config

ALL = {"npy": True, "evd": True, "clean": True}
NOISE = {"range_sigma_m": 0.1, "depth_offset_m": 0.05, "azimuth_sigma_deg": 0.2}
N_FRAMES = 3


def noisy(output, **changes):
    sensor = {"name": "front", "preset": "VLP-16", "range_limit": None, "noise": NOISE, **changes}
    return config(sensors=[sensor], output=output, seed=5)


@pytest.fixture(scope="module")
def trace(tmp_path_factory):
    path = tmp_path_factory.mktemp("trace") / "20260102T030405Z_sv_380_7362_3_cars.osi"
    worlds = [[host(x_m=0.5 * n), Thing(2, (15.0 + n, 1.0, 0.75))] for n in range(N_FRAMES)]
    return write_worlds(path, worlds, start_s=7.0)


@pytest.fixture(scope="module")
def out(trace):
    """Return the folder of a run that writes everything, with a moving sensor and noise."""
    replay(FrameSource(trace), noisy(ALL, deskew=True), trace.parent / "out")
    return trace.parent / "out"


@pytest.fixture(scope="module")
def scans(trace):
    """Return the same scans, from the model."""
    model = LidarModel(noisy(ALL, deskew=True))
    return [model.step(frame).scans[0] for frame in FrameSource(trace)]


def assert_rows(got, expected):
    assert got.dtype == expected.dtype
    np.testing.assert_array_equal(got, expected)


def test_a_numpy_file_holds_the_points_as_they_are(out, scans):
    for scan in scans:
        name = f"{scan.number:06d}.points.npy"
        assert_rows(np.load(out / "front" / name), scan.cloud.points)
        assert_rows(np.load(out / "front" / "deskewed" / name), scan.deskewed)


def test_numpy_files_have_the_truth_of_clouds_that_have_it(trace, tmp_path):
    pytest.importorskip("pyarrow", reason="ground truth is also written as Parquet")
    wanted = noisy({"npy": True, "ground_truth": True})
    replay(FrameSource(trace, frames=slice(0, 1)), wanted, tmp_path / "out")
    points = np.load(tmp_path / "out" / "front" / "000000.points.npy")
    cloud = PointCloud.from_path(tmp_path / "out" / "front" / "000000.pcd").pc_data
    np.testing.assert_array_equal(points["true_range"], cloud["true_range"])


def rays(path):
    """Return the rays of an evd file, in the way that BlenSor's own reader takes them."""
    data = path.read_bytes()
    (count,) = struct.unpack("<i", data[:4])
    assert len(data) == 4 + 120 * count
    return [struct.unpack("<14dQ", data[4 + 120 * n : 124 + 120 * n]) for n in range(count)]


def test_an_evd_file_is_what_blensor_reads(out, scans):
    scan = scans[1]
    columns = np.array([each[:14] for each in rays(out / "front" / "000001.evd")]).T
    ids = [each[14] for each in rays(out / "front" / "000001.evd")]
    cloud, points = scan.cloud, scan.cloud.points
    assert ids == cloud.object_id.tolist()
    assert set(ids) == {2, int(NO_OBJECT)}
    time_s = (scan.begin_ns + points["time_ns"].astype(float)) / 1e9
    np.testing.assert_allclose(columns[0], time_s, rtol=0, atol=1e-6)
    assert columns[0].min() >= 7.0
    x, y, z = cloud.true_xyz_m.T.astype(float)
    np.testing.assert_allclose(columns[1], np.arctan2(y, x), atol=1e-6)
    np.testing.assert_allclose(columns[2], np.arctan2(z, np.hypot(x, y)), atol=1e-6)
    np.testing.assert_array_equal(columns[3], cloud.true_range_m)
    np.testing.assert_array_equal(columns[4], points["range"])
    np.testing.assert_array_equal(columns[5:8], cloud.true_xyz_m.T)
    np.testing.assert_array_equal(columns[8:11], [points[axis] for axis in "xyz"])
    for grey in columns[11:14]:
        np.testing.assert_allclose(grey, 255 * np.minimum(points["reflectivity"], 1), atol=1.0)
        assert (grey == np.floor(grey)).all()


def test_greys_of_an_evd_file_end_at_255():
    rows = evd_rows(scan_of(reflectivity=[0.999, 3.0]))  # 254.7, and a retroreflector
    for name in ("red", "green", "blue"):
        assert rows[name].tolist() == [254.0, 255.0]
    assert rows["object_id"].tolist() == [WIDE_ID, NO_OBJECT]


def test_a_row_of_an_evd_file_has_no_gaps():
    assert EVD_POINT.itemsize == struct.calcsize("<14dQ") == 120


def test_clean_clouds_have_the_same_rows_without_errors(out, scans):
    for scan in scans:
        name = f"{scan.number:06d}.pcd"
        dirty, clean = (
            PointCloud.from_path(out / "front" / part / name) for part in (".", "clean")
        )
        assert clean.metadata.viewpoint == dirty.metadata.viewpoint
        got, cloud = clean.pc_data, scan.cloud
        assert got.dtype == dirty.pc_data.dtype
        np.testing.assert_array_equal(np.stack([got[a] for a in "xyz"], axis=1), cloud.true_xyz_m)
        np.testing.assert_array_equal(got["range"], cloud.true_range_m)
        for field in set(got.dtype.names) - {"x", "y", "z", "range"}:
            np.testing.assert_array_equal(got[field], cloud.points[field])
        errors_m = cloud.points["range"].astype(float) - got["range"]
        assert errors_m.std() == pytest.approx(NOISE["range_sigma_m"], rel=0.1)


def test_clean_clouds_of_a_sensor_without_errors_are_the_same_bytes(trace, tmp_path):
    wanted = noisy({"clean": True}, noise=None)
    replay(FrameSource(trace, frames=slice(0, 1)), wanted, tmp_path / "out")
    folder = tmp_path / "out" / "front"
    assert (folder / "000000.pcd").read_bytes() == (folder / "clean" / "000000.pcd").read_bytes()


def files(folder):
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name not in {LIST, "run.json"}
    }


def test_a_run_that_was_cut_goes_on_with_the_same_bytes(trace, out, tmp_path):
    source, wanted = FrameSource(trace), noisy(ALL, deskew=True)
    cut = tmp_path / "out"
    replay(source, wanted, cut, on_step=lambda progress: progress.frames_read < 2)
    replay(source, wanted, cut, go_on=True)
    assert files(cut) == files(out)


def test_a_run_that_wants_none_takes_the_place_of_one_that_has_all(trace, tmp_path):
    folder = tmp_path / "out"
    replay(FrameSource(trace), noisy(ALL, deskew=True), folder)
    replay(FrameSource(trace), noisy({"sensor_data": "none"}), folder, overwrite=True)
    clouds = [f"front/{n:06d}.pcd" for n in range(N_FRAMES)]
    assert sorted(files(folder)) == ["frames.csv", *clouds]


def test_clouds_of_an_fmu_have_clean_ones_beside_them(tmp_path):
    wanted = noisy({"clean": True})
    written = OutputFiles(wanted, pcd_folder=str(tmp_path), trace_folder="", instance_name="roof")
    (frame,) = frames([[host(), Thing(2, (20.0, 0.0, 0.75))]])
    written.write(LidarModel(wanted).step(frame), 0)
    written.close()
    assert (tmp_path / "roof" / "front" / "clean" / "000000.pcd").is_file()


@pytest.mark.long
def test_our_readers_take_numpy_clouds(trace, out, tmp_path):
    wanted = noisy({"pcd": "none", "npy": True})
    replay(FrameSource(trace), wanted, tmp_path / "out")
    (tmp_path / "out" / "front" / "000000.npy").write_bytes(b"a depth image beside the clouds")
    from_numpy, from_pcd = read_clouds(tmp_path / "out"), read_clouds(out / "front")
    assert [cloud.name for cloud in from_numpy] == [f"{n:06d}" for n in range(N_FRAMES)]
    for one, other in zip(from_numpy, from_pcd, strict=True):
        assert one.name == other.name
        np.testing.assert_array_equal(one.points_m, other.points_m)
        np.testing.assert_array_equal(one.time_s, other.time_s)
    picture = preview(out / "front" / "000001.points.npy", tmp_path / "a.png")
    assert picture.stat().st_size > 10_000


@pytest.mark.parametrize("content", [b"", b"\x93NUMPY", b"no numpy file", b"\x93NUMPY\x01\x00"])
def test_a_damaged_numpy_file_is_one_line(tmp_path, content):
    (tmp_path / "a.npy").write_bytes(content)
    with pytest.raises(InputError, match=r"a\.npy: is not a numpy file, or is damaged"):
        read_points(tmp_path / "a.npy")


def test_a_numpy_file_of_an_image_is_no_cloud(tmp_path):
    np.save(tmp_path / "a.npy", np.zeros((3, 4), np.float32))
    with pytest.raises(InputError, match="got an array of float32, expected a structured array"):
        read_points(tmp_path / "a.npy")
    with pytest.raises(InputError, match=r"absent\.npy: cannot be read: No such file"):
        read_points(tmp_path / "absent.npy")


@pytest.mark.parametrize("kind", ["npy", "evd"])
def test_a_cloud_that_cannot_be_written_is_one_line(trace, tmp_path, kind):
    folder = tmp_path / "out"
    suffix = {"npy": "points.npy", "evd": "evd"}[kind]
    (folder / "front" / f"000001.{suffix}").mkdir(parents=True)
    with pytest.raises(OutputError, match=rf"000001\.{suffix}: cannot be written: Is a dir"):
        replay(FrameSource(trace), noisy({kind: True}), folder, overwrite=True)
    assert (folder / "front" / f"000000.{suffix}").is_file()
    assert not (folder / "front" / "000001.pcd").exists()


def test_clean_clouds_need_clouds(tmp_path):
    path = write_config(tmp_path, output={"pcd": "none", "clean": True})
    with pytest.raises(ConfigurationError, match=r"output\.clean: needs pcd: binary, "):
        load_config(path)
