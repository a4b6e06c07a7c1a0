# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Feet of people who walk and run: they roll over heel and toe, and swing to the next step.

Coordinates are for a person of 1.75 m: x forward from the middle of the box, z up from the ground.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from lidar_scenery.articulation.human.limbs import Array, smooth

if TYPE_CHECKING:
    from lidar_scenery.articulation.human.gait import Stride

ANKLE_M = 0.08
"""Height of the ankle above the sole. [m]"""
HEEL, TOE = (-0.04, 0.05), (0.16, 0.042)
"""Balls at the ends of a foot: distance ahead of the ankle, and radius. [m]"""


class Sole(NamedTuple):
    """Shape of a foot that rolls: height of the ankle over a flat sole, and two balls under it."""

    ankle_m: float
    """Height of the ankle above the sole. [m]"""
    heel: tuple[float, float]
    """Ball under the heel: distance of its centre ahead of the ankle, and its radius. [m]"""
    toe: tuple[float, float]
    """Ball under the toes: distance of its centre ahead of the ankle, and its radius. [m]"""


SOLE = Sole(ANKLE_M, HEEL, TOE)
HALF_STEP_M = 0.1
"""Lateral distance of each foot from the middle of the person. [m]"""
MOST_BEND_PER_M = 2.0
"""Largest curvature of a path for which standing feet rest on the ground. [1/m]"""
_STRIKE_RAD, _PUSH_RAD = np.deg2rad(20.0), np.deg2rad(60.0)  # foot and ground: first and last touch
_HANGING_RAD = np.deg2rad(35.0)  # how far a runner's toes hang in the swing
_ROLLS, _HEEL_OFF = (0.0, 0.15), 0.5  # shares of the stand: on the heel; start on the toes
_LONG_M = 0.85  # distance per stand from which a foot rolls over its full angles
_STANDING_M, _WALKING_M = -0.03, -0.12  # x of a foot half-way through its stand
_CLEARANCE_M, _RUNNERS_CLEARANCE_M = 0.025, 0.2  # of a foot that swings; more where it runs
_HALF_CYCLE = np.array([0.0, 0.5])
_FORGETS_CYCLES = 0.1  # time constant with which a swinging foot returns to its usual path
MOST_SHIFT_M = 0.25
"""Largest distance of a foot from its usual place, when the speed changes fast. [m]"""


class Feet(NamedTuple):
    """Both feet, (left, right), at n instants."""

    ankle_m: Array
    """Positions of the ankles, (n, 2, 3): x forward from the middle of the person, z from the
    ground. [m]"""
    pitch_rad: Array
    """Angle between sole and ground, positive with the toes down, (n, 2). [rad]"""
    yaw_rad: Array
    """Heading of each foot relative to the person, positive to the left, (n, 2). [rad]"""


def room_for_feet(length_m: float) -> float:
    """Return the largest distance that the body may travel while one foot stands on the ground [m].

    Up to this distance, the feet of a person of 1.75 m reach at most 5 cm beyond the ends of a box
    that is at least 0.3 m long.

    Parameters
    ----------
    length_m : float
        Length of the box, for a person of 1.75 m. [m]
    """
    return min(max(1.12 * length_m - 0.24, 0.1), 0.9)


def feet_at(phase: Array, stride: Stride, curvature_per_m: Array, shift_m: Array) -> Feet:
    """Return the positions and angles of both feet of a person of 1.75 m at n instants.

    Parameters
    ----------
    phase : float64 (n,)
        Gait cycles made. The left foot touches down at whole numbers, the right one at halves.
    stride : Stride
        The stride at each instant.
    curvature_per_m : float64 (n,)
        Curvature of the path, positive to the left. [1/m]
    shift_m : float64 (n, 2)
        How much farther behind than usual the left and the right foot are; see `shifts`. [m]

    Notes
    -----
    A standing foot rests in the world: in the person's frame it moves back by the distance that
    the person travels, along an arc on a curved path. It touches with its heel, rolls on the ball
    of the heel until it is flat, and later on the ball of the toes. The centre of a ball of radius
    r that rolls by an angle p moves by r p, so the touching point rests. The angles at the first
    and the last touch are from J. Perry, J. M. Burnfield, Gait Analysis, 2nd ed., 2010; shorter
    steps have smaller angles. How a foot swings is our assumption.
    """
    standing, swinging = _progress(phase, stride)
    covered = (stride.stand * stride.length_m)[:, None]
    amount = np.minimum(covered / _LONG_M, 1.0)
    lifted = amount * stride.lifts[:, None]
    strike = _STRIKE_RAD * lifted
    push = _PUSH_RAD * np.minimum(1.6 * amount, 1.0) * stride.lifts[:, None]
    pitch = push * smooth(standing, (_HEEL_OFF, 1.0)) - strike * (1.0 - smooth(standing, _ROLLS))
    pitch -= (push + strike) * smooth(swinging)
    swing = np.sin(np.pi * swinging) ** 2
    runs = amount * stride.run[:, None]
    pitch += _HANGING_RAD * runs * swing
    lift = (_CLEARANCE_M + _RUNNERS_CLEARANCE_M * runs) * lifted * swing
    forward, up = rolled(pitch)
    behind = _left_behind(standing, swinging, stride) + shift_m
    place, yaw = _along_arc(forward, behind, curvature_per_m[:, None])
    return Feet(np.stack([place[..., 0], place[..., 1], up + lift], axis=-1), pitch, yaw)


