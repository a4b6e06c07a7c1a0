# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Meshes and images."""

import base64
import io
import json
from importlib.util import find_spec

import numpy as np

from osi_lidar import LidarModel
from raycore.images.pixels import grey_of
from raycore.images.reading import base_color_images
from raycore.mesh.loading import load_mesh
from tests.builders.gltf import write_car, write_person
from tests.builders.images import grey_png, write_wall
from tests.builders.meshes import CUBE
from tests.builders.messages import ahead, frames, host
from tests.builders.usd import LAYERS, MATERIALS, POINTS, square, stage, write_crate
from tests.builders.worlds import config
from tests.fuzz.target import Target, command
from tests.raycore.mesh.gltf.test_reading import BINARY, glb
from tests.raycore.mesh.gltf.test_reading import square as gltf_square
from tests.raycore.mesh.test_formats import (
    COLLADA,
    CORNERS,
    PLY_ASCII,
    UNIT_SQUARE,
    ply_binary,
    stl_ascii,
    stl_binary,
)

MTL = """newmtl Paint
Kd 0.1 0.2 0.3
d 0.5
Pr 0.3
Pm 1
illum 7
Tf 0.1 0.2 0.6
map_Kd -s 1 1 1 a.png
newmtl Glass
Tr 0.9
"""
OBJ = (
    f"mtllib a.mtl\no thing\nusemtl Paint\n{CUBE}vt 0 0\nvt 1 0\nvt 1 1\nvn 0 0 1\n"
    "usemtl Glass\nf 1/1/1 2/2/1 3/3/1\nf -1 -2 -3\n"
)


def _gltf(folder):
    write_car(folder / "car.gltf")
    write_person(folder / "person.gltf")
    write_wall(folder / "wall.gltf", [[0, 100], [200, 255]])
    several = gltf_square()
    several["materials"][0] |= {
        "alphaMode": "BLEND",
        "extensions": {
            "KHR_materials_transmission": {"transmissionFactor": 0.5},
            "KHR_materials_ior": {"ior": 1.4},
        },
    }
    several["nodes"] = [
        {"mesh": 0, "rotation": [0, 0, 0, 1], "scale": [1, 2, 1], "children": [1]},
        {"mesh": 0, "matrix": np.eye(4).ravel().tolist()},
    ]
    found = {
        name: {"a.gltf": (folder / f"{name}.gltf").read_bytes()}
        for name in ("car", "person", "wall")
    }
    wall = json.loads((folder / "wall.gltf").read_bytes())
    found["textures"] = {"a.gltf": json.dumps(_textured(wall)).encode()}
    header = {**several, "buffers": [{"byteLength": 60}]}
    return {
        **found,
        "beside": {"a.gltf": json.dumps(several).encode(), "square.bin": BINARY},
        "binary": {"a.glb": glb(header)},
    }


def _textured(wall):
    """Return a wall whose texture is moved, and has an image of another format as well."""
    picture = base64.b64encode(_webp()).decode()
    images = [*wall["images"], {"uri": f"data:image/webp;base64,{picture}"}]
    textures = [
        {**each, "extensions": {"EXT_texture_webp": {"source": len(images) - 1},
                                "KHR_texture_basisu": {"source": 0}}}
        for each in wall["textures"]
    ]  # fmt: skip
    moved = {"offset": [0.2, 0.1], "rotation": 0.3, "scale": [2.0, 0.5], "texCoord": 0}
    materials = json.loads(json.dumps(wall["materials"]))
    for material in materials:
        reference = material["pbrMetallicRoughness"]["baseColorTexture"]
        reference["extensions"] = {"KHR_texture_transform": moved}
    used = ["KHR_texture_transform", "EXT_texture_webp", "KHR_texture_basisu"]
    changed = {"images": images, "textures": textures, "materials": materials}
    return {**wall, **changed, "extensionsUsed": used}


def _webp():
    """Return a small picture as WebP."""
    from PIL import Image

    buffer = io.BytesIO()
    Image.new("RGB", (8, 6), (100, 50, 20)).save(buffer, "WEBP")
    return buffer.getvalue()


