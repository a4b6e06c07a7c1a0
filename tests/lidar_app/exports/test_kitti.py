# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Sequences of SemanticKITTI and samples of KITTI are read as their development kits say."""

import json
import shutil

import numpy as np
import pytest
import yaml

from lidar_app.exports.boxes import ScanBoxes, tuples
from lidar_app.exports.kitti import label_lines
from lidar_app.exports.kitti_files import CAMERA_FROM_LIDAR
from lidar_scenery.classes import FALSE_ALARM, MATERIALS, NAMES, TYPES
from osi_lidar.clouds.origins import ORIGINS
from osi_lidar.output.accumulation import accumulate
from osi_lidar.scan.from_config import pose_matrix
from tests.builders.files import written
from tests.builders.runs import BOX
from tests.commands import assert_one_line, run


def export(form, folder, out, *options):
    result = run("export", form, folder, "--out", out, *options)
    assert result.exit_code == 0, result.output
    return result


def read_points(path):
    """Return x y z and reflectivity (n, 4) of a file of points."""
    return np.fromfile(path, np.float32).reshape(-1, 4)


def read_calib(path):
    """Return the matrices of a calibration, 4 x 4, by name, as pykitti reads it."""
    found = {}
    for line in path.read_text().splitlines():
        name, numbers = line.split(":", 1)
        values = np.array(numbers.split(), float)
        found[name] = values.reshape(3, -1)
    return found


def full_matrix(rows):
    return np.vstack([rows, [0, 0, 0, 1]])


@pytest.fixture(scope="module")
def sequence(full_folder, tmp_path_factory):
    out = tmp_path_factory.mktemp("sequences") / "00"
    export("semantickitti", full_folder, out, "--sensor", "front")
    return out


def test_a_sequence_has_a_scan_for_each_frame_numbered_from_0(sequence, full):
    names = [f"{n:06d}" for n in range(3)]
    assert sorted(path.stem for path in (sequence / "velodyne").iterdir()) == names
    assert sorted(path.stem for path in (sequence / "labels").iterdir()) == names
    times_s = np.loadtxt(sequence / "times.txt")
    np.testing.assert_allclose(times_s, [0.0, 0.1, 0.2])  # of drive() in tests/builders/runs.py
    scans = [scan for scan in full.scans if scan.row.sensor == "front"]
    for name, scan in zip(names, scans, strict=True):
        found, points = read_points(sequence / "velodyne" / f"{name}.bin"), scan.points()
        assert len(found) == len(points)
        remission = np.minimum(points["reflectivity"], 1.0)
        assert (found[:, 3] == remission.astype(np.float32)).all()


def test_poses_and_calibration_put_the_points_into_the_world(sequence, full_folder, full):
    calib = read_calib(sequence / "calib.txt")
    camera_from_lidar = full_matrix(calib["Tr"])
    # KITTI's camera: x right, y down, z forward; the lidar: x forward, y left, z up
    assert (camera_from_lidar @ [1, 2, 3, 1]).tolist() == [-2, -3, 1, 1]
    for name in ("P0", "P1", "P2", "P3"):
        assert (calib[name] == np.eye(4)[:3]).all()
    poses = np.loadtxt(sequence / "poses.txt").reshape(-1, 3, 4)
    assert np.allclose(poses[0], np.eye(4)[:3])
    expected = accumulate(full_folder, sensors=["front"])
    first = next(full.scans).row.end_pose
    for number, frame in ((0, 0), (2, 2)):
        points = read_points(sequence / "velodyne" / f"{number:06d}.bin").astype(float)
        points[:, 3] = 1.0
        lidar_from_lidar = (
            np.linalg.inv(camera_from_lidar) @ full_matrix(poses[number]) @ camera_from_lidar
        )
        # the host of drive() does not turn: the first scan's pose is a shift
        assert first[3] == 1.0
        in_world = (points @ lidar_from_lidar.T)[:, :3] + first[:3]
        chosen = expected[expected["frame"] == frame]
        off_m = np.abs(in_world - np.stack([chosen[axis] for axis in "xyz"], axis=1))
        assert off_m.max() < 1e-5  # single precision in the file


def test_labels_are_classes_of_objects_and_materials_with_instances(sequence, full):
    described = yaml.safe_load((sequence / "labels.yaml").read_text())
    assert described["labels"] == NAMES
    assert described["instances"] == {1: BOX}
    scans = [scan for scan in full.scans if scan.row.sensor == "front"]
    for number, scan in enumerate(scans):
        points = scan.points()
        label = np.fromfile(sequence / "labels" / f"{number:06d}.label", np.uint32)
        assert len(label) == len(points)
        of_box = points["object_id"] == BOX
        assert of_box.any()
        # the box is a car: car 10, and the first object that is met
        assert set(label[of_box].tolist()) == {1 << 16 | 10}
        false_alarm = ~of_box & (points["origin"] == ORIGINS.index(FALSE_ALARM))
        assert set(label[false_alarm].tolist()) == {1}  # outlier
        rest = ~of_box & ~false_alarm
        assert {full.materials[each] for each in points["material_id"][rest]} == {"asphalt_worn"}
        assert set(label[rest].tolist()) == {40}  # road


