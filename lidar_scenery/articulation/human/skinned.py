# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""People from mesh files with a skin, who walk like the built-in people (articulation.md).

The skin is cut into rigid parts at its joints, so that all people of a file share a BVH for each
part and none is ever rebuilt. Faces that follow two parts belong to both, which closes the gaps.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from lidar_scenery.articulation.human import person_parts
from lidar_scenery.articulation.human.feet import (
    ANKLE_M,
    HALF_STEP_M,
    HEEL,
    TOE,
    Feet,
    Sole,
    rolled,
    room_for_feet,
)
from lidar_scenery.articulation.human.limbs import (
    Array,
    joint_between,
    rigid,
    turn_about_y,
    turn_about_z,
    unit,
)
from lidar_scenery.articulation.human.people import WalkingPerson
from lidar_scenery.articulation.human.postures import LEG_BONES_M, Posture, arms_in
from lidar_scenery.shapes.figure import SIDES
from raycore.mesh.joint_names import (
    FOOT,
    FOREARM,
    HAND,
    SHIN,
    THIGH,
    TOES,
    UPPER_ARM,
    named_part,
    parts_of,
)
from raycore.mesh.parts import part_of

if TYPE_CHECKING:
    from lidar_scenery.articulation.records import Heard, Travel
    from lidar_scenery.shapes.builder import Size
    from raycore.mesh.mesh import Mesh

SHARED = 0.4
"""Least mean weight of the three vertices of a face with which the face is put into a part of a
person. A face may be in two parts; in any case it is put into the part with the greatest weight."""
_N_PART = 13
_LEAST_BONE = 0.05  # length of a bone, of the height of the person


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SkinnedPerson:
    """A person from a mesh file who walks and runs; implements `Assembly`.

    Attributes
    ----------
    parts : tuple of Mesh
        Parts as in `WalkingPerson`; then left and right toes, if the file has joints for them.
    walks : WalkingPerson
        A built-in person with legs of the same length, whose steps and arm swing this one copies.
    rest : Posture
        The joints as they are in the file, relative to the centre of the box; one instant. [m]
    sole : Sole
        Shape of the feet. If the file has toes, the front ball is where the toes begin.
    toes_m : float64 (2, 3)
        Where the left and the right toes begin, relative to the ankles; NaN without toes. [m]

    Notes
    -----
    The state is the state of `walks`. The file determines the lengths of the limbs, the hip
    joints, and the distance between the feet. The knees follow by the law of cosines.
    """

    parts: tuple[Mesh, ...]
    walks: WalkingPerson
    rest: Posture
    sole: Sole
    toes_m: Array

    @property
    def standing(self) -> Array:
        """State of a person who has never moved, float64 (4,); see `WalkingPerson`."""
        return self.walks.standing

    def advance(self, before: Array | None, heard: Heard) -> Array:
        """Return the person's state at a message, float64 (4,).

        The four numbers are gait cycles made, smoothed speed [m/s], and how much farther behind
        than usual the left and the right foot are [m]; see `WalkingPerson`.

        Parameters
        ----------
        before : float64 (4,) or None
            State at the previous message; None if the person had no state yet.
        heard : Heard
            How far and how fast the person has moved since the previous message.
        """
        return self.walks.advance(before, heard)

    def n_interval(self, travel: Travel) -> int:
        """Return the number of equal intervals to divide a scan into, 1 to 8.

        Parts move at constant velocity within an interval. `travel` has the states at the messages
        around the scan; people who make more gait cycles between them need more intervals.
        """
        return self.walks.n_interval(travel)

    def poses(self, travel: Travel) -> Array:
        """Return the poses object_from_part of all parts, float64 (n, n_part, 4, 4) [m].

        `travel` has the state and the curvature of the path at n instants. There are 11 parts, and
        13 if the file has toes. The frame of the object has its origin in the centre of the box.
        """
        return all_poses(self.posture(travel), self.toes_m)[:, : len(self.parts)]

    def posture(self, travel: Travel) -> Posture:
        """Return the person's joints at the n instants of `travel`, in the object's frame [m]."""
        return self.joints(travel.state, travel.curvature_per_m)

    def joints(self, state: Array, curvature_per_m: Array) -> Posture:
        """Return the joints of the person at n instants, in the frame of the object [m].

        Parameters
        ----------
        state : float64 (n, 4)
            States of the person, as of a `WalkingPerson`.
        curvature_per_m : float64 (n,)
            Curvature of the path, positive to the left. [1/m]
        """
        like = self.walks.joints(state, curvature_per_m)
        rest, scale = self.rest, self.walks.scale[2]
        flat_m = ANKLE_M * scale - 0.5 * self.walks.height_m
        lift = rest.feet.ankle_m[0, :, 2].mean() - flat_m
        shift = np.array([*rest.hips_m[0, :2], lift])
        hips = like.hips_m + shift
        apart = np.array([(0.0, side * HALF_STEP_M * scale, 0.0) for side in SIDES])
        wider = (rest.feet.ankle_m - rest.hips_m[:, None] - apart) * (0.0, 1.0, 0.0)
        ankles = like.feet.ankle_m + shift + wider + self._rolls_on(like.feet)
        thighs = hips[:, None] + rest.thighs_m - rest.hips_m[:, None]
        yaw = like.feet.yaw_rad
        front = np.stack([np.cos(yaw), np.sin(yaw), 0.0 * yaw], axis=-1)
        knees = joint_between(thighs, ankles, _legs(rest), front)
        feet = like.feet._replace(ankle_m=ankles)
        return Posture(hips, like.lean_rad, *self._arms(hips, like), thighs, knees, feet)

    def _rolls_on(self, feet: Feet) -> Array:
        """Return how far rolling feet move the ankles beside `walks`, (n, 2, 3) [m]."""
        scale = self.walks.scale[2]
        like, mine = rolled(feet.pitch_rad), rolled(feet.pitch_rad, self.sole)
        ahead, up = (b - scale * a for a, b in zip(like, mine, strict=True))
        heading = turn_about_z(feet.yaw_rad)[..., 0]
        flat = self.sole.ankle_m - scale * ANKLE_M
        return np.asarray(heading * ahead[..., None] + (up - flat)[..., None] * (0.0, 0.0, 1.0))

    def _arms(self, hips: Array, like: Posture) -> tuple[Array, Array, Array]:
        """Return shoulders, elbows and wrists, (n, 2, 3) each, with arms held as in `like` [m]."""
        rest = self.rest
        above = (rest.shoulders_m - rest.hips_m[:, None])[..., None]
        shoulders = hips[:, None] + (turn_about_y(like.lean_rad)[:, None] @ above)[..., 0]
        upper = _length(rest.shoulders_m, rest.elbows_m)
        lower = _length(rest.elbows_m, rest.wrists_m)
        elbows = shoulders + upper * unit(like.elbows_m - like.shoulders_m)
        return shoulders, elbows, elbows + lower * unit(like.wrists_m - like.elbows_m)