def left_behind(phase: Array, stride: Stride) -> Array:
    """Return how far each foot is behind the body in a steady gait, (n, 2): left, right [m].

    The distance is along the path from the flat foot to the middle of the person, at 1.75 m height.
    It is negative for a foot ahead of the person.

    Parameters
    ----------
    phase : float64 (n,)
        Gait cycles made. The left foot touches down at whole numbers, the right one at halves.
    stride : Stride
        The stride at each instant.
    """
    return _left_behind(*_progress(phase, stride), stride)


def _left_behind(standing: Array, swinging: Array, stride: Stride) -> Array:
    """Return the result of `left_behind` from the progress of stand and swing (`_progress`).

    A swinging foot moves forward along a cubic; it leaves and meets the ground at the speed of
    the ground.
    """
    covered = (stride.stand * stride.length_m)[:, None]
    speed = np.minimum((stride.length_m * (1.0 - stride.stand))[:, None], 0.8 * covered)
    cubic = swinging * (1.0 - swinging) * (1.0 - 2.0 * swinging)
    middle = _STANDING_M + (_WALKING_M - _STANDING_M) * np.minimum(2.0 * covered / _LONG_M, 1.0)
    behind: Array = covered * (standing - 0.5 - smooth(swinging)) + speed * cubic - middle
    return behind


def shifts(phase: Array, stride: Stride, shift_m: Array, way_m: Array) -> Array:
    """Return by how much the feet of n people are farther behind than `left_behind`, (n, 2) [m].

    When the speed changes, the stride changes while a foot stands. This shift keeps the foot where
    it stands. The shift of a swinging foot decays.

    Parameters
    ----------
    phase, stride : float64 (2 n,) and Stride
        Gait cycles and strides of all people at the previous message, then at this message.
    shift_m : float64 (n, 2)
        Shifts of the left and the right foot at the previous message. [m]
    way_m : float64 (n,)
        Distances travelled between the messages, scaled to a person of 1.75 m. [m]
    """
    before, usual = left_behind(phase, stride).reshape(2, -1, 2)
    cycle = (phase[:, None] + _HALF_CYCLE).reshape(2, -1, 2)
    stands = cycle % 1.0 < stride.stand.reshape(2, -1, 1)
    stays = stands.all(axis=0) & (np.floor(cycle[0]) == np.floor(cycle[1]))
    stood = shift_m + way_m[:, None] - (usual - before)
    swung = shift_m * np.exp(-np.abs(cycle[1] - cycle[0]) / _FORGETS_CYCLES)
    shift = np.where(stays, stood, np.where(stands[1], 0.0, swung))
    return np.minimum(np.maximum(shift, -MOST_SHIFT_M), MOST_SHIFT_M)


def _progress(phase: Array, stride: Stride) -> tuple[Array, Array]:
    """Return the progress of each foot's stand and of its swing, each 0 to 1, (n, 2)."""
    cycle, stand = np.mod(phase[:, None] + _HALF_CYCLE, 1.0), stride.stand[:, None]
    swinging = np.maximum((cycle - stand) / (1.0 - stand), 0.0)
    return np.minimum(cycle / stand, 1.0), np.minimum(swinging, 1.0)


def rolled(pitch: Array, sole: Sole = SOLE) -> tuple[Array, Array]:
    """Return the position of the ankle of a foot that has rolled over its heel or toes to a pitch.

    Parameters
    ----------
    pitch : float64 (...)
        Angle between sole and ground, positive with the toes down. [rad]
    sole : Sole
        Shape of the foot.

    Returns
    -------
    forward, up : float64 (...)
        Position of the ankle: forward from its place when the foot is flat, and up from the
        ground. [m]
    """
    ball = np.where(pitch[..., None] > 0.0, sole.toe, sole.heel)
    ahead, radius = ball[..., 0], ball[..., 1]
    above = sole.ankle_m - radius
    c, s = np.cos(pitch), np.sin(pitch)
    forward = ahead + radius * pitch - ahead * c + above * s
    return forward, radius + ahead * s + above * c


def _along_arc(forward: Array, way: Array, curvature: Array) -> tuple[Array, Array]:
    """Return places (n, 2, 2) and headings of feet in the frame of a person who has moved on.

    The person has moved by `way` along an arc since each foot was under the body.
    """
    bend = np.minimum(np.maximum(curvature, -MOST_BEND_PER_M), MOST_BEND_PER_M)
    turn = bend * way
    ahead = way * np.sinc(turn / np.pi)  # sin(turn) / bend
    aside = 0.5 * way * turn * np.sinc(turn / (2.0 * np.pi)) ** 2  # (1 - cos(turn)) / bend
    x = forward - ahead
    y = np.array([HALF_STEP_M, -HALF_STEP_M]) - aside
    c, s = np.cos(turn), np.sin(turn)
    return np.stack([c * x + s * y, c * y - s * x], axis=-1), -turn
