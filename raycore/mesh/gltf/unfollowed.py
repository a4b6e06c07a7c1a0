# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Contents of glTF files that are followed, ignored in silence, or listed as not followed.

An extension that moves, repeats, shapes or hides geometry is either followed, or the file is
refused. All else that is not followed is listed, unless it does not concern surfaces.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from raycore.errors import MeshError
from raycore.mesh.gltf.drawing import TRIANGLES
from raycore.mesh.gltf.scene import INSTANCING, PLACES, VISIBILITY

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from raycore.mesh.gltf.attributes import Header
    from raycore.mesh.readers import MeshSource

FOLLOWED = (INSTANCING, VISIBILITY)
"""Names of the extensions of nodes that the reader supports: they repeat or hide geometry."""
HARMLESS = (
    "KHR_materials_", "KHR_texture_", "KHR_lights_", "EXT_texture_", "MSFT_texture_", "KHR_xmp",
    "KHR_animation_pointer", "KHR_mesh_quantization",
)  # fmt: skip
"""Name prefixes of extensions that a file may require, as they move no triangle."""
_REFUSED = (
    "CESIUM_RTC", "EXT_implicit_", "EXT_mesh_primitive_restart", "EXT_primitive_voxels",
    "KHR_instancing", "KHR_mesh_instancing", "KHR_mesh_primitive_restart", "MPEG_mesh_linking",
)  # fmt: skip
"""Name prefixes of unsupported extensions that move, repeat or shape geometry."""
_SILENT_EXTENSIONS = (
    "KHR_materials_pbrSpecularGlossiness", "KHR_materials_transmission",  # followed
    "KHR_texture_transform", "KHR_texture_basisu", "EXT_texture_", "MSFT_texture_",  # followed
    "KHR_mesh_quantization",  # followed: the accessors' types tell
    "KHR_materials_unlit",  # only concerns drawing on a screen
    "KHR_xmp",  # metadata
)  # fmt: skip
_MOST_LETTERS = 100  # a file may name its own things at any length
_COMMON = {"name", "extras", "extensions"}
# Keys of each kind of object that are followed or, after the bar, say nothing of the surface.
_KEYS = {
    "root": "asset scene scenes nodes meshes accessors bufferViews buffers materials textures "
    "images samplers skins extensionsUsed extensionsRequired | animations "
    "cameras",  # these are listed one by one
    "node": "children mesh matrix translation rotation scale skin weights",
    "mesh": "primitives weights",
    "primitive": "attributes indices material mode | targets",  # listed where at rest
    # Rays hit both sides, and do not see what shines.
    "material": "pbrMetallicRoughness alphaMode | doubleSided alphaCutoff emissiveFactor "
    "emissiveTexture",
    "pbrMetallicRoughness": "baseColorFactor baseColorTexture metallicFactor roughnessFactor",
    "skin": "joints inverseBindMatrices | skeleton",  # a hint
}
_ATTRIBUTES = ("POSITION", "TEXCOORD_", "JOINTS_0", "WEIGHTS_0", "NORMAL", "TANGENT")
"""Name prefixes of attributes that are not listed; normals and tangents do not move a surface."""
_NO_SURFACE = ("points", "lines", "a line loop", "a line strip")
_PLAIN_KINDS = ("buffers", "bufferViews", "accessors", "textures", "images", "samplers", "scenes")


def list_unfollowed(header: Header, source: MeshSource) -> None:
    """Add content of a glTF file that the reader ignores to ``source.unfollowed``.

    Most content that does not concern surfaces, such as metadata, is left out. ``header`` is the
    JSON of the file.

    Raises
    ------
    MeshError
        The file uses an unsupported extension that moves, repeats or shapes geometry.
    """
    listing = _Listing(source)
    for number, node in _numbered(header, "nodes"):
        listing.node(node, f"node {number}")
    shaped = {node.get("mesh") for node in header.get("nodes", []) if any(node.get("weights", []))}
    for number, mesh in _numbered(header, "meshes"):
        listing.mesh(mesh, f"mesh {number}", at_rest=number not in shaped)
    for number, material in _numbered(header, "materials"):
        listing.material(material, f"material {number}")
    for number, skin in _numbered(header, "skins"):
        listing.object("skin", skin, f"skin {number}")
    for kind in _PLAIN_KINDS:
        for number, each in _numbered(header, kind):
            listing.extensions(each, f"{kind.removesuffix('s')} {number}")
    for number, _ in _numbered(header, "animations"):
        listing.add("animation", f"animation {number}")
    for number, _ in _numbered(header, "scenes"):
        if number != header.get("scene", 0):
            listing.add("scene beside the shown one", f"scene {number}")
    listing.file(header)


