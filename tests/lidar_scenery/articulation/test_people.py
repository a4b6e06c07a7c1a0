# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""People who walk: their feet rest where they stand, and they stay in their box."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from lidar_scenery.articulation.human.gait import stride_of
from lidar_scenery.articulation.human.limbs import phase_of
from lidar_scenery.articulation.human.people import walking_person
from lidar_scenery.articulation.records import Heard, Travel

ADULT = (1.0, 0.6, 1.75)
LEFT_FOOT, RIGHT_FOOT = 9, 10
ON_GROUND_M = 2e-3  # soles are made of ten sides


def frame_of(object_id):
    """Return a frame of one object; its id decides where in the cycle it begins."""
    return SimpleNamespace(objects=SimpleNamespace(object_id=np.array([object_id], np.uint64)))


FRAME = frame_of(7)


def walk(person, speeds_m_s, *, step_s, curvature_per_m=0.0, frame=FRAME):
    """Return a travel and its way, with a message at each of these speeds, step_s apart."""
    speeds = np.asarray(speeds_m_s, float)
    ways = np.concatenate([[0.0], 0.5 * (speeds[1:] + speeds[:-1]) * step_s])
    state, states = None, []
    for speed, way in zip(speeds, ways, strict=True):
        turned = curvature_per_m * way
        heard = Heard(frame, 0, way, turned, step_s, speed, curvature_per_m)
        state = person.advance(state, heard)
        states.append(state)
    bends = np.full(len(speeds), curvature_per_m)
    return Travel(7, np.cumsum(ways), speeds, bends, np.array(states))


def in_world(person, travel, numbers=range(11)):
    """Return the corners of parts in the world, a list of (n, n_corner, 3), on the ground."""
    poses = person.poses(travel)
    turn = travel.curvature_per_m * travel.way_m
    x = travel.way_m * np.sinc(turn / np.pi)
    y = 0.5 * travel.way_m * turn * np.sinc(turn / (2 * np.pi)) ** 2
    world = np.zeros((len(turn), 4, 4))
    world[:, 0, 0] = world[:, 1, 1] = np.cos(turn)
    world[:, 1, 0] = np.sin(turn)
    world[:, 0, 1] = -world[:, 1, 0]
    world[:, 2, 2] = world[:, 3, 3] = 1.0
    world[:, :3, 3] = np.stack([x, y, 0 * x + 0.5 * person.height_m], axis=1)
    placed = world[:, None] @ poses
    return [
        person.parts[n].vertices_m @ placed[:, n, :3, :3].swapaxes(1, 2) + placed[:, n, None, :3, 3]
        for n in numbers
    ]


def slip_per_step_m(person, travel):
    """Return the greatest way on the ground of what touches it while a foot bears weight [m]."""
    stand = stride_of(travel.state[:, 1], person.room_m).stand
    worst = 0.0
    for foot, half in ((LEFT_FOOT, 0.0), (RIGHT_FOOT, 0.5)):
        (corners,) = in_world(person, travel, [foot])
        cycle = travel.state[:, 0] + half
        low = (corners[..., 2] < ON_GROUND_M) & (cycle % 1.0 < stand)[:, None]
        moved = np.linalg.norm(np.diff(corners[..., :2], axis=0), axis=2)
        slip = np.where(low[1:] & low[:-1], moved, 0.0).max(axis=1)
        steps = np.floor(cycle[1:]).astype(int)
        worst = max(worst, np.bincount(steps - steps.min(), slip).max())
    return worst


@pytest.mark.parametrize("speed", [0.05, 1.4, 3.0, -0.8])
@pytest.mark.parametrize("size", [ADULT, (0.35, 0.35, 1.1)])
def test_feet_rest_where_they_stand(size, speed):
    person = walking_person(size)
    step_s = 0.01 / abs(speed)
    travel = walk(person, np.full(1001, speed), step_s=step_s)
    assert abs(travel.way_m[-1]) == pytest.approx(10.0)
    assert slip_per_step_m(person, travel) < 2e-3


def test_feet_rest_on_a_bent_path():
    person = walking_person(ADULT)
    travel = walk(person, np.full(600, 1.2), step_s=0.01, curvature_per_m=0.5)
    assert slip_per_step_m(person, travel) < 2e-3


