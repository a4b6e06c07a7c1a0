# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""People made of rounded limbs: a skeleton in a pose, with clothes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lidar_scenery.shapes.solids import SolidModel, capsule, ellipsoid

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from lidar_scenery.shapes.solids import Array

HEIGHT_M = 1.75  # of a person in the pose's metres
_HIP_M, SHOULDER_M = 0.9, 1.4
THIGH_M, SHIN_M = 0.42, 0.42
_UPPER_ARM_M, _FOREARM_M = 0.28, 0.27
THIGH_RADII_M, SHIN_RADII_M = (0.1, 0.068), (0.068, 0.048)
UPPER_ARM_RADII_M, FOREARM_RADII_M = (0.062, 0.05), (0.05, 0.038)
"""Radii at both ends of limbs. [m]"""
HAND_HALF_M = (0.045, 0.03, 0.07)
Point = tuple[float, float, float]
Pair = tuple[Point, Point]
SIDES = (1, -1)  # left, right


@dataclass(frozen=True, kw_only=True)
class Joints:
    """Pose of a person of 1.75 m, as positions of joints; x is forward, y left and z up [m].

    Attributes
    ----------
    hips : (float, float, float)
        Middle between the hip joints.
    knees, ankles, elbows, wrists : (left, right)
        Positions of the left and the right joint, (x, y, z) each.
    lean_rad : float
        Forward lean of the back. [rad]
    head : float
        Size of the head relative to an adult's. [1]
    """

    hips: Point = (0.0, 0.0, _HIP_M)
    knees: Pair
    ankles: Pair
    elbows: Pair
    wrists: Pair
    lean_rad: float = 0.0
    head: float = 1.0


def upright(*, stride: float, spread: float, head: float = 1.0) -> Joints:
    """Return the pose of someone of 1.75 m who stands or walks.

    Parameters
    ----------
    stride : float
        0 for someone who stands, about 1 for someone who walks. The left leg and the right arm are
        in front, farther with a larger value.
    spread : float
        0 if the arms hang down; with a larger value they are farther from the body.
    head : float
        Size of the head relative to an adult's. [1]
    """
    knees, ankles, elbows, wrists = [], [], [], []
    for side, swing in ((1, stride), (-1, -stride)):
        knees.append((swing * 0.17 + 0.03, side * 0.1, 0.5))
        ankles.append((swing * 0.24 - 0.03, side * 0.1, 0.1))
        elbows.append((-swing * 0.12, side * (0.25 + 0.12 * spread), 1.13))
        wrist_x = -swing * 0.12 + 0.08 * abs(stride) + 0.04
        wrists.append((wrist_x, side * (0.24 + 0.3 * spread), 0.92))
    return Joints(
        knees=_pair(knees),
        ankles=_pair(ankles),
        elbows=_pair(elbows),
        wrists=_pair(wrists),
        head=head,
    )


def seated(
    hips: Point, feet: Pair, hands: Pair, *, lean_rad: float = 0.0, knees_out: float = 0.0
) -> Joints:
    """Return the pose of someone who sits or rides; knees and elbows follow from feet and hands.

    Parameters
    ----------
    hips : (float, float, float)
        Middle between the hip joints. [m]
    feet, hands : (left, right)
        Positions of ankles and wrists; a limb that is too short is stretched. [m]
    lean_rad : float
        Forward lean of the back. [rad]
    knees_out : float
        How much the knees point outwards, relative to forwards; 0: straight ahead.
    """
    back = _back(hips, lean_rad)
    knees, elbows = [], []
    for side, foot, hand in zip(SIDES, feet, hands, strict=True):
        hip = (hips[0], hips[1] + side * 0.1, hips[2])
        knees.append(_bent(hip, foot, (THIGH_M, SHIN_M), (1.0, side * knees_out, 0.5)))
        (shoulder,) = back(np.array([(0, side * 0.21, SHOULDER_M)]))
        lengths = (_UPPER_ARM_M, _FOREARM_M)
        elbows.append(_bent(shoulder, hand, lengths, (-0.3, side * 0.6, -1.0)))
    return Joints(
        hips=hips,
        knees=_pair(knees),
        ankles=feet,
        elbows=_pair(elbows),
        wrists=hands,
        lean_rad=lean_rad,
    )


