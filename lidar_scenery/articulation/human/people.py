# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""People who stand, walk and run by the distance that they travel."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from lidar_scenery.articulation.human import person_parts
from lidar_scenery.articulation.human.feet import room_for_feet, shifts
from lidar_scenery.articulation.human.gait import cycles_per_m, stride_of
from lidar_scenery.articulation.human.limbs import Array, phase_of
from lidar_scenery.articulation.human.postures import (
    ArmsOfPerson,
    Posture,
    Steps,
    arms_in,
    posture_at,
)
from lidar_scenery.articulation.records import Travel
from lidar_scenery.shapes.people import proportions

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from lidar_scenery.articulation.records import Heard
    from lidar_scenery.shapes.builder import Size
    from raycore.mesh.mesh import Mesh

STEP_CYCLES, MOST_INTERVALS = 0.025, 8
"""Largest share of a gait cycle in one interval of a scan, and largest number of intervals. A
swinging foot then leaves its path by at most 7 mm."""
_SETTLES_S = 0.25  # time constant with which strides follow a change of the speed
_UPRIGHT = 0.9  # largest length or width of a standing person's box, over its height


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class WalkingPerson:
    """A person who walks and runs, scaled to fit a box; implements `Assembly`.

    Attributes
    ----------
    parts : tuple of Mesh
        The body, then in pairs (left, right): upper arms, forearms with hands, thighs, shins, feet.
    scale : float64 (3,)
        Factors along x, y and z from a person of 1.75 m to this person.
    height_m : float
        Height of the box; the origin of the person's frame is the centre of the box. [m]
    room_m : float
        Distance that the body may travel while one foot stands, so that the foot does not leave
        the box; scaled to a person of 1.75 m. [m]
    arms : ArmsOfPerson
        How far the arms are from the body, and how freely they swing.

    Notes
    -----
    The state has four numbers: gait cycles made, smoothed speed [m/s], and how much farther behind
    than usual the left and the right foot are [m]. Speed and lengths are scaled to 1.75 m height.
    """

    parts: tuple[Mesh, ...]
    scale: Array
    height_m: float
    room_m: float
    arms: ArmsOfPerson

    @property
    def standing(self) -> Array:
        """State of a person who has never moved, (4,): the feet are side by side; see the class."""
        return np.array([0.25, 0.0, 0.0, 0.0])

    def advance(self, before: Array | None, heard: Heard) -> Array:
        """Return the person's state at a message, (4,); for the four numbers, see the class.

        `before` is the state at the previous message. If the person had no state yet, it is None,
        and the object's id determines the phase at which the gait starts. `heard` tells how far and
        how fast the person has moved since the previous message.
        """
        if before is None:
            object_id = int(heard.frame.objects.object_id[heard.row])
            speed = abs(heard.speed_m_s) / np.sqrt(self.scale[2])
            way = heard.way_m / self.scale[2]
            cycles = phase_of(object_id) + way * float(cycles_per_m(speed, self.room_m))
            return np.array([cycles, speed, 0.0, 0.0])
        state: Array = self.advance_together(before[None], [heard])[0]
        return state

    def advance_together(self, before: Array, heard: Sequence[Heard]) -> Array:
        """Return the states of n people at a message, (n, 4); for the four numbers, see the class.

        `before` has their states at the previous message, and `heard` tells how each person has
        moved since then. The gait cycles made in between are the distance over the mean of the
        stride lengths at both messages, so they hardly depend on the message rate.
        """
        way, speed, duration = np.array(
            [(each.way_m, abs(each.speed_m_s), each.duration_s) for each in heard]
        ).T
        way, speed = way / self.scale[2], speed / np.sqrt(self.scale[2])
        speed += (before[:, 1] - speed) * np.exp(-duration / _SETTLES_S)
        if not way.any() and (speed == before[:, 1]).all():
            return before
        stride = stride_of(np.concatenate([before[:, 1], speed]), self.room_m)
        cycles = before[:, 0] + way / stride.length_m.reshape(2, -1).mean(axis=0)
        shift = shifts(np.concatenate([before[:, 0], cycles]), stride, before[:, 2:], way)
        return np.concatenate([cycles[:, None], speed[:, None], shift], axis=1)

    def kin(self) -> Hashable:
        """Return the key by which people are grouped for one call of `advance_together` or `poses`.

        The key is this assembly. So only people who share it, who are of equal size, are computed
        together.
        """
        return self

    def together(self, others: Sequence[WalkingPerson]) -> WalkingPerson:
        """Return the object that computes the states and poses of a group of people: this assembly.

        `others` are the assemblies of the people in the group. They are all this same assembly, see
        `kin`, so they need no object of their own.
        """
        del others
        return self

    def n_interval(self, travel: Travel) -> int:
        """Return the number of equal intervals to divide a scan into, 1 to 8.

        Within an interval, parts move at constant velocity. If `travel` describes several people,
        the person who makes most gait cycles determines the number.
        """
        return intervals(travel.by_object(travel.state[:, 0]))

    def poses(self, travel: Travel) -> Array:
        """Return the poses object_from_part of the 11 `parts`, float64 (n, 11, 4, 4) [m].

        `travel` has the state and the curvature of the path at n instants. The frame of the object
        has its origin in the centre of the box, x forward and z up.
        """
        return person_parts.poses(self.joints(travel.state, travel.curvature_per_m))

    def joints(self, state: Array, curvature_per_m: Array) -> Posture:
        """Return the joints of the person in the frame of the object at n instants [m].

        `state` (n, 4) has the person's states, see the class. `curvature_per_m` (n,) is the
        curvature of the path, positive to the left.
        """
        return self.ends(self.posture(state, curvature_per_m))

    def posture(self, state: Array, curvature_per_m: Array) -> Posture:
        """Return the joints at n instants as for a person of 1.75 m; z counts from the ground.

        Parameters
        ----------
        state : float64 (n, 4)
            States of the person, see the class.
        curvature_per_m : float64 (n,)
            Curvature of the real path, positive to the left. [1/m]
        """
        phase, speed, shift = state[:, 0], state[:, 1], state[:, 2:4]
        steps = Steps(phase, curvature_per_m * self.scale[2], shift)
        return posture_at(stride_of(speed, self.room_m), steps, self.arms)

    def ends(self, posture: Posture) -> Posture:
        """Return a posture of a person of 1.75 m, scaled to this person, in the object's frame.

        ``posture`` (`Posture`) has the joints as `posture` returns them; it is not changed.
        """
        low = np.array([0.0, 0.0, 0.5 * self.height_m])
        return posture.moved(lambda joints: joints * self.scale - low)


