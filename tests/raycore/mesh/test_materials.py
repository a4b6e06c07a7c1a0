# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""What mesh files say of how their materials look, from files of one triangle."""

import base64
import json
import math
import struct
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from raycore.mesh.loading import load_mesh
from raycore.mesh.materials import VisualMaterial, file_name, first_of_each_name, fraction, rgb
from raycore.mesh.mesh import Mesh, box, plane
from tests.builders.files import written

NOTHING = VisualMaterial(name="m")


# What all formats share ------------------------------------------------------------------------


@given(st.floats() | st.integers() | st.text() | st.none() | st.lists(st.floats()))
def test_a_fraction_is_within_0_and_1_or_nothing(value):
    number = fraction(value)
    assert number is None or 0.0 <= number <= 1.0


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (0.25, 0.25),
        ("0.25", 0.25),
        (7, 1.0),
        (-0.5, 0.0),
        (10**400, None),
        (math.nan, None),
        ("inf", None),
        ("", None),
        ([1.0], None),
    ],
)
def test_fractions_are_clamped_and_what_is_no_finite_number_is_dropped(value, expected):
    assert fraction(value) == expected


def test_minus_zero_is_zero():
    assert math.copysign(1.0, fraction("-0.0")) == 1.0


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([0.1, 0.2, 0.3, 0.4], (0.1, 0.2, 0.3)),
        ((2, -1, 0), (1.0, 0.0, 0.0)),
        ([0.1, math.nan, 0.3], None),
        ([0.1, 0.2], None),
        ("123", None),
        (None, None),
    ],
)
def test_a_colour_needs_three_finite_numbers(values, expected):
    assert rgb(values) == expected


@pytest.mark.parametrize(
    "path", ["a b.png", "x/a b.png", "C:\\x\\a b.png", "../x\\a b.png", '"x/a b.png"', " a b.png "]
)
def test_file_names_lose_folders_of_every_system(path):
    assert file_name(path) == "a b.png"


def test_of_materials_with_one_name_the_first_counts():
    first, second = VisualMaterial(name="a", opacity=0.5), VisualMaterial(name="a")
    assert first_of_each_name([first, second, NOTHING]) == {"a": first, "m": NOTHING}


def test_shapes_made_from_nothing_have_a_name_only():
    assert box([1, 1, 1]).materials == (VisualMaterial(name="box"),)
    assert plane(1.0).materials == (VisualMaterial(name="ground"),)


def test_stl_and_ply_say_nothing_of_materials(tmp_path):
    corners = struct.pack("<12fH", 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0)
    written(tmp_path / "a.stl", bytes(80) + struct.pack("<I", 1) + corners)
    header = "ply\nformat ascii 1.0\ncomment TextureFile a.png\nelement vertex 3\n"
    header += "".join(f"property float {axis}\n" for axis in "xyz")
    header += "".join(f"property uchar {color}\n" for color in ("red", "green", "blue"))
    header += "element face 1\nproperty list uchar int vertex_indices\nend_header\n"
    written(tmp_path / "a.ply", header + "0 0 0 9 9 9\n1 0 0 9 9 9\n0 1 0 9 9 9\n3 0 1 2\n")
    for suffix in (".stl", ".ply"):
        assert load_mesh(tmp_path / f"a{suffix}").materials == (VisualMaterial(name=""),)


# glTF ------------------------------------------------------------------------------------------


