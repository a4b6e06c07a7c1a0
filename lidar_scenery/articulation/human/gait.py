# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Strides of people by speed: how long they are, and during which share of them a foot stands.

All lengths and speeds are for a person of 1.75 m. Smaller people move in the same way at the same
Froude number v^2 / (g h): lengths scale with height, and speeds with its square root [3]_.

References
----------
.. [1] R. Boulic, N. Magnenat Thalmann, D. Thalmann, A global human walking model with real-time
   kinematic personification, The Visual Computer 6, 1990: length of a cycle
   1.346 sqrt(v / h) h, duration of support 0.752 T - 0.143 s.
.. [2] R. McN. Alexander, Estimates of speeds of dinosaurs, Nature 261, 1976: length of a stride
   2.3 h (v^2 / (g h))^0.3, of people and animals that run.
.. [3] R. McN. Alexander, The gaits of bipedal and quadrupedal animals, Int. J. Robotics Research
   3(2), 1984: people change from walking to running at a Froude number near 0.5.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from lidar_scenery.articulation.human.limbs import Array, smooth

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

LEG_M = 0.491 * 1.75
"""Height h of the hip joint [m]: upper and lower leg, 0.245 and 0.246 of a person's height."""
GRAVITY_M_S2 = 9.81
LEAST_STRIDE_M = 0.15
"""Shortest stride, at speeds near 0: a person who stops ends up with both feet side by side. [m]"""
MOST_CYCLES_PER_S = 1.75
"""Highest cadence, 3.5 steps per second; beyond it, feet reach out of a short box. [1/s]"""
_CHANGE = (0.4, 0.6)  # Froude numbers between which walking becomes running [3]
_LEAST_STAND, _MOST_STAND = 0.5, 0.72  # walking: one foot is on the ground at all times
_RUNNERS_STAND_M = 0.88 * LEG_M  # distance over which a runner's foot stands: 0.25 s at 3 m/s
_LEAST_RUNNERS_STAND = 0.2
_LIFTING_M_S = 0.3  # speed from which feet leave the ground as they do in walking


class Stride(NamedTuple):
    """Strides (two steps each) of a person of 1.75 m at n instants."""

    length_m: Array
    """Distance travelled in one gait cycle, which is one stride, (n,). [m]"""
    stand: Array
    """Share of the cycle during which a foot stands, (n,)."""
    run: Array
    """0: the person walks; 1: runs; in between: a blend of both, (n,)."""
    lifts: Array
    """Factor on how high feet swing: 0 for a person who stands, 1 from a slow walk on, (n,)."""


def stride_of(speed_m_s: ArrayLike, room_m: float) -> Stride:
    """Return the strides of a person of 1.75 m at given speeds.

    Parameters
    ----------
    speed_m_s : float64 (n,)
        Speeds, scaled to a person of 1.75 m; their sign does not matter. [m/s]
    room_m : float
        Distance that the body may travel while one foot stands, so that the foot does not leave
        the box. If a stride is too long for that, it is shortened and the cadence rises, up to
        `MOST_CYCLES_PER_S`. [m]

    Notes
    -----
    Walking follows [1]_ and running [2]_; speeds in between are blended. Our assumptions: a
    runner's foot stands over nearly the same distance at all speeds, and strides are shorter in a
    short box.
    """
    speed = np.abs(np.asarray(speed_m_s, np.float64))
    froude = speed**2 / (GRAVITY_M_S2 * LEG_M)
    run = smooth(froude, _CHANGE)
    walked = np.hypot(1.346 * np.sqrt(speed * LEG_M), LEAST_STRIDE_M)
    length = (1.0 - run) * walked + run * 2.3 * LEG_M * froude**0.3
    duration = walked / np.maximum(speed, 1e-6)
    walks = np.maximum(0.752 - 0.143 / np.maximum(duration, 1e-6), _LEAST_STAND)
    walks = np.minimum(walks, _MOST_STAND)
    runs = np.maximum(_RUNNERS_STAND_M / length, _LEAST_RUNNERS_STAND)
    natural = (1.0 - run) * walks + run * np.minimum(runs, walks)
    least = (1.0 - run) * _LEAST_STAND + run * _LEAST_RUNNERS_STAND
    fits = np.minimum(length, room_m / least)
    fits = np.minimum(length, np.maximum(fits, speed / MOST_CYCLES_PER_S))
    stand = np.minimum(natural, np.maximum(room_m / fits, _LEAST_RUNNERS_STAND))
    return Stride(fits, stand, run, smooth(speed, (0.0, _LIFTING_M_S)))


def cycles_per_m(speed_m_s: ArrayLike, room_m: float) -> Array:
    """Return how many gait cycles a person of 1.75 m makes per metre at given speeds, (n,) [1/m].

    Parameters
    ----------
    speed_m_s : float64 (n,)
        Speeds, scaled to a person of 1.75 m; their sign does not matter. [m/s]
    room_m : float
        Distance that the body may travel while one foot stands: it limits long strides. [m]
    """
    rate: Array = 1.0 / stride_of(speed_m_s, room_m).length_m
    return rate
