# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""From a trace file to a folder of results."""

import csv
import json
import shutil

import numpy as np
import pytest
from osi3.osi_sensordata_pb2 import SensorData
from pypcd4 import PointCloud

from osi_bridge import DamagedTrace, FrameDecoder, open_trace
from osi_lidar import InputError, OutputError, load_config
from osi_lidar.run.example_scene import street
from osi_lidar.run.frame_source import FrameSource
from osi_lidar.run.replay import replay
from osi_lidar.scan.from_config import pose_matrix
from tests.builders.clouds import xyz
from tests.builders.messages import Thing, host
from tests.builders.runs import write_worlds
from tests.builders.worlds import config, instant

STAGES = {"read", "update", "trace", "respond", "encode", "write", "total"}


def worlds(n=40):
    """Steps in which only frames 10 and 20 move something."""
    x_m = [20.0 + 10.0 * ((i >= 10) + (i >= 20)) for i in range(n)]
    return [[host(), Thing(2, (x, 0.0, 0.75))] for x in x_m]


@pytest.fixture
def trace(tmp_path):
    return write_worlds(tmp_path / "20260102T030405Z_sv_380_7362_40_two_cars.osi", worlds())


def rows_of(out):
    with (out / "frames.csv").open() as file:
        return list(csv.DictReader(file))


def test_three_scans_are_traced_and_the_others_repeated_bit_for_bit(trace, tmp_path):
    out = tmp_path / "out"
    report = replay(FrameSource(trace), config(), out)
    content = json.loads((out / "run.json").read_text())
    assert content == report.content
    counts = [content[f"frames_{what}"] for what in ("read", "traced", "unchanged")]
    assert counts == [40, 3, 37]
    assert content["scene"]["commits"] == 3
    files = sorted(path.name for path in (out / "front").iterdir())
    assert files == ["000000.pcd", "000010.pcd", "000020.pcd"]
    rows = rows_of(out)
    assert [row["frame"] for row in rows if row["traced"] == "1"] == ["0", "10", "20"]
    assert [rows[i]["file"] for i in (0, 9, 10, 39)] == [
        "front/000000.pcd",
        "front/000000.pcd",
        "front/000010.pcd",
        "front/000020.pcd",
    ]
    (sensor_data,) = out.glob("*_sd_*.osi")
    assert sensor_data.name.startswith("20260102T030405Z_sd_")
    assert sensor_data.name.endswith("_40_two_cars.osi")
    messages = [SensorData.FromString(raw.data) for raw in open_trace(sensor_data)]
    lists = [m.feature_data.lidar_sensor[0].detection for m in messages]
    for i in range(1, 40):
        assert (lists[i] == lists[i - 1]) == (i not in (10, 20))
    assert [m.timestamp.nanos for m in messages[:3]] == [0, 100_000_000, 200_000_000]


def test_run_json_says_what_was_done(trace, tmp_path):
    out = tmp_path / "out"
    content = replay(FrameSource(trace), config(seed=5), out).content
    assert content["seed"] == 5
    assert content["input"]["message_type"] == "SensorView"
    assert len(content["input"]["sha256"]) == 64
    assert set(content["seconds"]) == STAGES
    assert content["rays_traced"] == 3 * 181 * 31
    assert 0 < content["rays_kept"] < 2 * 181 * 31
    clouds = [PointCloud.from_path(path).points for path in out.glob("front/*.pcd")]
    assert content["points"] == sum(clouds)
    assert content["config"]["sensors"][0]["name"] == "front"
    assert {one["subject"] for one in content["fallbacks"]} == {"object TYPE_CAR"}


def test_points_in_pcd_and_sensor_data_are_the_same(trace, tmp_path):
    out = tmp_path / "out"
    replay(FrameSource(trace, frames=slice(0, 1)), config(), out)
    points = PointCloud.from_path(out / "front" / "000000.pcd").pc_data
    (sensor_data,) = out.glob("*.osi")
    (raw,) = open_trace(sensor_data)
    detections = SensorData.FromString(raw.data).feature_data.lidar_sensor[0].detection
    assert len(detections) == len(points)
    spherical = np.array(
        [(d.position.distance, d.position.azimuth, d.position.elevation) for d in detections]
    )
    distance, azimuth, elevation = spherical.T
    cartesian = distance[:, None] * np.stack(
        [
            np.cos(elevation) * np.cos(azimuth),
            np.cos(elevation) * np.sin(azimuth),
            np.sin(elevation),
        ],
        axis=1,
    )
    np.testing.assert_allclose(cartesian, xyz(points), atol=1e-5)
    ids = np.array([d.object_id.value for d in detections], np.uint64)
    np.testing.assert_array_equal(ids.astype(np.uint32), points["object_id"])


