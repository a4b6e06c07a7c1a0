# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Wheels roll without slip, steer along the way, and follow what messages state of them."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from lidar_scenery.articulation.fleet import MOST_STEER_RAD
from lidar_scenery.articulation.odometer import NO_PARTS, Odometer, Ways
from lidar_scenery.articulation.records import Heard, Travel
from lidar_scenery.articulation.together import companies, moves_of
from lidar_scenery.articulation.wheel_parts import wheel_parts
from lidar_scenery.articulation.wheels import wheeled_vehicle
from lidar_scenery.shapes.catalogue import SHAPES, Wanted, make_shape
from lidar_scenery.shapes.vehicles import VEHICLES
from osi_lidar.world.history import object_poses
from raycore.scene.jumps import JumpLimits
from tests.builders.messages import Thing, frames, host

MM = 1e-3
CAR_M = (4.6, 1.8, 1.5)
CAR = wheeled_vehicle(Wanted(name="medium_car", dimension_m=CAR_M))
LIMITS = JumpLimits(speed_m_s=400.0, turn_rad_s=math.radians(720.0))
FRONT_LEFT = 3


def the_car(*_):
    """Return the assembly of any object: the car."""
    return CAR


def heard(poses, step_s=0.01, say=None):
    """Return what an odometer finds of a car at some x, y and yaw, message by message."""
    odometer = Odometer(LIMITS, the_car)
    worlds = [
        [host(), Thing(9, (x, y, 0.75), yaw_rad=yaw, dimension_m=CAR_M)] for x, y, yaw in poses
    ]
    found = []
    for k, frame in enumerate(frames(worlds, step_s)):
        if say is not None:
            say(frame.moving[1].vehicle_attributes.wheel_data.add(), k)
        found.append(odometer.hear(frame, object_poses(frame.objects)))
    return found


def state(message):
    """Return angle, heading, camber and rate of the wheels, (4, n_wheel)."""
    return message[9].numbers[3:].reshape(4, -1)


def world_from_wheels(poses, messages):
    """Return the poses of the wheels in the world at the messages from the second on."""
    time_s = np.arange(1.0, len(messages))
    travel = Ways(messages[1:], time_s).at(time_s)[0].travel
    world = np.tile(np.eye(4), (len(time_s), 1, 1))
    for pose, (x, y, yaw) in zip(world, poses[1:], strict=True):
        pose[:2, :2] = [[math.cos(yaw), -math.sin(yaw)], [math.sin(yaw), math.cos(yaw)]]
        pose[:3, 3] = x, y, 0.75
    return world[:, None] @ CAR.poses(travel)[:, 1:]


def straight(n=101, step_m=0.1, yaw=0.4):
    """Return poses along a straight way."""
    return [(step_m * k * math.cos(yaw), step_m * k * math.sin(yaw), yaw) for k in range(n)]


def circle(radius_m, n=400, step_m=0.025):
    """Return poses of a car whose rear axle goes round a circle to the left, by its centre.

    With a radius below 0 it goes round to the right, with a step below 0 backwards.
    """
    ahead = -CAR.turns_about_m
    turns = [step_m * k / radius_m for k in range(n + 1)]
    return [
        (
            radius_m * math.sin(turn) + ahead * math.cos(turn),
            -radius_m * math.cos(turn) + ahead * math.sin(turn),
            turn,
        )
        for turn in turns
    ]


@pytest.mark.parametrize("step_m", [0.1, -0.1, 0.37])
def test_wheels_roll_by_their_way_over_their_radius(step_m):
    """Straight on for 10 m and more, forwards or backwards; the first message knows no way."""
    messages = heard(straight(step_m=step_m))
    assert messages[0] is NO_PARTS or not messages[0]
    rolled = state(messages[-1])[0] * CAR.radius_m
    assert_allclose(rolled, 100 * step_m, atol=MM)
    assert_allclose(state(messages[-1])[1], 0.0, atol=1e-9)


