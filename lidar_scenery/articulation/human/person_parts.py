# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Parts of a person: body with head, arms, legs and feet, as meshes in their bones' frames."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lidar_scenery.articulation.human.feet import ANKLE_M, HEEL, TOE
from lidar_scenery.articulation.human.limbs import (
    Array,
    bone_poses,
    rigid,
    turn_about_y,
    turn_about_z,
)
from lidar_scenery.articulation.human.postures import ARM_BONES_M, HIP_M, LEG_BONES_M
from lidar_scenery.shapes import figure
from lidar_scenery.shapes.meshes import mesh_of
from lidar_scenery.shapes.solids import SolidModel, capsule, ellipsoid

if TYPE_CHECKING:
    from lidar_scenery.articulation.human.postures import Posture
    from raycore.mesh.mesh import Mesh

LIMB_LENGTHS_M = tuple(length for length in (*ARM_BONES_M, *LEG_BONES_M) for _ in (0, 1))
"""Lengths of upper arms, forearms, thighs and shins (left, right) of a person of 1.75 m. [m]"""
_TOES = np.array([TOE[0], 0.0, TOE[1] - ANKLE_M])
ALONG_FOOT = _TOES / np.linalg.norm(_TOES)
"""Direction of the bone of a foot, from the ankle to the ball of the toes, in the foot's frame."""
_ARM_FRONT = np.array([1.0, 0.0, 0.3])


def models(head: float, *, helmet: bool = False) -> list[SolidModel]:
    """Return models of the 11 parts of a person of 1.75 m, each in the frame of its bone.

    The body comes first, then upper arms, forearms, thighs, shins and feet, left before right.
    `head` is the size of the head relative to an adult's; `helmet` adds a helmet.
    """
    body = SolidModel()
    body.merge(figure.upper_body(head, helmet=helmet), lambda p: p - (0.0, 0.0, HIP_M))
    upper, lower = (_bone(length) for length in ARM_BONES_M)
    wrist_m = -ARM_BONES_M[1]
    sleeve = _part("Cloth_Jacket", capsule(*upper, figure.UPPER_ARM_RADII_M))
    forearm = _part("Cloth_Jacket", capsule(*lower, figure.FOREARM_RADII_M))
    forearm.add("Skin", ellipsoid((0.015, 0.0, wrist_m - 0.06), figure.HAND_HALF_M, 8))
    upper, lower = (_bone(length) for length in LEG_BONES_M)
    thigh = _part("Cloth_Jeans", capsule(*upper, figure.THIGH_RADII_M))
    shin = _part("Cloth_Jeans", capsule(*lower, figure.SHIN_RADII_M))
    heel, toes = ((ahead, 0.0, radius - ANKLE_M) for ahead, radius in (HEEL, TOE))
    foot = _part("Shoe_Leather", capsule(heel, toes, (HEEL[1], TOE[1])))
    return [body, *(part for part in (sleeve, forearm, thigh, shin, foot) for _ in (0, 1))]


def meshes(parts: list[SolidModel], scale: Array) -> tuple[Mesh, ...]:
    """Return one mesh for each of `parts`, stretched by the factors `scale` (3,), x y z."""
    return tuple(mesh_of(part.moved(lambda p: p * scale), "person") for part in parts)


def poses(posture: Posture) -> Array:
    """Return the poses object_from_part of a person's parts, float64 (n, 11, 4, 4) [m].

    `posture` has the joints at n instants, in the frame of the object. The parts come in the order
    of `models`.
    """
    body = rigid(turn_about_y(posture.lean_rad), posture.hips_m)[:, None]
    heading = turn_about_z(posture.feet.yaw_rad)
    ahead = heading[..., 0]
    feet = rigid(heading @ turn_about_y(posture.feet.pitch_rad), posture.feet.ankle_m)
    arms = posture.shoulders_m, posture.elbows_m, posture.wrists_m
    legs = posture.thighs_m, posture.knees_m, posture.feet.ankle_m
    arm_front = np.broadcast_to(_ARM_FRONT, ahead.shape)
    limbs = bone_poses(
        np.concatenate([*arms[:2], *legs[:2]], axis=1),
        np.concatenate([*arms[1:], *legs[1:]], axis=1),
        np.concatenate([arm_front, arm_front, ahead, ahead], axis=1),
    )
    return np.concatenate([body, limbs, feet], axis=1)


def _bone(length_m: float) -> tuple[tuple[float, float, float], tuple[float, float, float]]:
    return (0.0, 0.0, 0.0), (0.0, 0.0, -length_m)


def _part(material: str, polygons: list[Array]) -> SolidModel:
    part = SolidModel()
    part.add(material, polygons)
    return part
