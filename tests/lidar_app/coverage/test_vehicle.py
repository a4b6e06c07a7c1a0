# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The vehicle that carries the sensors: stated, of a trace, or assumed."""

import numpy as np
import pytest

from lidar_app.coverage.mounted import MountedSensors
from lidar_app.coverage.vehicle import stated_vehicle, vehicle_of_trace
from osi_lidar import FrameSource, InputError
from tests.builders.messages import Thing, host
from tests.builders.runs import write_worlds
from tests.builders.worlds import config

SENSOR = {
    "name": "eye",
    "pattern": {"kind": "angles", "horizontal_deg": [0], "vertical_deg": [0]},
    "mounting": {"x_m": 1.0, "z_m": 2.0},
}


def of_trace(folder, *things):
    folder.mkdir(exist_ok=True)
    return vehicle_of_trace(FrameSource(write_worlds(folder / "drive.osi", [things])))


def bounds_m(vehicle):
    """Return the corners of the vehicle's box as it stands among the sensors."""
    made = MountedSensors(config(sensors=[SENSOR], scene={"shapes": "box"}), vehicle)
    corners_m = made.body_corners_m().reshape(-1, 3)
    return corners_m.min(axis=0), corners_m.max(axis=0)


def test_a_stated_vehicle_has_the_rear_axle_of_a_car():
    """Rear axle: 0.3 lengths behind the middle and 0.3 m above the ground."""
    vehicle = stated_vehicle("5,2,1.6")
    assert vehicle.ground_m == pytest.approx(-0.3)
    low_m, high_m = bounds_m(vehicle)
    np.testing.assert_allclose(low_m, (1.5 - 2.5, -1.0, -0.3), atol=1e-6)
    np.testing.assert_allclose(high_m, (1.5 + 2.5, 1.0, 1.3), atol=1e-6)
    np.testing.assert_allclose(vehicle.outline.low_m, low_m[:2], atol=1e-6)
    np.testing.assert_allclose(vehicle.outline.high_m, high_m[:2], atol=1e-6)


def test_the_host_of_a_trace_stands_as_its_message_says(tmp_path):
    vehicle = of_trace(tmp_path, host(dimension_m=(4.0, 1.8, 1.5), rear_axle_m=(-1.1, 0.0, -0.4)))
    assert vehicle.words.startswith("4.00 x 1.80 x 1.50 m, the host of drive.osi, with its rear")
    low_m, high_m = bounds_m(vehicle)
    np.testing.assert_allclose(low_m, (1.1 - 2.0, -0.9, 0.4 - 0.75), atol=1e-6)
    np.testing.assert_allclose(high_m, (1.1 + 2.0, 0.9, 0.4 + 0.75), atol=1e-6)


def test_what_a_trace_does_not_state_is_assumed_and_said(tmp_path):
    no_axle = of_trace(tmp_path / "axle", host(dimension_m=(4.0, 1.8, 1.5)))
    assert "whose rear axle is assumed to be where a car has it" in no_axle.words
    no_size = of_trace(tmp_path / "size", host(dimension_m=(0.0, 0.0, 0.0)))
    assert no_size.dimension_m == (4.4, 1.8, 1.45)
    assert "assumed, as the host of the trace has no dimension" in no_size.words


def test_a_trace_without_a_host_is_refused(tmp_path):
    path = write_worlds(
        tmp_path / "drive.osi", [[Thing(7, (3.0, 0.0, 0.0), kind="stationary_object")]]
    )
    with pytest.raises(InputError, match="the first message has no host vehicle"):
        vehicle_of_trace(FrameSource(path))


def test_no_vehicle_has_no_body_and_its_ground_at_zero():
    vehicle = stated_vehicle("none")
    assert vehicle.ground_m == 0.0
    made = MountedSensors(config(sensors=[SENSOR]), vehicle)
    assert made.body == ""
    assert made.beams()[0].hidden_share == 0.0


def test_a_rule_of_the_configuration_gives_the_vehicle_its_mesh(tmp_path):
    (tmp_path / "own.obj").write_text("v -1 -1 -.5\nv 1 1 -.5\nv 1 -1 .5\nf 1 2 3\n")
    rule = {"match": {"model_reference": "own"}, "mesh": str(tmp_path / "own.obj"), "up": "z"}
    scene = {"objects": [rule]}
    made = MountedSensors(config(sensors=[SENSOR], scene=scene), stated_vehicle("4,2,1", "own"))
    assert made.body == "own.obj"


def test_a_rule_for_one_id_is_for_the_host_of_that_id_alone(tmp_path):
    (tmp_path / "own.obj").write_text("v -1 -1 -.5\nv 1 1 -.5\nv 1 -1 .5\nf 1 2 3\n")
    rule = {"match": {"id": 1}, "mesh": str(tmp_path / "own.obj"), "up": "z"}
    other = {**rule, "match": {"id": 7}}
    host_of_trace = of_trace(tmp_path, host())
    bodies = [
        MountedSensors(
            config(sensors=[SENSOR], scene={"shapes": "box", "objects": [each]}), host_of_trace
        ).body
        for each in (rule, other)
    ]
    assert bodies == ["own.obj", "box 4.00 x 2.00 x 1.50 m"]


def test_a_mesh_that_is_not_there_is_refused_where_it_is_asked_for_and_told_of_a_trace(tmp_path):
    sensors = config(sensors=[SENSOR], scene={"shapes": "box"})
    with pytest.raises(InputError, match=r"--model: model_reference 'gone\.obj' not found"):
        MountedSensors(sensors, stated_vehicle("4,2,1", "gone.obj"))
    traced = of_trace(tmp_path, host(model_reference="gone.obj"))
    assert "model_reference 'gone.obj' not found" in MountedSensors(sensors, traced).body


@pytest.mark.parametrize("text", ["", "4,2", "4,2,0", "4,2,x", "4,2,1,1", "4,2,nan", "4,2,1000"])
def test_a_vehicle_that_is_none_is_refused(text):
    with pytest.raises(InputError, match=r"--vehicle: got .* expected L,W,H in metres"):
        stated_vehicle(text)


def test_a_mesh_without_a_vehicle_is_refused():
    with pytest.raises(InputError, match="--model: got 'own' with --vehicle none"):
        stated_vehicle("none", "own")
