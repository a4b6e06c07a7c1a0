# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Reader of glTF 2.0 files, as JSON (.gltf) and binary (.glb).

The file's JSON is reduced to its geometry before trimesh sees it, so that no image, texture, skin
or animation is opened. Features that trimesh would silently misread (sparse or normalised
positions, compressed buffers, nodes with several parents) are refused with a reason.
"""

from __future__ import annotations

import base64
import io
import json
import logging
import struct
from collections import Counter
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from raycore.errors import MeshError
from raycore.mesh.materials import VisualMaterial, file_name, first_of_each_name, fraction, rgb
from raycore.mesh.readers import MeshSource, Surface, join, placed_meshes

if TYPE_CHECKING:
    from collections.abc import Iterator

_TRIANGLES, _STRIP, _FAN = 4, 5, 6  # primitive modes; those below have no surface
_CHUNK_JSON, _CHUNK_BINARY = 0x4E4F534A, 0x004E4942
_HEADER_KEYS = ("asset", "scene", "bufferViews")
_PRIMITIVE_KEYS = ("indices", "material", "mode")
_NODE_KEYS = ("matrix", "translation", "rotation", "scale")
_WHITE = [1.0, 1.0, 1.0, 1.0]
_EMPTY_ACCESSOR = {"count": 0, "componentType": 5126, "type": "SCALAR"}
# Extensions that a file may require and that do not affect the position of its triangles.
_HARMLESS = ("KHR_materials_", "KHR_texture_", "KHR_lights_", "EXT_texture_", "MSFT_texture_",
             "KHR_xmp", "KHR_animation_pointer", "KHR_mesh_quantization")  # fmt: skip


def read_gltf(data: bytes, source: MeshSource) -> Surface:
    """Read a glTF file and the buffers that it references."""
    return _surface(header_of_gltf(data), None, source)


def read_glb(data: bytes, source: MeshSource) -> Surface:
    """Read a binary glTF file and the buffers that it references."""
    return _surface(*header_of_glb(data, source), source)


def header_of_glb(data: bytes, source: MeshSource) -> tuple[dict[str, Any], bytes | None]:
    """Return the JSON of a binary glTF file, and its binary chunk if it has one.

    Raises
    ------
    MeshError
        If the file violates the binary format of glTF 2.0.
    """
    magic, version, length = struct.unpack_from("<4sII", data)
    if magic != b"glTF" or version != 2:
        raise MeshError(f"{source}: starts with {data[:8]!r}, expected 'glTF' and version 2")
    if length > len(data):
        raise MeshError(f"{source}: is truncated, {len(data)} of {length} bytes are there")
    chunks = dict(reversed(list(_chunks(data[:length], source))))  # of each type, the first
    if _CHUNK_JSON not in chunks:
        raise MeshError(f"{source}: has no JSON chunk, expected it to come first")
    return header_of_gltf(chunks[_CHUNK_JSON]), chunks.get(_CHUNK_BINARY)


def header_of_gltf(data: bytes) -> dict[str, Any]:
    """Return the JSON of a glTF file; raise ValueError if it is not valid JSON."""

    def refuse(constant: str) -> None:
        raise ValueError(f"{constant} is not a JSON number")

    header: dict[str, Any] = json.loads(data.decode("utf-8-sig"), parse_constant=refuse)
    return header


def _chunks(data: bytes, source: MeshSource) -> Iterator[tuple[int, bytes]]:
    start = 12
    while start + 8 <= len(data):
        length, kind = struct.unpack_from("<II", data, start)
        start += 8
        if start + length > len(data):
            raise MeshError(f"{source}: a chunk of {length} bytes ends after the file does")
        yield kind, data[start : start + length]
        start += length


def _surface(header: dict[str, Any], binary: bytes | None, source: MeshSource) -> Surface:
    from trimesh import load_scene  # noqa: PLC0415 - slow to import, and OBJ files need none of it

    _check_readable(header, source)
    _check_tree(header, source)
    geometry = _geometry_only(header, source)
    buffers = _read_buffers(header, binary, source)
    geometry["buffers"] = [{"uri": name} for name in buffers]
    scene = load_scene(
        io.BytesIO(json.dumps(geometry).encode()), file_type="gltf", resolver=buffers
    )
    materials = [_material(material, header) for material in header.get("materials", [])]
    names = [material.name for material in materials]
    return join(
        (
            (vertices, mesh.faces, _material_name(mesh, names))
            for vertices, mesh in placed_meshes(scene)
        ),
        source,
        first_of_each_name(materials),
    )


def _material_name(mesh: Any, names: list[str]) -> str:  # noqa: ANN401
    material = getattr(mesh.visual, "material", None)
    return "" if material is None else names[int(material.name)]


def _material(material: dict[str, Any], header: dict[str, Any]) -> VisualMaterial:
    """Return a material's appearance; glTF's defaults apply only to models that the file uses."""
    extensions = _object(material.get("extensions")) or {}
    metallic = _object(material.get("pbrMetallicRoughness"))
    glossy = _object(extensions.get("KHR_materials_pbrSpecularGlossiness"))
    transmission = _object(extensions.get("KHR_materials_transmission"))
    color, texture, opacity = None, None, None
    if metallic is not None:
        color, texture = metallic.get("baseColorFactor", _WHITE), metallic.get("baseColorTexture")
    elif glossy is not None:
        color, texture = glossy.get("diffuseFactor", _WHITE), glossy.get("diffuseTexture")
    if material.get("alphaMode") in ("BLEND", "MASK") and isinstance(color, list):
        opacity = fraction(next(iter(color[3:]), None))
    texture_name = _texture_name(texture, header)
    if texture is not None and not texture_name:
        color = None  # it is a factor of an unknown texture
    return VisualMaterial(
        name=str(material.get("name") or ""),
        base_color=rgb(color),
        opacity=1.0 if opacity is None else opacity,
        metalness=_factor(metallic, "metallicFactor", 1.0),
        roughness=_factor(metallic, "roughnessFactor", 1.0),
        transmission=_factor(transmission, "transmissionFactor", 0.0),
        texture=texture_name,
    )


def _object(value: object) -> dict[str, Any] | None:
    return value if isinstance(value, dict) else None


def _factor(model: dict[str, Any] | None, key: str, default: float) -> float | None:
    return None if model is None else fraction(model.get(key, default))


def _texture_name(reference: Any, header: dict[str, Any]) -> str:  # noqa: ANN401
    """Return the file name of a texture's image, or the name of an embedded one."""
    try:
        texture = header["textures"][reference["index"]]
        formats = texture.get("extensions", {}).values()  # WebP, Basis and DDS are given there
        sources = [holder["source"] for holder in (texture, *formats) if "source" in holder]
        image = header["images"][sources[0]]
        uri = image.get("uri", "data:")
        return file_name(image.get("name", "") if uri.startswith("data:") else unquote(uri))
    except (LookupError, TypeError, AttributeError):  # a texture that does not exist
        return ""


