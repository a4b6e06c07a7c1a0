# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""MCAP files that stand alone: clouds for viewers and messages of ROS 2, written here."""

from pathlib import Path

import numpy as np
import pytest
from mcap.writer import Writer

from lidar_gap.reading import file_columns, read_clouds
from osi_bridge import EDGES, ViewerFile, point_cloud, points_topic
from osi_lidar.errors import InputError
from tests.builders.extras import needs


def points(n_point: int) -> np.ndarray:
    kind = [("x", "<f4"), ("y", "<f4"), ("z", "<f4"), ("ring", "<u2"), ("range", "<f4")]
    rows = np.zeros(n_point, kind)
    rows["x"] = rows["range"] = 1.0 + np.arange(n_point)
    rows["ring"] = np.arange(n_point) % 4
    return rows


def viewers_file(path: Path, *topics: str) -> Path:
    """Write two clouds of 5 and 6 points for each topic."""
    with path.open("wb") as stream:
        file = ViewerFile(stream, "clouds")
        for number in range(2):
            for topic in topics:
                cloud = point_cloud(points(5 + number), frame="roof", time_ns=10**8 * number)
                file.write(topic, cloud, 10**8 * number)
        file.finish()
    return path


@needs("foxglove_schemas_protobuf")
def test_clouds_for_viewers_are_read_by_the_schema_of_their_file(tmp_path: Path) -> None:
    path = viewers_file(tmp_path / "a.mcap", EDGES, points_topic("roof"))
    clouds = read_clouds(path)
    assert [len(cloud) for cloud in clouds] == [5, 6]
    assert [cloud.name for cloud in clouds] == ["a-000000", "a-000001"]
    np.testing.assert_allclose(clouds[1].points_m[:, 0], points(6)["x"])
    assert clouds[0].states_range
    assert clouds[0].ring is not None
    assert clouds[0].ring.tolist() == [0, 1, 2, 3, 0]


@needs("foxglove_schemas_protobuf")
def test_clouds_of_several_sensors_are_refused_with_their_topics(tmp_path: Path) -> None:
    path = viewers_file(tmp_path / "a.mcap", "/front/points", "/left/points")
    with pytest.raises(
        InputError, match=r"has 2 sources.* --source: /front/points \(2 packets.*; /left/points"
    ):
        read_clouds(path)


@needs("foxglove_schemas_protobuf")
def test_a_file_for_viewers_that_ends_early_is_one_line(tmp_path: Path) -> None:
    path = viewers_file(tmp_path / "a.mcap", "/roof/points")
    path.write_bytes(path.read_bytes()[:-300])
    with pytest.raises(InputError, match=r"a\.mcap") as caught:
        read_clouds(path)
    assert len(str(caught.value).splitlines()) == 1


@needs("rosbags")
def test_clouds_of_ros_2_need_no_metadata_beside_their_file(tmp_path: Path) -> None:
    from rosbags.typesys import Stores, get_typestore

    types = get_typestore(Stores.ROS2_HUMBLE)
    kinds, name = types.types, "sensor_msgs/msg/PointCloud2"
    stamp = kinds["builtin_interfaces/msg/Time"](sec=1, nanosec=0)
    field = kinds["sensor_msgs/msg/PointField"]
    rows = points(7)
    message = kinds[name](
        header=kinds["std_msgs/msg/Header"](stamp=stamp, frame_id="a"),
        height=1, width=7, is_bigendian=False, point_step=rows.dtype.itemsize,
        row_step=7 * rows.dtype.itemsize, is_dense=True, data=rows.view(np.uint8),
        fields=[field(name=n, offset=4 * k, datatype=7, count=1) for k, n in enumerate("xyz")],
    )  # fmt: skip
    path = tmp_path / "alone.mcap"
    with path.open("wb") as stream:
        writer = Writer(stream)
        writer.start()
        schema = writer.register_schema(name, "ros2msg", b"")
        channel = writer.register_channel("/points", "cdr", schema)
        writer.add_message(channel, 0, bytes(types.serialize_cdr(message, name)), 0)
        writer.finish()
    (cloud,) = read_clouds(path)
    np.testing.assert_allclose(cloud.points_m[:, 0], rows["x"])


@needs("laspy")
def test_tables_tell_all_columns_also_on_a_map(tmp_path: Path) -> None:
    import laspy

    las = laspy.create(point_format=6)
    las.header.scales = [0.001] * 3
    las.header.offsets = [691_000.0, 5_335_000.0, 500.0]
    las.x, las.y, las.z = 691_000.0 + np.arange(3), np.full(3, 5_335_000.0), np.full(3, 501.0)
    las.classification = [2, 2, 6]
    path = tmp_path / "city.laz"
    las.write(path)
    columns = file_columns(path)
    assert columns is not None
    np.testing.assert_allclose(columns["X"], 691_000.0 + np.arange(3))
    assert columns["classification"].tolist() == [2, 2, 6]
    with pytest.raises(InputError, match="expected metres in the sensor's frame"):
        read_clouds(path)
