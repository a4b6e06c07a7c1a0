# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Reader of glTF 2.0 files, as JSON (.gltf) and binary (.glb).

The file's JSON is reduced to its geometry before trimesh sees it, so that no image, texture, skin
or animation is opened. Features that trimesh would silently misread (sparse or normalised
positions, compressed buffers, nodes with several parents) are refused with a reason. Instances,
hidden nodes, morph targets and triangle fans, which trimesh does not know, are followed here.
Texture coordinates of the base colour are read, too; ``raycore.images`` opens the images.
"""

from __future__ import annotations

import base64
import io
import json
import struct
from collections import Counter
from itertools import islice
from typing import TYPE_CHECKING

from lidar_base.files.json_files import check_json
from raycore.errors import MeshError
from raycore.mesh.drawn import check_gltf, check_gltf_pieces
from raycore.mesh.gltf.attributes import Header, is_plain
from raycore.mesh.gltf.bones import JOINTS, WEIGHTS, FileBones, skin_accessors
from raycore.mesh.gltf.drawing import FAN, STRIP, Drawing, surfaces_of
from raycore.mesh.gltf.materials import (
    base_color_texture,
    material_of,
    place_in_image,
    texture_transform,
)
from raycore.mesh.gltf.scene import hidden_nodes, root_nodes
from raycore.mesh.gltf.unfollowed import FOLLOWED, HARMLESS, list_unfollowed
from raycore.mesh.materials import first_of_each_name
from raycore.mesh.readers import MeshPart, MeshSource, Surface, join, placed_meshes, transform

if TYPE_CHECKING:
    from collections.abc import Iterator

_CHUNK_JSON, _CHUNK_BINARY = 0x4E4F534A, 0x004E4942
_MOST_CHUNKS = 1000
_HEADER_KEYS = ("asset", "bufferViews")
_PRIMITIVE_KEYS = ("indices", "material", "mode")
_NODE_KEYS = ("matrix", "translation", "rotation", "scale")
_UV = "_UV"
"""Name for texture coordinates of vertices: trimesh keeps attributes with leading underscore."""
_EMPTY_ACCESSOR = {"count": 0, "componentType": 5126, "type": "SCALAR"}


def read_gltf(data: bytes, source: MeshSource) -> Surface:
    """Read a glTF file (JSON), and the buffers that it references, into a `Surface`.

    ``data`` is the content of the file ``source``.
    """
    return _surface(header_of_gltf(data), None, source, len(data))


def read_glb(data: bytes, source: MeshSource) -> Surface:
    """Read a binary glTF file, and the buffers that it references, into a `Surface`.

    ``data`` is the content of the file ``source``.
    """
    return _surface(*header_of_glb(data, source), source, len(data))


def header_of_glb(data: bytes, source: MeshSource) -> tuple[Header, bytes | None]:
    """Return the JSON of a binary glTF file, and its binary chunk; None without such a chunk.

    ``data`` is the content of the file. ``source`` is the file, only for messages.

    Raises
    ------
    MeshError
        If the file violates the binary format of glTF 2.0.
    struct.error
        If it is shorter than 12 bytes.
    ValueError
        If its JSON is not valid.
    """
    magic, version, length = struct.unpack_from("<4sII", data)
    if magic != b"glTF" or version != 2:
        raise MeshError(f"{source}: starts with {data[:8]!r}, expected 'glTF' and version 2")
    if length > len(data):
        raise MeshError(f"{source}: is cut short: got {len(data)} bytes, expected {length}")
    chunks: dict[int, bytes] = {}
    for kind, content in islice(_chunks(data[:length], source), _MOST_CHUNKS):
        chunks.setdefault(kind, content)
    if _CHUNK_JSON not in chunks:
        raise MeshError(f"{source}: has no JSON chunk, expected one at its beginning")
    return header_of_gltf(chunks[_CHUNK_JSON]), chunks.get(_CHUNK_BINARY)


def header_of_gltf(data: bytes) -> Header:
    """Return the JSON of a glTF file as a dictionary.

    ``data`` is the text of the JSON, in UTF-8.

    Raises
    ------
    ValueError
        It is not valid JSON; NaN and Infinity are not valid.
    BoundError
        It has more values than its size allows.
    """

    def refuse(constant: str) -> None:
        raise ValueError(f"got {constant}, which is not a JSON number")

    check_json(data)
    header: Header = json.loads(data.decode("utf-8-sig"), parse_constant=refuse)
    return header


def _chunks(data: bytes, source: MeshSource) -> Iterator[tuple[int, bytes]]:
    start = 12
    while start + 8 <= len(data):
        length, kind = struct.unpack_from("<II", data, start)
        start += 8
        if start + length > len(data):
            raise MeshError(f"{source}: is cut short: it ends within a chunk of {length} bytes")
        yield kind, data[start : start + length]
        start += length


def _surface(header: Header, binary: bytes | None, source: MeshSource, n_header: int) -> Surface:
    from trimesh import load_scene  # noqa: PLC0415 - slow to import, and OBJ files need none of it

    _check_readable(header, source)
    _check_tree(header, source)
    check_gltf_pieces(header, n_header, source)
    surfaces = [surfaces_of(mesh) for mesh in header.get("meshes", [])]
    geometry = _geometry_only(header, surfaces, source)
    buffers = read_buffers(header, binary, source)
    n_bytes = n_header + sum(map(len, set(buffers.values())))
    check_gltf(header, n_bytes, source)
    geometry["buffers"] = [{"uri": name} for name in buffers]
    scene = load_scene(
        io.BytesIO(json.dumps(geometry).encode()), file_type="gltf", resolver=buffers
    )
    bones = FileBones(header, buffers)
    for number in bones.posed:
        source.unfollowed.add(
            "pose of joints at rest: their skin stands as it was bound", f"node {number}"
        )
    drawing = Drawing(header, buffers, source)
    stated = header.get("materials", [])
    materials = [material_of(material, header) for material in stated]

    def parts() -> Iterator[MeshPart]:
        for scene_from_node, mesh, name in placed_meshes(scene):
            number, which = map(int, name.split("/"))
            primitive = surfaces[header["nodes"][number]["mesh"]][which - 1]
            index = primitive.get("material")
            uv = mesh.vertex_attributes.get(_UV)
            if uv is not None and index is not None:
                uv = place_in_image(uv, base_color_texture(stated[index]) or {})
            bound = bones.bound(number, mesh.vertex_attributes, len(mesh.vertices))
            label = "" if index is None else materials[index].name
            part = MeshPart(mesh.vertices, mesh.faces, label, uv, bound)
            part = drawing.drawn(number, primitive, part)
            yield part._replace(vertices=transform(part.vertices, scene_from_node))

    return join(parts(), source, first_of_each_name(materials), bones.bones)


def read_buffers(header: Header, binary: bytes | None, source: MeshSource) -> dict[str, bytes]:
    """Return the content of each buffer of a glTF file, by "buffer 0" and so on.

    Parameters
    ----------
    header : Header
        JSON of the file.
    binary : bytes or None
        The binary chunk of a GLB file, which is the content of buffer 0; None: there is none.
    source : MeshSource
        The file; it reads the files that the buffers name.

    Raises
    ------
    MeshError
        A buffer has no content, or too little.
    """
    buffers = {}
    files: dict[str, bytes] = {}  # a file that many buffers name is read once
    for index, buffer in enumerate(header.get("buffers", [])):
        if "uri" not in buffer:
            if binary is None or index > 0:
                raise MeshError(
                    f"{source}: buffer {index} has neither a uri nor a binary chunk, expected one "
                    "of them"
                )
            content = binary
        elif buffer["uri"].startswith("data:"):
            content = base64.b64decode(buffer["uri"].partition(",")[2])
        else:
            uri = buffer["uri"]
            content = files[uri] if uri in files else files.setdefault(uri, source.read_uri(uri))
        if len(content) < buffer["byteLength"]:
            raise MeshError(
                f"{source}: buffer {index} ({buffer.get('uri', 'binary chunk')[:80]}) has "
                f"{len(content)} bytes, expected {buffer['byteLength']}"
            )
        buffers[f"buffer {index}"] = content
    return buffers


def _check_readable(header: Header, source: MeshSource) -> None:
    version = str(header.get("asset", {}).get("version", "2.0"))
    if not version.startswith("2"):
        raise MeshError(f"{source}: is glTF {version}, expected 2.0")
    for extension in header.get("extensionsRequired", []):
        if not extension.startswith((*HARMLESS, *FOLLOWED)):
            raise MeshError(
                f"{source}: requires the glTF extension {extension}, which is not supported; "
                "expected an export without it"
            )
    list_unfollowed(header, source)


def _check_tree(header: Header, source: MeshSource) -> None:
    """Raise MeshError if a node has several parents, which also rules out cycles."""
    children = (child for node in header.get("nodes", []) for child in node.get("children", []))
    for node, count in Counter([*root_nodes(header), *children]).items():
        if count > 1:
            raise MeshError(f"{source}: node {node} has {count} parents, expected one")


def _geometry_only(header: Header, surfaces: list[list[Header]], source: MeshSource) -> Header:
    """Return a file's JSON reduced to the geometry, for trimesh to read.

    Materials are named by index, and unused accessors are empty. Each primitive becomes a separate
    mesh and node: trimesh would give the primitives of a node random names, and lose one of two
    with the same name.
    """
    primitives = [_triangles(each, header) for each in surfaces]
    kept = {key: header[key] for key in _HEADER_KEYS if key in header}
    kept["scenes"] = [{"nodes": root_nodes(header)[::-1]}]
    kept["materials"] = [{"name": str(i)} for i in range(len(header.get("materials", [])))]
    kept["nodes"] = [
        {key: node[key] for key in _NODE_KEYS if key in node} for node in header.get("nodes", [])
    ]
    kept["meshes"] = []
    used: set[int | None] = set()
    placed: set[int | None] = set()
    hidden = hidden_nodes(header)
    for index, node in enumerate(header.get("nodes", [])):
        children = []
        drawn = primitives[node["mesh"]] if "mesh" in node and index not in hidden else []
        for primitive in drawn:
            children.append(len(kept["nodes"]))
            name = f"{index}/{len(children)}"  # an unnamed node is named by its number
            kept["nodes"].append({"mesh": len(kept["meshes"]), "name": name})
            kept["meshes"].append({"primitives": [primitive]})
            used |= {primitive["attributes"]["POSITION"], primitive.get("indices")}
            placed |= {primitive["attributes"].get(each) for each in (_UV, JOINTS, WEIGHTS)}
        children += node.get("children", [])
        kept["nodes"][index]["children"] = children[::-1]  # trimesh takes the last one first
    kept["accessors"] = [
        _kept(accessor, index, used, placed, source)
        for index, accessor in enumerate(header.get("accessors", []))
    ]
    return kept


def _triangles(surfaces: list[Header], header: Header) -> list[Header]:
    """Return the primitives of a mesh that have a surface, without normals and morph targets."""
    primitives = []
    for primitive in surfaces:
        kept = {key: primitive[key] for key in _PRIMITIVE_KEYS if key in primitive}
        if kept.get("mode") == FAN:
            kept["mode"] = STRIP  # trimesh has no fans: their faces are computed later
        kept["attributes"] = {"POSITION": primitive["attributes"]["POSITION"]}
        uv = _uv_accessor(primitive, header)
        if uv is not None:
            kept["attributes"][_UV] = uv
        kept["attributes"] |= skin_accessors(header, primitive)
        primitives.append(kept)
    return primitives


def _uv_accessor(primitive: Header, header: Header) -> int | None:
    """Return the accessor of texture coordinates in the base colour's image; None if unusable."""
    try:
        reference = base_color_texture(header["materials"][primitive["material"]])
        if reference is None:
            return None
        number = texture_transform(reference).get("texCoord", reference.get("texCoord", 0))
        index: int = primitive["attributes"][f"TEXCOORD_{number}"]
    except (LookupError, TypeError, AttributeError):
        return None
    return index if is_plain(header, index, primitive, "VEC2") else None


def _kept(
    accessor: Header,
    index: int,
    used: set[int | None],
    placed: set[int | None],
    source: MeshSource,
) -> Header:
    """Return an accessor unchanged if it is in use (``used``, ``placed``), and else an empty one.

    An accessor of positions or faces (``used``) must be plain numbers, or MeshError is raised.
    """
    if index not in used:
        return accessor if index in placed else _EMPTY_ACCESSOR
    if "sparse" in accessor or accessor.get("normalized") or "bufferView" not in accessor:
        raise MeshError(
            f"{source}: accessor {index} is sparse, normalized or without a bufferView, "
            "expected plain numbers in a buffer"
        )
    return accessor
