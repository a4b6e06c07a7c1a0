# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""What a master grants: every configuration of OSI is taken as one, and no other message is."""

import pytest
from osi3.osi_sensorviewconfiguration_pb2 import SensorViewConfiguration

from osi_bridge import (
    FrameDecoder,
    OsiError,
    UndecodableMessage,
    decode_view_configuration,
    encode_view_request,
)
from tests.osi_bridge.helpers import add_box, ground_truth, sensor_view


def with_lidar(config):
    lidar = config.lidar_sensor_view_configuration.add()
    lidar.field_of_view_horizontal, lidar.number_of_rays_horizontal = 3.14, 1000
    lidar.mounting_position.position.z = 1.9
    lidar.directions.add().x = 1.0


def with_a_field_of_a_newer_osi(config):
    # field 900 of type varint, which no OSI 3.8 message has
    config.range = 100.0
    config.MergeFromString(config.SerializeToString() + b"\xa0\x38\x01")


@pytest.mark.parametrize(
    "fill",
    [
        lambda config: setattr(config.version, "version_major", 3),
        lambda config: setattr(config, "range", 250.0),
        lambda config: setattr(config, "omit_static_information", True),
        lambda config: setattr(config.sensor_id, "value", 7),
        lambda config: setattr(config.update_cycle_time, "nanos", 10**8),
        lambda config: setattr(config.mounting_position.position, "x", 1.5),
        lambda config: config.generic_sensor_view_configuration.add().SetInParent(),
        with_lidar,
        with_a_field_of_a_newer_osi,
    ],
)
def test_configurations_of_any_content_are_accepted(fill):
    config = SensorViewConfiguration()
    fill(config)
    view = decode_view_configuration(config.SerializeToString())
    assert view.range_m == (config.range if config.HasField("range") else None)


@pytest.mark.parametrize(
    ("data", "name"),
    [
        (sensor_view().SerializeToString(), "SensorView"),
        (sensor_view(10**9, cars=()).SerializeToString(), "SensorView"),
        (ground_truth().SerializeToString(), "GroundTruth"),
    ],
)
def test_other_messages_are_refused_by_name(data, name):
    words = f"looks like a {name}, expected a SensorViewConfiguration message"
    with pytest.raises(UndecodableMessage, match=words):
        decode_view_configuration(data)


def test_ground_truth_of_any_content_may_come_first_and_nothing_else():
    static = ground_truth(cars=())
    add_box(static, 9)
    static.model_reference = "town.glb"
    for truth in (static, ground_truth(), ground_truth(cars=())):
        truth.ClearField("timestamp")
        FrameDecoder("SensorView").prime(truth.SerializeToString())
    for data in (
        sensor_view().SerializeToString(),
        encode_view_request(range_m=100.0, period_ns=10**8),
    ):
        with pytest.raises(OsiError, match=r"looks like a SensorView.*, expected a GroundTruth"):
            FrameDecoder("SensorView").prime(data)