def _bent(
    start: Sequence[float], end: Sequence[float], lengths: tuple[float, float], way: Point
) -> Point:
    """Return the joint between two bones from a start to an end, which bends towards `way`."""
    a, b = np.asarray(start, float), np.asarray(end, float)
    reach = float(np.linalg.norm(b - a))
    first, second = lengths
    if reach >= first + second - 1e-6:  # straight
        x, y, z = (a + (b - a) * first / (first + second)).tolist()
        return x, y, z
    axis = (b - a) / max(reach, 1e-6)
    along = (first**2 - second**2 + reach**2) / (2 * max(reach, 1e-6))
    across = np.asarray(way) - np.dot(way, axis) * axis
    across /= np.linalg.norm(across)
    x, y, z = (a + along * axis + np.sqrt(max(first**2 - along**2, 0.0)) * across).tolist()
    return x, y, z


def _pair(points: Sequence[Point]) -> Pair:
    left, right = points
    return left, right


def _back(hips: Point, lean_rad: float) -> Callable[[Array], Array]:
    """Return a function that moves points of an upright back to a back that leans at the hips."""
    c, s = np.cos(lean_rad), np.sin(lean_rad)
    rotation = np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]])

    def place(points: Array) -> Array:
        moved: Array = (points - (0, 0, _HIP_M)) @ rotation.T + hips
        return moved

    return place


def figure(pose: Joints, *, helmet: bool = False, legs: bool = True) -> SolidModel:
    """Return the model of a person of 1.75 m in a pose, with or without helmet and legs.

    The model is in metres, x forward, y left, z up, in the coordinates of `pose`.

    Parameters
    ----------
    pose : Joints
        Positions of the joints.
    helmet : bool
        Whether the person wears a helmet; else the model has hair.
    legs : bool
        Whether the model has legs and feet.
    """
    model, back = SolidModel(), _back(pose.hips, pose.lean_rad)
    joints = zip(SIDES, pose.knees, pose.ankles, pose.elbows, pose.wrists, strict=True)
    for side, knee, ankle, elbow, wrist in joints:
        if legs:
            _add_leg(model, (pose.hips[0], pose.hips[1] + side * 0.1, pose.hips[2]), knee, ankle)
        model.group = "arms"
        (shoulder,) = back(np.array([(0, side * 0.21, SHOULDER_M)]))
        model.add("Cloth_Jacket", capsule(shoulder, elbow, UPPER_ARM_RADII_M))
        model.add("Cloth_Jacket", capsule(elbow, wrist, FOREARM_RADII_M))
        hand = (wrist[0] + 0.03, wrist[1], wrist[2] - 0.06)
        model.add("Skin", ellipsoid(hand, HAND_HALF_M, 8))
    model.group = "body"
    model.merge(upper_body(pose.head, helmet=helmet), back)
    return model


def _add_leg(model: SolidModel, hip: Point, knee: Point, ankle: Point) -> None:
    """Add a leg with its foot."""
    model.group = "legs"
    model.add("Cloth_Jeans", capsule(hip, knee, THIGH_RADII_M))
    model.add("Cloth_Jeans", capsule(knee, ankle, SHIN_RADII_M))
    x, y, z = ankle
    heel, toe = (x - 0.04, y, z - 0.05), (x + 0.16, y, z - 0.055)
    model.add("Shoe_Leather", capsule(heel, toe, (0.05, 0.042)))


def upper_body(head: float, *, helmet: bool) -> SolidModel:
    """Return the model of pelvis, chest, neck and head of someone who stands upright.

    The model is for a person of 1.75 m, with the ground at z = 0. `head` is the size of the head
    relative to an adult's. `helmet` says whether the head has a helmet; else it has hair.
    """
    model = SolidModel()
    model.add("Cloth_Jeans", ellipsoid((0, 0, 0.93), (0.12, 0.17, 0.13)))
    chest = capsule((0, 0, 1.02), (0, 0, 1.3), (0.17, 0.21), 14)
    model.add("Cloth_Jacket", [p * (0.72, 1, 1) for p in chest])
    model.add("Skin", capsule((0, 0, 1.44), (0.01, 0, 1.54), (0.055, 0.055), 8))
    model.add("Skin", _of_head((0.02, 0, 0.12), (0.095, 0.075, 0.12), head))
    if helmet:
        model.add("Helmet", _of_head((0.0, 0, 0.16), (0.13, 0.105, 0.115), head))
    else:
        model.add("Hair", _of_head((-0.015, 0, 0.15), (0.095, 0.083, 0.115), head))
    return model


def _of_head(centre: Point, half_m: Point, size: float) -> list[Array]:
    """Return an ellipsoid above the neck."""
    x, y, z = (each * size for each in centre)
    a, b, c = (each * size for each in half_m)
    return ellipsoid((x, y, 1.51 + z), (a, b, c))
