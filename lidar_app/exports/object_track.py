# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Poses of objects at the times between messages."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from lidar_base.columns import rows_of
from osi_lidar.world.history import object_poses
from raycore.scene.motion import bodies_at

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from osi_bridge import Frame, ObjectStates


class HeardObjects(NamedTuple):
    """The objects in an OSI message, and its time.

    Attributes
    ----------
    time_ns : int
        Time of the message. [ns]
    objects : ObjectStates
        The objects, with their poses at this time.
    """

    time_ns: int
    objects: ObjectStates

    @classmethod
    def of(cls, frame: Frame) -> HeardObjects:
        """Return the time and the objects of a decoded message, `frame`."""
        return cls(frame.time_ns, frame.objects)


class ObjectTrack:
    """The objects of all messages of a run; poses between two messages are interpolated.

    An object that is not in the earlier message is taken to be at rest before. A jump is
    interpolated, too.

    Parameters
    ----------
    moments : mapping of int to HeardObjects
        The messages by frame number, in the order of time.

    Attributes
    ----------
    moments : mapping of int to HeardObjects
        The messages.
    before, after : dict of int to int
        Frame number of the previous and next message, by frame number.
    """

    def __init__(self, moments: Mapping[int, HeardObjects]) -> None:
        self.moments = moments
        order = sorted(moments)
        self.before = dict(zip(order[1:], order, strict=False))
        self.after = dict(itertools.pairwise(order))

    def poses(self, frame: int, time_ns: int) -> NDArray[np.float64]:
        """Return the poses of a message's objects at a time.

        Parameters
        ----------
        frame : int
            Frame number of the message.
        time_ns : int
            The time, at most the time of the message; a later time gives the poses in the message.
            [ns]

        Returns
        -------
        float64 (n, 4, 4)
            world_from_object of each object, in the order of the message. [m]
        """
        later = self.moments[frame]
        ids = later.objects.object_id
        poses, here = object_poses(later.objects), np.arange(len(ids))
        while later.time_ns > time_ns and frame in self.before and len(here):
            frame = self.before[frame]
            earlier = self.moments[frame]
            place = rows_of(earlier.objects.object_id, ids[here])
            here = here[place >= 0]
            keys = np.stack([object_poses(earlier.objects)[place[place >= 0]], poses[here]], axis=1)
            times = np.array([0.0, later.time_ns - earlier.time_ns])
            at = np.array([max(time_ns - earlier.time_ns, 0.0)])
            poses[here] = bodies_at(times, keys, at)[:, 0]
            later = earlier
        return poses
