# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""A run as MCAP is read back by the mcap library and protobuf, field by field."""

import json
import shutil
import subprocess
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from mcap.reader import make_reader
from osi3.osi_sensorview_pb2 import SensorView
from pypcd4 import PointCloud

from lidar_app.exports.labels import Labelling
from lidar_scenery.classes import NAMES
from lidar_scenery.palette import material_colour
from osi_bridge import FrameDecoder, open_trace
from osi_lidar.output.stored import open_run
from osi_lidar.viewers.mcap import export_mcap
from osi_lidar.viewers.transforms import host_transforms
from tests.builders.runs import BOX, drive, make_run
from tests.builders.viewer_files import ANSWER, VIEW, decoded, poses, raw, topics
from tests.commands import run

pytest.importorskip("foxglove_schemas_protobuf")

ADDED = ("red", "green", "blue", "alpha", "label")
NUMPY_TYPES = {1: "u1", 2: "i1", 3: "<u2", 4: "<i2", 5: "<u4", 6: "<i4", 7: "<f4", 8: "<f8"}
MOUNTING = {  # of the run: x y z, qw qx qy qz
    "front": (1.0, 0.0, 1.5, 1.0, 0.0, 0.0, 0.0),
    "left": (0.0, 0.8, 1.2, np.sqrt(0.5), 0.0, 0.0, np.sqrt(0.5)),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return make_run(tmp_path_factory.mktemp("mcap"))


@pytest.fixture(scope="module")
def file(folder):
    return export_mcap(open_run(folder), folder.parent / "shown.mcap").path


def rows_of(cloud):
    """Return the points of a message, by the fields that it states."""
    kind = np.dtype(
        {
            "names": [field.name for field in cloud.fields],
            "formats": [NUMPY_TYPES[field.type] for field in cloud.fields],
            "offsets": [field.offset for field in cloud.fields],
            "itemsize": cloud.point_stride,
        }
    )
    return np.frombuffer(cloud.data, kind)


def matrix(pose):
    """Return seven numbers as a matrix (Hamilton's rotation of a vector by a quaternion)."""
    x, y, z, w, i, j, k = pose
    out = np.eye(4)
    out[:3, 3] = x, y, z
    out[:3, :3] = [
        [1 - 2 * (j * j + k * k), 2 * (i * j - k * w), 2 * (i * k + j * w)],
        [2 * (i * j + k * w), 1 - 2 * (i * i + k * k), 2 * (j * k - i * w)],
        [2 * (i * k - j * w), 2 * (j * k + i * w), 1 - 2 * (i * i + j * j)],
    ]
    return out


def test_osi_messages_are_the_bytes_of_the_traces(folder, file):
    times_ns = [0, 100_000_000, 200_000_000]
    assert raw(file, VIEW) == list(zip(times_ns, drive(), strict=True))
    (trace,) = folder.glob("*_sd_*.osi")
    answers = [each.data for each in open_trace(trace)]
    assert raw(file, ANSWER) == list(zip(times_ns, answers, strict=True))


def test_clouds_are_those_of_the_run_field_by_field(folder, file):
    for sensor in ("front", "left"):
        clouds = decoded(file, f"/{sensor}/points")
        scans = [scan for scan in open_run(folder).scans if scan.row.sensor == sensor]
        assert len(clouds) == len(scans) == 3
        for cloud, scan in zip(clouds, scans, strict=True):
            expected, found = PointCloud.from_path(scan.path).pc_data, rows_of(cloud)
            assert found.dtype.names == (*expected.dtype.names, *ADDED)
            assert len(found) == len(expected) > 0
            for name in expected.dtype.names:
                assert found[name].dtype == expected[name].dtype
                assert np.array_equal(found[name], expected[name])
            assert cloud.frame_id == sensor
            assert cloud.timestamp.ToNanoseconds() == scan.row.end_ns


def test_points_have_the_class_of_the_table_and_the_colour_of_their_material(folder, file):
    run_ = open_run(folder)
    labelling, met = Labelling(run_), set()
    for sensor in ("front", "left"):
        scans = [scan for scan in run_.scans if scan.row.sensor == sensor]
        for cloud, scan in zip(decoded(file, f"/{sensor}/points"), scans, strict=True):
            found, points = rows_of(cloud), scan.points()
            classes = labelling.classes(points)
            assert np.array_equal(found["label"], classes)
            met |= {NAMES[each] for each in classes.tolist()}
            shown = found[["red", "green", "blue", "alpha"]].tolist()
            materials = [run_.materials[each] for each in points["material_id"].tolist()]
            assert shown == [(*bytes.fromhex(material_colour(each)[1:]), 255) for each in materials]
    assert {"car", "road"} <= met


def test_objects_are_boxes_of_their_size_and_class(file):
    """Those of `drive`: the host at x = 0, at last 0.5 m, and a box, both with the default size."""
    updates = decoded(file, "/objects")
    assert len(updates) == 3
    for number, update in enumerate(updates):
        (removed,) = update.deletions
        assert removed.type == removed.ALL
        boxes = {entity.id: entity for entity in update.entities}
        assert set(boxes) == {"1", str(BOX)}
        for entity in boxes.values():
            assert (entity.frame_id, entity.lifetime.ToNanoseconds()) == ("global", 0)
            assert entity.timestamp.ToNanoseconds() == 100_000_000 * number
            (cube,) = entity.cubes
            size = cube.size
            view = SensorView.FromString(drive()[number]).global_ground_truth
            (base,) = [one.base for one in view.moving_object if str(one.id.value) == entity.id]
            assert (size.x, size.y, size.z) == (
                base.dimension.length,
                base.dimension.width,
                base.dimension.height,
            )
            at = cube.pose.position
            assert (at.x, at.y, at.z) == (base.position.x, base.position.y, base.position.z)
            assert entity.metadata[0].value == "car"
            shade = cube.color
            blue = [each / 255 for each in bytes.fromhex(material_colour("car_paint_blue")[1:])]
            assert [shade.r, shade.g, shade.b] == pytest.approx(blue)
            assert 0 < shade.a < 0.5


def test_edges_lie_on_the_boxes_for_viewers_that_draw_none(file):
    for update, cloud in zip(
        decoded(file, "/objects"), decoded(file, "/objects/edges"), strict=True
    ):
        points = rows_of(cloud)
        assert cloud.frame_id == "global"
        assert (points["alpha"] == 255).all()
        of_box = np.split(points, len(update.entities))
        for entity, edges in zip(update.entities, of_box, strict=True):
            (cube,) = entity.cubes
            at, size = cube.pose.position, cube.size
            sides = np.stack([
                np.abs(edges[axis] - getattr(at, axis)) - getattr(size, axis) / 2 for axis in "xyz"
            ])  # fmt: skip
            assert (sides < 1e-5).all()
            assert ((np.abs(sides) < 1e-5).sum(axis=0) >= 2).all()  # two faces meet in an edge


def test_rerun_finds_one_root_of_all_frames(file):
    """Its default view takes the root that all frames share; images are in NAME_image_plane."""
    pairs = {pair for each in decoded(file, "/tf") for pair in poses(each)}
    parent = {child: parent for parent, child in pairs}
    frames = {f"{name}_image_plane" for name in MOUNTING} | {*MOUNTING, "global"}
    for each in frames:
        root = each
        while root in parent:
            root = parent[root]
        assert root == "global"


def test_transforms_are_those_of_the_converter_and_the_mounting(file):
    for number, transforms in enumerate(decoded(file, "/tf")):
        found = poses(transforms)
        assert {one.timestamp.ToNanoseconds() for one in transforms.transforms} == {
            100_000_000 * number
        }
        # host(): the box's centre at z = 0.75, and without bbcenter_to_rear the axle 1.2 m behind
        # and 0.45 m below it
        x_m = 0.5 if number == 2 else 0.0
        turned = (1.0, 0.0, 0.0, 0.0)
        assert found.pop(("global", "ego_vehicle_bb_center")) == (x_m, 0.0, 0.75, *turned)
        axle = found.pop(("ego_vehicle_bb_center", "ego_vehicle_rear_axle"))
        assert axle == pytest.approx((-1.2, 0.0, -0.45, *turned))
        for sensor, pose in MOUNTING.items():
            assert found.pop(("ego_vehicle_rear_axle", sensor)) == pytest.approx(pose)
            assert found.pop((sensor, f"{sensor}_image_plane")) == (0, 0, 0, *turned)
        assert not found


def test_the_chain_of_transforms_leads_to_the_poses_of_the_run(folder, file):
    found = [poses(each) for each in decoded(file, "/tf")]
    for row in open_run(folder).rows:
        chain = ("global", "ego_vehicle_bb_center", "ego_vehicle_rear_axle", row.sensor)
        steps = [matrix(found[row.frame][pair]) for pair in pairwise(chain)]
        assert np.allclose(np.linalg.multi_dot(steps), matrix(row.end_pose), atol=1e-9)


def converters_quaternion(roll, pitch, yaw):
    """Return w x y z as the product of three turns: yaw about z, then pitch, then roll."""

    def product(a, b):
        (w, v), (s, u) = a, b
        return w * s - v @ u, w * u + s * v + np.cross(v, u)

    axes = zip(np.eye(3)[::-1], (yaw, pitch, roll), strict=True)
    z, y, x = [(np.cos(angle / 2), np.sin(angle / 2) * axis) for axis, angle in axes]
    w, v = product(product(z, y), x)
    return np.array([w, *v]) * (1 if w >= 0 else -1)


def test_an_oblique_host_is_turned_as_the_converter_turns_it():
    """Intrinsic z-y'-x'' as in its src/utils/math.ts, eulerToQuaternion."""
    view = SensorView.FromString(drive()[0])
    (vehicle, *_) = view.global_ground_truth.moving_object
    turn, rear = vehicle.base.orientation, vehicle.vehicle_attributes.bbcenter_to_rear
    turn.roll, turn.pitch, turn.yaw = 0.3, -0.2, 2.5
    rear.x, rear.y, rear.z = -1.4, 0.1, -0.3
    frame = FrameDecoder("SensorView").decode(view.SerializeToString(), 0)
    centre, axle = host_transforms(frame)
    assert np.allclose(centre.pose[3:], converters_quaternion(0.3, -0.2, 2.5), atol=1e-12)
    assert tuple(axle.pose) == (-1.4, 0.1, -0.3, 1, 0, 0, 0)  # bbcenter_to_rear as it is


def test_range_images_hold_the_range_of_each_point(file):
    for image, cloud in zip(
        decoded(file, "/front/range_image"), decoded(file, "/front/points"), strict=True
    ):
        pixels = np.frombuffer(image.data, "<u2").reshape(image.height, image.width)
        points = rows_of(cloud)
        assert image.frame_id == "front"
        assert image.timestamp.ToNanoseconds() == cloud.timestamp.ToNanoseconds()
        x, y, z = (points[name] for name in "xyz")
        column = np.rint(30 - np.rad2deg(np.arctan2(y, x))).astype(int)  # 1 deg, from the left
        row = np.rint(3 - np.rad2deg(np.arctan2(z, np.hypot(x, y)))).astype(int)  # from the top
        assert np.array_equal(pixels[row, column], np.rint(100 * points["range"]))
        assert np.count_nonzero(pixels) == len(points)


def test_the_file_is_an_osi_trace_that_osi_lidar_reads(file):
    trace = open_trace(file)
    assert trace.message_type == "SensorView"
    assert [each.data for each in trace] == drive()
    with file.open("rb") as stream:
        metadata = {each.name: each.metadata for each in make_reader(stream).iter_metadata()}
    assert metadata["net.asam.osi.trace"]["data_sources"] == "osi-lidar"
    result = run("check", file)
    assert result.exit_code == 0, result.output
    assert "SensorView" in result.output


def test_the_layout_shows_topics_and_follows_a_frame_of_the_file(file):
    layout = json.loads(file.with_suffix(".layout.json").read_text())
    scene = layout["configById"]["3D!scene"]
    shown = {name for name, settings in scene["topics"].items() if settings["visible"]}
    assert topics(file) - shown == {
        *("/tf", VIEW, ANSWER, "/objects/edges", "/front/range_image", "/left/range_image"),
    }
    assert shown == {"/front/points", "/left/points", "/objects"}
    images = [
        panel["imageMode"]["imageTopic"] for name, panel in layout["configById"].items()
        if name.startswith("Image!")
    ]  # fmt: skip
    assert images == ["/front/range_image", "/left/range_image"]
    cloud, *_ = decoded(file, "/front/points")
    assert scene["topics"]["/front/points"]["colorMode"] == "rgba-fields"
    assert {"red", "green", "blue", "alpha"} <= {each.name for each in cloud.fields}  # it needs all
    assert scene["followTf"] in {child for _, child in poses(decoded(file, "/tf")[0])}


def test_sensors_frames_and_answers_are_chosen(folder, tmp_path):
    options = ("--sensor", "left", "--frames", "1:3", "--no-sensor-data")
    result = run("export", "mcap", folder, "--out", tmp_path / "part.mcap", *options)
    assert result.exit_code == 0, result.output
    assert topics(tmp_path / "part.mcap") == {
        *(VIEW, "/tf", "/objects", "/objects/edges", "/left/points", "/left/range_image"),
    }
    assert [data for _, data in raw(tmp_path / "part.mcap", VIEW)] == drive()[1:]
    assert len(raw(tmp_path / "part.mcap", "/left/points")) == 2


def test_answers_of_later_frames_are_their_own(folder, file, tmp_path):
    part = export_mcap(open_run(folder), tmp_path / "part.mcap", frames=slice(2, 3)).path
    assert raw(part, ANSWER) == raw(file, ANSWER)[2:]


@pytest.mark.slow
def test_rerun_finds_nothing_wrong_and_converts_the_file(file, tmp_path):
    rerun = shutil.which("rerun") or pytest.skip("rerun-sdk is not installed")
    checked = subprocess.run(
        [rerun, "mcap", "check", file], capture_output=True, text=True, check=True
    )
    states = [
        line.split()[0] for line in checked.stdout.splitlines() if "/" in line or "OSMP" in line
    ]
    assert states.count("ok") == len(topics(file))
    target = Path(tmp_path, "run.rrd")
    subprocess.run([rerun, "mcap", "convert", file, "-o", target], capture_output=True, check=True)
    stats = subprocess.run(
        [rerun, "rrd", "stats", target], capture_output=True, text=True, check=True
    )
    assert "Points3D:positions" in stats.stdout
    assert "Transform3D:child_frame" in stats.stdout
