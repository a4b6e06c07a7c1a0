# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""People of files with a skin: joints by name, limbs as long as in the file, feet that rest."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial import cKDTree

from lidar_scenery.articulation.catalogue import MeshAssemblies
from lidar_scenery.articulation.human import person_parts
from lidar_scenery.articulation.human.gait import stride_of
from lidar_scenery.articulation.human.posed import PosedPerson
from lidar_scenery.articulation.human.skinned import all_poses, shares
from lidar_scenery.articulation.records import Heard, Travel
from lidar_scenery.shapes.catalogue import Wanted
from raycore.mesh.joint_names import FOOT, FOREARM, HAND, SHIN, UPPER_ARM, named_part
from raycore.mesh.loading import load_mesh
from raycore.mesh.parts import vertices_m
from tests.builders.bones import ROOT_M, frame_with
from tests.builders.gltf import TO_Y_UP, write_person

MM = 1e-3
EXAMPLE = "models/openmaterial3d/human_example/human_example.gltf"
HEIGHT_M = 1.7785
SIZE_M = (1.0, 0.6, 1.8)
LENGTHS_M = {"thigh": 0.4, "shin": 0.42, "upper arm": 0.3, "forearm": 0.26}


@pytest.mark.parametrize(
    ("name", "part"),
    [
        ("Upper_Arm_Left", UPPER_ARM),
        ("mixamorig:RightForeArm", FOREARM + 1),
        ("crl_foreArm__L", FOREARM),
        ("calf_r", SHIN + 1),
        ("hand.L", HAND),
        ("LeftFoot_037", FOOT),
        ("Bip01 R Foot", FOOT + 1),
        ("upperarm_twist_01_l", None),
        ("Left_Eye", None),
        ("Foot", None),
        ("Hip", None),
    ],
)
def test_parts_by_the_names_of_joints(name, part):
    assert named_part(name) == part


def pose(high_m=SIZE_M[2]):
    """Return the pose in its box of a person whose frame is on the ground with y up."""
    found = np.eye(4)
    found[:3, :3], found[2, 3] = TO_Y_UP.T, -high_m / 2
    return found


def person_of(path, notes=print):
    wanted = Wanted(name="pedestrian", dimension_m=SIZE_M)
    return MeshAssemblies(notes).of(load_mesh(path), pose(), wanted)


@pytest.fixture
def person(tmp_path):
    return person_of(write_person(tmp_path / "person.gltf"))


def walking(phase, speed_m_s=1.4):
    """Return the travel of somebody at phases of a stride."""
    still = np.zeros(len(phase))
    state = np.stack([phase, still + speed_m_s, still, still], axis=1)
    return Travel(1, still, still, still, state)


def test_parts_at_rest_are_the_skin(tmp_path):
    path = write_person(tmp_path / "person.gltf")
    mesh, person, stretch = load_mesh(path), person_of(path), pose(0.0)
    at_rest = person_parts.poses(person.rest)[0]
    placed = [vertices_m(part, p @ stretch) for part, p in zip(person.parts, at_rest, strict=True)]
    assert [len(part.faces) for part in person.parts] == [12] * 11
    whole = vertices_m(mesh, pose())[mesh.faces].reshape(-1, 3)
    parts = np.concatenate([p[m.faces] for p, m in zip(placed, person.parts, strict=True)])
    order = [np.lexsort(each.round(4).T) for each in (whole, parts.reshape(-1, 3))]
    assert_allclose(parts.reshape(-1, 3)[order[1]], whole[order[0]], atol=1e-6)


def test_limbs_are_as_long_as_in_the_file(person):
    posture = person.posture(walking(np.arange(40) / 40))
    ends = {
        "thigh": (posture.thighs_m, posture.knees_m),
        "shin": (posture.knees_m, posture.feet.ankle_m),
        "upper arm": (posture.shoulders_m, posture.elbows_m),
        "forearm": (posture.elbows_m, posture.wrists_m),
    }
    for name, (start, end) in ends.items():
        assert_allclose(np.linalg.norm(end - start, axis=-1), LENGTHS_M[name], atol=2 * MM)


@pytest.mark.parametrize("speed_m_s", [0.8, 1.4])
def test_a_flat_foot_rests_in_the_world(person, speed_m_s):
    scale = person.walks.scale[2]
    phase = np.linspace(0.12, 0.26, 15)
    travel = walking(phase, speed_m_s / np.sqrt(scale))
    stride = stride_of(travel.state[:, 1], person.walks.room_m)
    ankle = person.posture(travel).feet.ankle_m[:, 0]
    way_m = (phase - phase[0]) * stride.length_m[0] * scale
    assert way_m[-1] > 0.1
    assert_allclose(ankle[:, 0] + way_m, ankle[0, 0], atol=MM)
    assert_allclose(ankle[:, 1], 0.1, atol=MM)
    assert_allclose(ankle[:, 2], -SIZE_M[2] / 2 + 0.08, atol=MM)


def test_the_body_is_where_it_is_in_the_file(person):
    body = person.poses(walking(np.arange(40) / 40))[:, 0, :3, 3]
    assert_allclose(body[:, :2], 0.0, atol=1e-6)
    assert np.abs(body[:, 2] - person.rest.hips_m[0, 2]).max() < 0.06