def skinned_person(mesh: Mesh, object_from_mesh: Array, size: Size) -> SkinnedPerson | None:
    """Return a person from a mesh file.

    Return None if a joint is not recognised, a body part has no faces, or the person does not
    stand facing forward: each joint of the left side must be to the left of its counterpart. A knee
    must be lower than the hip joint, and an ankle lower than the knee, by a tenth of the box's
    height; bones of the arms must be longer than a twentieth of it.

    Parameters
    ----------
    mesh : Mesh
        The whole person.
    object_from_mesh : float64 (4, 4)
        Pose and scale of the mesh in the box of the object. [m]
    size : (float, float, float)
        Length, width and height of the box. [m]

    Notes
    -----
    Vertices of the parts are stored multiplied by the inverse of ``object_from_mesh[:3, :3]``. The
    caller multiplies them by ``object_from_mesh[:3, :3]`` before it applies the poses of the parts.
    """
    rest = _rest(mesh, object_from_mesh)
    if rest is None or not _stands(rest, size[2]):
        return None
    scale = sum(_legs(rest)) / sum(LEG_BONES_M)
    walks = WalkingPerson(
        parts=(),
        scale=np.full(3, scale),
        height_m=size[2],
        room_m=room_for_feet(size[0] / scale),
        arms=arms_in(size[0] / scale, 0.0),
    )
    toes_m = _toes(mesh, object_from_mesh, rest)
    ankle_m = float(rest.feet.ankle_m[0, :, 2].mean()) + 0.5 * size[2]
    sole = _sole(ankle_m, scale, toes_m)
    whole = SkinnedPerson(parts=(), walks=walks, rest=rest, sole=sole, toes_m=toes_m)
    return _in_parts(mesh, object_from_mesh, whole)


def _sole(ankle_m: float, scale: float, toes_m: Array) -> Sole:
    """Return what the feet roll on; without toes, the front ball is as for all people."""
    ball = TOE[0] * scale, TOE[1] * scale
    if np.isfinite(toes_m).all():
        ball = float(toes_m[:, 0].mean()), ankle_m + float(toes_m[:, 2].mean())
    return Sole(ankle_m, (HEEL[0] * scale, HEEL[1] * scale), ball)


def all_poses(posture: Posture, toes_m: Array) -> Array:
    """Return the poses object_from_part of all parts of a person, float64 (n, 13, 4, 4) [m].

    The poses of left and right toes come last. While the heel is up, the toes lie flat.

    Parameters
    ----------
    posture : Posture
        Joints of the person at n instants, in the frame of the object. [m]
    toes_m : float64 (2, 3)
        Where the left and the right toes begin, relative to the ankles, in the frames of the feet;
        NaN without toes, which makes the positions of both toes NaN. [m]
    """
    usual = person_parts.poses(posture)
    feet = usual[:, FOOT : FOOT + 2]
    begin = feet[..., :3, 3] + (feet[..., :3, :3] @ toes_m[..., None])[..., 0]
    flat = turn_about_z(posture.feet.yaw_rad) @ turn_about_y(
        np.minimum(posture.feet.pitch_rad, 0.0)
    )
    return np.concatenate([usual, rigid(flat, begin)], axis=1)


