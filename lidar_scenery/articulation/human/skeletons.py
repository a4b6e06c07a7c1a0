# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""People whose bones a message states: the joints follow from the stated bones."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lidar_scenery.articulation.human.limbs import Array, joint_between
from osi_bridge.description.bones import BONES, Bones

if TYPE_CHECKING:
    from lidar_scenery.articulation.human.postures import Posture

_LEFT_RIGHT = ("L", "R")
N_JOINT = 13
"""Number of joints of a person that `joints_of` and `joints_in` return, one row each.

The order is: middle of the hips, then pairs (left, right) of shoulders, elbows, wrists, hip
joints, knees and ankles."""
_HIPS, _SHOULDERS, _ELBOWS, _WRISTS, _THIGHS, _KNEES, _ANKLES = (0, *range(1, 13, 2))


def joints_of(bones: Bones, usual: Array) -> Array:
    """Return all 13 joints of a person from the bones that a message states.

    Parameters
    ----------
    bones : Bones
        The bones that a message states.
    usual : float64 (13, 3)
        Joints of a person who walks at the same speed, which fill in what the bones do not
        determine. [m]

    Returns
    -------
    float64 (13, 3)
        Positions of the joints from the centre of the object's box, in its axes and in the order
        that `N_JOINT` describes. A stated joint is used as it is. Any other joint follows from the
        stated direction of the bone that ends there. Without it, an elbow or a knee follows from
        the ends of its limb. Otherwise the joint keeps the usual vector from the previous joint of
        its limb. [m]
    """
    joints: Array = usual.copy()
    joints[_HIPS] = _hips(bones, usual)
    for side, name in enumerate(_LEFT_RIGHT):
        for chain, rows in (
            (("UPPER_ARM", "LOWER_ARM", "FULL_HAND"), (_SHOULDERS, _ELBOWS, _WRISTS)),
            (("UPPER_LEG", "LOWER_LEG", "FULL_FOOT"), (_THIGHS, _KNEES, _ANKLES)),
        ):
            numbers = [BONES[f"{bone}_{name}"] for bone in chain]
            limb = [_HIPS, *(row + side for row in rows)]
            _place_limb(joints, bones, numbers, (limb, usual[limb]))
    return joints


def _hips(bones: Bones, usual: Array) -> Array:
    """Return the middle between the hip joints: from the thighs, else from HIP, else as usual."""
    thighs = bones.joint_m[[BONES["UPPER_LEG_L"], BONES["UPPER_LEG_R"]]]
    choices = np.stack([thighs.mean(axis=0), bones.joint_m[BONES["HIP"]], usual[_HIPS]])
    hips: Array = choices[np.isfinite(choices).all(axis=1)][0]
    return hips


def _place_limb(
    joints: Array, bones: Bones, numbers: list[int], limb: tuple[list[int], Array]
) -> None:
    """Set the three joints of an arm or a leg.

    `numbers` are the OSI bones that begin at the joints; `limb` has the rows of `joints`, of the
    hips and of the three joints, and the usual joints in these rows.
    """
    rows, usual = limb
    lengths = np.linalg.norm(np.diff(usual, axis=0), axis=1)
    known = [bool(np.isfinite(bones.joint_m[number]).all()) for number in numbers]
    for k, number in enumerate(numbers):
        before = joints[rows[k]]
        along = bones.along[numbers[k - 1]] if k else np.full(3, np.nan)
        if known[k]:
            joints[rows[k + 1]] = bones.joint_m[number]
        elif np.isfinite(along).all():
            joints[rows[k + 1]] = before + lengths[k] * along
        elif k == 1 and known[2]:
            both = float(lengths[1]), float(lengths[2])
            toward = usual[2] - 0.5 * (usual[1] + usual[3])
            joints[rows[2]] = joint_between(before, bones.joint_m[numbers[2]], both, toward)
        else:
            joints[rows[k + 1]] = before + usual[k + 1] - usual[k]


def axes_of(bones: Bones, joints: Array, usual: Array) -> Array:
    """Return the directions of body and feet, four unit vectors, float64 (4, 3).

    The rows point up along the back, to the left of the body, and along the left and the right foot
    to the toes. A direction that does not follow from bones and joints is as in `usual`.

    Parameters
    ----------
    bones : Bones
        The bones that a message states.
    joints : float64 (13, 3)
        All joints, as `joints_of` returns them. [m]
    usual : float64 (4, 3)
        The directions that a person who walks at the same speed would have.
    """
    axes: Array = usual.copy()
    for name in ("NECK", "HEAD", "UPPER_SPINE"):
        up = bones.joint_m[BONES[name]] - joints[_HIPS]
        if np.linalg.norm(up) > 0.0:  # NaN is not
            axes[0] = up / np.linalg.norm(up)
            break
    for left, right in ((_SHOULDERS, _SHOULDERS + 1), (_THIGHS, _THIGHS + 1)):
        across = joints[left] - joints[right]
        if np.linalg.norm(across) > 0.0:
            axes[1] = across / np.linalg.norm(across)
            break
    for side, name in enumerate(_LEFT_RIGHT):
        ahead = bones.along[BONES[f"FULL_FOOT_{name}"]]
        if np.isfinite(ahead).all():
            axes[2 + side] = ahead
    return axes


def joints_in(posture: Posture) -> Array:
    """Return the joints of a posture as one array (n, 13, 3) [m], in the order of `N_JOINT`."""
    pairs = (posture.shoulders_m, posture.elbows_m, posture.wrists_m)
    legs = (posture.thighs_m, posture.knees_m, posture.feet.ankle_m)
    return np.concatenate([posture.hips_m[:, None], *pairs, *legs], axis=1)