def intervals(cycles: Array) -> int:
    """Return the number of intervals to divide a scan into, 1 to `MOST_INTERVALS`.

    `cycles` has the gait cycles that each object has made by each message around the scan, float64
    (n_object, n_message). The object that makes most cycles during them determines the number.
    """
    made = float(np.ptp(cycles, axis=1).max())
    return min(max(math.ceil(made / STEP_CYCLES), 1), MOST_INTERVALS)


def walking_person(size: Size) -> WalkingPerson | None:
    """Return a person with moving parts, made to fit a box.

    ``size`` is the length, width and height of the box [m]. Return None if the box is too long or
    too wide for a standing person: if either is above 0.9 times the height. The person is as high
    and as wide as the box. Steps are shortened, up to 3.5 steps per second, so that the feet of a
    person of 1.75 m reach at most 5 cm beyond the ends of a box of at least 0.3 m. Hands and knees
    of runners reach farther.
    """
    length, width, height = size
    if max(length, width) > _UPRIGHT * height:
        return None
    spread, head = proportions(size)
    models = person_parts.models(head)
    natural = WalkingPerson(
        parts=person_parts.meshes(models, np.ones(3)),
        scale=np.ones(3),
        height_m=0.0,
        room_m=0.1,
        arms=ArmsOfPerson(spread, 0.0),
    )
    low, high = standing_bounds(natural)
    up = height / (high[2] - low[2])
    scale = np.array([up, width / (high[1] - low[1]), up])
    return replace(
        natural,
        parts=person_parts.meshes(models, scale),
        scale=scale,
        height_m=height,
        room_m=room_for_feet(length / up),
        arms=arms_in(length / up, spread),
    )


def standing_bounds(person: WalkingPerson) -> Array:
    """Return the bounds of a standing person in the object's frame, float64 (2, 3) [m].

    ``person`` is the person. The rows are the lowest and the highest x, y, z of all its parts.
    """
    still = np.zeros(1)
    poses = person.poses(Travel(0, still, still, still, person.standing[None]))[0]
    corners = np.concatenate(
        [
            part.vertices_m @ pose[:3, :3].T + pose[:3, 3]
            for part, pose in zip(person.parts, poses, strict=True)
        ]
    )
    return np.stack([corners.min(axis=0), corners.max(axis=0)])
