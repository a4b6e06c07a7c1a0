# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Meshes of the extension are what osi-lidar's reader of glTF gives back."""

import numpy as np
import pytest

from raycore.mesh.loading import load_mesh
from tests.builders.blender_extension import part

glb = part("glb")
PNG = b"\x89PNG\r\n\x1a\n"


def surface(**given):
    points = np.array([[0, 0, 0], [2, 0, 0], [0, 1, 0], [0, 0, 3]], np.float32)
    triangles = np.array([[0, 1, 2], [0, 2, 3], [0, 3, 1]], np.uint32)
    look_of = np.array([2, 0, 2], np.int32)
    return glb.Surface(points, triangles, look_of, **given)


def written(folder, content):
    file = folder / "mesh.glb"
    file.write_bytes(glb.glb_of(content))
    return load_mesh(file)


def test_triangles_and_materials_come_back(tmp_path):
    red = glb.Look("Paint, red", (0.5, 0.0, 0.0, 1.0), metallic=0.25, roughness=0.75)
    looks = (red, glb.Look("unused"), glb.Look("Glas ü", (1, 1, 1, 0.5), transmission=1.0))
    mesh = written(tmp_path, surface(looks=looks))
    assert mesh.slot_names == ("Paint, red", "Glas ü")
    corners = (mesh.vertices_m + mesh.origin_m)[mesh.faces]
    given = surface(looks=looks)
    by_slot = [corners[mesh.slot == slot] for slot in range(2)]
    assert by_slot[0] == pytest.approx(given.points[given.triangles[[1]]])
    assert by_slot[1] == pytest.approx(given.points[given.triangles[[0, 2]]])
    paint, glass = mesh.materials
    assert paint.metalness == pytest.approx(0.25)
    assert glass.transmission == pytest.approx(1.0)
    assert glass.opacity == pytest.approx(0.5)
    assert not mesh.not_followed


def test_faces_without_a_material_have_the_empty_name(tmp_path):
    mesh = written(tmp_path, surface(looks=(glb.Look(""), glb.Look(""), glb.Look("Brick"))))
    assert set(mesh.slot_names) == {"", "Brick"}


def test_places_in_images_and_the_name_of_the_image_come_back(tmp_path):
    (tmp_path / "checks.png").write_bytes(PNG)
    uv = np.array([[0, 0], [1, 0], [0, 1], [0.5, 0.5]], np.float32)
    looks = (glb.Look("Brick"), glb.Look(""), glb.Look("Tiles", image="checks.png"))
    mesh = written(tmp_path, surface(looks=looks, uv=uv))
    assert mesh.materials[mesh.slot_names.index("Tiles")].texture == "checks.png"
    tiles = mesh.faces[mesh.slot == mesh.slot_names.index("Tiles")]
    found = {tuple(row) for row in mesh.uv[tiles].reshape(-1, 2).tolist()}
    assert found == {tuple(row) for row in uv.tolist()}


def test_bounds_are_those_of_corners_in_use():
    loose = surface(looks=(glb.Look(""),) * 3)
    points = np.vstack((loose.points, [[9, 9, 9]])).astype(np.float32)
    alone = glb.Surface(points, loose.triangles, loose.look_of, loose.looks)
    assert alone.bounds.tolist() == [[0, 0, 0], [2, 1, 3]]


def test_the_same_surface_has_the_same_bytes():
    looks = (glb.Look("a"), glb.Look("b"), glb.Look("c"))
    assert glb.glb_of(surface(looks=looks)) == glb.glb_of(surface(looks=looks))
