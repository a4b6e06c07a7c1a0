# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""OSI messages of sensors with a receiver: fields of echoes, and reflections of sub-rays."""

import itertools
import math

import numpy as np
import pytest
from osi3.osi_sensordata_pb2 import SensorData
from osi3.osi_sensorview_pb2 import SensorView

from osi_bridge import NO_OBJECT, FrameDecoder, open_trace
from osi_lidar import LidarModel, load_config
from osi_lidar.output.sensor_view import SPEED_OF_LIGHT_M_S, sensor_view_of
from osi_lidar.run.example_scene import street
from raycore.closed_forms import range_to_plane
from tests.builders.beams import beams_at, plate
from tests.builders.messages import message

VLP_16 = {
    "preset": "VLP-16",
    "columns": 360,
    "fidelity": "physical",
    "returns": {"mode": "all", "max": 8},
    "receiver": {"false_alarm_probability": 1e-2},
    "mounting": {"x_m": 1.0, "z_m": 1.9},
}
OS1 = {
    "preset": "OS1-16",
    "columns": 512,
    "fidelity": "physical",
    "returns": {"mode": "last_strongest"},
}
N_BEAMS, N_SUB = 50, 16


@pytest.fixture(scope="module")
def street_steps():
    """Return the model, and the steps of three messages of the street, each with its data."""
    scenario = street()
    config = load_config(scenario.config, changes={("sensors",): [VLP_16, OS1]})
    model, decoder = LidarModel(config), FrameDecoder("SensorView")
    messages = [raw.data for raw in itertools.islice(open_trace(scenario.trace), 0, 40, 15)]
    return model, [model.step(decoder.decode(data, n)) for n, data in enumerate(messages)]


def lidars_of(step):
    return SensorData.FromString(step.sensor_data).feature_data.lidar_sensor


def column(detections, *names):
    """Return a field of all detections, of a message inside of them if there are two names."""
    found = detections
    for name in names:
        found = [getattr(one, name) for one in found]
    return np.array(found)


@pytest.mark.long
def test_each_detection_has_the_fields_of_its_echo(street_steps):
    model, steps = street_steps
    for step in steps:
        for lidar, scan in zip(lidars_of(step), step.scans, strict=True):
            points, detections = scan.cloud.points, lidar.detection
            assert len(detections) == len(points) > 1000
            assert lidar.header.number_of_valid_detections == len(points)
            existence = column(detections, "existence_probability")
            assert (existence > 0.0).all()
            assert (existence <= 1.0).all()
            assert all(one.HasField("position_rmse") for one in detections)
            np.testing.assert_array_equal(
                column(detections, "position_rmse", "distance"), scan.cloud.rmse_m
            )
            np.testing.assert_array_equal(column(detections, "echo_pulse_width"), points["width_m"])
            assert (column(detections, "echo_pulse_width") > 0.0).all()
            np.testing.assert_allclose(
                column(detections, "position", "distance"), points["range"], rtol=1e-6
            )
    assert model.lidars[0].notices_light


@pytest.mark.long
def test_weak_echoes_exist_less_certainly(street_steps):
    for step in street_steps[1]:
        for lidar, scan in zip(lidars_of(step), step.scans, strict=True):
            order = np.argsort(scan.cloud.points["snr"])
            existence = column(lidar.detection, "existence_probability")[order]
            assert (np.diff(existence) >= 0.0).all()
            assert existence[-1] == 1.0
    (false_alarms, *_) = (scan.cloud.existence for scan in street_steps[1][0].scans)
    assert false_alarms.min() < 0.9999


def test_echoes_of_a_beam_follow_each_other_from_the_nearest_on(street_steps):
    for step in street_steps[1]:
        for lidar, scan in zip(lidars_of(step), step.scans, strict=True):
            beam = column(lidar.detection, "beam_id", "value")
            distance_m = column(lidar.detection, "position", "distance")
            np.testing.assert_array_equal(beam, scan.cloud.beam)
            assert (np.diff(beam.astype(int)) >= 0).all()
            same = np.diff(beam.astype(int)) == 0
            assert (np.diff(distance_m)[same] > 0.0).all()
            assert same.sum() > 20
            echoes = scan.cloud.points["echo"]
            np.testing.assert_array_equal(echoes[1:][same], echoes[:-1][same] + 1)
            assert (echoes[1:][~same] == 0).all()


