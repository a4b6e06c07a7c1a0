# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""People posed by the bones of a message; without bones they walk by the distance travelled."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from lidar_scenery.articulation.human import person_parts
from lidar_scenery.articulation.human.limbs import (
    FORWARD,
    Array,
    bone_poses,
    cross,
    direction,
    rigid,
    square_to,
    turn_about_y,
    unit,
)
from lidar_scenery.articulation.human.people import MOST_INTERVALS, walking_person
from lidar_scenery.articulation.human.skeletons import N_JOINT, axes_of, joints_in, joints_of
from lidar_scenery.shapes.people import proportions
from osi_bridge.description.bones import BONES, Bones, bones_of

if TYPE_CHECKING:
    from lidar_scenery.articulation.human.people import WalkingPerson
    from lidar_scenery.articulation.human.skinned import SkinnedPerson
    from lidar_scenery.articulation.records import Heard, Travel
    from lidar_scenery.shapes.builder import Size
    from raycore.mesh.mesh import Mesh

STEP_M = 0.1
"""Largest motion of a joint in one interval of a scan. [m]"""
_LIMBS = ("UPPER_ARM", "LOWER_ARM", "UPPER_LEG", "LOWER_LEG", "FULL_FOOT")
_ENDS = ((1, 3), (3, 5), (7, 9), (9, 11))  # rows of the left joints at the ends of limbs
_N_AXIS = 4
_USUAL_TOES = np.tile(person_parts.ALONG_FOOT, (2, 1))
_LOST = 1e-3  # a limb that is missing is this much of its size


class LimbBuild(NamedTuple):
    """Lengths of a person's limbs, and which limbs are missing.

    Attributes
    ----------
    lengths_m : tuple of float
        Lengths of upper arms, forearms, thighs and shins, left before right: 8 numbers, rounded
        to 1 cm; 0 means the usual length. [m]
    missing : tuple of bool
        Whether the person lacks upper arms, forearms, thighs, shins and feet, left before right:
        10 values.
    """

    lengths_m: tuple[float, ...]
    missing: tuple[bool, ...]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PosedPerson:
    """A person posed by the bones that messages state; implements `Assembly`.

    Attributes
    ----------
    parts : tuple of Mesh
        Parts of a `WalkingPerson`, with limbs of the stated lengths, or of a `SkinnedPerson`.
    walks : WalkingPerson or SkinnedPerson
        Determines the person's motion while messages state no bones.
    toes_m : float64 (2, 3)
        Where the left and the right toes begin, relative to the ankles, in the frames of the feet.
        [m] Without toes as parts, unit vectors along the bones of the feet.

    Notes
    -----
    The state is the state of `walks`; then a weight, 1 if the message states bones, else 0; then
    the results of `joints_of` and `axes_of`, or zeros without bones. Interpolated joints are
    divided by the interpolated weight. So between a message with bones and a message without, the
    person keeps the stated bones.
    """

    parts: tuple[Mesh, ...]
    walks: WalkingPerson | SkinnedPerson
    toes_m: Array

    @property
    def standing(self) -> Array:
        """State of a person who has never moved and has no stated bones, float64 (n_state,)."""
        return np.concatenate([self.walks.standing, np.zeros(1 + 3 * (N_JOINT + _N_AXIS))])

    def advance(self, before: Array | None, heard: Heard) -> Array:
        """Return the state at a message, float64 (n_state,); the class describes its numbers.

        `before` is the state at the previous message; None if the person had no state yet. `heard`
        has the message, which may state bones, and the motion since the previous message.
        """
        n_gait = None if before is None else len(before) - 1 - 3 * (N_JOINT + _N_AXIS)
        gait = self.walks.advance(None if before is None else before[:n_gait], heard)
        bones = bones_of(heard.frame, heard.row)
        if bones is None:
            return np.concatenate([gait, np.zeros(1 + 3 * (N_JOINT + _N_AXIS))])
        still = np.array([heard.curvature_per_m])
        usual_joints, usual_axes = self._usual(gait[None], still)
        joints = joints_of(bones, usual_joints[0])
        axes = axes_of(bones, joints, usual_axes[0])
        return np.concatenate([gait, [1.0], joints.ravel(), axes.ravel()])

    def n_interval(self, travel: Travel) -> int:
        """Return the number of equal intervals to divide a scan into, at least 1.

        In an interval, parts move at constant velocity. Joints move in it by about `STEP_M` at most
        along each axis; if they move so far that 8 intervals are too few, there are 8. If a message
        around the scan states no bones, the number is as for a walking person. If `travel`
        describes several people, the person who needs most intervals determines it.
        """
        return max(map(self._n_interval, travel.each()))

    def _n_interval(self, travel: Travel) -> int:
        weight, joints = self._stated(travel.state)
        if not (weight > 0.0).all():
            return self.walks.n_interval(travel)
        moved = np.ptp(joints[:, :N_JOINT], axis=0).max(initial=0.0)
        return int(np.clip(np.ceil(moved / STEP_M), 1, MOST_INTERVALS))

    def poses(self, travel: Travel) -> Array:
        """Return the poses object_from_part of the parts, float64 (n, n_part, 4, 4) [m].

        `travel` has the state and the curvature of the path at n instants. The frame of the object
        has its origin in the centre of the box. The joints are the stated ones, or, without bones,
        the joints of a walking person.
        """
        weight, stated = self._stated(travel.state)
        usual = np.concatenate(self._usual(travel.state, travel.curvature_per_m), axis=1)
        places = np.where((weight > 0.0)[:, None, None], stated, usual)
        joints, (up, left, *ahead) = places[:, :N_JOINT], places[:, N_JOINT:].swapaxes(0, 1)
        front = cross(left, up)
        pairs = joints[:, 1:].reshape(len(joints), 6, 2, 3)
        shoulders, elbows, wrists, thighs, knees, ankles = pairs.swapaxes(0, 1)
        body = bone_poses(joints[:, 0], joints[:, 0] - up, front)[:, None]
        feet = rigid(self._turned_feet(np.stack(ahead, axis=1), knees - ankles), ankles)
        toes = rigid(
            feet[..., :3, :3], ankles + (feet[..., :3, :3] @ self.toes_m[..., None])[..., 0]
        )
        arm_front, front = (
            np.repeat(each[:, None], 4, axis=1) for each in (front + 0.3 * up, front)
        )
        limbs = bone_poses(
            np.concatenate([shoulders, elbows, thighs, knees], axis=1),
            np.concatenate([elbows, wrists, knees, ankles], axis=1),
            np.concatenate([arm_front, front], axis=1),
        )
        return np.concatenate([body, limbs, feet, toes], axis=1)[:, : len(self.parts)]

    def _usual(self, state: Array, curvature_per_m: Array) -> tuple[Array, Array]:
        """Return joints (n, 13, 3) and directions (n, 4, 3) of `walks`, for bones not stated."""
        posture = self.walks.joints(state, curvature_per_m)
        body_and_feet = person_parts.poses(posture)
        ahead = (body_and_feet[:, -2:, :3, :3] @ unit(self.toes_m)[..., None])[..., 0]
        axes = np.concatenate(
            [body_and_feet[:, 0, None, :3, 2], body_and_feet[:, 0, None, :3, 1], ahead], axis=1
        )
        return joints_in(posture), axes

    def _turned_feet(self, ahead: Array, up: Array) -> Array:
        """Return the rotations (n, 2, 3, 3) of feet: bones point `ahead`, shins give `up`."""
        ends = direction(ahead, FORWARD)
        left = -square_to(ends, up)
        along_bone = np.stack([ends, left, cross(ends, left)], axis=-1)
        bone_from_foot = turn_about_y(np.arctan2(self.toes_m[:, 2], self.toes_m[:, 0]))
        return np.asarray(along_bone @ bone_from_foot)

    def _stated(self, state: Array) -> tuple[Array, Array]:
        """Return the weights (n,) of states, and their stated joints and directions (n, 17, 3)."""
        n = N_JOINT + _N_AXIS
        weight, stated = state[:, -3 * n - 1], state[:, -3 * n :].reshape(-1, n, 3)
        return weight, stated / np.where(weight > 0.0, weight, 1.0)[:, None, None]


