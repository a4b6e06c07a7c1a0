# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""A mesh in several places is met like the same triangles, written out for each of them."""

from dataclasses import replace

import numpy as np
import pytest

from raycore.mesh.cache import MeshCache
from raycore.mesh.copies import MeshCopies, bounds_m, outer_bounds_m, written_out
from raycore.mesh.readers import MeshSource
from raycore.records import NOTHING
from raycore.scene.graph import SceneGraph
from tests.raycore.helpers import (
    TRACER,
    corners_m,
    mesh,
    pose,
    random_rotation,
    rays,
    sphere_of_directions,
)

CORNERS = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], np.float64)
FACES = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]


def tetrahedron(slot):
    """Return a mesh of two materials, whose local origin is far from that of its frame."""
    one = mesh(CORNERS, FACES, slot, ("bark", "leaf"))
    return replace(one, origin_m=np.array([40.0, -20.0, 3.0]))


def places(rng, n):
    """Return poses that turn, stretch by axes up to fourfold and mirror every other one."""
    found = []
    for k in range(n):
        one = pose(rng.uniform(-15, 15, 3), random_rotation(rng))
        stretch = np.diag([*rng.uniform(1, 4, 3), 1.0]) @ pose(rotation=random_rotation(rng))
        stretch[0] *= -1 if k % 2 else 1
        center = pose((-40.0, 20.0, -3.0))
        found.append(one @ stretch @ center)
    return np.array(found)


def several(rng):
    return (
        MeshCopies(tetrahedron([0, 0, 1, 1]), places(rng, 40)),
        MeshCopies(tetrahedron([1, 0, 1, 0]), places(rng, 25)),
        MeshCopies(tetrahedron([1, 1, 1, 1]), np.eye(4)[None]),
    )


def hits_of(copies, the_rays, sensor):
    """Return the hits, and the material slot of each, in the order of the rays."""
    scene = SceneGraph()
    for one, where in copies:
        index = scene.add_mesh(one)
        for each in where:
            scene.add(index, each)
    scene.commit(sensor[:3, 3])
    hits = TRACER.trace(scene, the_rays, sensor).copy()
    met = hits.instance != NOTHING
    tables = scene.tables
    first = tables.first_row[tables.mesh_of_instance[hits.instance[met]]]
    slot = np.full(len(hits), -1)
    slot[met] = tables.slot_of_primitive[first + hits.primitive[met]]
    return hits, slot


@pytest.mark.parametrize("seed", range(4))
def test_rays_meet_copies_where_they_meet_the_triangles_written_out(seed):
    rng = np.random.default_rng(seed)
    copies = several(rng)
    whole = (MeshCopies(written_out(copies), np.eye(4)[None]),)
    the_rays = rays(sphere_of_directions(20_000, rng))
    sensor = pose((0.5, 1.0, -0.5), random_rotation(rng))
    got, slot = hits_of(copies, the_rays, sensor)
    expected, expected_slot = hits_of(whole, the_rays, sensor)
    assert (expected_slot >= 0).sum() > 1000
    same = slot == expected_slot
    assert same.mean() > 0.999  # the others pass within rounding of an edge
    met = same & (slot >= 0)
    # Both forms round corners to float32 of some 60 m, 4e-6 m; a grazing ray sees that prolonged.
    limit = 1e-5 / np.maximum(expected.cos_incidence[met], 1e-3)
    off = np.abs(got.range_m - expected.range_m)[met]
    assert (off < limit).mean() > 0.999
    steep = met & (expected.cos_incidence > 0.1)
    turned = np.abs(got.normal - expected.normal)[:, steep].max(axis=0)
    assert (turned < 1e-4).mean() > 0.999


def test_triangles_are_written_out_copy_by_copy():
    copies = several(np.random.default_rng(1))
    expected = np.concatenate(
        [
            corners_m(each.mesh) @ where[:3, :3].T + where[:3, 3]
            for each in copies
            for where in each.places
        ]
    )
    whole = written_out(copies)
    np.testing.assert_allclose(corners_m(whole), expected, atol=1e-5)
    np.testing.assert_array_equal(
        whole.slot, np.concatenate([np.tile(each.mesh.slot, len(each.places)) for each in copies])
    )
    np.testing.assert_allclose(bounds_m(copies), whole.bounds_m, atol=1e-5)
    low_m, high_m = outer_bounds_m(copies)
    assert (low_m <= whole.bounds_m[0] + 1e-5).all()
    assert (high_m >= whole.bounds_m[1] - 1e-5).all()
    assert sum(each.n_triangles for each in copies) == len(whole.faces)
    assert sum(each.n_vertices for each in copies) == len(whole.vertices_m)


def test_a_mesh_that_stands_as_it_is_is_not_copied():
    one = tetrahedron([0, 0, 1, 1])
    assert written_out([MeshCopies(one, np.eye(4)[None])]) is one


def test_the_cache_keeps_meshes_and_places(tmp_path):
    path = tmp_path / "a.obj"
    data = b"#" * 2**16
    path.write_bytes(data)
    source, cache = MeshSource(path=path, roots=None), MeshCache(tmp_path / "cache")
    copies = several(np.random.default_rng(2))
    assert source.read() == data
    cache.keep(copies, source, data)
    found = cache.find(source)
    assert len(found) == len(copies)
    for got, expected in zip(found, copies, strict=True):
        np.testing.assert_array_equal(got.places, expected.places)
        np.testing.assert_array_equal(corners_m(got.mesh), corners_m(expected.mesh))
        np.testing.assert_array_equal(got.mesh.slot, expected.mesh.slot)
        assert got.mesh.materials == expected.mesh.materials
        assert got.mesh.name == "a.obj"