def test_a_slice_of_frames_keeps_static_objects_of_the_first_message(tmp_path):
    wall = Thing(8, (15.0, 0.0, 1.0), kind="stationary_object")
    steps = [[host(), wall], *([[host(x_m=0.1 * i)] for i in range(1, 9)])]
    path = write_worlds(tmp_path / "static_first.osi", steps, step_s=1.0)
    out = tmp_path / "out"
    replay(FrameSource(path, frames=slice(4, 8, 2)), config(), out)
    assert [row["frame"] for row in rows_of(out)] == ["4", "6"]
    points = PointCloud.from_path(out / "front" / "000004.pcd").pc_data
    assert (points["object_id"] == 8).sum() > 50


def test_a_slice_is_what_a_whole_replay_gives_for_its_frames(tmp_path):
    """The list of static objects changes in a frame that the slice leaves out."""
    walls = [Thing(8, (15.0, 0.0, 1.0), kind="stationary_object")]
    other = [Thing(9, (25.0, 1.0, 1.0), kind="stationary_object")]
    things = [walls, other, [], []]
    steps = [[host(), *extra] for extra in things]
    path = write_worlds(tmp_path / "changing.osi", steps, step_s=1.0)
    for out, chosen in (("whole", slice(None)), ("part", slice(3, None))):
        replay(FrameSource(path, frames=chosen), config(), tmp_path / out)
    whole, part = (rows_of(tmp_path / out)[-1]["points"] for out in ("whole", "part"))
    assert whole == part


