# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Poses of objects and sensor at any time between the last messages.

A scan lasts as long as a sweep of its sensor, and messages give poses at a few instants only.
Between two messages, positions are interpolated linearly and rotations spherically (see
`raycore.scene.motion`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from osi_bridge import rotation_from_orientation
from osi_lidar.world.object_changes import rows_of
from raycore.scene.motion import Trajectory, bodies_at

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from osi_bridge import Frame, ObjectStates

FASTEST_M_S = 150.0
"""An object faster than this is taken to have been teleported, and gets no motion blur. [m/s]"""
FASTEST_TURN_RAD_S = 4.0 * math.pi
"""An object that turns faster than this is taken to have been teleported, too. [rad/s]"""
LARGEST_TURN_RAD = math.pi - 1e-3
"""Rotations above this are ambiguous: the direction of turning cannot be known. [rad]"""
LONGEST_GAP_NS = 1_000_000_000
"""Poses between two messages that are further apart than this are taken as unknown. [ns]"""
MOST_STEPS = 129
"""Embree's limit on time steps."""


class Seen(NamedTuple):
    """A message and the poses of its objects.

    The host's pose is that of the message, or else of the last message that had a host; if there
    was none, mountings are poses in the world.
    """

    frame: Frame
    world_from_object: NDArray[np.float64]  # (n_object, 4, 4)
    world_from_host: NDArray[np.float64]  # (4, 4), of the centre of its box
    host_from_axle: NDArray[np.float64]  # (4, 4)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Shutter:
    """The time interval of one scan and the messages around it.

    Attributes
    ----------
    begin_ns, end_ns : int
        Start and end of the sweep; equal if nothing is known of the time before. [ns]
    seen : tuple of Seen
        From the last message at or before the start to the first one at or after the end.
    """

    begin_ns: int
    end_ns: int
    seen: tuple[Seen, ...]

    @property
    def frame(self) -> Frame:
        """The last message."""
        return self.seen[-1].frame

    @property
    def duration_ns(self) -> int:
        """Duration of the sweep, 0 if it is not known [ns]."""
        return self.end_ns - self.begin_ns

    @property
    def instant(self) -> bool:
        """Whether the scan uses the poses of a single message."""
        return len(self.seen) == 1

    def object_steps(self, *, blur: bool) -> tuple[NDArray[np.float64], tuple[int, ...]]:
        """Return the poses of the last message's objects during the sweep.

        An object that appears or disappears within the sweep is taken from the last message alone.

        Parameters
        ----------
        blur : bool
            Whether to return evenly spaced poses from start to end; else only those at the end.

        Returns
        -------
        float64 (n_object, n_step, 4, 4)
            World from object. [m]
        tuple of int
            Rows of teleported objects (see `put_elsewhere`), which are treated as at rest.
        """
        last = self.seen[-1].world_from_object
        if self.instant or not len(last) or not (blur or self._between):
            return last[:, None], ()
        keys, known = self._keys(last)
        moves = known & (keys != keys[:, -1:]).any(axis=(1, 2, 3))
        time_s = 1e-9 * np.array([each.frame.time_ns - self.begin_ns for each in self.seen])
        fast = moves & put_elsewhere(keys, time_s)
        grid_s = 1e-9 * np.linspace(0.0, self.duration_ns, self._n_step())
        if not blur:
            grid_s = grid_s[-1:]
        steps = np.repeat(last[:, None], len(grid_s), axis=1)
        moving = np.flatnonzero(moves & ~fast)
        if len(grid_s) == len(time_s) and np.allclose(grid_s, time_s, rtol=0.0, atol=1e-9):
            steps[moving] = keys[moving]
        elif len(grid_s) > 1 or grid_s[0] != time_s[-1]:
            steps[moving] = bodies_at(time_s, keys[moving], grid_s)
        return steps, tuple(np.flatnonzero(fast).tolist())

    @property
    def _between(self) -> bool:
        """Whether the sweep ends between two messages."""
        return self.end_ns != self.frame.time_ns

    def vehicle(self, *, moves: bool = True) -> tuple[Trajectory, NDArray[np.float64]]:
        """Return the host's trajectory over the sweep, from time 0 to 1, and its rear axle.

        Parameters
        ----------
        moves : bool
            Whether the poses before the end of the sweep are needed.

        Returns
        -------
        Trajectory
            Of the centre of the host's box. It has a single pose if the host rests, or if the last
            message has no host, which then keeps its last pose.
        float64 (4, 4)
            The host vehicle frame, with its origin at the rear axle, in the frame of the box. [m]
        """
        last = self.seen[-1]
        host = last.frame.host
        keys, time_s = last.world_from_host[None], np.ones(1)
        if host is not None and (moves or self._between):
            all_keys = np.array([_pose_of(each, host.object_id) for each in self.seen])
            times_s = 1e-9 * np.array([each.frame.time_ns - self.begin_ns for each in self.seen])
            rests = np.isnan(all_keys).any() or (all_keys == all_keys[-1]).all()
            if not (rests or put_elsewhere(all_keys[None], times_s).any()):
                keys, time_s = all_keys, times_s / (1e-9 * max(self.duration_ns, 1))
        return Trajectory(time=time_s, world_from_body=keys), last.host_from_axle

    def _n_step(self) -> int:
        """Return the number of evenly spaced poses that matches the rate of the messages."""
        first, last = self.seen[0].frame.time_ns, self.seen[-1].frame.time_ns
        gap_ns = (last - first) / (len(self.seen) - 1)
        return 1 + min(max(round(self.duration_ns / gap_ns), 1), MOST_STEPS - 1)

    def _keys(self, last: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """Return the last message's objects in all messages, and which of them are in every one."""
        objects = self.frame.objects
        keys = np.repeat(last[:, None], len(self.seen), axis=1)
        known = np.ones(len(last), bool)
        for n, seen in enumerate(self.seen[:-1]):
            frame, poses = seen.frame, seen.world_from_object
            if np.array_equal(frame.objects.object_id, objects.object_id):
                keys[:, n] = poses
                continue
            row = rows_of(frame.objects.object_id, objects.object_id)
            here = row >= 0
            keys[here, n] = poses[row[here]]
            known &= here
        return keys, known


@dataclass(slots=True)
class History:
    """The messages that scans may still need, in order.

    Attributes
    ----------
    problem : str
        Why the last message does not continue the one before; empty if it does, or is the first.
    """

    problem: str = ""
    _seen: list[Seen] = field(default_factory=list)
    _world_from_host: NDArray[np.float64] = field(default_factory=lambda: np.eye(4))
    _host_from_axle: NDArray[np.float64] = field(default_factory=lambda: np.eye(4))

    def add(self, frame: Frame) -> bool:
        """Add the next message and return whether it continues the previous one.

        It does not if its time is not later, or is later by more than ``LONGEST_GAP_NS``. Then all
        earlier messages are dropped; only the pose of the host is kept.
        """
        self.problem = ""
        goes_on = bool(self._seen)
        if goes_on:
            self.problem = _problem_of(frame.time_ns - self._seen[-1].frame.time_ns)
            goes_on = not self.problem
        if not goes_on:
            self._seen.clear()
        poses = object_poses(frame.objects)
        if frame.host is not None:
            self._world_from_host = poses[frame.host.index]
            self._host_from_axle = np.eye(4)
            self._host_from_axle[:3, 3] = frame.host.rear_axle_from_center_m
        self._seen.append(Seen(frame, poses, self._world_from_host, self._host_from_axle))
        return goes_on

    def last(self) -> Shutter:
        """Return the interval between the last two messages."""
        seen = tuple(self._seen[-2:])
        return Shutter(begin_ns=seen[0].frame.time_ns, end_ns=seen[-1].frame.time_ns, seen=seen)

    def between(self, begin_ns: int, end_ns: int) -> Shutter:
        """Return an interval that the stored messages cover [ns]."""
        times_ns = [each.frame.time_ns for each in self._seen]
        first = max((n for n, time in enumerate(times_ns) if time <= begin_ns), default=0)
        after = next(n for n, time in enumerate(times_ns) if time >= end_ns)
        seen = tuple(self._seen[first : after + 1])
        return Shutter(begin_ns=begin_ns, end_ns=end_ns, seen=seen)

    def forget(self, before_ns: int) -> None:
        """Drop messages that no scan from ``before_ns`` on needs; the last two always stay."""
        while len(self._seen) > 2 and self._seen[1].frame.time_ns <= before_ns:
            del self._seen[0]


def object_poses(objects: ObjectStates) -> NDArray[np.float64]:
    """Return world_from_object of all objects, float64 (n_object, 4, 4), in metres."""
    poses = np.tile(np.eye(4), (len(objects), 1, 1))
    poses[:, :3, :3] = rotation_from_orientation(objects.orientation_rad)
    poses[:, :3, 3] = objects.position_m
    return poses


def _pose_of(seen: Seen, object_id: int) -> NDArray[np.float64]:
    """Return the pose of a host in a message, NaN if the message has another host or none."""
    host = seen.frame.host
    if host is None or host.object_id != object_id:
        return np.full((4, 4), np.nan)
    pose: NDArray[np.float64] = seen.world_from_object[host.index]
    return pose


def put_elsewhere(keys: NDArray[np.float64], time_s: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return which bodies are teleported between their poses, bool (n,).

    A body counts as teleported if it moves faster than ``FASTEST_M_S``, turns faster than
    ``FASTEST_TURN_RAD_S``, or turns by more than ``LARGEST_TURN_RAD``.

    Parameters
    ----------
    keys : float64 (n, n_time, 4, 4)
        Poses. [m]
    time_s : float64 (n_time,)
        Increasing. [s]
    """
    between_s = np.diff(time_s)
    way_m = np.linalg.norm(np.diff(keys[:, :, :3, 3], axis=1), axis=2)
    # the trace of R1 R0' is 1 + 2 cos(angle)
    traces = np.einsum("nkij,nkij->nk", keys[:, 1:, :3, :3], keys[:, :-1, :3, :3])
    turn_rad = np.arccos(np.clip(0.5 * (traces - 1.0), -1.0, 1.0))
    most_rad = np.minimum(FASTEST_TURN_RAD_S * between_s, LARGEST_TURN_RAD)
    too_far = (way_m > FASTEST_M_S * between_s) | (turn_rad > most_rad + 1e-6)
    return np.asarray(too_far.any(axis=1), np.bool_)


def _problem_of(step_ns: int) -> str:
    """Return why a message does not continue the previous one, from the time between them [ns]."""
    if step_ns <= 0:
        return "its time is not after that of the previous message"
    if step_ns > LONGEST_GAP_NS:
        return f"it comes more than {1e-9 * LONGEST_GAP_NS:g} s after the previous message"
    return ""
