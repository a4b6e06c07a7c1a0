# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Messages for viewers: the names that Lichtblick knows, and the types that schemas allow."""

from dataclasses import replace

import numpy as np
import pytest
from google.protobuf.descriptor_pb2 import FileDescriptorSet
from osi3.osi_groundtruth_pb2 import GroundTruth
from osi3.osi_sensorview_pb2 import SensorView

from osi_bridge import Place, StaticContent, Transform, frame_transforms, grey_image, point_cloud
from osi_bridge.viewers import frames
from osi_bridge.viewers.layout import layout
from osi_bridge.viewers.messages import schema_bytes
from tests.builders.messages import Thing, host, message

pytest.importorskip("foxglove_schemas_protobuf")


def read(name, sent):
    """Return a message as Foxglove's own classes read it."""
    module = pytest.importorskip(f"foxglove_schemas_protobuf.{name}_pb2")
    assert sent.schema == f"foxglove.{name}"
    return getattr(module, name).FromString(sent.data)


def test_frames_have_the_names_of_lichtblicks_converter():
    """asam-osi-converter 1.0.1, src/config/frameTransformNames.ts."""
    assert frames.GLOBAL_FRAME == "global"
    assert frames.BB_CENTER_FRAME == "ego_vehicle_bb_center"
    assert frames.REAR_AXLE_FRAME == "ego_vehicle_rear_axle"
    assert frames.VIRTUAL_MOUNTING_FRAME == "virtual_mounting_position"


def test_fields_of_a_cloud_keep_their_types_and_wide_ids_become_doubles():
    kinds = {"x": "<f4", "y": "<f4", "z": "<f4", "ring": "<u2", "echo": "u1", "object_id": "<u8"}
    points = np.zeros(2, [*kinds.items(), ("time_ns", "<u4"), ("stamp", "<f8")])
    points["object_id"], points["time_ns"] = [2**53, 7], 5
    cloud = read("PointCloud", point_cloud(points, frame="roof", time_ns=1_500_000_000))
    # the numbers of foxglove.PackedElementField.NumericType
    float32, float64, uint8, uint16, uint32 = 7, 8, 1, 3, 5
    assert {field.name: (field.offset, field.type) for field in cloud.fields} == {
        "x": (0, float32),
        "y": (4, float32),
        "z": (8, float32),
        "ring": (12, uint16),
        "echo": (14, uint8),
        "object_id": (15, float64),
        "time_ns": (23, uint32),
        "stamp": (27, float64),
    }
    assert (cloud.point_stride, len(cloud.data), cloud.frame_id) == (35, 70, "roof")
    assert (cloud.timestamp.seconds, cloud.timestamp.nanos) == (1, 500_000_000)
    assert cloud.pose.orientation.w == 1.0
    assert np.frombuffer(cloud.data[15:23], "<f8") == 2.0**53


def test_a_transform_and_an_image_keep_what_they_were_made_of():
    pose = (1.0, 2.0, 3.0, 0.5, -0.5, 0.5, -0.5)
    (one,) = read("FrameTransforms", frame_transforms([Transform("a", "b", 7, pose)])).transforms
    assert (one.parent_frame_id, one.child_frame_id, one.timestamp.nanos) == ("a", "b", 7)
    at, turn = one.translation, one.rotation
    assert (at.x, at.y, at.z, turn.w, turn.x, turn.y, turn.z) == pose
    pixels = np.arange(6, dtype=np.uint16).reshape(2, 3)[::-1]
    image = read("RawImage", grey_image(pixels, frame="roof", time_ns=0))
    assert (image.height, image.width, image.step, image.encoding) == (2, 3, 6, "mono16")
    assert np.array_equal(np.frombuffer(image.data, "<u2").reshape(2, 3), pixels)


@pytest.mark.parametrize("time_ns", [-1, 2**63])
def test_times_that_no_viewer_knows_are_moved_to_the_nearest_one(time_ns):
    cloud = read("PointCloud", point_cloud(np.zeros(0, [("x", "<f4")]), frame="", time_ns=time_ns))
    assert cloud.timestamp.seconds == (0 if time_ns < 0 else 2**32 - 1)