def test_feet_rest_while_the_speed_changes():
    person = walking_person(ADULT)
    time = np.arange(0.0, 6.0, 0.01)
    speeds = np.interp(time, [0.5, 2.0, 4.0, 5.0], [0.0, 1.5, 1.5, 0.0])
    assert slip_per_step_m(person, walk(person, speeds, step_s=0.01)) < 2e-2


def slips_m(time, speeds):
    """Return the greatest slips of people who begin anywhere in the cycle, (8,) [m]."""
    person, step_s = walking_person(ADULT), time[1] - time[0]
    walks = [walk(person, speeds, step_s=step_s, frame=frame_of(i)) for i in range(8)]
    return np.array([slip_per_step_m(person, each) for each in walks])


def test_feet_rest_in_a_start_wherever_in_the_cycle_it_is():
    time = np.arange(0.0, 2.5, 0.02)
    assert slips_m(time, np.interp(time, [0.2, 1.7], [0.0, 1.5])).max() < 5e-3


def test_feet_rest_in_half_of_all_stops():
    time = np.arange(0.0, 3.0, 0.02)
    slips = slips_m(time, np.interp(time, [1.0, 2.0], [1.5, 0.0]))
    assert np.median(slips) < 5e-3
    assert slips.max() < 0.25


def cycles_by_ode(speed_at, time):
    """Return the cycles since the first time of somebody who walks, by small steps of the law.

    The speed of the gait follows that of the way, as exp(-t / 0.25 s); each way is that over the
    stride of this speed, sqrt(1.346^2 v h + (0.15 m)^2).
    """
    n_part = 400
    fine = np.linspace(time[0], time[-1], n_part * (len(time) - 1) + 1)
    step_s = fine[1] - fine[0]
    gait, cycles = speed_at(fine[0]), [0.0]
    for at in fine[:-1] + 0.5 * step_s:
        gait += (speed_at(at) - gait) * step_s / 0.25
        stride_m = np.sqrt(1.346**2 * gait * 0.491 * 1.75 + 0.15**2)
        cycles.append(cycles[-1] + speed_at(at) * step_s / stride_m)
    return np.array(cycles[::n_part])


@pytest.mark.parametrize("step_s", [0.1, 0.05])
def test_cycles_are_those_of_the_law_however_often_messages_come(step_s):
    """The speed goes smoothly from 1 to 1.6 m/s and back; the person is as high as the law's."""
    person = replace(walking_person(ADULT), scale=np.ones(3), room_m=0.9)
    time = np.arange(0.0, 8.0 + 0.5 * step_s, step_s)

    def speed_at(t):
        return 1.3 - 0.3 * np.cos(2.0 * np.pi * t / 8.0)

    way = 1.3 * time - 0.3 * 8.0 / (2.0 * np.pi) * np.sin(2.0 * np.pi * time / 8.0)
    states = [None]
    for part in np.diff(way):
        heard = Heard(FRAME, 0, part, 0.0, step_s, part / step_s, 0.0)
        states.append(person.advance(states[-1], heard))
    found = np.array([state[0] for state in states[1:]]) - phase_of(7)
    np.testing.assert_allclose(found, cycles_by_ode(speed_at, time)[1:], atol=3e-3)


def test_nothing_is_below_the_ground():
    person = walking_person(ADULT)
    for speed in (0.0, 0.4, 1.4, 2.5, 5.0):
        corners = in_world(person, walk(person, np.full(60, speed), step_s=0.026))
        assert min(part[..., 2].min() for part in corners) > -3e-3


def test_a_foot_is_on_the_ground_while_a_person_walks():
    person = walking_person(ADULT)
    travel = walk(person, np.full(400, 1.4), step_s=0.005)
    feet = in_world(person, travel, [LEFT_FOOT, RIGHT_FOOT])
    lowest = np.min([foot[..., 2].min(axis=1) for foot in feet], axis=0)
    assert lowest.max() < 3e-3


