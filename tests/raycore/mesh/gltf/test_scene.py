# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""What a glTF file draws: instances, hidden nodes, morph targets, and files without a scene."""

import numpy as np
import pytest

from raycore.errors import MeshError
from raycore.mesh.loading import load_mesh
from tests.builders.gltf import Gltf, block
from tests.builders.refusals import one_line
from tests.raycore.helpers import corners_m

CUBE_M = (1.0, 1.0, 1.0)
MOVES_M = np.array([[0, 0, 0], [10, 0, 0], [20, 0, 0]], "<f4")
SIZES = np.array([[1, 1, 1], [1, 1, 1], [2, 2, 2]], "<f4")
HALF = np.sqrt(0.5)
TURNS = np.array([[0, 0, 0, 1], [0, 0, HALF, HALF], [0, 0, 1, 0]])  # 0, 90 and 180 deg about z


@pytest.fixture
def file(tmp_path):
    """A file of a cube of 1 m about the origin, and a function that reads it."""
    made = Gltf()
    made.node("Cube", mesh=made.mesh(*block(CUBE_M)))
    made.load = lambda: load_mesh(made.write(tmp_path / "a.gltf"))
    return made


def repeat(made, node=0, **accessors):
    """Let a node repeat its mesh."""
    extensions = {"EXT_mesh_gpu_instancing": {"attributes": accessors}}
    made.content["nodes"][node]["extensions"] = extensions
    made.content["extensionsUsed"] = ["EXT_mesh_gpu_instancing"]


def vectors(made, rows):
    return made.accessor(np.asarray(rows, "<f4"), "VEC3", 5126)


def test_instances_are_moved_and_scaled(file):
    repeat(file, TRANSLATION=vectors(file, MOVES_M), SCALE=vectors(file, SIZES))
    mesh = file.load()
    assert len(mesh.faces) == 36
    np.testing.assert_allclose([[-0.5, -1, -1], [21, 1, 1]], mesh.bounds_m, atol=1e-6)
    assert mesh.not_followed == ()


@pytest.mark.parametrize("required", [False, True])
def test_a_file_may_require_instances(file, required):
    repeat(file, TRANSLATION=vectors(file, MOVES_M))
    if required:
        file.content["extensionsRequired"] = ["EXT_mesh_gpu_instancing"]
    np.testing.assert_allclose([[-0.5, -0.5, -0.5], [20.5, 0.5, 0.5]], file.load().bounds_m)


@pytest.mark.parametrize(
    ("dtype", "component"), [("<f4", 5126), ("i1", 5120), ("<i2", 5122), ("<u2", 5123)]
)
def test_instances_are_turned_by_quaternions_of_any_type(file, dtype, component):
    whole = np.dtype(dtype).kind in "iu"
    most = np.iinfo(dtype).max if whole else 1.0
    turns = file.accessor((TURNS * most).round().astype(dtype), "VEC4", component)
    file.content["accessors"][turns]["normalized"] = whole
    repeat(file, TRANSLATION=vectors(file, MOVES_M), ROTATION=turns)
    file.content["nodes"][0]["scale"] = [2.0, 1.0, 1.0]  # of the node: after the instance's turn
    corners = corners_m(file.load()).reshape(3, -1, 3)
    # (0.5, 0.5, 0.5) turned by 0, 90 and 180 deg, moved by 0, 10 and 20, and doubled in x
    expected = [(1.0, 0.5, 0.5), (19.0, 0.5, 0.5), (39.0, -0.5, 0.5)]
    first = corners[0].tolist().index([1.0, 0.5, 0.5])
    np.testing.assert_allclose(expected, corners[:, first], atol=1e-3)


