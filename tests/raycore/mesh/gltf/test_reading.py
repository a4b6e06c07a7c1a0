# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""glTF and GLB, from files of a few triangles made here."""

import base64
import json
import random
import struct
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from raycore.errors import MeshError
from raycore.mesh.companions import companion_files
from raycore.mesh.loading import load_mesh
from raycore.mesh.mesh import Mesh
from tests.builders.files import written
from tests.builders.refusals import one_line
from tests.raycore.helpers import corners_m

POINTS = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], dtype="<f4")
INDICES = np.array([0, 1, 2, 0, 2, 3], dtype="<u2")
BINARY = POINTS.tobytes() + INDICES.tobytes()  # 48 + 12 bytes


def square() -> dict[str, Any]:
    """A unit square as two primitives of one triangle each, in a buffer beside the file."""
    attributes = {"POSITION": 0, "TEXCOORD_0": 99}  # 99: there is no such accessor, none is needed
    return {
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0}],
        "materials": [
            {
                "name": "Glass",
                "pbrMetallicRoughness": {"baseColorTexture": {"index": 0}},
            },
            {"name": "Paint_Red"},
        ],
        "textures": [{"source": 0}],
        "images": [{"uri": "absent.png"}],
        "meshes": [
            {
                "primitives": [
                    {"attributes": attributes, "indices": 1, "material": 1},
                    {"attributes": attributes, "indices": 2, "material": 0},
                ]
            }
        ],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3"},
            {"bufferView": 1, "componentType": 5123, "count": 3, "type": "SCALAR"},
            {
                "bufferView": 1,
                "byteOffset": 6,
                "componentType": 5123,
                "count": 3,
                "type": "SCALAR",
            },
        ],
        "bufferViews": [
            {"buffer": 0, "byteLength": 48},
            {"buffer": 0, "byteOffset": 48, "byteLength": 12},
        ],
        "buffers": [{"uri": "square.bin", "byteLength": 60}],
    }


@pytest.fixture
def load(tmp_path) -> Callable[[dict[str, Any]], Mesh]:
    def load_header(header: dict[str, Any]) -> Mesh:
        (tmp_path / "square.bin").write_bytes(BINARY)
        (tmp_path / "a.gltf").write_text(json.dumps(header))
        return load_mesh(tmp_path / "a.gltf", roots=[tmp_path])

    return load_header


def glb(header: dict[str, Any], binary: bytes = BINARY) -> bytes:
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 4)
    chunks = struct.pack("<I4s", len(text), b"JSON") + text
    chunks += struct.pack("<I4s", len(binary), b"BIN\0") + binary
    return struct.pack("<4sII", b"glTF", 2, 12 + len(chunks)) + chunks


def test_square_keeps_its_triangles_and_material_names(load):
    mesh = load(square())
    assert mesh.slot_names == ("Paint_Red", "Glass")
    assert mesh.slot.tolist() == [0, 1]
    np.testing.assert_array_equal(POINTS[INDICES].reshape(2, 3, 3), corners_m(mesh))


def test_faces_without_a_material_or_with_a_nameless_one_have_the_empty_name(load):
    header = square()
    del header["meshes"][0]["primitives"][0]["material"]
    del header["materials"][0]["name"]
    mesh = load(header)
    assert mesh.slot_names == ("",)
    assert mesh.slot.tolist() == [0, 0]


def test_node_transforms_apply_from_the_root_down(load):
    header = square()
    # Parent: 90 deg about z, then moved by 10 in x. Child: doubled. (1, 0, 0) -> (10, 2, 0).
    half = float(np.sqrt(0.5))
    header["nodes"] = [
        {"children": [1, 2], "rotation": [0, 0, half, half], "translation": [10, 0, 0]},
        {"mesh": 0, "scale": [2, 2, 2], "name": "same name"},
        {"mesh": 0, "name": "same name", "camera": 0},
    ]
    triangles = corners_m(load(header)).round(6)
    assert len(triangles) == 4  # both instances of the mesh
    np.testing.assert_array_equal([[10, 0, 0], [10, 2, 0], [8, 2, 0]], triangles[0])
    np.testing.assert_array_equal([[10, 0, 0], [10, 1, 0], [9, 1, 0]], triangles[2])