def limbs_of(bones: Bones) -> LimbBuild:
    """Return the limb lengths and missing limbs of a person from the bones of a message.

    A length that the bones do not determine, or that is not between 1 cm and 2 m, becomes 0, which
    means the usual length.
    """
    lengths, missing = [], []
    chain = ("UPPER_ARM", "LOWER_ARM", "FULL_HAND"), ("UPPER_LEG", "LOWER_LEG", "FULL_FOOT")
    for first, second in ((c[k], c[k + 1]) for c in chain for k in (0, 1)):
        for side in "LR":
            ends = bones.joint_m[[BONES[f"{first}_{side}"], BONES[f"{second}_{side}"]]]
            length = float(np.linalg.norm(ends[1] - ends[0]))
            lengths.append(round(length, 2) if 0.01 < length < 2.0 else 0.0)
    for limb in _LIMBS:
        missing += [bool(bones.missing[BONES[f"{limb}_{side}"]]) for side in "LR"]
    return LimbBuild(tuple(lengths), tuple(missing))


def posed_person(size: Size, build: LimbBuild) -> PosedPerson | None:
    """Return a person with given limbs who fits a box; None if nobody can stand in the box.

    `size` is the length, width and height of the box [m]. `build` states limb lengths and which
    limbs are missing.
    """
    walks = walking_person(size)
    if walks is None:
        return None
    _, head = proportions(size)
    models = person_parts.models(head)
    usual = person_parts.LIMB_LENGTHS_M
    parts = [person_parts.meshes(models[:1], walks.scale)[0]]
    for n, model in enumerate(models[1:]):
        scale = walks.scale.copy()
        if n < len(build.lengths_m) and build.lengths_m[n]:
            scale[2] = build.lengths_m[n] / usual[n]
        if _lacks(build.missing, n):
            scale = scale * _LOST
        parts += person_parts.meshes([model], scale)
    return PosedPerson(parts=tuple(parts), walks=walks, toes_m=_USUAL_TOES)


def posed_skin(person: SkinnedPerson) -> PosedPerson:
    """Return a `PosedPerson` who shows a person from a mesh file in the poses that messages state.

    The limbs keep the lengths that they have in the file. Without stated bones the person walks as
    `person` does.
    """
    known = np.isfinite(person.toes_m).all()
    toes_m = person.toes_m if known else _USUAL_TOES
    return PosedPerson(parts=person.parts, walks=person, toes_m=toes_m)


def _lacks(missing: tuple[bool, ...], n: int) -> bool:
    """Return whether limb `n` is missing, or a limb between it and the body on the same side."""
    first = 0 if n < 4 else 4
    return any(missing[m] for m in range(first + n % 2, n + 1, 2))