def _in_parts(mesh: Mesh, object_from_mesh: Array, whole: SkinnedPerson) -> SkinnedPerson | None:
    """Return the person with its mesh cut into parts; None if a part has no faces."""
    stretch = object_from_mesh.copy()
    stretch[:3, 3] = 0.0
    of_face = shares(mesh)[mesh.faces].mean(axis=1)
    most = of_face.argmax(axis=1)
    parts = []
    has_toes = np.isfinite(whole.toes_m).all()
    poses = all_poses(whole.rest, whole.toes_m)[0, : None if has_toes else TOES]
    for part, pose in enumerate(np.linalg.inv(poses)):
        faces = np.flatnonzero((of_face[:, part] >= SHARED) | (most == part))
        if not len(faces):
            return None
        parts.append(part_of(mesh, faces, np.linalg.solve(stretch, pose @ object_from_mesh)))
    return replace(whole, parts=tuple(parts))


def shares(mesh: Mesh) -> Array:
    """Return the weight, 0 to 1, with which each vertex follows each part, (n_vertex, 13).

    The 13 parts are the 11 parts of a `WalkingPerson`, then left and right toes. Hands count as
    forearms. A vertex without weights follows the first part, the body, with weight 1.

    Parameters
    ----------
    mesh : Mesh
        The whole person, with the bones of its skin and the weights of the vertices.
    """
    part = parts_of(mesh.bones)
    part[part >= HAND] -= HAND - FOREARM
    found = np.zeros((len(mesh.bone), _N_PART))
    rows = np.arange(len(found))
    for bone, weight in zip(mesh.bone.T, mesh.weight.T, strict=True):
        np.add.at(found, (rows, part[bone]), weight)
    found[found.sum(axis=1) == 0.0, 0] = 1.0  # vertices without weights follow the body
    return found


def _places(mesh: Mesh, object_from_mesh: Array) -> dict[int, Array]:
    """Return the joint at which each part begins, by part, in the object's frame [m]."""
    places: dict[int, Array] = {}
    for bone in mesh.bones:
        part = named_part(bone.name)
        if part is not None:
            place = np.asarray(object_from_mesh[:3, :3] @ bone.origin_m + object_from_mesh[:3, 3])
            places.setdefault(part, place)
    return places


def _toes(mesh: Mesh, object_from_mesh: Array, rest: Posture) -> Array:
    """Return where the toes begin, relative to the ankles, (2, 3) [m]; NaN without toes."""
    if not {TOES, TOES + 1} <= set(parts_of(mesh.bones)[np.unique(mesh.bone)].tolist()):
        return np.full((2, 3), np.nan)
    places = _places(mesh, object_from_mesh)
    toes: Array = np.stack([places[TOES], places[TOES + 1]]) - rest.feet.ankle_m[0]
    return toes


def _rest(mesh: Mesh, object_from_mesh: Array) -> Posture | None:
    """Return the joints of a person as in the file; None if one of them is not recognised."""
    places = _places(mesh, object_from_mesh)
    needed = (UPPER_ARM, FOREARM, HAND, THIGH, SHIN, FOOT)
    if not {part + side for part in needed for side in (0, 1)} <= set(places):
        return None
    shoulders, elbows, wrists, thighs, knees, ankles = (
        np.stack([places[part], places[part + 1]])[None] for part in needed
    )
    feet = Feet(ankles, np.zeros((1, 2)), np.zeros((1, 2)))
    hips = thighs.mean(axis=1)
    return Posture(hips, np.zeros(1), shoulders, elbows, wrists, thighs, knees, feet)


def _stands(rest: Posture, height_m: float) -> bool:
    """Return whether a person faces forward, upright, on legs that are not bent much."""
    legs = np.concatenate([rest.thighs_m, rest.knees_m, rest.feet.ankle_m])
    arms = np.concatenate([rest.shoulders_m, rest.elbows_m, rest.wrists_m])
    left, right = np.concatenate([legs, arms])[:, :, 1].T
    upright = np.diff(legs[..., 2], axis=0) < -2.0 * _LEAST_BONE * height_m
    bones = np.linalg.norm(np.diff(arms, axis=0), axis=2)
    return bool((left > right).all() and upright.all() and (bones > _LEAST_BONE * height_m).all())


def _legs(rest: Posture) -> tuple[float, float]:
    """Return the lengths of thigh and shin at rest [m]."""
    return _length(rest.thighs_m, rest.knees_m), _length(rest.knees_m, rest.feet.ankle_m)


def _length(start_m: Array, end_m: Array) -> float:
    """Return the mean length of the left and the right bone at rest [m]."""
    return float(np.linalg.norm(end_m - start_m, axis=-1).mean())
