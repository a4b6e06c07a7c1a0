# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""STL, PLY and COLLADA, from files of a few triangles made here."""

import struct

import numpy as np
import pytest

from raycore.errors import MeshError
from raycore.mesh.loading import load_mesh
from raycore.mesh.mesh import Mesh
from tests.builders.files import written
from tests.builders.refusals import one_line
from tests.raycore.helpers import corners_m

UNIT_SQUARE = np.array(
    [[[0, 0, 0], [1, 0, 0], [1, 1, 0]], [[0, 0, 0], [1, 1, 0], [0, 1, 0]]], dtype=np.float64
)


@pytest.fixture
def load(tmp_path):
    def load_bytes(name: str, content: str | bytes) -> Mesh:
        return load_mesh(written(tmp_path / name, content), roots=[tmp_path])

    return load_bytes


# STL ------------------------------------------------------------------------------------------


def stl_ascii(triangles: np.ndarray, name: str = "Thing") -> str:
    facets = "".join(
        "facet normal 0 0 1\n outer loop\n"
        + "".join(f"  vertex {x} {y} {z}\n" for x, y, z in triangle)
        + " endloop\nendfacet\n"
        for triangle in triangles.tolist()
    )
    return f"solid {name}\n{facets}endsolid {name}\n"


def stl_binary(triangles: np.ndarray, header: bytes = b"") -> bytes:
    rows = [struct.pack("<12fH", 0, 0, 1, *triangle.ravel(), 0) for triangle in triangles]
    return header.ljust(80, b"\0") + struct.pack("<I", len(rows)) + b"".join(rows)


@pytest.mark.parametrize(
    "content",
    [
        stl_ascii(UNIT_SQUARE),
        stl_ascii(UNIT_SQUARE).upper().replace("\n", "\r\n"),
        stl_ascii(UNIT_SQUARE[:1]) + stl_ascii(UNIT_SQUARE[1:]),  # two solids
        stl_binary(UNIT_SQUARE),
        stl_binary(UNIT_SQUARE, header=b"solid of a binary file"),
    ],
)
def test_stl_of_both_kinds_gives_the_same_triangles(load, content):
    mesh = load("a.stl", content)
    np.testing.assert_array_equal(UNIT_SQUARE, corners_m(mesh))
    assert mesh.slot_names == ("",)


def test_ascii_stl_keeps_utm_coordinates(load):
    offset = np.array([500_000.25, 5_600_000.75, 300.125])
    mesh = load("a.stl", stl_ascii(UNIT_SQUARE + offset))
    np.testing.assert_allclose(UNIT_SQUARE + offset, corners_m(mesh), rtol=0, atol=1e-6)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (stl_binary(UNIT_SQUARE)[:-1], "has 183 bytes, expected 184 for the 2 triangles"),
        (stl_binary(UNIT_SQUARE, header=b"solid")[:-60], "has 124 bytes, expected 184"),
        (stl_binary(UNIT_SQUARE[:0]), "has no faces"),
        (stl_ascii(UNIT_SQUARE[:0]), "has no faces"),
        (stl_binary(0.0 * UNIT_SQUARE), "has no area: all of its 2 faces are lines or points"),
        (stl_ascii(UNIT_SQUARE)[:-16], "is cut short: got 0 whole triangles, expected 2"),
        (
            stl_ascii(UNIT_SQUARE[:1]) + stl_ascii(UNIT_SQUARE)[:-16],
            "1 whole triangles, expected 3",
        ),
        (stl_ascii(UNIT_SQUARE).replace("1.0", "one"), "cannot be read as STL"),
        (stl_ascii(UNIT_SQUARE).replace("1.0", "nan"), "expected finite numbers"),
    ],
)
def test_damaged_stl_gives_one_line(load, content, message):
    with one_line(MeshError, match=rf"a\.stl: .*{message}"):
        load("a.stl", content)


# PLY ------------------------------------------------------------------------------------------

PLY_HEADER = """ply
format {format} 1.0
comment TextureFile absent.png
element vertex 4
property {number} x
property {number} y
property {number} z
element face {n_face}
property list uchar int vertex_indices
end_header
"""
PLY_ASCII = (
    PLY_HEADER.format(format="ascii", number="double", n_face=2)
    + "0 0 0\n1 0 0\n1 1 0\n0 1 0\n3 0 1 2\n3 0 2 3\n"
)


def ply_binary(points: np.ndarray, order: str = "<") -> bytes:
    name = "binary_little_endian" if order == "<" else "binary_big_endian"
    header = PLY_HEADER.format(format=name, number="double", n_face=2).encode()
    faces = struct.pack(f"{order}B3iB3i", 3, 0, 1, 2, 3, 0, 2, 3)
    return header + points.astype(f"{order}f8").tobytes() + faces


CORNERS = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], dtype=np.float64)


@pytest.mark.parametrize("content", [PLY_ASCII, ply_binary(CORNERS), ply_binary(CORNERS, ">")])
def test_ply_of_every_kind_gives_the_same_triangles(load, content):
    mesh = load("a.ply", content)
    np.testing.assert_array_equal(UNIT_SQUARE, corners_m(mesh))
    assert mesh.slot_names == ("",)


def test_ply_polygons_become_triangles(load):
    header = PLY_HEADER.format(format="ascii", number="float", n_face=1)
    mesh = load("a.ply", header + "0 0 0\n1 0 0\n1 1 0\n0 1 0\n4 0 1 2 3\n")
    assert len(mesh.faces) == 2


