# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""What each point would be without errors: columns of Parquet files and fields of clouds."""

import importlib.util
import json
import math
import re
import subprocess
import sys

import numpy as np
import pytest
from pypcd4 import PointCloud

import osi_lidar
from fmu_src.files import OutputFiles
from osi_bridge import NO_OBJECT
from osi_lidar import LidarModel, OutputError
from osi_lidar.clouds.pcd import read_pcd, write_pcd
from osi_lidar.output.parquet_file import NO_PARQUET, ParquetFile, TableColumn
from osi_lidar.output.run_folder import RunFolder
from osi_lidar.output.truth_export import points_with_truth, timestamps_ns, truth_columns
from osi_lidar.run.frame_source import FrameSource
from osi_lidar.run.replay import replay
from tests.builders.messages import Thing, frames, host
from tests.builders.refusals import one_line
from tests.builders.runs import write_worlds
from tests.builders.stated_scans import WIDE_ID, scan_of
from tests.builders.worlds import N_WALL_BEAMS, config, instant, steps_at_rest, wall_config
from tests.commands import run

BLENSOR = (
    "timestamp_ns", "yaw_rad", "pitch_rad", "distance_m", "noisy_distance_m", "x_m", "y_m", "z_m",
    "noisy_x_m", "noisy_y_m", "noisy_z_m", "object_id",
)  # fmt: skip
BESIDES = ("scan", "ring", "column", "time_ns", "material")
TRUTH = ("true_x", "true_y", "true_z", "true_range", "yaw", "pitch", "timestamp")


def parquet():
    return pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")


def test_columns_hold_true_and_reported_values_side_by_side():
    true = [(2.0, 2.0, 1.0), (0.0, -3.0, 4.0)]
    columns = truth_columns(scan_of(true), ["brick", "glass", "asphalt"])
    assert tuple(columns) == (*BLENSOR, *BESIDES)
    np.testing.assert_array_equal(columns["distance_m"], [3.0, 5.0])
    np.testing.assert_array_equal(columns["noisy_distance_m"], [3.0, 1.0])
    for place, axis in enumerate("xyz"):
        np.testing.assert_array_equal(columns[f"{axis}_m"], [each[place] for each in true])
    np.testing.assert_array_equal(columns["noisy_x_m"], [1.0, 0.0])
    np.testing.assert_allclose(columns["yaw_rad"], [np.pi / 4, -np.pi / 2], rtol=1e-6)
    np.testing.assert_allclose(columns["pitch_rad"], np.arcsin([1 / 3, 0.8]), rtol=1e-6)
    np.testing.assert_array_equal(columns["object_id"], [WIDE_ID, 2**64 - 1])
    material = columns["material"]
    assert [material.names[row] for row in material.row] == ["asphalt", "brick"]


def test_without_errors_what_is_reported_is_true():
    columns = truth_columns(scan_of(), ["a", "b", "c"])
    for name in ("distance_m", "x_m", "y_m", "z_m"):
        np.testing.assert_array_equal(columns[name], columns[f"noisy_{name}"])


def test_a_point_has_the_time_of_the_world_that_its_beam_met():
    np.testing.assert_array_equal(timestamps_ns(scan_of(time_ns=[0, 1500])), [1000, 2500])
    np.testing.assert_array_equal(timestamps_ns(scan_of()), [5000, 5000])
    first_message = scan_of(begin_ns=1000, end_ns=1000, time_ns=[0, 1500])
    np.testing.assert_array_equal(timestamps_ns(first_message), [1000, 1000])


def test_truth_follows_the_fields_of_a_point():
    scan = scan_of([(2.0, 2.0, 1.0), (0.0, -3.0, 4.0)], time_ns=[0, 1500])
    points = points_with_truth(scan)
    assert points.dtype.names == (*scan.cloud.points.dtype.names, *TRUTH)
    for name in scan.cloud.points.dtype.names:
        np.testing.assert_array_equal(points[name], scan.cloud.points[name])
    assert points[1][list(TRUTH[:4])].tolist() == (0.0, -3.0, 4.0, 5.0)
    np.testing.assert_array_equal(points["timestamp"], [1e-6, 2.5e-6])


@pytest.mark.parametrize("encoding", ["ascii", "binary", "binary_compressed"])
def test_a_cloud_with_its_truth_is_read_back_as_written(tmp_path, encoding):
    points = points_with_truth(scan_of(end_ns=1_700_000_000_123_456_789))
    kinds = {**dict(points.dtype.descr), "object_id": "<u4"}  # 64-bit ids are never text
    points = points.astype(list(kinds.items()))
    write_pcd(tmp_path / "a.pcd", points, encoding)
    data = f"DATA {encoding}\n".encode()
    assert data in (tmp_path / "a.pcd").read_bytes()
    back = read_pcd(tmp_path / "a.pcd")
    for name in points.dtype.names:
        np.testing.assert_array_equal(back[name], points[name])


