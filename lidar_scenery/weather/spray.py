# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Spray behind vehicles on wet roads, as spheres of drops in the world.

The law and its parameters come from the openMSL lidar model, which was fitted to drives at 50 to
130 km/h [1]_. The openMSL model creates a number of clusters in each time step; `spray_births`
creates the same number per second, whatever the time step.

A cluster starts with the velocity of its vehicle plus up to 5 m/s upwards. Drag slows it relative
to the air, along a straight line. Gravity is neglected, as in openMSL. A cluster rises more and
more slowly, because its height grows with the logarithm of its age.

References
----------
.. [1] openMSL, sl-1-2 reflection based lidar object model (TU Darmstadt, FZD), commit 72323af,
   https://github.com/openMSL/sl-1-2-reflection-based-lidar-object-model
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from lidar_base.columns import Column, check_columns
from lidar_base.compiled import read_only
from lidar_scenery.weather.bodies import Bodies, BodyKind
from lidar_scenery.weather.spray_births import (
    CALIBRATED_KM_H,
    DEEPEST_MM,
    SLOWEST_KM_H,
    Floats,
    Passage,
    WetRoad,
    clusters_of,
)
from lidar_scenery.weather.spray_kernels import LIVES, Clusters, move_clusters
from osi_bridge import ObjectKind

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from osi_bridge import Frame

Ids: TypeAlias = NDArray[np.uint64]

EXTINCTION_PER_M = 0.02
"""Extinction coefficient of a cluster at its birth [1]_. [1/m]"""
LONGEST_GAP_NS = 1_000_000_000
"""Largest gap between messages in which clusters are born, and largest step back in time from one
call of `SprayCloud.bodies` to the next. [ns]"""
FORGOTTEN_NS = 3600 * LONGEST_GAP_NS
"""Pause after which no cluster is left. Differences of longer pauses may not fit 64 bits. [ns]"""
VEHICLE = "TYPE_VEHICLE"
"""OSI type of the objects that throw up water."""
_MOSTLY = 0.8  # share of live clusters above which removing the dead ones is not worth a copy
FASTEST_M_S = 100.0
"""A vehicle that moves faster from one message to the next has jumped. [m/s]"""


@dataclass(frozen=True, slots=True, kw_only=True)
class RoadVehicles:
    """The vehicles, or all moving objects, of one message, one row each.

    Attributes
    ----------
    object_id : uint64 (n,)
        OSI ids.
    position_m : float64 (n, 3)
        Centres of the bounding boxes in the world. [m]
    yaw_rad : float64 (n,)
        Headings in the world. [rad]
    dimension_m : float64 (n, 3)
        Length, width and height of the boxes. [m]
    velocity_m_s : float64 (n, 3)
        Velocities in the world, as the message states them. NaN if the message states none, or one
        above 10 km/s. [m/s]
    """

    object_id: Annotated[Ids, Column("u8", ("n",), "", "OSI id")]
    position_m: Annotated[Floats, Column("f8", ("n", 3), "m", "centre of the box in the world")]
    yaw_rad: Annotated[Floats, Column("f8", ("n",), "rad", "heading")]
    dimension_m: Annotated[Floats, Column("f8", ("n", 3), "m", "length, width, height")]
    velocity_m_s: Annotated[
        Floats, Column("f8", ("n", 3), "m/s", "as the message states it; NaN if it states none")
    ]

    def __post_init__(self) -> None:
        check_columns(self)

    def __len__(self) -> int:
        return len(self.object_id)

    @property
    def underside_m(self) -> Floats:
        """Centres of the undersides of the boxes in the world, float64 (n, 3) [m]."""
        down_m = np.zeros((len(self), 3))
        down_m[:, 2] = 0.5 * self.dimension_m[:, 2]
        return self.position_m - down_m


class _Heard(NamedTuple):
    """A message: its time and its vehicles."""

    time_ns: int
    vehicles: RoadVehicles


