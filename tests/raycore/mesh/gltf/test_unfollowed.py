# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The list of what a glTF file holds and its reader does not follow."""

import numpy as np
import pytest

from raycore.mesh.loading import load_mesh
from tests.builders.gltf import Gltf, block


@pytest.fixture
def file(tmp_path):
    """A file of a cube, and a function that returns what is not followed of it."""
    made = Gltf()
    made.node("Cube", mesh=made.mesh(*block((1.0, 1.0, 1.0))))
    made.listed = lambda: [
        str(each) for each in load_mesh(made.write(tmp_path / "a.gltf")).not_followed
    ]
    return made


def test_each_unknown_thing_is_listed_once_with_its_place_and_count(file):
    content = file.content
    primitive = content["meshes"][0]["primitives"][0]
    primitive["attributes"] |= {"COLOR_0": 0, "JOINTS_1": 0, "WEIGHTS_1": 0, "_HEAT": 0}
    primitive["extensions"] = {"KHR_materials_variants": {"mappings": []}}
    primitive["targets"] = [{"POSITION": 0}]
    lines = {"attributes": {"POSITION": 0}}
    content["meshes"] += [
        {"primitives": [lines | {"mode": 0}, lines | {"mode": 1}, lines | {"mode": 3}]},
        {"primitives": [lines | {"mode": 1}, {"attributes": {}}, lines | {"mode": 9}]},
    ]
    content["nodes"][0]["extensions"] = {"MSFT_lod": {"ids": [1]}, "XY_new": {}}
    file.node("Eye", camera=0, extensions={"XY_new": {}, "KHR_lights_punctual": {"light": 0}})
    file.node("None", extensions={"EXT_mesh_gpu_instancing": {"attributes": {"_ID": 0}}})
    content["nodes"].append({"camera": 0, "mood": 3})
    content["cameras"] = [{"type": "perspective"}]
    content["animations"] = [{"channels": []}, {"channels": []}]
    content["scenes"].append({"nodes": [3]})
    content["materials"][0] |= {
        "normalTexture": {"index": 0},
        "alphaMode": "MASK",
        "pbrMetallicRoughness": {
            "baseColorTexture": {"index": 0, "extensions": {"XY_tiles": {}}},
            "metallicRoughnessTexture": {"index": 0},
        },
        "extensions": {"KHR_materials_ior": {"ior": 1.5}},
    }
    content["bufferViews"][0]["extensions"] = {"EXT_meshopt_compression": {}}
    content["extensions"] = {
        "KHR_lights_punctual": {"lights": [{}]},
        "AGI_articulations": {},
    }
    content["extensionsUsed"] = ["MSFT_lod", "XY_whole_file"]
    content["mood"] = {}
    assert file.listed() == [
        "extension MSFT_lod (node 0)",
        "extension XY_new (2 times, first at node 0)",
        "extension KHR_lights_punctual (node 1)",
        "camera of node (2 times, first at node 1)",
        "EXT_mesh_gpu_instancing without a mesh (node 2)",
        "attribute _ID of EXT_mesh_gpu_instancing (node 2)",
        "mood of node (node 3)",
        "extension KHR_materials_variants (mesh 0)",
        "attribute COLOR_0 (mesh 0)",
        "attribute JOINTS_1 (mesh 0)",
        "attribute WEIGHTS_1 (mesh 0)",
        "attribute _HEAT (mesh 0)",
        "morph targets with weights of 0 (mesh 0)",
        "primitive of points (mesh 1)",
        "primitive of lines (2 times, first at mesh 1)",
        "primitive of a line strip (mesh 1)",
        "primitive without POSITION (mesh 2)",
        "primitive of mode 9 (mesh 2)",
        "extension KHR_materials_ior (material 0)",
        "normalTexture of material (material 0)",
        "metallicRoughnessTexture of pbrMetallicRoughness (material 0)",
        "alphaMode MASK: holes by the image of material (material 0)",
        "extension XY_tiles (material 0)",
        "extension EXT_meshopt_compression (bufferView 0)",
        "animation (2 times, first at animation 0)",
        "scene beside the shown one (scene 1)",
        "extension AGI_articulations",
        "mood",
        "extension XY_whole_file",
    ]


def test_what_says_nothing_of_surfaces_is_passed_over(file):
    content = file.content
    content["extras"] = content["nodes"][0]["extras"] = {"anything": [1]}
    content["meshes"][0]["primitives"][0]["attributes"] |= {"NORMAL": 0, "TEXCOORD_3": 0}
    content["materials"][0] |= {
        "doubleSided": True,
        "emissiveFactor": [1, 1, 1],
        "extensions": {"KHR_materials_unlit": {}, "KHR_materials_transmission": {}},
    }
    content["samplers"] = [{"magFilter": 9728}]
    content["extensionsUsed"] = ["KHR_materials_unlit", "KHR_mesh_quantization", "KHR_xmp_json_ld"]
    assert file.listed() == []


def test_names_of_any_length_take_one_line(file):
    file.content["nodes"][0]["a\nb" * 1000] = 1
    (line,) = file.listed()
    assert line.startswith("a ba b")
    assert len(line) < 120


@pytest.mark.parametrize("shift_m", [0.0, 0.5])
def test_a_skin_in_another_pose_than_it_was_bound_in_is_listed(file, shift_m):
    joints = np.zeros((8, 4)), np.tile((1.0, 0.0, 0.0, 0.0), (8, 1))
    file.node("Person", mesh=file.mesh(*block((1.0, 1.0, 1.0)), *joints), skin=0)
    joint = file.node("Hip", (0.0, 0.0, 1.0 + shift_m))
    inverse = np.eye(4, dtype="<f4")
    inverse[3, 1] = -1.0  # by columns: bound 1 m above the ground
    file.content["skins"] = [
        {"joints": [joint], "inverseBindMatrices": file.accessor(inverse[None], "MAT4", 5126)}
    ]
    expected = (
        ["pose of joints at rest: their skin stands as it was bound (node 1)"] if shift_m else []
    )
    assert file.listed() == expected
