# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Bones of glTF files: which nodes are wheels, where they are, and which vertices follow them."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from raycore.mesh import cache as mesh_cache
from raycore.mesh.cache import MeshCache
from raycore.mesh.loading import load_mesh
from raycore.mesh.parts import bone_of_vertices
from tests.builders.gltf import HUBS_M, TO_Y_UP, WHEEL_M, Gltf, block, write_car


def test_wheels_of_a_file_are_bones_at_the_origins_of_their_nodes(tmp_path):
    mesh = load_mesh(write_car(tmp_path / "car.gltf"))
    assert [bone.name for bone in mesh.bones] == [f"Wheel_{place}" for place in HUBS_M]
    places = [(x, y, WHEEL_M) for x, y in HUBS_M.values()]
    assert_allclose([bone.origin_m for bone in mesh.bones], places @ TO_Y_UP.T, atol=1e-9)
    followed = bone_of_vertices(mesh)
    assert_array_equal(np.bincount(followed + 1), [8, 48, 48, 48, 48])
    low = (mesh.vertices_m + mesh.origin_m)[followed == 0].min(axis=0)
    assert_allclose(low, [1.3 - WHEEL_M, 0.0, -0.9], atol=1e-6)


def test_a_file_without_wheels_or_skins_has_no_bones(tmp_path):
    mesh = load_mesh(write_car(tmp_path / "car.gltf", "Round_{}"))
    assert mesh.bones == ()
    assert len(mesh.bone) == len(mesh.weight) == 0


def test_of_nodes_within_each_other_the_outermost_is_the_wheel(tmp_path):
    """Nodes turn and scale what is below them; brakes beside what rotates stand."""
    car = Gltf()
    turned = {"rotation": [0.0, 1.0, 0.0, 0.0], "scale": [2.0, 2.0, 2.0]}
    group = car.node("Grp_Wheel_0_1", (1.0, 2.0, 3.0), **turned)
    mesh = car.mesh(*block((0.1, 0.1, 0.1)))
    wheel = car.node("Grp_Wheel_Steering_Rotating_0_1", (0.5, 0.0, 0.0), parent=group)
    car.node("Tire_FL", parent=wheel, mesh=mesh)
    brake = car.node("Grp_Wheel_Steering_0_1", parent=group)
    car.node("Brake", parent=brake, mesh=mesh)
    mesh = load_mesh(car.write(tmp_path / "car.gltf"))
    (bone,) = mesh.bones
    assert bone.name == "Grp_Wheel_Steering_Rotating_0_1"
    assert_allclose(bone.origin_m, TO_Y_UP @ (0.0, 2.0, 3.0), atol=1e-12)
    assert_array_equal(bone_of_vertices(mesh), [0] * 8 + [-1] * 8)


HALF = np.sqrt(0.5)
COLUMNS = [0, 1, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 10, 20, 30, 1]  # x becomes y, y z, and z x


@pytest.mark.parametrize(
    ("pose", "expected"),
    [
        ({"rotation": [HALF, 0, 0, HALF]}, (1, -3, 2)),  # 90 deg about x
        ({"rotation": [0, HALF, 0, HALF]}, (3, 2, -1)),
        ({"rotation": [0, 0, HALF, HALF]}, (-2, 1, 3)),
        ({"rotation": [0.5, 0.5, 0.5, 0.5]}, (3, 1, 2)),  # 120 deg about (1, 1, 1)
        ({"rotation": [0.5, 0.5, 0.5, -0.5]}, (2, 3, 1)),
        ({"scale": [2, 3, 4], "translation": [5, 6, 7]}, (7, 12, 19)),
        ({"matrix": COLUMNS}, (13, 21, 32)),
    ],
)
def test_a_wheel_below_a_node_with_a_pose_is_where_its_triangles_are(tmp_path, pose, expected):
    car = Gltf()
    group = car.node("Group")
    del car.content["nodes"][group]["translation"]
    car.content["nodes"][group] |= pose
    mesh = car.mesh(*block((0.1, 0.1, 0.1)))
    car.node("Wheel", parent=group, mesh=mesh, translation=[1.0, 2.0, 3.0])
    found = load_mesh(car.write(tmp_path / "car.gltf"))
    assert_allclose([bone.origin_m for bone in found.bones], [expected], atol=1e-9)
    assert_allclose(found.bounds_m.mean(axis=0), expected, atol=1e-6)


def skinned(tmp_path, joints, weights):
    """Return a box that follows two joints, bound 0.2 m and 0.7 m above the origin."""
    person = Gltf()
    root = person.node("Armature")
    hip = person.node("Hip", (0.0, 0.0, 9.0), parent=root)
    knee = person.node("Knee", (0.0, 0.0, 0.5), parent=hip)
    points, faces = block((0.2, 0.2, 1.0), (0.0, 0.0, 0.5))
    mesh = person.mesh(points, faces, joints, weights)
    person.node("Body", mesh=mesh, skin=0, parent=root)
    matrices = np.tile(np.eye(4), (2, 1, 1))
    matrices[:, :3, 3] = [TO_Y_UP @ (0.0, 0.0, -0.2), TO_Y_UP @ (0.0, 0.0, -0.7)]
    skin = {"joints": [hip, knee]}
    columns = matrices.swapaxes(1, 2).reshape(2, 16).astype("<f4")
    skin["inverseBindMatrices"] = person.accessor(columns, "MAT4", 5126)
    person.content["skins"] = [skin]
    return load_mesh(person.write(tmp_path / "person.gltf"))


JOINTS = [(0, 1, 0, 0)] * 8
WEIGHTS = [(0.25, 0.75, 0.0, 0.0)] * 8


def test_joints_of_a_skin_are_bones_where_it_was_bound(tmp_path):
    mesh = skinned(tmp_path, JOINTS, WEIGHTS)
    assert [(bone.name, bone.parent) for bone in mesh.bones] == [("Hip", -1), ("Knee", 0)]
    places = [TO_Y_UP @ (0.0, 0.0, 0.2), TO_Y_UP @ (0.0, 0.0, 0.7)]
    assert_allclose([bone.origin_m for bone in mesh.bones], places, atol=1e-7)
    assert_array_equal(mesh.bone[0], JOINTS[0])
    assert_allclose(mesh.weight[0], WEIGHTS[0])
    (told,) = mesh.not_followed  # the file has the hip 9 m above the origin
    assert "pose of joints at rest" in str(told)


@pytest.mark.parametrize(
    ("joints", "weights"),
    [([(7, 0, 0, 0)] * 8, WEIGHTS), (JOINTS, [(np.nan, 1, 0, 0)] * 8)],
    ids=["a joint that does not exist", "no number"],
)
def test_a_skin_that_makes_no_sense_is_not_followed(tmp_path, joints, weights):
    assert (bone_of_vertices(skinned(tmp_path, joints, weights)) == -1).all()


def test_bones_are_kept_in_the_cache(tmp_path, monkeypatch):
    monkeypatch.setattr(mesh_cache, "SMALLEST_BYTES", 0)
    path, cache = write_car(tmp_path / "car.gltf"), MeshCache(tmp_path / "cache")
    first, again = (load_mesh(path, cache=cache) for _ in range(2))
    assert len(cache.entries()) == 1
    assert again.bones == first.bones
    assert_array_equal(again.bone, first.bone)
    assert_array_equal(again.weight, first.weight)