def _others(_):
    return {
        "obj": {"a.obj": OBJ.encode(), "a.mtl": MTL.encode()},
        "dae": {"a.dae": COLLADA.encode()},
        "stl": {"a.stl": stl_ascii(UNIT_SQUARE).encode()},
        "stl-binary": {"a.stl": stl_binary(UNIT_SQUARE)},
        "ply": {"a.ply": PLY_ASCII.encode()},
        "ply-binary": {"a.ply": ply_binary(CORNERS)},
        "ply-big": {"a.ply": ply_binary(CORNERS, ">")},
    }


def _usd(folder):
    """Return stages as text, and a binary one if usd-core is there."""
    looks = MATERIALS + square("M", "rel material:binding = </Looks/Paint>")
    found = {
        "layers": {name.replace("town", "a"): text.encode() for name, text in LAYERS.items()},
        "points": {"a.usda": stage(POINTS, up="Y", unit=0.01).encode()},
        "looks": {"a.usda": stage(looks).encode()},
    }
    if find_spec("pxr") is not None:
        crate = write_crate(folder / "crate.usdc", stage(POINTS + looks))
        found["crate"] = {"a.usdc": crate.read_bytes()}
    return found


def _path(folder):
    return next(each for each in sorted(folder.glob("a.*")) if each.suffix not in (".mtl", ".bin"))


def _mesh(folder):
    """Read a mesh; places in an image may be NaN, which says that there is none."""
    path = _path(folder)
    mesh = load_mesh(path, roots=[folder])
    images = base_color_images(path, roots=[folder])
    looks = [
        [each.base_color, each.opacity, each.roughness, each.metalness] for each in mesh.materials
    ]
    return [mesh.vertices_m, mesh.origin_m, mesh.weight, mesh.bones, looks, images.of_material]


def _info(folder):
    return command("info", _path(folder), "--json")


def _scan(folder):
    """Scan a mesh as part of a scene, and as a car that drives."""
    path = _path(folder)
    scene = {
        "search": [str(folder)],
        "environment": [{"mesh": str(path), "scale": 3.0, "position_m": [8, -3, 0]}],
        "images": "base_color",
        "objects": [{"match": {"id": 2}, "mesh": str(path)}],
    }
    model = LidarModel(config(scene=scene, materials={"default": "lambertian_50"}))
    worlds = [[host(x_m=0.5 * k), ahead(x_m=10.0 + 0.4 * k)] for k in range(3)]
    return [model.step(each).scans[0].cloud.points for each in frames(worlds)]


def _pictures(_):
    from PIL import Image

    found = {"grey": grey_png(np.arange(64).reshape(8, 8) * 4)}
    for mode, kind in (
        ("P", "PNG"),
        ("1", "PNG"),
        ("I;16", "PNG"),
        ("RGBA", "PNG"),
        ("LA", "PNG"),
        ("RGB", "JPEG"),
        ("RGB", "TIFF"),
        ("RGB", "BMP"),
        ("P", "GIF"),
        ("RGB", "WEBP"),
    ):
        buffer = io.BytesIO()
        Image.new(mode, (8, 6), 100 if mode in ("I;16", "P", "1") else None).save(buffer, kind)
        found[f"{mode}-{kind}".replace(";", "")] = buffer.getvalue()
    return {name: {"a.png": content} for name, content in found.items()}


def _picture(folder):
    content = (folder / "a.png").read_bytes()
    return grey_of(content)


_MESHES = {"gltf": _gltf, "other": _others, "usd": _usd}
TARGETS = [
    *(Target(name=f"mesh-{name}", seeds=seeds, call=_mesh) for name, seeds in _MESHES.items()),
    *(Target(name=f"mesh-{name}-info", seeds=seeds, call=_info) for name, seeds in _MESHES.items()),
    *(Target(name=f"mesh-{name}-scan", seeds=seeds, call=_scan) for name, seeds in _MESHES.items()),
    Target(name="image", seeds=_pictures, call=_picture),
]
