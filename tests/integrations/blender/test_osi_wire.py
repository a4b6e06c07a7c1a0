# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""What the extension writes by itself is what OSI's own package reads."""

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st
from osi3.osi_groundtruth_pb2 import GroundTruth
from osi3.osi_object_pb2 import MovingObject, StationaryObject

from tests.builders.blender_extension import part

wire = part("osi_wire")
numbers = st.floats(-1e9, 1e9)
boxes = st.builds(wire.Box, *(st.tuples(numbers, numbers, numbers) for _ in range(3)))
ids = st.integers(0, 2**64 - 1)
VEHICLE = MovingObject.VehicleClassification.Type
STRUCTURE = StationaryObject.Classification.Type


def read(entry):
    (length,) = struct.unpack_from("<I", entry)
    assert length == len(entry) - 4
    return GroundTruth.FromString(entry[4:])


def assert_is(base, box):
    for message, expected in (
        ((base.position.x, base.position.y, base.position.z), box.center_m),
        ((base.orientation.roll, base.orientation.pitch, base.orientation.yaw), box.angles_rad),
        ((base.dimension.length, base.dimension.width, base.dimension.height), box.size_m),
    ):
        assert message == expected


@given(st.integers(0, 9 * 10**18), ids, boxes, st.text(max_size=300))
def test_osi_reads_every_field(time_ns, object_id, box, reference):
    moving = wire.moving_object(object_id, (reference, box), "car")
    standing = wire.stationary_object(object_id, (reference, box), "tree")
    host = wire.host_vehicle(object_id, box)
    truth = read(wire.ground_truth(time_ns, object_id, (host, moving, standing)))
    assert truth.timestamp.seconds * 10**9 + truth.timestamp.nanos == time_ns
    assert truth.host_vehicle_id.value == object_id
    carrier, car = truth.moving_object
    (tree,) = truth.stationary_object
    for each in (carrier, car, tree):
        assert each.id.value == object_id
        assert_is(each.base, box)
    assert car.model_reference == tree.model_reference == reference
    assert carrier.vehicle_attributes.HasField("bbcenter_to_rear")
    assert carrier.vehicle_attributes.bbcenter_to_rear.x == 0.0
    assert truth.version.version_major == 3


@pytest.mark.parametrize(
    ("stated", "name"),
    [("car", "TYPE_CAR"), ("van", "TYPE_VAN"), ("truck", "TYPE_HEAVY_TRUCK"),
     ("motorbike", "TYPE_MOTORBIKE"), ("bicycle", "TYPE_BICYCLE"), ("bus", "TYPE_BUS"),
     ("tram", "TYPE_TRAM"), ("train", "TYPE_TRAIN")],
)  # fmt: skip
def test_numbers_of_vehicles_are_those_of_osi(stated, name):
    assert wire.VEHICLES[stated] == VEHICLE.Value(name)


def test_numbers_of_other_types_are_those_of_osi():
    assert wire.VEHICLE == MovingObject.TYPE_VEHICLE
    assert wire.OTHER == MovingObject.TYPE_OTHER == STRUCTURE.Value("TYPE_OTHER")
    for table, values in ((wire.BEINGS, MovingObject.Type), (wire.STRUCTURES, STRUCTURE)):
        for stated, number in table.items():
            assert number == values.Value(f"TYPE_{stated.upper()}")
