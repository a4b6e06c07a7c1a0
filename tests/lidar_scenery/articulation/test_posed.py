# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""People whose bones a message states."""

import numpy as np
import pytest

from lidar_scenery.articulation.human.people import walking_person
from lidar_scenery.articulation.human.person_parts import ALONG_FOOT
from lidar_scenery.articulation.human.posed import limbs_of, posed_person
from lidar_scenery.articulation.records import Heard, Travel
from osi_bridge.description.bones import bones_of
from tests.builders.bones import ROOT_M, SIZE, frame_with

# someone with the left knee drawn up and the right arm raised, from the root on the ground
JOINTS_M = {
    "ROOT": (0.0, 0.0, 0.0),
    "HIP": (0.0, 0.0, 0.93),
    "LOWER_SPINE": (0.0, 0.0, 1.05),
    "UPPER_SPINE": (0.02, 0.0, 1.2),
    "NECK": (0.04, 0.0, 1.45),
    "UPPER_ARM_L": (0.03, 0.2, 1.4),
    "LOWER_ARM_L": (0.0, 0.24, 1.12),
    "FULL_HAND_L": (0.1, 0.24, 0.9),
    "UPPER_ARM_R": (0.03, -0.2, 1.4),
    "LOWER_ARM_R": (0.22, -0.24, 1.55),
    "FULL_HAND_R": (0.3, -0.2, 1.78),
    "UPPER_LEG_L": (0.0, 0.1, 0.9),
    "LOWER_LEG_L": (0.38, 0.1, 0.75),
    "FULL_FOOT_L": (0.3, 0.12, 0.34),
    "UPPER_LEG_R": (0.0, -0.1, 0.9),
    "LOWER_LEG_R": (0.03, -0.1, 0.49),
    "FULL_FOOT_R": (-0.01, -0.1, 0.08),
}
ORIGINS = (  # joints at the origins of the parts
    *("HIP", "UPPER_ARM_L", "UPPER_ARM_R", "LOWER_ARM_L", "LOWER_ARM_R"),
    *("UPPER_LEG_L", "UPPER_LEG_R", "LOWER_LEG_L", "LOWER_LEG_R", "FULL_FOOT_L", "FULL_FOOT_R"),
)


def posed(frame, size=SIZE):
    """Return a person and the poses of the parts in a frame, (11, 4, 4)."""
    person = posed_person(size, limbs_of(bones_of(frame, 0)))
    state = person.advance(None, Heard(frame, 0, 0.0, 0.0, 0.0, 0.0, 0.0))
    still = np.zeros(1)
    return person, person.poses(Travel(5, still, still, still, state[None]))[0]


def test_parts_are_where_the_bones_are():
    _, poses = posed(frame_with(JOINTS_M))
    stated = dict(JOINTS_M, HIP=(0.0, 0.0, 0.9))  # the parts hang from the hip joints
    for name, pose in zip(ORIGINS, poses, strict=True):
        np.testing.assert_allclose(pose[:3, 3], np.add(stated[name], ROOT_M), atol=1e-3)
        np.testing.assert_allclose(pose[:3, :3] @ pose[:3, :3].T, np.eye(3), atol=1e-9)
        assert np.linalg.det(pose[:3, :3]) > 0.0


def test_limbs_reach_from_joint_to_joint():
    person, poses = posed(frame_with(JOINTS_M))
    for n, end in ((1, "LOWER_ARM_L"), (4, "FULL_HAND_R"), (5, "LOWER_LEG_L"), (8, "FULL_FOOT_R")):
        down = poses[n, :3, :3] @ (0.0, 0.0, -1.0)
        way = np.add(JOINTS_M[end], ROOT_M) - poses[n, :3, 3]
        np.testing.assert_allclose(down, way / np.linalg.norm(way), atol=1e-9)
        if n in (5, 8):  # a capsule ends near its joint
            assert -person.parts[n].vertices_m[:, 2].min() > np.linalg.norm(way) + 0.02


def test_a_foot_points_where_its_bone_does():
    """The y axis of a bone points along it: turned by -90 deg about z it points ahead."""
    _, poses = posed(frame_with(JOINTS_M, turns={"FULL_FOOT_L": (0.0, 0.0, -np.pi / 2)}))
    np.testing.assert_allclose(poses[9, :3, :3] @ ALONG_FOOT, (1.0, 0.0, 0.0), atol=1e-9)