@pytest.mark.parametrize("interleaved", [False, True])
def test_instances_whose_numbers_share_a_view_are_as_from_views_of_their_own(file, interleaved):
    columns = {"TRANSLATION": MOVES_M, "ROTATION": TURNS.astype("<f4"), "SCALE": SIZES}
    kinds = {name: f"VEC{rows.shape[1]}" for name, rows in columns.items()}
    own = {name: file.accessor(rows, kinds[name], 5126) for name, rows in columns.items()}
    repeat(file, **own)
    expected = corners_m(file.load())
    joined = [rows if interleaved else rows.reshape(1, -1) for rows in columns.values()]
    shared = file.accessor(np.concatenate(joined, axis=1), "SCALAR", 5126)
    view = file.content["accessors"].pop(shared)["bufferView"]
    if interleaved:
        file.content["bufferViews"][view]["byteStride"] = 4 * sum(each.shape[1] for each in joined)
    start = 0
    for place, part in zip(own.values(), joined, strict=True):
        file.content["accessors"][place].update(bufferView=view, byteOffset=start)
        start += 4 * part.shape[1]
    np.testing.assert_array_equal(expected, corners_m(file.load()))


def test_children_of_a_node_with_instances_are_drawn_once(file):
    file.node("Child", (0.0, 5.0, 0.0), parent=0, mesh=0)
    repeat(file, TRANSLATION=vectors(file, MOVES_M))
    assert len(file.load().faces) == 48


def test_instances_in_a_sparse_accessor_are_where_it_says(file):
    places = vectors(file, np.zeros((3, 3)))
    changed = file.accessor(np.array([2], "<u2"), "SCALAR", 5123)
    values = vectors(file, [[7.0, 0.0, 0.0]])
    views = [file.content["accessors"][each]["bufferView"] for each in (changed, values)]
    file.content["accessors"][places]["sparse"] = {
        "count": 1,
        "indices": {"bufferView": views[0], "componentType": 5123},
        "values": {"bufferView": views[1]},
    }
    repeat(file, TRANSLATION=places)
    np.testing.assert_allclose([[-0.5, -0.5, -0.5], [7.5, 0.5, 0.5]], file.load().bounds_m)


def test_instances_keep_places_in_images_and_materials(file):
    primitive = file.content["meshes"][0]["primitives"][0]
    places = np.linspace(0, 1, 16).reshape(8, 2).astype("<f4")
    primitive["attributes"]["TEXCOORD_0"] = file.accessor(places, "VEC2", 5126)
    file.content["materials"][0]["pbrMetallicRoughness"] = {"baseColorTexture": {"index": 0}}
    repeat(file, TRANSLATION=vectors(file, MOVES_M))
    mesh = file.load()
    np.testing.assert_allclose(np.tile(places, (3, 1)), mesh.uv)
    assert mesh.slot_names == ("Paint",)


def test_wheels_that_are_instances_stay_where_they_are_and_are_listed(file):
    file.content["nodes"][0]["name"] = "Wheel_Front_Left"
    repeat(file, TRANSLATION=vectors(file, MOVES_M))
    mesh = file.load()
    assert not mesh.weight.any()
    assert list(map(str, mesh.not_followed)) == [
        "wheel or skin of EXT_mesh_gpu_instancing (node 0)"
    ]


def of_other_counts(made):
    repeat(made, TRANSLATION=vectors(made, MOVES_M), SCALE=vectors(made, SIZES[:2]))


def of_another_type(made):
    repeat(made, TRANSLATION=made.accessor(TURNS.astype("<f4"), "VEC4", 5126))


def too_many(made):
    repeat(made, TRANSLATION=vectors(made, MOVES_M))
    made.content["accessors"][-1]["count"] = 10**12


def more_than_the_file_may_draw(made):
    many = vectors(made, np.zeros((8000, 3)))
    made.content["meshes"][0]["primitives"][0]["attributes"]["POSITION"] = many
    repeat(made, TRANSLATION=vectors(made, np.zeros((1000, 3))))


def beyond_the_buffer(made):
    repeat(made, TRANSLATION=vectors(made, MOVES_M))
    made.content["accessors"][-1]["count"] = 4


def beyond_its_mesh(made):
    repeat(made, TRANSLATION=vectors(made, MOVES_M))
    made.content["accessors"][0]["count"] = 7  # face 0 of the next copy is no corner of this one


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (of_other_counts, "node 0: SCALE of EXT_mesh_gpu_instancing has 2 VEC3, expected 3 VEC3"),
        (of_another_type, "node 0: TRANSLATION of .* has 3 VEC4, expected 3 VEC3"),
        (too_many, "instances of a node: got 1000000000000, expected at most"),
        (more_than_the_file_may_draw, "vertices and corners: got 8036000, expected at most"),
        (beyond_the_buffer, "cannot be read as glTF"),
        (beyond_its_mesh, "face .* refers to vertices .*, expected 0 to 6"),
    ],
)
def test_instances_that_make_no_sense_give_one_line(file, damage, message):
    damage(file)
    with one_line(MeshError, match=message):
        file.load()