def contact_slip_m(poses, messages):
    """Return the ways of the points that touch the ground, along their wheels (n, n_wheel)."""
    world = world_from_wheels(poses, messages)
    lowest = np.einsum("nwji,j->nwi", world[:-1, :, :3, :3], (0.0, 0.0, -1.0))
    lowest *= CAR.radius_m[:, None]
    place = [
        np.einsum("nwij,nwj->nwi", w[..., :3, :3], lowest) + w[..., :3, 3]
        for w in (world[:-1], world[1:])
    ]
    axle = 0.5 * (world[:-1, :, :3, 1] + world[1:, :, :3, 1])
    heading = np.cross(axle, (0.0, 0.0, 1.0))
    return ((place[1] - place[0]) * heading).sum(axis=2)


@pytest.mark.parametrize(
    ("radius_m", "step_m"), [(8.0, 0.025), (-25.0, 0.025), (25.0, -0.025), (-200.0, -0.025)]
)
def test_wheels_do_not_slip_on_a_circle_and_steer_along_it(radius_m, step_m):
    """Over 10 m of a circle the four contact points slip by less than 1 mm; Ackermann's angles."""
    poses = circle(radius_m, step_m=step_m)
    messages = heard(poses)
    slip_m = contact_slip_m(poses, messages)
    # a point that rolls by an angle a lifts off along a cycloid, by r a^3 / 6
    lift_m = CAR.radius_m * (0.025 * 1.3 / CAR.radius_m) ** 3 / 6
    assert np.abs(slip_m).max() < 2.0 * lift_m.max()
    assert np.abs(slip_m.sum(axis=0)).max() < 400 * 1.1 * lift_m.max()
    x, y, _ = CAR.hub_m.T
    expected = np.where(CAR.steers, np.arctan((x - CAR.turns_about_m) / (radius_m - y)), 0.0)
    assert_allclose(state(messages[-1])[1], expected, atol=1e-3)
    ways = np.hypot(x - CAR.turns_about_m, radius_m - y) / abs(radius_m) * 400 * step_m
    close_m = MM * 10.0 / abs(radius_m) + 1e-4
    assert_allclose(state(messages[-1])[0] * CAR.radius_m, ways, atol=close_m)


def test_nothing_rolls_through_a_jump_or_a_pause():
    poses = [*straight(5), *((x + 100.0, y, yaw) for x, y, yaw in straight(5))]
    rolled = state(heard(poses)[-1])[0] * CAR.radius_m
    assert_allclose(rolled, 0.8, atol=MM)
    assert not heard(straight(5), step_s=1.5)[-1]  # it has never moved


def test_what_has_no_parts_is_asked_for_them_once():
    asked = []
    odometer = Odometer(LIMITS, lambda _, row: asked.append(row))
    worlds = [[host(), Thing(9, (0.2 * k, 0, 0.75), dimension_m=CAR_M)] for k in range(4)]
    for frame in frames(worlds):
        assert not odometer.hear(frame, object_poses(frame.objects))
    assert asked == [1]


@pytest.mark.parametrize("wrong_m", [(0.01,), (0.01, -0.02)])
def test_the_state_does_not_depend_on_a_message_that_came_several_times(wrong_m):
    """The last one of a time counts."""
    odometer, once = (Odometer(LIMITS, the_car) for _ in range(2))
    worlds = [[host(), Thing(9, (0.2 * k, 0, 0.75), dimension_m=CAR_M)] for k in range(4)]
    for frame in frames(worlds):
        poses = object_poses(frame.objects)
        for each_m in wrong_m:
            odometer.hear(frame, poses + each_m)
        again, first = odometer.hear(frame, poses), once.hear(frame, poses)
    assert_array_equal(again[9].numbers, first[9].numbers)


def test_steering_ends_where_wheels_cannot_turn_further():
    wheels = CAR.together([CAR])
    assert wheels.steer_rad(0.45)[0, FRONT_LEFT] == MOST_STEER_RAD
    assert_array_equal(wheels.steer_rad(5.0)[0, ~CAR.steers], 0.0)