def test_a_row_group_per_scan_even_of_one_without_points_or_with_very_many(tmp_path):
    pq = parquet()
    path = tmp_path / "a.parquet"
    file = ParquetFile(
        path, [TableColumn("a", "int32", "m"), TableColumn("b", "int32")], {"seed": "5"}
    )
    n_rows = [3, 0, 1_100_000]
    for n in n_rows:
        file.write({"a": np.arange(n), "b": None})
    assert not path.exists()
    file.close()
    assert [each.name for each in tmp_path.iterdir()] == [path.name]
    back = pq.ParquetFile(path)
    groups = [back.metadata.row_group(group).num_rows for group in range(back.num_row_groups)]
    assert groups == n_rows
    assert back.schema_arrow.metadata[b"seed"] == b"5"
    assert json.loads(back.schema_arrow.metadata[b"units"]) == {"a": "m"}
    assert back.read_row_group(0)["b"].null_count == 3


def test_a_parquet_file_that_cannot_be_written_is_one_line(tmp_path):
    parquet()
    with one_line(OutputError, match=r"a\.parquet: cannot be written: "):
        ParquetFile(tmp_path / "absent" / "a.parquet", [TableColumn("a", "int32")])


@pytest.mark.long
@pytest.mark.skipif(sys.platform == "win32", reason="no limit of a file's size")
def test_a_parquet_file_that_the_disk_has_no_room_for_is_not_there(tmp_path):
    parquet()
    program = (
        "import numpy, resource, sys, pathlib\n"
        "from osi_lidar.output.parquet_file import *\n"
        "file = ParquetFile(pathlib.Path(sys.argv[1]), [TableColumn('a', 'float32')])\n"
        "file.write({'a': numpy.arange(10.0)})\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (5000, 5000))\n"
        "try:\n"
        "    file.write({'a': numpy.random.default_rng(1).random(100_000)})\n"
        "except OutputError as error:\n"
        "    print(error)\n"
        "file.close()\n"
    )
    path = tmp_path / "a.parquet"
    done = subprocess.run(
        [sys.executable, "-B", "-c", program, path], capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith(f"{path}: cannot be written: ")
    assert len(done.stdout.splitlines()) == 1
    assert not list(tmp_path.iterdir())


@pytest.fixture
def trace(tmp_path):
    """Return a trace in which a box moves once, far away is nothing in reach."""
    x_m = [20.0, 20.0, 30.0]
    worlds = [[host(), Thing(2, (x, 0.0, 0.75))] for x in x_m]
    return write_worlds(tmp_path / "boxes.osi", worlds, start_s=1.0)


def test_a_run_gives_the_truth_of_every_cloud_it_writes(trace, tmp_path):
    pq = parquet()
    wanted = instant(config(output={"ground_truth": True}, seed=11))
    for _ in range(2):
        out = tmp_path / "out"
        report = replay(FrameSource(trace), wanted, out, overwrite=True)
        file = pq.ParquetFile(out / "front" / "ground_truth.parquet")
        clouds = sorted((out / "front").glob("*.pcd"))
        assert not list(out.rglob("*.part"))
        assert file.num_row_groups == len(clouds) == 2
    words = {key.decode(): value.decode() for key, value in file.schema_arrow.metadata.items()}
    assert (words["sensor"], words["seed"]) == ("front", "11")
    assert words["version"] == osi_lidar.__version__
    assert json.loads(words["units"])["pitch_rad"] == "rad"
    assert file.schema_arrow.names == [*BLENSOR, *BESIDES]
    for group, path in enumerate(clouds):
        table = file.read_row_group(group)
        points = PointCloud.from_path(path).pc_data
        same = {"x_m": "true_x", "noisy_x_m": "x", "noisy_distance_m": "range", "ring": "ring"}
        for column, name in {**same, "column": "column", "yaw_rad": "yaw"}.items():
            np.testing.assert_array_equal(table[column].to_numpy(), points[name])
        names = [report.content["materials"][row] for row in points["material_id"]]
        assert table["material"].to_pylist() == names
        ids = table["object_id"].to_numpy()
        assert set(ids.tolist()) == {2, int(NO_OBJECT)}
        assert set(table["scan"].to_pylist()) == {int(path.stem)}
        end_ns = 1_000_000_000 + 100_000_000 * int(path.stem)
        assert set(table["timestamp_ns"].to_pylist()) == {end_ns}
        assert table["time_ns"].null_count == len(points)


def test_a_run_without_ground_truth_takes_the_place_of_one_with_it(trace, tmp_path):
    parquet()
    out = tmp_path / "out"
    replay(FrameSource(trace), config(output={"ground_truth": True}), out)
    replay(FrameSource(trace), config(), out, overwrite=True)
    assert not list(out.rglob("*.parquet"))
    assert "true_x" not in PointCloud.from_path(out / "front" / "000000.pcd").fields


def test_a_run_that_breaks_off_leaves_whole_files_of_what_was_before(trace, tmp_path):
    pq = parquet()
    out = tmp_path / "out"
    wanted = config(output={"ground_truth": True, "motion": "both", "sensor_data": "none"})

    def on_step(_):
        raise RuntimeError("stop")

    with pytest.raises(RuntimeError, match="stop"):
        replay(FrameSource(trace), wanted, out, on_step=on_step)
    assert pq.ParquetFile(out / "front" / "ground_truth.parquet").num_row_groups == 1
    assert pq.read_table(out / "motion.parquet").num_rows == 2
    assert not list(out.rglob("*.part"))


@pytest.mark.parametrize(
    ("key", "value"), [("ground_truth", True), ("motion", "parquet"), ("motion", "both")]
)
def test_parquet_without_its_library_is_refused_before_anything_is_written(
    tmp_path, monkeypatch, key, value
):
    find = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: None if name == "pyarrow" else find(name)
    )
    with pytest.raises(OutputError, match=re.escape(f"output.{key}: {NO_PARQUET}")):
        RunFolder(tmp_path / "out", config(output={key: value}), custom_name="scan")
    assert not (tmp_path / "out").exists()
    path = tmp_path / "config.yaml"
    path.write_text(f"sensors: [{{preset: VLP-16}}]\noutput: {json.dumps({key: value})}\n")
    checked = run("check", "--config", path)
    assert checked.exit_code != 0
    assert f"output.{key}: {NO_PARQUET}" in " ".join(checked.output.split())