def test_a_file_without_scenes_is_all_its_root_nodes(file):
    file.node("Child", (0.0, 0.0, 5.0), parent=0, mesh=0)
    file.node("Beside", (3.0, 0.0, 0.0), mesh=0)
    for key in ("scene", "scenes"):
        del file.content[key]
    mesh = file.load()
    assert len(mesh.faces) == 36
    np.testing.assert_allclose([[-0.5, -0.5, -0.5], [3.5, 5.5, 0.5]], mesh.bounds_m)


def test_wheels_of_a_file_without_scenes_are_found(file):
    file.content["nodes"][0]["name"] = "Wheel_Front_Left"
    for key in ("scene", "scenes"):
        del file.content[key]
    assert [bone.name for bone in file.load().bones] == ["Wheel_Front_Left"]


def test_hidden_nodes_hide_all_below_them(file):
    hidden = {"KHR_node_visibility": {"visible": False}}
    far = file.node("Hidden", (50.0, 0.0, 0.0), mesh=0, extensions=hidden)
    below = file.node("Below", (50.0, 0.0, 0.0), parent=far)
    shown = {"KHR_node_visibility": {"visible": True}}
    file.node("Deeper", parent=below, mesh=0, extensions=shown)
    file.node("Shown", (2.0, 0.0, 0.0), mesh=0, extensions=shown)
    file.content["extensionsRequired"] = file.content["extensionsUsed"] = ["KHR_node_visibility"]
    mesh = file.load()
    assert len(mesh.faces) == 24
    np.testing.assert_allclose([[-0.5, -0.5, -0.5], [2.5, 0.5, 0.5]], mesh.bounds_m)
    assert mesh.not_followed == ()


def with_targets(made):
    """Give the cube two morph targets: 1 m along x, and 1 m along y for its upper half in glTF."""
    primitive = made.content["meshes"][0]["primitives"][0]
    along_x = vectors(made, np.tile((1.0, 0.0, 0.0), (8, 1)))
    along_y = vectors(made, np.tile((0.0, 1.0, 0.0), (8, 1)))
    primitive["targets"] = [{"POSITION": along_x}, {"POSITION": along_y, "NORMAL": 77}]


@pytest.mark.parametrize(
    ("of_mesh", "of_node", "shift"),
    [
        (None, None, (0, 0, 0)),
        ([0.5, 0.0], None, (0.5, 0, 0)),
        ([0.5, 0.0], [0.0, -2.0], (0, -2, 0)),
        ([1.0, 1.0], [0.0, 0.0], (0, 0, 0)),
        (None, [1.0, 1.0], (1, 1, 0)),
    ],
)
def test_morph_targets_move_vertices_by_their_weights_at_rest(file, of_mesh, of_node, shift):
    with_targets(file)
    for holder, weights in (("meshes", of_mesh), ("nodes", of_node)):
        if weights is not None:
            file.content[holder][0]["weights"] = weights
    mesh = file.load()
    np.testing.assert_allclose(np.add([[-0.5] * 3, [0.5] * 3], [shift, shift]), mesh.bounds_m)
    listed = [str(each) for each in mesh.not_followed]
    none = [] if any((of_mesh or []) + (of_node or [])) else ["morph targets with weights of 0"]
    assert [each.partition(" (")[0] for each in listed] == none


def test_morph_targets_that_do_not_fit_give_one_line(file):
    with_targets(file)
    file.content["meshes"][0]["weights"] = [1.0]
    with one_line(MeshError, match="node 0: its mesh has 1 weights, expected one for each of 2"):
        file.load()
    file.content["meshes"][0]["weights"] = [1.0, 0.0]
    file.content["meshes"][0]["primitives"][0]["targets"][0]["POSITION"] = vectors(file, MOVES_M)
    with one_line(MeshError, match="a morph target has 3 VEC3, expected 8 VEC3"):
        file.load()
