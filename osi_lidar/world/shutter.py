# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Poses of objects and sensor at any time of a scan.

A scan lasts as long as a sweep of its sensor, and messages give poses at a few instants only.
Between two messages, positions are interpolated linearly and rotations spherically (see
`raycore.scene.motion`). For a time before a body appeared, or jumped to where it is, nothing is
known: it rests in its first known pose until then.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from lidar_base.columns import rows_of
from lidar_scenery.articulation.odometer import NO_PARTS
from raycore.scene.motion import Trajectory, bodies_at

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from lidar_scenery.articulation.odometer import Mileage
    from osi_bridge import Frame
    from raycore.scene.jumps import JumpLimits

MOST_STEPS = 129
"""Embree's limit on time steps."""


class MessagePoses(NamedTuple):
    """A message with the poses of its objects and of its host, and the state of their moving parts.

    If no message had a host, mountings are poses in the world.

    Attributes
    ----------
    frame : Frame
        The message.
    world_from_object : float64 (n_object, 4, 4)
        Poses of its objects. [m]
    world_from_host : float64 (4, 4)
        Pose of the host's box, at its centre: from the message, or else from the last message that
        had a host; the identity if none had. [m]
    host_from_axle : float64 (4, 4)
        Pose of the host's rear axle in the frame of its box; from the same message. [m]
    parts : mapping of int to Mileage
        State of the moving parts, by OSI id of the object; empty if no object has any.
    """

    frame: Frame
    world_from_object: NDArray[np.float64]  # (n_object, 4, 4)
    world_from_host: NDArray[np.float64]  # (4, 4), of the centre of its box
    host_from_axle: NDArray[np.float64]  # (4, 4)
    parts: Mapping[int, Mileage] = NO_PARTS  # by OSI id


class Carrier(NamedTuple):
    """Motion of the body that carries the sensors, the host vehicle's box, during a scan."""

    trajectory: Trajectory
    """Trajectory of the centre of the host's box in the world; time runs from 0 to 1 over the scan.
    If the host rests, or the last message has no host, it has a single pose: the last known one."""
    body_from_vehicle: NDArray[np.float64]
    """Pose of the vehicle frame (origin at the rear axle) in the frame of the box, (4, 4). [m]"""
    jumped_row: int | None
    """Row of the host in the last message if it jumped during the scan; None if it did not."""


class _BodyPoses(NamedTuple):
    """Poses of bodies in all messages around a scan."""

    keys: NDArray[np.float64]  # (n, n_message, 4, 4), where unknown the next known one
    since: NDArray[np.intp]  # (n,), the first message from which on a body is known
    jumped: NDArray[np.bool_]  # (n,), whether it is known no longer because it jumped


