# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The messages that scans may still need, and the time intervals of scans between them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from lidar_scenery.articulation.odometer import NO_PARTS
from osi_bridge import rotation_from_orientation
from osi_lidar.world.shutter import MessagePoses, Shutter

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lidar_scenery.articulation.odometer import Odometer
    from osi_bridge import Frame, ObjectStates
    from raycore.scene.jumps import JumpLimits

LONGEST_GAP_NS = 1_000_000_000
"""If two messages are further apart, all poses between them are taken as unknown. [ns]"""
SAME_TIME = 1e-3
"""A message this near to the begin of a scan, as a share of its duration, counts as its begin:
simulators round their times."""


@dataclass(slots=True)
class History:
    """The messages that scans may still need, in order.

    Attributes
    ----------
    limits : JumpLimits
        Largest motion between two messages; anything faster is a jump.
    odometer : Odometer or None
        Follows the moving parts of objects; None if parts do not move.
    problem : str
        Why the last message does not continue the previous one; empty if it does, or is the first.
    """

    limits: JumpLimits
    odometer: Odometer | None = None
    problem: str = ""
    _messages: list[MessagePoses] = field(default_factory=list)
    _world_from_host: NDArray[np.float64] = field(default_factory=lambda: np.eye(4))
    _host_from_axle: NDArray[np.float64] = field(default_factory=lambda: np.eye(4))

    def add(self, frame: Frame) -> bool:
        """Add the next message; return whether it continues the previous one; False for the first.

        ``frame`` is the message. A message that is earlier, or later by more than
        ``LONGEST_GAP_NS``, does not continue the previous one: all earlier messages are dropped,
        except for the last known pose of the host, and ``problem`` says why. A message with the
        same time replaces the previous one (see `osi_bridge.order`).
        """
        self.problem = ""
        goes_on = bool(self._messages)
        if goes_on:
            step_ns = frame.time_ns - self._messages[-1].frame.time_ns
            self.problem = _problem_of(step_ns)
            goes_on = not self.problem
            if step_ns == 0:
                del self._messages[-1]
        if not goes_on:
            self._messages.clear()
        poses = object_poses(frame.objects)
        if frame.host is not None:
            self._world_from_host = poses[frame.host.index]
            self._host_from_axle = np.eye(4)
            self._host_from_axle[:3, 3] = frame.host.rear_axle_from_center_m
        parts = NO_PARTS if self.odometer is None else self.odometer.hear(frame, poses)
        self._messages.append(
            MessagePoses(frame, poses, self._world_from_host, self._host_from_axle, parts)
        )
        return goes_on

    @property
    def is_empty(self) -> bool:
        """Whether no message has been added yet."""
        return not self._messages

    @property
    def frame(self) -> Frame:
        """The last message."""
        return self._messages[-1].frame

    def until_now(self, duration_ns: int | None) -> Shutter:
        """Return the interval of a scan that ends at the time of the last message.

        It lasts ``duration_ns`` [ns]; None: since the previous message. If there is only one
        message, nothing is known of the time before, and the interval is an instant.
        """
        now_ns = self.frame.time_ns
        if len(self._messages) == 1:
            return self._shutter(0, now_ns, now_ns)
        times_ns = self._times_ns()
        if duration_ns is None:
            return self._shutter(len(times_ns) - 2, times_ns[-2], now_ns)
        begin_ns = now_ns - duration_ns
        nearest = min(range(len(times_ns)), key=lambda n: abs(times_ns[n] - begin_ns))
        if abs(times_ns[nearest] - begin_ns) <= SAME_TIME * duration_ns:
            return self._shutter(nearest, times_ns[nearest], now_ns)
        return self._shutter(self._last_until(begin_ns), begin_ns, now_ns)

    def between(self, begin_ns: int, end_ns: int) -> Shutter:
        """Return the interval of a scan from ``begin_ns`` to ``end_ns`` [ns], with its messages.

        It must not end after the last message.
        """
        after = next(n for n, time in enumerate(self._times_ns()) if time >= end_ns)
        return self._shutter(self._last_until(begin_ns), begin_ns, end_ns, after)

    def forget(self, before_ns: int) -> None:
        """Drop messages that are not needed for scans beginning at ``before_ns`` [ns] or later.

        The last two messages always stay.
        """
        while len(self._messages) > 2 and self._messages[1].frame.time_ns <= before_ns:
            del self._messages[0]

    def _times_ns(self) -> list[int]:
        return [each.frame.time_ns for each in self._messages]

    def _last_until(self, time_ns: int) -> int:
        """Return the index of the last message at or before a time [ns]; 0 if there is none."""
        return max((n for n, each in enumerate(self._times_ns()) if each <= time_ns), default=0)

    def _shutter(self, first: int, begin_ns: int, end_ns: int, last: int | None = None) -> Shutter:
        messages = self._messages[first:] if last is None else self._messages[first : last + 1]
        return Shutter(
            begin_ns=begin_ns, end_ns=end_ns, messages=tuple(messages), limits=self.limits
        )


def object_poses(objects: ObjectStates) -> NDArray[np.float64]:
    """Return the poses of all ``objects`` of a message, float64 (n_object, 4, 4) [m].

    A pose is world_from_object, at the centre of the object's box. Rows are in the order of
    objects.
    """
    poses = np.tile(np.eye(4), (len(objects), 1, 1))
    poses[:, :3, :3] = rotation_from_orientation(objects.orientation_rad)
    poses[:, :3, 3] = objects.position_m
    return poses


def _problem_of(step_ns: int) -> str:
    """Return why a message does not continue the previous one, from the time between them [ns]."""
    if step_ns < 0:
        return "it begins a new run, at an earlier time"
    if step_ns > LONGEST_GAP_NS:
        return f"it comes more than {1e-9 * LONGEST_GAP_NS:g} s after the previous message"
    return ""