def gltf(*materials: dict, **others: object) -> dict:
    """One triangle for each material, its points in the file itself."""
    points = np.eye(3, dtype="<f4").tobytes()
    uri = "data:application/octet-stream;base64," + base64.b64encode(points).decode()
    return {
        "asset": {"version": "2.0"},
        "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0}],
        "meshes": [
            {
                "primitives": [
                    {"attributes": {"POSITION": 0}, "material": i} for i in range(len(materials))
                ]
            }
        ],
        "accessors": [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3"}],
        "bufferViews": [{"buffer": 0, "byteLength": 36}],
        "buffers": [{"uri": uri, "byteLength": 36}],
        "materials": list(materials),
        **others,
    }


def load_gltf(folder: Path, *materials: dict, **others: object) -> Mesh:
    return load_mesh(written(folder / "a.gltf", json.dumps(gltf(*materials, **others))))


WHITE = (1.0, 1.0, 1.0)
PLAIN = {"base_color": WHITE, "metalness": 1.0, "roughness": 1.0}  # the defaults of glTF


def metallic(**factors: object) -> dict:
    return {"pbrMetallicRoughness": factors}


def extension(name: str, **factors: object) -> dict:
    return {"extensions": {f"KHR_materials_{name}": factors}}


HALF_WHITE = metallic(baseColorFactor=[1, 1, 1, 0.5])


@pytest.mark.parametrize(
    ("stated", "expected"),
    [
        ({}, {}),
        ({"alphaMode": "BLEND"}, {}),
        (metallic(), PLAIN),
        (
            metallic(baseColorFactor=[0.1, 0.2, 0.3, 1], metallicFactor=0.5, roughnessFactor=0),
            {"base_color": (0.1, 0.2, 0.3), "metalness": 0.5, "roughness": 0.0},
        ),
        (HALF_WHITE | {"alphaMode": "BLEND"}, PLAIN | {"opacity": 0.5}),
        (HALF_WHITE | {"alphaMode": "MASK"}, PLAIN | {"opacity": 0.5}),
        (HALF_WHITE | {"alphaMode": "OPAQUE"}, PLAIN),
        (HALF_WHITE, PLAIN),
        (extension("transmission", transmissionFactor=0.9), {"transmission": 0.9}),
        (extension("transmission"), {"transmission": 0.0}),
        (
            extension("pbrSpecularGlossiness", diffuseFactor=[0.1, 0.2, 0.3, 0.4])
            | {"alphaMode": "BLEND"},
            {"base_color": (0.1, 0.2, 0.3), "opacity": 0.4},
        ),
        (extension("pbrSpecularGlossiness"), {"base_color": WHITE}),
        (metallic() | extension("pbrSpecularGlossiness", diffuseFactor=[0, 0, 0, 0]), PLAIN),
        # Out of range, or not what the format wants: clamped, or dropped without an error.
        (
            metallic(baseColorFactor=[2, -1, 0, 9], metallicFactor=7, roughnessFactor=-1)
            | {"alphaMode": "BLEND"},
            {"base_color": (1.0, 0.0, 0.0), "metalness": 1.0, "roughness": 0.0},
        ),
        (
            metallic(baseColorFactor=[1, 1], metallicFactor=None, roughnessFactor=[])
            | {"alphaMode": "BLEND"},
            {},
        ),
        (metallic(baseColorFactor="red", metallicFactor=10**400), {"roughness": 1.0}),
        ({"pbrMetallicRoughness": [], "extensions": 3, "alphaMode": []}, {}),
    ],
)
def test_statements_of_gltf(tmp_path, stated, expected):
    (material,) = load_gltf(tmp_path, {"name": "m", **stated}).materials
    assert material == VisualMaterial(name="m", **expected)


def test_numbers_of_gltf_beyond_every_range_are_dropped(tmp_path):
    stated = {"name": "m", **metallic(metallicFactor=0.125)}
    text = json.dumps(gltf(stated)).replace("0.125", "1e999")
    (material,) = load_mesh(written(tmp_path / "a.gltf", text)).materials
    assert material.metalness is None


@pytest.mark.parametrize(
    ("image", "expected"),
    [
        ({"uri": "a.png"}, "a.png"),
        ({"uri": "textures/my%20wall.jpg", "name": "other"}, "my wall.jpg"),
        ({"uri": "..\\textures\\a.png"}, "a.png"),
        ({"uri": "data:image/png;base64,AAAA", "name": "wall"}, "wall"),
        ({"uri": "data:image/png;base64,AAAA"}, ""),
        ({"bufferView": 0, "mimeType": "image/png", "name": "textures/wall"}, "wall"),
        ({"bufferView": 0, "mimeType": "image/png"}, ""),
        ({"uri": 7}, ""),
        ({"uri": "data:", "name": 7}, ""),
        (None, ""),
    ],
)
@pytest.mark.parametrize(
    ("model", "key"),
    [
        ("pbrMetallicRoughness", "baseColorTexture"),
        ("KHR_materials_pbrSpecularGlossiness", "diffuseTexture"),
    ],
)
def test_the_texture_of_gltf_is_its_image_s_file_name_or_name(
    tmp_path, image, expected, model, key
):
    looks = {model: {key: {"index": 0}}}
    looks["extensions"] = dict(looks)
    (material,) = load_gltf(
        tmp_path, {"name": "m", **looks}, textures=[{"source": 1}], images=[{}, image]
    ).materials
    assert material.texture == expected
    assert material.base_color == (WHITE if expected else None)  # white times something unknown


@pytest.mark.parametrize(
    ("texture", "expected"),
    [
        ({"extensions": {"KHR_texture_basisu": {"source": 0}}}, "a.png"),
        ({"sampler": 0, "source": 0, "extensions": {"EXT_texture_webp": {"source": 9}}}, "a.png"),
        ({}, ""),
        ({"source": 9}, ""),
        ({"source": "a"}, ""),
        (7, ""),
    ],
)
def test_textures_of_gltf_in_other_formats_or_absent(tmp_path, texture, expected):
    looks = {"name": "m", **metallic(baseColorTexture={"index": 0})}
    (material,) = load_gltf(
        tmp_path, looks, textures=[texture], images=[{"uri": "a.png"}]
    ).materials
    assert material.texture == expected


def test_of_materials_of_gltf_with_one_name_the_first_of_the_file_wins(tmp_path):
    glass = [
        {"name": "glass", "alphaMode": "BLEND", **metallic(baseColorFactor=[1, 1, 1, alpha])}
        for alpha in (0.1, 0.2)
    ]
    mesh = load_gltf(tmp_path, glass[0], {"name": "other"}, glass[1])
    assert [(m.name, m.opacity) for m in mesh.materials] == [("glass", 0.1), ("other", 1.0)]
    assert mesh.slot.tolist() == [0, 1, 0]


def test_glb_says_what_its_gltf_says(tmp_path):
    header = gltf({"name": "m", **metallic(metallicFactor=0.5)})
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 4)
    size = struct.pack("<4sII", b"glTF", 2, 20 + len(text)) + struct.pack(
        "<I4s", len(text), b"JSON"
    )
    (material,) = load_mesh(written(tmp_path / "a.glb", size + text)).materials
    assert material == VisualMaterial(name="m", base_color=WHITE, metalness=0.5, roughness=1.0)


