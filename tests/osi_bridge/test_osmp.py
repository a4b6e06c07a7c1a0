# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""What the OSI bridge does for OSMP: pointers, reflections, ground truth that comes first."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from osi3.osi_sensorview_pb2 import SensorView

from osi_bridge import (
    NO_OBJECT,
    NO_SIGNAL_DB,
    FrameDecoder,
    LidarView,
    MountingPosition,
    OutputBuffer,
    Pointer,
    Reflections,
    UndecodableMessage,
    encode_sensor_view,
    message_time_ns,
)
from tests.builders.strategies import OBJECT_IDS
from tests.osi_bridge.helpers import add_box, ground_truth, sensor_view


@given(address=st.integers(0, 2**64 - 1), size=st.integers(0, 2**31 - 1))
def test_pointer_is_three_signed_integers_and_comes_back(address, size):
    pointer = Pointer.to(address, size)
    assert all(-(2**31) <= part < 2**31 for part in pointer)
    assert (pointer.address, pointer.size) == (address, size)


def test_pointer_of_a_high_address_is_negative_in_its_parts():
    # 0xFFFFFFFF_80000000: both halves have their sign bit set
    assert Pointer.to(0xFFFFFFFF80000000, 7) == (-(2**31), -1, 7)


@pytest.mark.parametrize(("address", "size"), [(-1, 0), (2**64, 0), (0, -1), (0, 2**31)])
def test_pointer_refuses_what_does_not_fit(address, size):
    with pytest.raises(ValueError, match="expected less than"):
        Pointer.to(address, size)


def test_output_keeps_the_message_before_and_no_more():
    buffer, first = OutputBuffer(), bytes(range(100))
    assert buffer.pointer == (0, 0, 0)
    buffer.put(first)
    before = buffer.pointer
    buffer.put(b"second")
    assert before.read() == first
    assert buffer.pointer.read() == b"second"
    buffer.put(b"")
    assert buffer.pointer == (0, 0, 0)


@given(
    object_id=st.lists(OBJECT_IDS, min_size=3, max_size=3),
    strength_db=st.lists(st.floats(-299, 0), min_size=3, max_size=3),
)
def test_reflections_read_back_ray_by_ray(object_id, strength_db):
    beam = np.array([1, 2, 4], np.uint32)
    normal = np.array([[1, 0, 0], [0, -1, 0], [0, 0, 1]], np.float32)
    direction = np.tile(np.array([[0.0, 0.6, 0.8]], np.float32), (5, 1))
    view = LidarView(
        sensor_id=3,
        mounting=MountingPosition(position_m=(1.0, 2.0, 3.0)),
        direction=direction,
        reflections=Reflections(
            beam_index=beam,
            strength_db=np.array(strength_db),
            time_s=np.array([1e-7, 2e-7, 3e-7]),
            normal=normal,
            object_id=np.array(object_id, np.uint64),
        ),
    )
    given_view = sensor_view(5)
    given_view.lidar_sensor_view.add().reflection.add()  # is replaced
    read = SensorView.FromString(
        encode_sensor_view(given_view.SerializeToString(), "SensorView", [view, view])
    )
    first, second = read.lidar_sensor_view
    assert first == second
    assert first.view_configuration.sensor_id.value == 3
    assert first.view_configuration.mounting_position.position.z == 3.0
    for found in first.view_configuration.directions:
        assert (found.x, found.y, found.z) == pytest.approx((0.0, 0.6, 0.8), abs=1e-7)
    for ray, reflection in enumerate(first.reflection):
        where = np.flatnonzero(beam == ray)
        if not len(where):
            assert reflection.signal_strength == NO_SIGNAL_DB
            assert reflection.time_of_flight == 0.0
            assert reflection.object_id.value == NO_OBJECT
            continue
        row = where[0]
        surface = reflection.normal_to_surface
        assert reflection.signal_strength == strength_db[row]
        assert reflection.time_of_flight == (row + 1) * 1e-7
        assert [surface.x, surface.y, surface.z] == normal[row].tolist()
        assert reflection.object_id.value == object_id[row]
    assert len(first.reflection) == 5


def test_doppler_shifts_read_back_with_the_frequency_that_they_belong_to():
    view = LidarView(
        sensor_id=0,
        mounting=MountingPosition(),
        direction=np.eye(3, dtype=np.float32),
        reflections=Reflections(
            beam_index=np.array([2], np.uint32),
            strength_db=np.array([-40.0]),
            time_s=np.array([1e-7]),
            normal=np.array([[0, 0, -1]], np.float32),
            object_id=np.array([12], np.uint64),
            doppler_hz=np.array([4.5e7]),
        ),
        emitter_hz=3.3e14,
    )
    data = encode_sensor_view(sensor_view(5).SerializeToString(), "SensorView", [view])
    (read,) = SensorView.FromString(data).lidar_sensor_view
    assert read.view_configuration.emitter_frequency == 3.3e14
    assert [each.doppler_shift for each in read.reflection] == [0.0, 0.0, 4.5e7]
    assert [each.object_id.value for each in read.reflection] == [NO_OBJECT, NO_OBJECT, 12]


def test_ground_truth_becomes_the_ground_truth_of_a_sensor_view():
    truth = ground_truth(123)
    truth.host_vehicle_id.value = 7
    read = SensorView.FromString(encode_sensor_view(truth.SerializeToString(), "GroundTruth", []))
    assert read.global_ground_truth == truth
    assert read.host_vehicle_id.value == 7
    assert read.timestamp == truth.timestamp


def test_sensor_view_of_other_bytes_is_refused():
    with pytest.raises(UndecodableMessage):
        encode_sensor_view(b"\xff" * 5, "SensorView", [])


def test_primed_objects_hold_until_a_message_has_its_own():
    truth = ground_truth()
    truth.model_reference = "city.obj"
    add_box(truth, 50)
    decoder = FrameDecoder("SensorView")
    decoder.prime(truth.SerializeToString())
    for index in range(3):
        frame = decoder.decode(sensor_view(index).SerializeToString(), index)
        assert frame.objects.object_id.tolist() == [7, 50]
        assert frame.environment_reference == "city.obj"
    with_own = sensor_view(4)
    add_box(with_own.global_ground_truth, 51)
    assert decoder.decode(with_own.SerializeToString(), 4).objects.object_id.tolist() == [7, 51]


def test_strict_decoder_refuses_another_type_and_a_view_of_nothing():
    decoder = FrameDecoder("SensorView", strict=True)
    with pytest.raises(UndecodableMessage, match="GroundTruth"):
        decoder.decode(ground_truth(5).SerializeToString(), 0)
    empty = sensor_view(5)
    empty.ClearField("global_ground_truth")
    with pytest.raises(UndecodableMessage, match="global_ground_truth"):
        decoder.decode(empty.SerializeToString(), 0)
    assert decoder.decode(sensor_view(5).SerializeToString(), 0).host is not None


def test_time_of_a_message_is_had_without_decoding_its_objects():
    assert (
        message_time_ns("SensorView", sensor_view(1_500_000_000).SerializeToString()) == 15 * 10**8
    )
    assert message_time_ns("GroundTruth", ground_truth(3).SerializeToString()) == 3
