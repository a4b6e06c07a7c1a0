# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Bags of ROS 2 are read back by rosbags, field by field."""

from contextlib import suppress

import numpy as np
import pytest
import yaml
from rosbags import rosbag2
from rosbags.rosbag2 import Reader
from rosbags.typesys import Stores, get_typestore
from scipy.spatial.transform import Rotation

from lidar_app.exports.ros2_layouts import return_types
from lidar_app.exports.ros2_messages import ros_names
from osi_lidar.errors import InputError
from tests.commands import assert_one_line, run
from tests.lidar_app.exports.conftest import times_ns

KINDS = {7: "<f4", 2: "u1", 4: "<u2", 6: "<u4"}  # sensor_msgs/msg/PointField
TYPES = get_typestore(Stores.ROS2_HUMBLE)
CAN_WRITE_MCAP = hasattr(rosbag2, "StoragePlugin")


def messages(bag):
    """Return [(topic, time of play, message)] of a bag."""
    with Reader(bag) as reader:
        found = list(reader.messages())
    return [
        (each.topic, time_ns, TYPES.deserialize_cdr(data, each.msgtype))
        for each, time_ns, data in found
    ]


def table(message):
    """Return the points of a PointCloud2, read by what its fields say."""
    kind = np.dtype(
        {
            "names": [each.name for each in message.fields],
            "formats": [KINDS[each.datatype] for each in message.fields],
            "offsets": [each.offset for each in message.fields],
            "itemsize": message.point_step,
        }
    )
    assert message.height == 1
    assert message.row_step == message.width * message.point_step == message.data.size
    return np.frombuffer(message.data.tobytes(), kind)


def stamp_ns(header):
    return header.stamp.sec * 1_000_000_000 + header.stamp.nanosec


def matrix(transform):
    rotation, move = transform.rotation, transform.translation
    pose = np.eye(4)
    pose[:3, :3] = Rotation.from_quat([rotation.x, rotation.y, rotation.z, rotation.w]).as_matrix()
    pose[:3, 3] = move.x, move.y, move.z
    return pose


@pytest.fixture(scope="module")
def bags(full_folder, tmp_path_factory):
    """Return a bag of each layout."""
    made = {}
    for layout in ("xyzirt", "autoware"):
        made[layout] = tmp_path_factory.mktemp("bags") / layout
        result = run("export", "ros2", full_folder, "--out", made[layout], "--layout", layout)
        assert result.exit_code == 0, result.output
    return made


def clouds(bag, full, topic):
    """Return (scan, its points, its message) of a sensor's topic."""
    found = [(time_ns, each) for name, time_ns, each in messages(bag) if name == topic]
    sensor = topic.split("/")[-2]
    scans = [scan for scan in full.scans if scan.row.sensor == sensor]
    assert [time_ns for time_ns, _ in found] == [scan.row.end_ns for scan in scans]
    return [(scan, scan.points(), each) for scan, (_, each) in zip(scans, found, strict=True)]


def test_xyzirt_has_the_fields_of_velodynes_driver(bags, full):
    scans = clouds(bags["xyzirt"], full, "/front/points")
    assert len(scans) == 3  # the second repeats the first one's cloud
    for scan, points, message in scans:
        assert message.header.frame_id == "front"
        assert stamp_ns(message.header) == max(scan.row.begin_ns, 0)
        rows = table(message)
        assert rows.dtype.names == ("x", "y", "z", "intensity", "ring", "time")
        assert message.point_step == 22
        for name in ("x", "y", "z", "ring"):
            assert (rows[name] == points[name]).all()
        np.testing.assert_allclose(
            rows["intensity"], np.minimum(100.0 * points["reflectivity"], 255.0), rtol=1e-6
        )
        after_s = 1e-9 * (times_ns(scan, points) - stamp_ns(message.header))
        np.testing.assert_allclose(rows["time"], after_s, atol=1e-8)
    assert [scan.row.begin_ns for scan, *_ in scans] == [0, -20_000_000, 80_000_000]


def test_autoware_has_the_offsets_and_units_of_its_point_type(bags, full):
    # autoware_point_types/types.hpp, PointXYZIRCAEDT: ten members without padding
    offsets = [0, 4, 8, 12, 13, 14, 16, 20, 24, 28]
    names = ["x", "y", "z", "intensity", "return_type", "channel"]
    names += ["azimuth", "elevation", "distance", "time_stamp"]
    for scan, points, message in clouds(
        bags["autoware"], full, "/sensing/lidar/front/pointcloud_raw_ex"
    ):
        assert [(each.name, each.offset) for each in message.fields] == [
            *zip(names, offsets, strict=True)
        ]
        assert [each.datatype for each in message.fields] == [7, 7, 7, 2, 2, 4, 7, 7, 7, 6]
        assert message.point_step == 32
        rows = table(message)
        x, y, z = (points[axis].astype(float) for axis in "xyz")
        assert (rows["channel"] == points["ring"]).all()
        assert (rows["intensity"] == np.rint(np.minimum(100.0 * points["reflectivity"], 255))).all()
        np.testing.assert_allclose(rows["distance"], np.sqrt(x * x + y * y + z * z), rtol=1e-6)
        # back from the angles to the point
        along = np.cos(rows["elevation"].astype(float)) * rows["distance"]
        np.testing.assert_allclose(along * np.cos(rows["azimuth"].astype(float)), x, atol=1e-4)
        np.testing.assert_allclose(along * np.sin(rows["azimuth"].astype(float)), y, atol=1e-4)
        assert rows["azimuth"].min() >= 0.0
        assert (rows["return_type"] == return_types(points)).all()
        stamps = stamp_ns(message.header) + rows["time_stamp"].astype(np.int64)
        assert (stamps == times_ns(scan, points)).all()


