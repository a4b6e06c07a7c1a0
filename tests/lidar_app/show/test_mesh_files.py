# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Mesh files hold a mesh once, however often it stands in the world."""

import json
import struct

import numpy as np
import pytest

from lidar_app.show.meshes.files import write_mesh
from osi_lidar.world.object_records import PlacedMesh
from raycore.mesh.loading import load_mesh
from tests.builders.meshes import CUBE


@pytest.mark.parametrize("suffix", ["glb", "obj"])
def test_a_mesh_that_stands_in_many_places_is_in_all_of_them(tmp_path, suffix):
    (tmp_path / "cube.obj").write_text(CUBE)
    cube = load_mesh(tmp_path / "cube.obj")
    places = [np.eye(4), np.eye(4), np.eye(4)]
    for number, place in enumerate(places):
        place[:3, 3] = 10.0 * number, 2.0 * number, number
    path = tmp_path / f"world.{suffix}"
    write_mesh(path, [PlacedMesh(cube, place) for place in places])
    found = load_mesh(path)
    assert len(found.faces) == 3 * len(cube.faces)
    corners = [cube.vertices_m + cube.origin_m + place[:3, 3] for place in places]
    if suffix == "glb":  # y points up
        corners = [each[:, [0, 2, 1]] * [1.0, 1.0, -1.0] for each in corners]
    expected = np.concatenate(corners)
    got = found.vertices_m + found.origin_m
    for rows in (expected, got):
        assert len(rows) >= 24
    np.testing.assert_allclose(
        np.unique(got.round(4), axis=0), np.unique(expected.round(4), axis=0), atol=1e-4
    )


def test_the_triangles_of_a_mesh_are_in_a_glb_file_once(tmp_path):
    (tmp_path / "cube.obj").write_text(CUBE)
    cube = load_mesh(tmp_path / "cube.obj")
    path = tmp_path / "world.glb"
    write_mesh(path, [PlacedMesh(cube, np.eye(4))] * 5)
    data = path.read_bytes()
    (length,) = struct.unpack_from("<I", data, 12)
    content = json.loads(data[20 : 20 + length])
    assert len(content["meshes"]) == 1
    assert sum("mesh" in node for node in content["nodes"]) == 5