def test_a_stated_orientation_is_the_wheels():
    """Whole turns come from the way, the rest from the pitch; the yaw is the heading."""

    def say(wheel, k):
        wheel.position.x, wheel.position.y, wheel.position.z = CAR.hub_m[FRONT_LEFT]
        wheel.orientation.yaw = 0.2
        wheel.orientation.pitch = math.remainder(0.5 + 1.1 * 0.5 * k / 0.3277, 2 * math.pi)

    messages = heard(straight(20, step_m=0.5), say=say)
    angle, steer, _, _ = state(messages[-1])
    assert_allclose(steer, [0, 0, 0, 0.2], atol=1e-12)
    expected = 0.5 + 1.1 * 0.5 * 19 / 0.3277
    assert_allclose(angle[FRONT_LEFT], expected, atol=1e-9)
    assert_allclose(angle[0], 0.5 * 19 / CAR.radius_m[0], atol=1e-9)


def test_a_stated_rotation_rate_is_integrated():
    """A wheel that spins on the spot: 2 rad/s, then 4 rad/s, by the trapezoidal rule."""

    def say(wheel, k):
        wheel.position.x, wheel.position.y, wheel.position.z = CAR.hub_m[0]
        wheel.rotation_rate = 2.0 if k < 10 else 4.0

    messages = heard(straight(21), say=say)
    assert_allclose(state(messages[-1])[0, 0], 0.01 * (2 * 9 + 3 + 4 * 10), atol=1e-9)


def test_a_camber_leans_the_wheel():
    def say(wheel, _):
        wheel.position.x, wheel.position.y, wheel.position.z = CAR.hub_m[0]
        wheel.orientation.roll = 0.1

    poses = straight(3, yaw=0.0)
    world = world_from_wheels(poses, heard(poses, say=say))
    assert_allclose(world[-1, 0, :3, 1], (0.0, math.cos(0.1), math.sin(0.1)), atol=1e-12)


@pytest.mark.parametrize("step_m", [3.0, -3.0])
def test_a_scan_is_divided_so_finely_that_no_wheel_turns_by_more_than_two_radians(step_m):
    messages = heard(straight(3, step_m=step_m), step_s=0.1)
    time_s = np.array([0.0, 0.1])
    travel = Ways(messages[1:], time_s).at(time_s)[0].travel
    assert CAR.n_interval(travel) == math.ceil(3.0 / CAR.radius_m[0] / 2.0)


def test_rays_see_wheels_at_the_angle_of_the_end_of_a_scan_and_ask_for_no_more_time_steps():
    messages, time_s = heard(straight(3, step_m=3.0), step_s=0.1), np.array([0.0, 0.1])
    travel = Ways(messages[1:], time_s).at(time_s)[0].travel
    shown = CAR.poses(travel._replace(shown=True))
    assert_array_equal(shown[0], shown[1])
    assert_array_equal(shown[1], CAR.poses(travel)[1])
    assert CAR.n_interval(travel._replace(shown=True)) == 1


def test_equal_vehicles_travel_together_as_each_alone():
    """The second car appears later, and has its first numbers until then."""
    slow, fast = (heard(straight(4, step_m=step_m), step_s=0.1) for step_m in (0.2, 3.0))
    alone = [[{9: each[9]} if 9 in each else {} for each in cars] for cars in (slow, fast)]
    alone[1][1] = {}
    both = [
        {9: a[9], 12: b[9]} if b else a for a, b in zip(alone[0][1:], alone[1][1:], strict=True)
    ]
    heard_s, time_s = np.array([0.0, 0.1, 0.2]), np.linspace(0.0, 0.2, 5)
    (going,) = Ways(both, heard_s).at(time_s)
    assert going.object_id == [9, 12]
    for travel, cars in zip(going.travel.each(), alone, strict=True):
        expected = Ways(cars[1:], heard_s).at(time_s)[0].travel
        assert_array_equal(travel.state, expected.state)
        assert_array_equal(travel.way_m, expected.way_m)
    per_car = [CAR.n_interval(travel) for travel in going.travel.each()]
    assert CAR.n_interval(going.travel) == max(per_car) > min(per_car)