def test_return_types_tell_the_stronger_of_two_echoes_and_nothing_of_those_between():
    kinds = [("ring", "u2"), ("column", "u4"), ("echo", "u1"), ("n_echoes", "u1"), ("snr", "f4")]
    rows = [
        (0, 0, 0, 1, 5.0),  # the only one
        (0, 1, 0, 2, 9.0),  # first and strongest, then the last
        (0, 1, 1, 2, 3.0),
        (0, 2, 0, 2, 3.0),  # the last is the strongest
        (0, 2, 1, 2, 9.0),
        (0, 3, 0, 3, 1.0),  # three
        (0, 3, 1, 3, 8.0),
        (0, 3, 2, 3, 2.0),
        (1, 3, 1, 2, 1.0),  # its first one was lost
    ]
    assert return_types(np.array(rows, kinds)).tolist() == [7, 3, 6, 5, 4, 5, 0, 6, 4]
    single = np.zeros(2, [("reflectivity", "f4")])
    assert return_types(single).tolist() == [1, 1]


def test_a_cloud_without_points_is_a_message_without_points(bags, full):
    scan, points, message = clouds(bags["xyzirt"], full, "/left/points")[-1]
    assert len(points) == message.width == 0
    assert stamp_ns(message.header) == scan.row.begin_ns


def test_transforms_lead_from_the_map_to_the_points_in_the_world(bags, full):
    found = messages(bags["xyzirt"])
    (fixed,) = [each for topic, _, each in found if topic == "/tf_static"]
    from_base = {each.child_frame_id: matrix(each.transform) for each in fixed.transforms}
    assert {each.header.frame_id for each in fixed.transforms} == {"base_link"}
    # mountings of tests/builders/runs.py
    np.testing.assert_allclose(from_base["front"][:3, 3], [1.0, 0.0, 1.5])
    np.testing.assert_allclose(from_base["left"][:3, :3] @ [1, 0, 0], [0, 1, 0], atol=1e-12)
    moves = {
        stamp_ns(each.header): each
        for topic, _, m in found
        if topic == "/tf"
        for each in m.transforms
    }
    assert sorted(moves) == [0, 80_000_000, 100_000_000, 200_000_000]
    for scan in full.scans:
        move = moves[scan.row.end_ns]
        assert (move.header.frame_id, move.child_frame_id) == ("map", "base_link")
        pose = matrix(move.transform) @ from_base[scan.row.sensor]
        x, y, z, qw, *qv = scan.row.end_pose
        np.testing.assert_allclose(pose[:3, 3], [x, y, z], atol=1e-8)
        expected = Rotation.from_quat([*qv, qw]).as_matrix()
        np.testing.assert_allclose(pose[:3, :3], expected, atol=1e-9)


def test_a_player_offers_static_transforms_to_who_comes_late(bags):
    metadata = yaml.safe_load((bags["xyzirt"] / "metadata.yaml").read_text())
    topics = metadata["rosbag2_bagfile_information"]["topics_with_message_count"]
    quality = {
        each["topic_metadata"]["name"]: each["topic_metadata"]["offered_qos_profiles"]
        for each in topics
    }
    (offered,) = yaml.safe_load(quality["/tf_static"])
    assert offered["durability"] == 1  # rmw_qos_durability_policy_t: transient local
    assert set(offered) == {
        *("history", "depth", "reliability", "durability", "deadline", "lifespan"),
        *("liveliness", "liveliness_lease_duration", "avoid_ros_namespace_conventions"),
    }


def test_names_that_ros_does_not_allow_are_changed_but_never_mixed_up():
    def named(*names):
        return ros_names(names, "run")

    assert named("OS1-128", "0", "täg") == {"OS1-128": "OS1_128", "0": "lidar_0", "täg": "t_g"}
    with pytest.raises(InputError, match=r"run: sensors a-b, a_b would have equal names in ROS"):
        named("a-b", "a_b")


def test_mcap_is_written_where_rosbags_can(full_folder, bags, tmp_path):
    out = tmp_path / "bag"
    result = run("export", "ros2", full_folder, "--out", out, "--storage", "mcap")
    if not CAN_WRITE_MCAP:
        assert_one_line(result, 2, "--storage mcap: needs rosbags 0.10", "or use --storage sqlite3")
        return
    assert (out / "bag.mcap").is_file()
    for (topic, time_ns, got), (*place, expected) in zip(
        messages(out), messages(bags["xyzirt"]), strict=True
    ):
        assert [topic, time_ns] == place
        with suppress(AttributeError):
            assert got.data.tobytes() == expected.data.tobytes()
