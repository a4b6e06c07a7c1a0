# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Births of spray: number and properties of the clusters that a vehicle throws up on a wet road.

Births are a Poisson process in time. Each slot of 10 ms has candidates at the rate of the fastest
vehicle on the wettest road; they depend only on the vehicle's id and the index of the slot.
A candidate is born with the probability actual rate / largest rate (thinning [2]_), where the
actual rate follows from speed and water. So births do not depend on the times of messages, nor on
the start of a run.

References
----------
.. [1] openMSL, sl-1-2 reflection based lidar object model (TU Darmstadt, FZD), commit 72323af,
   https://github.com/openMSL/sl-1-2-reflection-based-lidar-object-model
.. [2] Lewis, Shedler, Simulation of nonhomogeneous Poisson processes by thinning, Naval Research
   Logistics Quarterly 26, 1979, doi:10.1002/nav.3800260304
"""

from __future__ import annotations

import math
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from lidar_base.random.draws import Draws
from lidar_base.random.random_kernels import SPRAY_BIRTHS, SPRAY_CLUSTER
from lidar_scenery.weather.spray_kernels import (
    ASIDE_AND_UP,
    RISE,
    RISE_M_S,
    TIME_AND_CHANCE,
    Clusters,
    shape_clusters,
)

Floats: TypeAlias = NDArray[np.float64]

SLOWEST_KM_H, FASTEST_KM_H = 50.0, 250.0
"""Speed up to which there is no spray [1]_, and speed above which spray no longer grows, which is
an estimate."""
CALIBRATED_KM_H = 130.0
"""Largest speed of the drives that the law was fitted to [1]_; above it the law is extrapolated."""
DEEPEST_MM = 1.0
"""Deeper water counts as this deep, because no measurements support the law beyond it. [mm]"""
WIDTH_M, HEIGHT_M = 3.4, 1.5
"""Width, and height above the underside, of the rectangle behind a vehicle in which clusters are
born [1]_. [m]"""

SLOT_NS = 10_000_000
"""Duration of a slot. [ns]"""
_SLOT_BITS, _NUMBER_BITS, _KIND_BITS = 24, 5, 3  # of an index of 32 bits; more slots: another key
_MOST = (1 << _NUMBER_BITS) - 1


def births_per_second(speed_m_s: Floats, *, water_mm: float) -> Floats:
    """Return the number of clusters of drops that a vehicle throws up per second [1/s].

    Parameters
    ----------
    speed_m_s : float64 (n,)
        Speeds of the vehicle; the result has one rate for each. [m/s]
    water_mm : float
        Depth of water on the road; with 0 or less, the rate is 0. [mm]

    Notes
    -----
    The rate is 10 (0.2 h + 0.1) (v - 50) with the water h in mm and the speed v in km/h: ten times
    the number for a step of 0.1 s [1]_. Even the thinnest film makes spray: the law does not go to
    0 with h. The rate is 0 up to 50 km/h; v counts up to 250 km/h, and h up to 1 mm.

    References
    ----------
    .. [1] openMSL, sl-1-2 reflection based lidar object model, commit 72323af
    """
    if water_mm <= 0.0:
        return np.zeros(len(speed_m_s))
    return 10.0 * (0.2 * min(water_mm, DEEPEST_MM) + 0.1) * _excess_km_h(speed_m_s)


def lifetime_s(speed_m_s: Floats, *, water_mm: float) -> Floats:
    """Return the mean time constant with which clusters fade, 0.02 h (v - 50) + 0.2 [s].

    It is 0.2 s up to 50 km/h; v counts up to 250 km/h, and h up to 1 mm.

    Parameters
    ----------
    speed_m_s : float64 (n,)
        Speeds of the vehicle; v is the speed in km/h. [m/s]
    water_mm : float
        h, the depth of water on the road. [mm]
    """
    return 0.02 * min(water_mm, DEEPEST_MM) * _excess_km_h(speed_m_s) + 0.2


def _excess_km_h(speed_m_s: Floats) -> Floats:
    return np.clip(3.6 * speed_m_s, SLOWEST_KM_H, FASTEST_KM_H) - SLOWEST_KM_H


_MOST_PER_SECOND = float(births_per_second(np.array([np.inf]), water_mm=DEEPEST_MM)[0])
_MEAN = _MOST_PER_SECOND * SLOT_NS * 1e-9
_CUMULATIVE = np.cumsum([math.exp(-_MEAN) * _MEAN**k / math.factorial(k) for k in range(_MOST)])
"""Probability of at most 0, 1, 2, .. candidates in a slot."""


class WetRoad(NamedTuple):
    """Water on the road under a vehicle, and the wind above it.

    Attributes
    ----------
    water_mm : float
        Depth of the water. [mm]
    wind_m_s : (float, float)
        Velocity of the air. [m/s]
    """

    water_mm: float
    wind_m_s: tuple[float, float]


class Passage(NamedTuple):
    """Motion of a vehicle, or another moving object, between two messages.

    Attributes
    ----------
    object_id : int
        OSI id.
    time_ns : (int, int)
        Times of the messages. [ns]
    position_m : float64 (2, 3)
        Centre of the vehicle's box at each message. [m]
    yaw_rad : float64 (2,)
        Heading at each message. [rad]
    velocity_m_s : float64 (2, 3)
        Velocity at each message. [m/s]
    dimension_m : float64 (3,)
        Length, width and height of the box. [m]
    """

    object_id: int
    time_ns: tuple[int, int]
    position_m: Floats
    yaw_rad: Floats
    velocity_m_s: Floats
    dimension_m: Floats

    def share(self, time_ns: NDArray[np.int64]) -> Floats:
        """Return times as fractions of the way from the first message (0) to the second (1), (n,).

        `time_ns` has n times, int64 (n,), on the clock of the messages. [ns]
        """
        start_ns, end_ns = self.time_ns
        share: Floats = (time_ns - start_ns) / float(end_ns - start_ns)
        return share

    def velocity_at(self, share: Floats) -> Floats:
        """Return the velocities at n instants, (n, 3), interpolated linearly [m/s].

        `share` (n,) has the instants as fractions: 0 at the first message, 1 at the second.
        """
        return _between(self.velocity_m_s, share)

    def yaw_at(self, share: Floats) -> Floats:
        """Return the vehicle's headings at n instants between the two messages, float64 (n,) [rad].

        They are interpolated, the shorter way round. `share` (n,) has the instants as fractions: 0
        at the first message, 1 at the second.
        """
        turn = (self.yaw_rad[1] - self.yaw_rad[0] + math.pi) % (2.0 * math.pi) - math.pi
        yaw: Floats = self.yaw_rad[0] + share * turn
        return yaw

    def rear_at(self, share: Floats, aside_m: Floats, up_m: Floats) -> Floats:
        """Return a point on the vehicle's rear face at each of n instants, (n, 3) [m].

        Parameters
        ----------
        share : float64 (n,)
            Instants as fractions: 0 at the first message, 1 at the second. The points are in the
            world.
        aside_m, up_m : float64 (n,)
            Distance of the points to the left of the vehicle's middle, and above its underside. [m]
        """
        yaw = self.yaw_at(share)
        cosine, sine = np.cos(yaw), np.sin(yaw)
        back_m = 0.5 * self.dimension_m[0]
        place = _between(self.position_m, share)
        place[:, 0] -= back_m * cosine + aside_m * sine
        place[:, 1] -= back_m * sine - aside_m * cosine
        place[:, 2] += up_m - 0.5 * self.dimension_m[2]
        return place


def _between(ends: Floats, share: Floats) -> Floats:
    between: Floats = ends[0] + share[:, None] * (ends[1] - ends[0])
    return between


def clusters_of(passage: Passage, road: WetRoad, seed: int) -> list[Clusters]:
    """Return the clusters of drops that a vehicle throws up after a message, up to the next one.

    The result has one record for each block of 2^24 time slots (`SLOT_NS`), in the order of time:
    usually one record. A record holds the state of its clusters at their birth.

    Parameters
    ----------
    passage : Passage
        Motion of the vehicle between the two messages.
    road : WetRoad
        Water on the road, and the wind.
    seed : int
        Seed of the run. Equal seeds give the same clusters.
    """
    first, last = (time_ns // SLOT_NS for time_ns in passage.time_ns)
    born = []
    for block in range(first >> _SLOT_BITS, (last >> _SLOT_BITS) + 1):
        start = block << _SLOT_BITS
        end = start + (1 << _SLOT_BITS)
        slots = np.arange(max(first, start), min(last + 1, end))
        draws = Draws.of(seed=seed, sensor=f"spray of {passage.object_id}", time_ns=block)
        born.append(_born(passage, road, draws, slots))
    return born


def _born(passage: Passage, road: WetRoad, draws: Draws, slots: NDArray[np.int64]) -> Clusters:
    """Return the clusters born in some slots, whose random numbers share the key `draws`."""
    low = (slots & ((1 << _SLOT_BITS) - 1)).astype(np.uint32)
    count = np.searchsorted(_CUMULATIVE, draws.uniform_pairs(SPRAY_BIRTHS, low)[0])
    number = np.arange(count.sum()) - np.repeat(np.cumsum(count) - count, count)
    in_slot = (number << _KIND_BITS).astype(np.uint32)
    index = (np.repeat(low, count) << np.uint32(_NUMBER_BITS + _KIND_BITS)) | in_slot
    when, chance = draws.uniform_pairs(SPRAY_CLUSTER, index | np.uint32(TIME_AND_CHANCE))
    time_ns = np.repeat(slots, count) * SLOT_NS + (when * SLOT_NS).astype(np.int64)
    speed = np.linalg.norm(passage.velocity_at(passage.share(time_ns)), axis=1)
    rate = births_per_second(speed, water_mm=road.water_mm)
    start_ns, end_ns = passage.time_ns
    chosen = (time_ns > start_ns) & (time_ns <= end_ns) & (chance * _MOST_PER_SECOND < rate)
    by_time = np.flatnonzero(chosen)[np.argsort(time_ns[chosen], kind="stable")]
    return _clusters(passage, road, draws, index[by_time], time_ns[by_time])


def _clusters(
    passage: Passage,
    road: WetRoad,
    draws: Draws,
    index: NDArray[np.uint32],
    time_ns: NDArray[np.int64],
) -> Clusters:
    """Return the clusters that are born at the given times."""
    n, share = len(index), passage.share(time_ns)
    aside, up = draws.uniform_pairs(SPRAY_CLUSTER, index | np.uint32(ASIDE_AND_UP))
    rise, _ = draws.uniform_pairs(SPRAY_CLUSTER, index | np.uint32(RISE))
    through_air_m_s = passage.velocity_at(share)
    lifetime = lifetime_s(np.linalg.norm(through_air_m_s, axis=1), water_mm=road.water_mm)
    through_air_m_s[:, 2] += RISE_M_S * rise
    through_air_m_s[:, :2] -= road.wind_m_s
    born = Clusters(
        born_ns=time_ns,
        origin_m=passage.rear_at(share, WIDTH_M * (aside - 0.5), HEIGHT_M * up),
        through_air_m_s=through_air_m_s,
        wind_m_s=np.tile(np.array(road.wind_m_s, np.float64), (n, 1)),
        drag_per_m=np.empty(n),
        radius_m=np.empty(n),
        lifetime_s=lifetime,
    )
    shape_clusters(draws.stream, index, born)
    return born