# COLLADA ---------------------------------------------------------------------------------------

COLLADA = """<?xml version="1.0" encoding="utf-8"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
  <asset><unit name="meter" meter="1"/></asset>
  <library_images><image id="i"><init_from>{image}</init_from></image></library_images>
  <library_effects><effect id="e"><profile_COMMON>
    <newparam sid="s1"><surface type="2D"><init_from>i</init_from></surface></newparam>
    <newparam sid="s2"><sampler2D><source>s1</source></sampler2D></newparam>
    <newparam sid="c"><float3>0.1 0.2 0.3</float3></newparam>
    <technique sid="t"><phong>{looks}</phong></technique>
  </profile_COMMON></effect></library_effects>
  <library_materials>
    <material id="id-m" name="m"><instance_effect url="#e"/></material>
  </library_materials>
  <library_geometries><geometry id="g"><mesh>
    <source id="p"><float_array id="pa" count="9">0 0 0 1 0 0 1 1 0</float_array>
      <technique_common><accessor source="#pa" count="3" stride="3">
        <param name="X" type="float"/><param name="Y" type="float"/><param name="Z" type="float"/>
      </accessor></technique_common></source>
    <vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
    <triangles count="1" material="symbol">
      <input semantic="VERTEX" source="#v" offset="0"/><p>0 1 2</p></triangles>
  </mesh></geometry></library_geometries>
  <library_visual_scenes><visual_scene id="vs"><node id="n"><instance_geometry url="#g">
    <bind_material><technique_common><instance_material symbol="symbol" target="#id-m"/>
    </technique_common></bind_material></instance_geometry></node>
  </visual_scene></library_visual_scenes>
  <scene><instance_visual_scene url="#vs"/></scene>
</COLLADA>
"""


def load_collada(folder: Path, looks: str, image: str = "a.png") -> VisualMaterial:
    text = COLLADA.format(looks=looks, image=image)
    (material,) = load_mesh(written(folder / "a.dae", text), roots=[folder]).materials
    return material