def angles_deg(person, travel):
    """Return hip, knee and ankle angles, flexion positive, each (n, 2), of (left, right)."""
    posture = person.posture(travel.state, travel.curvature_per_m)
    thigh, shin = posture.knees_m - posture.thighs_m, posture.feet.ankle_m - posture.knees_m
    hip, lean = (np.degrees(np.arctan2(each[..., 0], -each[..., 2])) for each in (thigh, shin))
    arm, lower = posture.elbows_m - posture.shoulders_m, posture.wrists_m - posture.elbows_m
    shoulder, down = (np.degrees(np.arctan2(v[..., 0], -v[..., 2])) for v in (arm, lower))
    return {
        "hip": hip,
        "knee": hip - lean,
        "ankle": -np.degrees(posture.feet.pitch_rad) - lean,
        "shoulder": shoulder,
        "elbow": down - shoulder,
    }


RANGES_DEG = {
    # American Academy of Orthopaedic Surgeons, Joint Motion, 1965; the ankle of a foot that bears
    # weight bends to 30 deg
    "hip": (-30, 120),
    "knee": (0, 135),
    "ankle": (-50, 30),
    "shoulder": (-60, 180),
    "elbow": (0, 150),
}


@pytest.mark.parametrize("speed", [0.0, 0.3, 0.9, 1.4, 1.9, 2.3, 4.5])
@pytest.mark.parametrize("length", [0.5, 0.7, 1.0])
def test_joints_stay_within_the_ranges_of_people(length, speed):
    person = walking_person((length, 0.6, 1.75))
    travel = walk(person, np.full(150, speed), step_s=0.013)
    for name, angle in angles_deg(person, travel).items():
        low, high = RANGES_DEG[name]
        assert low <= angle.min(), name
        assert angle.max() <= high, name


def test_bones_keep_their_lengths():
    person = walking_person(ADULT)
    for speed in (0.0, 1.4, 4.0):
        travel = walk(person, np.full(100, speed), step_s=0.015)
        posture = person.posture(travel.state, travel.curvature_per_m)
        shin = np.linalg.norm(posture.feet.ankle_m - posture.knees_m, axis=-1)
        np.testing.assert_allclose(shin, 0.413, atol=1e-9)


def bounds(person, travel):
    corners = np.concatenate(in_world(person, travel._replace(way_m=0 * travel.way_m)), axis=1)
    return corners.min(axis=(0, 1)), corners.max(axis=(0, 1)), np.ptp(corners, axis=1)


@pytest.mark.parametrize("speed", [0.5, 1.4, 1.8])
@pytest.mark.parametrize("size", [(0.5, 0.6, 1.75), (0.7, 0.6, 1.75), ADULT, (0.4, 0.4, 1.1)])
def test_who_walks_stays_within_5_cm_of_the_box(size, speed):
    person = walking_person(size)
    low, high, extent = bounds(person, walk(person, np.full(80, speed), step_s=0.026))
    half = np.array(size) / 2
    assert (low >= [-half[0] - 0.05, -half[1] - 0.05, -0.05]).all()
    assert (high <= [half[0] + 0.05, half[1] + 0.05, size[2] + 0.05]).all()
    assert (np.abs(extent[:, 1:] - size[1:]) < 0.05).all()


def test_strides_are_those_of_people():
    """Perry and Burnfield, Gait Analysis, 2010: 1.37 m/s, strides of 1.41 m, 62 % of them stand."""
    stride = stride_of([1.37], 0.9)
    assert stride.length_m[0] == pytest.approx(1.41, rel=0.05)
    assert stride.stand[0] == pytest.approx(0.62, abs=0.02)
    assert (np.diff(stride_of(np.linspace(0, 8, 100), 0.9).length_m) > -0.05).all()


def test_who_lies_is_no_person_that_walks():
    assert walking_person((1.75, 0.6, 0.4)) is None


def test_cycles_do_not_depend_on_how_the_way_is_cut():
    person = walking_person(ADULT)
    coarse = walk(person, np.full(11, 1.4), step_s=0.1)
    fine = walk(person, np.full(101, 1.4), step_s=0.01)
    np.testing.assert_allclose(coarse.state[:, 0], fine.state[::10, 0], atol=1e-12)
    assert person.n_interval(coarse) == 8