def _read_buffers(
    header: dict[str, Any], binary: bytes | None, source: MeshSource
) -> dict[str, bytes]:
    """Return the content of each buffer, keyed by a name made here."""
    buffers = {}
    for index, buffer in enumerate(header.get("buffers", [])):
        if "uri" not in buffer:
            if binary is None or index > 0:
                raise MeshError(f"{source}: buffer {index} has no content, expected a uri")
            content = binary
        elif buffer["uri"].startswith("data:"):
            content = base64.b64decode(buffer["uri"].partition(",")[2])
        else:
            content = source.read_uri(buffer["uri"])
        if len(content) < buffer["byteLength"]:
            raise MeshError(
                f"{source}: buffer {index} ({buffer.get('uri', 'binary chunk')[:80]}) has "
                f"{len(content)} bytes, expected {buffer['byteLength']}"
            )
        buffers[f"buffer {index}"] = content
    return buffers


def _check_readable(header: dict[str, Any], source: MeshSource) -> None:
    version = str(header.get("asset", {}).get("version", "2.0"))
    if not version.startswith("2"):
        raise MeshError(f"{source}: is glTF {version}, expected 2.0")
    for extension in header.get("extensionsRequired", []):
        if not extension.startswith(_HARMLESS):
            raise MeshError(
                f"{source}: requires the glTF extension {extension}, which is not supported; "
                "expected an export without compression or instancing"
            )


def _check_tree(header: dict[str, Any], source: MeshSource) -> None:
    """Refuse nodes with several parents, which rules out cycles as well."""
    scenes = header.get("scenes", [])
    roots = scenes[header.get("scene", 0)].get("nodes", []) if scenes else []
    children = (child for node in header.get("nodes", []) for child in node.get("children", []))
    for node, count in Counter([*roots, *children]).items():
        if count > 1:
            raise MeshError(f"{source}: node {node} has {count} parents, expected one")


def _geometry_only(header: dict[str, Any], source: MeshSource) -> dict[str, Any]:
    """Return only what positions triangles; materials are named by index, unused accessors empty.

    Each primitive becomes a mesh and a node of its own. (trimesh would give the primitives of a
    node random names, and lose one of two that get the same name.)
    """
    primitives = [_triangles(mesh, source) for mesh in header.get("meshes", [])]
    kept = {key: header[key] for key in _HEADER_KEYS if key in header}
    kept["scenes"] = [{"nodes": scene.get("nodes", [])[::-1]} for scene in header.get("scenes", [])]
    kept["materials"] = [{"name": str(i)} for i in range(len(header.get("materials", [])))]
    kept["nodes"] = [
        {key: node[key] for key in _NODE_KEYS if key in node} for node in header.get("nodes", [])
    ]
    kept["meshes"] = []
    used = set()
    for index, node in enumerate(header.get("nodes", [])):
        children = []
        for primitive in primitives[node["mesh"]] if "mesh" in node else []:
            children.append(len(kept["nodes"]))
            kept["nodes"].append({"mesh": len(kept["meshes"])})
            kept["meshes"].append({"primitives": [primitive]})
            used |= {primitive["attributes"]["POSITION"], primitive.get("indices")}
        children += node.get("children", [])
        kept["nodes"][index]["children"] = children[::-1]  # trimesh takes the last one first
    kept["accessors"] = [
        _checked(accessor, index, source) if index in used else _EMPTY_ACCESSOR
        for index, accessor in enumerate(header.get("accessors", []))
    ]
    return kept


def _triangles(mesh: dict[str, Any], source: MeshSource) -> list[dict[str, Any]]:
    """Return the triangle primitives of a mesh, without textures, normals and morph targets."""
    primitives = []
    for primitive in mesh["primitives"]:
        mode = primitive.get("mode", _TRIANGLES)
        if mode == _FAN:
            source.note(logging.WARNING, "a triangle fan is left out, expected triangles or strips")
        if mode in (_TRIANGLES, _STRIP) and "POSITION" in primitive["attributes"]:
            kept = {key: primitive[key] for key in _PRIMITIVE_KEYS if key in primitive}
            kept["attributes"] = {"POSITION": primitive["attributes"]["POSITION"]}
            primitives.append(kept)
    return primitives


def _checked(accessor: dict[str, Any], index: int, source: MeshSource) -> dict[str, Any]:
    if "sparse" in accessor or accessor.get("normalized") or "bufferView" not in accessor:
        raise MeshError(
            f"{source}: accessor {index} is sparse, normalized or without a bufferView, "
            "expected plain numbers in a buffer"
        )
    return accessor
