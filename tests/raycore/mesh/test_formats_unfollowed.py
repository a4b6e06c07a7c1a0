# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The lists of what COLLADA, STL and PLY files hold and their readers do not follow."""

import numpy as np
import pytest

from raycore.errors import MeshError
from raycore.mesh.loading import load_mesh
from tests.builders.files import written
from tests.builders.refusals import one_line
from tests.raycore.mesh.test_formats import COLLADA, PLY_ASCII, UNIT_SQUARE, stl_ascii, stl_binary

CAMERA_AND_LIGHT = '<instance_camera url="#c"/><instance_light url="#l"/>'
LIBRARIES = (
    "<library_animations><animation/></library_animations>"
    '<library_cameras><camera id="c"><optics><technique_common><perspective><xfov>40</xfov>'
    "<znear>1</znear><zfar>9</zfar></perspective></technique_common></optics></camera>"
    '</library_cameras><library_lights><light id="l"><technique_common><ambient>'
    "<color>1 1 1</color></ambient></technique_common></light></library_lights>\n"
)
MORPH = """<library_controllers><controller id="mo"><morph source="#g" method="RELATIVE">
  <source id="t"><IDREF_array id="ta" count="1">g</IDREF_array><technique_common>
    <accessor source="#ta" count="1"><param name="T" type="IDREF"/></accessor>
  </technique_common></source>
  <source id="w"><float_array id="wa" count="1">{weight}</float_array><technique_common>
    <accessor source="#wa" count="1"><param name="W" type="float"/></accessor>
  </technique_common></source>
  <targets><input semantic="MORPH_TARGET" source="#t"/><input semantic="MORPH_WEIGHT" source="#w"/>
  </targets></morph></controller></library_controllers><library_visual_scenes>"""


@pytest.fixture
def listed(tmp_path):
    def of(name, content):
        return list(map(str, load_mesh(written(tmp_path / name, content)).not_followed))

    return of


def test_each_unknown_element_of_collada_is_listed_once_with_its_line_and_count(listed):
    text = COLLADA.replace("<instance_geometry", f"{CAMERA_AND_LIGHT}\n<instance_geometry")
    text = text.replace("</node></node>", f"</node>{CAMERA_AND_LIGHT}</node>")
    text = text.replace("<library_effects>", f"{LIBRARIES}<library_effects>")
    text = text.replace("</visual_scene>", "</visual_scene>\n<visual_scene id='z'/>")
    text = text.replace("<translate>10", "<extra><visibility>0.0</visibility></extra><translate>10")
    text = text.replace(
        "<phong/>", "<phong><reflective><color>0 0 0 1</color></reflective></phong>"
    )
    color = '<input semantic="COLOR" source="#p" offset="0"/>'
    text = text.replace('offset="0"/><p>0 1 2<', f'offset="0"/>{color}<p>0 1 2<')
    assert listed("a.dae", text) == [
        "<animation> (line 4)",
        "<reflective> (line 5)",
        "colours of vertices (line 18)",
        "<lines> (line 23)",
        "<instance_camera> (2 times, first at line 27)",
        "<instance_light> (2 times, first at line 27)",
        "<visual_scene> beside another one (line 33)",
        "<visibility> of 0 (line 26)",
    ]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("<translate>10 0 0</translate>", "<skew>1 0 0 0 0 1 0</skew>", "line 25: <skew> is not"),
        ("<p>0 1 2</p>", "<ph><p>0 1 2</p><h>0</h></ph>", "line 17: <ph> is not supported; exp"),
    ],
)
def test_elements_of_collada_that_say_where_surfaces_are_are_refused(listed, old, new, message):
    with one_line(MeshError, match=message):
        listed("a.dae", COLLADA.replace(old, new))


def with_morph(weight):
    text = COLLADA.replace("<library_visual_scenes>", MORPH.format(weight=weight))
    return text.replace('<instance_geometry url="#g">', '<instance_controller url="#mo">').replace(
        "</instance_geometry>", "</instance_controller>"
    )


def test_a_morph_of_collada_is_its_geometry_at_rest(tmp_path):
    plain = load_mesh(written(tmp_path / "plain.dae", COLLADA))
    mesh = load_mesh(written(tmp_path / "a.dae", with_morph(0)))
    np.testing.assert_array_equal(plain.vertices_m, mesh.vertices_m)
    assert mesh.slot_names == plain.slot_names
    assert "<morph> (line 24)" in map(str, mesh.not_followed)


def test_a_morph_of_collada_with_weights_is_refused(listed):
    with one_line(MeshError, match="<morph> of controller mo has the weights .0.5., which are not"):
        listed("a.dae", with_morph(0.5))


def test_attribute_bytes_and_colours_of_stl_are_listed(listed):
    content = bytearray(stl_binary(np.concatenate([UNIT_SQUARE, UNIT_SQUARE]), b"COLOR=abcd"))
    content[84 + 98] = content[84 + 199] = 7
    assert listed("a.stl", bytes(content)) == [
        "attribute bytes, such as colours (2 times, first at triangle 2)",
        "COLOR= of the header",
    ]
    assert listed("b.stl", stl_binary(UNIT_SQUARE)) == []
    assert listed("c.stl", stl_ascii(UNIT_SQUARE)) == []


def test_elements_and_properties_of_ply_are_listed(listed):
    text = PLY_ASCII.replace("double z\n", "double z\nproperty double nx\nproperty uchar red\n")
    text = text.replace("vertex_indices\n", "vertex_indices\nelement edge 0\nproperty int a\n")
    head, end, rows = text.partition("end_header\n")
    points = [f"{row} 0 9" for row in rows.split("\n")[:4]]
    text = "\n".join([head + end.strip(), *points, *rows.split("\n")[4:]])
    assert listed("a.ply", text) == [
        "comment TextureFile (line 3)",
        "property red of vertex (line 9)",
        "element edge (line 12)",
    ]


def test_triangle_strips_of_ply_are_refused(listed):
    text = PLY_ASCII.replace("element face 2", "element tristrips 2")
    with one_line(MeshError, match="line 8: element tristrips is not supported"):
        listed("a.ply", text)
