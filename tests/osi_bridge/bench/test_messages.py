# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""A SensorView of a small world says what its records say, and nothing else."""

import pytest
from osi3.osi_object_pb2 import MovingObject, StationaryObject
from osi3.osi_sensorview_pb2 import SensorView

from osi_bridge.bench.messages import BoxObject, StatedWeather, ViewHead, sensor_view_message
from osi_bridge.records import MountingPosition
from osi_bridge.traces.names import OSI_VERSION

NOTHING = ViewHead(host_id=None)


def view_of(*things, head=NOTHING, time_ns=0):
    return SensorView.FromString(sensor_view_message(things, time_ns, head))


def xyz(vector):
    return vector.x, vector.y, vector.z


def test_view_and_ground_truth_state_time_and_version():
    view = view_of(time_ns=3_000_000_007)
    for part in (view, view.global_ground_truth):
        assert (part.timestamp.seconds, part.timestamp.nanos) == (3, 7)
        version = part.version
        stated = version.version_major, version.version_minor, version.version_patch
        assert stated == OSI_VERSION


def test_what_the_head_leaves_out_is_not_stated():
    view = view_of()
    assert not view.HasField("host_vehicle_id")
    assert not view.HasField("mounting_position")
    assert not view.global_ground_truth.HasField("environmental_conditions")


def test_the_head_is_stated():
    mounting = MountingPosition(position_m=(1.0, 2.0, 3.0), orientation_rad=(0.1, 0.2, 0.3))
    head = ViewHead(5, 6, "town.glb", mounting, StatedWeather(fog=4, precipitation=5))
    view = view_of(head=head)
    truth = view.global_ground_truth
    assert (view.host_vehicle_id.value, view.sensor_id.value) == (5, 6)
    assert truth.model_reference == "town.glb"
    assert xyz(view.mounting_position.position) == (1.0, 2.0, 3.0)
    turn = view.mounting_position.orientation
    assert (turn.roll, turn.pitch, turn.yaw) == (0.1, 0.2, 0.3)
    conditions = truth.environmental_conditions
    assert (conditions.fog, conditions.precipitation) == (4, 5)


def test_a_vehicle_is_of_the_type_that_it_names():
    (rode,) = view_of(
        BoxObject(4, (1.0, 2.0, 3.0), vehicle_type="TYPE_BICYCLE")
    ).global_ground_truth.moving_object
    kinds = MovingObject.VehicleClassification
    assert (rode.type, rode.vehicle_classification.type) == (
        MovingObject.TYPE_VEHICLE, kinds.TYPE_BICYCLE
    )  # fmt: skip


def test_a_moving_object_is_a_car_unless_it_says_otherwise():
    pose = {"yaw_rad": 0.1, "pitch_rad": 0.2, "roll_rad": 0.3}
    car = BoxObject(
        4, (1.0, 2.0, 3.0), **pose, model_reference="car.glb", velocity_m_s=(7.0, 8.0, 9.0),
        rear_axle_m=(-1.4, 0.0, -0.4),
    )  # fmt: skip
    walker = BoxObject(5, (0.0, 0.0, 0.0), osi_type=MovingObject.TYPE_PEDESTRIAN)
    first, second = view_of(car, walker).global_ground_truth.moving_object
    base = first.base
    assert first.id.value == 4
    assert xyz(base.position) == (1.0, 2.0, 3.0)
    assert (base.orientation.yaw, base.orientation.pitch, base.orientation.roll) == (0.1, 0.2, 0.3)
    dimension = base.dimension
    assert (dimension.length, dimension.width, dimension.height) == (4.0, 2.0, 1.5)
    assert first.model_reference == "car.glb"
    assert xyz(base.velocity) == (7.0, 8.0, 9.0)
    assert xyz(first.vehicle_attributes.bbcenter_to_rear) == (-1.4, 0.0, -0.4)
    assert first.type == MovingObject.TYPE_VEHICLE
    assert first.vehicle_classification.type == MovingObject.VehicleClassification.TYPE_CAR
    assert second.type == MovingObject.TYPE_PEDESTRIAN
    for name in ("vehicle_classification", "vehicle_attributes"):
        assert not second.HasField(name)
    assert not second.base.HasField("velocity")


def test_a_stationary_object_states_its_type_and_material_where_it_has_them():
    kinds = StationaryObject.Classification
    wall = BoxObject(
        2, (0.0, 0.0, 0.0), kind="stationary_object", osi_type=kinds.TYPE_WALL,
        material=kinds.MATERIAL_CONCRETE,
    )  # fmt: skip
    plain = BoxObject(3, (0.0, 0.0, 0.0), kind="stationary_object")
    first, second = view_of(wall, plain).global_ground_truth.stationary_object
    assert first.classification.type == kinds.TYPE_WALL
    assert first.classification.material == kinds.MATERIAL_CONCRETE
    assert not second.HasField("classification")


def test_a_sign_stands_in_its_main_sign():
    sign = BoxObject(9, (1.0, 2.0, 3.0), kind="traffic_sign", model_reference="stop.glb")
    (found,) = view_of(sign).global_ground_truth.traffic_sign
    assert found.id.value == 9
    assert xyz(found.main_sign.base.position) == (1.0, 2.0, 3.0)
    assert found.main_sign.model_reference == "stop.glb"


def test_a_vector_of_two_or_of_four_numbers_is_refused():
    for vector in ((1.0, 2.0), (1.0, 2.0, 3.0, 4.0)):
        for thing in (BoxObject(9, vector), BoxObject(9, (0.0, 0.0, 0.0), dimension_m=vector)):
            with pytest.raises(ValueError, match="argument 2 is"):
                view_of(thing)
