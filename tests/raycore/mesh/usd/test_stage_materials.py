# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Materials of stages: which face has which, and what their shaders say."""

import pytest

from raycore.mesh.loading import load_mesh
from raycore.mesh.materials import VisualMaterial
from tests.builders.extras import needs
from tests.builders.usd import MATERIALS, square, write_stage

pytestmark = needs("pxr")


def bound(name, more=""):
    return f"rel material:binding = </Looks/{name}>\n{more}"


def test_shaders_say_what_a_surface_looks_like(tmp_path):
    names = ("Paint", "Brick", "Omni", "Bare")
    body = MATERIALS + "".join(square(f"On{name}", bound(name)) for name in names) + square("None_")
    mesh = load_mesh(write_stage(tmp_path / "a.usda", body))
    single = [pytest.approx(each, abs=1e-7) for each in (0.1, 0.2, 0.3, 0.4)]
    paint, brick, omni, bare, none = mesh.materials
    assert paint.base_color == (single[0], single[1], single[2])
    assert (paint.name, paint.metalness, paint.roughness, paint.opacity) == ("Paint", 1, 0.25, 0.5)
    assert brick == VisualMaterial(name="Brick", texture="brick_red.png")
    assert omni.base_color == (single[3], 0.5, 1.0)  # clamped
    assert (omni.texture, omni.roughness, omni.metalness) == ("wood.jpg", 0.75, None)
    assert bare == VisualMaterial(name="Bare")
    assert none == VisualMaterial(name="")


SUBSETS = """
    rel material:binding = </Looks/Bare>
    uniform token subsetFamily:materialBind:familyType = "partition"
    def GeomSubset "Left" {
        uniform token elementType = "face"
        uniform token familyName = "materialBind"
        int[] indices = [0, 2, 9]
        rel material:binding = </Looks/Paint>
    }
    def GeomSubset "Right" {
        uniform token elementType = "face"
        uniform token familyName = "materialBind"
        int[] indices = [2, 3]
        rel material:binding = </Looks/Brick>
    }
    def GeomSubset "Other" {
        uniform token elementType = "face"
        uniform token familyName = "selection"
        int[] indices = [1]
    }
"""
FOUR = """
    int[] faceVertexCounts = [4, 3, 3, 3]
    int[] faceVertexIndices = [0, 1, 2, 3, 0, 1, 2, 0, 1, 3, 1, 2, 3]
"""


def test_a_binding_for_previews_counts_where_there_is_no_other(tmp_path):
    preview = "rel material:binding:preview = </Looks/Brick>"
    body = MATERIALS + square("A", preview) + square("B", bound("Paint", preview))
    mesh = load_mesh(write_stage(tmp_path / "a.usda", body))
    assert [mesh.materials[slot].name for slot in mesh.slot] == ["Brick"] * 2 + ["Paint"] * 2


def test_subsets_of_faces_have_their_own_materials_the_first_subset_first(tmp_path):
    old = "int[] faceVertexCounts = [4]\n    int[] faceVertexIndices = [0, 1, 2, 3]"
    body = MATERIALS + square("M", SUBSETS).replace(old, FOUR)
    mesh = load_mesh(write_stage(tmp_path / "a.usda", body))
    names = [mesh.materials[slot].name for slot in mesh.slot]
    assert names == ["Paint", "Paint", "Bare", "Paint", "Brick"]  # the quad is two triangles


def test_another_look_of_a_name_that_is_taken_is_listed(tmp_path):
    looks = """
def Scope "{scope}" {{
    def Material "Paint" {{
        token outputs:surface.connect = </{scope}/Paint/S.outputs:surface>
        def Shader "S" {{
            uniform token info:id = "UsdPreviewSurface"
            float inputs:opacity = {opacity}
            token outputs:surface
        }}
    }}
}}
"""
    scopes = (("A", 0.5), ("B", 0.5), ("C", 1.0))
    body = "".join(looks.format(scope=scope, opacity=opacity) for scope, opacity in scopes)
    body += "".join(
        square(f"On{each}", f"rel material:binding = </{each}/Paint>") for each in "ABC"
    )
    mesh = load_mesh(write_stage(tmp_path / "a.usda", body))
    assert [each.opacity for each in mesh.materials] == [0.5]
    (listed,) = (each for each in mesh.not_followed if "another look" in each.what)
    assert (listed.times, listed.first) == (1, "/C/Paint")


def test_a_binding_is_inherited_and_instances_keep_their_own(tmp_path):
    inner = square("Square")
    body = f"""{MATERIALS}
def Xform "Wall" {{
    {bound("Brick")}
    {inner}
}}
class Xform "Proto" {{
    {inner}
}}
def Xform "A" (
    instanceable = true
    prepend references = </Proto>
) {{
    {bound("Paint")}
}}
def Xform "B" (
    instanceable = true
    prepend references = </Proto>
) {{
    {bound("Omni")}
}}
"""
    mesh = load_mesh(write_stage(tmp_path / "a.usda", body))
    names = [mesh.materials[slot].name for slot in mesh.slot]
    assert names == ["Brick", "Brick", "Paint", "Paint", "Omni", "Omni"]