@pytest.mark.parametrize(
    ("looks", "expected"),
    [
        ("", {}),
        (
            "<diffuse><color>0.1 0.2 0.3 1</color></diffuse>",
            {"base_color": (0.1, 0.2, 0.3)},
        ),
        ("<diffuse><color>2 -1 0.5</color></diffuse>", {"base_color": (1.0, 0.0, 0.5)}),
        ("<diffuse><color>inf 0 0 1</color></diffuse>", {}),
        ('<diffuse><param ref="c"/></diffuse>', {"base_color": (0.1, 0.2, 0.3)}),
        ('<diffuse><texture texture="s2" texcoord="UV"/></diffuse>', {"texture": "a.png"}),
        ("<specular><color>1 1 1 1</color></specular>", {}),
    ],
)
def test_statements_of_collada(tmp_path, looks, expected):
    assert load_collada(tmp_path, looks) == VisualMaterial(name="m", **expected)


@pytest.mark.parametrize(
    "image", ["my%20wall.jpg", "../textures/my wall.jpg", "file:///C:/x/my%20wall.jpg"]
)
def test_the_texture_of_collada_is_a_file_name(tmp_path, image):
    looks = '<diffuse><texture texture="s2" texcoord="UV"/></diffuse>'
    assert load_collada(tmp_path, looks, image).texture == "my wall.jpg"
    assert load_collada(tmp_path, looks, "").texture == ""


def transparent(mode: str, color: str, transparency: str | None = None) -> str:
    opaque = f' opaque="{mode}"' if mode else ""
    looks = f"<transparent{opaque}><color>{color}</color></transparent>"
    if transparency is not None:
        looks += f"<transparency><float>{transparency}</float></transparency>"
    return looks


@pytest.mark.parametrize(
    ("looks", "opacity"),
    [
        # The equations of COLLADA 1.4.1 and 1.5.0, chapter "Rendering", transparency.
        (transparent("A_ONE", "1 1 1 0.5", "0.5"), 0.25),
        (transparent("", "1 1 1 0.5"), 0.5),
        ("<transparency><float>0.4</float></transparency>", 0.4),
        (transparent("RGB_ZERO", "0.6 0.6 0.6 1", "0.5"), 0.7),
        (transparent("RGB_ZERO", "0.6 0.6 0.6 1"), 0.4),
        (transparent("RGB_ZERO", "1 0 0 1"), 0.787329),  # 1 - the luminance of red
        (transparent("RGB_ZERO", "0 0 0 1", "1"), 1.0),
        (transparent("RGB_ONE", "0.6 0.6 0.6 1", "0.5"), 0.3),
        (transparent("A_ZERO", "1 1 1 0.2", "0.5"), 0.9),
        (transparent("A_ONE", "1 1 1 7", "9"), 1.0),
        (transparent("A_ONE", "1 1 1 1", "inf"), 1.0),
        ('<transparent><texture texture="s2" texcoord="UV"/></transparent>', 1.0),
        # SketchUp and older exporters for 3ds Max, of what is opaque.
        (transparent("A_ONE", "1 1 1 1", "0"), 1.0),
        (transparent("RGB_ZERO", "1 1 1 1", "1"), 1.0),
    ],
)
def test_opacity_of_collada(tmp_path, looks, opacity):
    assert load_collada(tmp_path, looks).opacity == opacity


# All formats ------------------------------------------------------------------------------------


def test_textures_are_never_opened(tmp_path, monkeypatch):
    opened = []
    read_bytes = Path.read_bytes
    monkeypatch.setattr(
        Path, "read_bytes", lambda path: (opened.append(path.name), read_bytes(path))[1]
    )
    written(tmp_path / "a.png", b"not an image")
    written(tmp_path / "a.mtl", "newmtl m\nmap_Kd a.png\n")
    textured = {"name": "m", **metallic(baseColorTexture={"index": 0})}
    meshes = [
        load_mesh(
            written(
                tmp_path / "a.obj", "mtllib a.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl m\nf 1 2 3\n"
            )
        ),
        load_gltf(tmp_path, textured, textures=[{"source": 0}], images=[{"uri": "a.png"}]),
    ]
    textures = [mesh.materials[0].texture for mesh in meshes]
    textures.append(
        load_collada(tmp_path, '<diffuse><texture texture="s2" texcoord="UV"/></diffuse>').texture
    )
    assert textures == ["a.png"] * 3
    assert opened == ["a.obj", "a.mtl", "a.gltf", "a.dae"]
