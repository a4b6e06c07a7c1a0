# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""People of mesh files with a skin, who walk as built-in ones do (articulation.md).

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
"""A face belongs to each part that it follows by at least this share."""
_N_PART = 13
_LEAST_BONE = 0.05  # length of a bone, of the height of the person


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SkinnedPerson:
    """A person of a file; an `Assembly`.

    Attributes
    ----------
    parts : tuple of Mesh
        As those of a person who walks; then left and right toes, if the file has joints of them.
    walks : WalkingPerson
        One whose legs are as long, whose steps and arms this one has.
    rest : Posture
        The person as in the file, from the centre of the box; one instant. [m]
    sole : Sole
        What the feet roll on: with toes, the ball is where these begin. [m]
    toes_m : float64 (2, 3)
        Where toes begin, from the ankles. [m]

    Notes
    -----
    The state is that of the person who walks. Limbs are as long as in the file. Legs begin where
    they do there, feet stand as far apart; knees follow by the law of cosines.
    """

    parts: tuple[Mesh, ...]
    walks: WalkingPerson
    rest: Posture
    sole: Sole
    toes_m: Array

    @property
    def standing(self) -> Array:
        """State of one that has never moved."""
        return self.walks.standing

    def advance(self, before: Array | None, heard: Heard) -> Array:
        """Return the state at a message."""
        return self.walks.advance(before, heard)

    def n_interval(self, travel: Travel) -> int:
        """Return into how many intervals a scan is to be divided."""
        return self.walks.n_interval(travel)

    def poses(self, travel: Travel) -> Array:
        """Return object_from_part, float64 (n, 11 or 13, 4, 4). [m]."""
        return all_poses(self.posture(travel), self.toes_m)[:, : len(self.parts)]

    def posture(self, travel: Travel) -> Posture:
        """Return the joints of the person on a way, in the frame of the object. [m]."""
        return self.joints(travel.state, travel.curvature_per_m)

    def joints(self, state: Array, curvature_per_m: Array) -> Posture:
        """Return the joints of the person in the frame of the object. [m]."""
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
        """Return how far ankles are from those of the one who is followed, (n, 2, 3). [m]."""
        scale = self.walks.scale[2]
        like, mine = rolled(feet.pitch_rad), rolled(feet.pitch_rad, self.sole)
        ahead, up = (b - scale * a for a, b in zip(like, mine, strict=True))
        heading = turn_about_z(feet.yaw_rad)[..., 0]
        flat = self.sole.ankle_m - scale * ANKLE_M
        return np.asarray(heading * ahead[..., None] + (up - flat)[..., None] * (0.0, 0.0, 1.0))

    def _arms(self, hips: Array, like: Posture) -> tuple[Array, Array, Array]:
        """Return shoulders, elbows and wrists, (n, 2, 3), with arms held alike. [m]."""
        rest = self.rest
        above = (rest.shoulders_m - rest.hips_m[:, None])[..., None]
        shoulders = hips[:, None] + (turn_about_y(like.lean_rad)[:, None] @ above)[..., 0]
        upper = _length(rest.shoulders_m, rest.elbows_m)
        lower = _length(rest.elbows_m, rest.wrists_m)
        elbows = shoulders + upper * unit(like.elbows_m - like.shoulders_m)
        return shoulders, elbows, elbows + lower * unit(like.wrists_m - like.elbows_m)


def skinned_person(mesh: Mesh, object_from_mesh: Array, size: Size) -> SkinnedPerson | None:
    """Return a person of a file, None where its joints are not recognised or it does not stand.

    Parameters
    ----------
    mesh : Mesh
        The whole person.
    object_from_mesh : float64 (4, 4)
        Its pose in the box of the object, with its scale. [m]
    size : (float, float, float)
        Length, width and height of the box. [m]

    Notes
    -----
    The parts are to be stretched by `object_from_mesh` without its shift.
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
    """Return what feet roll on: where toes begin, else where those of all people do."""
    ball = TOE[0] * scale, TOE[1] * scale
    if np.isfinite(toes_m).all():
        ball = float(toes_m[:, 0].mean()), ankle_m + float(toes_m[:, 2].mean())
    return Sole(ankle_m, (HEEL[0] * scale, HEEL[1] * scale), ball)


def all_poses(posture: Posture, toes_m: Array) -> Array:
    """Return the poses of all parts, float64 (n, 13, 4, 4); toes lie flat. [m]."""
    usual = person_parts.poses(posture)
    feet = usual[:, FOOT : FOOT + 2]
    begin = feet[..., :3, 3] + (feet[..., :3, :3] @ toes_m[..., None])[..., 0]
    flat = turn_about_z(posture.feet.yaw_rad) @ turn_about_y(
        np.minimum(posture.feet.pitch_rad, 0.0)
    )
    return np.concatenate([usual, rigid(flat, begin)], axis=1)


def _in_parts(mesh: Mesh, object_from_mesh: Array, whole: SkinnedPerson) -> SkinnedPerson | None:
    """Return a person with parts, None if one of them, but for toes, has no faces."""
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
    """Return by which shares vertices follow the parts of a person, float64 (n_vertex, 11)."""
    part = parts_of(mesh.bones)
    part[part >= HAND] -= HAND - FOREARM
    found = np.zeros((len(mesh.bone), _N_PART))
    rows = np.arange(len(found))
    for bone, weight in zip(mesh.bone.T, mesh.weight.T, strict=True):
        np.add.at(found, (rows, part[bone]), weight)
    found[found.sum(axis=1) == 0.0, 0] = 1.0  # what follows nothing goes with the body
    return found


def _places(mesh: Mesh, object_from_mesh: Array) -> dict[int, Array]:
    """Return where the joints are that begin parts, by part, in the object's frame. [m]."""
    places: dict[int, Array] = {}
    for bone in mesh.bones:
        part = named_part(bone.name)
        if part is not None:
            place = np.asarray(object_from_mesh[:3, :3] @ bone.origin_m + object_from_mesh[:3, 3])
            places.setdefault(part, place)
    return places


def _toes(mesh: Mesh, object_from_mesh: Array, rest: Posture) -> Array:
    """Return where toes begin from the ankles, (2, 3), NaN where the file has no toes. [m]."""
    if not {TOES, TOES + 1} <= set(parts_of(mesh.bones)[np.unique(mesh.bone)].tolist()):
        return np.full((2, 3), np.nan)
    places = _places(mesh, object_from_mesh)
    toes: Array = np.stack([places[TOES], places[TOES + 1]]) - rest.feet.ankle_m[0]
    return toes


def _rest(mesh: Mesh, object_from_mesh: Array) -> Posture | None:
    """Return the joints of a person in a file, None if one of them is not recognised."""
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
    """Return the lengths of thigh and shin at rest. [m]."""
    return _length(rest.thighs_m, rest.knees_m), _length(rest.knees_m, rest.feet.ankle_m)


def _length(start_m: Array, end_m: Array) -> float:
    """Return the mean length of the left and the right bone at rest. [m]."""
    return float(np.linalg.norm(end_m - start_m, axis=-1).mean())