def joints_at_rest(person):
    """Return the joints of a person of a file by the names of OSI's bones, from the root."""
    rest = person.rest
    ends = {
        "UPPER_ARM": rest.shoulders_m,
        "LOWER_ARM": rest.elbows_m,
        "FULL_HAND": rest.wrists_m,
        "UPPER_LEG": rest.thighs_m,
        "LOWER_LEG": rest.knees_m,
        "FULL_FOOT": rest.feet.ankle_m,
    }
    return {
        f"{name}_{side}": tuple(places[0, k] - ROOT_M)
        for name, places in ends.items()
        for k, side in enumerate("LR")
    }


def posed_by(path, joints_m, **stated):
    """Return a person of a file who follows bones, and the poses of the parts."""
    wanted, frame = Wanted(name="pedestrian", dimension_m=SIZE_M), frame_with(joints_m, **stated)
    person = MeshAssemblies(print).of(load_mesh(path), pose(), wanted, posed=True)
    state = person.advance(None, Heard(frame, 0, 0.0, 0.0, 0.0, 0.0, 0.0))
    still = np.zeros(1)
    return person, person.poses(Travel(5, still, still, still, state[None]))[0]


def test_a_skin_with_the_bones_of_its_file_is_that_of_the_file(tmp_path):
    path = write_person(tmp_path / "person.gltf")
    walker = person_of(path)
    person, poses = posed_by(path, joints_at_rest(walker))
    assert isinstance(person, PosedPerson)
    assert_allclose(poses, all_poses(walker.rest, walker.toes_m)[0, :11], atol=1e-6)


def test_parts_of_a_skin_go_where_bones_are_stated(tmp_path):
    path = write_person(tmp_path / "person.gltf")
    joints = joints_at_rest(person_of(path)) | {"LOWER_ARM_L": (0.1, 0.5, 0.6)}
    joints["FULL_HAND_L"] = (0.2, 0.5, 0.7)
    _, poses = posed_by(path, joints, size=SIZE_M)
    assert_allclose(poses[3, :3, 3], np.add(joints["LOWER_ARM_L"], ROOT_M), atol=MM)
    along = poses[3, :3, :3] @ (0.0, 0.0, -1.0)
    assert_allclose(along, np.array([0.1, 0.0, 0.1]) / np.hypot(0.1, 0.1), atol=1e-6)


def hoofed(name):
    return name.replace("Foot", "Hoof")


def turned(name):
    return name.replace("Left", "*").replace("Right", "Left").replace("*", "Right")


@pytest.mark.parametrize("named", [hoofed, turned])
def test_a_skin_of_unknown_joints_stays_stiff_and_is_noted(tmp_path, named):
    notes = []
    path = write_person(tmp_path / "p.gltf", named)
    found = person_of(path, lambda *what, **why: notes.append((what, why["used"])))
    assert found is None
    assert notes == [(("skin", "of p.gltf"), "a stiff person")]


@pytest.fixture
def example(real_data):
    """Return the mesh of OpenMATERIAL 3D's example of a person, and how it walks."""
    mesh = load_mesh(real_data / EXAMPLE)
    wanted = Wanted(name="pedestrian", dimension_m=(1.0, 0.6, HEIGHT_M))
    return mesh, MeshAssemblies(print).of(mesh, pose(HEIGHT_M), wanted)


def test_what_touches_the_ground_rests(example):
    """The lowest point of a foot that stands slips by less than 2 cm a step."""
    _, person = example
    scale = person.walks.scale[2]
    phase = np.linspace(0.0, 0.58, 120)
    travel = walking(phase, 1.4 / np.sqrt(scale))
    stride = stride_of(travel.state[:, 1], person.walks.room_m)
    way_m = phase * stride.length_m[0] * scale
    stretch, places = pose(0.0), []
    assert stride.stand[0] > phase[-1]
    for now, way in zip(person.poses(travel), way_m, strict=True):
        foot, toes = (vertices_m(person.parts[k], now[k] @ stretch) for k in (9, 11))
        places.append(np.concatenate([foot, toes]) + (way, 0.0, HEIGHT_M / 2))
    places = np.array(places)
    lowest = places[..., 2].argmin(axis=1)
    rows = np.arange(len(phase) - 1)
    slip_m = places[rows + 1, lowest[:-1], 0] - places[rows, lowest[:-1], 0]
    assert np.abs(slip_m).sum() < 0.02
    assert np.abs(places[..., 2].min(axis=1)).max() < 0.02


def test_rigid_parts_are_near_a_skin_that_is_blended(example):
    """The figures of explanation/articulation.md, on the example of ASAM OpenMATERIAL 3D."""
    mesh, person = example
    stretch, share = pose(0.0), shares(mesh)
    points = np.concatenate([vertices_m(mesh, pose(HEIGHT_M)), np.ones((len(share), 1))], axis=1)
    poses = person.poses(walking(np.array([0.0, 0.3, 0.6, 0.85])))
    to_rest = np.linalg.inv(all_poses(person.rest, person.toes_m)[0])
    for now in poses:
        blended = np.einsum("vp,pij,vj->vi", share, (now @ to_rest)[:, :3], points)
        placed = [vertices_m(part, p @ stretch) for part, p in zip(person.parts, now, strict=True)]
        tree = cKDTree(np.concatenate(placed))
        off = tree.query(blended)[0]
        assert np.quantile(off, 0.95) < 8 * MM
        assert off.max() < 40 * MM