class SprayCloud:
    """The spray that all vehicles throw up in a run: clusters of drops, which drift and fade.

    Parameters
    ----------
    seed : int
        Seed of the configuration.
    """

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._last: _Heard | None = None
        self._clusters = _joined([])
        self._deepest_mm = self._fastest_km_h = 0.0

    @property
    def is_empty(self) -> bool:
        """Whether no clusters are stored; stored clusters may have faded in the meantime."""
        return not len(self._clusters.born_ns)

    @property
    def remarks(self) -> tuple[str, ...]:
        """Texts for users on water depths and speeds of the run beyond the range of the law."""
        words = []
        if self._deepest_mm > DEEPEST_MM:
            deep = f"water of up to {self._deepest_mm:g} mm counts as {DEEPEST_MM:g} mm"
            words.append(f"spray: {deep}, the depth up to which its law is used")
        if self._fastest_km_h > CALIBRATED_KM_H:
            fast = f"vehicles of up to {self._fastest_km_h:.0f} km/h"
            words.append(f"spray: {fast}; its law was fitted up to {CALIBRATED_KM_H:.0f} km/h")
        return tuple(words)

    def hear(
        self,
        time_ns: int,
        vehicles: RoadVehicles,
        *,
        water_mm: Floats | float,
        wind_m_s: tuple[float, float] = (0.0, 0.0),
    ) -> None:
        """Process the next message: add the clusters born between the previous message and it.

        A message with an earlier time begins a new run: all clusters are forgotten. The same
        happens after a pause of more than an hour. In a gap of over 1 s no clusters are born.

        Parameters
        ----------
        time_ns : int
            Time of the message. [ns]
        vehicles : RoadVehicles
            Vehicles of the message that can throw up water.
        water_mm : float64 (n,) or float
            Depth of water under each vehicle, or under all, since the previous message. [mm]
        wind_m_s : (float, float)
            Velocity of the air since the previous message; a cluster keeps the wind that blew when
            it was born. [m/s]
        """
        before, now = self._last, _Heard(time_ns, vehicles)
        self._last = now
        if before is None or not 0 <= time_ns - before.time_ns <= FORGOTTEN_NS:
            self._clusters = _joined([])
            return
        known = _those_after(self._clusters, before.time_ns)
        born = []
        films_mm = np.broadcast_to(water_mm, len(vehicles))
        if 0 < time_ns - before.time_ns <= LONGEST_GAP_NS and films_mm.any():
            for row, passage in self._passages(before, now):
                film_mm = float(films_mm[row])
                if film_mm > 0.0:
                    self._deepest_mm = max(self._deepest_mm, film_mm)
                    born += clusters_of(passage, WetRoad(film_mm, wind_m_s), self._seed)
        self._clusters = _joined([known, *born])

    def bodies(self, time_ns: int) -> Bodies:
        """Return the clusters that are alive at a time, as spheres in the world.

        They are in the order of the messages and, within a message, of the vehicles' OSI ids.

        Parameters
        ----------
        time_ns : int
            Time; at most the time of the last message, and at most 1 s before the time of the
            previous call. [ns]
        """
        n = len(self._clusters.born_ns)
        alive, center_m, weight = np.empty(n, np.int64), np.empty((n, 3)), np.empty(n)
        clusters = Clusters._make(map(read_only, self._clusters))
        n = move_clusters(time_ns, clusters, alive, center_m, weight)
        return Bodies(
            center_m=center_m[:n],
            radius_m=clusters.radius_m[alive[:n]],
            half_size_m=np.zeros((n, 3)),
            yaw_rad=np.zeros(n),
            extinction_per_m=EXTINCTION_PER_M * weight[:n],
            weight=weight[:n],
            kind=np.full(n, BodyKind.SPRAY, np.uint8),
        )

    def _passages(self, before: _Heard, now: _Heard) -> Iterator[tuple[int, Passage]]:
        """Yield (row in the second message, passage) of each vehicle fast enough for spray.

        It must be fast enough at one of the two messages. Passages come in the order of OSI ids.
        """
        one, other = before.vehicles, now.vehicles
        ids, rows, others = np.intersect1d(one.object_id, other.object_id, return_indices=True)
        places = np.stack([one.position_m[rows], other.position_m[others]], axis=1)
        moved_m_s = (places[:, 1] - places[:, 0]) / ((now.time_ns - before.time_ns) * 1e-9)
        velocity = np.stack([one.velocity_m_s[rows], other.velocity_m_s[others]], axis=1)
        velocity = known_velocities(velocity, moved_m_s)
        yaw = np.stack([one.yaw_rad[rows], other.yaw_rad[others]], axis=1)
        fastest_km_h = 3.6 * np.linalg.norm(velocity, axis=2).max(axis=1, initial=0.0)
        goes_on = np.linalg.norm(moved_m_s, axis=1) <= FASTEST_M_S
        for k in np.flatnonzero(goes_on & (fastest_km_h > SLOWEST_KM_H)):
            self._fastest_km_h = max(self._fastest_km_h, float(fastest_km_h[k]))
            times_ns = before.time_ns, now.time_ns
            dimension_m = other.dimension_m[others[k]]
            passage = Passage(int(ids[k]), times_ns, places[k], yaw[k], velocity[k], dimension_m)
            yield int(others[k]), passage