def test_a_node_may_stand_at_utm_coordinates(load):
    header = square()
    header["nodes"][0]["translation"] = [500_000.25, 300.5, -5_600_000.75]
    np.testing.assert_allclose(
        [[500_000.25, 300.5, -5_600_000.75], [500_001.25, 301.5, -5_600_000.75]],
        load(header).bounds_m,
        rtol=0,
        atol=1e-6,
    )


def test_missing_buffer_is_named(tmp_path):
    path = written(tmp_path / "a.gltf", json.dumps(square()))
    with pytest.raises(MeshError, match=r"a\.gltf: needs .*square\.bin, which does not exist"):
        load_mesh(path)


def test_short_buffer_is_named(load, tmp_path):
    header = square()
    header["buffers"][0]["uri"] = "short.bin"
    (tmp_path / "short.bin").write_bytes(BINARY[:50])
    with pytest.raises(MeshError, match=r"short\.bin\) has 50 bytes, expected 60"):
        load(header)


def test_buffer_in_a_lost_folder_is_found_beside_the_file(load):
    header = square()
    header["buffers"][0]["uri"] = "data/square.bin"
    assert len(load(header).faces) == 2


@pytest.mark.parametrize(
    ("uri", "folder"),
    [("bin\\square.bin", "bin"), ("bin%5Csquare.bin", "bin"), ("C:\\x\\square.bin", ".")],
)
def test_buffers_with_paths_of_windows_are_found(tmp_path, uri, folder):
    (tmp_path / folder).mkdir(exist_ok=True)
    written(tmp_path / folder / "square.bin", BINARY)
    header = square()
    header["buffers"][0]["uri"] = uri
    path = written(tmp_path / "a.gltf", json.dumps(header))
    assert len(load_mesh(path, roots=[tmp_path]).faces) == 2
    assert {*companion_files(path).values()} == {tmp_path / folder / "square.bin"}


def test_escaped_and_embedded_buffers_are_read(load, tmp_path):
    (tmp_path / "my square.bin").write_bytes(BINARY)
    header = square()
    header["buffers"][0]["uri"] = "my%20square.bin"
    assert len(load(header).faces) == 2
    encoded = base64.b64encode(BINARY).decode()
    header["buffers"][0]["uri"] = f"data:application/octet-stream;base64,{encoded}"
    assert len(load(header).faces) == 2


@pytest.mark.parametrize(
    "uri", ["../secret.bin", "..\\secret.bin", "%2e%2e/secret.bin", "link.bin", "{outside}"]
)
def test_buffers_outside_the_roots_are_refused(tmp_path, uri):
    inside = tmp_path / "inside"
    inside.mkdir()
    secret = written(tmp_path / "secret.bin", BINARY)
    (inside / "link.bin").symlink_to(secret)
    header = square()
    header["buffers"][0]["uri"] = uri.format(outside=secret)
    path = written(inside / "a.gltf", json.dumps(header))
    assert len(load_mesh(path).faces) == 2  # without roots anything may be read
    with pytest.raises(MeshError, match=r"needs .*\.bin, which lies outside the allowed folders"):
        load_mesh(path, roots=[inside])


@pytest.mark.parametrize("uri", ["http://example.com/a.bin", "file:///etc/passwd"])
def test_addresses_are_not_followed(load, uri):
    header = square()
    header["buffers"][0]["uri"] = uri
    with pytest.raises(MeshError, match="expected the path of a file"):
        load(header)


@pytest.mark.long
def test_a_mesh_of_many_primitives_leaves_the_random_numbers_of_others_alone(load):
    header = square()
    header["meshes"][0]["primitives"] *= 300
    random.seed(0)
    before = random.getstate()
    assert len(load(header).faces) == 600
    assert random.getstate() == before


def test_lines_and_points_beside_triangles_are_passed_over(load):
    header = square()
    header["meshes"][0]["primitives"][0]["mode"] = 1
    header["meshes"].append({"primitives": [{"attributes": {"POSITION": 0}, "mode": 0}]})
    header["nodes"][0]["children"] = [1]
    header["nodes"] += [{"mesh": 1, "translation": [5, 0, 0], "children": [2]}, {"mesh": 0}]
    mesh = load(header)
    assert mesh.slot_names == ("Glass",)
    np.testing.assert_allclose([[0, 0, 0], [6, 1, 0]], mesh.bounds_m)


