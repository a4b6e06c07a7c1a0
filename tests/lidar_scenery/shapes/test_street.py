# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Shapes beside a road: they fill their boxes, are closed, and say what OSI says of them."""

from collections import Counter

import numpy as np
import pytest
import trimesh
from osi3.osi_object_pb2 import StationaryObject

from lidar_scenery.shapes.lights import LIGHTS
from lidar_scenery.shapes.looks import LOOKS
from lidar_scenery.shapes.meshes import mesh_of
from lidar_scenery.shapes.roadside.outlines import prism
from lidar_scenery.shapes.signs import _FACES, SIGNS
from lidar_scenery.shapes.street import STREET, stationary_shape
from osi_bridge.description.details import ObjectDetails
from tests.builders.refusals import one_line

ALL = {**STREET, **SIGNS, **LIGHTS}
PLAIN = ObjectDetails()
RICH = ObjectDetails(material="METAL", color=(0.9, 0.1, 0.1), sign_value=130.0)
L_SHAPE = ((-5.0, -4.0), (5.0, -4.0), (5.0, 0.0), (0.0, 0.0), (0.0, 4.0), (-5.0, 4.0))
BOW_TIE = ((0, 0), (1, 1), (1, 0), (0, 1))  # crosses itself
SIZES = [
    (0.01, 0.01, 0.01),
    (0.01, 0.01, 2.0),
    (0.01, 0.6, 2.4),
    (0.6, 0.01, 0.6),
    (2.0, 0.3, 1.0),
    (0.4, 30.0, 1.0),
    (14.0, 14.0, 22.0),
    (9000.0, 0.01, 0.01),
    (3000.0, 9000.0, 500.0),
]


def _mesh(name, size, details=PLAIN):
    return mesh_of(ALL[name].build(size, details), name)


def _solid(mesh):
    solid = trimesh.Trimesh(mesh.vertices_m, mesh.faces, process=True)
    solid.merge_vertices(digits_vertex=6)
    return solid


def _names(mesh):
    return set(mesh.slot_names)


@pytest.mark.parametrize("name", ALL)
def test_shape_fills_its_box_whatever_the_size(name):
    for size in (ALL[name].usual_m, *SIZES):
        for details in (PLAIN, RICH):
            mesh = _mesh(name, size, details)
            low, high = mesh.bounds_m
            assert np.allclose(low, -np.array(size) / 2, atol=1e-3, rtol=0)
            assert np.allclose(high, np.array(size) / 2, atol=1e-3, rtol=0)
            assert 12 <= len(mesh.faces) <= 5000


@pytest.mark.parametrize("name", ALL)
def test_every_surface_has_a_look(name):
    for details in (PLAIN, RICH):
        assert _names(_mesh(name, ALL[name].usual_m, details)) <= set(LOOKS)


@pytest.mark.parametrize("name", ALL)
def test_equal_requests_give_equal_shapes(name):
    first, second = (_mesh(name, (1.2, 1.3, 1.4)) for _ in range(2))
    assert np.array_equal(first.vertices_m, second.vertices_m)


@pytest.mark.parametrize(
    "name",
    ["object", "building", "wall", "barrier", "curbstone", "speed_bump", "reflective_structure"],
)
@pytest.mark.parametrize("size", [(8.0, 6.0, 5.0), (0.3, 20.0, 1.0)])
def test_simple_solids_are_closed_and_face_outwards(name, size):
    solid = _solid(_mesh(name, size))
    assert solid.is_watertight
    assert solid.volume > 0.4 * np.prod(size)


def _unmatched_edges(mesh):
    """Return how many edges of triangles have no partner of the opposite direction."""
    _, corner = np.unique(mesh.vertices_m.round(5), axis=0, return_inverse=True)
    sheets = [i for i, name in enumerate(mesh.slot_names) if name == "Tree_Leaves"]
    f = corner.ravel()[mesh.faces[mesh.faces_of(sheets, inverse=True)]]
    f = f[(f != np.roll(f, 1, axis=1)).all(axis=1)]
    edges = Counter(map(tuple, np.concatenate([f[:, [0, 1]], f[:, [1, 2]], f[:, [2, 0]]]).tolist()))
    return sum(max(n - edges[b, a], 0) for (a, b), n in edges.items())


UNMARKED = [name for name, face in _FACES.items() if not face.mark]  # marks are sheets


@pytest.mark.parametrize("name", [*STREET, *UNMARKED, "sign_crossbuck"])
def test_whatever_is_solid_is_closed_and_faces_outwards(name):
    for size in (ALL[name].usual_m, (0.5, 0.4, 4.0), (0.2, 3.0, 1.0)):
        mesh = _mesh(name, size)
        assert _unmatched_edges(mesh) == 0
        a, b, c = (mesh.vertices_m[mesh.faces[:, i]].astype(float) for i in range(3))
        leaves = name in {"tree", "bush"}
        assert leaves or (a * np.cross(b, c)).sum() > 0


def test_base_polygon_is_extruded_even_if_it_is_not_convex():
    details = ObjectDetails(outline_m=L_SHAPE)
    for name in ("building", "object", "wall", "barrier"):
        solid = _solid(_mesh(name, (10.0, 8.0, 3.0), details))
        assert solid.is_watertight
        assert solid.volume == pytest.approx(60 * 3.0, rel=1e-5)
    assert (
        _solid(_mesh("object", (10.0, 8.0, 3.0), ObjectDetails(outline_m=L_SHAPE[::-1]))).volume > 0
    )