def known_velocities(stated: Floats, moved_m_s: Floats) -> Floats:
    """Return the velocities of n objects at two consecutive messages, (n, 2, 3) [m/s].

    Parameters
    ----------
    stated : float64 (n, 2, 3)
        Velocities that the messages state; NaN if they state none. A missing velocity is replaced
        by the velocity that the other message states. [m/s]
    moved_m_s : float64 (n, 3)
        Mean velocities between the messages, used for objects without any stated velocity. [m/s]
    """
    is_stated = np.isfinite(stated.sum(axis=2, keepdims=True))
    velocity = np.where(is_stated, stated, stated[:, ::-1])
    is_known = np.isfinite(velocity.sum(axis=2, keepdims=True))
    return np.where(is_known, velocity, moved_m_s[:, None])


def _those_after(clusters: Clusters, time_ns: int) -> Clusters:
    """Return the clusters still alive 1 s before a time; a few dead ones may be included."""
    life_ns = (LIVES * 1e9 * clusters.lifetime_s).astype(np.int64)
    # differences only: at either end of time, sums are beyond 64 bits
    lives = life_ns >= time_ns - clusters.born_ns - LONGEST_GAP_NS
    if np.count_nonzero(lives) > _MOSTLY * len(lives):
        return clusters
    return Clusters._make(column[lives] for column in clusters)


_NONE = Clusters(
    born_ns=np.empty(0, np.int64),
    origin_m=np.empty((0, 3)),
    through_air_m_s=np.empty((0, 3)),
    wind_m_s=np.empty((0, 2)),
    drag_per_m=np.empty(0),
    radius_m=np.empty(0),
    lifetime_s=np.empty(0),
)


def _joined(parts: Iterable[Clusters]) -> Clusters:
    """Return the clusters of several records as one record."""
    return Clusters._make(map(np.concatenate, zip(_NONE, *parts, strict=True)))


def vehicles_of(frame: Frame) -> RoadVehicles:
    """Return the vehicles of a message, in the order of its moving objects.

    `frame` is the decoded message. A velocity is NaN if the message does not state it, or if it is
    above 10 km/s.
    """
    return _of_rows(frame, np.flatnonzero(_is_moving(frame))[is_vehicle(frame)].tolist())


def moving_of(frame: Frame) -> RoadVehicles:
    """Return all moving objects of a message, vehicles and others, in the order of the message.

    `frame` is the decoded message. A velocity is NaN if the message does not state it, or if it is
    above 10 km/s.
    """
    return _of_rows(frame, np.flatnonzero(_is_moving(frame)).tolist())


def is_vehicle(frame: Frame) -> NDArray[np.bool_]:
    """Return for each moving object of a message whether it is a vehicle, bool (n,).

    `frame` is the decoded message. The result has one value for each row of `moving_of`.
    """
    names = frame.objects.type_name
    rows = np.flatnonzero(_is_moving(frame)).tolist()
    return np.array([names[row] == VEHICLE for row in rows], np.bool_)


def _is_moving(frame: Frame) -> NDArray[np.bool_]:
    return np.asarray(frame.objects.kind == ObjectKind.MOVING)


def _of_rows(frame: Frame, rows: list[int]) -> RoadVehicles:
    objects = frame.objects
    velocity_m_s = np.full((len(rows), 3), np.nan)
    for number, row in enumerate(rows):
        stated = frame.stated_velocity_m_s(row)
        if stated is not None:
            velocity_m_s[number] = stated
    return RoadVehicles(
        object_id=objects.object_id[rows],
        position_m=objects.position_m[rows],
        yaw_rad=objects.orientation_rad[rows, 2],
        dimension_m=objects.dimension_m[rows],
        velocity_m_s=velocity_m_s,
    )