def test_strips_become_triangles(load):
    header = square()
    header["meshes"][0]["primitives"] = [{"attributes": {"POSITION": 0}, "mode": 5}]
    np.testing.assert_allclose([[0, 0, 0], [1, 1, 0]], load(header).bounds_m)
    assert len(load(header).faces) == 2


def test_fans_become_triangles_about_their_first_corner(load):
    header = square()
    header["meshes"][0]["primitives"] = [{"attributes": {"POSITION": 0}, "mode": 6}]
    fan = load(header)
    np.testing.assert_array_equal(POINTS[[[0, 1, 2], [0, 2, 3]]], corners_m(fan))
    header["meshes"][0]["primitives"][0]["indices"] = 1
    np.testing.assert_array_equal(POINTS[[[0, 1, 2]]], corners_m(load(header)))


def change(*path: Any, value: Any) -> Callable[[dict[str, Any]], None]:
    def apply(header: Any) -> None:
        for key in path[:-1]:
            header = header[key]
        header[path[-1]] = value

    return apply


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (change("asset", "version", value="1.0"), r"is glTF 1\.0, expected 2\.0"),
        (change("extensionsRequired", value=["KHR_draco_mesh_compression"]), "requires the glTF"),
        (change("extensionsUsed", value=["CESIUM_RTC"]), "uses the glTF extension CESIUM_RTC, wh"),
        (
            change("nodes", 0, "extensions", value={"KHR_instancing": {}}),
            "uses the glTF extension KHR_instancing at node 0, which moves, repeats or shapes",
        ),
        (change("accessors", 0, "sparse", value={}), "accessor 0 is sparse"),
        (change("accessors", 0, "normalized", value=True), "accessor 0 is sparse, normalized"),
        (change("accessors", 1, value={"count": 3}), "accessor 1 is .* without a bufferView"),
        (change("accessors", 0, "count", value=10**15), "numbers of a mesh: got 10+, expected at"),
        (change("accessors", 0, "count", value=2), "face 0 refers to vertices .* expected 0 to 1"),
        (change("nodes", 0, "children", value=[0]), "node 0 has 2 parents"),
        (change("nodes", 0, "children", value=[7]), "cannot be read as glTF"),
        (
            change("nodes", 0, "translation", value=[float("nan"), 0, 0]),
            "got NaN, which is not a JSON number",
        ),
        (change("nodes", 0, "mesh", value=3), "cannot be read as glTF: list index out of range"),
        (change("meshes", 0, "primitives", value=[]), "has no faces"),
        (change("scenes", 0, "nodes", value=[]), "has no faces"),
        (change("buffers", 0, "uri", value=7), "cannot be read as glTF"),
        (change("buffers", 0, value={"byteLength": 60}), "buffer 0 has neither a uri"),
    ],
)
def test_damage_gives_one_line(load, damage, message):
    header = square()
    damage(header)
    with one_line(MeshError, match=message):
        load(header)


def test_extensions_that_leave_triangles_alone_may_be_required(load):
    header = square()
    header["extensionsRequired"] = ["KHR_texture_transform", "KHR_materials_unlit"]
    assert len(load(header).faces) == 2


def test_glb_reads_as_its_gltf_does(load, tmp_path):
    expected = load(square())
    header = square()
    del header["buffers"][0]["uri"]
    path = written(tmp_path / "a.glb", glb(header))
    mesh = load_mesh(path)
    np.testing.assert_array_equal(expected.vertices_m, mesh.vertices_m)
    np.testing.assert_array_equal(expected.faces, mesh.faces)
    assert expected.slot_names == mesh.slot_names


@pytest.mark.parametrize("length", [1, 11, 12, 20, 300, -40, -1])
def test_truncated_glb_gives_one_line(tmp_path, length):
    header = square()
    del header["buffers"][0]["uri"]
    path = written(tmp_path / "a.glb", glb(header)[:length])
    with pytest.raises(MeshError, match=r"a\.glb: (is cut short|cannot be read as binary glTF)"):
        load_mesh(path)


def test_glb_of_another_version_is_refused(tmp_path):
    path = written(tmp_path / "a.glb", b"glTF\x01\0\0\0" + glb(square())[8:])
    with pytest.raises(MeshError, match="expected 'glTF' and version 2"):
        load_mesh(path)