def test_a_bone_without_a_place_follows_from_the_turn_of_the_one_before():
    joints = {name: place for name, place in JOINTS_M.items() if name != "LOWER_LEG_R"}
    del joints["FULL_FOOT_R"]
    down = {"UPPER_LEG_R": (-np.pi / 2, 0.0, 0.0)}  # y points down
    _, poses = posed(frame_with(joints, turns=down))
    hip = np.add(JOINTS_M["UPPER_LEG_R"], ROOT_M)
    np.testing.assert_allclose(poses[8, :2, 3], hip[:2], atol=1e-9)
    assert 0.35 < hip[2] - poses[8, 2, 3] < 0.45


def test_a_knee_without_a_place_bends_between_hip_and_ankle():
    joints = {name: place for name, place in JOINTS_M.items() if name != "LOWER_LEG_L"}
    _, poses = posed(frame_with(joints))
    assert poses[7, 0, 3] > JOINTS_M["UPPER_LEG_L"][0] + 0.25
    np.testing.assert_allclose(poses[9, :3, 3], np.add(JOINTS_M["FULL_FOOT_L"], ROOT_M), atol=1e-9)


def test_limbs_that_a_person_lacks_are_specks():
    lost = {"LOWER_LEG_L", "FULL_FOOT_L"}
    person, _ = posed(frame_with(JOINTS_M, missing=lost))
    sizes = [np.ptp(part.vertices_m, axis=0).max() for part in person.parts]
    assert [n for n, size in enumerate(sizes) if size < 1e-3] == [7, 9]


def test_between_bones_and_none_the_bones_hold():
    frame, bare = frame_with(JOINTS_M), frame_with({})
    assert bones_of(bare, 0) is None
    person, poses = posed(frame)
    states = [person.advance(None, Heard(each, 0, 0, 0, 0, 0, 0)) for each in (frame, bare)]
    still = np.zeros(3)
    rows = np.array([states[0], 0.5 * (states[0] + states[1]), states[1]])
    found = person.poses(Travel(5, still, still, still, rows))
    np.testing.assert_allclose(found[1], poses, atol=1e-9)
    walking = walking_person(SIZE).poses(Travel(5, *still[None, :1].repeat(3, 0), rows[2:, :4]))
    np.testing.assert_allclose(found[2], walking[0], atol=1e-9)


@pytest.mark.parametrize("bad", [np.nan, np.inf, 1e9])
def test_impossible_bones_count_as_not_stated(bad):
    joints = dict(JOINTS_M, LOWER_LEG_L=(bad, 0.0, 0.0))
    _, poses = posed(frame_with(joints, turns={"FULL_FOOT_L": (bad, 0.0, 0.0)}))
    assert np.isfinite(poses).all()


@pytest.mark.parametrize(
    "joints_m",
    [
        dict.fromkeys(JOINTS_M, (0.0, 0.0, 0.0)),
        dict(JOINTS_M, LOWER_LEG_L=(0.4, 0.1, 0.9), FULL_FOOT_L=(0.4, 0.1, 0.5)),
        dict(JOINTS_M, NECK=(0.0, 0.5, 0.9), UPPER_ARM_L=(0.0, 0.5, 0.9)),
    ],
    ids=["all joints in one place", "a level thigh", "a body on its side"],
)
def test_parts_keep_their_form_whatever_bones_do(joints_m):
    down = {"FULL_FOOT_L": (-np.pi / 2, 0.0, 0.0)}  # toes that point down the shin
    _, poses = posed(frame_with(joints_m, turns=down))
    np.testing.assert_allclose(np.linalg.det(poses[:, :3, :3]), 1.0, atol=1e-9)


@pytest.mark.parametrize("foot_m", [0.0, 0.001, 0.01])
def test_a_knee_stays_at_its_leg_when_the_foot_is_at_the_hip(foot_m):
    """No triangle of thigh and shin has a side so short: the knee is one thigh away."""
    joints = {name: at for name, at in JOINTS_M.items() if name != "LOWER_LEG_L"}
    joints["FULL_FOOT_L"] = (0.0, 0.1, 0.9 - foot_m)
    _, poses = posed(frame_with(joints))
    hip, knee = (poses[ORIGINS.index(name), :3, 3] for name in ("UPPER_LEG_L", "LOWER_LEG_L"))
    assert np.linalg.norm(knee - hip) < 0.6