def test_a_slice_beyond_the_end_is_an_error_that_writes_nothing(trace, tmp_path):
    with pytest.raises(InputError, match="no frame in the range"):
        replay(FrameSource(trace, frames=slice(100, None)), config(), tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("frames", [slice(-2, None), slice(0, -1), slice(5, None, -1)])
def test_frames_that_count_from_the_end_are_refused(trace, frames):
    with pytest.raises(InputError, match=r"frames: got slice.*, expected numbers that grow"):
        FrameSource(trace, frames=frames)


def test_a_damaged_trace_gives_all_frames_before_the_damage(trace, tmp_path):
    data = trace.read_bytes()
    trace.write_bytes(data[: len(data) * 3 // 4 - 3])  # three bytes into the 30th of 40 messages
    out = tmp_path / "out"
    report = replay(FrameSource(trace), config(), out)
    assert report.status == "damaged"
    assert isinstance(report.damage, DamagedTrace)
    content = json.loads((out / "run.json").read_text())
    assert content["status"] == "damaged"
    assert "damaged at frame 29, byte " in content["damage"]
    assert len(rows_of(out)) == content["frames_read"] == 29


def test_a_run_that_is_stopped_leaves_whole_files(trace, tmp_path):
    out = tmp_path / "out"
    report = replay(
        FrameSource(trace), config(), out, on_step=lambda progress: progress.frames_read < 12
    )
    assert report.status == "interrupted"
    assert len(rows_of(out)) == 12
    (sensor_data,) = out.glob("*_sd_*_12_*.osi")
    assert len(list(open_trace(sensor_data))) == 12
    assert not list(out.rglob("*.part"))


def test_an_interrupt_anywhere_leaves_whole_files(trace, tmp_path):
    def interrupt(progress):
        if progress.frames_read == 7:
            raise KeyboardInterrupt
        return True

    out = tmp_path / "out"
    with pytest.raises(KeyboardInterrupt):
        replay(FrameSource(trace), config(), out, on_step=interrupt)
    assert json.loads((out / "run.json").read_text())["status"] == "interrupted"
    assert not list(out.rglob("*.part"))


def test_an_output_folder_with_something_in_it_is_refused(trace, tmp_path):
    out = tmp_path / "out"
    out.mkdir()
    (out / "mine.txt").write_text("keep")
    with pytest.raises(OutputError, match="not empty"):
        replay(FrameSource(trace), config(), out)
    replay(FrameSource(trace), config(), out, overwrite=True)
    assert (out / "mine.txt").read_text() == "keep"


FOREIGN = ("scans.parquet", "preview.png", "view.html", "notes.part", ".notes.7.part", "motion.txt",
           "front/000001.png", "front/000777.evd", "front/000000.pgm", "front/notes.txt",
           "other/000000.pcd", "x_sd_y.mcap")  # fmt: skip


@pytest.mark.parametrize("killed", [False, True])
def test_overwriting_removes_what_an_earlier_run_wrote_and_nothing_else(trace, tmp_path, killed):
    out = tmp_path / "out"
    replay(FrameSource(trace), config(), out)
    if killed:
        (out / "run.json").rename(out / ".run.json.part")
        (out / "frames.csv").rename(out / ".frames.csv.part")
    written = {path for path in out.rglob("*") if path.is_file()}
    for name in FOREIGN:
        (out / name).parent.mkdir(exist_ok=True)
        (out / name).write_text("mine")
    (out / "front" / "link.pcd").symlink_to(tmp_path / "absent")
    replay(FrameSource(trace, frames=slice(0, 1)), config(), out, overwrite=True)
    assert all((out / name).read_text() == "mine" for name in FOREIGN)
    assert (out / "front" / "link.pcd").is_symlink()
    left = {each for each in written if each.exists()}
    names = {"run.json", "frames.csv", ".osi-lidar.files", "front/000000.pcd"}
    assert {path.relative_to(out).as_posix() for path in left} <= names


@pytest.mark.parametrize(
    "name", ["run.json", "frames.csv", "front/000001.pcd", "front", ".osi-lidar.files/x",
             "x_sd_1_2_3_y.osi", "front/clean/000777.pcd"],
)  # fmt: skip
def test_a_run_is_not_written_over_files_that_no_run_wrote(trace, tmp_path, name):
    out = tmp_path / "out"
    (out / name).parent.mkdir(parents=True, exist_ok=True)
    (out / name).write_text("mine")
    with pytest.raises(
        OutputError, match=r"which no run wrote, so nothing is overwritten|cannot be removed"
    ):
        replay(FrameSource(trace), config(), out, overwrite=True)
    assert [path for path in out.rglob("*") if path.is_file()] == [out / name]
    assert (out / name).read_text() == "mine"


def test_a_run_does_not_write_behind_links_in_its_folder(trace, tmp_path):
    precious = tmp_path / "precious"
    precious.mkdir()
    (precious / "000000.pcd").write_text("mine")
    replay(FrameSource(trace), config(), tmp_path / "out")
    shutil.rmtree(tmp_path / "out" / "front")
    (tmp_path / "out" / "front").symlink_to(precious)
    with pytest.raises(OutputError, match="contains front, which no run wrote"):
        replay(FrameSource(trace), config(), tmp_path / "out", overwrite=True)
    assert [(path.name, path.read_text()) for path in precious.iterdir()] == [
        ("000000.pcd", "mine")
    ]
    assert (tmp_path / "out" / "run.json").is_file()


def test_overwriting_leaves_no_cloud_of_the_earlier_run(trace, tmp_path):
    out = tmp_path / "out"
    replay(FrameSource(trace), config(), out)
    replay(FrameSource(trace, frames=slice(0, 5)), config(), out, overwrite=True)
    assert [path.name for path in (out / "front").iterdir()] == ["000000.pcd"]
    assert len(list(out.glob("*_sd_*"))) == 1


@pytest.mark.parametrize("pcd", ["none", "binary_compressed", "ascii"])
@pytest.mark.parametrize("sensor_data", ["none", "mcap"])
def test_outputs_are_written_as_configured(trace, tmp_path, pcd, sensor_data):
    out = tmp_path / "out"
    output = {"pcd": pcd, "sensor_data": sensor_data}
    replay(FrameSource(trace, frames=slice(0, 2)), config(output=output), out)
    assert len(list(out.glob("front/*.pcd"))) == (0 if pcd == "none" else 1)
    assert len(list(out.glob("*_sd_*.mcap"))) == (0 if sensor_data == "none" else 1)
    if pcd != "none":
        cloud = PointCloud.from_path(out / "front" / "000000.pcd")
        assert cloud.metadata.data.value == pcd
    if sensor_data == "mcap":
        (path,) = out.glob("*_sd_*.mcap")
        assert open_trace(path, message_type="SensorData").count == 2


def test_the_bundled_street_is_seen_as_described(tmp_path):
    """Only 42 of 60 frames move; every object's points lie in its OSI box."""
    scenario = street()
    source = FrameSource(scenario.trace, frames=slice(0, 40, 8))
    replay(source, instant(load_config(scenario.config)), tmp_path / "out")
    decoder = FrameDecoder("SensorView")
    for raw in open_trace(scenario.trace):
        frame = decoder.decode(raw.data, raw.index)
        file = tmp_path / "out" / "roof" / f"{raw.index:06d}.pcd"
        if file.exists():
            check_boxes(frame, PointCloud.from_path(file).pc_data, mounting_m=(1.0, 0.0, 1.9))


def vehicle_pose(frame):
    """Return world_from_vehicle, whose origin is the centre of the rear axle."""
    host = frame.host
    position_m = frame.objects.position_m[host.index]
    pose = pose_matrix(position_m, frame.objects.orientation_rad[host.index])
    pose[:3, 3] += pose[:3, :3] @ host.rear_axle_from_center_m
    return pose


def check_boxes(frame, points, *, mounting_m, margin_m=0.002):
    """Assert that the points of every object lie within its OSI box; return their numbers."""
    world_from_sensor = vehicle_pose(frame) @ pose_matrix(mounting_m, (0, 0, 0))
    found = {}
    for row, object_id in enumerate(frame.objects.object_id.tolist()):
        mine = xyz(points[points["object_id"] == object_id])
        world = mine @ world_from_sensor[:3, :3].T + world_from_sensor[:3, 3]
        box = pose_matrix(frame.objects.position_m[row], frame.objects.orientation_rad[row])
        local = (world - box[:3, 3]) @ box[:3, :3]
        half = frame.objects.dimension_m[row] / 2 + margin_m
        assert (np.abs(local) <= half).all(), f"object {object_id} of frame {frame.index}"
        found[object_id] = len(mine)
    return found


def test_openmaterial_vehicles_are_found_and_fill_their_boxes(real_data, tmp_path):
    (trace,) = (real_data / "osi" / "openmaterial3d").glob("20250320T135754Z_sv_360_*.osi")
    path = tmp_path / "config.yaml"
    search = real_data / "models" / "openmaterial3d"
    content = {"sensors": [{"preset": "OS1-128"}], "scene": {"search": [str(search)]}}
    content["materials"] = {"guess": False}  # no panes, no mirrors with ghosts in them
    path.write_text(json.dumps(content))
    out = tmp_path / "out"
    config_at_rest = instant(load_config(path))
    report = replay(FrameSource(trace, frames=slice(0, 140, 10)), config_at_rest, out)
    decoder = FrameDecoder("SensorView")
    for raw in open_trace(trace):
        frame = decoder.decode(raw.data, raw.index)
        file = out / "OS1-128" / f"{raw.index:06d}.pcd"
        if file.exists():
            points = PointCloud.from_path(file).pc_data
            found = check_boxes(frame, points, mounting_m=(0, 0, 1.9), margin_m=0.03)
            assert found[1] >= 300
    (environment,) = [f for f in report.content["fallbacks"] if "environment" in f["subject"]]
    assert "environment_example.bin" in environment["reason"]
    assert environment["used"] == "a ground plane"


def test_every_real_trace_is_replayed_with_no_preparation(real_data, tmp_path):
    traces = sorted(
        path for path in (real_data / "osi").rglob("*.*") if path.suffix in {".osi", ".mcap"}
    )
    vlp16 = config(sensors=[{"preset": "VLP-16"}], output={"sensor_data": "none"})
    for trace in traces:
        if trace.name == "only_osi_topic.mcap":
            continue
        out = tmp_path / trace.stem
        report = replay(FrameSource(trace, frames=slice(0, 3)), vlp16, out)
        assert report.status == "complete", trace
        assert report.content["frames_read"] == 3
        assert report.content["points"] > 10_000
    assert len(traces) == 20