@pytest.mark.parametrize("schema", ["foxglove.PointCloud", "osi3.SensorView"])
def test_a_schema_carries_every_file_that_it_needs_before_that_file(schema):
    files = FileDescriptorSet.FromString(schema_bytes(schema)).file
    for number, file in enumerate(files):
        assert {*file.dependency} <= {one.name for one in files[:number]}
    assert schema in {f"{file.package}.{kind.name}" for file in files for kind in file.message_type}


SIGN = Thing(9, (5.0, 1.0, 2.0), kind="traffic_sign")
WALL = Thing(8, (9.0, 0.0, 1.0), kind="stationary_object")


def ids(kind, data):
    view = SensorView.FromString(data)
    return [each.id.value for each in getattr(view.global_ground_truth, kind)]


def test_a_viewer_that_connects_late_gets_what_came_in_the_first_message():
    content = StaticContent()
    first = message([host(), SIGN, WALL])
    assert content.completed("SensorView", first, Place.FIRST) == first
    second = content.completed("SensorView", message([host()], 0.1), Place.NEXT)
    assert (ids("traffic_sign", second), ids("stationary_object", second)) == ([9], [8])
    assert ids("moving_object", second) == [1]


def test_a_list_that_comes_again_is_not_completed_from_then_on():
    content = StaticContent()
    content.completed("SensorView", message([SIGN, WALL]), Place.FIRST)
    other = Thing(10, (5.0, 1.0, 2.0), kind="traffic_sign")
    again = content.completed("SensorView", message([other], 0.1), Place.NEXT)
    assert (ids("traffic_sign", again), ids("stationary_object", again)) == ([10], [8])
    after = content.completed("SensorView", message([], 0.2), Place.NEXT)
    assert (ids("traffic_sign", after), ids("stationary_object", after)) == ([], [8])


def test_a_new_run_keeps_what_it_lacks_and_another_source_does_not():
    content = StaticContent()
    content.completed("SensorView", message([SIGN]), Place.FIRST)
    restarted = content.completed("SensorView", message([WALL]), Place.RESTART)
    assert ids("traffic_sign", restarted) == [9]
    other = content.completed("SensorView", message([WALL]), Place.FIRST)
    assert ids("traffic_sign", other) == []


@pytest.mark.parametrize("place", [Place.FIRST, Place.RESTART])
def test_the_lists_of_the_first_message_of_each_run_are_those_that_are_added(place):
    """A first message has every list anew, or some of them."""
    content = StaticContent()
    content.completed("SensorView", message([SIGN, WALL]), Place.FIRST)
    for number, lists in enumerate(([SIGN], [WALL], [SIGN, WALL])):
        things = [replace(each, object_id=20 + 2 * number + each.object_id) for each in lists]
        content.completed("SensorView", message(things), place)
        for time_s in (0.1, 0.2):
            later = content.completed("SensorView", message([host()], time_s), Place.NEXT)
            for thing in things:
                assert ids(thing.kind, later) == [thing.object_id]


def test_ground_truth_is_completed_as_sensor_views_are():
    content = StaticContent()
    truth = SensorView.FromString(message([SIGN])).global_ground_truth.SerializeToString()
    content.completed("GroundTruth", truth, Place.FIRST)
    bare = SensorView.FromString(message([host()], 0.1)).global_ground_truth.SerializeToString()
    found = GroundTruth.FromString(content.completed("GroundTruth", bare, Place.NEXT))
    assert [each.id.value for each in found.traffic_sign] == [9]


@pytest.mark.parametrize("n", [1, 2, 3])
def test_a_layout_has_the_range_images_one_above_the_other_in_equal_parts(n):
    sensors = ["front", "left", "right"][:n]
    place, images, share = layout(sensors)["layout"]["second"], [], 100.0
    while not isinstance(place, str):
        images.append((place["first"], share * place["splitPercentage"] / 100))
        share *= 1 - place["splitPercentage"] / 100
        place = place["second"]
    images.append((place, share))
    assert [name for name, _ in images] == [f"Image!{name}" for name in sensors]
    assert [part for _, part in images] == pytest.approx([100 / n] * n)
