# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""What a mesh file needs beside itself is found, and nothing that it may not read."""

import json

import pytest

from raycore.mesh.companions import companion_files


def test_libraries_are_those_that_an_obj_file_names(tmp_path):
    for name in ("a b.mtl", "c.mtl", "other.mtl"):
        (tmp_path / name).write_text("newmtl x")
    (tmp_path / "x.obj").write_text(
        "mtllib a b.mtl\nmtllib sub\\c.mtl absent.mtl\n# mtllib other.mtl"
    )
    found = companion_files(tmp_path / "x.obj")
    assert found == {name: tmp_path / name for name in ("a b.mtl", "c.mtl")}


def test_a_name_that_is_absolute_stands_for_a_file_beside(tmp_path):
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "c.mtl").write_text("newmtl x")
    (tmp_path / "x.obj").write_text(f"mtllib {tmp_path / 'deep' / 'c.mtl'}")
    assert companion_files(tmp_path / "x.obj") == {"c.mtl": tmp_path / "deep" / "c.mtl"}


def test_files_outside_of_the_roots_are_left_out(tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "c.mtl").write_text("newmtl x")
    (tmp_path / "in" / "x.obj").write_text("mtllib ../c.mtl")
    assert companion_files(tmp_path / "in" / "x.obj").keys() == {"../c.mtl"}
    assert companion_files(tmp_path / "in" / "x.obj", roots=[tmp_path / "in"]) == {}


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\xff\xfe",
        b"[]",
        b"{",
        json.dumps({"buffers": [{"uri": "data:,x"}, {"uri": "https://x/y.bin"}, {}]}).encode(),
        json.dumps({"buffers": [{"uri": 7}]}).encode(),
    ],
)
@pytest.mark.parametrize("name", ["x.gltf", "x.glb", "x.obj", "x.stl", "x.csv"])
def test_files_that_need_nothing_or_cannot_be_read_need_nothing(tmp_path, name, content):
    (tmp_path / name).write_bytes(content)
    assert companion_files(tmp_path / name) == {}
    assert companion_files(tmp_path / f"absent_{name}") == {}


def test_images_of_base_colours_are_asked_for(tmp_path):
    colour = {"pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}}
    header = {
        "buffers": [{"uri": "a.bin"}],
        "materials": [colour, {"normalTexture": {"index": 1}}, {}],
        "textures": [{"source": 0}, {"source": 1}],
        "images": [{"uri": "maps/a%20b.png"}, {"uri": "normals.png"}],
    }
    (tmp_path / "maps").mkdir()
    for name in ("a.bin", "maps/a b.png", "normals.png"):
        (tmp_path / name).write_bytes(b"x")
    (tmp_path / "x.gltf").write_text(json.dumps(header))
    assert companion_files(tmp_path / "x.gltf").keys() == {"a.bin"}
    both = companion_files(tmp_path / "x.gltf", images=True)
    assert both.keys() == {"a.bin", "maps/a b.png"}