def test_long_and_winding_base_polygon_is_triangulated():
    turn = np.linspace(0, 2 * np.pi, 400, endpoint=False)
    radius = 5 + np.cos(40 * turn)
    star = np.stack([radius * np.cos(turn), radius * np.sin(turn)], axis=1)
    size = tuple(np.ptp(star, axis=0).tolist()) + (2.0,)
    details = ObjectDetails(outline_m=tuple(map(tuple, star.tolist())))
    x, y = star.T
    area = 0.5 * (x * np.roll(y, -1) - y * np.roll(x, -1)).sum()
    solid = _solid(_mesh("object", size, details))
    assert solid.is_watertight
    assert solid.volume == pytest.approx(2 * area, rel=1e-3)


@pytest.mark.parametrize(
    "outline",
    [
        BOW_TIE,
        ((0, 0), (1, 0), (2, 0)),  # has no area
        ((0, 0), (0, 0), (0, 0), (0, 0)),
        ((0, 0), (2, 0), (2, 2), (1, 0), (0, 2)),  # touches itself
        ((0, 0), (1, 0)),
        ((0, 0), (1, 0), (1, float("nan"))),
        ((0, 0), (1e200, 0), (1, 1e300)),
    ],
)
def test_base_polygon_that_is_none_gives_the_box(outline):
    mesh = _mesh("object", (2.0, 3.0, 4.0), ObjectDetails(outline_m=outline))
    assert _solid(mesh).volume == pytest.approx(24.0, rel=1e-5)


@pytest.mark.parametrize("outline", [BOW_TIE, BOW_TIE[:2], L_SHAPE * 200])
def test_an_outline_that_no_prism_has_is_one_line(outline):
    told = f"outline of {len(outline)} corners cannot be cut into triangles, expected 3 to 1000"
    with one_line(ValueError, match=told):
        prism(outline, 0.0, 1.0)


def test_stated_material_and_colour_choose_the_surface():
    def surface(name, **stated):
        (only,) = _names(_mesh(name, (2.0, 2.0, 2.0), ObjectDetails(**stated)))
        return LOOKS[only].infrared

    assert surface("object") == "lambertian_50"
    assert surface("object", material="WOOD") == "wood_weathered"
    assert surface("wall", material="STONE") == "stone"
    assert surface("object", material="METAL") == "steel_galvanised"
    assert surface("object", material="METAL", color=(0.9, 0.1, 0.1)) == "car_paint_red"
    assert surface("object", material="PLASTIC", color=(1.0, 1.0, 1.0)) == "plastic_white"
    assert surface("object", color=(1.0, 1.0, 1.0)) == "lambertian_50"


def test_lights_pass_below_a_bridge_a_gantry_and_through_a_crown():
    bridge = _solid(_mesh("bridge", (30.0, 10.0, 7.0)))
    assert bridge.volume < 0.4 * 30 * 10 * 7
    gantry = _mesh("gantry", (0.8, 14.0, 7.0)).vertices_m
    assert not ((np.abs(gantry[:, 1]) < 6) & (gantry[:, 2] < 1)).any()
    tree = _mesh("tree", (5.0, 5.0, 7.0))
    leaves = tree.faces[tree.faces_of([tree.slot_names.index("Tree_Leaves")])]
    a, b, c = (tree.vertices_m[leaves[:, i]] for i in range(3))
    area = 0.5 * np.abs(np.cross(b - a, c - a)[:, 0]).sum()  # as seen along x, overlaps included
    crown = 0.25 * np.pi * 5.0 * 4.5
    assert 0.4 < area / crown < 1.2


def test_every_stationary_type_has_a_shape():
    types = StationaryObject.Classification.Type.keys()
    shapes = {name: stationary_shape(name, (1.0, 1.0, 1.0), PLAIN) for name in types}
    assert set(shapes.values()) <= set(STREET)
    assert shapes["TYPE_TREE"] == "tree"
    assert shapes["TYPE_UNKNOWN"] == "object"
    assert stationary_shape("TYPE_OF_A_LATER_OSI", (1.0, 1.0, 1.0), PLAIN) == "object"


def test_size_and_material_tell_one_type_apart():
    site = "TYPE_CONSTRUCTION_SITE_ELEMENT"
    assert stationary_shape(site, (0.4, 0.4, 0.7), PLAIN) == "traffic_cone"
    assert stationary_shape(site, (0.4, 2.0, 1.1), PLAIN) == "road_works"
    assert stationary_shape(site, (6.0, 2.5, 2.5), PLAIN) == "object"
    assert stationary_shape("TYPE_BARRIER", (6.0, 0.4, 0.8), PLAIN) == "barrier"
    metal = ObjectDetails(material="METAL")
    assert stationary_shape("TYPE_BARRIER", (6.0, 0.4, 0.8), metal) == "guard_rail"
    assert stationary_shape("TYPE_VERTICAL_STRUCTURE", (0.3, 0.3, 4.0), PLAIN) == "pole"
    assert stationary_shape("TYPE_VERTICAL_STRUCTURE", (3.0, 3.0, 4.0), PLAIN) == "object"