def test_a_map_of_ones_own_replaces_that_of_semantickitti(full_folder, full, tmp_path):
    own = written(tmp_path / "own.yaml", "TYPE_VEHICLE: 7\nasphalt_*: 300\n")
    options = ("--sensor", "front", "--frames", "0:1", "--labels", own)
    export("semantickitti", full_folder, tmp_path / "out", *options)
    label = np.fromfile(tmp_path / "out" / "labels" / "000000.label", np.uint32)
    points = next(full.scans).points()
    of_box = points["object_id"] == BOX
    assert set((label[of_box] & 0xFFFF).tolist()) == {7}
    assert set(label[~of_box].tolist()) == {0, 300}  # false alarms have no class in that map
    described = yaml.safe_load((tmp_path / "out" / "labels.yaml").read_text())
    assert described["labels"] == {0: "unlabeled", 7: "vehicle", 300: "asphalt_*"}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("asfalt_worn: 3", ["asfalt_worn: expected an OSI type or a material", "'asphalt_worn'"]),
        ("car: 70000", ["car: got 70000, expected a class from 0 to 65535"]),
        ("car: true", ["car: got True, expected a class"]),
        ("- car", ["own.yaml", "list"]),
    ],
)
def test_a_map_that_cannot_be_used_is_one_line(text, words, full_folder, tmp_path):
    own = written(tmp_path / "own.yaml", text)
    command = ("export", "semantickitti", full_folder, "--sensor", "front", "--labels", own)
    assert_one_line(run(*command, "--out", tmp_path / "out"), 2, *words)
    assert not (tmp_path / "out").exists()


def test_every_class_of_the_map_has_a_name():
    assert {*TYPES.values(), *MATERIALS.values()} <= set(NAMES)


def test_without_the_trace_objects_are_unlabeled_and_have_no_boxes(full_folder, tmp_path, caplog):
    moved = tmp_path / "moved"
    shutil.copytree(full_folder, moved)
    report = json.loads((moved / "run.json").read_text())
    report["input"]["file"] = str(tmp_path / "gone.osi")
    (moved / "run.json").write_text(json.dumps(report))
    options = ("--sensor", "front", "--frames", "0:1")
    export("semantickitti", moved, tmp_path / "s", *options)
    assert "points on objects get the label 0 (unlabeled): " in caplog.text
    assert "gone.osi: no such file" in caplog.text
    label = np.fromfile(tmp_path / "s" / "labels" / "000000.label", np.uint32)
    assert set((label & 0xFFFF).tolist()) == {0, 1, 40}
    export("kitti", moved, tmp_path / "k", *options)
    assert "no boxes: " in caplog.text
    assert not (tmp_path / "k" / "training" / "label_2").exists()
    assert (tmp_path / "k" / "training" / "velodyne" / "000000.bin").is_file()


def test_boxes_of_kitti_hold_the_points_of_their_objects(full_folder, full, tmp_path):
    export("kitti", full_folder, tmp_path / "k", "--sensor", "front")
    training = tmp_path / "k" / "training"
    scans = [scan for scan in full.scans if scan.row.sensor == "front"]
    for number, scan in enumerate(scans):
        (line,) = (training / "label_2" / f"{number:06d}.txt").read_text().splitlines()
        kind, *words = line.split()
        assert kind == "Car"
        truncated, occluded, alpha, *image, h, w, length, x, y, z, turned = map(float, words)
        assert [truncated, occluded] == [0.0, 0.0]  # nothing stands before it
        calib = read_calib(training / "calib" / f"{number:06d}.txt")
        assert (calib["R0_rect"] == np.eye(3)).all()
        points = scan.points()
        of_box = (points["object_id"] == BOX) & (points["echo"] == 0)
        lidar = read_points(training / "velodyne" / f"{number:06d}.bin")[of_box].astype(float)
        lidar[:, 3] = 1.0
        camera = (lidar @ full_matrix(calib["Tr_velo_to_cam"]).T)[:, :3]
        # object frame of the devkit: x along the length, turned about y; the origin is on the floor
        away = camera - [x, y, z]
        along = np.cos(turned) * away[:, 0] - np.sin(turned) * away[:, 2]
        across = np.sin(turned) * away[:, 0] + np.cos(turned) * away[:, 2]
        assert np.abs(along).max() <= length / 2 + 1e-4
        assert np.abs(across).max() <= w / 2 + 1e-4
        assert away[:, 1].max() <= 1e-4
        assert away[:, 1].min() >= -h - 1e-4
        assert np.abs(along).max() > length / 2 - 1e-3  # the near face is seen
        # the box of the image holds the images of its points, by the projection of the sample
        ends = np.hstack([camera, np.ones((len(camera), 1))]) @ calib["P2"].T
        places = ends[:, :2] / ends[:, 2:]
        left, top, right, bottom = image
        assert left - 0.1 <= places[:, 0].min()
        assert places[:, 0].max() <= right + 0.1
        assert top - 0.1 <= places[:, 1].min()
        assert places[:, 1].max() <= bottom + 0.1
        # seen from above: from the near edge of its floor to the far edge of its roof
        near, far = y / (z - length / 2), (y - h) / (z + length / 2)
        assert bottom - top == pytest.approx(721.5377 * (near - far), rel=1e-3)
        expected = turned - np.arctan2(x, z)
        assert abs((alpha - expected + np.pi) % (2 * np.pi) - np.pi) < 1e-5


