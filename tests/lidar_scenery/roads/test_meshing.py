# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Road parts as meshes: tiles, vertices, materials."""

import numpy as np
import pytest

from lidar_scenery.roads.from_osi import road_parts
from lidar_scenery.roads.meshing import MOST_TILES, TILE_M, road_meshes
from lidar_scenery.roads.parts import Patch, RoadParts, Strip
from tests.lidar_scenery.roads.networks import lane, line, network, two_lanes


def area_m2(mesh):
    a, b, c = (mesh.vertices_m.astype(float)[mesh.faces[:, k]] for k in range(3))
    return 0.5 * np.cross(b - a, c - a)[:, 2]


def test_meshes_have_the_area_and_the_materials_of_the_parts():
    parts = road_parts(two_lanes("NO_LINE"))
    meshes = road_meshes(parts)
    for mesh in meshes:
        assert mesh.slot_names == ("road_asphalt", "marking_white")
        assert mesh.materials[1].base_color is not None
        assert area_m2(mesh).min() > 0.0
    assert sum(area_m2(mesh).sum() for mesh in meshes) == pytest.approx(630.0, rel=1e-6)


def test_tiles_far_from_the_origin_keep_their_millimetres():
    far = np.array([691_000.123, 5_335_000.456, 500.789])
    x = np.arange(0.0, 501.0, 10.0)
    points = far + np.stack([x, 0 * x, 0 * x], axis=1)
    lines = [line(1, points + [0, 2, 0], "NO_LINE"), line(2, points - [0, 2, 0], "NO_LINE")]
    meshes = road_meshes(road_parts(network(lines, [lane(1, (1,), (2,))])))
    assert len(meshes) in (4, 5)
    for mesh in meshes:
        extent = np.ptp(mesh.bounds_m, axis=0)
        assert extent.max() <= TILE_M + 20.0
        y = mesh.vertices_m[:, 1].astype(float) + mesh.origin_m[1]
        assert np.abs(np.abs(y - far[1]) - 2.0).max() < 1e-4
    assert sum(area_m2(mesh).sum() for mesh in meshes) == pytest.approx(2000.0, rel=1e-5)


def test_a_field_as_large_as_a_country_has_no_more_meshes_than_a_town():
    n = 3000
    x, y = np.repeat(np.arange(n), 3) * 1000.0, np.tile([0.0, 0.0, 100.0], n)
    x += np.tile([0.0, 100.0, 0.0], n)
    field = Patch(
        material="ground_grass",
        points_m=np.column_stack([x, y, np.zeros(3 * n)]),
        triangles=np.arange(3 * n).reshape(-1, 3),
    )
    meshes = road_meshes(RoadParts(patches=(field,)))
    assert MOST_TILES / 10 < len(meshes) <= MOST_TILES
    assert sum(area_m2(mesh).sum() for mesh in meshes) == pytest.approx(n * 5000.0, rel=1e-3)


def test_triangles_without_an_area_are_left_out():
    tip = Strip(
        material="road_asphalt",
        left_m=np.array([[0.0, 0, 0], [1, 1, 0]]),
        right_m=np.array([[0.0, 0, 0], [1, -1, 0]]),
    )
    single = Strip(material="road_gravel", left_m=np.zeros((1, 3)), right_m=np.ones((1, 3)))
    patch = Patch(
        material="kerb_stone",
        points_m=np.array([[0.0, 0, 5], [1, 0, 5], [0, 1, 5]]),
        triangles=np.array([[0, 1, 2], [0, 0, 1]]),
    )
    (mesh,) = road_meshes(RoadParts(strips=(tip, single), patches=(patch,)))
    assert mesh.slot_names == ("road_asphalt", "kerb_stone")
    assert len(mesh.faces) == 2


def test_nothing_has_no_mesh():
    assert road_meshes(RoadParts()) == []