def test_vehicles_of_any_size_move_together_as_each_alone():
    kinds = ("medium_car", 4.6), ("medium_car", 4.2), ("delivery_van", 5.6), ("bicycle", 1.8)
    wanted = [Wanted(name=name, dimension_m=(length, 1.8, 1.5)) for name, length in kinds]
    small, large, van, bicycle = map(wheeled_vehicle, wanted)
    objects = {9: small, 12: large, 13: bicycle, 15: van, 20: small}
    (ids, vehicles), _ = companies(objects)
    assert ids == [9, 12, 15, 20]
    company, random = moves_of(vehicles), np.random.default_rng(5)
    before, (frame,) = random.normal(size=(4, 16)), frames([[host()]])
    told = [Heard(frame, 0, *numbers) for numbers in random.uniform(0.1, 1.0, (4, 5))]
    after = company.advance_together(before, told)
    ways = zip(vehicles, before, told, strict=True)
    assert_array_equal(after, [each.advance(known, of) for each, known, of in ways])
    states = np.stack([before, after], axis=1).reshape(8, 16)
    for shown in (False, True):
        travel = Travel(9, *np.zeros((3, 8)), states, shown, 4)
        alone = [*zip(vehicles, travel.each(), strict=True)]
        own = np.concatenate([each.poses(its) for each, its in alone])
        assert_array_equal(company.poses(travel), own)
        assert company.n_interval(travel) == max(each.n_interval(its) for each, its in alone)


@pytest.mark.parametrize("name", sorted(VEHICLES))
def test_parts_make_up_the_whole_vehicle(name):
    """Body and wheels have the bounds of the stiff shape; each wheel is round about its centre."""
    size = SHAPES[name].usual_m
    wanted = Wanted(name=name, dimension_m=size)
    body, wheels = wheel_parts(SHAPES[name].build(size, wanted.details), spokes=False)
    n_face = sum(len(each) for each in body.groups.values())
    n_face += sum(len(p) for wheel in wheels for p in wheel.model.groups.values())
    whole = SHAPES[name].build(size, wanted.details)
    assert n_face == sum(len(each) for each in whole.groups.values())
    assembly = wheeled_vehicle(wanted)
    assert (assembly is None) == (name in {"tram", "train"})
    if assembly is not None:
        lowest = (assembly.hub_m[:, 2] - assembly.radius_m).min()
        assert_allclose(lowest, make_shape(wanted).bounds_m[0][2], atol=0.02)
        sides = {round(abs(y), 2) for y in assembly.hub_m[:, 1]}
        assert len(sides) <= 2


@pytest.mark.parametrize("rate", [math.nan, math.inf, -1e300, 1e6])
def test_rates_that_no_wheel_has_count_as_not_stated(rate):
    def say(wheel, _):
        wheel.position.x, wheel.position.y, wheel.position.z = CAR.hub_m[0]
        wheel.rotation_rate = rate

    assert_array_equal(state(heard(straight(n=5), say=say)[-1]), state(heard(straight(n=5))[-1]))


def test_wheels_roll_on_where_a_box_changes_its_size():
    """Boxes around what a simulator draws differ from message to message."""
    wanted = Wanted(name="medium_car", dimension_m=CAR_M)
    odometer = Odometer(LIMITS, lambda *_: wheeled_vehicle(wanted))
    worlds = [
        [Thing(9, (0.1 * k, 0.0, 0.75), dimension_m=(4.6 + 0.01 * k, 1.8, 1.5))] for k in range(9)
    ]
    found = [odometer.hear(f, object_poses(f.objects)) for f in frames(worlds, host_id=None)]
    assert_allclose(state(found[-1])[0] * CAR.radius_m, 0.8, atol=MM)


def test_wheels_begin_anew_where_a_vehicle_becomes_one_with_fewer():
    """0.4 m as a car; the bicycle is turned by the way since the message before it appears."""
    bicycle = wheeled_vehicle(Wanted(name="bicycle", dimension_m=(1.8, 0.6, 1.7)))
    sizes = [CAR_M] * 5 + [(1.8, 0.6, 1.7)] * 4
    worlds = [[Thing(9, (0.1 * k, 0, 0.75), dimension_m=size)] for k, size in enumerate(sizes)]

    def assembly_of(frame, row):
        return CAR if frame.objects.dimension_m[row, 0] == CAR_M[0] else bicycle

    odometer = Odometer(LIMITS, assembly_of)
    found = [odometer.hear(f, object_poses(f.objects)) for f in frames(worlds, host_id=None)]
    assert_allclose(state(found[4])[0] * CAR.radius_m, 0.4, atol=MM)
    assert_allclose(state(found[8])[0] * bicycle.radius_m, 0.4, atol=MM)