def one_box(pose):
    """Return a car of 4.0 x 2.0 x 1.5 m, of whose points one half is hidden."""
    return ScanBoxes(
        object_id=np.array([BOX], np.uint64),
        names=tuples([("car", "vehicle")]),
        moves=np.array([True]),
        world_from_box=pose[None],
        world_from_box_begin=pose[None],
        size_m=np.array([[4.0, 2.0, 1.5]]),
        velocity_m_s=np.zeros((1, 3)),
        points=np.array([3]),
        alone=np.array([6.0]),
    )


def test_a_turned_box_has_its_corners_where_the_object_has_them():
    world_from_lidar = pose_matrix((2.0, 1.0, 1.5), (0.0, 0.0, 0.3))
    camera_from_world = CAMERA_FROM_LIDAR @ np.linalg.inv(world_from_lidar)
    world_from_object = pose_matrix((20.0, 4.0, 1.0), (0.0, 0.0, 0.5))
    (line,) = label_lines(["Car"], one_box(world_from_object), world_from_lidar)
    assert line.split()[2] == "1"  # half of its points: partly occluded
    h, w, length, x, y, z, turned = map(float, line.split()[-7:])
    # the devkit's corners (computeBox3D.m): x along the length, y down from the floor up to -h
    places = [(a, b, c) for a in (1, -1) for b in (0, -h) for c in (1, -1)]
    own = np.array([[a * length / 2, b, c * w / 2] for a, b, c in places])
    cos, sin = np.cos(turned), np.sin(turned)
    corners = own @ np.array([[cos, 0, sin], [0, 1, 0], [-sin, 0, cos]]).T + [x, y, z]
    signs = [(a, b, c) for a in (1, -1) for c in (-1, 1) for b in (1, -1)]  # b is to the left
    of_object = np.array([[a * 2.0, b * 1.0, c * 0.75, 1.0] for a, b, c in signs])
    expected = (of_object @ (camera_from_world @ world_from_object).T)[:, :3]
    np.testing.assert_allclose(corners, expected, atol=1e-5)


@pytest.mark.parametrize("tilt_rad", [(0.0, 0.0), (0.1, -0.2)], ids=["level", "tilted"])
@pytest.mark.parametrize("yaw_rad", [0.5, 1.75, 1.95, -2.5])
@pytest.mark.parametrize("y_m", [4.0, 12.0])
def test_a_tilted_lidar_has_floor_directions_and_image_of_a_box_where_it_sees_them(
    tilt_rad, yaw_rad, y_m
):
    """The lidar rolls and looks down; the box stands level, or rolls and pitches itself.

    It is to the right or to the left, and heads along, across and against the way to it.
    """
    world_from_lidar = pose_matrix((2.0, 1.0, 1.5), (0.1, 0.2, 0.3))
    world_from_object = pose_matrix((20.0, y_m, -1.0), (*tilt_rad, yaw_rad))
    (line,) = label_lines(["Car"], one_box(world_from_object), world_from_lidar)
    alpha, *image, h, w, length, x, y, z, turned = map(float, line.split()[3:])
    assert [length, w, h] == [4.0, 2.0, 1.5]
    camera_from_object = CAMERA_FROM_LIDAR @ np.linalg.inv(world_from_lidar) @ world_from_object
    floor = camera_from_object @ [0.0, 0.0, -0.75, 1.0]
    np.testing.assert_allclose([x, y, z], floor[:3], atol=1e-5)
    # seen from above, as numbers x + i z: the box heads for e^(-i rotation_y), and alpha is that
    # angle for one who looks at the box, that is with the way to it straight ahead, at i
    ahead = camera_from_object @ [1.0, 0.0, 0.0, 0.0]
    heading, way = ahead[0] + 1j * ahead[2], floor[0] + 1j * floor[2]
    assert turned == pytest.approx(-np.angle(heading), abs=1e-5)
    assert alpha == pytest.approx(-np.angle(heading * 1j / way), abs=1e-5)
    corners = [(a, b, c, 1.0) for a in (2.0, -2.0) for b in (1.0, -1.0) for c in (0.75, -0.75)]
    right, down, depth, _ = camera_from_object @ np.transpose(corners)
    columns, rows = 609.5593 + 721.5377 * right / depth, 172.854 + 721.5377 * down / depth
    expected = (columns.min(), rows.min(), columns.max(), rows.max())
    np.testing.assert_allclose(image, expected, atol=1e-5)
