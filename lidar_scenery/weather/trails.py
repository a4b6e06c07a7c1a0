# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Dust and exhaust behind vehicles: boxes that move and turn with them."""

from __future__ import annotations

import math
from bisect import bisect_left
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from lidar_scenery.weather.spray import (
    FASTEST_M_S,
    LONGEST_GAP_NS,
    RoadVehicles,
    is_vehicle,
    known_velocities,
    moving_of,
)
from lidar_scenery.weather.spray_births import Passage
from lidar_scenery.weather.state import DustBox, DustTrail

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from osi_bridge import Frame


class _Traffic(NamedTuple):
    """A message: its time, its moving objects, and which of them are vehicles."""

    time_ns: int
    moving: RoadVehicles
    is_vehicle: NDArray[np.bool_]


class DustTrails:
    """Computes the boxes of dust behind moving objects, from the messages passed to `hear`."""

    def __init__(self) -> None:
        self._heard: list[_Traffic] = []
        self._named: set[int] = set()
        self._met: set[int] = set()

    @property
    def is_empty(self) -> bool:
        """Whether no recorded message has a moving object; also True without recorded messages."""
        return not any(len(each.moving) for each in self._heard)

    @property
    def remarks(self) -> tuple[tuple[str, str, str], ...]:
        """Remarks on dust trails whose object does not exist, for the report to the user.

        Each is (what, used instead, reason), for example ("dust behind 7", "nothing", ..). There is
        one for each OSI id that a `DustTrail` follows now, unless a moving object has had this id
        while a trail followed it.
        """
        reason, missing = "the messages have no moving object of this id", self._named - self._met
        return tuple((f"dust behind {each}", "nothing", reason) for each in sorted(missing))

    def hear(self, frame: Frame, dust: Sequence[DustBox | DustTrail]) -> None:
        """Record the moving objects of the next message for `boxes`, if any dust follows objects.

        Without such dust, all recorded messages are forgotten. A message with an earlier time
        begins a new run, so previous messages are forgotten, too. A message with the same time
        replaces the last one.

        Parameters
        ----------
        frame : Frame
            The message.
        dust : sequence of DustBox or DustTrail
            All dust of the weather.
        """
        trails = [each for each in dust if isinstance(each, DustTrail)]
        heard = self._heard
        if not trails or (heard and frame.time_ns < heard[-1].time_ns):
            heard.clear()
        self._named = {each.behind for each in trails if each.behind != "vehicles"}
        if not trails:
            return
        moving = moving_of(frame)
        self._met |= self._named.intersection(moving.object_id.tolist())
        if heard and heard[-1].time_ns == frame.time_ns:
            heard.pop()
        heard.append(_Traffic(frame.time_ns, moving, is_vehicle(frame)))
        while len(heard) > 2 and heard[1].time_ns < heard[-2].time_ns - LONGEST_GAP_NS:
            heard.pop(0)

    def boxes(self, dust: Sequence[DustBox | DustTrail], time_ns: int) -> Iterator[DustBox]:
        """Yield all boxes of dust at a time, in the order of `dust` and of the message's objects.

        A `DustBox` is yielded as it is. A `DustTrail` yields one box behind each object that it
        follows, if the object is faster than the trail's `above_km_h`. If `above_km_h` is 0, the
        object may also be at rest. Without any recorded message, a `DustTrail` yields no box.

        Parameters
        ----------
        dust : sequence of DustBox or DustTrail
            All dust.
        time_ns : int
            Time at which objects are looked up, interpolated between messages. A time after the
            last message counts as the time of the last message. Times more than 1 s before the
            second to last message must not be asked for. [ns]
        """
        for each in dust:
            if isinstance(each, DustBox):
                yield each
            elif self._heard:
                yield from self._behind(each, time_ns)

    def _behind(self, trail: DustTrail, time_ns: int) -> Iterator[DustBox]:
        """Yield the boxes of one trail: one for each object that it follows."""
        times = [each.time_ns for each in self._heard]
        number = min(bisect_left(times, time_ns), len(times) - 1)
        now, before = self._heard[number], self._heard[max(number - 1, 0)]
        chosen = now.is_vehicle
        if trail.behind != "vehicles":
            chosen = now.moving.object_id == np.uint64(trail.behind)
        for row in np.flatnonzero(chosen):
            passage = _passage(before, now, int(row))
            share = passage.share(np.array([min(time_ns, now.time_ns)]))
            speed_km_h = 3.6 * float(np.linalg.norm(passage.velocity_at(share)))
            if trail.above_km_h == 0.0 or speed_km_h > trail.above_km_h:
                yield _box(trail, passage, share)


def _passage(before: _Traffic, now: _Traffic, row: int) -> Passage:
    """Return an object's motion up to a message; at rest if the object is new or has jumped."""
    own, gap_ns = now.moving, now.time_ns - before.time_ns
    one, same = own, row
    found = np.flatnonzero(before.moving.object_id == own.object_id[row])
    if found.size and 0 < gap_ns <= LONGEST_GAP_NS:
        one, same = before.moving, int(found[0])
    moved_m_s = (own.position_m[row] - one.position_m[same]) / (max(gap_ns, 1) * 1e-9)
    if np.linalg.norm(moved_m_s) > FASTEST_M_S:
        one, same, moved_m_s = own, row, np.zeros(3)
    stated = np.stack([one.velocity_m_s[same], own.velocity_m_s[row]])
    return Passage(
        object_id=int(own.object_id[row]),
        time_ns=(now.time_ns - max(gap_ns, 1), now.time_ns),
        position_m=np.stack([one.position_m[same], own.position_m[row]]),
        yaw_rad=np.array([one.yaw_rad[same], own.yaw_rad[row]]),
        velocity_m_s=known_velocities(stated[None], moved_m_s[None])[0],
        dimension_m=own.dimension_m[row],
    )


def _box(trail: DustTrail, passage: Passage, share: NDArray[np.float64]) -> DustBox:
    """Return the box behind an object's rear face, from the object's underside upwards."""
    length_m, _, height_m = trail.size_m
    yaw_rad = float(passage.yaw_at(share)[0])
    x, y, z = passage.rear_at(share, np.zeros(1), np.full(1, 0.5 * height_m))[0].tolist()
    back_x, back_y = 0.5 * length_m * math.cos(yaw_rad), 0.5 * length_m * math.sin(yaw_rad)
    return DustBox(
        center_m=(x - back_x, y - back_y, z),
        size_m=trail.size_m,
        yaw_rad=yaw_rad,
        visibility_m=trail.visibility_m,
    )
