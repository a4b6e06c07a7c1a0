# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Names of the joints of people's skeletons in mesh files, and the body part that each one moves.

The side is found by the words `left`, `right`, `l` or `r` in a name:

    part        ASAM OpenMATERIAL 3D   Mixamo         CARLA         Unreal       Blender
    upper arm   Upper_Arm_Left         LeftArm        crl_arm__L    upperarm_l   upper_arm.L
    forearm     Lower_Arm_Left         LeftForeArm    crl_foreArm__L lowerarm_l  forearm.L
    hand        Hand_Left              LeftHand       crl_hand__L   hand_l       hand.L
    thigh       Upper_Leg_Left         LeftUpLeg      crl_thigh__L  thigh_l      thigh.L
    shin        Lower_Leg_Left         LeftLeg        crl_leg__L    calf_l       shin.L
    foot        Foot_Left              LeftFoot       crl_foot__L   foot_l       foot.L
    toes        Full_Toes_Left         LeftToeBase    crl_toe__L    ball_l       toe.L
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from raycore.mesh.bones import Bone

UPPER_ARM, FOREARM, THIGH, SHIN, FOOT, TOES, HAND = range(1, 15, 2)
"""Numbers of the left body parts; the right parts have one more. All but the hands' are row indices
of a person's parts."""
_PARTS = {
    "upperarm": UPPER_ARM, "arm": UPPER_ARM, "lowerarm": FOREARM, "forearm": FOREARM,
    "hand": HAND, "fullhand": HAND, "upperleg": THIGH, "upleg": THIGH, "thigh": THIGH,
    "lowerleg": SHIN, "leg": SHIN, "calf": SHIN, "shin": SHIN, "foot": FOOT, "fullfoot": FOOT,
    "toes": TOES, "fulltoes": TOES, "toe": TOES, "toebase": TOES, "ball": TOES,
}  # fmt: skip
_SIDES = {"left": 0, "l": 0, "right": 1, "r": 1}
_PREFIXES = {"mixamorig", "crl", "def", "bip", "bip01", "jnt", "bone"}
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")


def named_part(name: str) -> int | None:
    """Return the number of the body part that starts at a joint with this name.

    Left upper arm, forearm, thigh, shin, foot, toes and hand are 1, 3, 5 .. 13; the right parts are
    2, 4, 6 .. 14. None for other joints, and for names that do not state exactly one side.
    """
    words = [word.lower() for word in _WORD.findall(name)]
    sides = [_SIDES[word] for word in words if word in _SIDES]
    rest = "".join(word for word in words if word not in _SIDES and word not in _PREFIXES)
    part = _PARTS.get(rest)
    return None if part is None or len(sides) != 1 else part + sides[0]


def parts_of(bones: Sequence[Bone]) -> NDArray[np.int64]:
    """Return the number of the body part that each bone belongs to, int64 (n,); 0 without one.

    The numbers are those of `named_part`: left upper arm, forearm, thigh, shin, foot, toes and hand
    are 1, 3, 5 .. 13; right parts are 2, 4, 6 .. 14. The bone's own name decides, or else the name
    of its nearest ancestor that names a body part. ``bones`` are the n bones of a mesh, each of
    which refers to its parent in this sequence.
    """
    found = np.zeros(len(bones), np.int64)
    for k in range(len(bones)):
        at, n = k, 0
        while at >= 0 and n <= len(bones):
            part = named_part(bones[at].name)
            if part is not None:
                found[k] = part
                break
            at, n = bones[at].parent, n + 1
    return found