def test_clouds_of_an_fmu_hold_their_truth(tmp_path):
    wanted = config(output={"ground_truth": True, "pcd": "none"})
    files = OutputFiles(wanted, pcd_folder=str(tmp_path), trace_folder="", instance_name="roof")
    (frame,) = frames([[host(), Thing(2, (20.0, 0.0, 0.75))]])
    files.write(LidarModel(wanted).step(frame), 0)
    files.close()
    points = read_pcd(tmp_path / "roof" / "front" / "000000.pcd")
    assert points.dtype.names[-len(TRUTH) :] == TRUTH
    np.testing.assert_array_equal(points["true_range"], points["range"])


def test_noisy_points_keep_their_true_place_on_the_wall(tmp_path):
    """Errors of 2 cm around 10 cm, over 13041 points: the mean is good to 0.02 / 114 m."""
    noise = {"range_sigma_m": 0.02, "depth_offset_m": 0.1}
    _, (step,) = steps_at_rest(wall_config(tmp_path, x_m=10.0, noise=noise, seed=3))
    columns = truth_columns(step.scans[0], step.materials)
    np.testing.assert_allclose(columns["x_m"], 10.0, rtol=1e-6)
    errors_m = columns["noisy_distance_m"].astype(float) - columns["distance_m"]
    assert len(errors_m) == N_WALL_BEAMS
    assert abs(errors_m.mean() - 0.1) < 5 * 0.02 / math.sqrt(N_WALL_BEAMS)
    assert errors_m.std() == pytest.approx(0.02, rel=0.05)
    true = [columns[f"{axis}_m"].astype(float) for axis in "xyz"]
    noisy = [columns[f"noisy_{axis}_m"].astype(float) for axis in "xyz"]
    share = columns["noisy_distance_m"] / columns["distance_m"].astype(float)
    np.testing.assert_allclose(noisy, true * share, atol=1e-5)


def test_yaw_and_pitch_are_those_of_the_true_point_when_the_readout_errs(tmp_path):
    noise = {"azimuth_sigma_deg": 0.5, "elevation_sigma_deg": 0.5, "line_of_sight": "readout"}
    model, (step,) = steps_at_rest(wall_config(tmp_path, x_m=10.0, noise=noise, seed=3))
    scan, pattern = step.scans[0], model.lidars[0].pattern
    columns = truth_columns(scan, step.materials)
    beam = scan.cloud.beam
    np.testing.assert_allclose(columns["yaw_rad"], pattern.azimuth_rad[beam], atol=1e-6)
    np.testing.assert_allclose(columns["pitch_rad"], pattern.elevation_rad[beam], atol=1e-6)
    np.testing.assert_allclose(columns["x_m"], 10.0, rtol=1e-6)
    off_rad = np.arctan2(columns["noisy_y_m"], columns["noisy_x_m"]) - columns["yaw_rad"]
    assert off_rad.std() == pytest.approx(math.radians(0.5), rel=0.05)
