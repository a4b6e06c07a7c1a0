# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Joints and directions of a person follow from the bones that a message states."""

import numpy as np
import pytest

from lidar_scenery.articulation.human.skeletons import N_JOINT, axes_of, joints_of
from osi_bridge.description.bones import BONES, Bones

HIPS, SHOULDERS, THIGHS, KNEES, ANKLES = 0, [1, 2], [7, 8], [9, 10], [11, 12]
USUAL_M = np.linspace(-1.0, 1.0, 3 * N_JOINT).reshape(N_JOINT, 3)
USUAL_AXES = np.array([(0.0, 0.0, 1.0), (0.0, 1.0, 0.0), (1.0, 0.0, 0.0), (1.0, 0.0, 0.0)])
IN_ONE_PLACE = np.zeros((N_JOINT, 3))


def bones(*, places=(), ways=()):
    """Return bones; those that are named have a place or a direction."""
    joint, along = np.full((2, len(BONES), 3), np.nan)
    for name, place_m in dict(places).items():
        joint[BONES[name]] = place_m
    for name, way in dict(ways).items():
        along[BONES[name]] = way
    return Bones(joint, along, np.zeros(len(BONES), np.bool_))


def test_left_is_from_the_right_shoulder_to_the_left_one():
    joints = USUAL_M.copy()
    joints[SHOULDERS] = (0.1, 0.7, 1.4), (0.4, 0.3, 1.4)
    axes = axes_of(bones(), joints, USUAL_AXES)
    np.testing.assert_allclose(axes[1], (-0.6, 0.8, 0.0))
    np.testing.assert_array_equal(axes[[0, 2, 3]], USUAL_AXES[[0, 2, 3]])


def test_with_shoulders_in_one_place_left_is_across_the_hips_and_else_as_usual():
    joints = IN_ONE_PLACE.copy()
    joints[THIGHS] = (0.0, 0.3, 0.5), (0.0, -0.3, 1.3)
    np.testing.assert_allclose(axes_of(bones(), joints, USUAL_AXES)[1], (0.0, 0.6, -0.8))
    np.testing.assert_array_equal(axes_of(bones(), IN_ONE_PLACE, USUAL_AXES), USUAL_AXES)


@pytest.mark.parametrize(
    ("places", "up"),
    [
        ({"NECK": (0.3, 0.0, 0.4), "HEAD": (0.0, 1.0, 0.0)}, (0.6, 0.0, 0.8)),
        ({"HEAD": (0.0, 2.0, 0.0), "UPPER_SPINE": (1.0, 0.0, 0.0)}, (0.0, 1.0, 0.0)),
        ({"NECK": (0.0, 0.0, 0.0), "UPPER_SPINE": (-3.0, 0.0, 0.0)}, (-1.0, 0.0, 0.0)),
        ({"LOWER_SPINE": (1.0, 0.0, 0.0)}, (0.0, 0.0, 1.0)),
    ],
)
def test_up_is_from_the_hips_to_the_neck_or_else_to_the_head_or_the_spine(places, up):
    np.testing.assert_allclose(axes_of(bones(places=places), IN_ONE_PLACE, USUAL_AXES)[0], up)


def test_feet_point_along_their_bones():
    stated = bones(ways={"FULL_FOOT_L": (0.8, 0.6, 0.0), "FULL_FOOT_R": (0.0, -1.0, 0.0)})
    axes = axes_of(stated, IN_ONE_PLACE, USUAL_AXES)
    np.testing.assert_array_equal(axes[2:], [(0.8, 0.6, 0.0), (0.0, -1.0, 0.0)])


THIGH_LEFT, THIGH_RIGHT, HIP = (0.1, 0.2, 0.9), (0.3, -0.2, 0.7), (5.0, 6.0, 7.0)


@pytest.mark.parametrize(
    ("places", "hips"),
    [
        ({"UPPER_LEG_L": THIGH_LEFT, "UPPER_LEG_R": THIGH_RIGHT, "HIP": HIP}, (0.2, 0.0, 0.8)),
        ({"UPPER_LEG_L": THIGH_LEFT, "HIP": HIP}, HIP),
        ({"UPPER_LEG_L": THIGH_LEFT}, USUAL_M[HIPS]),
    ],
)
def test_the_middle_of_the_hips_is_between_the_thighs_or_else_stated_or_as_usual(places, hips):
    np.testing.assert_allclose(joints_of(bones(places=places), USUAL_M)[HIPS], hips)


def test_joints_that_are_not_stated_follow_the_direction_of_the_bone_before_or_the_usual_way():
    stated = bones(places={"UPPER_LEG_L": THIGH_LEFT}, ways={"UPPER_LEG_L": (0.0, 0.0, -1.0)})
    joints = joints_of(stated, USUAL_M)
    thigh_m = np.linalg.norm(USUAL_M[KNEES[0]] - USUAL_M[THIGHS[0]])
    np.testing.assert_allclose(joints[THIGHS[0]], THIGH_LEFT)
    np.testing.assert_allclose(joints[KNEES[0]], (0.1, 0.2, 0.9 - thigh_m))
    shin = USUAL_M[ANKLES[0]] - USUAL_M[KNEES[0]]
    np.testing.assert_allclose(joints[ANKLES[0]], joints[KNEES[0]] + shin)
    np.testing.assert_allclose(joints[[*SHOULDERS, 8, 10, 12]], USUAL_M[[*SHOULDERS, 8, 10, 12]])