def test_ply_in_doubles_keeps_utm_coordinates(load):
    offset = np.array([500_000.25, 5_600_000.75, 300.125])
    mesh = load("a.ply", ply_binary(CORNERS + offset))
    np.testing.assert_allclose(UNIT_SQUARE + offset, corners_m(mesh), rtol=0, atol=1e-6)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (PLY_ASCII.replace("3 0 2 3", "3 0 2 4"), r"face 1 refers to vertices \[0, 2, 4\]"),
        (ply_binary(CORNERS)[:-20], "cannot be read as PLY"),
        (PLY_ASCII[:60], "cannot be read as PLY"),
        (PLY_ASCII.replace("face 2", "face 0").partition("3 0 1 2")[0], "has no faces"),
    ],
)
def test_damaged_ply_gives_one_line(load, content, message):
    with one_line(MeshError, match=rf"a\.ply: .*{message}"):
        load("a.ply", content)


# COLLADA --------------------------------------------------------------------------------------

COLLADA = """<?xml version="1.0" encoding="utf-8"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
  <asset><unit name="inch" meter="0.0254"/><up_axis>Y_UP</up_axis></asset>
  <library_effects><effect id="e"><profile_COMMON><technique sid="t"><phong/></technique>
    </profile_COMMON></effect></library_effects>
  <library_materials>
    <material id="glass-material" name="Glass"><instance_effect url="#e"/></material>
    <material id="unnamed-material"><instance_effect url="#e"/></material>
  </library_materials>
  <library_geometries><geometry id="g"><mesh>
    <source id="p"><float_array id="pa" count="12">0 0 0 1 0 0 1 1 0 0 1 0</float_array>
      <technique_common><accessor source="#pa" count="4" stride="3">
        <param name="X" type="float"/><param name="Y" type="float"/><param name="Z" type="float"/>
      </accessor></technique_common></source>
    <vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
    <triangles count="1" material="first">
      <input semantic="VERTEX" source="#v" offset="0"/><p>0 1 2</p></triangles>
    <polylist count="1" material="second">
      <input semantic="VERTEX" source="#v" offset="0"/><vcount>4</vcount><p>0 1 2 3</p></polylist>
    <triangles count="1" material="nowhere bound">
      <input semantic="VERTEX" source="#v" offset="0"/><p>0 2 3</p></triangles>
    <lines count="1"><input semantic="VERTEX" source="#v" offset="0"/><p>0 1</p></lines>
  </mesh></geometry></library_geometries>
  <library_visual_scenes><visual_scene id="s">
    <node id="n"><translate>10 0 0</translate><node id="m"><scale>2 2 2</scale>
      <instance_geometry url="#g"><bind_material><technique_common>
        <instance_material symbol="first" target="#glass-material"/>
        <instance_material symbol="second" target="#unnamed-material"/>
      </technique_common></bind_material></instance_geometry></node></node>
  </visual_scene></library_visual_scenes>
  <scene><instance_visual_scene url="#s"/></scene>
</COLLADA>
"""


def test_collada_keeps_the_material_name_or_id_or_symbol_of_every_face(load):
    mesh = load("a.dae", COLLADA)
    assert mesh.slot_names == ("Glass", "unnamed-material", "nowhere bound")
    assert mesh.slot.tolist() == [0, 1, 1, 2]


def test_collada_comes_in_metres_with_its_axes_and_its_nodes_applied(load):
    mesh = load("a.dae", COLLADA)
    # Doubled, moved by 10, both in inches; z stays z although the file says Y_UP.
    np.testing.assert_allclose(
        [[0.254, 0, 0], [12 * 0.0254, 2 * 0.0254, 0]], mesh.bounds_m, atol=1e-6
    )


def test_collada_without_a_unit_is_in_metres(load):
    mesh = load("a.dae", COLLADA.replace('<unit name="inch" meter="0.0254"/>', ""))
    np.testing.assert_allclose([[10, 0, 0], [12, 2, 0]], mesh.bounds_m)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('meter="0.0254"', 'meter="0"', "unit is 0.0 m, expected a positive number"),
        ("</COLLADA>", "", "is not XML"),
        ('<scene><instance_visual_scene url="#s"/></scene>', "", "has no scene"),
        ('<instance_geometry url="#g">', '<instance_geometry url="#h">', "has no faces"),
        ("<COLLADA ", "<!DOCTYPE a [<!ENTITY b 'c'>]><COLLADA ", "has a document type"),
        ("<translate>10", "<translate>1e999", "expected finite numbers"),
        (">0 0 0 1 0 0", ">nan 0 0 1 0 0", "expected finite numbers"),
    ],
)
def test_damaged_collada_gives_one_line(load, old, new, message):
    assert old in COLLADA
    with one_line(MeshError, match=rf"a\.dae: .*{message}"):
        load("a.dae", COLLADA.replace(old, new))


def broken_collada() -> str:
    """A file with a second geometry, of which a corner is not there."""
    geometry = COLLADA.partition("<library_geometries>")[2].partition("</library_geometries>")[0]
    broken = geometry.replace("<p>0 2 3</p>", "<p>0 2 9</p>").replace('"g"', '"broken"')
    instance = '<instance_geometry url="#broken"/>'
    text = COLLADA.replace(geometry, geometry + broken)
    return text.replace("</scale>", f"</scale>{instance}")


def test_broken_parts_of_collada_are_left_out_with_a_warning(load, caplog):
    mesh = load("a.dae", broken_collada())
    assert mesh.slot_names == ("Glass", "unnamed-material", "nowhere bound")
    assert "parts of it are left out, the first: " in caplog.text
