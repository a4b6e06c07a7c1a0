# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Details of objects: what a message states, and nothing where it states the impossible."""

import math

import pytest
from osi3.osi_groundtruth_pb2 import GroundTruth
from osi3.osi_object_pb2 import MovingObject, StationaryObject

from osi_bridge import FrameDecoder, ObjectDetails, object_details
from tests.osi_bridge.helpers import add_box, add_car, put_base

_ROLE_POLICE = MovingObject.VehicleClassification.ROLE_POLICE
_CONCRETE = StationaryObject.Classification.MATERIAL_CONCRETE
_RED = StationaryObject.Classification.COLOR_RED


def _details(truth, row=0, decoder=None):
    truth.timestamp.seconds = 0
    frame = (decoder or FrameDecoder("GroundTruth")).decode(truth.SerializeToString(), 0)
    return object_details(frame, row)


def test_vehicle_gives_its_wheels_axles_color_and_speed():
    truth = GroundTruth()
    car = add_car(truth, 7)
    car.vehicle_attributes.bbcenter_to_rear.x = -1.3000004
    wheel = car.vehicle_attributes.wheel_data.add()
    wheel.position.x, wheel.wheel_radius = 1.25, 0.31
    car.vehicle_classification.role = _ROLE_POLICE
    car.vehicle_classification.has_trailer = True
    car.base.velocity.y = 3.0
    car.color_description.rgb.red = 0.5
    found = _details(truth)
    assert found.rear_axle_m == (-1.3, 0.0, 0.0)
    assert found.front_axle_m is None
    assert found.wheels[0].center_m == (1.25, 0.0, 0.0)
    assert (found.wheels[0].radius_m, found.wheels[0].width_m) == (0.31, None)
    assert (found.role, found.has_trailer, found.speed_m_s) == ("POLICE", True, 3.0)
    assert found.color == (0.5, 0.0, 0.0)


def test_an_object_that_states_nothing_has_no_details():
    truth = GroundTruth()
    add_box(truth, 3)
    assert _details(truth) == ObjectDetails()


def test_static_objects_keep_their_details_when_only_the_first_message_has_them():
    truth, decoder = GroundTruth(), FrameDecoder("GroundTruth")
    add_box(truth, 3)
    thing = truth.stationary_object[0]
    thing.classification.material, thing.classification.color = _CONCRETE, _RED
    for x, y in ((0, 0), (0, 2), (2, 2)):  # clockwise
        corner = thing.base.base_polygon.add()
        corner.x, corner.y = x, y
    first = _details(truth, decoder=decoder)
    assert first.material == "CONCRETE"
    assert first.color == (0.7, 0.08, 0.08)
    assert first.outline_m == ((2.0, 2.0), (0.0, 2.0), (0.0, 0.0))
    later = GroundTruth()
    add_car(later, 7)
    assert _details(later, row=1, decoder=decoder) == first


@pytest.mark.parametrize("n", [3, 1000])
def test_an_outline_has_all_its_corners(n):
    truth = GroundTruth()
    add_box(truth, 3)
    corners = truth.stationary_object[0].base.base_polygon
    for number in range(n):
        turn = 2.0 * math.pi * number / n
        corners.add(x=math.cos(turn), y=math.sin(turn))
    assert len(_details(truth).outline_m) == n


@pytest.mark.parametrize("at_m", [(0.0, 0.0), (30.0, -7.0), (-9.0, 4.0)])
@pytest.mark.parametrize("backwards", [False, True])
def test_an_outline_runs_counter_clockwise_wherever_it_stands(at_m, backwards):
    square = [(at_m[0] + x, at_m[1] + y) for x, y in ((0, 0), (2, 0), (2, 1), (0, 1))]
    truth = GroundTruth()
    add_box(truth, 3)
    for x, y in square[::-1] if backwards else square:
        corner = truth.stationary_object[0].base.base_polygon.add()
        corner.x, corner.y = x, y
    assert _details(truth).outline_m == tuple(square)


# each of the forms in which OSI describes a colour, here the same one
@pytest.mark.parametrize(
    ("form", "parts"),
    [
        ("rgb", {"red": 0.4, "green": 0.2, "blue": 0.1}),
        ("rgbir", {"red": 0.4, "green": 0.2, "blue": 0.1, "infrared": 0.7}),
        ("hsv", {"hue": 20.0, "saturation": 0.75, "value": 0.4}),
        ("cmyk", {"cyan": 0.2, "magenta": 0.6, "yellow": 0.8, "key": 0.5}),
    ],
)
def test_a_colour_is_the_same_in_every_form(form, parts):
    truth = GroundTruth()
    stated = getattr(add_car(truth, 7).color_description, form)
    for name, value in parts.items():
        setattr(stated, name, value)
    assert _details(truth).color == (0.4, 0.2, 0.1)


def test_grey_has_three_equal_parts():
    truth = GroundTruth()
    add_car(truth, 7).color_description.grey.grey = 0.3
    assert _details(truth).color == (0.3, 0.3, 0.3)


@pytest.mark.parametrize("name", ["GREY", "BLACK", "WHITE"])
def test_the_names_of_greys_stand_for_greys(name):
    truth = GroundTruth()
    add_box(truth, 3)
    color = StationaryObject.Classification.Color.Value(f"COLOR_{name}")
    truth.stationary_object[0].classification.color = color
    assert len(set(_details(truth).color)) == 1


def test_sign_gives_its_value():
    truth = GroundTruth()
    sign = truth.traffic_sign.add()
    sign.id.value = 5
    put_base(sign.main_sign.base)
    sign.main_sign.classification.value.value = 30.0
    assert _details(truth).sign_value == 30.0


def test_the_second_of_two_lists_is_found_though_an_id_came_twice():
    truth = GroundTruth()
    add_car(truth, 3)
    add_box(truth, 3)
    add_box(truth, 4)
    truth.stationary_object[1].classification.material = _CONCRETE
    assert _details(truth, row=1).material == "CONCRETE"


def test_details_are_of_the_first_moving_object_with_an_id():
    truth = GroundTruth()
    for n, object_id in enumerate((7, 8, 7)):
        add_car(truth, object_id).base.velocity.x = 3.0 + n
    assert [_details(truth, row).speed_m_s for row in range(2)] == [3.0, 4.0]


@pytest.mark.parametrize("bad", [math.nan, math.inf, -1.0, 1e9])
def test_what_is_impossible_counts_as_not_stated(bad):
    truth = GroundTruth()
    car = add_car(truth, 7)
    car.vehicle_attributes.radius_wheel = bad
    wheel = car.vehicle_attributes.wheel_data.add()
    wheel.position.x = bad * 1e9
    car.color_description.hsv.hue = car.color_description.hsv.value = bad
    for x, y in ((0, 0), (bad * 1e9, 2), (2, 2)):
        corner = car.base.base_polygon.add()
        corner.x, corner.y = x, y
    found = _details(truth)
    assert (found.wheel_radius_m, found.wheels, found.color) == (None, (), None)
    assert found.outline_m == ()