def test_a_false_alarm_belongs_to_no_object(street_steps):
    n_alarms = 0
    for step in street_steps[1]:
        lidar, points = lidars_of(step)[0], step.scans[0].cloud.points
        object_id = column(lidar.detection, "object_id", "value")
        alarms = points["origin"] == 2
        assert (object_id[alarms] == np.uint64(NO_OBJECT)).all()
        n_alarms += alarms.sum()
    assert n_alarms > 20


def test_the_message_survives_a_round_trip(street_steps):
    for step in street_steps[1]:
        again = SensorData.FromString(step.sensor_data).SerializeToString(deterministic=True)
        assert SensorData.FromString(again) == SensorData.FromString(step.sensor_data)


def sensor_view(folder, surfaces, **sensor):
    """Return what a step before surfaces gives to models that process signals themselves."""
    model = beams_at(folder, surfaces, n=N_BEAMS, **sensor)
    data = message([], host_id=None)
    model.step(FrameDecoder("SensorView").decode(data, 0))
    (view,) = SensorView.FromString(sensor_view_of(model, data, "SensorView")).lidar_sensor_view
    return model, view


def test_there_is_one_reflection_for_each_sub_ray(tmp_path):
    """Of 50 % at 30 m in a sixteenth of the beam: 10 log10(0.5 / 16 / (pi 900)) dB."""
    model, view = sensor_view(tmp_path, [(plate(30.0), 50)])
    assert len(view.reflection) == N_BEAMS * N_SUB
    strength_db = 10.0 * math.log10(0.5 / N_SUB / (math.pi * 900.0))
    np.testing.assert_allclose(column(view.reflection, "signal_strength"), strength_db, atol=1e-3)
    range_m = column(view.reflection, "time_of_flight") * SPEED_OF_LIGHT_M_S / 2.0
    direction = model.lidars[0].shots.rays().direction.T
    expected_m = range_to_plane(np.zeros(3), direction, point_m=(30, 0, 0), normal=(1, 0, 0))
    np.testing.assert_allclose(range_m, expected_m, rtol=1e-6)


def test_reflections_are_in_the_order_of_the_directions(tmp_path):
    model, view = sensor_view(tmp_path, [(plate(30.0, right_m=0.0), 50)])
    strength_db = column(view.reflection, "signal_strength")
    assert len(strength_db) == N_BEAMS * N_SUB  # nothing is -300 dB
    directions = view.view_configuration.directions
    xyz = np.stack([column(directions, axis) for axis in "xyz"])
    np.testing.assert_allclose(xyz, model.lidars[0].shots.rays().direction, atol=1e-7)
    np.testing.assert_array_equal(strength_db > -100.0, xyz[1] < 0.0)


@pytest.mark.parametrize(
    "sensor",
    [
        {"noise": {"drop_probability": 1.0, "range_sigma_m": 0.5}},
        {"receiver": {"false_alarm_probability": 0.5}},
        {"returns": {"mode": "strongest"}},
        {"min_range_m": 35.0},
        {"range_limit": {"equation": {"pairs": [[10, 3]]}}},
    ],
    ids=["errors", "receiver", "choice of echoes", "minimum range", "range limit"],
)
def test_reflections_come_before_the_receiver(tmp_path, sensor):
    surfaces = [(plate(30.0, right_m=0.0), 50), (plate(32.0), 20)]
    _, plain = sensor_view(tmp_path, surfaces)
    _, view = sensor_view(tmp_path, surfaces, **sensor)
    assert len(plain.reflection) == N_BEAMS * N_SUB
    assert list(view.reflection) == list(plain.reflection)
