# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Joints of people who stand, walk or run, from the positions of their feet.

Coordinates are for a person of 1.75 m: x forward from the middle of the box, z up from the ground.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from lidar_scenery.articulation.human.feet import HALF_STEP_M, Feet, feet_at
from lidar_scenery.articulation.human.limbs import Array, joint_between, smooth, turn_about_y
from lidar_scenery.shapes.figure import SHOULDER_M, SIDES

if TYPE_CHECKING:
    from collections.abc import Callable

    from lidar_scenery.articulation.human.gait import Stride

HIP_M = 0.9
"""Height of the hip joints of a standing person. [m]"""
LEG_BONES_M, ARM_BONES_M = (0.417, 0.413), (0.29, 0.25)
"""Lengths of thigh and shin, of upper arm and forearm. [m]"""
SHOULDER_HALF_M = 0.21
_REACH_M = 0.998 * sum(LEG_BONES_M)  # no knee is quite straight
_SOFT_M = 0.004  # how far the hips keep below what the legs reach
_BOUNCE_M = 0.045  # a runner's hips are lowest half-way through a stand
_RUNNERS_LEAN_RAD = np.deg2rad(8.0)
_SWING_RAD = np.deg2rad([-8.0, 16.0])  # of a walker's upper arm: middle and amplitude
_RUNNERS_SWING_RAD = np.deg2rad([-10.0, 30.0])
_ELBOW_RAD, _RUNNERS_ELBOW_RAD = np.deg2rad([15.0, 12.0]), np.deg2rad([80.0, 10.0])
_HANGING_ELBOW_RAD = np.deg2rad(10.0)  # of a standing person
_ARM_LAG = 0.05  # cycles by which arms are behind the legs
_FULL_SWING_M = 0.85  # distance per stand of a foot from which arms swing fully
_ARM_ROOM_M = (0.5, 1.05)  # lengths of a box in which arms do not swing, and swing freely


class Steps(NamedTuple):
    """Progress of a person of 1.75 m through the strides, at n instants."""

    phase: Array
    """Gait cycles made, (n,); the left foot touches down at whole numbers."""
    curvature_per_m: Array
    """Curvature of the path, positive to the left, (n,). [1/m]"""
    shift_m: Array
    """Distance by which the left and the right foot are farther behind than usual, (n, 2). [m]"""


class Posture(NamedTuple):
    """Positions of a person's joints at n instants; axis 1 of paired joints is (left, right).

    Beside the described fields, `shoulders_m`, `elbows_m`, `wrists_m` and `thighs_m` (the hip
    joints) are float64 (n, 2, 3) [m]. `feet` (`Feet`) has ankles and angles of both feet.
    """

    hips_m: Array
    """Middle between the hip joints, (n, 3). [m]"""
    lean_rad: Array
    """Forward lean of the back, (n,). [rad]"""
    shoulders_m: Array
    elbows_m: Array
    wrists_m: Array
    thighs_m: Array  # the hip joints
    knees_m: Array
    """Positions of the knees, (n, 2, 3). [m]

    `shoulders_m`, `elbows_m`, `wrists_m` and `thighs_m` (the hip joints) have the same form."""
    feet: Feet

    def moved(self, place: Callable[[Array], Array]) -> Posture:
        """Return a posture whose joints are mapped by `place`; the lean and the feet's angles stay.

        `place` takes positions (..., 3) [m] and returns the mapped positions in the same form.
        """
        return self._replace(
            hips_m=place(self.hips_m),
            shoulders_m=place(self.shoulders_m),
            elbows_m=place(self.elbows_m),
            wrists_m=place(self.wrists_m),
            thighs_m=place(self.thighs_m),
            knees_m=place(self.knees_m),
            feet=self.feet._replace(ankle_m=place(self.feet.ankle_m)),
        )


def posture_at(stride: Stride, steps: Steps, arms: ArmsOfPerson) -> Posture:
    """Return the joints of a person of 1.75 m at n instants; x is forward, z up from the ground.

    Parameters
    ----------
    stride : Stride
        The stride at each instant.
    steps : Steps
        Progress of the person through these strides.
    arms : ArmsOfPerson
        How far the arms are from the body, and how freely they swing.

    Notes
    -----
    The hips are as high as both legs allow, at most as high as a standing person's. So they move
    like an inverted pendulum over the standing foot. A runner's hips are lowest over that foot.
    """
    feet = feet_at(steps.phase, stride, steps.curvature_per_m, steps.shift_m)
    hips = np.zeros((len(steps.phase), 3))
    hips[:, 2] = _hip_height(steps.phase, stride, feet)
    thighs = hips[:, None] + [(0.0, side * HALF_STEP_M, 0.0) for side in SIDES]
    front = np.stack([np.cos(feet.yaw_rad), np.sin(feet.yaw_rad), 0.0 * feet.yaw_rad], axis=-1)
    knees = joint_between(thighs, feet.ankle_m, LEG_BONES_M, front)
    lean = _RUNNERS_LEAN_RAD * stride.run
    shoulders = _shoulders(hips, lean)
    elbows, wrists = _arms(steps.phase, stride, shoulders, arms)
    return Posture(hips, lean, shoulders, elbows, wrists, thighs, knees, feet)


