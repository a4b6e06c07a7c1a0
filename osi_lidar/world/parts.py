# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The moving parts of objects, such as wheels, at the instants of a scan."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from lidar_scenery.articulation.instances import Posed
from lidar_scenery.articulation.odometer import Ways
from lidar_scenery.articulation.together import poses_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from osi_lidar.world.object_records import Placed
    from osi_lidar.world.shutter import Shutter


class PartsInScan:
    """The parts of objects during a sweep; `shown` is that of `Travel`."""

    def __init__(self, shutter: Shutter, *, shown: bool) -> None:
        self._heard_s, self._shown = shutter.heard_s, shown
        self._ways = Ways([each.parts for each in shutter.seen], self._heard_s)

    @property
    def n_interval(self) -> int:
        """Into how many intervals they divide the sweep, at least."""
        going = self._ways.at(self._heard_s, shown=self._shown)
        return max((of.n_interval(travel) for of, _, travel in going), default=1)

    def posed(self, time_s: NDArray[np.float64]) -> dict[int, Posed]:
        """Return them at instants since the start of the sweep [s], by OSI id."""
        going = self._ways.at(time_s, shown=self._shown)
        poses = poses_of(going)
        return {i: Posed(assembly, poses[i]) for assembly, ids, _ in going for i in ids}


class BodyKeys(NamedTuple):
    """Poses between which bodies move: objects, then the parts of those that have some.

    Attributes
    ----------
    time_s : float64 (n_key,)
        Since the start of the sweep. [s]
    world_from_body : float64 (n_body, n_key, 4, 4)
        Their poses; the first bodies are the objects of the last message, in its order. [m]
    part_instance : int64 (n_part,)
        Instances of the last bodies, which are parts.
    """

    time_s: NDArray[np.float64]
    world_from_body: NDArray[np.float64]
    part_instance: NDArray[np.int64]


def body_keys(shutter: Shutter, placed: Mapping[int, Placed], *, blur: bool) -> BodyKeys:
    """Return the poses between which objects and their parts move during a sweep.

    Parameters
    ----------
    shutter : Shutter
        The sweep.
    placed : mapping of int to Placed
        The objects in the scene, by OSI id.
    blur : bool
        Whether objects move during the sweep.
    """
    parts = PartsInScan(shutter, shown=False)
    time_s, keys = shutter.object_keys(blur=blur, n_interval=parts.n_interval)
    posed = parts.posed(time_s)
    bodies = [keys]
    instances: list[int] = []
    for row, object_id in enumerate(shutter.frame.objects.object_id.tolist()):
        if object_id in posed and object_id in placed:
            poses = keys[row][:, None] @ posed[object_id].object_from_part
            bodies.append(np.swapaxes(poses, 0, 1))
            instances += placed[object_id].instances
    return BodyKeys(time_s, np.concatenate(bodies), np.array(instances, np.int64))