def _numbered(header: Header, kind: str) -> Iterable[tuple[int, Header]]:
    """Return the objects of a kind with their indices; damaged ones are left out."""
    return ((i, each) for i, each in enumerate(header.get(kind, [])) if isinstance(each, dict))


class _Listing:
    """Adds the unfollowed contents of a file to its list, object by object."""

    def __init__(self, source: MeshSource) -> None:
        self._source = source
        self._met: set[str] = set()

    def add(self, what: str, place: str) -> None:
        self._source.unfollowed.add(" ".join(what.split())[:_MOST_LETTERS], place)

    def extension(self, name: str, place: str, *, again: bool = True) -> None:
        """List an extension; raise MeshError if it moves, repeats or shapes geometry.

        If ``again`` is False, an extension that was met before is not listed again.
        """
        name = " ".join(name.split())[:_MOST_LETTERS]
        if name.startswith(_REFUSED):
            where = f" at {place}" if place else ""
            raise MeshError(
                f"{self._source}: uses the glTF extension {name}{where}, which moves, repeats or "
                "shapes geometry and is not supported; expected an export without it"
            )
        if again or name not in self._met:
            self.add(f"extension {name}", place)
        self._met.add(name)

    def extensions(
        self, holder: Header, place: str, *, again: bool = True, but: tuple[str, ...] = ()
    ) -> None:
        """List the extensions of an object, except ``but`` and those that concern no surface."""
        stated = holder.get("extensions")
        for name in stated if isinstance(stated, dict) else ():
            if not name.startswith((*_SILENT_EXTENSIONS, *but)):
                self.extension(name, place, again=again)

    def object(self, kind: str, holder: Header, place: str, *, again: bool = True) -> None:
        """List the extensions of an object, and its unknown keys."""
        self.extensions(holder, place, again=again, but=FOLLOWED if kind == "node" else ())
        for key in holder:
            if key not in _COMMON and key not in _KEYS[kind].split():
                self.add(f"{key} of {kind}" if kind != "root" else key, place)

    def file(self, header: Header) -> None:
        """List contents of the file as a whole, and used extensions that no object has."""
        self.object("root", header, "", again=False)
        for extension in header.get("extensionsUsed", []):
            if not extension.startswith((*HARMLESS, *FOLLOWED)):
                self.extension(extension, "", again=False)

    def node(self, node: Header, place: str) -> None:
        """List contents of a node, and attributes of its instances other than pose and scale."""
        self.object("node", node, place)
        if INSTANCING not in node.get("extensions", {}):
            return
        if "mesh" not in node:
            self.add(f"{INSTANCING} without a mesh", place)
        stated = node["extensions"][INSTANCING].get("attributes", {})
        for name in stated:
            if name not in PLACES:
                self.add(f"attribute {name} of {INSTANCING}", place)

    def mesh(self, mesh: Header, place: str, *, at_rest: bool) -> None:
        """List a mesh's primitives without a surface, and unknown attributes of its vertices."""
        self.object("mesh", mesh, place)
        for primitive in mesh["primitives"]:
            self.object("primitive", primitive, place)
            mode = primitive.get("mode", TRIANGLES)
            if mode in range(len(_NO_SURFACE)):
                self.add(f"primitive of {_NO_SURFACE[mode]}", place)
            elif mode not in range(7):
                self.add(f"primitive of mode {mode}", place)
            elif "POSITION" not in primitive["attributes"]:
                self.add("primitive without POSITION", place)
            for name in primitive["attributes"]:
                if not name.startswith(_ATTRIBUTES):
                    self.add(f"attribute {name}", place)
            if at_rest and primitive.get("targets") and not any(mesh.get("weights", [])):
                self.add("morph targets with weights of 0", place)

    def material(self, material: Header, place: str) -> None:
        """List the properties of a material that are not read."""
        self.object("material", material, place)
        model = material.get("pbrMetallicRoughness", {})
        if isinstance(model, dict):
            self.object("pbrMetallicRoughness", model, place)
            if material.get("alphaMode") == "MASK" and "baseColorTexture" in model:
                self.add("alphaMode MASK: holes by the image of material", place)
        inside = [each for key, each in material.items() if key not in _COMMON]
        for inner in _objects(inside):
            self.extensions(inner, place)


def _objects(values: list[object]) -> Iterator[Header]:
    """Yield all objects nested in these values, except those inside extensions."""
    while values:
        value = values.pop()
        if isinstance(value, dict):
            yield value
            values += [each for key, each in value.items() if key not in _COMMON]
        elif isinstance(value, list):
            values += value