def _hip_height(phase: Array, stride: Stride, feet: Feet) -> Array:
    """Return the hip height, (n,): a smooth minimum of the legs' reach and the gait's [m]."""
    aside = feet.ankle_m[..., 1] - [HALF_STEP_M, -HALF_STEP_M]
    flat = feet.ankle_m[..., 0] ** 2 + aside**2
    reach = feet.ankle_m[..., 2] + np.sqrt(np.maximum(_REACH_M**2 - flat, 0.3**2))
    lowest = np.cos(4.0 * np.pi * (phase - 0.5 * stride.stand))
    free = HIP_M - 0.5 * _BOUNCE_M * stride.run * (1.0 + lowest)
    limits = np.concatenate([reach, free[:, None]], axis=1)
    least = limits.min(axis=1)
    height: Array = least - _SOFT_M * np.log(
        np.exp((least[:, None] - limits) / _SOFT_M).sum(axis=1)
    )
    return height


class ArmsOfPerson(NamedTuple):
    """How a person holds the arms."""

    spread: float
    """How far the arms are from the body: 0 if they hang; grows with the width of the box."""
    freedom: float
    """How far the arms swing, 0 (not at all) to 1 (as usual): less in a short box."""


def arms_in(length_m: float, spread: float) -> ArmsOfPerson:
    """Return how a person of 1.75 m holds the arms: in a short box they swing less.

    Parameters
    ----------
    length_m : float
        Length of the box, scaled to a person of 1.75 m. [m]
    spread : float
        How far the arms are from the body: 0 if they hang down.
    """
    return ArmsOfPerson(spread, float(smooth(length_m, _ARM_ROOM_M)))


def _shoulders(hips: Array, lean: Array) -> Array:
    """Return the shoulders, (n, 2, 3), on a back that leans from the hips [m]."""
    upright = [(0.0, side * SHOULDER_HALF_M, SHOULDER_M - HIP_M) for side in SIDES]
    turned = turn_about_y(lean)[:, None] @ np.array(upright)[..., None]
    shoulders: Array = hips[:, None] + turned[..., 0]
    return shoulders


def _arms(
    phase: Array, stride: Stride, shoulders: Array, arms: ArmsOfPerson
) -> tuple[Array, Array]:
    """Return elbows and wrists, (n, 2, 3): each arm swings with the leg of the other side [m].

    A walker's arm swings 24 deg back and 8 deg forward, and the elbow bends more in front
    (J. Perry, J. M. Burnfield, Gait Analysis, 2nd ed., 2010); with shorter steps both are less.
    All else is our assumption, such as the right angle of a runner's elbows.
    """
    cycle = phase[:, None] + np.array([0.0, 0.5])
    swing = -np.cos(2.0 * np.pi * (cycle - _ARM_LAG))
    run, bend = stride.run[:, None], 0.25 + 0.75 * arms.freedom
    steps = np.minimum(stride.stand * stride.length_m / _FULL_SWING_M, 1.0)[:, None]
    amount = np.maximum(steps, run) * (0.3 + 0.7 * arms.freedom)
    upper = amount * _swung(swing, (1.0 - run) * _SWING_RAD + run * _RUNNERS_SWING_RAD)
    flexed = (1.0 - run) * _ELBOW_RAD + run * bend * _RUNNERS_ELBOW_RAD
    lower = upper + _HANGING_ELBOW_RAD + amount * _swung(swing, flexed)
    elbows = shoulders + ARM_BONES_M[0] * _hanging(upper, 0.15 + 0.43 * arms.spread)
    wrists = elbows + ARM_BONES_M[1] * _hanging(lower, -0.05 + 0.8 * arms.spread)
    return elbows, wrists


def _swung(swing: Array, middle_and_amplitude: Array) -> Array:
    """Return the angles (n, 2) of a swing from -1 to 1; the columns are middle and amplitude."""
    return middle_and_amplitude[:, :1] + middle_and_amplitude[:, 1:] * swing


def _hanging(forward_rad: Array, aside_rad: float) -> Array:
    """Return the directions (n, 2, 3) of hanging bones, swung forward (n, 2) and outward [rad]."""
    down = np.cos(aside_rad)
    aside = np.broadcast_to(np.sin(aside_rad) * np.array([1.0, -1.0]), forward_rad.shape)
    return np.stack([down * np.sin(forward_rad), aside, -down * np.cos(forward_rad)], axis=-1)