@dataclass(frozen=True, kw_only=True, eq=False)
class Shutter:
    """The time interval of one scan and the messages around it.

    Attributes
    ----------
    begin_ns, end_ns : int
        Start and end of the scan; equal if nothing is known of the time before its end. [ns]
    messages : tuple of MessagePoses
        Messages from the last one at or before the start (or the first known one), to the first
        one at or after the end.
    limits : JumpLimits
        Limits above which a change of pose is a jump, not motion.
    """

    begin_ns: int
    end_ns: int
    messages: tuple[MessagePoses, ...]
    limits: JumpLimits

    @property
    def frame(self) -> Frame:
        """The last message."""
        return self.messages[-1].frame

    @property
    def duration_ns(self) -> int:
        """Duration of the scan, 0 if it is not known [ns]."""
        return self.end_ns - self.begin_ns

    @property
    def covered(self) -> bool:
        """Whether messages cover the whole scan: several, the first not later than its start."""
        return len(self.messages) > 1 and self.messages[0].frame.time_ns <= self.begin_ns

    def object_steps(
        self, *, blur: bool, n_interval: int = 1
    ) -> tuple[NDArray[np.float64], tuple[int, ...]]:
        """Return the poses of the last message's objects at evenly spaced times of the scan.

        Parameters
        ----------
        blur : bool
            Whether to return several poses, from the start of the scan to its end; else one, at the
            end. There is only one as well if there are no objects, or only one message.
        n_interval : int
            Least number of intervals between the poses. By default, there are as many as between
            the messages of a scan; this number is multiplied to reach ``n_interval``, as far as
            Embree's limit of 129 poses allows.

        Returns
        -------
        float64 (n_object, n_step, 4, 4)
            Poses world_from_object. [m]
        tuple of int
            Rows of the objects that jumped. Such an object has its pose after the jump until the
            first message after the jump, and moves from then on. Without ``blur``, this is empty
            if the scan ends at the time of the last message.
        """
        last = self.messages[-1].world_from_object
        if len(self.messages) == 1 or not len(last) or not (blur or self._between):
            return last[:, None], ()
        time_s, known = self.heard_s, self._object_poses
        moves = (known.keys != known.keys[:, -1:]).any(axis=(1, 2, 3))
        grid_s = instants_s(self, blur=blur, n_interval=n_interval)
        steps = np.repeat(last[:, None], len(grid_s), axis=1)
        moving = np.flatnonzero(moves)
        if len(grid_s) == len(time_s) and np.allclose(grid_s, time_s, rtol=0.0, atol=1e-9):
            steps[moving] = known.keys[moving]
        elif len(grid_s) > 1 or grid_s[0] != time_s[-1]:
            steps[moving] = bodies_at(time_s, known.keys[moving], grid_s)
        return steps, tuple(np.flatnonzero(known.jumped).tolist())

    def object_keys(
        self, *, blur: bool, n_interval: int = 1
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the poses between which the last message's objects move, and their times.

        Parameters
        ----------
        blur : bool
            Whether poses are at evenly spaced times of the scan, at least ``n_interval`` intervals.
            Otherwise they are at the times of the messages.
        n_interval : int
            Without ``blur``: number of parts into which each interval between messages is divided.

        Returns
        -------
        float64 (n_key,)
            Times of the poses since the start of the scan. [s]
        float64 (n_object, n_key, 4, 4)
            Poses world_from_object. [m]
        """
        if not blur and len(self.messages) > 1:
            heard_s, keys = self.heard_s, self._object_poses.keys
            if n_interval == 1:
                return heard_s, keys
            n = len(heard_s) - 1
            time_s = np.interp(
                np.arange(n * n_interval + 1) / n_interval, np.arange(n + 1), heard_s
            )
            return time_s, bodies_at(heard_s, keys, time_s)
        steps, _ = self.object_steps(blur=blur, n_interval=n_interval)
        return 1e-9 * np.linspace(0.0, self.duration_ns, steps.shape[1]), steps

    def carrier(self, *, moves: bool = True) -> Carrier:
        """Return the motion of the host during the scan.

        Parameters
        ----------
        moves : bool
            If False, the host rests in its pose in the last message, unless the scan ends before
            that message.
        """
        return self._moving_carrier if moves or self._between else _resting(self.messages[-1])

    @cached_property
    def _moving_carrier(self) -> Carrier:
        """The motion of the host between messages."""
        last, host = self.messages[-1], self.frame.host
        if host is None or len(self.messages) == 1:
            return _resting(last)
        rows = [_row_of_host(each, host.object_id) for each in self.messages]
        if min(rows) >= 0:
            known, row = self._object_poses, host.index
        else:
            poses = [
                each.world_from_host if row < 0 else each.world_from_object[row]
                for each, row in zip(self.messages, rows, strict=True)
            ]
            known, row = _body_poses(self, np.array(poses)[None], np.array(rows)[None]), 0
        since, jumped_row = int(known.since[row]), host.index if known.jumped[row] else None
        keys, time_s = last.world_from_host[None], np.ones(1)
        if (known.keys[row] != known.keys[row, -1]).any():
            keys = known.keys[row, since:]
            time_s = self.heard_s[since:] / (1e-9 * max(self.duration_ns, 1))
        trajectory = Trajectory(time=time_s, world_from_body=keys)
        return Carrier(trajectory, last.host_from_axle, jumped_row)

    @property
    def _between(self) -> bool:
        """Whether the sweep ends between two messages."""
        return self.end_ns != self.frame.time_ns

    @cached_property
    def heard_s(self) -> NDArray[np.float64]:
        """Times of the messages since the start of the scan, float64 (n_message,) [s]."""
        return 1e-9 * np.array([each.frame.time_ns - self.begin_ns for each in self.messages])

    @cached_property
    def _object_poses(self) -> _BodyPoses:
        """Poses of the last message's objects in all messages."""
        object_id = self.frame.objects.object_id
        n_object, n_message = len(object_id), len(self.messages)
        rows = np.empty((n_object, n_message), np.intp)
        keys = np.empty((n_object, n_message, 4, 4))
        for n, (frame, poses, *_) in enumerate(self.messages):
            if np.array_equal(frame.objects.object_id, object_id):
                rows[:, n], keys[:, n] = np.arange(n_object), poses
                continue
            rows[:, n] = rows_of(frame.objects.object_id, object_id)
            keys[:, n] = poses[rows[:, n]] if len(poses) else 0.0
        return _body_poses(self, keys, rows)


def _resting(last: MessagePoses) -> Carrier:
    """Return a carrier at rest, in the pose of the host in a message."""
    trajectory = Trajectory(time=np.ones(1), world_from_body=last.world_from_host[None])
    return Carrier(trajectory, last.host_from_axle, None)


def _body_poses(shutter: Shutter, keys: NDArray[np.float64], rows: NDArray[np.intp]) -> _BodyPoses:
    """Return the known poses of bodies, and whether they jumped.

    Parameters
    ----------
    keys : float64 (n, n_message, 4, 4)
        Pose of each body in each message; ignored if the message does not have the body. [m]
    rows : int (n, n_message)
        Row of each body in each message; negative if the message does not have the body.
    """

    def stated_m_s(n: int, step: int) -> float:
        row = rows[moving[n], step]
        return 0.0 if row < 0 else shutter.messages[step].frame.stated_speed_m_s(row)

    here, time_s = rows >= 0, shutter.heard_s
    both = here[:, :-1] & here[:, 1:]
    moving = np.flatnonzero((keys != keys[:, -1:]).any(axis=(1, 2, 3)))
    jumps = np.zeros_like(both)
    jumps[moving] = both[moving] & shutter.limits.jumps(keys[moving], time_s, stated_m_s)
    broken = ~both | jumps
    n_message = len(time_s)
    if not broken.any():
        return _BodyPoses(keys, np.zeros(len(keys), np.intp), np.zeros(len(keys), np.bool_))
    unbroken = np.cumprod(~broken[:, ::-1], axis=1, dtype=np.intp).sum(axis=1)
    since = n_message - 1 - unbroken
    cut = np.flatnonzero(since)
    if len(cut):
        step = np.maximum(np.arange(n_message), since[cut, None])
        keys[cut] = np.take_along_axis(keys[cut], step[:, :, None, None], axis=1)
    jumped = np.zeros(len(keys), np.bool_)
    jumped[cut] = jumps[cut, since[cut] - 1]
    return _BodyPoses(keys, since, jumped)


def instants_s(shutter: Shutter, *, blur: bool, n_interval: int = 1) -> NDArray[np.float64]:
    """Return the times of the poses of `Shutter.object_steps`, since the start of the scan.

    Parameters
    ----------
    shutter : Shutter
        Time interval of the scan, with its messages.
    blur : bool
        Whether there are several times, evenly spaced from the start of the scan to its end. Else,
        or if there is only one message, the only time is the end.
    n_interval : int
        Smallest number of intervals between the times, up to Embree's limit.

    Returns
    -------
    float64 (n_step,)
        The times. [s]
    """
    if len(shutter.messages) == 1 or not blur:
        return np.array([1e-9 * shutter.duration_ns])
    usual = _n_step(shutter) - 1
    finer = min(max(math.ceil(n_interval / usual), 1), (MOST_STEPS - 1) // usual)
    return 1e-9 * np.linspace(0.0, shutter.duration_ns, 1 + finer * usual)


def _n_step(shutter: Shutter) -> int:
    """Return the number of evenly spaced poses that matches the rate of the messages."""
    first, last = shutter.messages[0].frame.time_ns, shutter.messages[-1].frame.time_ns
    gap_ns = (last - first) / (len(shutter.messages) - 1)
    return 1 + min(max(round(shutter.duration_ns / gap_ns), 1), MOST_STEPS - 1)


def _row_of_host(message: MessagePoses, object_id: int) -> int:
    """Return the row of a host in a message; -1 if the message has another host or no host."""
    host = message.frame.host
    return -1 if host is None or host.object_id != object_id else host.index
